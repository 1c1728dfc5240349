// roundInt8, signBits for float64 and float32 with AVX2 + FMA.
//
//	roundInt8   dst_i = src_i·inverse, rounded to an integer
//	signBits    bit i of dst is 1 if src_i < 0, and 0 otherwise      0≤i<n
//
// Same bits as    roundInt8Ref and signBitsRef in ref.go. For each element, roundInt8 computes one FMA and one addition
//                 in float64, and signBits computes one comparison.
// Layout          src has n elements. dst has n elements in roundInt8 and n bits in signBits. n is a positive
//                 multiple of 16.
// Tile            16 elements, in four float64 registers (roundInt8) or two float32 registers (signBits).
// Tail            none, because n is a multiple of 16.
// Special values  roundInt8 expects products from −128.5 to 127.5. In signBits, zeros of both signs and NaN are not negative.
// Registers       CX elements left · DI dst · SI src · AX constants and bits · Y0–Y3 elements · Y8 inverse · Y9 snap · Y10 shift ·
//                 Y11 Y12 byte indices. signBits: Y8 zero.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

// order contains byte indices for VPSHUFB. With these indices, VPSHUFB gathers the lowest bytes of
// 32-bit integers in element order.
DATA order<>+0(SB)/8, $0x80800c0880800400
DATA order<>+8(SB)/8, $0x8080808080808080
DATA order<>+16(SB)/8, $0x0c08808004008080
DATA order<>+24(SB)/8, $0x8080808080808080
DATA order<>+32(SB)/8, $0x8080808080808080
DATA order<>+40(SB)/8, $0x80800c0880800400
DATA order<>+48(SB)/8, $0x8080808080808080
DATA order<>+56(SB)/8, $0x0c08808004008080
GLOBL order<>(SB), RODATA|NOPTR, $64

#define left CX
#define dp DI
#define from SI

// round4 rounds the products of four elements and the factor inverse to integers. It leaves the integers in the lowest bits
// of the elements of t.
#define round4(at, t) \
	VCVTPS2PD   at(from), t; \
	VFMADD213PD Y9, Y8, t;   \
	VADDPD      Y10, t, t

// signs8 stores one bit for each of eight elements: 1 if the element is negative.
#define signs8(at, to, x) \
	VMOVUPS   at(from), x;    \
	VCMPPS    $17, Y8, x, x;  \
	VMOVMSKPS x, AX;          \
	MOVB      AX, to(dp)

// func roundInt8AVX2(n int, dst *int8, src *float32, inverse float64)
TEXT ·roundInt8AVX2(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), left
	MOVQ         dst+8(FP), dp
	MOVQ         src+16(FP), from
	VBROADCASTSD inverse+24(FP), Y8
	MOVQ         $0x4158000000000000, AX // 1.5·2²²
	VMOVQ        AX, X9
	VBROADCASTSD X9, Y9
	MOVQ         $0x4337ffffffa00000, AX // 1.5·2⁵² − 1.5·2²²
	VMOVQ        AX, X10
	VBROADCASTSD X10, Y10
	VMOVDQU      order<>+0(SB), Y11
	VMOVDQU      order<>+32(SB), Y12

loop:
	round4(0, Y0)
	round4(16, Y1)
	round4(32, Y2)
	round4(48, Y3)
	VSHUFPS      $0x88, Y1, Y0, Y0
	VSHUFPS      $0x88, Y3, Y2, Y2
	VPSHUFB      Y11, Y0, Y0
	VPSHUFB      Y12, Y2, Y2
	VPOR         Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPOR         X1, X0, X0
	VMOVDQU      X0, (dp)
	ADDQ         $64, from
	ADDQ         $16, dp
	SUBQ         $16, left
	JNZ          loop
	VZEROUPPER
	RET

// func signBitsAVX2(n int, dst *byte, src *float32)
TEXT ·signBitsAVX2(SB), NOSPLIT, $0-24
	MOVQ  n+0(FP), left
	MOVQ  dst+8(FP), dp
	MOVQ  src+16(FP), from
	VPXOR Y8, Y8, Y8

loop:
	signs8(0, 0, Y0)
	signs8(32, 1, Y1)
	ADDQ $64, from
	ADDQ $2, dp
	SUBQ $16, left
	JNZ  loop
	VZEROUPPER
	RET
