// log for float32 with AVX2 + FMA.
//
//	log    dst[i] = ln x[i]        0≤i<n
//	log2   dst[i] = log₂ x[i]      0≤i<n
//
// Same bits as    logRef and log2Ref in ref.go.
// Layout          x and dst have n contiguous elements. dst may be x. n is a positive multiple of 16 (64
//                 bytes).
// Tile            two vectors, 64 bytes.
// Tail            none. The caller computes the remaining elements.
// Special values  The kernel stops before a tile with an x that is not a positive normal number, and returns
//                 the number of elements before this tile.
// Registers       SI x · DI dst · CX bytes · DX offset · AX signs · Y0 Y1 x, then m, r and e · Y2 Y3
//                 k · Y4 Y5 cells, then a part of Q, then b · Y6 Y7 t · Y8 Y9 w · Y10 Y11 r² · Y12
//                 Y13 Q · Y14 Y15 constants.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define xp SI
#define dp DI
#define bytes CX
#define at DX

// The following macros are offsets of constants. The first three constants are tables of eight entries. All other
// constants fill all lanes of a register. The constants that multiply the exponent k contain a factor 2^-23, because a
// register holds k·2^23 instead of k.
#define INVERSE 0*32
#define TABLEHI 1*32
#define TABLELO 2*32
#define LEAST 3*32
#define MOST 4*32
#define BIAS 5*32
#define MASK 6*32
#define ONE 7*32
#define LN2HI 8*32
#define LN2LO 9*32
#define INVLN2LO 9*32
#define C3 10*32
#define C2 11*32
#define C1 12*32
#define C0 13*32
#define INVLN2 14*32

