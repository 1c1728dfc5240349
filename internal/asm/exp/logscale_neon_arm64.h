// The kernels of logscale, for the type that the including file defines.

// func logRows(m, n int, mat *T, ldm int, c T, gp, a, max, sum, q, e *T)
TEXT LOGROWS(SB), NOSPLIT, $0-88
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD mat+16(FP), mp
	MOVD ldm+24(FP), ldkb
	MOVD gp+40(FP), vp
	MOVD a+48(FP), ap
	MOVD max+56(FP), maxp
	MOVD sum+64(FP), up
	MOVD q+72(FP), qp
	MOVD e+80(FP), kp

	LSL  $ESHIFT, ldkb

rowloop:
	// store x_j = fma(−c, M_ij, g_j) in e, and its maximum in the lanes of V4–V7
	FMOVE c+32(FP), F27
	EXP2_CONSTS
	MOVD  vp, cur
	MOVD  mp, src
	MOVD  kp, out
	FNEG F28, F4
	DUP_E(4, 4, 0)
	VMOV  V4.B16, V5.B16
	VMOV  V4.B16, V6.B16
	VMOV  V4.B16, V7.B16
	SUBS  $(4*LANES), cols, left
	BLT   maxtail

maxloop:
	FLDPQ.P 32(cur), (F0, F1)
	FLDPQ.P 32(cur), (F2, F3)
	FLDPQ.P 32(src), (F16, F17)
	FLDPQ.P 32(src), (F18, F19)
	FMLS_E(0, 16, 27, 0)
	FMLS_E(1, 17, 27, 0)
	FMLS_E(2, 18, 27, 0)
	FMLS_E(3, 19, 27, 0)
	FMAXNM(4, 4, 0)
	FMAXNM(5, 5, 1)
	FMAXNM(6, 6, 2)
	FMAXNM(7, 7, 3)
	FSTPQ.P (F0, F1), 32(out)
	FSTPQ.P (F2, F3), 32(out)
	SUBS    $(4*LANES), left
	BGE     maxloop

maxtail:
	ADDS $(4*LANES), left
	BEQ  maxfold

max1loop:
	LDDUP_P(cur, V0)
	LDDUP_P(src, V16)
	FMLS_E(0, 16, 27, 0)
	FMAXNM(4, 4, 0)
	STE_P(F0, out)
	SUBS $1, left
	BNE  max1loop

maxfold:
	FMAXNM(4, 4, 5)
	FMAXNM(6, 6, 7)
	FMAXNM(4, 4, 6)
	FOLD_MAX(4, 5)
	VEOR V5.B16, V5.B16, V5.B16
	FADD(4, 4, 5)
	STE_P(F4, maxp)
	DUP_E(27, 4, 0)

	// e_j = 2^(x_j − max), sum in the lanes of V16–V19
	ZERO4(V16, V17, V18, V19)
	MOVD kp, src
	MOVD kp, out
	MOVD cols, left
	MOVD $0, last

exploop:
	SUBS    $(4*LANES), left
	BLT     exptail
	FLDPQ.P 32(src), (F0, F1)
	FLDPQ.P 32(src), (F2, F3)

expcore:
	FSUB(0, 0, 27)
	FSUB(1, 1, 27)
	FSUB(2, 2, 27)
	FSUB(3, 3, 27)

	EXP2_QUAD

	CBNZ    last, expstore
	FADD(16, 16, 20)
	FADD(17, 17, 21)
	FADD(18, 18, 22)
	FADD(19, 19, 23)
	FSTPQ.P (F20, F21), 32(out)
	FSTPQ.P (F22, F23), 32(out)
	B       exploop

exptail:
	ADDS $(4*LANES), left, last
	BEQ  expfold
	ZERO4(V0, V1, V2, V3)
	LDTAIL4(src, F0, F1, F2, F3, V0, V1, V2, V3)
	B    expcore

expstore:
	STTAIL4(out)

	// in the last, partial step, set the lanes after the last element to zero
	MOVD  $mask<>+64(SB), src
	SUB   last<<ESHIFT, src
	FLDPQ (src), (F0, F1)
	FLDPQ 32(src), (F2, F3)
	VAND  V0.B16, V20.B16, V20.B16
	VAND  V1.B16, V21.B16, V21.B16
	VAND  V2.B16, V22.B16, V22.B16
	VAND  V3.B16, V23.B16, V23.B16
	FADD(16, 16, 20)
	FADD(17, 17, 21)
	FADD(18, 18, 22)
	FADD(19, 19, 23)

expfold:
	// lane_l += lane_{l+w/2}, then w/4, …;  w = a_i / sum_i
	FADD(16, 16, 18)
	FADD(17, 17, 19)
	FADD(16, 16, 17)
	FOLD_ROW(0, 16)
	STE_P(F0, up)
	LDE_P(ap, F1)
	FDIV(28, 1, 0)

	MOVD kp, src
	MOVD qp, cur
	SUBS $(4*LANES), cols, left
	BLT  qvectors

