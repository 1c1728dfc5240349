// vector for float64 and float32 with AVX-512 F.
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
// Tile            one vector.
// Tail            none. The caller computes the remaining elements.
// Special values  affine propagates special values as in ordinary arithmetic. maximum keeps acc if x is NaN or equal
//                 to acc. log stops before a vector with an x that is not a positive normal number, and returns the number of
//                 elements before this vector.
// Registers       SI x · DI dst or acc · CX bytes · DX offset · AX mask · K1 K2 comparisons.
//                 affine: Z1 b · Z2 c · Z3 s. maximum: Z2 acc. log: Z0 x, then m and f · Z2 k ·
//                 Z4 s, then p or a · Z6 f² or s², then h, then b · Z8 polynomial · Z10 rounding error of h
//                 or p · Z13 hi.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define xp SI
#define dp DI
#define bytes CX
#define at DX

// The following macros are byte offsets of constants in the table logc. The constant BIAS is the bit pattern of √½ with
// an exponent that is smaller by 1024. WHOLE is 2^52, and WHOLEK is 2^52 + 1024. C7 to C1 are the coefficients of the
// polynomial, highest degree first.
#define LEAST 0*size
#define MOST 1*size
#define BIAS 2*size
#define MASK 3*size
#define HALF 4*size
#define WHOLE 5*size
#define WHOLEK 6*size
#define ONE 7*size
#define TWO 8*size
#define POINT5 9*size
#define LN2HI 10*size
#define LN2LO 11*size
#define INVLN2 12*size
#define INVLN2LO 13*size
#define C7 14*size
#define C6 15*size
#define C5 16*size
#define C4 17*size
#define C3 18*size
#define C2 19*size
#define C1 20*size
#define C0 21*size

// step is one step of Horner's rule, q = q·y + c.
#define step(off, y) fma213.BCST logc+off(SB), y, Z8

DATA logf64<>+0(SB)/8, $0x0010000000000000 // 2^-1022
DATA logf64<>+8(SB)/8, $0x7fefffffffffffff // the largest number
DATA logf64<>+16(SB)/8, $0xffe6a09e00000000 // bits of √½, minus 1024<<52
DATA logf64<>+24(SB)/8, $0x000fffffffffffff // mask of the mantissa bits
DATA logf64<>+32(SB)/8, $0x3fe6a09e00000000 // √½
DATA logf64<>+40(SB)/8, $0x4330000000000000 // 2^52
DATA logf64<>+48(SB)/8, $0x4330000000000400 // 2^52 + 1024
DATA logf64<>+56(SB)/8, $0x3ff0000000000000 // 1
DATA logf64<>+64(SB)/8, $0x4000000000000000 // 2
DATA logf64<>+72(SB)/8, $0x3fe0000000000000 // ½
DATA logf64<>+80(SB)/8, $0x3fe62e42fee00000 // ln 2 rounded to 32 bits
DATA logf64<>+88(SB)/8, $0x3dea39ef35793c76
DATA logf64<>+96(SB)/8, $0x3ff71547652b82fe // 1/ln 2
DATA logf64<>+104(SB)/8, $0x3c7777d0ffda0d24
DATA logf64<>+112(SB)/8, $0x3fc2f02510388cde
DATA logf64<>+120(SB)/8, $0x3fc39a20baf253c4
DATA logf64<>+128(SB)/8, $0x3fc74663ba2fb10e
DATA logf64<>+136(SB)/8, $0x3fcc71c521a1a7f0
DATA logf64<>+144(SB)/8, $0x3fd24924941db482
DATA logf64<>+152(SB)/8, $0x3fd999999997ff63
DATA logf64<>+160(SB)/8, $0x3fe5555555555592
GLOBL logf64<>(SB), RODATA|NOPTR, $168

#define F64
#define AFFINE ·affineAVX512F64
#define MAXIMUM ·maximumAVX512F64
#define affineargs 48
#include "type_amd64.h"
#include "vector_avx512_amd64.h"
#define LOG ·logAVX512F64
#include "log_avx512_amd64.h"
#undef LOG
#define LOG ·log2AVX512F64
#define BASE2
#include "log_avx512_amd64.h"
#undef LOG
#undef BASE2
#undef F64
#undef AFFINE
#undef MAXIMUM
#undef affineargs

#define F32
#define AFFINE ·affineAVX512F32
#define MAXIMUM ·maximumAVX512F32
#define affineargs 36
#include "type_amd64.h"
#include "vector_avx512_amd64.h"
#undef F32
#undef AFFINE
#undef MAXIMUM
#undef affineargs
