// pass, float64, float32 and mixed, NEON.
//
//	rows      s[i] = Σ_j K_ij v[j]
//	columns                               q[j] = q[j] + Σ_i u[i] K_ij
//	iterate   u[i] = a[i] / Σ_j K_ij v[j]     q[j] = q[j] + u[i] K_ij
//	sweep     s[i] = w[i] Σ_j K_ij t[j]       q[j] = q[j] + s[i] K_ij      0≤i<m  0≤j<n
//
// Same bits as    rowsRef, columnsRef, iterateRef, sweepRef in ref.go: row sums in 16
//                 (float64: 8) virtual lanes, four registers a row, folded in halves; q one
//                 FMA a row, i ascending. A float32 K is widened, exactly, where it is
//                 loaded.
// Layout          K m×n row-major; v t q n; a u w s m; strides in elements. m n ≥ 1.
// Tile            4 rows: all of their sums, then all of q while they are in cache; four
//                 registers of columns a step.
// Tail            columns: one register, then loads and stores of single lanes; rows: 1 row.
//                 No access outside the slices.
// Special values  follow the arithmetic; a short last step is padded with zeros.
// Registers       see names_neon_arm64.h; V0–V15 lanes of the sums, or V0–V3 q · V16–V19 v ·
//                 V20–V27 K · V28 V29 sums, then u or s · V31 zero.
// Source          own; the text is pass_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "names_neon_arm64.h"

#define KSTART4 START4(kp, ldkb, row0, row1, row2, row3)
#define KSTART1 MOVD kp, row0
#define KMOVE4(op) MOVE4(op, KMOVED, row0, row1, row2, row3)
#define KNEXT4 ADD ldkb<<2, kp
#define KNEXT1 ADD ldkb, kp

#define KMOVED moved
#define LDK_A(row, mat) \
	FLDPQ   32(row), (F22, F23); \
	FLDPQ.P 64(row), (F20, F21)
#define LDK_B(row, mat) \
	FLDPQ   32(row), (F26, F27); \
	FLDPQ.P 64(row), (F24, F25)
#define LDK1(row, mat, f, n) FMOVQ.P 16(row), f
#define LDKPART(row, mat, e, f, v, n) LDPART(row, e, f, v, spare)

#define LDT_A(row, mat, si) LDK_A(row, mat)
#define LDT_B(row, mat, si) LDK_B(row, mat)
#define LDT1(row, mat, f, n, g) LDK1(row, mat, f, n)
#define LDTPART(row, mat, e, f, v, n, g, w) LDKPART(row, mat, e, f, v, n)

// q_j = fma(u_i, K_ij, q_j), u_i by op (FMLA_ROW0 …) from V28.
#define AXPY_A(op) \
	op(0, 20, 28); \
	op(1, 21, 28); \
	op(2, 22, 28); \
	op(3, 23, 28)
#define AXPY_B(op) \
	op(0, 24, 28); \
	op(1, 25, 28); \
	op(2, 26, 28); \
	op(3, 27, 28)
#define AXPY1(op, n, m, si, v, t) op(0, n, 28)

// u_i = UPDATE(a_i, s_i), of four rows and of one.
#define UPDATE4 \
	LDROWS(ap, F16, F17); \
	ADD $(4*ESIZE), ap; \
	OP_ROWS(UPDATE, 28, 29, 16, 17, 28, 29); \
	STROWS_P(F28, F29, up)
#define UPDATE1 \
	LDE_P(ap, F16); \
	UPDATE(28, 16, 28); \
	STE_P(F28, up)

#include "neon_f32_arm64.h"

// func rowsNEONF32(m, n int, s, k *float32, ldk int, v *float32)
TEXT ·rowsNEONF32(SB), NOSPLIT, $0-48
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD s+16(FP), up
	MOVD k+24(FP), kp
	MOVD ldk+32(FP), ldkb
	MOVD v+40(FP), vp
	LSL  $ESHIFT, ldkb

#define ROWS
#include "pass_neon_arm64.h"
#undef ROWS

// func columnsNEONF32(m, n int, q, k *float32, ldk int, u *float32)
TEXT ·columnsNEONF32(SB), NOSPLIT, $0-48
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD q+16(FP), qp
	MOVD k+24(FP), kp
	MOVD ldk+32(FP), ldkb
	MOVD u+40(FP), ap
	LSL  $ESHIFT, ldkb

#define COLUMNS
#include "pass_neon_arm64.h"
#undef COLUMNS

// func iterateNEONF32(m, n int, k *float32, ldk int, v, a, u, q *float32)
TEXT ·iterateNEONF32(SB), NOSPLIT, $0-64
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD k+16(FP), kp
	MOVD ldk+24(FP), ldkb
	MOVD v+32(FP), vp
	MOVD a+40(FP), ap
	MOVD u+48(FP), up
	MOVD q+56(FP), qp
	LSL  $ESHIFT, ldkb

