// log for float32 with NEON.
//
//	log    dst[i] = ln x[i]        0≤i<n
//	log2   dst[i] = log₂ x[i]      0≤i<n
//
// Same bits as    logRef and log2Ref in ref.go.
// Layout          x and dst have n contiguous elements. dst may be x. n is a positive multiple of 16 (64
//                 bytes).
// Tile            four registers, 64 bytes.
// Tail            none. The caller computes the remaining elements.
// Special values  The kernel stops before a tile with an x that is not a positive normal number, and returns
//                 the number of elements before this tile.
// Registers       R0 bytes left · R1 x · R2 dst · R3 constants · R4 elements · R5 R6 comparisons ·
//                 V0–V3 x, then m, then b · V4–V7 k, then Q, then e · V8–V11 cells, then c, then part of
//                 Q · V12–V15 r² · V16–V19 t · V20–V23 byte indices, then w · V24–V27 r · V28–V31
//                 constants.
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

// The following macros are offsets of constants. The first three constants are tables of eight entries. All other
// constants fill all lanes of a register.
#define INVERSE 0
#define TABLEHI 32
#define TABLELO 64
#define LEAST 96
#define MOST 112
#define BIAS 128
#define MASK 144
#define ONE 160
#define LN2HI 176
#define LN2LO 192
#define C3 208
#define C2 224
#define C1 240
#define C0 256
#define INVLN2 272
#define BYTE2 288
#define ENTRY 304
#define CELL 320

// The FILL macros load constant c into four registers. The macro name contains the number of the first register.
#define FILL_4(c) \
	FMOVQ c(consts), F4; \
	FMOVQ c(consts), F5; \
	FMOVQ c(consts), F6; \
	FMOVQ c(consts), F7
#define FILL_8(c) \
	FMOVQ c(consts), F8; \
	FMOVQ c(consts), F9; \
	FMOVQ c(consts), F10; \
	FMOVQ c(consts), F11
#define FILL_20(c) \
	FMOVQ c(consts), F20; \
	FMOVQ c(consts), F21; \
	FMOVQ c(consts), F22; \
	FMOVQ c(consts), F23
#define FILL_24(c) \
	FMOVQ c(consts), F24; \
	FMOVQ c(consts), F25; \
	FMOVQ c(consts), F26; \
	FMOVQ c(consts), F27

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
DATA logf32<>+112(SB)/8, $0x7f7fffff7f7fffff // the largest number
DATA logf32<>+120(SB)/8, $0x7f7fffff7f7fffff
DATA logf32<>+128(SB)/8, $0x3f2540003f254000 // smallest number in the first table cell
DATA logf32<>+136(SB)/8, $0x3f2540003f254000
DATA logf32<>+144(SB)/8, $0xff800000ff800000 // mask of the sign and exponent
DATA logf32<>+152(SB)/8, $0xff800000ff800000
DATA logf32<>+160(SB)/8, $0xbf800000bf800000 // −1
DATA logf32<>+168(SB)/8, $0xbf800000bf800000
DATA logf32<>+176(SB)/8, $0x3f3172003f317200 // high part of ln 2; the low part follows
DATA logf32<>+184(SB)/8, $0x3f3172003f317200
DATA logf32<>+192(SB)/8, $0x35bfbe8e35bfbe8e
DATA logf32<>+200(SB)/8, $0x35bfbe8e35bfbe8e
DATA logf32<>+208(SB)/8, $0x3e4d901d3e4d901d // coefficients of the polynomial Q
DATA logf32<>+216(SB)/8, $0x3e4d901d3e4d901d
DATA logf32<>+224(SB)/8, $0xbe805b43be805b43
DATA logf32<>+232(SB)/8, $0xbe805b43be805b43
DATA logf32<>+240(SB)/8, $0x3eaaaa8c3eaaaa8c
DATA logf32<>+248(SB)/8, $0x3eaaaa8c3eaaaa8c
DATA logf32<>+256(SB)/8, $0xbeffffecbeffffec
DATA logf32<>+264(SB)/8, $0xbeffffecbeffffec
DATA logf32<>+272(SB)/8, $0x0000000000000000
DATA logf32<>+280(SB)/8, $0x0000000000000000
DATA logf32<>+288(SB)/8, $0x0606060602020202 // index of the byte with the cell number
DATA logf32<>+296(SB)/8, $0x0e0e0e0e0a0a0a0a
DATA logf32<>+304(SB)/8, $0x0302010003020100 // offsets of the four bytes of a table entry
DATA logf32<>+312(SB)/8, $0x0302010003020100
DATA logf32<>+320(SB)/8, $0x0070000000700000 // mask of the three bits that select the table cell
DATA logf32<>+328(SB)/8, $0x0070000000700000
GLOBL logf32<>(SB), RODATA|NOPTR, $336

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
DATA log2f32<>+112(SB)/8, $0x7f7fffff7f7fffff // the largest number
DATA log2f32<>+120(SB)/8, $0x7f7fffff7f7fffff
DATA log2f32<>+128(SB)/8, $0x3f2540003f254000 // smallest number in the first table cell
DATA log2f32<>+136(SB)/8, $0x3f2540003f254000
DATA log2f32<>+144(SB)/8, $0xff800000ff800000 // mask of the sign and exponent
DATA log2f32<>+152(SB)/8, $0xff800000ff800000
DATA log2f32<>+160(SB)/8, $0xbf800000bf800000 // −1
DATA log2f32<>+168(SB)/8, $0xbf800000bf800000
DATA log2f32<>+176(SB)/8, $0x3f8000003f800000 // 1
DATA log2f32<>+184(SB)/8, $0x3f8000003f800000
DATA log2f32<>+192(SB)/8, $0x32a5706032a57060 // low part of 1/ln 2
DATA log2f32<>+200(SB)/8, $0x32a5706032a57060
DATA log2f32<>+208(SB)/8, $0x3e944f273e944f27 // coefficients of the polynomial Q
DATA log2f32<>+216(SB)/8, $0x3e944f273e944f27
DATA log2f32<>+224(SB)/8, $0xbeb92d34beb92d34
DATA log2f32<>+232(SB)/8, $0xbeb92d34beb92d34
DATA log2f32<>+240(SB)/8, $0x3ef6381d3ef6381d
DATA log2f32<>+248(SB)/8, $0x3ef6381d3ef6381d
DATA log2f32<>+256(SB)/8, $0xbf38aa2dbf38aa2d
DATA log2f32<>+264(SB)/8, $0xbf38aa2dbf38aa2d
DATA log2f32<>+272(SB)/8, $0x3fb8aa3b3fb8aa3b // 1/ln 2
DATA log2f32<>+280(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA log2f32<>+288(SB)/8, $0x0606060602020202 // index of the byte with the cell number
DATA log2f32<>+296(SB)/8, $0x0e0e0e0e0a0a0a0a
DATA log2f32<>+304(SB)/8, $0x0302010003020100 // offsets of the four bytes of a table entry
DATA log2f32<>+312(SB)/8, $0x0302010003020100
DATA log2f32<>+320(SB)/8, $0x0070000000700000 // mask of the three bits that select the table cell
DATA log2f32<>+328(SB)/8, $0x0070000000700000
GLOBL log2f32<>(SB), RODATA|NOPTR, $336

#define F32
#include "type_arm64.h"
#undef LOGC
#define LOG ·logNEONF32
#define LOGC logf32<>
#include "log32_neon_arm64.h"
#undef LOG
#undef LOGC
#define LOG ·log2NEONF32
#define LOGC log2f32<>
#define BASE2
#include "log32_neon_arm64.h"