DATA logf32<>+0(SB)/8, $0x3fac00003fbc0000 // the factors c ≈ 1/m of the eight table cells, where m is the mantissa of x
DATA logf32<>+8(SB)/8, $0x3f9000003fa00000
DATA logf32<>+16(SB)/8, $0x3f8000003f880000
DATA logf32<>+24(SB)/8, $0x3f5000003f680000
DATA logf32<>+32(SB)/8, $0xbe974700bec4d200 // high parts of −ln c for the eight factors c; the low parts follow
DATA logf32<>+40(SB)/8, $0xbdf13800be648000
DATA logf32<>+48(SB)/8, $0x00000000bd785000
DATA logf32<>+56(SB)/8, $0x3e54a0003dc99c00
DATA logf32<>+64(SB)/8, $0xb52eb847364793ec
DATA logf32<>+72(SB)/8, $0xb4edc55e35838656
DATA logf32<>+80(SB)/8, $0x00000000b5c30046
DATA logf32<>+88(SB)/8, $0xb6161ba9b6068a9b
DATA logf32<>+96(SB)/8, $0x0080000000800000 // 2^-126
DATA logf32<>+104(SB)/8, $0x0080000000800000
DATA logf32<>+112(SB)/8, $0x0080000000800000
DATA logf32<>+120(SB)/8, $0x0080000000800000
DATA logf32<>+128(SB)/8, $0x00ffffff00ffffff // one less than the bits of 2^-125
DATA logf32<>+136(SB)/8, $0x00ffffff00ffffff
DATA logf32<>+144(SB)/8, $0x00ffffff00ffffff
DATA logf32<>+152(SB)/8, $0x00ffffff00ffffff
DATA logf32<>+160(SB)/8, $0x3f2540003f254000 // smallest number in the first table cell
DATA logf32<>+168(SB)/8, $0x3f2540003f254000
DATA logf32<>+176(SB)/8, $0x3f2540003f254000
DATA logf32<>+184(SB)/8, $0x3f2540003f254000
DATA logf32<>+192(SB)/8, $0xff800000ff800000 // mask of the sign and exponent
DATA logf32<>+200(SB)/8, $0xff800000ff800000
DATA logf32<>+208(SB)/8, $0xff800000ff800000
DATA logf32<>+216(SB)/8, $0xff800000ff800000
DATA logf32<>+224(SB)/8, $0x3f8000003f800000 // 1
DATA logf32<>+232(SB)/8, $0x3f8000003f800000
DATA logf32<>+240(SB)/8, $0x3f8000003f800000
DATA logf32<>+248(SB)/8, $0x3f8000003f800000
DATA logf32<>+256(SB)/8, $0x33b1720033b17200 // high part of 2^-23·ln 2; the low part follows
DATA logf32<>+264(SB)/8, $0x33b1720033b17200
DATA logf32<>+272(SB)/8, $0x33b1720033b17200
DATA logf32<>+280(SB)/8, $0x33b1720033b17200
DATA logf32<>+288(SB)/8, $0x2a3fbe8e2a3fbe8e
DATA logf32<>+296(SB)/8, $0x2a3fbe8e2a3fbe8e
DATA logf32<>+304(SB)/8, $0x2a3fbe8e2a3fbe8e
DATA logf32<>+312(SB)/8, $0x2a3fbe8e2a3fbe8e
DATA logf32<>+320(SB)/8, $0x3e4d901d3e4d901d // coefficients of the polynomial Q
DATA logf32<>+328(SB)/8, $0x3e4d901d3e4d901d
DATA logf32<>+336(SB)/8, $0x3e4d901d3e4d901d
DATA logf32<>+344(SB)/8, $0x3e4d901d3e4d901d
DATA logf32<>+352(SB)/8, $0xbe805b43be805b43
DATA logf32<>+360(SB)/8, $0xbe805b43be805b43
DATA logf32<>+368(SB)/8, $0xbe805b43be805b43
DATA logf32<>+376(SB)/8, $0xbe805b43be805b43
DATA logf32<>+384(SB)/8, $0x3eaaaa8c3eaaaa8c
DATA logf32<>+392(SB)/8, $0x3eaaaa8c3eaaaa8c
DATA logf32<>+400(SB)/8, $0x3eaaaa8c3eaaaa8c
DATA logf32<>+408(SB)/8, $0x3eaaaa8c3eaaaa8c
DATA logf32<>+416(SB)/8, $0xbeffffecbeffffec
DATA logf32<>+424(SB)/8, $0xbeffffecbeffffec
DATA logf32<>+432(SB)/8, $0xbeffffecbeffffec
DATA logf32<>+440(SB)/8, $0xbeffffecbeffffec
GLOBL logf32<>(SB), RODATA|NOPTR, $448