#define UPDATE FDIV
#include "pass_neon_arm64.h"
#undef UPDATE

// func sweepNEONF32(m, n int, k *float32, ldk int, t, w, s, q *float32)
TEXT ·sweepNEONF32(SB), NOSPLIT, $0-64
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD k+16(FP), kp
	MOVD ldk+24(FP), ldkb
	MOVD t+32(FP), vp
	MOVD w+40(FP), ap
	MOVD s+48(FP), up
	MOVD q+56(FP), qp
	LSL  $ESHIFT, ldkb

#define UPDATE FMUL
#include "pass_neon_arm64.h"
#undef UPDATE

#include "neon_f64_arm64.h"

// func rowsNEONF64(m, n int, s, k *float64, ldk int, v *float64)
TEXT ·rowsNEONF64(SB), NOSPLIT, $0-48
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD s+16(FP), up
	MOVD k+24(FP), kp
	MOVD ldk+32(FP), ldkb
	MOVD v+40(FP), vp
	LSL  $ESHIFT, ldkb

#define ROWS
#include "pass_neon_arm64.h"
#undef ROWS

// func columnsNEONF64(m, n int, q, k *float64, ldk int, u *float64)
TEXT ·columnsNEONF64(SB), NOSPLIT, $0-48
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD q+16(FP), qp
	MOVD k+24(FP), kp
	MOVD ldk+32(FP), ldkb
	MOVD u+40(FP), ap
	LSL  $ESHIFT, ldkb

#define COLUMNS
#include "pass_neon_arm64.h"
#undef COLUMNS

// func iterateNEONF64(m, n int, k *float64, ldk int, v, a, u, q *float64)
TEXT ·iterateNEONF64(SB), NOSPLIT, $0-64
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD k+16(FP), kp
	MOVD ldk+24(FP), ldkb
	MOVD v+32(FP), vp
	MOVD a+40(FP), ap
	MOVD u+48(FP), up
	MOVD q+56(FP), qp
	LSL  $ESHIFT, ldkb

#define UPDATE FDIV
#include "pass_neon_arm64.h"
#undef UPDATE

// func sweepNEONF64(m, n int, k *float64, ldk int, t, w, s, q *float64)
TEXT ·sweepNEONF64(SB), NOSPLIT, $0-64
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD k+16(FP), kp
	MOVD ldk+24(FP), ldkb
	MOVD t+32(FP), vp
	MOVD w+40(FP), ap
	MOVD s+48(FP), up
	MOVD q+56(FP), qp
	LSL  $ESHIFT, ldkb

#define UPDATE FMUL
#include "pass_neon_arm64.h"
#undef UPDATE

// float32, widened: a register of float64 is half of one.
#undef KMOVED
#define KMOVED moved>>1
#undef LDK_A
#define LDK_A(row, mat) \
	FLDPQ.P 32(row), (F22, F23); \
	FCVTL_2D(20, 22); \
	FCVTL2_2D(21, 22); \
	FCVTL_2D(22, 23); \
	FCVTL2_2D(23, 23)
#undef LDK_B
#define LDK_B(row, mat) \
	FLDPQ.P 32(row), (F26, F27); \
	FCVTL_2D(24, 26); \
	FCVTL2_2D(25, 26); \
	FCVTL_2D(26, 27); \
	FCVTL2_2D(27, 27)
#undef LDK1
#define LDK1(row, mat, f, n) \
	FMOVD.P 8(row), f; \
	FCVTL_2D(n, n)
#undef LDKPART
#define LDKPART(row, mat, e, f, v, n) \
	FMOVS (row), f; \
	FCVTL_2D(n, n)

// func rowsNEONMixed(m, n int, s *float64, k *float32, ldk int, v *float64)
TEXT ·rowsNEONMixed(SB), NOSPLIT, $0-48
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD s+16(FP), up
	MOVD k+24(FP), kp
	MOVD ldk+32(FP), ldkb
	MOVD v+40(FP), vp
	LSL  $2, ldkb

#define ROWS
#include "pass_neon_arm64.h"
#undef ROWS

// func columnsNEONMixed(m, n int, q *float64, k *float32, ldk int, u *float64)
TEXT ·columnsNEONMixed(SB), NOSPLIT, $0-48
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD q+16(FP), qp
	MOVD k+24(FP), kp
	MOVD ldk+32(FP), ldkb
	MOVD u+40(FP), ap
	LSL  $2, ldkb

#define COLUMNS
#include "pass_neon_arm64.h"
#undef COLUMNS

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

#define UPDATE FDIV
#include "pass_neon_arm64.h"
#undef UPDATE

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

#define UPDATE FMUL
#include "pass_neon_arm64.h"
#undef UPDATE
