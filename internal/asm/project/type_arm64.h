// Macros that depend on the type. A register has four elements of float32 or two of float64. The
// including file defines F64 or F32 and includes this file before each kernel.

#ifdef DOUBLE
#undef DOUBLE
#undef FMOVE
#undef LDPART
#undef STPART
#undef LDROWS
#endif

#ifdef F32
#define DOUBLE 0
#define FMOVE FMOVS // moves one element

// LDPART loads the first e elements at p, 0 < e < LANES, and sets all other lanes to zero. STPART stores the first e
// lanes. The names f and v are the same register. The macros overwrite t.
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

// LDROWS loads four numbers, one for each row, into register f. Register g is not used.
#define LDROWS(p, f, g) FMOVQ (p), f
#endif

#ifdef F64
#define DOUBLE 1
#define FMOVE FMOVD
#define LDPART(p, e, f, v, t) FMOVD (p), f
#define STPART(f, v, p, e, t) FMOVD f, (p)

// LDROWS loads four numbers, one for each row, into registers f and g.
#define LDROWS(p, f, g) FLDPQ (p), (f, g)
#endif
