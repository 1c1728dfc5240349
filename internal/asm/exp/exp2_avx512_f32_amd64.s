// exp2, float32, AVX-512 F.
//
//	dst[i] = 2^(c·x[i])      0≤i<n
//
// Same bits as    ref32 in ref.go of y = c·x[i], rounded.
// Layout          x, dst n elements, contiguous; dst may be x. n ≥ 1.
// Tile            48 elements, three vectors, in constant time while none overflows; else,
//                 and at the end, one vector at a time.
// Tail            opmask K1. No access outside the slices.
// Special values  opmasks tell what is below the least normal number and what overflows; a
//                 positive NaN takes the slower way to the same NaN.
// Registers       SI x · DI dst · DX elements left · CX elements to take one vector at a
//                 time · AX scratch · K1 mask of a vector · Z0–Z2 y, then q · Z24–Z26 t, then
//                 S · Z27–Z29 f · Z22 the largest y in three vectors · Z23 c · Z30 table ·
//                 Z31 magic.
// Source          own; the core is exp2_avx512_amd64.h.

//go:build amd64 && !purego

#include "textflag.h"
#include "exp2_avx512_amd64.h"

#define src SI
#define out DI
#define left DX
#define todo CX
#define mask K1
#define fast Z22
#define factor Z23
#define table Z30
#define magic Z31

// func exp2AVX512F32(n int, dst, x *float32, c float32)
TEXT ·exp2AVX512F32(SB), NOSPLIT, $0-28
	MOVQ         n+0(FP), left
	MOVQ         dst+8(FP), out
	MOVQ         x+16(FP), src
	VBROADCASTSS c+24(FP), factor
	VBROADCASTSS exp2f32<>+EXP2_F32_MAGIC(SB), magic
	VMOVDQU64    exp2f32<>+EXP2_F32_TABLE(SB), table
	VPBROADCASTD exp2f32<>+EXP2_F32_FAST(SB), fast

loop:
	SUBQ $48, left
	JLT  tail

	// y = c·x
	VMULPS (src), factor, Z0
	VMULPS 64(src), factor, Z1
	VMULPS 128(src), factor, Z2

	// does a y overflow, by their bits?
	VPMAXSD  Z0, Z1, Z24
	VPMAXSD  Z2, Z24, Z24
	VPCMPGTD fast, Z24, K1
	KORTESTW K1, K1
	JNE      outside

#define y0 Z0
#define y1 Z1
#define y2 Z2
#include "exp2three_avx512_f32_amd64.h"

	VMOVUPS Z0, (out)
	VMOVUPS Z1, 64(out)
	VMOVUPS Z2, 128(out)
	ADDQ    $192, src
	ADDQ    $192, out
	JMP     loop

tail:
	ADDQ $48, left
	JEQ  done
	MOVQ left, todo
	XORL left, left
	JMP  vectorloop

outside:
	MOVL $48, todo

vectorloop:
	MOVL $-1, AX
	CMPQ todo, $16
	JGE  vector

	// the mask of the short step
	MOVL $1, AX
	SHLL CX, AX
	DECL AX

vector:
	// y = c·x
	KMOVW     AX, mask
	VMOVUPS.Z (src), mask, Z0
	VMULPS    Z0, factor, Z0

#include "exp2one_avx512_f32_amd64.h"

	VMOVUPS Z0, mask, (out)
	ADDQ    $64, src
	ADDQ    $64, out
	SUBQ    $16, todo
	JGT     vectorloop
	JMP     loop

done:
	VZEROUPPER
	RET
