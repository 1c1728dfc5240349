// The core of 2^y on AVX2, as macros. ref.go of package exp defines what they compute;
// package distance, which fuses it into something else, has an identical copy of this
// file. The texts that use it define their type by type_amd64.h.
//
// In: y in any register, NaN and −Inf included, below 1023.9375 (127.875): the
// core does not make +Inf above, see EXP2_OVER. Out: q = 2^y, +0 where y < −1022
// (−126), the bits of Ref2. magic and least are registers with these constants.
//
//	EXP2_CONST(EXP2_MAGIC, magic)    broadcast a constant
//	EXP2_CONST(EXP2_LEAST, least)
//
//	EXP2_SPLIT(y, t, u, k)       y ← f, t ← magic + k, u ← ones where y < least
//	EXP2_LOOKUP(t, u, i, j)      t ← S = 2^k·E, or +0 where u is set
//	EXP2_CONST(EXP2_TOP, q)      q ← 2^f/E − 1 by Horner steps: the first term;
//	EXP2_HIGH(c, q, y)              … down to C4, which is float32's first;
//	EXP2_STEP(EXP2_C3, c, q, y)     … down to C0
//	EXP2_LAST(q, t)              q ← q·S + S
//
// Live from one step to the next are y, t, u, then y, t, q; k, i, j and c are
// scratch and can be one register but for i ≠ j (float32 takes no j). The dependent
// chain is about 60 cycles long: take at least two vectors at a time, step by step.
// EXP2_PAIR and EXP2_QUAD do.
//
// A short step needs no mask before the store: lanes of zeros, as masked loads
// leave them, are harmless.

// EXP2_OVER sets q to +Inf where y, the original, is 1023.9375 (127.875) or more.
#define EXP2_OVER(y, q, c, u) \
	EXP2_CONST(EXP2_ABOVE, c); \
	compare $0x1d, c, y, u;  \
	EXP2_CONST(EXP2_INF, c); \
	blend   u, c, q, q

#define EXP2_CONST(name, c) bcast exp2c+name(SB), c

// Of a NaN and a number the maximum is the first operand, y.
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

// EXP2_LOOKUP, of float64: the eight entries of 64 bits are looked up as two times eight
// of 32; both halves need the index, the last three bits of t, in their own 32 bits.
#define EXP2_LOOKUP_F64(t, u, i, j) \
	VPSHUFD  $0xa0, t, i;                      \
	VPERMPS  exp2f64<>+EXP2_TABLELO(SB), t, j; \
	VPERMPS  exp2f64<>+EXP2_TABLEHI(SB), i, i; \
	VPBLENDD $0x55, j, i, i;                   \
	VPSLLQ   $indexshift, t, t;                \
	VPADDQ   i, t, t;                          \
	VANDNPD  t, u, t

#define EXP2_LOOKUP_F32(t, u, i, j) \
	VBROADCASTF128 exp2f32<>+EXP2_TABLE(SB), i; \
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

// Y8 Y9 ← 2^f/E − 1 of Y0 Y1, in two parts; c is scratch.
#define EXP2_UPPER2(c) \
	EXP2_CONST(EXP2_TOP, Y8); \
	copy Y8, Y9; \
	EXP2_HIGH2(c)

#define EXP2_LOWER2(c) \
	EXP2_STEP2(EXP2_C3, c, Y8, Y0, Y9, Y1); \
	EXP2_STEP2(EXP2_C2, c, Y8, Y0, Y9, Y1); \
	EXP2_STEP2(EXP2_C1, c, Y8, Y0, Y9, Y1); \
	EXP2_STEP2(EXP2_C0, c, Y8, Y0, Y9, Y1)

// Y8–Y11 ← 2^f/E − 1 of Y0–Y3, in two parts.
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

// EXP2_PAIR: Y8 Y9 = 2^Y0 2^Y1. Changes Y0 Y1 Y4 Y5 Y8–Y12.
#define EXP2_SPLITONE(y, t) \
	EXP2_SPLIT(y, t, Y8, Y9); \
	EXP2_LOOKUP(t, Y8, Y9, Y10)

#define EXP2_PAIR \
	EXP2_CONST(EXP2_LEAST, least); \
	EXP2_CONST(EXP2_MAGIC, magic); \
	EXP2_SPLITONE(Y0, Y4); \
	EXP2_SPLITONE(Y1, Y5); \
	EXP2_UPPER2(Y12); \
	EXP2_LOWER2(Y12); \
	EXP2_LAST(Y8, Y4); \
	EXP2_LAST(Y9, Y5)

// EXP2_QUAD: Y8 Y9 Y10 Y11 = 2^Y0 2^Y1 2^Y2 2^Y3. Changes Y0–Y12.
#define EXP2_SPLITFOUR \
	EXP2_CONST(EXP2_LEAST, least); \
	EXP2_CONST(EXP2_MAGIC, magic); \
	EXP2_SPLITONE(Y0, Y4); \
	EXP2_SPLITONE(Y1, Y5); \
	EXP2_SPLITONE(Y2, Y6); \
	EXP2_SPLITONE(Y3, Y7)

