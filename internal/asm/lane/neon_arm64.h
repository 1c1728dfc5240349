// Vector instructions that the assembler of Go 1.26 lacks, as macros with one WORD directive, and other macros
// that both types share. The name of an instruction macro is the GNU mnemonic. The arguments are
// register numbers in GNU order, destination first. A name without an arrangement takes the arrangement of the type:
// .2d if DOUBLE is 1 (float64), and .4s if DOUBLE is 0 (float32). The including file defines DOUBLE. neon_test.go in the
// parent folder checks every instruction for both types. The test also checks that macros with the same name are the same
// in every folder.

#define FADD(d, n, m) WORD $(0x4e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FSUB(d, n, m) WORD $(0x4ea0d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMUL(d, n, m) WORD $(0x6e20dc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FDIV(d, n, m) WORD $(0x6e20fc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLA(d, n, m) WORD $(0x4e20cc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FCMGE(d, n, m) WORD $(0x6e20e400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FCMEQ(d, n, m) WORD $(0x4e20e400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define BIC_16B(d, n, m) WORD $(0x4e601c00|(m)<<16|(n)<<5|(d))

#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// FOLD4 adds registers e, f, g and h to registers a, b, c and d. FOLD adds registers a, b, c and d, in halves.
#define FOLD4(a, b, c, d, e, f, g, h) \
	FADD(a, a, e); \
	FADD(b, b, f); \
	FADD(c, c, g); \
	FADD(d, d, h)
#define FOLD(a, b, c, d) \
	FADD(a, a, c); \
	FADD(b, b, d); \
	FADD(a, a, b)

// TERM adds a product to register a, which is virtual lane a of a row sum. The offset o is 64 a.
#define TERM(o, a) \
	FMOVQ o(at), F16; \
	FMOVQ o(row), F17; \
	FMLA(a, 17, 16)

// SQUARE adds (x − y)² to the register sum, with x in V8 and y at the address p.
#define SQUARE(p, f, n, sum) \
	FMOVQ.P 64(p), f; \
	FSUB(n, 8, n); \
	FMLA(sum, n, n)
