// Macros for vector instructions that the assembler of Go 1.26 lacks, one WORD directive each, and macros for code that
// both types share. The name of an instruction macro is the GNU mnemonic. The arguments are register numbers in GNU order,
// destination first. The suffix _E marks an instruction with element i of the last operand. A name without an arrangement
// takes the arrangement of the type: .2d if DOUBLE is 1 (F64), and .4s if DOUBLE is 0 (F32). See type_arm64.h. neon_test.go
// in the parent folder checks every instruction for both types. The test also checks that a macro is the same in every
// folder.

#define FADD(d, n, m) WORD $(0x4e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMUL(d, n, m) WORD $(0x6e20dc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FDIV(d, n, m) WORD $(0x6e20fc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLA(d, n, m) WORD $(0x4e20cc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLA_E(d, n, m, i) WORD $(0x4f801000|DOUBLE<<22|(((i)<<DOUBLE)&1)<<21|(((i)<<DOUBLE)>>1)<<11|(m)<<16|(n)<<5|(d))
#define FADDP(d, n, m) WORD $(0x6e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FCMGE(d, n, m) WORD $(0x6e20e400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define ADD_V(d, n, m) WORD $(0x4ea08400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define DUP_E(d, n, i) WORD $(0x4e000400|(2*(i)+1)<<(18+DOUBLE)|(n)<<5|(d))
#define TRN1_2D(d, n, m) WORD $(0x4ec02800|(m)<<16|(n)<<5|(d))
#define TRN2_2D(d, n, m) WORD $(0x4ec06800|(m)<<16|(n)<<5|(d))
#define BIC_16B(d, n, m) WORD $(0x4e601c00|(m)<<16|(n)<<5|(d))
#define FACGT_2D(d, n, m) WORD $(0x6ee0ec00|(m)<<16|(n)<<5|(d))
#define FCVTL_2D(d, n) WORD $(0x0e617800|(n)<<5|(d))
#define FCVTL2_2D(d, n) WORD $(0x4e617800|(n)<<5|(d))
#define FCVTN_2S(d, n) WORD $(0x0e616800|(n)<<5|(d))
#define FCVTN2_4S(d, n) WORD $(0x4e616800|(n)<<5|(d))

#define ESHIFT (2+DOUBLE)
#define ESIZE (4<<DOUBLE)
#define LANES (4>>DOUBLE)
#define ONEBIT (2-DOUBLE)  // index of the bit of an element count that represents one register
#define PAIRBIT (3-DOUBLE) // index of the bit of an element count that represents two registers

// LDE_P loads one element into lane 0 and sets all other lanes to zero. LDDUP_P loads one element into all lanes. STE_P
// stores one element. The macros advance p.
#define LDE_P(p, f) FMOVE.P ESIZE(p), f
#define LDDUP_P(p, v) VLD1R.P ESIZE(p), [v.ARR]
#define STE_P(f, p) FMOVE.P f, ESIZE(p)

#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// LDROWS loads four numbers into register r (float32), or into registers r and r+1 (float64). DUP_ROWi sets all lanes of d
// to number i. FMLA_ROWi adds the product of n and number i to d.
#define DUP_ROW0(d, r) DUP_E(d, r, 0)
#define DUP_ROW1(d, r) DUP_E(d, r, 1)
#define DUP_ROW2(d, r) DUP_E(d, r+DOUBLE, 2-2*DOUBLE)
#define DUP_ROW3(d, r) DUP_E(d, r+DOUBLE, 3-2*DOUBLE)
#define FMLA_ROW0(d, n, r) FMLA_E(d, n, r, 0)
#define FMLA_ROW1(d, n, r) FMLA_E(d, n, r, 1)
#define FMLA_ROW2(d, n, r) FMLA_E(d, n, r+DOUBLE, 2-2*DOUBLE)
#define FMLA_ROW3(d, n, r) FMLA_E(d, n, r+DOUBLE, 3-2*DOUBLE)
