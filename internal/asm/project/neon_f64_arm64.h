// neon_f32_arm64.h for float64, two to a register. It comes after that header.

#undef DOUBLE
#define DOUBLE 1
#undef FMOVE
#define FMOVE FMOVD

#undef LDPART
#define LDPART(p, e, f, v, t) FMOVD (p), f
#undef STPART
#define STPART(f, v, p, e, t) FMOVD f, (p)

// Four numbers, one to a row: two registers.
#undef LDROWS
#define LDROWS(p, f, g) FLDPQ (p), (f, g)
