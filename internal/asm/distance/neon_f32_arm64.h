// What differs between the types: here float32, four to a register. It comes first in a
// file; neon_f64_arm64.h then changes to float64.

#define DOUBLE 0
#define FMOVE FMOVS // one element
#define ARR S4      // the arrangement of a register
#define OF_TYPE(f32, f64) f32

// The first e elements of a vector, 0 < e < LANES; the other lanes become zero. t is
// spoiled. f and v name the same register.
#define PARTLEN 7 // instructions
#define LDPART(p, e, f, v, t) \
	TBZ  $1, e, 6(PC); \
	FMOVD (p), f; \
	TBZ  $0, e, 5(PC); \
	ADD  $8, p, t; \
	VLD1 (t), v.S[2]; \
	B    2(PC); \
	FMOVS (p), f
#define STPART(f, v, p, e, t) \
	TBZ  $1, e, 6(PC); \
	FMOVD f, (p); \
	TBZ  $0, e, 5(PC); \
	ADD  $8, p, t; \
	VST1 v.S[2], (t); \
	B    2(PC); \
	FMOVS f, (p)

// LOOKUP: the entry of the four that the last two bits of each lane of t name, into s
// (register fs vs), from the table in V25: the index into all bytes of its lane (V24
// says which byte that is), two bits of it times 4 plus the number of the byte. u is
// spoiled.
#define LOOKUP_CONSTS \
	FMOVQ 16(consts), F24; \
	FMOVQ (consts), F25
#define LOOKUP(ft, vt, fs, vs, u) \
	VTBL  V24.B16, [vt.B16], u.B16; \
	VSHL  $6, u.B16, u.B16; \
	FMOVQ 32(consts), fs; \
	VUSRA $4, u.B16, vs.B16; \
	VTBL  vs.B16, [V25.B16], vs.B16
