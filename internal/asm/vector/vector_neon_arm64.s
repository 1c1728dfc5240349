// vector for float64 and float32 with NEON.
//
//	affine      dst[i] = (x[i] − c)·s + b
//	maximum     acc[l] = maximum of acc[l] and all x[i] with i mod w = l
//	log         dst[i] = ln x[i], float64
//	log2        dst[i] = log₂ x[i], float64             0≤i<n
//
// Same bits as    affineRef, maxRef, logRef and log2Ref in ref.go. The kernels always add
//                 k·ln 2, where x = 2^k·m. num.Log omits this addition if k = 0, with the same result.
// Layout          x and dst have n contiguous elements. dst may be x. acc has w elements (64 bytes). n is a
//                 positive multiple of w.
// Tile            four registers, 64 bytes.
// Tail            none. The caller computes the remaining elements.
// Special values  affine propagates special values as in ordinary arithmetic. maximum keeps acc if x is NaN or equal
//                 to acc. log stops before a tile with an x that is not a positive normal number, and returns the number of
//                 elements before this tile.
// Registers       R0 bytes left · R1 x · R2 dst or acc · R3 constants · R4 elements · R5 R6
//                 comparisons. affine: V0–V3 x · V4–V7 result · V28 c · V29 s · V30 b. maximum: V0–V3 x ·
//                 V4–V7 x > acc · V16–V19 acc. log: V0–V3 x, then m, f and lo · V4–V7 k · V8–V11
//                 s, then p or a · V12–V15 s², then h, then b · V16–V23 polynomial, then rounding error of h
//                 or p · V24–V27 hi · V28–V31 constants.
// Source          written for this project.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

#define left R0
#define xp R1
#define dp R2
#define consts R3
#define count R4
#define bits0 R5
#define bits1 R6

// The following macros are byte offsets in a table that contains one copy of each constant for every lane. The constant
// BIAS is the bit pattern of √½ with an exponent that is smaller by 1024. WHOLE is 2^52, and WHOLEK is 2^52 + 1024. C7 to C1
// are the coefficients of the polynomial, highest degree first.
#define LEAST 0
#define MOST 16
#define BIAS 32
#define MASK 48
#define HALF 64
#define WHOLE 80
#define WHOLEK 96
#define ONE 112
#define TWO 128
#define POINT5 144
#define LN2HI 160
#define LN2LO 176
#define INVLN2 192
#define INVLN2LO 208
#define C7 224
#define C6 240
#define C5 256
#define C4 272
#define C3 288
#define C2 304
#define C1 320
#define C0 336

DATA logf64<>+0(SB)/8, $0x0010000000000000 // 2^-1022
DATA logf64<>+8(SB)/8, $0x0010000000000000
DATA logf64<>+16(SB)/8, $0x7fefffffffffffff // the largest number
DATA logf64<>+24(SB)/8, $0x7fefffffffffffff
DATA logf64<>+32(SB)/8, $0xffe6a09e00000000 // bits of √½, minus 1024<<52
DATA logf64<>+40(SB)/8, $0xffe6a09e00000000
DATA logf64<>+48(SB)/8, $0x000fffffffffffff // mask of the mantissa bits
DATA logf64<>+56(SB)/8, $0x000fffffffffffff
DATA logf64<>+64(SB)/8, $0x3fe6a09e00000000 // √½
DATA logf64<>+72(SB)/8, $0x3fe6a09e00000000
DATA logf64<>+80(SB)/8, $0x4330000000000000 // 2^52
DATA logf64<>+88(SB)/8, $0x4330000000000000
DATA logf64<>+96(SB)/8, $0x4330000000000400 // 2^52 + 1024
DATA logf64<>+104(SB)/8, $0x4330000000000400
DATA logf64<>+112(SB)/8, $0x3ff0000000000000 // 1
DATA logf64<>+120(SB)/8, $0x3ff0000000000000
DATA logf64<>+128(SB)/8, $0x4000000000000000 // 2
DATA logf64<>+136(SB)/8, $0x4000000000000000
DATA logf64<>+144(SB)/8, $0x3fe0000000000000 // ½
DATA logf64<>+152(SB)/8, $0x3fe0000000000000
DATA logf64<>+160(SB)/8, $0x3fe62e42fee00000 // ln 2 rounded to 32 bits
DATA logf64<>+168(SB)/8, $0x3fe62e42fee00000
DATA logf64<>+176(SB)/8, $0x3dea39ef35793c76
DATA logf64<>+184(SB)/8, $0x3dea39ef35793c76
DATA logf64<>+192(SB)/8, $0x3ff71547652b82fe // 1/ln 2
DATA logf64<>+200(SB)/8, $0x3ff71547652b82fe
DATA logf64<>+208(SB)/8, $0x3c7777d0ffda0d24
DATA logf64<>+216(SB)/8, $0x3c7777d0ffda0d24
DATA logf64<>+224(SB)/8, $0x3fc2f02510388cde
DATA logf64<>+232(SB)/8, $0x3fc2f02510388cde
DATA logf64<>+240(SB)/8, $0x3fc39a20baf253c4
DATA logf64<>+248(SB)/8, $0x3fc39a20baf253c4
DATA logf64<>+256(SB)/8, $0x3fc74663ba2fb10e
DATA logf64<>+264(SB)/8, $0x3fc74663ba2fb10e
DATA logf64<>+272(SB)/8, $0x3fcc71c521a1a7f0
DATA logf64<>+280(SB)/8, $0x3fcc71c521a1a7f0
DATA logf64<>+288(SB)/8, $0x3fd24924941db482
DATA logf64<>+296(SB)/8, $0x3fd24924941db482
DATA logf64<>+304(SB)/8, $0x3fd999999997ff63
DATA logf64<>+312(SB)/8, $0x3fd999999997ff63
DATA logf64<>+320(SB)/8, $0x3fe5555555555592
DATA logf64<>+328(SB)/8, $0x3fe5555555555592
GLOBL logf64<>(SB), RODATA|NOPTR, $336

#define F64
#define AFFINE ·affineNEONF64
#define MAXIMUM ·maximumNEONF64
#define affineargs 48
#include "type_arm64.h"
#include "vector_neon_arm64.h"
#define LOG ·logNEONF64
#include "log_neon_arm64.h"
#undef LOG
#define LOG ·log2NEONF64
#define BASE2
#include "log_neon_arm64.h"
#undef LOG
#undef BASE2
#undef F64
#undef AFFINE
#undef MAXIMUM
#undef affineargs

#define F32
#define AFFINE ·affineNEONF32
#define MAXIMUM ·maximumNEONF32
#define affineargs 36
#include "type_arm64.h"
#include "vector_neon_arm64.h"
#undef F32
#undef AFFINE
#undef MAXIMUM
#undef affineargs
