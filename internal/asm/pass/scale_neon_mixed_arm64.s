// scale with a float32 matrix, float64, NEON.
//
//	u[i] = a[i] / Σ_j K_ij v[j]      q[j] = q[j] + u[i] K_ij      0≤i<m  0≤j<n
//
// Same bits as    iterateRef in ref.go: K widened, exactly, and row sums in 8 virtual
//                 lanes, four registers a row, folded in halves; q one FMA a row, i
//                 ascending.
// Layout          K m×n row-major; v q n; a u m; strides in elements. m n ≥ 1.
// Tile            4 rows: all of their sums, then all of q while they are in cache;
//                 8 columns a step.
// Tail            columns: two, then one; rows: 1 row. No access outside the slices.
// Special values  follow the arithmetic; a short last step is padded with zeros.
// Registers       see pass_neon_arm64.h; V0–V15 lanes of the sums, or q · V16–V19 v ·
//                 V20–V23 K widened · V24–V27 K · V28 V29 sums, then u · V31 zero.
// Source          own; the passes are dot4, axpy4, dot1 and axpy1_neon_mixed_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "neon_mixed_arm64.h"
#include "neon_f64_arm64.h"
#include "pass_neon_arm64.h"
#include "pass_neon_mixed_arm64.h"

// func iterateNEONMixed(m, n int, k *float32, ldk int, v, a, u, q *float64)
TEXT ·iterateNEONMixed(SB), NOSPLIT, $0-64
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD k+16(FP), kp
	MOVD ldk+24(FP), ldkb
	MOVD v+32(FP), vp
	MOVD a+40(FP), ap
	MOVD u+48(FP), up
	MOVD q+56(FP), qp
	LSL  $2, ldkb
	SUBS $4, rows
	BLT  rowtail

rowloop:
#include "dot4_neon_mixed_arm64.h"

	// u_i = a_i / s_i
	LDROWS(ap, F16, F17)
	ADD $(4*ESIZE), ap
	FDIV_ROWS(28, 29, 16, 17, 28, 29)
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

	// u_i = a_i / s_i
	LDE_P(ap, F16)
	FDIV(28, 16, 28)
	STE_P(F28, up)

#include "axpy1_neon_mixed_arm64.h"

	ADD  ldkb, kp
	SUBS $1, rows
	BNE  row1loop

done:
	RET
