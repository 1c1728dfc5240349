// The core of 2^y on AVX-512, as macros. exp2Ref in ref.go of package exp is the Go reference
// implementation; package distance includes this file for its Gibbs kernel. Including files define
// their type with type_amd64.h. Numbers in parentheses are for float32.
//
// Input: y in any register, NaN and ±Inf included. Output: q = 2^y, or +0 where y < −1022
// (−126), with the bits of exp2Ref. The two steps in brackets are needed for y ≥ 1023.9375
// (127.875), where q is +Inf. Register magic holds EXP2_MAGIC in all lanes, and register
// table the 64 bytes at EXP2_TABLE.
//
//	EXP2_UNDER(y, keep)         opmask: not y < −1022
//	[EXP2_OVER(y, over)]        opmask: y ≥ 1023.9375
//	EXP2_SPLIT(y, t, f)         f ← y − k, t ← magic + k
//	EXP2_POWER(t, y)            t ← S = 2^k·E; y is scratch
//	EXP2_FIRST(y)               y ← q = 2^f/E − 1 by Horner steps: the first coefficient, C7 (C4),
//	EXP2_HIGH(y, f)               the steps C6 to C4 (none),
//	EXP2_STEP(EXP2_C3, y, f)      and a step for each of C3 to C0
//	EXP2_LAST(y, t, keep)       y ← q·S + S, or 0
//	[EXP2_INFINITE(y, over)]    y ← +Inf
//
// The dependent chain takes about 60 cycles. EXP2_THREE(y0, y1, y2) replaces three vectors by
// their powers with interleaved steps, but without the steps in brackets. It changes Z24–Z29
// and K1–K3. EXP2_ONE(y) replaces one vector with all steps. It changes Z24, Z27, K2 and K4.

#define EXP2_UNDER(y, keep) compare.BCST $0x15, exp2c+EXP2_LEAST(SB), y, keep

#define EXP2_OVER(y, over) compare.BCST $0x1d, exp2c+EXP2_ABOVE(SB), y, over

#define EXP2_SPLIT(y, t, f) \
	add magic, y, t; \
	sub magic, t, f; \
	sub f, y, f

#define EXP2_POWER(t, s) \
	permute   table, t, s;       \
	shiftleft $indexshift, t, t; \
	addbits   s, t, t

#define EXP2_FIRST(q) bcast exp2c+EXP2_TOP(SB), q

#define EXP2_STEP(name, q, f) fma213.BCST exp2c+name(SB), f, q

#define EXP2_STEP3(name, q0, q1, q2) \
	EXP2_STEP(name, q0, Z27); \
	EXP2_STEP(name, q1, Z28); \
	EXP2_STEP(name, q2, Z29)

#define EXP2_HIGH(q, f) \
	onlyf64(EXP2_STEP(EXP2_C6, q, f)); \
	onlyf64(EXP2_STEP(EXP2_C5, q, f)); \
	onlyf64(EXP2_STEP(EXP2_C4, q, f))

#define EXP2_HIGH3(q0, q1, q2) \
	onlyf64(EXP2_STEP3(EXP2_C6, q0, q1, q2)); \
	onlyf64(EXP2_STEP3(EXP2_C5, q0, q1, q2)); \
	onlyf64(EXP2_STEP3(EXP2_C4, q0, q1, q2))

#define EXP2_LAST(q, s, keep) fma213.Z s, s, keep, q

#define EXP2_INFINITE(q, over) bcast exp2c+EXP2_INF(SB), over, q

// EXP2_SPLIT3 sets f = y − k and t = magic + k.
#define EXP2_SPLIT3(y0, y1, y2) \
	EXP2_UNDER(y0, K1); \
	EXP2_UNDER(y1, K2); \
	EXP2_UNDER(y2, K3); \
	EXP2_SPLIT(y0, Z24, Z27); \
	EXP2_SPLIT(y1, Z25, Z28); \
	EXP2_SPLIT(y2, Z26, Z29)

// EXP2_POWER3 sets S = 2^k·E, and q to the first coefficient.
#define EXP2_POWER3(y0, y1, y2) \
	EXP2_POWER(Z24, y0); \
	EXP2_POWER(Z25, y1); \
	EXP2_POWER(Z26, y2); \
	EXP2_FIRST(y0); \
	EXP2_FIRST(y1); \
	EXP2_FIRST(y2)

// EXP2_LOW3 computes the last Horner steps of q, then q·S + S.
#define EXP2_LOW3(y0, y1, y2) \
	EXP2_STEP3(EXP2_C3, y0, y1, y2); \
	EXP2_STEP3(EXP2_C2, y0, y1, y2); \
	EXP2_STEP3(EXP2_C1, y0, y1, y2); \
	EXP2_STEP3(EXP2_C0, y0, y1, y2); \
	EXP2_LAST(y0, Z24, K1); \
	EXP2_LAST(y1, Z25, K2); \
	EXP2_LAST(y2, Z26, K3)

#define EXP2_THREE(y0, y1, y2) \
	EXP2_SPLIT3(y0, y1, y2); \
	EXP2_POWER3(y0, y1, y2); \
	EXP2_HIGH3(y0, y1, y2); \
	EXP2_LOW3(y0, y1, y2)

#define EXP2_LOW(y) \
	EXP2_STEP(EXP2_C3, y, Z27); \
	EXP2_STEP(EXP2_C2, y, Z27); \
	EXP2_STEP(EXP2_C1, y, Z27); \
	EXP2_STEP(EXP2_C0, y, Z27); \
	EXP2_LAST(y, Z24, K2); \
	EXP2_INFINITE(y, K4)

#define EXP2_ONE(y) \
	EXP2_UNDER(y, K2); \
	EXP2_OVER(y, K4); \
	EXP2_SPLIT(y, Z24, Z27); \
	EXP2_POWER(Z24, y); \
	EXP2_FIRST(y); \
	EXP2_HIGH(y, Z27); \
	EXP2_LOW(y)

// Offsets in exp2c of the constants of ref.go and coef.go; the coefficients begin with the highest degree. exp2c is
// EXP2_F64 or EXP2_F32, which exp_avx512_amd64.s of package exp defines. float32 has no C7, C6 and C5. Its table of four
// entries is stored four times, because permute uses four bits of an index of two bits.
#define EXP2_F64 github·com∕gomonge∕monge∕internal∕asm∕exp·exp2f64AVX512
#define EXP2_F32 github·com∕gomonge∕monge∕internal∕asm∕exp·exp2f32AVX512
#define EXP2_LEAST 0*size
#define EXP2_ABOVE 1*size
#define EXP2_INF 2*size
#define EXP2_MAGIC 3*size
#define EXP2_C7 4*size
#define EXP2_C6 5*size
#define EXP2_C5 6*size
#define EXP2_C4 7*size
#define EXP2_C3 8*size
#define EXP2_C2 9*size
#define EXP2_C1 10*size
#define EXP2_C0 11*size
#define EXP2_FAST 12*size
#define EXP2_TABLE 16*size
