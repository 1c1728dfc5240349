// logscale, float64, NEON.
//
//	rows        x_j = g[j] − c M_ij      max[i] = max_j x_j      e_j = 2^(x_j − max[i])
//	            sum[i] = Σ_j e_j      q[j] = q[j] + (a[i] / sum[i]) e_j      0≤i<m  0≤j<n
//	columnMax   h[j] = max(h[j], f[i] − c M_ij)
//	columnSum   s[j] = s[j] + 2^(f[i] − c M_ij − h[j])
//	plan        T_ij = 2^((g[j] − c M_ij) + f[i])
//
// Same bits as    logRowsRef, logColumnMaxRef, logColumnSumRef, logPlanRef in ref.go, with Ref2 of
//                 package exp: the row sum in 8 virtual lanes, four registers,
//                 folded in halves; columns with i ascending.
// Layout          M T m×n row-major; f a max sum m; g q h s e n; strides in elements.
//                 m n ≥ 1. T may be M.
// Tile            8 columns, four registers, of a row; columnMax: of all rows.
// Tail            rows: the maximum element by element, in all lanes; what the last step
//                 adds to the sum is masked; columnMax: one register, then part of one;
//                 else the same body with loads and stores of single lanes. No access
//                 outside the slices.
// Special values  rows: FMAXNM passes over NaN, quiet after an FMA, and adding +0 makes a
//                 zero +0. columnMax: x is taken where x > h, so that a NaN or a zero in
//                 h stays.
// Registers       named below; V0–V3 x · V4–V15 see exp2quad · V16–V19 lanes of the sum,
//                 or M, h, s, g · V20–V23 2^x · V24 V25 lookup (float32) · V27 c f, or max ·
//                 V28–V31 constants. The pass to q and the maxima use V0–V23 freely.
// Source          own; the cores are exp2quad_neon_f64_arm64.h and axpy1_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "neon_f64_arm64.h"
#include "pass_neon_arm64.h"
#include "exp2_neon_f64_arm64.h"

// Beside the names of pass_neon_arm64.h: kp is e, ldkb the stride of M, vp g or h, ap a
// or f, up sum, or T's stride, qp q, s or T.
#define mp R16     // a row of M
#define maxp R17
#define src R19    // place in x or M
#define out R20    // place in e, s or T
#define hp R21     // place in h, g or s
#define bit0 R22
#define bit1 R23
#define consts R24
#define table R25
#define last R26   // columns left, in the tail
#define rest R8    // those to come
#define ldtb R6

DATA mask<>+0(SB)/8, $0xffffffffffffffff
DATA mask<>+8(SB)/8, $0xffffffffffffffff
DATA mask<>+16(SB)/8, $0xffffffffffffffff
DATA mask<>+24(SB)/8, $0xffffffffffffffff
DATA mask<>+32(SB)/8, $0xffffffffffffffff
DATA mask<>+40(SB)/8, $0xffffffffffffffff
DATA mask<>+48(SB)/8, $0xffffffffffffffff
DATA mask<>+56(SB)/8, $0xffffffffffffffff
DATA mask<>+64(SB)/8, $0
DATA mask<>+72(SB)/8, $0
DATA mask<>+80(SB)/8, $0
DATA mask<>+88(SB)/8, $0
DATA mask<>+96(SB)/8, $0
DATA mask<>+104(SB)/8, $0
DATA mask<>+112(SB)/8, $0
DATA mask<>+120(SB)/8, $0
GLOBL mask<>(SB), RODATA|NOPTR, $128

#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// The next register of the tail, whole, in part or not at all.
#define LDTAIL(p, f, v) \
	LDANY(p, rest, f, v, spare); \
	ADD $16, p; \
	SUB $LANES, rest
#define LDTAIL4(p, e, f, g, h, s, t, u, v) \
	MOVD last, rest; \
	LDTAIL(p, e, s); \
	LDTAIL(p, f, t); \
	LDTAIL(p, g, u); \
	LDTAIL(p, h, v)
#define STTAIL(p, f, v) \
	STANY(f, v, p, rest, spare); \
	ADD $16, p; \
	SUB $LANES, rest
#define STTAIL4(p) \
	MOVD last, rest; \
	STTAIL(p, F20, V20); \
	STTAIL(p, F21, V21); \
	STTAIL(p, F22, V22); \
	STTAIL(p, F23, V23)

// func logRowsNEONF64(m, n int, mat *float64, ldm int, c float64, gp, a, max, sum, q, e *float64)
TEXT ·logRowsNEONF64(SB), NOSPLIT, $0-88
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
	// x_j = fma(−c, M_ij, g_j) into e, its maximum in the lanes of V4–V7
	FMOVD c+32(FP), F27
	EXP2_CONSTS
	MOVD  vp, cur
	MOVD  mp, src
	MOVD  kp, out
	FNEGD F28, F4
	DUP_ROW0(4, 4, 4)
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
	DUP_ROW0(27, 4, 4)

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

#include "exp2quad_neon_f64_arm64.h"

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

	// the short last step counts as padded with zeros
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

#include "axpy1_neon_arm64.h"

	ADD  ldkb, mp
	SUBS $1, rows
	BNE  rowloop
	RET

