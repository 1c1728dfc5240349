// Macros for vector instructions that the assembler of Go 1.26 lacks, one WORD directive each, and macros for code that
// both types share. The name of an instruction macro is the GNU mnemonic. The arguments are register numbers in GNU order,
// destination first. The suffix _E marks an instruction with element i of the last operand. A name without an arrangement
// takes the arrangement of the type: .2d if DOUBLE is 1 (F64), and .4s if DOUBLE is 0 (F32). See type_arm64.h. neon_test.go
// in the parent folder checks every instruction for both types. The test also checks that a macro is the same in every
// folder.

#define FADD(d, n, m) WORD $(0x4e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FSUB(d, n, m) WORD $(0x4ea0d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMUL(d, n, m) WORD $(0x6e20dc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FDIV(d, n, m) WORD $(0x6e20fc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLA(d, n, m) WORD $(0x4e20cc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLS(d, n, m) WORD $(0x4ea0cc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FCMGT(d, n, m) WORD $(0x6ea0e400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FCMGE(d, n, m) WORD $(0x6e20e400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define SCVTF(d, n, i) WORD $(0x4f00e400|((64<<DOUBLE)-(i))<<16|(n)<<5|(d))
#define BIT_16B(d, n, m) WORD $(0x6ea01c00|(m)<<16|(n)<<5|(d))

#define ESHIFT (2+DOUBLE)
#define MANTISSA (23+29*DOUBLE) // bits of the mantissa

// OF4 applies an operation to four registers: d … d+3 = n … n+3 op m … m+3. BY4 does the same with one register m.
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

// LOAD4 loads four registers from p, and STORE4 stores four registers to p. The two macros advance p.
#define LOAD4(p, a, b, c, d) \
	FLDPQ   32(p), (c, d); \
	FLDPQ.P 64(p), (a, b)
#define STORE4(p, a, b, c, d) \
	FSTPQ   (c, d), 32(p); \
	FSTPQ.P (a, b), 64(p)

// HORNER_20 is one Horner step in four registers: V20–V23 = c + V16–V19·y, with y in registers y to y+3.
// HORNER_16 is the same step with V16–V19 = c + V20–V23·y.
#define HORNER_20(c, y) \
	FMOVQ c(consts), F20; \
	FMOVQ c(consts), F21; \
	FMOVQ c(consts), F22; \
	FMOVQ c(consts), F23; \
	OF4(FMLA, 20, 16, y)
#define HORNER_16(c, y) \
	FMOVQ c(consts), F16; \
	FMOVQ c(consts), F17; \
	FMOVQ c(consts), F18; \
	FMOVQ c(consts), F19; \
	OF4(FMLA, 16, 20, y)

// INTEGER4 applies the integer operation op to V0–V3, with V28 as the second operand.
#define INTEGER4(op, arr) \
	op V28.arr, V0.arr, V0.arr; \
	op V28.arr, V1.arr, V1.arr; \
	op V28.arr, V2.arr, V2.arr; \
	op V28.arr, V3.arr, V3.arr
