// The core of 2^y on AVX-512, as macros. ref.go of package exp defines what they compute;
// package distance, which fuses it into something else, has an identical copy of this
// file. The texts that use it define their type by type_amd64.h.
//
// In: y in any register, NaN and ±Inf included. Out: q = 2^y, +0 where y < −1022
// (−126), the bits of Ref2; +Inf where y ≥ 1023.9375 (127.875) takes the two steps
// in brackets. magic and table are registers with EXP2_MAGIC broadcast and with the
// 64 bytes at EXP2_TABLE.
//
//	EXP2_UNDER(y, keep)         opmask: not y < −1022
//	[EXP2_OVER(y, over)]        opmask: y ≥ 1023.9375
//	EXP2_SPLIT(y, t, f)         f ← y − k, t ← magic + k
//	EXP2_POWER(t, y)            t ← S = 2^k·E; y is scratch
//	EXP2_FIRST(y)               y ← q = 2^f/E − 1 by Horner steps: the first term;
//	EXP2_HIGH(y, f)                … down to C4, which is float32's first;
//	EXP2_STEP(EXP2_C3, y, f)       … down to C0
//	EXP2_LAST(y, t, keep)       y ← q·S + S, or 0
//	[EXP2_INFINITE(y, over)]    y ← +Inf
//
// The dependent chain is about 60 cycles long. EXP2_THREE(y0, y1, y2) takes three vectors
// in place, step by step, without the steps in brackets; it changes Z24–Z29 K1–K3.
// EXP2_ONE(y) takes one, with them, and changes Z24 Z27 K2 K4.

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

// f = y − k, t = magic + k
#define EXP2_SPLIT3(y0, y1, y2) \
	EXP2_UNDER(y0, K1); \
	EXP2_UNDER(y1, K2); \
	EXP2_UNDER(y2, K3); \
	EXP2_SPLIT(y0, Z24, Z27); \
	EXP2_SPLIT(y1, Z25, Z28); \
	EXP2_SPLIT(y2, Z26, Z29)

// S = 2^k·E, and the first term of q
#define EXP2_POWER3(y0, y1, y2) \
	EXP2_POWER(Z24, y0); \
	EXP2_POWER(Z25, y1); \
	EXP2_POWER(Z26, y2); \
	EXP2_FIRST(y0); \
	EXP2_FIRST(y1); \
	EXP2_FIRST(y2)

// the last terms of q, q·S + S
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

// Constants of ref.go and coef.go, polynomial highest degree first, by their offsets in
// exp2c; float32 lacks the first three. Its table is repeated: the index has four bits of
// which the last two count.
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

DATA exp2f64<>+0(SB)/8, $0xc08ff00000000000 // −1022
DATA exp2f64<>+8(SB)/8, $0x408fff8000000000 // 1024 − 2^−4
DATA exp2f64<>+16(SB)/8, $0x7ff0000000000000 // +Inf
DATA exp2f64<>+24(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA exp2f64<>+32(SB)/8, $0x3eeffb3fb1842f75
DATA exp2f64<>+40(SB)/8, $0x3f2430e52d41b726
DATA exp2f64<>+48(SB)/8, $0x3f55d87fee7145b0
DATA exp2f64<>+56(SB)/8, $0x3f83b2ab6eb3b29d
DATA exp2f64<>+64(SB)/8, $0x3fac6b08d69c1f54
DATA exp2f64<>+72(SB)/8, $0x3fcebfbdff11dcea
DATA exp2f64<>+80(SB)/8, $0x3fe62e42fea8c64b
DATA exp2f64<>+88(SB)/8, $0xbe0d60a3fd941ecc
DATA exp2f64<>+96(SB)/8, $0x408fff7f7fffffff // upper half: of the last below
DATA exp2f64<>+128(SB)/8, $0x3ff00000003ac148
DATA exp2f64<>+136(SB)/8, $0x3fef72b83cbd641d
DATA exp2f64<>+144(SB)/8, $0x3fef06fe0a779648
DATA exp2f64<>+152(SB)/8, $0x3feebfdad5825c48
DATA exp2f64<>+160(SB)/8, $0x3feea09e66d25362
DATA exp2f64<>+168(SB)/8, $0x3feeace542853daf
DATA exp2f64<>+176(SB)/8, $0x3feee89f99bda3ff
DATA exp2f64<>+184(SB)/8, $0x3fef5818dd67665c
GLOBL exp2f64<>(SB), RODATA|NOPTR, $192

DATA exp2f32<>+0(SB)/4, $0xc2fc0000 // −126
DATA exp2f32<>+4(SB)/4, $0x42ffc000 // 128 − 2^−3
DATA exp2f32<>+8(SB)/4, $0x7f800000 // +Inf
DATA exp2f32<>+12(SB)/4, $0x4a400000 // 1.5·2^21
DATA exp2f32<>+28(SB)/4, $0x3c1d8295
DATA exp2f32<>+32(SB)/4, $0x3d6364ea
DATA exp2f32<>+36(SB)/4, $0x3e75efce
DATA exp2f32<>+40(SB)/4, $0x3f3167e2
DATA exp2f32<>+44(SB)/4, $0xb96b92d3
DATA exp2f32<>+48(SB)/4, $0x42ffbfff // the last below
DATA exp2f32<>+64(SB)/4, $0x3f80075d
DATA exp2f32<>+68(SB)/4, $0x3f7840b2
DATA exp2f32<>+72(SB)/4, $0x3f750f5d
DATA exp2f32<>+76(SB)/4, $0x3f77515f
DATA exp2f32<>+80(SB)/4, $0x3f80075d
DATA exp2f32<>+84(SB)/4, $0x3f7840b2
DATA exp2f32<>+88(SB)/4, $0x3f750f5d
DATA exp2f32<>+92(SB)/4, $0x3f77515f
DATA exp2f32<>+96(SB)/4, $0x3f80075d
DATA exp2f32<>+100(SB)/4, $0x3f7840b2
DATA exp2f32<>+104(SB)/4, $0x3f750f5d
DATA exp2f32<>+108(SB)/4, $0x3f77515f
DATA exp2f32<>+112(SB)/4, $0x3f80075d
DATA exp2f32<>+116(SB)/4, $0x3f7840b2
DATA exp2f32<>+120(SB)/4, $0x3f750f5d
DATA exp2f32<>+124(SB)/4, $0x3f77515f
GLOBL exp2f32<>(SB), RODATA|NOPTR, $128
