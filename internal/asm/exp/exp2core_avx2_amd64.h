// The core of 2^y on AVX2, as macros. exp2Ref in ref.go of package exp is the Go reference
// implementation; package distance includes this file for its Gibbs kernel. Including files define
// their type with type_amd64.h. Numbers in parentheses are for float32.
//
// Input: y in any register, below 1023.9375 (127.875), or NaN. A larger y also needs
// EXP2_OVER, which sets q to +Inf. Output: q = 2^y, or +0 where y < −1022 (−126), with the
// bits of exp2Ref. The registers magic and least hold these constants.
//
//	EXP2_CONST(EXP2_MAGIC, magic)    broadcast a constant
//	EXP2_CONST(EXP2_LEAST, least)
//
//	EXP2_SPLIT(y, t, u, k)       y ← f, t ← magic + k, u ← ones where y < least
//	EXP2_LOOKUP(t, u, i, j)      t ← S = 2^k·E, or +0 where u is set
//	EXP2_CONST(EXP2_TOP, q)      q ← 2^f/E − 1 by Horner steps: the first coefficient, C7 (C4),
//	EXP2_HIGH(c, q, y)             the steps C6 to C4 (none),
//	EXP2_STEP(EXP2_C3, c, q, y)    and a step for each of C3 to C0
//	EXP2_LAST(q, t)              q ← q·S + S
//
// y, t and u, and later y, t and q, contain values between the steps. k, i, j and c are
// scratch, and may be the same register, except that i ≠ j (float32 ignores j). The dependent
// chain takes about 60 cycles, so the steps of at least two vectors should be interleaved.
//
// A partial vector needs no mask before the store: lanes that a masked load sets to zero
// are harmless.

// EXP2_OVER sets q to +Inf where the original y is at least 1023.9375 (127.875).
#define EXP2_OVER(y, q, c, u) \
	EXP2_CONST(EXP2_ABOVE, c); \
	compare $0x1d, c, y, u;  \
	EXP2_CONST(EXP2_INF, c); \
	blend   u, c, q, q

#define EXP2_CONST(name, c) bcast exp2c+name(SB), c

// If y is NaN, max returns its first operand, which is y here.
#define EXP2_SPLIT(y, t, u, k) \
	compare $0x11, least, y, u; \
	max     y, least, y;        \
	add     magic, y, t;        \
	sub     magic, t, k;        \
	sub     k, y, y

#define EXP2_STEP(name, c, q, f) \
	EXP2_CONST(name, c); \
	fma213 c, f, q

#define EXP2_STEP2(name, c, q0, f0, q1, f1) \
	EXP2_CONST(name, c); \
	fma213 c, f0, q0; \
	fma213 c, f1, q1

#define EXP2_STEP4(name, c, q0, f0, q1, f1, q2, f2, q3, f3) \
	EXP2_CONST(name, c); \
	fma213 c, f0, q0; \
	fma213 c, f1, q1; \
	fma213 c, f2, q2; \
	fma213 c, f3, q3

#define EXP2_LAST(q, s) fma213 s, s, q

// EXP2_LOOKUP_F64 looks up the lower and the upper 32 bits of the eight table entries separately. The index, the last
// three bits of t, must be in both halves of a lane.
#define EXP2_LOOKUP_F64(t, u, i, j) \
	VPSHUFD  $0xa0, t, i;                      \
	VPERMPS  exp2c+EXP2_TABLELO(SB), t, j; \
	VPERMPS  exp2c+EXP2_TABLEHI(SB), i, i; \
	VPBLENDD $0x55, j, i, i;                   \
	VPSLLQ   $indexshift, t, t;                \
	VPADDQ   i, t, t;                          \
	VANDNPD  t, u, t

#define EXP2_LOOKUP_F32(t, u, i, j) \
	VBROADCASTF128 exp2c+EXP2_TABLE(SB), i; \
	VPERMILPS      t, i, i;                     \
	VPSLLD         $indexshift, t, t;           \
	VPADDD         i, t, t;                     \
	VANDNPS        t, u, t