qloop:
	// q_j = fma(w, e_j, q_j), four registers
	FLDPQ   (cur), (F0, F1)
	FLDPQ   32(cur), (F2, F3)
	FLDPQ   32(src), (F18, F19)
	FLDPQ.P 64(src), (F16, F17)
	FMLA_E(0, 16, 28, 0)
	FMLA_E(1, 17, 28, 0)
	FMLA_E(2, 18, 28, 0)
	FMLA_E(3, 19, 28, 0)
	FSTPQ   (F0, F1), (cur)
	FSTPQ   (F2, F3), 32(cur)
	ADD     $64, cur
	SUBS    $(4*LANES), left
	BGE     qloop

qvectors:
	// q_j of one register
	ADDS $(3*LANES), left
	BLT  qtail

qvloop:
	FMOVQ   (cur), F0
	FMOVQ.P 16(src), F16
	FMLA_E(0, 16, 28, 0)
	FMOVQ   F0, (cur)
	ADD     $16, cur
	SUBS    $LANES, left
	BGE     qvloop

qtail:
	// q_j of the last, partial register
	ADDS $LANES, left
	BEQ  qdone
	LDPART(cur, left, F0, V0, spare)
	LDPART(src, left, F16, V16, spare)
	FMLA_E(0, 16, 28, 0)
	STPART(F0, V0, cur, left, spare)

qdone:

	ADD  ldkb, mp
	SUBS $1, rows
	BNE  rowloop
	RET

// func logColumnMax(m, n int, mat *T, ldm int, c T, f, h *T)
TEXT LOGCOLUMNMAX(SB), NOSPLIT, $0-56
	MOVD n+8(FP), cols
	MOVD mat+16(FP), mp
	MOVD ldm+24(FP), ldkb
	FMOVE c+32(FP), F27
	MOVD h+48(FP), vp

	LSL  $ESHIFT, ldkb
	SUBS $(4*LANES), cols, left
	BLT  vectors

colloop:
	MOVD  m+0(FP), rows
	MOVD  f+40(FP), ap
	MOVD  mp, src
	FLDPQ (vp), (F0, F1)
	FLDPQ 32(vp), (F2, F3)

iloop:
	// x = fma(−c, M_ij, f_i);  h_j = x where x > h_j
	FLDPQ (src), (F16, F17)
	FLDPQ 32(src), (F18, F19)
	ADD   ldkb, src
	LDDUP_P(ap, V4)
	VMOV  V4.B16, V5.B16
	VMOV  V4.B16, V6.B16
	VMOV  V4.B16, V7.B16
	FMLS_E(4, 16, 27, 0)
	FMLS_E(5, 17, 27, 0)
	FMLS_E(6, 18, 27, 0)
	FMLS_E(7, 19, 27, 0)
	FCMGT(16, 4, 0)
	FCMGT(17, 5, 1)
	FCMGT(18, 6, 2)
	FCMGT(19, 7, 3)
	BIT_16B(0, 4, 16)
	BIT_16B(1, 5, 17)
	BIT_16B(2, 6, 18)
	BIT_16B(3, 7, 19)
	SUBS  $1, rows
	BNE   iloop

	FSTPQ.P (F0, F1), 32(vp)
	FSTPQ.P (F2, F3), 32(vp)
	ADD     $64, mp
	SUBS    $(4*LANES), left
	BGE     colloop

vectors:
	ADD $(4*LANES), left

vnext:
	// h_j of one register, or of the last, partial register
	CMP  $0, left
	BLE  done
	MOVD m+0(FP), rows
	MOVD f+40(FP), ap
	MOVD mp, src
	VEOR V0.B16, V0.B16, V0.B16
	LDANY(vp, left, F0, V0, spare)

viloop:
	LDANY(src, left, F16, V16, spare)
	ADD  ldkb, src
	LDDUP_P(ap, V4)
	FMLS_E(4, 16, 27, 0)
	FCMGT(16, 4, 0)
	BIT_16B(0, 4, 16)
	SUBS $1, rows
	BNE  viloop

	STANY(F0, V0, vp, left, spare)
	ADD $16, vp
	ADD $16, mp
	SUB $LANES, left
	B   vnext

done:
	RET

// func logColumnSum(m, n int, mat *T, ldm int, c T, f, h, s *T)
TEXT LOGCOLUMNSUM(SB), NOSPLIT, $0-64
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD mat+16(FP), mp
	MOVD ldm+24(FP), ldkb
	FMOVE c+32(FP), F27
	MOVD f+40(FP), ap
	MOVD h+48(FP), vp
	MOVD s+56(FP), qp
	MOVD $0, ldtb

#include "logterms_neon_arm64.h"

// func logPlan(m, n int, t *T, ldt int, mat *T, ldm int, c T, f, gp *T)
TEXT LOGPLAN(SB), NOSPLIT, $0-72
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD t+16(FP), qp
	MOVD ldt+24(FP), ldtb
	MOVD mat+32(FP), mp
	MOVD ldm+40(FP), ldkb
	FMOVE c+48(FP), F27
	MOVD f+56(FP), ap
	MOVD gp+64(FP), vp

#define PLAN
#include "logterms_neon_arm64.h"
#undef PLAN
