// exp2, float32, AVX2 + FMA.
//
//	dst[i] = 2^(c·x[i])      0≤i<n
//
// Same bits as    ref32 in ref.go of y = c·x[i], rounded.
// Layout          x, dst n elements, contiguous; dst may be x. n ≥ 1.
// Tile            32 elements, in constant time while all y < 127.875; a block that holds
//                 a larger one or a NaN goes 8 by 8 through the general body.
// Tail            the general body, for the last n mod 8 with masked load and store. No
//                 access outside the slices.
// Special values  a NaN may take either way: q is NaN then, and so is q·S + S.
// Registers       SI x · DI dst · CX elements left · DX elements of the general body ·
//                 AX sign bits, mask · Y0–Y3 y, then f · Y4–Y7 t, then S · Y8–Y11 under-
//                 flow, then q · Y12 a constant, scratch · Y13 c · Y14 least y, scratch · Y15 magic.
// Source          own; the core is exp2_avx2_amd64.h.

//go:build amd64 && !purego

#include "textflag.h"
#include "exp2_avx2_amd64.h"
#include "mask_amd64.h"

#define src SI
#define out DI
#define left CX
#define todo DX
#define tmp Y12
#define factor Y13
#define least Y14
#define magic Y15

// step is one Horner step of four vectors.
#define step(name) EXP2_STEP4_F32(name, tmp, Y8, Y0, Y9, Y1, Y10, Y2, Y11, Y3)

// func exp2AVX2F32(n int, dst, x *float32, c float32)
TEXT ·exp2AVX2F32(SB), NOSPLIT, $0-28
	MOVQ         n+0(FP), left
	MOVQ         dst+8(FP), out
	MOVQ         x+16(FP), src
	VBROADCASTSS c+24(FP), factor
	EXP2_CONST_F32(EXP2_F32_MAGIC, magic)

loop:
	SUBQ $32, left
	JLT  tail

	// y = c·x
	VMULPS (src), factor, Y0
	VMULPS 32(src), factor, Y1
	VMULPS 64(src), factor, Y2
	VMULPS 96(src), factor, Y3

	// all y < 127.875, by their bits
	VPMAXSD   Y0, Y1, Y4
	VPMAXSD   Y2, Y3, Y5
	VPMAXSD   Y4, Y5, Y4
	VPCMPGTD  exp2f32<>+EXP2_F32_FAST(SB), Y4, Y4
	VMOVMSKPS Y4, AX
	TESTL     AX, AX
	JNE       outside

	// f = y − k, t = magic + k
	EXP2_CONST_F32(EXP2_F32_LEAST, least)
	EXP2_SPLIT_F32(Y0, Y4, Y8, tmp)
	EXP2_SPLIT_F32(Y1, Y5, Y9, tmp)
	EXP2_SPLIT_F32(Y2, Y6, Y10, tmp)
	EXP2_SPLIT_F32(Y3, Y7, Y11, tmp)

	// S = 2^k·E
	EXP2_TABLE_F32(Y4, Y8, tmp)
	EXP2_TABLE_F32(Y5, Y9, tmp)
	EXP2_TABLE_F32(Y6, Y10, tmp)
	EXP2_TABLE_F32(Y7, Y11, tmp)

	// q = 2^f/E − 1
	EXP2_CONST_F32(EXP2_F32_C4, Y8)
	VMOVAPS Y8, Y9
	VMOVAPS Y8, Y10
	VMOVAPS Y8, Y11
	step(EXP2_F32_C3)
	step(EXP2_F32_C2)
	step(EXP2_F32_C1)
	step(EXP2_F32_C0)

	// q·S + S
	EXP2_LAST_F32(Y8, Y4)
	EXP2_LAST_F32(Y9, Y5)
	EXP2_LAST_F32(Y10, Y6)
	EXP2_LAST_F32(Y11, Y7)
	VMOVUPS Y8, (out)
	VMOVUPS Y9, 32(out)
	VMOVUPS Y10, 64(out)
	VMOVUPS Y11, 96(out)
	ADDQ    $128, src
	ADDQ    $128, out
	JMP     loop

tail:
	ADDQ $32, left
	JEQ  done
	MOVQ left, todo
	XORL left, left
	JMP  general

outside:
	MOVL $32, todo

general:
	SUBQ    $8, todo
	JLT     maskload
	VMOVUPS (src), Y0

body:
	VMULPS  Y0, factor, Y0
	VMOVAPS Y0, Y1
	EXP2_CONST_F32(EXP2_F32_LEAST, least)
	EXP2_SPLIT_F32(Y0, Y4, Y8, tmp)
	EXP2_TABLE_F32(Y4, Y8, tmp)
	EXP2_CONST_F32(EXP2_F32_C4, Y8)
	EXP2_STEP_F32(EXP2_F32_C3, tmp, Y8, Y0)
	EXP2_STEP_F32(EXP2_F32_C2, tmp, Y8, Y0)
	EXP2_STEP_F32(EXP2_F32_C1, tmp, Y8, Y0)
	EXP2_STEP_F32(EXP2_F32_C0, tmp, Y8, Y0)
	EXP2_LAST_F32(Y8, Y4)
	EXP2_OVER_F32(Y1, Y8, tmp, Y2)

	TESTQ   todo, todo
	JLT     maskstore
	VMOVUPS Y8, (out)
	ADDQ    $32, src
	ADDQ    $32, out
	TESTQ   todo, todo
	JNE     general
	TESTQ   left, left
	JNE     loop

done:
	VZEROUPPER
	RET

maskload:
	LEAQ       tailmask<>(SB), AX
	SHLQ       $2, todo
	SUBQ       todo, AX
	VMOVUPS    (AX), tmp
	VMASKMOVPS (src), tmp, Y0
	JMP        body

maskstore:
	VMOVUPS    (AX), tmp
	VMASKMOVPS Y8, tmp, (out)
	VZEROUPPER
	RET
