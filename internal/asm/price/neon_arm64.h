// Vector instructions that the assembler of Go 1.26 cannot spell, one word a line. A word is named after the
// GNU mnemonic and takes register numbers in GNU order, destination first. Where its name has no arrangement, that is
// .2d where DOUBLE is 1, which it is here. neon_test.go in the parent folder proves every word, and
// that a macro means the same in every folder that has it.

#define FADD(d, n, m) WORD $(0x4e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FSUB(d, n, m) WORD $(0x4ea0d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FCMGT(d, n, m) WORD $(0x6ea0e400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define BIT_16B(d, n, m) WORD $(0x6ea01c00|(m)<<16|(n)<<5|(d))
#define FCVTL_2D(d, n) WORD $(0x0e617800|(n)<<5|(d))
#define FCVTL2_2D(d, n) WORD $(0x4e617800|(n)<<5|(d))

// An operation on four registers each: d … d+3 of n … n+3 and m … m+3, or of n … n+3 and m.
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
