// exp, exp2, sumExp for float64 and float32 with AVX2 + FMA.
//
//	exp         dst[i] = exp(x[i])
//	exp2        dst[i] = 2^(c·x[i])
//	sumExp      top = max(s[0], max x[i])
//	            dst[i] = exp(x[i] − top)                     dst may be nil
//	            s = {top, Σ dst[i] over all x[i] ≠ top, number of x[i] = top}
//	for 0≤i<n
//
// Same bits as    expRef, exp2Ref and sumExpRef in ref.go; exp2 rounds the product c·x[i].
//                 Numbers in parentheses are for float32.
// Layout          x and dst have n contiguous elements. dst may be x. n ≥ 1.
// Tile            4 vectors. exp: if every |x| in a tile is below 708 (at most 87), a fast body computes
//                 the tile. The results are normal numbers, so an integer addition to the bits of T
//                 multiplies by 2^⌊k⌋. Otherwise the general body computes one vector at a time. The
//                 general body clamps x, and multiplies y by two powers of 2. Only the second product
//                 is rounded. exp2: a tile takes constant time if every y is below 1023.9375 (127.875).
//                 Otherwise the general body computes one vector at a time. sumExp: the fast body
//                 requires that every difference d is between −0 and the limit −708 (−87). Other tiles,
//                 and the last tile, run the general body, two vectors at a time, with masks.
// Tail            the general body; masked load and store for the last n mod lanes elements. No
//                 access outside the slices.
// Special values  both bodies return NaN for a NaN: q is NaN, and so is q·T + T.
// Registers       SI x · DI dst · CX elements left · DX elements of the general body ·
//                 AX sign bits, mask ·
//                 Y15 magic. exp: Y0–Y3 x, t, then T · Y4–Y7 r · Y8–Y11 k,
//                 then q and y · Y12 table entry · Y13 half of the entry, or the table ·
//                 Y14 a constant. exp2: Y0–Y3 y, then f · Y4–Y7 t, then S · Y8–Y11 underflow, then
//                 q · Y12 a constant, scratch · Y13 c · Y14 least y, scratch. sumExp: R8 s; s[1] holds −top
//                 · R9 offset · R10 bytes · R11 address of the arguments, which hold the counts · Y0–Y3 maxima, then d
//                 and f · Y4–Y7 t, then S · Y8–Y11 −k, then q · Y12 Y13 constants, scratch · Y14 Y15 sums; with
//                 masks: Y2 Y3 masks · Y6 Y7 d below the limit · Y10 Y11 d = 0.
// Source          written for this project; two VPERMPS of 32-bit halves look up eight float64 entries.
//                 Lookups between the Horner steps are 4 % faster than lookups before these steps.
//                 exp2core_avx2_amd64.h contains the core of exp2.

//go:build amd64 && !purego

#include "textflag.h"
#include "exp2core_avx2_amd64.h"

#define lanes (32/size)
#define src SI
#define out DI
#define left CX
#define todo DX
#define magic Y15

// registers of exp
#define entry Y12
#define half Y13
#define entries Y13

// registers of exp2
#define tmp Y12
#define factor Y13
#define least Y14

// registers of sumExp
#define peak R8
#define place R9
#define bytes R10
#define counts R11

// fma4(off) computes one Horner step in four vectors: it multiplies q by r and adds the constant at
// offset off of expc.
#define fma4(off) \
	bcast  expc+off(SB), c; \
	fma213 c, Y4, Y8;       \
	fma213 c, Y5, Y9;       \
	fma213 c, Y6, Y10;      \
	fma213 c, Y7, Y11

// fnma4(off) computes one step of the argument reduction in four vectors: it subtracts k times the constant at offset off of
// expc from r.
#define fnma4(off) \
	bcast expc+off(SB), c; \
	fnma  c, Y8, Y4;       \
	fnma  c, Y9, Y5;       \
	fnma  c, Y10, Y6;      \
	fnma  c, Y11, Y7

// lookup(t) loads a table entry into register entry. The low bits of t are an integer n, and the
// index of the table entry is n mod 8 (float32: n mod 4). For float64, VPERMPS needs the index in
// both 32-bit halves of a lane.
#define lookupf64(t) \
	VPSHUFD  $0xa0, t, entry;                    \
	VPERMPS  expf64<>+TABLELO(SB), t, half;      \
	VPERMPS  expf64<>+TABLEHI(SB), entry, entry; \
	VPBLENDD $0x55, half, entry, entry

