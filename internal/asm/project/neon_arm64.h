// Macros for vector instructions that the assembler of Go 1.26 lacks, one WORD directive each, and macros for code that
// both types share. The name of an instruction macro is the GNU mnemonic. The arguments are register numbers in GNU order,
// destination first. The suffix _E marks an instruction with element i of the last operand. A name without an arrangement
// takes the arrangement of the type: .2d if DOUBLE is 1 (F64), and .4s if DOUBLE is 0 (F32). See type_arm64.h. neon_test.go
// in the parent folder checks every instruction for both types. The test also checks that a macro is the same in every
// folder.

#define FMLA_E(d, n, m, i) WORD $(0x4f801000|DOUBLE<<22|(((i)<<DOUBLE)&1)<<21|(((i)<<DOUBLE)>>1)<<11|(m)<<16|(n)<<5|(d))

#define ESHIFT (2+DOUBLE)
#define ESIZE (4<<DOUBLE)
#define LANES (4>>DOUBLE)

// LDE loads one element into lane 0 and sets all other lanes to zero. LDE_P also advances p.
#define LDE(p, f) FMOVE (p), f
#define LDE_P(p, f) FMOVE.P ESIZE(p), f

#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// LDROWS loads four numbers into register r (float32), or into registers r and r+1 (float64). FMLA_ROWi adds the product of
// n and number i to d.
#define FMLA_ROW0(d, n, r) FMLA_E(d, n, r, 0)
#define FMLA_ROW1(d, n, r) FMLA_E(d, n, r, 1)
#define FMLA_ROW2(d, n, r) FMLA_E(d, n, r+DOUBLE, 2-2*DOUBLE)
#define FMLA_ROW3(d, n, r) FMLA_E(d, n, r+DOUBLE, 3-2*DOUBLE)
