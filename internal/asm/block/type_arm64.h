// What the texts of this folder say of the types. The including file defines F64 or F32, the
// type of matrix and vectors, or MIXED, a float32 matrix with float64 vectors, and includes
// this before the texts of each.

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

// SPREAD2 sets registers a and b to the two elements of p from place at on.
#define SPREAD2(a, b) \
	ADD   at, p; \
	FMOVD (p), F20; \
	DUP_E(a, 20, 0); \
	DUP_E(b, 20, 1)

// Four numbers, one to a row: one register, the other is not used.
#define LDROWS(p, f, g) FMOVQ (p), f
#define STROWS_P(f, g, p) FMOVQ.P f, 16(p)
#define OP_ROWS(op, d, e, n, o, m, p) op(d, n, m)

// The last folds, lanes 0 1 + lanes 2 3, then lane 0 + lane 1: of the registers
// a b c d into the numbers of four rows (register r; s is spoiled).
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

// The same, of two elements, of four numbers in two registers and of the last fold.
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

// TAKE loads the elements of k for 32 bytes of a vector from p, into f and g, numbers n and m,
// and moves p by so many bytes.
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
