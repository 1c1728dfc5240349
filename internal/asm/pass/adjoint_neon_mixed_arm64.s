// adjoint with a float32 matrix, float64, NEON.
//
//	Sweep   s[i] = w[i] Σ_j K_ij t[j]     q[j] = q[j] + s[i] K_ij            0≤i<m  0≤j<n
//
// Same bits as    sweepRef in ref.go: K widened, exactly, and row sums in 8 virtual
//                 lanes, four registers a row, folded in halves; q one FMA a row, i
//                 ascending.
// Layout          K m×n row-major; t q n; w s m; strides in elements. m n ≥ 1.
// Tile            4 rows: all of their sums, then all of q while they are in cache;
//                 8 columns a step.
// Tail            columns: two, then one; rows: 1 row. No access outside the slices.
// Special values  follow the arithmetic; a short last step is padded with zeros.
// Registers       see pass_neon_arm64.h; V0–V15 lanes of the sums, or q · V16–V19 t ·
//                 V20–V23 K widened · V24–V27 K · V28 V29 sums, then s · V31 zero.
// Source          own; the passes are dot4, axpy4, dot1 and axpy1_neon_mixed_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "neon_mixed_arm64.h"
#include "neon_f64_arm64.h"
#include "pass_neon_arm64.h"
#include "pass_neon_mixed_arm64.h"

// func sweepNEONMixed(m, n int, k *float32, ldk int, t, w, s, q *float64)
TEXT ·sweepNEONMixed(SB), NOSPLIT, $0-64
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD k+16(FP), kp
	MOVD ldk+24(FP), ldkb
	MOVD t+32(FP), vp
	MOVD w+40(FP), ap
	MOVD s+48(FP), up
	MOVD q+56(FP), qp
	LSL  $2, ldkb
	SUBS $4, rows
	BLT  rowtail

rowloop:
#include "dot4_neon_mixed_arm64.h"

	// s_i = w_i Σ_j K_ij t_j
	LDROWS(ap, F16, F17)
	ADD $(4*ESIZE), ap
	FMUL_ROWS(28, 29, 16, 17, 28, 29)
	STROWS_P(F28, F29, up)

#include "axpy4_neon_mixed_arm64.h"

	ADD  ldkb<<2, kp
	SUBS $4, rows
	BGE  rowloop

rowtail:
	ADDS $4, rows
	BEQ  done

row1loop:
#include "dot1_neon_mixed_arm64.h"

	// s_i = w_i Σ_j K_ij t_j
	LDE_P(ap, F16)
	FMUL(28, 16, 28)
	STE_P(F28, up)

#include "axpy1_neon_mixed_arm64.h"

	ADD  ldkb, kp
	SUBS $1, rows
	BNE  row1loop

done:
	RET
