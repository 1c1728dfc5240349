// exp, exp2, sumExp for float64 and float32 with AVX-512 F.
//
//	exp         dst[i] = exp(x[i])
//	exp2        dst[i] = 2^(c·x[i])
//	sumExp      top = max(s[0], max x[i])
//	            dst[i] = exp(x[i] − top)                     dst may be nil
//	            s = {top, Σ dst[i] over all x[i] ≠ top, number of x[i] = top}
//	for 0≤i<n
//
// Same bits as    expRef, exp2Ref and sumExpRef in ref.go; exp2 rounds the product c·x[i]. VSCALEFPD in exp
//                 rounds once. The reference implementation multiplies by two powers of 2, but the first
//                 product is exact. Numbers in parentheses are for float32.
// Layout          x and dst have n contiguous elements. dst may be x. n ≥ 1.
// Tile            exp: four vectors. The kernel clamps the vectors first if an element is NaN or far outside
//                 of the range. exp2: three vectors, in constant time, if no y overflows. sumExp: four
//                 vectors, if every difference d is between −0 and the limit. In exp2 and sumExp, other
//                 tiles and the last tile are computed one vector at a time.
// Tail            opmask K1. No access outside the slices.
// Special values  exp: min and max keep a NaN, because it is their first operand.
//                 exp2: opmasks mark results below the least normal number, and overflow;
//                 a NaN with a positive sign takes the slower path, which returns the same NaN.
// Registers       SI x · DI dst · AX scratch · K1 mask · Z30 table · Z31 magic. exp: CX elements
//                 left · Z0–Z3 x, then r · Z4–Z7 t, then T · Z8–Z11 k · Z12–Z15 q · Z16 Z17
//                 limits · Z18 bits of sign and exponent. exp2: DX elements left · CX elements
//                 left for single vectors · Z0–Z2 y, then q · Z24–Z26 t, then S · Z27–Z29
//                 f · Z22 the largest y in three vectors · Z23 c. sumExp: CX elements left · R8 s · R9 bytes in whole
//                 vectors · R10 elements left for single vectors · DX offset · Z0–Z3 maxima, then d and f · Z4–Z7
//                 t, then S · Z8–Z11 −k, then q · Z14 Z15 sums · Z16–Z23 polynomial · Z24 −top · Z25 log2e · Z26 limit ·
//                 K5 mask of the last, partial vector.
// Source          written for this project; exp2core_avx512_amd64.h contains the core of exp2.

//go:build amd64 && !purego

#include "textflag.h"
#include "exp2core_avx512_amd64.h"

#define lanes (64/size)
#define src SI
#define out DI
#define mask K1
#define short K5
#define fast Z22
#define factor Z23
#define rests Z14
#define ones Z15
#define minus Z24
#define log2e Z25
#define near Z26
#define table Z30
#define magic Z31

// clamp limits x to the range between neglimit and limit. x is the first operand, so a NaN stays NaN.
#define clamp(x, limit, neglimit) \
	min x, limit, x; \
	max x, neglimit, x

// reduce sets k = t − magic, and replaces x by r = x − k·ln 2.
#define reduce(x, t, k) \
	sub       magic, t, k;          \
	fnma.BCST expc+LN2HI(SB), k, x; \
	fnma.BCST expc+LN2LO(SB), k, x

// step4(c) computes one Horner step in four vectors: it multiplies q by r and adds the constant at
// offset c of expc.
#define step4(c) \
	fma213.BCST expc+c(SB), Z0, Z12; \
	fma213.BCST expc+c(SB), Z1, Z13; \
	fma213.BCST expc+c(SB), Z2, Z14; \
	fma213.BCST expc+c(SB), Z3, Z15

// below4(c) computes one Horner step in four vectors: it multiplies q by f and adds register c. Z0–Z3
// hold f, and Z8–Z11 hold q.
#define below4(c) \
	fma213 c, Z0, Z8;  \
	fma213 c, Z1, Z9;  \
	fma213 c, Z2, Z10; \
	fma213 c, Z3, Z11

#define below1(c) fma213 c, Z0, Z8

#define term(off, z) bcast exp2c+off(SB), z

