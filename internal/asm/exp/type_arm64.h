// Macros that depend on the type, with four or two elements in a register. The
// including file defines F64 or F32 and includes this file before each kernel.

#ifdef DOUBLE
#undef DOUBLE
#undef FMOVE
#undef ARR
#undef LANE
#undef FNEG
#undef OF_TYPE
#undef PARTLEN
#undef LDPART
#undef STPART
#undef FOLD_ROW
#undef FOLD_MAX
#undef LOOKUP_CONSTS
#undef LOOKUP
#undef ONLY_F64
#undef ONLY_F32
#endif

#ifdef F32
#define DOUBLE 0
#define FMOVE FMOVS // moves one element
#define ARR S4      // arrangement of a register
#define LANE S      // a lane of a register
#define FNEG FNEGS
#define OF_TYPE(f32, f64) f32

// Loads the first e elements of a vector, 0 < e < LANES; the other lanes become zero. Changes
// t. f and v name the same register.
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

// FOLD_ROW adds lanes 2 and 3 of register a to lanes 0 and 1, and then lane 1 to lane 0 of d.
// FOLD_MAX sets lane 0 of register a to the maximum of its lanes, and changes t.
#define FOLD_ROW(d, a) \
	TRN2_2D(d, a, a); \
	FADD(d, d, a); \
	FADDP(d, d, d)
#define FOLD_MAX(a, t) \
	TRN2_2D(t, a, a); \
	FMAXNM(a, a, t); \
	DUP_E(t, a, 1); \
	FMAXNM(a, a, t)

// LOOKUP sets each lane of s to one of four entries, selected by the last two bits of the lane of t. s is
// register fs vs; the table is in V25. It copies the index to all bytes of its lane (V24
// holds the position of the byte) and computes 4·index plus the number of the byte. Changes
// u.
#define LOOKUP_CONSTS \
	FMOVQ 16(consts), F24; \
	FMOVQ (consts), F25
#define LOOKUP(ft, vt, fs, vs, u) \
	VTBL  V24.B16, [vt.B16], u.B16; \
	VSHL  $6, u.B16, u.B16; \
	FMOVQ 32(consts), fs; \
	VUSRA $4, u.B16, vs.B16; \
	VTBL  vs.B16, [V25.B16], vs.B16
#define ONLY_F64(text)
#define ONLY_F32(text) text
#endif

#ifdef F64
#define DOUBLE 1
#define FMOVE FMOVD
#define ARR D2
#define LANE D
#define FNEG FNEGD
#define OF_TYPE(f32, f64) f64
#define PARTLEN 1
#define LDPART(p, e, f, v, t) FMOVD (p), f
#define STPART(f, v, p, e, t) FMOVD f, (p)
#define FOLD_ROW(d, a) FADDP(d, a, a)
#define FOLD_MAX(a, t) \
	TRN2_2D(t, a, a); \
	FMAXNM(a, a, t)

// LOOKUP sets each lane of s to one of eight entries, selected by the last three bits of the lane of t (register ft vt),
// one element at a time. Changes bit0 and bit1.
#define LOOKUP_CONSTS
#define LOOKUP(ft, vt, fs, vs, u) \
	FMOVD ft, bit0; \
	VMOV  vt.D[1], bit1; \
	UBFIZ $3, bit0, $3, bit0; \
	UBFIZ $3, bit1, $3, bit1; \
	FMOVD (consts)(bit0), fs; \
	ADD   consts, bit1, bit1; \
	VLD1  (bit1), vs.D[1]
#define ONLY_F64(text) text
#define ONLY_F32(text)
#endif
