// begin, float64 and float32, NEON.
//
//	r[i] = Σ_j (K_ij M_ij) v[j]   s[i] = w[i] r[i]   q[j] = q[j] + K_ij (u[i] M_ij + s[i])
//	0≤i<m  0≤j<n
//
// Same bits as    beginRef in ref.go: row sums in 16 (float64: 8) virtual lanes, four
//                 registers a row, folded in halves; q in FMAs, i ascending.
// Layout          K M m×n row-major; v q n; u w r s m; strides in elements. m n ≥ 1.
// Tile            4 rows: all of their sums, then all of q while they are in cache; four
//                 registers of columns a step.
// Tail            columns: one register, then loads and stores of single lanes; rows: 1 row.
//                 No access outside the slices.
// Special values  follow the arithmetic; a short last step is padded with zeros.
// Registers       see names_neon_arm64.h and below; V0–V15 lanes of the sums, or V0–V3 q,
//                 V4–V7 u M + s, V8–V11 s · V16–V19 v · V20–V27 K, M · V28 V29 sums, then u ·
//                 V30 V31 M, s · V31 zero.
// Source          own; the text is pass_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "names_neon_arm64.h"

#define mp R17   // first row of the block in M
#define ldmb R19 // its row stride in bytes
#define mat0 R20 // its rows, moving
#define mat1 R21
#define mat2 R22
#define mat3 R23
#define wp R24   // w, read
#define rp R25   // r, written

#define KSTART4 \
	START4(kp, ldkb, row0, row1, row2, row3); \
	START4(mp, ldmb, mat0, mat1, mat2, mat3)
#define KSTART1 \
	MOVD kp, row0; \
	MOVD mp, mat0
#define KMOVE4(op) \
	MOVE4(op, moved, row0, row1, row2, row3); \
	MOVE4(op, moved, mat0, mat1, mat2, mat3)
#define KNEXT4 \
	ADD ldkb<<2, kp; \
	ADD ldmb<<2, mp
#define KNEXT1 \
	ADD ldkb, kp; \
	ADD ldmb, mp

// K_ij M_ij
#define LDK_A(row, mat) \
	FLDPQ   32(row), (F22, F23); \
	FLDPQ.P 64(row), (F20, F21); \
	FLDPQ   32(mat), (F26, F27); \
	FLDPQ.P 64(mat), (F24, F25); \
	FMUL(20, 20, 24); \
	FMUL(21, 21, 25); \
	FMUL(22, 22, 26); \
	FMUL(23, 23, 27)
#define LDK_B(row, mat) \
	FLDPQ   32(row), (F26, F27); \
	FLDPQ.P 64(row), (F24, F25); \
	FLDPQ   32(mat), (F22, F23); \
	FLDPQ.P 64(mat), (F20, F21); \
	FMUL(24, 24, 20); \
	FMUL(25, 25, 21); \
	FMUL(26, 26, 22); \
	FMUL(27, 27, 23)
#define LDK1(row, mat, f, n) \
	FMOVQ.P 16(row), f; \
	FMOVQ.P 16(mat), F30; \
	FMUL(n, n, 30)
#define LDKPART(row, mat, e, f, v, n) \
	LDPART(row, e, f, v, spare); \
	LDPART(mat, e, F30, V30, spare); \
	FMUL(n, n, 30)

// K_ij, M_ij and s_i
#define LDT_A(row, mat, si) \
	FLDPQ   32(row), (F22, F23); \
	FLDPQ.P 64(row), (F20, F21); \
	FLDPQ   32(mat), (F26, F27); \
	FLDPQ.P 64(mat), (F24, F25); \
	VMOV    si.B16, V4.B16; \
	VMOV    si.B16, V5.B16; \
	VMOV    si.B16, V6.B16; \
	VMOV    si.B16, V7.B16
#define LDT_B(row, mat, si) \
	FLDPQ   32(row), (F26, F27); \
	FLDPQ.P 64(row), (F24, F25); \
	FLDPQ   32(mat), (F22, F23); \
	FLDPQ.P 64(mat), (F20, F21); \
	VMOV    si.B16, V4.B16; \
	VMOV    si.B16, V5.B16; \
	VMOV    si.B16, V6.B16; \
	VMOV    si.B16, V7.B16
#define LDT1(row, mat, f, n, g) \
	FMOVQ.P 16(row), f; \
	FMOVQ.P 16(mat), g
#define LDTPART(row, mat, e, f, v, n, g, w) \
	LDPART(row, e, f, v, spare); \
	LDPART(mat, e, g, w, spare)

// t = fma(u_i, M_ij, s_i), q_j = fma(K_ij, t, q_j), u_i by op (FMLA_ROW0 …) from V28.
#define AXPY_A(op) \
	op(4, 24, 28); \
	op(5, 25, 28); \
	op(6, 26, 28); \
	op(7, 27, 28); \
	FMLA(0, 20, 4); \
	FMLA(1, 21, 5); \
	FMLA(2, 22, 6); \
	FMLA(3, 23, 7)
#define AXPY_B(op) \
	op(4, 20, 28); \
	op(5, 21, 28); \
	op(6, 22, 28); \
	op(7, 23, 28); \
	FMLA(0, 24, 4); \
	FMLA(1, 25, 5); \
	FMLA(2, 26, 6); \
	FMLA(3, 27, 7)
#define AXPY1(op, n, m, si, v, t) \
	VMOV si.B16, v.B16; \
	op(t, m, 28); \
	FMLA(0, n, t)

// s_i = w_i r_i in all lanes of V8–V11; then u_i
#define UPDATE4 \
	STROWS_P(F28, F29, rp); \
	LDROWS(wp, F16, F17); \
	ADD $(4*ESIZE), wp; \
	OP_ROWS(FMUL, 30, 31, 16, 17, 28, 29); \
	STROWS_P(F30, F31, up); \
	LDROWS(ap, F28, F29); \
	ADD $(4*ESIZE), ap; \
	SPREAD4
#define SPREAD4 \
	DUP_ROW0(8, 30); \
	DUP_ROW1(9, 30); \
	DUP_ROW2(10, 30); \
	DUP_ROW3(11, 30)
#define UPDATE1 \
	STE_P(F28, rp); \
	LDE_P(wp, F16); \
	FMUL(30, 16, 28); \
	STE_P(F30, up); \
	DUP_ROW0(8, 30); \
	LDE_P(ap, F28)

#include "neon_f32_arm64.h"

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

#include "pass_neon_arm64.h"

#include "neon_f64_arm64.h"

// func beginNEONF64(m, n int, k *float64, ldk int, mat *float64, ldm int, v, u, w, r, s, q *float64)
TEXT ·beginNEONF64(SB), NOSPLIT, $0-96
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

#include "pass_neon_arm64.h"