DATA log2f32<>+0(SB)/8, $0x3fac00003fbc0000 // the factors c ≈ 1/m of the eight table cells, where m is the mantissa of x
DATA log2f32<>+8(SB)/8, $0x3f9000003fa00000
DATA log2f32<>+16(SB)/8, $0x3f8000003f880000
DATA log2f32<>+24(SB)/8, $0x3f5000003f680000
DATA log2f32<>+32(SB)/8, $0xbeda4000bf0dfa00 // high parts of −log₂ c for the eight factors c; the low parts follow
DATA log2f32<>+40(SB)/8, $0xbe2e0000bea4d400
DATA log2f32<>+48(SB)/8, $0x00000000bdb32000
DATA log2f32<>+56(SB)/8, $0x3e9960003e116c00
DATA log2f32<>+64(SB)/8, $0x36a0463c36ee16a3
DATA log2f32<>+72(SB)/8, $0xb651cfdf35f6865d
DATA log2f32<>+80(SB)/8, $0x000000003510536f
DATA log2f32<>+88(SB)/8, $0xb48e478936b70aad
DATA log2f32<>+96(SB)/8, $0x0080000000800000 // 2^-126
DATA log2f32<>+104(SB)/8, $0x0080000000800000
DATA log2f32<>+112(SB)/8, $0x0080000000800000
DATA log2f32<>+120(SB)/8, $0x0080000000800000
DATA log2f32<>+128(SB)/8, $0x00ffffff00ffffff // one less than the bits of 2^-125
DATA log2f32<>+136(SB)/8, $0x00ffffff00ffffff
DATA log2f32<>+144(SB)/8, $0x00ffffff00ffffff
DATA log2f32<>+152(SB)/8, $0x00ffffff00ffffff
DATA log2f32<>+160(SB)/8, $0x3f2540003f254000 // smallest number in the first table cell
DATA log2f32<>+168(SB)/8, $0x3f2540003f254000
DATA log2f32<>+176(SB)/8, $0x3f2540003f254000
DATA log2f32<>+184(SB)/8, $0x3f2540003f254000
DATA log2f32<>+192(SB)/8, $0xff800000ff800000 // mask of the sign and exponent
DATA log2f32<>+200(SB)/8, $0xff800000ff800000
DATA log2f32<>+208(SB)/8, $0xff800000ff800000
DATA log2f32<>+216(SB)/8, $0xff800000ff800000
DATA log2f32<>+224(SB)/8, $0x3f8000003f800000 // 1
DATA log2f32<>+232(SB)/8, $0x3f8000003f800000
DATA log2f32<>+240(SB)/8, $0x3f8000003f800000
DATA log2f32<>+248(SB)/8, $0x3f8000003f800000
DATA log2f32<>+256(SB)/8, $0x3400000034000000 // 2^-23
DATA log2f32<>+264(SB)/8, $0x3400000034000000
DATA log2f32<>+272(SB)/8, $0x3400000034000000
DATA log2f32<>+280(SB)/8, $0x3400000034000000
DATA log2f32<>+288(SB)/8, $0x32a5706032a57060 // low part of 1/ln 2
DATA log2f32<>+296(SB)/8, $0x32a5706032a57060
DATA log2f32<>+304(SB)/8, $0x32a5706032a57060
DATA log2f32<>+312(SB)/8, $0x32a5706032a57060
DATA log2f32<>+320(SB)/8, $0x3e944f273e944f27 // coefficients of the polynomial Q
DATA log2f32<>+328(SB)/8, $0x3e944f273e944f27
DATA log2f32<>+336(SB)/8, $0x3e944f273e944f27
DATA log2f32<>+344(SB)/8, $0x3e944f273e944f27
DATA log2f32<>+352(SB)/8, $0xbeb92d34beb92d34
DATA log2f32<>+360(SB)/8, $0xbeb92d34beb92d34
DATA log2f32<>+368(SB)/8, $0xbeb92d34beb92d34
DATA log2f32<>+376(SB)/8, $0xbeb92d34beb92d34
DATA log2f32<>+384(SB)/8, $0x3ef6381d3ef6381d
DATA log2f32<>+392(SB)/8, $0x3ef6381d3ef6381d
DATA log2f32<>+400(SB)/8, $0x3ef6381d3ef6381d
DATA log2f32<>+408(SB)/8, $0x3ef6381d3ef6381d
DATA log2f32<>+416(SB)/8, $0xbf38aa2dbf38aa2d
DATA log2f32<>+424(SB)/8, $0xbf38aa2dbf38aa2d
DATA log2f32<>+432(SB)/8, $0xbf38aa2dbf38aa2d
DATA log2f32<>+440(SB)/8, $0xbf38aa2dbf38aa2d
DATA log2f32<>+448(SB)/8, $0x3fb8aa3b3fb8aa3b // 1/ln 2
DATA log2f32<>+456(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA log2f32<>+464(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA log2f32<>+472(SB)/8, $0x3fb8aa3b3fb8aa3b
GLOBL log2f32<>(SB), RODATA|NOPTR, $480

#define F32
#include "type_amd64.h"
#undef logc
#define LOG ·logAVX2F32
#define logc logf32<>
#include "log32_avx2_amd64.h"
#undef LOG
#undef logc
#define LOG ·log2AVX2F32
#define logc log2f32<>
#define BASE2
#include "log32_avx2_amd64.h"
