// neon_f32_arm64.h for float64, two to a register. It comes after that header.

#define F64
#undef DOUBLE
#define DOUBLE 1
#undef FMOVE
#define FMOVE FMOVD
#undef ARR
#define ARR D2
#undef LANE
#define LANE D
#undef FNEG
#define FNEG FNEGD
#undef OF_TYPE
#define OF_TYPE(f32, f64) f64

#undef PARTLEN
#define PARTLEN 1
#undef LDPART
#define LDPART(p, e, f, v, t) FMOVD (p), f
#undef STPART
#define STPART(f, v, p, e, t) FMOVD f, (p)

#undef FOLD_ROW
#define FOLD_ROW(d, a) FADDP(d, a, a)
#undef FOLD_MAX
#define FOLD_MAX(a, t) \
	TRN2_2D(t, a, a); \
	FMAXNM(a, a, t)

// The entry of the eight that the last three bits of each lane of t (register ft vt)
// name, into s: element by element; bit0 and bit1 are spoiled.
#undef LOOKUP_CONSTS
#define LOOKUP_CONSTS
#undef LOOKUP
#define LOOKUP(ft, vt, fs, vs, u) \
	FMOVD ft, bit0; \
	VMOV  vt.D[1], bit1; \
	UBFIZ $3, bit0, $3, bit0; \
	UBFIZ $3, bit1, $3, bit1; \
	FMOVD (consts)(bit0), fs; \
	ADD   consts, bit1, bit1; \
	VLD1  (bit1), vs.D[1]
