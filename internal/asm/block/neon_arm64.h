// Vector instructions that the assembler of Go 1.26 lacks, as macros with one WORD directive, and other macros
// that both types share. A macro of an instruction has its GNU mnemonic as name. Its arguments are
// register numbers in GNU order, destination first. With the suffix _E, the last operand is element i of a register.
// A name without an arrangement takes the arrangement of the type: .2d if DOUBLE is 1 (F64), .4s if it is 0 (F32);
// see type_arm64.h. neon_test.go in the parent folder checks every instruction for both types, and that macros
// with the same name are the same in every folder.

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

// ROW4 loads the lanes of a row, clears them in memory, and advances p to the next row.
#define ROW4(a, b, c, d) \
	FLDPQ   32(p), (c, d); \
	FLDPQ   (p), (a, b); \
	FSTPQ   (F30, F31), 32(p); \
	FSTPQ.P (F30, F31), 256(p)