#define step1(c) fma213.BCST expc+c(SB), Z0, Z12

// finish sets q to (q·s + s)·2^⌊k⌋, where s is the table entry T.
#define finish(q, s, k) \
	fma213 s, s, q; \
	scalef k, q, q

// The names below are byte offsets in expc, which contains the constants of ref.go and coef.go. The
// coefficients of the polynomial begin with the highest degree. float32 does not use C7, C6 and C5.
// The integer sum TABLE[j] + STEPS[j] is the bit pattern of 2^(j/8)·E (float32: 2^(j/4)·E), where E
// is a factor near 1 (see ref.go). The float32 table is stored four times, because permute uses four
// bits of the index, and only the lowest two bits select the entry.
#define MAGIC 0*size
#define LOG2E 1*size
#define LN2HI 2*size
#define LN2LO 3*size
#define LIMIT 4*size
#define NEGLIMIT 5*size
#define C7 6*size
#define C6 7*size
#define C5 8*size
#define C4 9*size
#define C3 10*size
#define C2 11*size
#define C1 12*size
#define C0 13*size
#define HIGH 14*size
#define TABLE 16*size
#define STEPS 16*size+64
#define LEASTD 16*size+128
#define NEAR 17*size+128
#define ONE 18*size+128

DATA expf64<>+0(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA expf64<>+8(SB)/8, $0x3ff71547652b82fe
DATA expf64<>+16(SB)/8, $0x3fe62e42fefa39ef
DATA expf64<>+24(SB)/8, $0x3c7abc9e3b39803f
DATA expf64<>+32(SB)/8, $0x408f400000000000 // 1000
DATA expf64<>+40(SB)/8, $0xc08f400000000000 // −1000
DATA expf64<>+48(SB)/8, $0x3f2a0170b70d2998
DATA expf64<>+56(SB)/8, $0x3f56c1cbb8b26d2c
DATA expf64<>+64(SB)/8, $0x3f81111111e36bf3
DATA expf64<>+72(SB)/8, $0x3fa5555554334325
DATA expf64<>+80(SB)/8, $0x3fc555555506fb7e
DATA expf64<>+88(SB)/8, $0x3fdfffffff8a7f82
DATA expf64<>+96(SB)/8, $0x3fefffffff8a7d70
DATA expf64<>+104(SB)/8, $0xbe0d60a3fd941ecc
DATA expf64<>+112(SB)/8, $0xfff0000000000000 // mask of the sign and exponent bits
DATA expf64<>+128(SB)/8, $0x3ff00000003ac148
DATA expf64<>+136(SB)/8, $0x3fef72b83cbd641d
DATA expf64<>+144(SB)/8, $0x3fef06fe0a779648
DATA expf64<>+152(SB)/8, $0x3feebfdad5825c48
DATA expf64<>+160(SB)/8, $0x3feea09e66d25362
DATA expf64<>+168(SB)/8, $0x3feeace542853daf
DATA expf64<>+176(SB)/8, $0x3feee89f99bda3ff
DATA expf64<>+184(SB)/8, $0x3fef5818dd67665c
DATA expf64<>+192(SB)/8, $0x0000000000000000
DATA expf64<>+200(SB)/8, $0x0002000000000000
DATA expf64<>+208(SB)/8, $0x0004000000000000
DATA expf64<>+216(SB)/8, $0x0006000000000000
DATA expf64<>+224(SB)/8, $0x0008000000000000
DATA expf64<>+232(SB)/8, $0x000a000000000000
DATA expf64<>+240(SB)/8, $0x000c000000000000
DATA expf64<>+248(SB)/8, $0x000e000000000000
DATA expf64<>+256(SB)/8, $0xc086200000000000 // −708
DATA expf64<>+264(SB)/8, $0xc0861fff7fffffff // for comparisons of int32: the high half of the float64 just above −708, and the largest int32
DATA expf64<>+272(SB)/8, $0x3ff0000000000000 // 1
GLOBL expf64<>(SB), RODATA|NOPTR, $280

DATA expf32<>+0(SB)/4, $0x4a400000 // 1.5·2^21
DATA expf32<>+4(SB)/4, $0x3fb8aa3b
DATA expf32<>+8(SB)/4, $0x3f317218
DATA expf32<>+12(SB)/4, $0xb102e308
DATA expf32<>+16(SB)/4, $0x43000000 // 128
DATA expf32<>+20(SB)/4, $0xc3000000 // −128
DATA expf32<>+36(SB)/4, $0x3d2acdae
DATA expf32<>+40(SB)/4, $0x3e2ab6cd
DATA expf32<>+44(SB)/4, $0x3efff142
DATA expf32<>+48(SB)/4, $0x3f7ff144
DATA expf32<>+52(SB)/4, $0xb96b92d3
DATA expf32<>+56(SB)/4, $0xff800000 // mask of the sign and exponent bits
DATA expf32<>+64(SB)/4, $0x3f80075d
DATA expf32<>+68(SB)/4, $0x3f7840b2
DATA expf32<>+72(SB)/4, $0x3f750f5d
DATA expf32<>+76(SB)/4, $0x3f77515f
DATA expf32<>+80(SB)/4, $0x3f80075d
DATA expf32<>+84(SB)/4, $0x3f7840b2
DATA expf32<>+88(SB)/4, $0x3f750f5d
DATA expf32<>+92(SB)/4, $0x3f77515f
DATA expf32<>+96(SB)/4, $0x3f80075d
DATA expf32<>+100(SB)/4, $0x3f7840b2
DATA expf32<>+104(SB)/4, $0x3f750f5d
DATA expf32<>+108(SB)/4, $0x3f77515f
DATA expf32<>+112(SB)/4, $0x3f80075d
DATA expf32<>+116(SB)/4, $0x3f7840b2
DATA expf32<>+120(SB)/4, $0x3f750f5d
DATA expf32<>+124(SB)/4, $0x3f77515f
DATA expf32<>+128(SB)/4, $0x00000000
DATA expf32<>+132(SB)/4, $0x00200000
DATA expf32<>+136(SB)/4, $0x00400000
DATA expf32<>+140(SB)/4, $0x00600000
DATA expf32<>+144(SB)/4, $0x00000000
DATA expf32<>+148(SB)/4, $0x00200000
DATA expf32<>+152(SB)/4, $0x00400000
DATA expf32<>+156(SB)/4, $0x00600000
DATA expf32<>+160(SB)/4, $0x00000000
DATA expf32<>+164(SB)/4, $0x00200000
DATA expf32<>+168(SB)/4, $0x00400000
DATA expf32<>+172(SB)/4, $0x00600000
DATA expf32<>+176(SB)/4, $0x00000000
DATA expf32<>+180(SB)/4, $0x00200000
DATA expf32<>+184(SB)/4, $0x00400000
DATA expf32<>+188(SB)/4, $0x00600000
DATA expf32<>+192(SB)/4, $0xc2ae0000 // −87
DATA expf32<>+196(SB)/4, $0xc2ae0000
DATA expf32<>+200(SB)/4, $0x3f800000 // 1
GLOBL expf32<>(SB), RODATA|NOPTR, $204

// The constants below belong to the macros of exp2core_avx512_amd64.h. Package distance uses them, too.
DATA ·exp2f64AVX512+0(SB)/8, $0xc08ff00000000000 // −1022
DATA ·exp2f64AVX512+8(SB)/8, $0x408fff8000000000 // 1024 − 2^−4
DATA ·exp2f64AVX512+16(SB)/8, $0x7ff0000000000000 // +Inf
DATA ·exp2f64AVX512+24(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA ·exp2f64AVX512+32(SB)/8, $0x3eeffb3fb1842f75
DATA ·exp2f64AVX512+40(SB)/8, $0x3f2430e52d41b726
DATA ·exp2f64AVX512+48(SB)/8, $0x3f55d87fee7145b0
DATA ·exp2f64AVX512+56(SB)/8, $0x3f83b2ab6eb3b29d
DATA ·exp2f64AVX512+64(SB)/8, $0x3fac6b08d69c1f54
DATA ·exp2f64AVX512+72(SB)/8, $0x3fcebfbdff11dcea
DATA ·exp2f64AVX512+80(SB)/8, $0x3fe62e42fea8c64b
DATA ·exp2f64AVX512+88(SB)/8, $0xbe0d60a3fd941ecc
DATA ·exp2f64AVX512+96(SB)/8, $0x408fff7f7fffffff // for comparisons of int32; high half: upper 32 bits of the float64 just below 1024 − 2^−4; low half: the largest int32
DATA ·exp2f64AVX512+128(SB)/8, $0x3ff00000003ac148
DATA ·exp2f64AVX512+136(SB)/8, $0x3fef72b83cbd641d
DATA ·exp2f64AVX512+144(SB)/8, $0x3fef06fe0a779648
DATA ·exp2f64AVX512+152(SB)/8, $0x3feebfdad5825c48
DATA ·exp2f64AVX512+160(SB)/8, $0x3feea09e66d25362
DATA ·exp2f64AVX512+168(SB)/8, $0x3feeace542853daf
DATA ·exp2f64AVX512+176(SB)/8, $0x3feee89f99bda3ff
DATA ·exp2f64AVX512+184(SB)/8, $0x3fef5818dd67665c
GLOBL ·exp2f64AVX512(SB), RODATA|NOPTR, $192

DATA ·exp2f32AVX512+0(SB)/4, $0xc2fc0000 // −126
DATA ·exp2f32AVX512+4(SB)/4, $0x42ffc000 // 128 − 2^−3
DATA ·exp2f32AVX512+8(SB)/4, $0x7f800000 // +Inf
DATA ·exp2f32AVX512+12(SB)/4, $0x4a400000 // 1.5·2^21
DATA ·exp2f32AVX512+28(SB)/4, $0x3c1d8295
DATA ·exp2f32AVX512+32(SB)/4, $0x3d6364ea
DATA ·exp2f32AVX512+36(SB)/4, $0x3e75efce
DATA ·exp2f32AVX512+40(SB)/4, $0x3f3167e2
DATA ·exp2f32AVX512+44(SB)/4, $0xb96b92d3
DATA ·exp2f32AVX512+48(SB)/4, $0x42ffbfff // the largest float32 below 128 − 2^−3
DATA ·exp2f32AVX512+64(SB)/4, $0x3f80075d
DATA ·exp2f32AVX512+68(SB)/4, $0x3f7840b2
DATA ·exp2f32AVX512+72(SB)/4, $0x3f750f5d
DATA ·exp2f32AVX512+76(SB)/4, $0x3f77515f
DATA ·exp2f32AVX512+80(SB)/4, $0x3f80075d
DATA ·exp2f32AVX512+84(SB)/4, $0x3f7840b2
DATA ·exp2f32AVX512+88(SB)/4, $0x3f750f5d
DATA ·exp2f32AVX512+92(SB)/4, $0x3f77515f
DATA ·exp2f32AVX512+96(SB)/4, $0x3f80075d
DATA ·exp2f32AVX512+100(SB)/4, $0x3f7840b2
DATA ·exp2f32AVX512+104(SB)/4, $0x3f750f5d
DATA ·exp2f32AVX512+108(SB)/4, $0x3f77515f
DATA ·exp2f32AVX512+112(SB)/4, $0x3f80075d
DATA ·exp2f32AVX512+116(SB)/4, $0x3f7840b2
DATA ·exp2f32AVX512+120(SB)/4, $0x3f750f5d
DATA ·exp2f32AVX512+124(SB)/4, $0x3f77515f
GLOBL ·exp2f32AVX512(SB), RODATA|NOPTR, $128

#define F64
#define EXP ·expAVX512F64
#define EXP2 ·exp2AVX512F64
#define SUMEXP ·sumExpAVX512F64
#define exp2args 32
#include "type_amd64.h"
#include "exp_avx512_amd64.h"
#undef F64
#undef EXP
#undef EXP2
#undef SUMEXP
#undef exp2args

#define F32
#define EXP ·expAVX512F32
#define EXP2 ·exp2AVX512F32
#define SUMEXP ·sumExpAVX512F32
#define exp2args 28
#include "type_amd64.h"
#include "exp_avx512_amd64.h"
#undef F32
#undef EXP
#undef EXP2
#undef SUMEXP
#undef exp2args
