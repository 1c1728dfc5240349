// Vector instructions that the assembler of Go 1.26 lacks, as macros with one WORD directive, and other macros
// that both types share. A macro of an instruction has its GNU mnemonic as name. Its arguments are
// register numbers in GNU order, destination first. With the suffix _E, the last operand is element i of a register.
// A name without an arrangement takes the arrangement of the type: .2d if DOUBLE is 1 (F64), .4s if it is 0 (F32);
// see type_arm64.h. neon_test.go in the parent folder checks every instruction for both types, and that macros
// with the same name are the same in every folder.

#define FADD(d, n, m) WORD $(0x4e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FSUB(d, n, m) WORD $(0x4ea0d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMUL(d, n, m) WORD $(0x6e20dc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLA(d, n, m) WORD $(0x4e20cc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLA_E(d, n, m, i) WORD $(0x4f801000|DOUBLE<<22|(((i)<<DOUBLE)&1)<<21|(((i)<<DOUBLE)>>1)<<11|(m)<<16|(n)<<5|(d))
#define FMLS_E(d, n, m, i) WORD $(0x4f805000|DOUBLE<<22|(((i)<<DOUBLE)&1)<<21|(((i)<<DOUBLE)>>1)<<11|(m)<<16|(n)<<5|(d))
#define FMUL_E(d, n, m, i) WORD $(0x4f809000|DOUBLE<<22|(((i)<<DOUBLE)&1)<<21|(((i)<<DOUBLE)>>1)<<11|(m)<<16|(n)<<5|(d))
#define FCMGT(d, n, m) WORD $(0x6ea0e400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FCMGE(d, n, m) WORD $(0x6e20e400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define BIC_16B(d, n, m) WORD $(0x4e601c00|(m)<<16|(n)<<5|(d))
#define BIT_16B(d, n, m) WORD $(0x6ea01c00|(m)<<16|(n)<<5|(d))

#define ESHIFT (2+DOUBLE)
#define ESIZE (4<<DOUBLE)
#define LANES (4>>DOUBLE)
#define MANTISSA (23+29*DOUBLE) // bits of the mantissa
#define TABLE (2+DOUBLE)        // bits of an index into the table of 2^(j/4) (float64: 2^(j/8))

// LDE and LDE_P load one element into lane 0, with zeros in the other lanes. LDDUP_P loads one element into all
// lanes. LDE_P and LDDUP_P advance p.
#define LDE(p, f) FMOVE (p), f
#define LDE_P(p, f) FMOVE.P ESIZE(p), f
#define LDDUP_P(p, v) VLD1R.P ESIZE(p), [v.ARR]

#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// LDANY loads the first min(r, LANES) elements of a vector, and nothing if r ≤ 0. The register must
// be zero before the load. STANY stores the first min(r, LANES) elements.
#define LDANY(p, r, f, v, t) \
	CMP   $LANES, r; \
	BLT   3(PC); \
	FMOVQ (p), f; \
	B     (3+PARTLEN)(PC); \
	CMP   $0, r; \
	BLE   (1+PARTLEN)(PC); \
	LDPART(p, r, f, v, t)
#define STANY(f, v, p, r, t) \
	CMP   $LANES, r; \
	BLT   3(PC); \
	FMOVQ f, (p); \
	B     (3+PARTLEN)(PC); \
	CMP   $0, r; \
	BLE   (1+PARTLEN)(PC); \
	STPART(f, v, p, r, t)

// LDTAIL loads the next register of the tail, and STTAIL stores this register. The register may be
// full, partial or empty. The register rest contains the number of elements left. Both macros
// advance p and rest to the next register.
#define LDTAIL(p, f, v) \
	LDANY(p, rest, f, v, spare); \
	ADD $16, p; \
	SUB $LANES, rest
#define STTAIL(p, f, v) \
	STANY(f, v, p, rest, spare); \
	ADD $16, p; \
	SUB $LANES, rest

// LDTAIL4 loads the last elements of a vector into four registers, and STTAIL4 stores the last
// elements from V20–V23. Register last contains the number of these elements.
#define LDTAIL4(p, e, f, g, h, s, t, u, v) \
	MOVD last, rest; \
	LDTAIL(p, e, s); \
	LDTAIL(p, f, t); \
	LDTAIL(p, g, u); \
	LDTAIL(p, h, v)
#define STTAIL4(p) \
	MOVD last, rest; \
	STTAIL(p, F20, V20); \
	STTAIL(p, F21, V21); \
	STTAIL(p, F22, V22); \
	STTAIL(p, F23, V23)

// HORNER_4 computes V4–V7 = c + x·y, one step of Horner's scheme in four registers. HORNER_12 sets V12–V15.
#define HORNER_4(c, x0, x1, x2, x3, y0, y1, y2, y3) \
	FMOVQ c(consts), F4; \
	FMOVQ c(consts), F5; \
	FMOVQ c(consts), F6; \
	FMOVQ c(consts), F7; \
	FMLA(4, x0, y0); \
	FMLA(5, x1, y1); \
	FMLA(6, x2, y2); \
	FMLA(7, x3, y3)
#define HORNER_12(c, x0, x1, x2, x3, y0, y1, y2, y3) \
	FMOVQ c(consts), F12; \
	FMOVQ c(consts), F13; \
	FMOVQ c(consts), F14; \
	FMOVQ c(consts), F15; \
	FMLA(12, x0, y0); \
	FMLA(13, x1, y1); \
	FMLA(14, x2, y2); \
	FMLA(15, x3, y3)
