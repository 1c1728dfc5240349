// Macros that depend on the type. A register has four elements of float32 or two of float64. The
// including file defines F64 or F32 and includes this file before each kernel.

#ifdef DOUBLE
#undef DOUBLE
#undef FMOVE
#undef ARR
#undef LDPART
#undef STPART
#undef LDROWS
#undef STROWS_P
#undef OP_ROWS
#undef FOLD_ROWS
#undef FOLD_ROW
#endif

#ifdef F32
#define DOUBLE 0
#define FMOVE FMOVS // moves one element
#define ARR S4      // arrangement of a register

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

// LDROWS loads four numbers, one for each row, into register f. Register g is not used. STROWS_P stores the
// four numbers and advances p. OP_ROWS applies op to the numbers.
#define LDROWS(p, f, g) FMOVQ (p), f
#define STROWS_P(f, g, p) FMOVQ.P f, 16(p)
#define OP_ROWS(op, d, e, n, o, m, p) op(d, n, m)

// FOLD_ROWS folds the four lanes of registers a, b, c and d: lanes 0 and 1 plus lanes 2 and 3, then lane 0 plus
// lane 1. Register r holds the four sums, one for each row. The macro changes s and c. FOLD_ROW folds the lanes of a,
// and leaves the sum in lane 0 of d.
#define FOLD_ROWS(r, s, a, b, c, d) \
	TRN1_2D(r, a, b); \
	TRN2_2D(s, a, b); \
	FADD(r, r, s); \
	TRN1_2D(s, c, d); \
	TRN2_2D(c, c, d); \
	FADD(s, s, c); \
	FADDP(r, r, s)
#define FOLD_ROW(d, a) \
	TRN2_2D(d, a, a); \
	FADD(d, d, a); \
	FADDP(d, d, d)
#endif

#ifdef F64
#define DOUBLE 1
#define FMOVE FMOVD
#define ARR D2
#define LDPART(p, e, f, v, t) FMOVD (p), f
#define STPART(f, v, p, e, t) FMOVD f, (p)

// The ROWS macros for float64 have the four numbers of the rows in two registers.
#define LDROWS(p, f, g) FLDPQ (p), (f, g)
#define STROWS_P(f, g, p) FSTPQ.P (f, g), 32(p)
#define OP_ROWS(op, d, e, n, o, m, p) \
	op(d, n, m); \
	op(e, o, p)

// For float64, FOLD_ROWS and FOLD_ROW add lanes 0 and 1.
#define FOLD_ROWS(r, s, a, b, c, d) \
	FADDP(r, a, b); \
	FADDP(s, c, d)
#define FOLD_ROW(d, a) FADDP(d, a, a)
#endif
