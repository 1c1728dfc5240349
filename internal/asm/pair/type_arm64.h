// Macros that depend on the type. A register has four elements of float32 or two of float64. The including file
// defines F64 or F32 and includes this file before each kernel.

#ifdef DOUBLE
#undef DOUBLE
#undef group
#undef FMOVE
#undef MINUSZERO
#undef LDREST
#undef LASTFOLD
#endif

#ifdef F32
#define DOUBLE 0
#define group 64
#define FMOVE FMOVS // one element

// MINUSZERO sets all lanes of V1 to −0 and overwrites R4.
#define MINUSZERO \
	MOVD $(1<<31), R4; \
	VDUP R4, V1.S4

// LDREST loads the first R5 elements at p, 0 < R5 < LANES, into v. The other lanes keep their values. The macro
// overwrites R4.
#define LDREST(p, v) \
	TBZ  $1, R5, 6(PC); \
	VLD1 (p), v.D[0]; \
	TBZ  $0, R5, 5(PC); \
	ADD  $8, p, R4; \
	VLD1 (R4), v.S[2]; \
	B    2(PC); \
	VLD1 (p), v.S[0]

// LASTFOLD adds lanes 2 and 3 of r to lanes 0 and 1 and overwrites s.
#define LASTFOLD(r, s) \
	TRN2_2D(s, r, r); \
	FADD(r, r, s);
#endif

#ifdef F64
#define DOUBLE 1
#define group 32
#define FMOVE FMOVD
#define MINUSZERO \
	MOVD $(1<<63), R4; \
	VDUP R4, V1.D2
#define LDREST(p, v) VLD1 (p), v.D[0]
#define LASTFOLD(r, s)
#endif
