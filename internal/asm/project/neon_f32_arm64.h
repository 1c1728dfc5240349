// What differs between the types: here float32, four to a register. It comes first in a
// file; neon_f64_arm64.h then changes to float64.

#define DOUBLE 0
#define FMOVE FMOVS // one element

// The first e elements of a vector, 0 < e < LANES; the other lanes become zero. t is
// spoiled. f and v name the same register.
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

// Four numbers, one to a row: one register, the other is not used.
#define LDROWS(p, f, g) FMOVQ (p), f
