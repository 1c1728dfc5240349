// Vector instructions that the assembler of Go 1.26 lacks, one word a line, and
// macros for code that both types share. A word has the name of its
// GNU mnemonic and takes register numbers in GNU order, destination first. A name without an
// arrangement takes the arrangement of the type: .2d if DOUBLE is 1 (F64), .4s if it is 0 (F32);
// see type_arm64.h. neon_test.go in the parent folder checks every word for both, and
// that a macro is the same in every folder.

#define FADD(d, n, m) WORD $(0x4e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FSUB(d, n, m) WORD $(0x4ea0d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLA(d, n, m) WORD $(0x4e20cc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FABD(d, n, m) WORD $(0x6ea0d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FADDP(d, n, m) WORD $(0x6e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define TRN2_2D(d, n, m) WORD $(0x4ec06800|(m)<<16|(n)<<5|(d))

#define LANES (4>>DOUBLE) // of a register
#define ESIZE (4<<DOUBLE)

// OF4 applies an operation to four registers each: d … d+3 = n … n+3 op m … m+3.
#define OF4(op, d, n, m) \
	op(d, n, m); \
	op(d+1, n+1, m+1); \
	op(d+2, n+2, m+2); \
	op(d+3, n+3, m+3)

// BEGIN4 copies V1 to four registers.
#define BEGIN4(a, b, c, d) \
	VMOV V1.B16, a.B16; \
	VMOV V1.B16, b.B16; \
	VMOV V1.B16, c.B16; \
	VMOV V1.B16, d.B16

// LOADLANES and STORELANES move four registers from and to memory and advance p.
#define LOADLANES(p, a, b, c, d) \
	FLDPQ.P 32(p), (a, b); \
	FLDPQ.P 32(p), (c, d)
#define STORELANES(p, a, b, c, d) \
	FSTPQ.P (a, b), 32(p); \
	FSTPQ.P (c, d), 32(p)

// FOLDREGS folds registers r to r+3 to the lowest lane of r.
#define FOLDREGS(r) \
	FADD(r, r, r+2);     \
	FADD(r+1, r+1, r+3); \
	FADD(r, r, r+1);     \
	LASTFOLD(r, r+1)     \
	FADDP(r, r, r)
