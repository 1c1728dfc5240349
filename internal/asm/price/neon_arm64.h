// Macros for vector instructions that the assembler of Go 1.26 lacks, one WORD directive each. The name of a macro is the
// GNU mnemonic. The arguments are register numbers in GNU order, destination first. A name without an arrangement takes the
// arrangement .2d, because DOUBLE is 1. neon_test.go in the parent folder checks every instruction. The test also checks
// that a macro is the same in every folder.
#define FADD(d, n, m) WORD $(0x4e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FSUB(d, n, m) WORD $(0x4ea0d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FCMGT(d, n, m) WORD $(0x6ea0e400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define BIT_16B(d, n, m) WORD $(0x6ea01c00|(m)<<16|(n)<<5|(d))
#define FCVTL_2D(d, n) WORD $(0x0e617800|(n)<<5|(d))
#define FCVTL2_2D(d, n) WORD $(0x4e617800|(n)<<5|(d))

// OF4 applies an operation to four registers each: d … d+3 = n … n+3 op m … m+3. BY4 does the same with one register m.
#define OF4(op, d, n, m) \
	op(d, n, m); \
	op(d+1, n+1, m+1); \
	op(d+2, n+2, m+2); \
	op(d+3, n+3, m+3)
#define BY4(op, d, n, m) \
	op(d, n, m); \
	op(d+1, n+1, m); \
	op(d+2, n+2, m); \
	op(d+3, n+3, m)
