// adjoint, float32, NEON.
//
//	Begin   r[i] = Σ_j (K_ij M_ij) v[j]   s[i] = w[i] r[i]   q[j] = q[j] + K_ij (u[i] M_ij + s[i])
//	Sweep   s[i] = w[i] Σ_j K_ij t[j]     q[j] = q[j] + s[i] K_ij            0≤i<m  0≤j<n
//
// Same bits as    beginRef and sweepRef in ref.go: row sums in 16 virtual lanes, four
//                 registers a row, folded in halves; q in FMAs, i ascending.
// Layout          K M m×n row-major; v t q n; u w r s m; strides in elements. m n ≥ 1.
// Tile            4 rows: all of their sums, then all of q while they are in cache;
//                 16 columns a step.
// Tail            columns: one register, then loads and stores of single lanes; rows:
//                 1 row. No access outside the slices.
// Special values  follow the arithmetic; a short last step is padded with zeros.
// Registers       see pass_neon_arm64.h and begin_neon_arm64.h; V0–V15 lanes of the
//                 sums, or q V0–V3, u M + s V4–V7, s V8–V11 · V16–V27 v, K, M ·
//                 V28 V29 sums, then u or s · V30 V31 s, V31 zero.
// Source          own; the passes are dot4, axpy4, dot1 and axpy1_neon_arm64.h for
//                 Sweep, dotkm4, axpykm4, dotkm1 and axpykm1_neon_arm64.h for Begin.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "neon_f32_arm64.h"
#include "pass_neon_arm64.h"
#include "begin_neon_arm64.h"

// func beginNEONF32(m, n int, k *float32, ldk int, mat *float32, ldm int, v, u, w, r, s, q *float32)
TEXT ·beginNEONF32(SB), NOSPLIT, $0-96
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD k+16(FP), kp
	MOVD ldk+24(FP), ldkb
	MOVD mat+32(FP), mp
	MOVD ldm+40(FP), ldmb
	MOVD v+48(FP), vp
	MOVD u+56(FP), ap
	MOVD w+64(FP), wp
	MOVD r+72(FP), rp
	MOVD s+80(FP), up
	MOVD q+88(FP), qp
	LSL  $ESHIFT, ldkb
	LSL  $ESHIFT, ldmb
	SUBS $4, rows
	BLT  rowtail

rowloop:
#include "dotkm4_neon_arm64.h"

	// s_i = w_i r_i
	STROWS_P(F28, F29, rp)
	LDROWS(wp, F16, F17)
	ADD $(4*ESIZE), wp
	FMUL_ROWS(30, 31, 16, 17, 28, 29)
	STROWS_P(F30, F31, up)
	DUP_ROW0(8, 30, 31)
	DUP_ROW1(9, 30, 31)
	DUP_ROW2(10, 30, 31)
	DUP_ROW3(11, 30, 31)
	LDROWS(ap, F28, F29)
	ADD $(4*ESIZE), ap

#include "axpykm4_neon_arm64.h"

	ADD  ldkb<<2, kp
	ADD  ldmb<<2, mp
	SUBS $4, rows
	BGE  rowloop

rowtail:
	ADDS $4, rows
	BEQ  done

row1loop:
#include "dotkm1_neon_arm64.h"

	// s_i = w_i r_i
	STE_P(F28, rp)
	LDE_P(wp, F16)
	FMUL(30, 16, 28)
	STE_P(F30, up)
	DUP_ROW0(8, 30, 31)
	LDE_P(ap, F28)

#include "axpykm1_neon_arm64.h"

	ADD  ldkb, kp
	ADD  ldmb, mp
	SUBS $1, rows
	BNE  row1loop

done:
	RET

// func sweepNEONF32(m, n int, k *float32, ldk int, t, w, s, q *float32)
TEXT ·sweepNEONF32(SB), NOSPLIT, $0-64
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD k+16(FP), kp
	MOVD ldk+24(FP), ldkb
	MOVD t+32(FP), vp
	MOVD w+40(FP), wp
	MOVD s+48(FP), up
	MOVD q+56(FP), qp
	LSL  $ESHIFT, ldkb
	SUBS $4, rows
	BLT  rowtail

rowloop:
#include "dot4_neon_arm64.h"

	// s_i = w_i Σ_j K_ij t_j
	LDROWS(wp, F16, F17)
	ADD $(4*ESIZE), wp
	FMUL_ROWS(28, 29, 16, 17, 28, 29)
	STROWS_P(F28, F29, up)

#include "axpy4_neon_arm64.h"

	ADD  ldkb<<2, kp
	SUBS $4, rows
	BGE  rowloop

rowtail:
	ADDS $4, rows
	BEQ  done

row1loop:
#include "dot1_neon_arm64.h"

	// s_i = w_i Σ_j K_ij t_j
	LDE_P(wp, F16)
	FMUL(28, 16, 28)
	STE_P(F28, up)

#include "axpy1_neon_arm64.h"

	ADD  ldkb, kp
	SUBS $1, rows
	BNE  row1loop

done:
	RET
