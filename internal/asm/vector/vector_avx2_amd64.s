// vector for float64 and float32 with AVX2 + FMA.
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
// Tile            two vectors, 64 bytes.
// Tail            none. The caller computes the remaining elements.
// Special values  affine propagates special values as in ordinary arithmetic. maximum keeps acc if x is NaN or equal
//                 to acc. log stops before a tile with an x that is not a positive normal number, and returns the number of
//                 elements before this tile.
// Registers       SI x · DI dst or acc · CX bytes · DX offset · AX signs. affine: Y2 c · Y3 s · Y4 b.
//                 maximum: Y2 Y3 acc. log: Y0 Y1 x, then m and f · Y2 Y3 k · Y4 Y5 s, then
//                 p or a · Y6 Y7 f² or s², then h, then b · Y8 Y9 polynomial · Y10 Y11 rounding error of h
//                 or p · Y12 Y15 constants · Y13 Y14 hi.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define xp SI
#define dp DI
#define bytes CX
#define at DX

// The following macros are byte offsets in the table logc, which contains one copy of each constant for every lane. The
// constant BIAS is the bit pattern of √½ with an exponent that is smaller by 1024. WHOLE is 2^52, and WHOLEK is 2^52 + 1024.
// C7 to C1 are the coefficients of the polynomial, highest degree first.
#define LEAST 0*32
#define MOST 1*32
#define BIAS 2*32
#define MASK 3*32
#define HALF 4*32
#define WHOLE 5*32
#define WHOLEK 6*32
#define ONE 7*32
#define TWO 8*32
#define POINT5 9*32
#define LN2HI 10*32
#define LN2LO 11*32
#define INVLN2 12*32
#define INVLN2LO 13*32
#define C7 14*32
#define C6 15*32
#define C5 16*32
#define C4 17*32
#define C3 18*32
#define C2 19*32
#define C1 20*32
#define C0 21*32

// step is one step of Horner's rule, q = q·y + c, for two vectors.
#define step(off, y0, y1) \
	fma213 logc+off(SB), y0, Y8; \
	fma213 logc+off(SB), y1, Y9

