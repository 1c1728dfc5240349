// neon_f32_arm64.h for float64, two to a register. It comes after that header.

#undef DOUBLE
#define DOUBLE 1
#undef FMOVE
#define FMOVE FMOVD
#undef ARR
#define ARR D2

#undef LDPART
#define LDPART(p, e, f, v, t) FMOVD (p), f
#undef STPART
#define STPART(f, v, p, e, t) FMOVD f, (p)

// Four numbers, one to a row: two registers.
#undef LDROWS
#define LDROWS(p, f, g) FLDPQ (p), (f, g)
#undef STROWS_P
#define STROWS_P(f, g, p) FSTPQ.P (f, g), 32(p)
#undef OP_ROWS
#define OP_ROWS(op, d, e, n, o, m, p) \
	op(d, n, m); \
	op(e, o, p)

// The last fold, lane 0 + lane 1.
#undef FOLD_ROWS
#define FOLD_ROWS(r, s, a, b, c, d) \
	FADDP(r, a, b); \
	FADDP(s, c, d)
#undef FOLD_ROW
#define FOLD_ROW(d, a) FADDP(d, a, a)