#define lookupf32(t) VPERMILPS t, entries, entry

// table(t) sets t to 2^k·E (see ref.go), the product of a table entry and a power of 2.
#define table(t) \
	lookup(t); \
	shiftleft $indexshift, t, t; \
	addbits   entry, t, t

// step(off) computes the Horner step of fma4(off) in one vector instead of four.
#define step(off) \
	bcast  expc+off(SB), c; \
	fma213 c, Y4, Y8

// The names below are byte offsets in expc, which contains the constants of ref.go and coef.go. The
// coefficients of the polynomial begin with the highest degree. float32 does not use C7, C6 and C5.
// MINEXP is the 32-bit integer −1022 (float32: −126).
#define MAGIC 0*size
#define LOG2E 1*size
#define LN2HI 2*size
#define LN2LO 3*size
#define LIMIT 4*size
#define NEGLIMIT 5*size
#define BIAS 6*size
#define MINEXP 7*size
#define ONE 8*size
#define LEASTK 9*size
#define C7 10*size
#define C6 11*size
#define C5 12*size
#define C4 13*size
#define C3 14*size
#define C2 15*size
#define C1 16*size
#define C0 17*size
#define FASTLIMIT 20*size
#define TABLELO 24*size
#define TABLEHI 28*size
#define TABLE 28*size
#define LEASTD 18*size
#define NEAR 32*size