// func logColumnMaxNEONF64(m, n int, mat *float64, ldm int, c float64, f, h *float64)
TEXT ·logColumnMaxNEONF64(SB), NOSPLIT, $0-56
	MOVD n+8(FP), cols
	MOVD mat+16(FP), mp
	MOVD ldm+24(FP), ldkb
	FMOVD c+32(FP), F27
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
	// the same, a register or part of one
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

// func logColumnSumNEONF64(m, n int, mat *float64, ldm int, c float64, f, h, s *float64)
TEXT ·logColumnSumNEONF64(SB), NOSPLIT, $0-64
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD mat+16(FP), mp
	MOVD ldm+24(FP), ldkb
	FMOVD c+32(FP), F27
	MOVD f+40(FP), ap
	MOVD h+48(FP), vp
	MOVD s+56(FP), qp
	LSL  $ESHIFT, ldkb
	EXP2_CONSTS

rowloop:
	LDLANE1(ap, V27)
	ADD  $ESIZE, ap
	MOVD mp, src
	MOVD vp, hp
	MOVD qp, cur
	MOVD qp, out
	MOVD cols, left
	MOVD $0, last

colloop:
	SUBS    $(4*LANES), left
	BLT     tail
	FLDPQ.P 32(src), (F0, F1)
	FLDPQ.P 32(src), (F2, F3)
	FLDPQ.P 32(hp), (F16, F17)
	FLDPQ.P 32(hp), (F18, F19)

core:
	// 2^(fma(−c, M_ij, f_i) − h_j)
	DUP1(4, 27)
	DUP1(5, 27)
	DUP1(6, 27)
	DUP1(7, 27)
	FMLS_E(4, 0, 27, 0)
	FMLS_E(5, 1, 27, 0)
	FMLS_E(6, 2, 27, 0)
	FMLS_E(7, 3, 27, 0)
	FSUB(0, 4, 16)
	FSUB(1, 5, 17)
	FSUB(2, 6, 18)
	FSUB(3, 7, 19)

#include "exp2quad_neon_f64_arm64.h"

	// s_j += that
	CBNZ    last, store
	FLDPQ.P 32(cur), (F16, F17)
	FLDPQ.P 32(cur), (F18, F19)
	FADD(20, 16, 20)
	FADD(21, 17, 21)
	FADD(22, 18, 22)
	FADD(23, 19, 23)
	FSTPQ.P (F20, F21), 32(out)
	FSTPQ.P (F22, F23), 32(out)
	B       colloop

tail:
	ADDS $(4*LANES), left, last
	BEQ  rownext
	ZERO4(V0, V1, V2, V3)
	ZERO4(V16, V17, V18, V19)
	LDTAIL4(src, F0, F1, F2, F3, V0, V1, V2, V3)
	LDTAIL4(hp, F16, F17, F18, F19, V16, V17, V18, V19)
	B    core

store:
	LDTAIL4(cur, F16, F17, F18, F19, V16, V17, V18, V19)
	FADD(20, 16, 20)
	FADD(21, 17, 21)
	FADD(22, 18, 22)
	FADD(23, 19, 23)
	STTAIL4(out)

rownext:
	ADD  ldkb, mp
	SUBS $1, rows
	BNE  rowloop
	RET

// func logPlanNEONF64(m, n int, t *float64, ldt int, mat *float64, ldm int, c float64, f, gp *float64)
TEXT ·logPlanNEONF64(SB), NOSPLIT, $0-72
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD t+16(FP), qp
	MOVD ldt+24(FP), ldtb
	MOVD mat+32(FP), mp
	MOVD ldm+40(FP), ldkb
	FMOVD c+48(FP), F27
	MOVD f+56(FP), ap
	MOVD gp+64(FP), vp
	LSL  $ESHIFT, ldkb
	LSL  $ESHIFT, ldtb
	EXP2_CONSTS

rowloop:
	LDLANE1(ap, V27)
	ADD  $ESIZE, ap
	MOVD mp, src
	MOVD vp, hp
	MOVD qp, out
	MOVD cols, left
	MOVD $0, last

colloop:
	SUBS    $(4*LANES), left
	BLT     tail
	FLDPQ.P 32(src), (F0, F1)
	FLDPQ.P 32(src), (F2, F3)
	FLDPQ.P 32(hp), (F16, F17)
	FLDPQ.P 32(hp), (F18, F19)

core:
	// 2^(fma(−c, M_ij, g_j) + f_i)
	DUP1(4, 27)
	FMLS_E(16, 0, 27, 0)
	FMLS_E(17, 1, 27, 0)
	FMLS_E(18, 2, 27, 0)
	FMLS_E(19, 3, 27, 0)
	FADD(0, 16, 4)
	FADD(1, 17, 4)
	FADD(2, 18, 4)
	FADD(3, 19, 4)

#include "exp2quad_neon_f64_arm64.h"

	CBNZ    last, store
	FSTPQ.P (F20, F21), 32(out)
	FSTPQ.P (F22, F23), 32(out)
	B       colloop

tail:
	ADDS $(4*LANES), left, last
	BEQ  rownext
	ZERO4(V0, V1, V2, V3)
	ZERO4(V16, V17, V18, V19)
	LDTAIL4(src, F0, F1, F2, F3, V0, V1, V2, V3)
	LDTAIL4(hp, F16, F17, F18, F19, V16, V17, V18, V19)
	B    core

store:
	STTAIL4(out)

rownext:
	ADD  ldkb, mp
	ADD  ldtb, qp
	SUBS $1, rows
	BNE  rowloop
	RET