#define EXP2_HIGH(c, q, f) \
	onlyf64(EXP2_STEP(EXP2_C6, c, q, f)); \
	onlyf64(EXP2_STEP(EXP2_C5, c, q, f)); \
	onlyf64(EXP2_STEP(EXP2_C4, c, q, f))

#define EXP2_HIGH2(c) \
	onlyf64(EXP2_STEP2(EXP2_C6, c, Y8, Y0, Y9, Y1)); \
	onlyf64(EXP2_STEP2(EXP2_C5, c, Y8, Y0, Y9, Y1)); \
	onlyf64(EXP2_STEP2(EXP2_C4, c, Y8, Y0, Y9, Y1))

#define EXP2_HIGH4(c) \
	onlyf64(EXP2_STEP4(EXP2_C6, c, Y8, Y0, Y9, Y1, Y10, Y2, Y11, Y3)); \
	onlyf64(EXP2_STEP4(EXP2_C5, c, Y8, Y0, Y9, Y1, Y10, Y2, Y11, Y3)); \
	onlyf64(EXP2_STEP4(EXP2_C4, c, Y8, Y0, Y9, Y1, Y10, Y2, Y11, Y3))

// EXP2_UPPER2, followed by EXP2_LOWER2, sets Y8 and Y9 to 2^f/E − 1 for f in Y0 and Y1. c is scratch.
#define EXP2_UPPER2(c) \
	EXP2_CONST(EXP2_TOP, Y8); \
	copy Y8, Y9; \
	EXP2_HIGH2(c)

#define EXP2_LOWER2(c) \
	EXP2_STEP2(EXP2_C3, c, Y8, Y0, Y9, Y1); \
	EXP2_STEP2(EXP2_C2, c, Y8, Y0, Y9, Y1); \
	EXP2_STEP2(EXP2_C1, c, Y8, Y0, Y9, Y1); \
	EXP2_STEP2(EXP2_C0, c, Y8, Y0, Y9, Y1)

// EXP2_UPPER4, followed by EXP2_LOWER4, sets Y8–Y11 to 2^f/E − 1 for f in Y0–Y3. c is scratch.
#define EXP2_UPPER4(c) \
	EXP2_CONST(EXP2_TOP, Y8); \
	copy Y8, Y9;  \
	copy Y8, Y10; \
	copy Y8, Y11; \
	EXP2_HIGH4(c)

#define EXP2_LOWER4(c) \
	EXP2_STEP4(EXP2_C3, c, Y8, Y0, Y9, Y1, Y10, Y2, Y11, Y3); \
	EXP2_STEP4(EXP2_C2, c, Y8, Y0, Y9, Y1, Y10, Y2, Y11, Y3); \
	EXP2_STEP4(EXP2_C1, c, Y8, Y0, Y9, Y1, Y10, Y2, Y11, Y3); \
	EXP2_STEP4(EXP2_C0, c, Y8, Y0, Y9, Y1, Y10, Y2, Y11, Y3)

// Offsets in exp2c of the constants of ref.go and coef.go; the coefficients begin with the highest degree. exp2c is
// EXP2_F64 or EXP2_F32, which exp_avx2_amd64.s of package exp defines. float32 has no C7, C6 and C5.
#define EXP2_F64 github·com∕gomonge∕monge∕internal∕asm∕exp·exp2f64AVX2
#define EXP2_F32 github·com∕gomonge∕monge∕internal∕asm∕exp·exp2f32AVX2
#define EXP2_MAGIC 0*size
#define EXP2_LEAST 1*size
#define EXP2_ABOVE 2*size
#define EXP2_INF 3*size
#define EXP2_C7 4*size
#define EXP2_C6 5*size
#define EXP2_C5 6*size
#define EXP2_C4 7*size
#define EXP2_C3 8*size
#define EXP2_C2 9*size
#define EXP2_C1 10*size
#define EXP2_C0 11*size
#define EXP2_FAST 12*size
#define EXP2_TABLE 24*size
#define EXP2_TABLELO 16*size
#define EXP2_TABLEHI 20*size
