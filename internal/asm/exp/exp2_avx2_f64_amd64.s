// exp2, float64, AVX2 + FMA.
//
//	dst[i] = 2^(c·x[i])      0≤i<n
//
// Same bits as    ref64 in ref.go of y = c·x[i], rounded.
// Layout          x, dst n elements, contiguous; dst may be x. n ≥ 1.
// Tile            16 elements, in constant time while all y < 1023.9375; a block that holds
//                 a larger one or a NaN goes 4 by 4 through the general body.
// Tail            the general body, for the last n mod 4 with masked load and store. No
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
#define step(name) EXP2_STEP4_F64(name, tmp, Y8, Y0, Y9, Y1, Y10, Y2, Y11, Y3)

// func exp2AVX2F64(n int, dst, x *float64, c float64)
TEXT ·exp2AVX2F64(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), left
	MOVQ         dst+8(FP), out
	MOVQ         x+16(FP), src
	VBROADCASTSD c+24(FP), factor
	EXP2_CONST_F64(EXP2_F64_MAGIC, magic)

loop:
	SUBQ $16, left
	JLT  tail

	// y = c·x
	VMULPD (src), factor, Y0
	VMULPD 32(src), factor, Y1
	VMULPD 64(src), factor, Y2
	VMULPD 96(src), factor, Y3

	// all y < 1023.9375, by the upper halves of their bits
	VPMAXSD   Y0, Y1, Y4
	VPMAXSD   Y2, Y3, Y5
	VPMAXSD   Y4, Y5, Y4
	VPCMPGTD  exp2f64<>+EXP2_F64_FAST(SB), Y4, Y4
	VMOVMSKPS Y4, AX
	TESTL     AX, AX
	JNE       outside

	// f = y − k, t = magic + k
	EXP2_CONST_F64(EXP2_F64_LEAST, least)
	EXP2_SPLIT_F64(Y0, Y4, Y8, tmp)
	EXP2_SPLIT_F64(Y1, Y5, Y9, tmp)
	EXP2_SPLIT_F64(Y2, Y6, Y10, tmp)
	EXP2_SPLIT_F64(Y3, Y7, Y11, tmp)

	// S = 2^k·E
	EXP2_TABLE_F64(Y4, Y8, tmp, least)
	EXP2_TABLE_F64(Y5, Y9, tmp, least)
	EXP2_TABLE_F64(Y6, Y10, tmp, least)
	EXP2_TABLE_F64(Y7, Y11, tmp, least)

	// q = 2^f/E − 1
	EXP2_CONST_F64(EXP2_F64_C7, Y8)
	VMOVAPD Y8, Y9
	VMOVAPD Y8, Y10
	VMOVAPD Y8, Y11
	step(EXP2_F64_C6)
	step(EXP2_F64_C5)
	step(EXP2_F64_C4)
	step(EXP2_F64_C3)
	step(EXP2_F64_C2)
	step(EXP2_F64_C1)
	step(EXP2_F64_C0)

	// q·S + S
	EXP2_LAST_F64(Y8, Y4)
	EXP2_LAST_F64(Y9, Y5)
	EXP2_LAST_F64(Y10, Y6)
	EXP2_LAST_F64(Y11, Y7)
	VMOVUPD Y8, (out)
	VMOVUPD Y9, 32(out)
	VMOVUPD Y10, 64(out)
	VMOVUPD Y11, 96(out)
	ADDQ    $128, src
	ADDQ    $128, out
	JMP     loop

tail:
	ADDQ $16, left
	JEQ  done
	MOVQ left, todo
	XORL left, left
	JMP  general

outside:
	MOVL $16, todo

general:
	SUBQ    $4, todo
	JLT     maskload
	VMOVUPD (src), Y0

body:
	VMULPD  Y0, factor, Y0
	VMOVAPD Y0, Y1
	EXP2_CONST_F64(EXP2_F64_LEAST, least)
	EXP2_SPLIT_F64(Y0, Y4, Y8, tmp)
	EXP2_TABLE_F64(Y4, Y8, tmp, least)
	EXP2_CONST_F64(EXP2_F64_C7, Y8)
	EXP2_STEP_F64(EXP2_F64_C6, tmp, Y8, Y0)
	EXP2_STEP_F64(EXP2_F64_C5, tmp, Y8, Y0)
	EXP2_STEP_F64(EXP2_F64_C4, tmp, Y8, Y0)
	EXP2_STEP_F64(EXP2_F64_C3, tmp, Y8, Y0)
	EXP2_STEP_F64(EXP2_F64_C2, tmp, Y8, Y0)
	EXP2_STEP_F64(EXP2_F64_C1, tmp, Y8, Y0)
	EXP2_STEP_F64(EXP2_F64_C0, tmp, Y8, Y0)
	EXP2_LAST_F64(Y8, Y4)
	EXP2_OVER_F64(Y1, Y8, tmp, Y2)

	TESTQ   todo, todo
	JLT     maskstore
	VMOVUPD Y8, (out)
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
	SHLQ       $3, todo
	SUBQ       todo, AX
	VMOVUPD    (AX), tmp
	VMASKMOVPD (src), tmp, Y0
	JMP        body

maskstore:
	VMOVUPD    (AX), tmp
	VMASKMOVPD Y8, tmp, (out)
	VZEROUPPER
	RET
