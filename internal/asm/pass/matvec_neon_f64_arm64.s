// matvec, float64, NEON.
//
//	s[i] = Σ_j K_ij v[j]      q[j] = q[j] + Σ_i u[i] K_ij      0≤i<m  0≤j<n
//
// Same bits as    rowsRef and columnsRef in ref.go: row sums in 8 virtual lanes, four
//                 registers a row, folded in halves; q one FMA a row, i ascending.
// Layout          K m×n row-major; v q n; s u m; strides in elements. m n ≥ 1.
// Tile            4 rows, 8 columns a step.
// Tail            columns: one register, then loads and stores of single lanes; rows:
//                 1 row. No access outside the slices.
// Special values  follow the arithmetic; a short last step is padded with zeros.
// Registers       see pass_neon_arm64.h; V0–V15 lanes of the sums, or q · V16–V27 v
//                 and K · V28 V29 sums or u · V31 zero.
// Source          own; the passes are dot4, axpy4, dot1 and axpy1_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "neon_f64_arm64.h"
#include "pass_neon_arm64.h"

// func rowsNEONF64(m, n int, s, k *float64, ldk int, v *float64)
TEXT ·rowsNEONF64(SB), NOSPLIT, $0-48
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD s+16(FP), up
	MOVD k+24(FP), kp
	MOVD ldk+32(FP), ldkb
	MOVD v+40(FP), vp
	LSL  $ESHIFT, ldkb
	SUBS $4, rows
	BLT  rowtail

rowloop:
#include "dot4_neon_arm64.h"

	STROWS_P(F28, F29, up)
	ADD  ldkb<<2, kp
	SUBS $4, rows
	BGE  rowloop

rowtail:
	ADDS $4, rows
	BEQ  done

row1loop:
#include "dot1_neon_arm64.h"

	STE_P(F28, up)
	ADD  ldkb, kp
	SUBS $1, rows
	BNE  row1loop

done:
	RET

// func columnsNEONF64(m, n int, q, k *float64, ldk int, u *float64)
TEXT ·columnsNEONF64(SB), NOSPLIT, $0-48
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD q+16(FP), qp
	MOVD k+24(FP), kp
	MOVD ldk+32(FP), ldkb
	MOVD u+40(FP), ap
	LSL  $ESHIFT, ldkb
	SUBS $4, rows
	BLT  rowtail

rowloop:
	LDROWS(ap, F28, F29)
	ADD $(4*ESIZE), ap

#include "axpy4_neon_arm64.h"

	ADD  ldkb<<2, kp
	SUBS $4, rows
	BGE  rowloop

rowtail:
	ADDS $4, rows
	BEQ  done

row1loop:
	LDE_P(ap, F28)

#include "axpy1_neon_arm64.h"

	ADD  ldkb, kp
	SUBS $1, rows
	BNE  row1loop

done:
	RET
