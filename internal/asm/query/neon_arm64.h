// Macros for vector instructions that the assembler of Go 1.26 lacks, one WORD directive each, and macros for the kernels.
// The name of an instruction macro is the GNU mnemonic. The arguments are register numbers in GNU order, destination first.
// A name without an arrangement takes the arrangement .4s, because DOUBLE is 0. neon_test.go in the parent folder checks
// every instruction. The test also checks that a macro is the same in every folder.

#define DOUBLE 0

#define FADD(d, n, m) WORD $(0x4e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FSUB(d, n, m) WORD $(0x4ea0d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLA(d, n, m) WORD $(0x4e20cc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLS_E(d, n, m, i) WORD $(0x4f805000|DOUBLE<<22|(((i)<<DOUBLE)&1)<<21|(((i)<<DOUBLE)>>1)<<11|(m)<<16|(n)<<5|(d))
#define FMUL_E(d, n, m, i) WORD $(0x4f809000|DOUBLE<<22|(((i)<<DOUBLE)&1)<<21|(((i)<<DOUBLE)>>1)<<11|(m)<<16|(n)<<5|(d))
#define SCVTF(d, n, i) WORD $(0x4f00e400|((64<<DOUBLE)-(i))<<16|(n)<<5|(d))
#define FCVTL_4S(d, n) WORD $(0x0e217800|(n)<<5|(d))
#define FCVTL2_4S(d, n) WORD $(0x4e217800|(n)<<5|(d))
#define FADDP(d, n, m) WORD $(0x6e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define TRN1_2D(d, n, m) WORD $(0x4ec02800|(m)<<16|(n)<<5|(d))
#define TRN2_2D(d, n, m) WORD $(0x4ec06800|(m)<<16|(n)<<5|(d))

// OF4 applies an operation to four registers: d … d+3 = n … n+3 op m … m+3.
#define OF4(op, d, n, m) \
	op(d, n, m); \
	op(d+1, n+1, m+1); \
	op(d+2, n+2, m+2); \
	op(d+3, n+3, m+3)

// OF4E is OF4 with element i of m. OF4I is OF4 with the immediate operand i.
#define OF4E(op, d, n, m, i) \
	op(d, n, m, i); \
	op(d+1, n+1, m, i); \
	op(d+2, n+2, m, i); \
	op(d+3, n+3, m, i)
#define OF4I(op, d, n, i) \
	op(d, n, i); \
	op(d+1, n+1, i); \
	op(d+2, n+2, i); \
	op(d+3, n+3, i)

// COPY4 sets V28–V31 to a, b, c and d.
#define COPY4(a, b, c, d) \
	VORR a.B16, a.B16, V28.B16; \
	VORR b.B16, b.B16, V29.B16; \
	VORR c.B16, c.B16, V30.B16; \
	VORR d.B16, d.B16, V31.B16

// LOAD4 loads four registers from p and advances p.
#define LOAD4(p, a, b, c, d) \
	FLDPQ   32(p), (c, d); \
	FLDPQ.P 64(p), (a, b)

#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// HALVES folds registers r to r+3 into register r. It adds lanes l and l+8, then lanes l and l+4.
#define HALVES(r) \
	FADD(r, r, r+2); \
	FADD(r+1, r+1, r+3); \
	FADD(r, r, r+1)

// FOLD_ROWS folds the four lanes of registers a, b, c and d: lanes 0 and 1 plus lanes 2 and 3, then lane 0 plus
// lane 1. Register r holds the four sums, one for each row. The macro changes s and c.
#define FOLD_ROWS(r, s, a, b, c, d) \
	TRN1_2D(r, a, b); \
	TRN2_2D(s, a, b); \
	FADD(r, r, s); \
	TRN1_2D(s, c, d); \
	TRN2_2D(c, c, d); \
	FADD(s, s, c); \
	FADDP(r, r, s)
