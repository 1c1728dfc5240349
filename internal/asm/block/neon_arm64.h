// Vector instructions that the assembler of Go 1.26 cannot spell, one word a line, and
// what else a text needs that is written once for both types. A word is named after the
// GNU mnemonic and takes register numbers in GNU order, destination first; _E is the
// form by element i of the last operand. Where its name has no arrangement, that is
// the type's: .2d where DOUBLE is 1 (F64), .4s where it is 0 (F32), as
// type_arm64.h has it. neon_test.go in the parent folder proves every word for both, and
// that a macro means the same in every folder that has it.

#define FADD(d, n, m) WORD $(0x4e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FDIV(d, n, m) WORD $(0x6e20fc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLA(d, n, m) WORD $(0x4e20cc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FADDP(d, n, m) WORD $(0x6e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define DUP_E(d, n, i) WORD $(0x4e000400|(2*(i)+1)<<(18+DOUBLE)|(n)<<5|(d))
#define TRN1_2D(d, n, m) WORD $(0x4ec02800|(m)<<16|(n)<<5|(d))
#define TRN2_2D(d, n, m) WORD $(0x4ec06800|(m)<<16|(n)<<5|(d))
#define FCVTL_2D(d, n) WORD $(0x0e617800|(n)<<5|(d))
#define FCVTL2_2D(d, n) WORD $(0x4e617800|(n)<<5|(d))

#define ESHIFT (2+DOUBLE)

// ROW4 loads the lanes of a row and clears them; p moves on to the next row.
#define ROW4(a, b, c, d) \
	FLDPQ   32(p), (c, d); \
	FLDPQ   (p), (a, b); \
	FSTPQ   (F30, F31), 32(p); \
	FSTPQ.P (F30, F31), 256(p)
