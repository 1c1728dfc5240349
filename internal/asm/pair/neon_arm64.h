// Vector instructions that the assembler of Go 1.26 lacks, as macros with one WORD directive, and other macros that
// both types share. The name of an instruction macro is the GNU mnemonic. The arguments are register numbers
// in GNU order, destination first. A name without an arrangement takes the arrangement of the type: .2d if DOUBLE is
// 1 (F64), and .4s if DOUBLE is 0 (F32). See type_arm64.h. neon_test.go in the parent folder checks every instruction
// for both types. The test also checks that macros with the same name are the same in every folder.

#define FADD(d, n, m) WORD $(0x4e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FSUB(d, n, m) WORD $(0x4ea0d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLA(d, n, m) WORD $(0x4e20cc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FABD(d, n, m) WORD $(0x6ea0d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FADDP(d, n, m) WORD $(0x6e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define TRN2_2D(d, n, m) WORD $(0x4ec06800|(m)<<16|(n)<<5|(d))

#define LANES (4>>DOUBLE) // elements of a register
#define ESIZE (4<<DOUBLE)

// OF4 applies op to four registers: d = n op m, and so on up to d+3 = n+3 op m+3.
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

// LOADLANES loads four registers from p, and STORELANES stores four registers to p. The two macros advance p.
#define LOADLANES(p, a, b, c, d) \
	FLDPQ.P 32(p), (a, b); \
	FLDPQ.P 32(p), (c, d)
#define STORELANES(p, a, b, c, d) \
	FSTPQ.P (a, b), 32(p); \
	FSTPQ.P (c, d), 32(p)

// FOLDREGS adds the lanes of registers r to r+3, and leaves the sum in the lowest lane of r.
#define FOLDREGS(r) \
	FADD(r, r, r+2);     \
	FADD(r+1, r+1, r+3); \
	FADD(r, r, r+1);     \
	LASTFOLD(r, r+1)     \
	FADDP(r, r, r)