DATA expf64<>+0(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA expf64<>+8(SB)/8, $0x3ff71547652b82fe
DATA expf64<>+16(SB)/8, $0x3fe62e42fefa39ef
DATA expf64<>+24(SB)/8, $0x3c7abc9e3b39803f
DATA expf64<>+32(SB)/8, $0x408f400000000000 // 1000
DATA expf64<>+40(SB)/8, $0xc08f400000000000 // −1000
DATA expf64<>+48(SB)/8, $0x00000000000003ff // exponent bias
DATA expf64<>+56(SB)/8, $0x00000000fffffc02 // −1022, lower half
DATA expf64<>+64(SB)/8, $0x3ff0000000000000 // 1
DATA expf64<>+72(SB)/8, $0xc08ff00000000000 // −1022
DATA expf64<>+80(SB)/8, $0x3f2a0170b70d2998
DATA expf64<>+88(SB)/8, $0x3f56c1cbb8b26d2c
DATA expf64<>+96(SB)/8, $0x3f81111111e36bf3
DATA expf64<>+104(SB)/8, $0x3fa5555554334325
DATA expf64<>+112(SB)/8, $0x3fc555555506fb7e
DATA expf64<>+120(SB)/8, $0x3fdfffffff8a7f82
DATA expf64<>+128(SB)/8, $0x3fefffffff8a7d70
DATA expf64<>+136(SB)/8, $0xbe0d60a3fd941ecc
DATA expf64<>+144(SB)/8, $0xc086200000000000 // −708
DATA expf64<>+160(SB)/8, $0x408620007fffffff // 708, upper half
DATA expf64<>+168(SB)/8, $0x408620007fffffff
DATA expf64<>+176(SB)/8, $0x408620007fffffff
DATA expf64<>+184(SB)/8, $0x408620007fffffff
DATA expf64<>+192(SB)/4, $0x003ac148
DATA expf64<>+196(SB)/4, $0x3cbd641d
DATA expf64<>+200(SB)/4, $0x0a779648
DATA expf64<>+204(SB)/4, $0xd5825c48
DATA expf64<>+208(SB)/4, $0x66d25362
DATA expf64<>+212(SB)/4, $0x42853daf
DATA expf64<>+216(SB)/4, $0x99bda3ff
DATA expf64<>+220(SB)/4, $0xdd67665c
DATA expf64<>+224(SB)/4, $0x3ff00000
DATA expf64<>+228(SB)/4, $0x3fef72b8
DATA expf64<>+232(SB)/4, $0x3fef06fe
DATA expf64<>+236(SB)/4, $0x3feebfda
DATA expf64<>+240(SB)/4, $0x3feea09e
DATA expf64<>+244(SB)/4, $0x3feeace5
DATA expf64<>+248(SB)/4, $0x3feee89f
DATA expf64<>+252(SB)/4, $0x3fef5818
DATA expf64<>+256(SB)/8, $0xc0861fff7fffffff // for comparisons of int32: the high half of the float64 just above −708, and the largest int32
DATA expf64<>+264(SB)/8, $0xc0861fff7fffffff
DATA expf64<>+272(SB)/8, $0xc0861fff7fffffff
DATA expf64<>+280(SB)/8, $0xc0861fff7fffffff
GLOBL expf64<>(SB), RODATA|NOPTR, $288

DATA expf32<>+0(SB)/4, $0x4a400000 // 1.5·2^21
DATA expf32<>+4(SB)/4, $0x3fb8aa3b
DATA expf32<>+8(SB)/4, $0x3f317218
DATA expf32<>+12(SB)/4, $0xb102e308
DATA expf32<>+16(SB)/4, $0x43000000 // 128
DATA expf32<>+20(SB)/4, $0xc3000000 // −128
DATA expf32<>+24(SB)/4, $0x0000007f // exponent bias
DATA expf32<>+28(SB)/4, $0xffffff82 // −126
DATA expf32<>+32(SB)/4, $0x3f800000 // 1
DATA expf32<>+36(SB)/4, $0xc2fc0000 // −126
DATA expf32<>+52(SB)/4, $0x3d2acdae
DATA expf32<>+56(SB)/4, $0x3e2ab6cd
DATA expf32<>+60(SB)/4, $0x3efff142
DATA expf32<>+64(SB)/4, $0x3f7ff144
DATA expf32<>+68(SB)/4, $0xb96b92d3
DATA expf32<>+72(SB)/4, $0xc2ae0000 // −87
DATA expf32<>+80(SB)/4, $0x42ae0000 // 87
DATA expf32<>+84(SB)/4, $0x42ae0000
DATA expf32<>+88(SB)/4, $0x42ae0000
DATA expf32<>+92(SB)/4, $0x42ae0000
DATA expf32<>+96(SB)/4, $0x42ae0000
DATA expf32<>+100(SB)/4, $0x42ae0000
DATA expf32<>+104(SB)/4, $0x42ae0000
DATA expf32<>+108(SB)/4, $0x42ae0000
DATA expf32<>+112(SB)/4, $0x3f80075d
DATA expf32<>+116(SB)/4, $0x3f7840b2
DATA expf32<>+120(SB)/4, $0x3f750f5d
DATA expf32<>+124(SB)/4, $0x3f77515f
DATA expf32<>+128(SB)/4, $0xc2ae0000
DATA expf32<>+132(SB)/4, $0xc2ae0000
DATA expf32<>+136(SB)/4, $0xc2ae0000
DATA expf32<>+140(SB)/4, $0xc2ae0000
DATA expf32<>+144(SB)/4, $0xc2ae0000
DATA expf32<>+148(SB)/4, $0xc2ae0000
DATA expf32<>+152(SB)/4, $0xc2ae0000
DATA expf32<>+156(SB)/4, $0xc2ae0000
GLOBL expf32<>(SB), RODATA|NOPTR, $160

// The constants below belong to the macros of exp2core_avx2_amd64.h. Package distance uses them, too.
DATA ·exp2f64AVX2+0(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA ·exp2f64AVX2+8(SB)/8, $0xc08ff00000000000 // −1022
DATA ·exp2f64AVX2+16(SB)/8, $0x408fff8000000000 // 1024 − 1/16
DATA ·exp2f64AVX2+24(SB)/8, $0x7ff0000000000000 // +Inf
DATA ·exp2f64AVX2+32(SB)/8, $0x3eeffb3fb1842f75
DATA ·exp2f64AVX2+40(SB)/8, $0x3f2430e52d41b726
DATA ·exp2f64AVX2+48(SB)/8, $0x3f55d87fee7145b0
DATA ·exp2f64AVX2+56(SB)/8, $0x3f83b2ab6eb3b29d
DATA ·exp2f64AVX2+64(SB)/8, $0x3fac6b08d69c1f54
DATA ·exp2f64AVX2+72(SB)/8, $0x3fcebfbdff11dcea
DATA ·exp2f64AVX2+80(SB)/8, $0x3fe62e42fea8c64b
DATA ·exp2f64AVX2+88(SB)/8, $0xbe0d60a3fd941ecc
DATA ·exp2f64AVX2+96(SB)/8, $0x408fff7f7fffffff // for comparisons of int32; high half: upper 32 bits of the float64 just below 1024 − 1/16; low half: the largest int32
DATA ·exp2f64AVX2+104(SB)/8, $0x408fff7f7fffffff
DATA ·exp2f64AVX2+112(SB)/8, $0x408fff7f7fffffff
DATA ·exp2f64AVX2+120(SB)/8, $0x408fff7f7fffffff
DATA ·exp2f64AVX2+128(SB)/4, $0x003ac148
DATA ·exp2f64AVX2+132(SB)/4, $0x3cbd641d
DATA ·exp2f64AVX2+136(SB)/4, $0x0a779648
DATA ·exp2f64AVX2+140(SB)/4, $0xd5825c48
DATA ·exp2f64AVX2+144(SB)/4, $0x66d25362
DATA ·exp2f64AVX2+148(SB)/4, $0x42853daf
DATA ·exp2f64AVX2+152(SB)/4, $0x99bda3ff
DATA ·exp2f64AVX2+156(SB)/4, $0xdd67665c
DATA ·exp2f64AVX2+160(SB)/4, $0x3ff00000
DATA ·exp2f64AVX2+164(SB)/4, $0x3fef72b8
DATA ·exp2f64AVX2+168(SB)/4, $0x3fef06fe
DATA ·exp2f64AVX2+172(SB)/4, $0x3feebfda
DATA ·exp2f64AVX2+176(SB)/4, $0x3feea09e
DATA ·exp2f64AVX2+180(SB)/4, $0x3feeace5
DATA ·exp2f64AVX2+184(SB)/4, $0x3feee89f
DATA ·exp2f64AVX2+188(SB)/4, $0x3fef5818
GLOBL ·exp2f64AVX2(SB), RODATA|NOPTR, $192

DATA ·exp2f32AVX2+0(SB)/4, $0x4a400000 // 1.5·2^21
DATA ·exp2f32AVX2+4(SB)/4, $0xc2fc0000 // −126
DATA ·exp2f32AVX2+8(SB)/4, $0x42ffc000 // 128 − 1/8
DATA ·exp2f32AVX2+12(SB)/4, $0x7f800000 // +Inf
DATA ·exp2f32AVX2+28(SB)/4, $0x3c1d8295
DATA ·exp2f32AVX2+32(SB)/4, $0x3d6364ea
DATA ·exp2f32AVX2+36(SB)/4, $0x3e75efce
DATA ·exp2f32AVX2+40(SB)/4, $0x3f3167e2
DATA ·exp2f32AVX2+44(SB)/4, $0xb96b92d3
DATA ·exp2f32AVX2+48(SB)/4, $0x42ffbfff // the largest float32 below 128 − 1/8
DATA ·exp2f32AVX2+52(SB)/4, $0x42ffbfff
DATA ·exp2f32AVX2+56(SB)/4, $0x42ffbfff
DATA ·exp2f32AVX2+60(SB)/4, $0x42ffbfff
DATA ·exp2f32AVX2+64(SB)/4, $0x42ffbfff
DATA ·exp2f32AVX2+68(SB)/4, $0x42ffbfff
DATA ·exp2f32AVX2+72(SB)/4, $0x42ffbfff
DATA ·exp2f32AVX2+76(SB)/4, $0x42ffbfff
DATA ·exp2f32AVX2+96(SB)/4, $0x3f80075d
DATA ·exp2f32AVX2+100(SB)/4, $0x3f7840b2
DATA ·exp2f32AVX2+104(SB)/4, $0x3f750f5d
DATA ·exp2f32AVX2+108(SB)/4, $0x3f77515f
GLOBL ·exp2f32AVX2(SB), RODATA|NOPTR, $112

#define F64
#define EXP ·expAVX2F64
#define EXP2 ·exp2AVX2F64
#define SUMEXP ·sumExpAVX2F64
#define exp2args 32
#define lookup(t) lookupf64(t)
#include "type_amd64.h"
#include "exp_avx2_amd64.h"
#undef F64
#undef EXP
#undef EXP2
#undef SUMEXP
#undef exp2args
#undef lookup

#define F32
#define EXP ·expAVX2F32
#define EXP2 ·exp2AVX2F32
#define SUMEXP ·sumExpAVX2F32
#define exp2args 28
#define lookup(t) lookupf32(t)
#include "type_amd64.h"
#include "exp_avx2_amd64.h"
#undef F32
#undef EXP
#undef EXP2
#undef SUMEXP
#undef exp2args
#undef lookup