#define EXP2_QUAD \
	EXP2_SPLITFOUR; \
	EXP2_UPPER4(Y12); \
	EXP2_LOWER4(Y12); \
	EXP2_LAST(Y8, Y4); \
	EXP2_LAST(Y9, Y5); \
	EXP2_LAST(Y10, Y6); \
	EXP2_LAST(Y11, Y7)

// Constants of ref.go and coef.go, polynomial highest degree first, by their offsets in
// exp2c; float32 lacks the first three.
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

DATA exp2f64<>+0(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA exp2f64<>+8(SB)/8, $0xc08ff00000000000 // −1022
DATA exp2f64<>+16(SB)/8, $0x408fff8000000000 // 1024 − 1/16
DATA exp2f64<>+24(SB)/8, $0x7ff0000000000000 // +Inf
DATA exp2f64<>+32(SB)/8, $0x3eeffb3fb1842f75
DATA exp2f64<>+40(SB)/8, $0x3f2430e52d41b726
DATA exp2f64<>+48(SB)/8, $0x3f55d87fee7145b0
DATA exp2f64<>+56(SB)/8, $0x3f83b2ab6eb3b29d
DATA exp2f64<>+64(SB)/8, $0x3fac6b08d69c1f54
DATA exp2f64<>+72(SB)/8, $0x3fcebfbdff11dcea
DATA exp2f64<>+80(SB)/8, $0x3fe62e42fea8c64b
DATA exp2f64<>+88(SB)/8, $0xbe0d60a3fd941ecc
DATA exp2f64<>+96(SB)/8, $0x408fff7f7fffffff // upper half: of the last below 1024 − 1/16
DATA exp2f64<>+104(SB)/8, $0x408fff7f7fffffff
DATA exp2f64<>+112(SB)/8, $0x408fff7f7fffffff
DATA exp2f64<>+120(SB)/8, $0x408fff7f7fffffff
DATA exp2f64<>+128(SB)/4, $0x003ac148
DATA exp2f64<>+132(SB)/4, $0x3cbd641d
DATA exp2f64<>+136(SB)/4, $0x0a779648
DATA exp2f64<>+140(SB)/4, $0xd5825c48
DATA exp2f64<>+144(SB)/4, $0x66d25362
DATA exp2f64<>+148(SB)/4, $0x42853daf
DATA exp2f64<>+152(SB)/4, $0x99bda3ff
DATA exp2f64<>+156(SB)/4, $0xdd67665c
DATA exp2f64<>+160(SB)/4, $0x3ff00000
DATA exp2f64<>+164(SB)/4, $0x3fef72b8
DATA exp2f64<>+168(SB)/4, $0x3fef06fe
DATA exp2f64<>+172(SB)/4, $0x3feebfda
DATA exp2f64<>+176(SB)/4, $0x3feea09e
DATA exp2f64<>+180(SB)/4, $0x3feeace5
DATA exp2f64<>+184(SB)/4, $0x3feee89f
DATA exp2f64<>+188(SB)/4, $0x3fef5818
GLOBL exp2f64<>(SB), RODATA|NOPTR, $192

DATA exp2f32<>+0(SB)/4, $0x4a400000 // 1.5·2^21
DATA exp2f32<>+4(SB)/4, $0xc2fc0000 // −126
DATA exp2f32<>+8(SB)/4, $0x42ffc000 // 128 − 1/8
DATA exp2f32<>+12(SB)/4, $0x7f800000 // +Inf
DATA exp2f32<>+28(SB)/4, $0x3c1d8295
DATA exp2f32<>+32(SB)/4, $0x3d6364ea
DATA exp2f32<>+36(SB)/4, $0x3e75efce
DATA exp2f32<>+40(SB)/4, $0x3f3167e2
DATA exp2f32<>+44(SB)/4, $0xb96b92d3
DATA exp2f32<>+48(SB)/4, $0x42ffbfff // the last below 128 − 1/8
DATA exp2f32<>+52(SB)/4, $0x42ffbfff
DATA exp2f32<>+56(SB)/4, $0x42ffbfff
DATA exp2f32<>+60(SB)/4, $0x42ffbfff
DATA exp2f32<>+64(SB)/4, $0x42ffbfff
DATA exp2f32<>+68(SB)/4, $0x42ffbfff
DATA exp2f32<>+72(SB)/4, $0x42ffbfff
DATA exp2f32<>+76(SB)/4, $0x42ffbfff
DATA exp2f32<>+96(SB)/4, $0x3f80075d
DATA exp2f32<>+100(SB)/4, $0x3f7840b2
DATA exp2f32<>+104(SB)/4, $0x3f750f5d
DATA exp2f32<>+108(SB)/4, $0x3f77515f
GLOBL exp2f32<>(SB), RODATA|NOPTR, $112
