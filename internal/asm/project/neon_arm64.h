// Vector instructions that the assembler of Go 1.26 cannot spell, one word a line, and
// what else a text needs that is written once for both types. A word is named after the
// GNU mnemonic and takes register numbers in GNU order, destination first; _E is the
// form by element i of the last operand. Where its name has no arrangement, that is
// the type's: .2d where DOUBLE is 1 (F64), .4s where it is 0 (F32), as
// type_arm64.h has it. neon_test.go in the parent folder proves every word for both, and
// that a macro means the same in every folder that has it.

#define FMLA_E(d, n, m, i) WORD $(0x4f801000|DOUBLE<<22|(((i)<<DOUBLE)&1)<<21|(((i)<<DOUBLE)>>1)<<11|(m)<<16|(n)<<5|(d))

#define ESHIFT (2+DOUBLE)
#define ESIZE (4<<DOUBLE)
#define LANES (4>>DOUBLE)

// One element, loaded into lane 0 (the others become zero); the same with p moved on.
#define LDE(p, f) FMOVE (p), f
#define LDE_P(p, f) FMOVE.P ESIZE(p), f

#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// Row i of the four whose numbers LDROWS loads: in register r (float32), or in r and r+1.
#define FMLA_ROW0(d, n, r) FMLA_E(d, n, r, 0)
#define FMLA_ROW1(d, n, r) FMLA_E(d, n, r, 1)
#define FMLA_ROW2(d, n, r) FMLA_E(d, n, r+DOUBLE, 2-2*DOUBLE)
#define FMLA_ROW3(d, n, r) FMLA_E(d, n, r+DOUBLE, 3-2*DOUBLE)
