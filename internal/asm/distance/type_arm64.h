// Macros that depend on the type. A register has four elements of float32 or two of float64. The
// including file defines F64 or F32 and includes this file before each kernel.

#ifdef DOUBLE
#undef DOUBLE
#undef FMOVE
#undef ARR
#undef OF_TYPE
#undef PARTLEN
#undef LDPART
#undef STPART
#undef LOOKUP_CONSTS
#undef LOOKUP
#undef ONLY_F64
#undef ONLY_F32
#endif

#ifdef F32
#define DOUBLE 0
#define FMOVE FMOVS // moves one element
#define ARR S4      // arrangement of a register
#define OF_TYPE(f32, f64) f32

// LDPART loads the first e elements of a vector, 0 < e < LANES, and sets the other lanes to zero. STPART stores the
// first e elements. Both change t. f and v are the two names of one register.
#define PARTLEN 7 // number of instructions in LDPART and in STPART
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

// LOOKUP sets each lane of vs to one of four table entries, selected by the last two bits of the same lane of vt. fs is
// the other name of vs. V25 contains the table. LOOKUP copies the lowest byte of each lane of vt to all bytes of the
// lane of u; V24 contains the positions of these lowest bytes. Then LOOKUP computes the position of each result byte in
// the table: 4 times the index of the entry, plus the number of the byte in the lane.
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
#define OF_TYPE(f32, f64) f64
#define PARTLEN 1
#define LDPART(p, e, f, v, t) FMOVD (p), f
#define STPART(f, v, p, e, t) FMOVD f, (p)

// LOOKUP sets each lane of vs to one of eight table entries, selected by the last three bits of the same lane of vt, one
// lane at a time. fs and ft are the other names of vs and vt. LOOKUP changes bit0 and bit1.
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
