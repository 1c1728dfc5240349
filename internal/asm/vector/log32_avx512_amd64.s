// log for float32 with AVX-512 F.
//
//	log    dst[i] = ln x[i]        0≤i<n
//	log2   dst[i] = log₂ x[i]      0≤i<n
//
// Same bits as    logRef and log2Ref in ref.go.
// Layout          x and dst have n contiguous elements. dst may be x. n is a positive multiple of 16 (64
//                 bytes).
// Tile            one vector.
// Tail            none. The caller computes the remaining elements.
// Special values  The kernel stops before a vector with an x that is not a positive normal number, and returns
//                 the number of elements before this vector.
// Registers       SI x · DI dst · CX bytes · DX offset · AX mask · K1 comparison · Z0 x, then m, r and
//                 e · Z2 k · Z4 cells, then part of Q, then b · Z6 t · Z8 w · Z10 r² · Z12 Q · Z16–Z30
//                 constants.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define xp SI
#define dp DI
#define bytes CX
#define at DX

// The following macros are offsets of constants. The first three constants are tables of eight entries. Every table is
// stored twice, because VPERMPS selects one of 16 entries. The constants that multiply the exponent k contain a factor
// 2^-23, because a register holds k·2^23 instead of k.
#define INVERSE 0*64
#define TABLEHI 1*64
#define TABLELO 2*64
#define LEAST 192+0*size
#define MOST 192+1*size
#define BIAS 192+2*size
#define MASK 192+3*size
#define ONE 192+4*size
#define LN2HI 192+5*size
#define LN2LO 192+6*size
#define C3 192+7*size
#define C2 192+8*size
#define C1 192+9*size
#define C0 192+10*size
#define INVLN2 192+11*size

DATA logf32<>+0(SB)/4, $0x3fbc0000 // the factors c ≈ 1/m of the eight table cells, where m is the mantissa of x
DATA logf32<>+4(SB)/4, $0x3fac0000
DATA logf32<>+8(SB)/4, $0x3fa00000
DATA logf32<>+12(SB)/4, $0x3f900000
DATA logf32<>+16(SB)/4, $0x3f880000
DATA logf32<>+20(SB)/4, $0x3f800000
DATA logf32<>+24(SB)/4, $0x3f680000
DATA logf32<>+28(SB)/4, $0x3f500000
DATA logf32<>+32(SB)/4, $0x3fbc0000
DATA logf32<>+36(SB)/4, $0x3fac0000
DATA logf32<>+40(SB)/4, $0x3fa00000
DATA logf32<>+44(SB)/4, $0x3f900000
DATA logf32<>+48(SB)/4, $0x3f880000
DATA logf32<>+52(SB)/4, $0x3f800000
DATA logf32<>+56(SB)/4, $0x3f680000
DATA logf32<>+60(SB)/4, $0x3f500000
DATA logf32<>+64(SB)/4, $0xbec4d200 // high parts of −ln c for the eight factors c; the low parts follow
DATA logf32<>+68(SB)/4, $0xbe974700
DATA logf32<>+72(SB)/4, $0xbe648000
DATA logf32<>+76(SB)/4, $0xbdf13800
DATA logf32<>+80(SB)/4, $0xbd785000
DATA logf32<>+84(SB)/4, $0x00000000
DATA logf32<>+88(SB)/4, $0x3dc99c00
DATA logf32<>+92(SB)/4, $0x3e54a000
DATA logf32<>+96(SB)/4, $0xbec4d200
DATA logf32<>+100(SB)/4, $0xbe974700
DATA logf32<>+104(SB)/4, $0xbe648000
DATA logf32<>+108(SB)/4, $0xbdf13800
DATA logf32<>+112(SB)/4, $0xbd785000
DATA logf32<>+116(SB)/4, $0x00000000
DATA logf32<>+120(SB)/4, $0x3dc99c00
DATA logf32<>+124(SB)/4, $0x3e54a000
DATA logf32<>+128(SB)/4, $0x364793ec
DATA logf32<>+132(SB)/4, $0xb52eb847
DATA logf32<>+136(SB)/4, $0x35838656
DATA logf32<>+140(SB)/4, $0xb4edc55e
DATA logf32<>+144(SB)/4, $0xb5c30046
DATA logf32<>+148(SB)/4, $0x00000000
DATA logf32<>+152(SB)/4, $0xb6068a9b
DATA logf32<>+156(SB)/4, $0xb6161ba9
DATA logf32<>+160(SB)/4, $0x364793ec
DATA logf32<>+164(SB)/4, $0xb52eb847
DATA logf32<>+168(SB)/4, $0x35838656
DATA logf32<>+172(SB)/4, $0xb4edc55e
DATA logf32<>+176(SB)/4, $0xb5c30046
DATA logf32<>+180(SB)/4, $0x00000000
DATA logf32<>+184(SB)/4, $0xb6068a9b
DATA logf32<>+188(SB)/4, $0xb6161ba9
DATA logf32<>+192(SB)/4, $0x00800000 // 2^-126
DATA logf32<>+196(SB)/4, $0x00ffffff // one less than the bits of 2^-125
DATA logf32<>+200(SB)/4, $0x3f254000 // smallest number in the first table cell
DATA logf32<>+204(SB)/4, $0xff800000 // mask of the sign and exponent
DATA logf32<>+208(SB)/4, $0x3f800000 // 1
DATA logf32<>+212(SB)/4, $0x33b17200 // high part of 2^-23·ln 2; the low part follows
DATA logf32<>+216(SB)/4, $0x2a3fbe8e
DATA logf32<>+220(SB)/4, $0x3e4d901d // coefficients of the polynomial Q
DATA logf32<>+224(SB)/4, $0xbe805b43
DATA logf32<>+228(SB)/4, $0x3eaaaa8c
DATA logf32<>+232(SB)/4, $0xbeffffec
GLOBL logf32<>(SB), RODATA|NOPTR, $236

