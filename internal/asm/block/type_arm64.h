// Macros that depend on the types, for the kernels of this folder. The including file defines F64 or F32, the
// type of matrix and vectors, or MIXED for a float32 matrix with float64 vectors, and includes
// this file before the kernels.

#ifdef DOUBLE
#undef DOUBLE
#undef KSHIFT
#undef KSTEP
#undef WIDENED
#undef TAKE
#undef SPREAD2
#undef LDROWS
#undef STROWS_P
#undef OP_ROWS
#undef FOLD_ROWS
#endif

#ifdef F32
#define DOUBLE 0

// SPREAD2 broadcasts the two elements at p+at to registers a and b.
#define SPREAD2(a, b) \
	ADD   at, p; \
	FMOVD (p), F20; \
	DUP_E(a, 20, 0); \
	DUP_E(b, 20, 1)

// LDROWS loads four numbers, one for each row, into register f; g is not used. STROWS_P stores the
// four numbers, and OP_ROWS applies op to the four numbers.
#define LDROWS(p, f, g) FMOVQ (p), f
#define STROWS_P(f, g, p) FMOVQ.P f, 16(p)
#define OP_ROWS(op, d, e, n, o, m, p) op(d, n, m)

// FOLD_ROWS folds the four lanes of registers a, b, c and d: lanes 0 and 1 plus lanes 2 and 3, then lane 0 plus
// lane 1. Register r holds the four sums, one for each row. The macro changes s and c.
#define FOLD_ROWS(r, s, a, b, c, d) \
	TRN1_2D(r, a, b); \
	TRN2_2D(s, a, b); \
	FADD(r, r, s); \
	TRN1_2D(s, c, d); \
	TRN2_2D(c, c, d); \
	FADD(s, s, c); \
	FADDP(r, r, s)
#else
#define DOUBLE 1

// The float64 macros do the same as the float32 macros. Four float64 numbers need two registers, and
// FOLD_ROWS adds only lane 0 and lane 1.
#define SPREAD2(a, b) \
	ADD   at, p; \
	FMOVQ (p), F20; \
	DUP_E(a, 20, 0); \
	DUP_E(b, 20, 1)
#define LDROWS(p, f, g) FLDPQ (p), (f, g)
#define STROWS_P(f, g, p) FSTPQ.P (f, g), 32(p)
#define OP_ROWS(op, d, e, n, o, m, p) \
	op(d, n, m); \
	op(e, o, p)
#define FOLD_ROWS(r, s, a, b, c, d) \
	FADDP(r, a, b); \
	FADDP(s, c, d)
#endif

// TAKE loads the elements of k that belong to 32 bytes of a vector from p into registers f and g.
// TAKE advances p by the byte count by. n and m are the register numbers of f and g.
#ifdef MIXED
#define KSHIFT 2
#define KSTEP 32
#define WIDENED 1
#define TAKE(p, by, f, g, n, m) \
	FMOVQ.P by(p), f; \
	FCVTL2_2D(m, n); \
	FCVTL_2D(n, n)
#else
#define KSHIFT ESHIFT
#define KSTEP 64
#define WIDENED 0
#define TAKE(p, by, f, g, n, m) FLDPQ.P by(p), (f, g)
#endif