DATA logf64<>+0(SB)/8, $0x0010000000000000 // 2^-1022
DATA logf64<>+8(SB)/8, $0x0010000000000000
DATA logf64<>+16(SB)/8, $0x0010000000000000
DATA logf64<>+24(SB)/8, $0x0010000000000000
DATA logf64<>+32(SB)/8, $0x7fefffffffffffff // the largest number
DATA logf64<>+40(SB)/8, $0x7fefffffffffffff
DATA logf64<>+48(SB)/8, $0x7fefffffffffffff
DATA logf64<>+56(SB)/8, $0x7fefffffffffffff
DATA logf64<>+64(SB)/8, $0xffe6a09e00000000 // bits of √½, minus 1024<<52
DATA logf64<>+72(SB)/8, $0xffe6a09e00000000
DATA logf64<>+80(SB)/8, $0xffe6a09e00000000
DATA logf64<>+88(SB)/8, $0xffe6a09e00000000
DATA logf64<>+96(SB)/8, $0x000fffffffffffff // mask of the mantissa bits
DATA logf64<>+104(SB)/8, $0x000fffffffffffff
DATA logf64<>+112(SB)/8, $0x000fffffffffffff
DATA logf64<>+120(SB)/8, $0x000fffffffffffff
DATA logf64<>+128(SB)/8, $0x3fe6a09e00000000 // √½
DATA logf64<>+136(SB)/8, $0x3fe6a09e00000000
DATA logf64<>+144(SB)/8, $0x3fe6a09e00000000
DATA logf64<>+152(SB)/8, $0x3fe6a09e00000000
DATA logf64<>+160(SB)/8, $0x4330000000000000 // 2^52
DATA logf64<>+168(SB)/8, $0x4330000000000000
DATA logf64<>+176(SB)/8, $0x4330000000000000
DATA logf64<>+184(SB)/8, $0x4330000000000000
DATA logf64<>+192(SB)/8, $0x4330000000000400 // 2^52 + 1024
DATA logf64<>+200(SB)/8, $0x4330000000000400
DATA logf64<>+208(SB)/8, $0x4330000000000400
DATA logf64<>+216(SB)/8, $0x4330000000000400
DATA logf64<>+224(SB)/8, $0x3ff0000000000000 // 1
DATA logf64<>+232(SB)/8, $0x3ff0000000000000
DATA logf64<>+240(SB)/8, $0x3ff0000000000000
DATA logf64<>+248(SB)/8, $0x3ff0000000000000
DATA logf64<>+256(SB)/8, $0x4000000000000000 // 2
DATA logf64<>+264(SB)/8, $0x4000000000000000
DATA logf64<>+272(SB)/8, $0x4000000000000000
DATA logf64<>+280(SB)/8, $0x4000000000000000
DATA logf64<>+288(SB)/8, $0x3fe0000000000000 // ½
DATA logf64<>+296(SB)/8, $0x3fe0000000000000
DATA logf64<>+304(SB)/8, $0x3fe0000000000000
DATA logf64<>+312(SB)/8, $0x3fe0000000000000
DATA logf64<>+320(SB)/8, $0x3fe62e42fee00000 // ln 2 rounded to 32 bits
DATA logf64<>+328(SB)/8, $0x3fe62e42fee00000
DATA logf64<>+336(SB)/8, $0x3fe62e42fee00000
DATA logf64<>+344(SB)/8, $0x3fe62e42fee00000
DATA logf64<>+352(SB)/8, $0x3dea39ef35793c76
DATA logf64<>+360(SB)/8, $0x3dea39ef35793c76
DATA logf64<>+368(SB)/8, $0x3dea39ef35793c76
DATA logf64<>+376(SB)/8, $0x3dea39ef35793c76
DATA logf64<>+384(SB)/8, $0x3ff71547652b82fe // 1/ln 2
DATA logf64<>+392(SB)/8, $0x3ff71547652b82fe
DATA logf64<>+400(SB)/8, $0x3ff71547652b82fe
DATA logf64<>+408(SB)/8, $0x3ff71547652b82fe
DATA logf64<>+416(SB)/8, $0x3c7777d0ffda0d24
DATA logf64<>+424(SB)/8, $0x3c7777d0ffda0d24
DATA logf64<>+432(SB)/8, $0x3c7777d0ffda0d24
DATA logf64<>+440(SB)/8, $0x3c7777d0ffda0d24
DATA logf64<>+448(SB)/8, $0x3fc2f02510388cde
DATA logf64<>+456(SB)/8, $0x3fc2f02510388cde
DATA logf64<>+464(SB)/8, $0x3fc2f02510388cde
DATA logf64<>+472(SB)/8, $0x3fc2f02510388cde
DATA logf64<>+480(SB)/8, $0x3fc39a20baf253c4
DATA logf64<>+488(SB)/8, $0x3fc39a20baf253c4
DATA logf64<>+496(SB)/8, $0x3fc39a20baf253c4
DATA logf64<>+504(SB)/8, $0x3fc39a20baf253c4
DATA logf64<>+512(SB)/8, $0x3fc74663ba2fb10e
DATA logf64<>+520(SB)/8, $0x3fc74663ba2fb10e
DATA logf64<>+528(SB)/8, $0x3fc74663ba2fb10e
DATA logf64<>+536(SB)/8, $0x3fc74663ba2fb10e
DATA logf64<>+544(SB)/8, $0x3fcc71c521a1a7f0
DATA logf64<>+552(SB)/8, $0x3fcc71c521a1a7f0
DATA logf64<>+560(SB)/8, $0x3fcc71c521a1a7f0
DATA logf64<>+568(SB)/8, $0x3fcc71c521a1a7f0
DATA logf64<>+576(SB)/8, $0x3fd24924941db482
DATA logf64<>+584(SB)/8, $0x3fd24924941db482
DATA logf64<>+592(SB)/8, $0x3fd24924941db482
DATA logf64<>+600(SB)/8, $0x3fd24924941db482
DATA logf64<>+608(SB)/8, $0x3fd999999997ff63
DATA logf64<>+616(SB)/8, $0x3fd999999997ff63
DATA logf64<>+624(SB)/8, $0x3fd999999997ff63
DATA logf64<>+632(SB)/8, $0x3fd999999997ff63
DATA logf64<>+640(SB)/8, $0x3fe5555555555592
DATA logf64<>+648(SB)/8, $0x3fe5555555555592
DATA logf64<>+656(SB)/8, $0x3fe5555555555592
DATA logf64<>+664(SB)/8, $0x3fe5555555555592
GLOBL logf64<>(SB), RODATA|NOPTR, $672

#define F64
#define AFFINE ·affineAVX2F64
#define MAXIMUM ·maximumAVX2F64
#define affineargs 48
#include "type_amd64.h"
#include "vector_avx2_amd64.h"
#define LOG ·logAVX2F64
#include "log_avx2_amd64.h"
#undef LOG
#define LOG ·log2AVX2F64
#define BASE2
#include "log_avx2_amd64.h"
#undef LOG
#undef BASE2
#undef F64
#undef AFFINE
#undef MAXIMUM
#undef affineargs

#define F32
#define AFFINE ·affineAVX2F32
#define MAXIMUM ·maximumAVX2F32
#define affineargs 36
#include "type_amd64.h"
#include "vector_avx2_amd64.h"
#undef F32
#undef AFFINE
#undef MAXIMUM
#undef affineargs