DATA log2f32<>+0(SB)/4, $0x3fbc0000 // the factors c ≈ 1/m of the eight table cells, where m is the mantissa of x
DATA log2f32<>+4(SB)/4, $0x3fac0000
DATA log2f32<>+8(SB)/4, $0x3fa00000
DATA log2f32<>+12(SB)/4, $0x3f900000
DATA log2f32<>+16(SB)/4, $0x3f880000
DATA log2f32<>+20(SB)/4, $0x3f800000
DATA log2f32<>+24(SB)/4, $0x3f680000
DATA log2f32<>+28(SB)/4, $0x3f500000
DATA log2f32<>+32(SB)/4, $0x3fbc0000
DATA log2f32<>+36(SB)/4, $0x3fac0000
DATA log2f32<>+40(SB)/4, $0x3fa00000
DATA log2f32<>+44(SB)/4, $0x3f900000
DATA log2f32<>+48(SB)/4, $0x3f880000
DATA log2f32<>+52(SB)/4, $0x3f800000
DATA log2f32<>+56(SB)/4, $0x3f680000
DATA log2f32<>+60(SB)/4, $0x3f500000
DATA log2f32<>+64(SB)/4, $0xbf0dfa00 // high parts of −log₂ c for the eight factors c; the low parts follow
DATA log2f32<>+68(SB)/4, $0xbeda4000
DATA log2f32<>+72(SB)/4, $0xbea4d400
DATA log2f32<>+76(SB)/4, $0xbe2e0000
DATA log2f32<>+80(SB)/4, $0xbdb32000
DATA log2f32<>+84(SB)/4, $0x00000000
DATA log2f32<>+88(SB)/4, $0x3e116c00
DATA log2f32<>+92(SB)/4, $0x3e996000
DATA log2f32<>+96(SB)/4, $0xbf0dfa00
DATA log2f32<>+100(SB)/4, $0xbeda4000
DATA log2f32<>+104(SB)/4, $0xbea4d400
DATA log2f32<>+108(SB)/4, $0xbe2e0000
DATA log2f32<>+112(SB)/4, $0xbdb32000
DATA log2f32<>+116(SB)/4, $0x00000000
DATA log2f32<>+120(SB)/4, $0x3e116c00
DATA log2f32<>+124(SB)/4, $0x3e996000
DATA log2f32<>+128(SB)/4, $0x36ee16a3
DATA log2f32<>+132(SB)/4, $0x36a0463c
DATA log2f32<>+136(SB)/4, $0x35f6865d
DATA log2f32<>+140(SB)/4, $0xb651cfdf
DATA log2f32<>+144(SB)/4, $0x3510536f
DATA log2f32<>+148(SB)/4, $0x00000000
DATA log2f32<>+152(SB)/4, $0x36b70aad
DATA log2f32<>+156(SB)/4, $0xb48e4789
DATA log2f32<>+160(SB)/4, $0x36ee16a3
DATA log2f32<>+164(SB)/4, $0x36a0463c
DATA log2f32<>+168(SB)/4, $0x35f6865d
DATA log2f32<>+172(SB)/4, $0xb651cfdf
DATA log2f32<>+176(SB)/4, $0x3510536f
DATA log2f32<>+180(SB)/4, $0x00000000
DATA log2f32<>+184(SB)/4, $0x36b70aad
DATA log2f32<>+188(SB)/4, $0xb48e4789
DATA log2f32<>+192(SB)/4, $0x00800000 // 2^-126
DATA log2f32<>+196(SB)/4, $0x00ffffff // one less than the bits of 2^-125
DATA log2f32<>+200(SB)/4, $0x3f254000 // smallest number in the first table cell
DATA log2f32<>+204(SB)/4, $0xff800000 // mask of the sign and exponent
DATA log2f32<>+208(SB)/4, $0x3f800000 // 1
DATA log2f32<>+212(SB)/4, $0x34000000 // 2^-23
DATA log2f32<>+216(SB)/4, $0x32a57060 // low part of 1/ln 2
DATA log2f32<>+220(SB)/4, $0x3e944f27 // coefficients of the polynomial Q
DATA log2f32<>+224(SB)/4, $0xbeb92d34
DATA log2f32<>+228(SB)/4, $0x3ef6381d
DATA log2f32<>+232(SB)/4, $0xbf38aa2d
DATA log2f32<>+236(SB)/4, $0x3fb8aa3b // 1/ln 2
GLOBL log2f32<>(SB), RODATA|NOPTR, $240

#define F32
#include "type_amd64.h"
#undef logc
#define LOG ·logAVX512F32
#define logc logf32<>
#include "log32_avx512_amd64.h"
#undef LOG
#undef logc
#define LOG ·log2AVX512F32
#define logc log2f32<>
#define BASE2
#include "log32_avx512_amd64.h"
