// Kernels of package pass for float64, float32 and mixed with NEON.
//
//	iterate   u[i] = a[i] / Σ_j K_ij v[j]     q[j] = q[j] + Σ_i u[i] K_ij
//	sweep     u[i] = a[i] Σ_j K_ij v[j]       q[j] = q[j] + Σ_i u[i] K_ij
//	begin     r[i] = Σ_j (K_ij M_ij) v[j]     s[i] = w[i] r[i]
//	                                          q[j] = q[j] + Σ_i K_ij (u[i] M_ij + s[i])
//
// The row index i is from 0 to m−1, and the column index j is from 0 to n−1. If q is nil, iterate and sweep only
// store the row sums Σ_j K_ij v[j] in u, like rowsRef. If v is nil, they only update q for a given u, like columnsRef.
//
// Same bits as    rowsRef, columnsRef, iterateRef, sweepRef and beginRef in ref.go. A row sum has 16
//                 lanes (8 for float64) in four registers. The fold repeatedly adds the upper half of the
//                 lanes to the lower half. q[j] is updated in ascending row order, with one FMA per row (two
//                 in begin). Mixed kernels first convert K to float64.
// Layout          K and M are m×n, row-major, with strides in elements. v and q have n elements; a, u,
//                 w, r and s have m elements. m, n ≥ 1.
// Tile            4 rows × four registers. The kernel computes four row sums, and then updates q while
//                 the rows are in the cache.
// Tail            columns: one register, then loads and stores of single lanes. rows: one at a time.
//                 No access outside the slices.
// Special values  propagate as in ordinary arithmetic. The last, partial register is padded with zeros.
// Registers       named below; V0–V15 lanes of the sums, or V0–V3 q · V16–V19 v · V20–V27 K ·
//                 V28 V29 sums, then u · V31 zero. begin: V4–V7 u M + s, V8–V11 s · V20–V27
//                 K, M · V30 V31 M, s.
// Source          written for this project; the code is in pass_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

// Registers of pass_neon_arm64.h.
#define rows R0
#define cols R1
#define kp R2     // pointer to the first of the four current rows of K
#define ldkb R3   // row stride of K in bytes
#define vp R4     // pointer to v
#define ap R5     // pointer into a
#define up R6     // pointer into u
#define qp R7     // column sums
#define row0 R8   // row0–row3: pointers into the four current rows
#define row1 R9
#define row2 R10
#define row3 R11
#define cur R12   // pointer into v or q
#define left R13  // columns left
#define part R14  // columns in the last, partial register
#define spare R15
#define moved R16 // byte count for the next pointer update

// DOT_A and DOT_B multiply four registers of K by v in V16–V19 and add the products to the partial sums a, b, c and d of a row.
// DOT_A takes K from V20–V23, and DOT_B takes K from V24–V27.
#define DOT_A(a, b, c, d) \
	FMLA(a, 20, 16); \
	FMLA(b, 21, 17); \
	FMLA(c, 22, 18); \
	FMLA(d, 23, 19)
#define DOT_B(a, b, c, d) \
	FMLA(a, 24, 16); \
	FMLA(b, 25, 17); \
	FMLA(c, 26, 18); \
	FMLA(d, 27, 19)

// DOT4 adds one register of K·v to the sums of four rows, with v in V16. DOT4PART does the same for the last, partial
// register, with v in V17.
#define DOT4(a, b, c, d) \
	LDK1(row0, mat0, F20, 20); \
	LDK1(row1, mat1, F21, 21); \
	LDK1(row2, mat2, F22, 22); \
	LDK1(row3, mat3, F23, 23); \
	FMLA(a, 20, 16); \
	FMLA(b, 21, 16); \
	FMLA(c, 22, 16); \
	FMLA(d, 23, 16)
#define DOT4PART(a, b, c, d) \
	FMLA(a, 24, 17); \
	FMLA(b, 25, 17); \
	FMLA(c, 26, 17); \
	FMLA(d, 27, 17)

// PAD4 adds the +0 in V31 to four registers of lanes. This addition turns −0 into +0.
#define PAD4(a, b, c, d) \
	FADD(a, a, 31); \
	FADD(b, b, 31); \
	FADD(c, c, 31); \
	FADD(d, d, 31)

// START4 sets four row pointers to the beginning of their rows. MOVE4 adds a byte count to four pointers.
#define START4(first, ld, a, b, c, d) \
	MOVD first, a; \
	ADD  ld, a, b; \
	ADD  ld, b, c; \
	ADD  ld, c, d
#define MOVE4(op, bytes, a, b, c, d) \
	op bytes, a; \
	op bytes, b; \
	op bytes, c; \
	op bytes, d

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

// The AXPY macros add u_i K_ij to q_j. The argument op (FMLA_ROW0 …) selects the element u_i of V28.
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

// UPDATE4 computes u_i = UPDATE(a_i, s_i) for four rows, where s_i is the row sum and the macro UPDATE divides or multiplies.
// UPDATE1 does the same for one row.
#define UPDATE4 \
	LDROWS(ap, F16, F17); \
	ADD $(4*ESIZE), ap; \
	OP_ROWS(UPDATE, 28, 29, 16, 17, 28, 29); \
	STROWS_P(F28, F29, up)
#define UPDATE1 \
	LDE_P(ap, F16); \
	UPDATE(28, 16, 28); \
	STE_P(F28, up)

#define F32
#include "type_arm64.h"

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

// func sweepNEONF32(m, n int, k *float32, ldk int, v, a, u, q *float32)
TEXT ·sweepNEONF32(SB), NOSPLIT, $0-64
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD k+16(FP), kp
	MOVD ldk+24(FP), ldkb
	MOVD v+32(FP), vp
	MOVD a+40(FP), ap
	MOVD u+48(FP), up
	MOVD q+56(FP), qp
	LSL  $ESHIFT, ldkb

#define UPDATE FMUL
#include "pass_neon_arm64.h"
#undef UPDATE

#undef F32
#define F64
#include "type_arm64.h"

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

// func sweepNEONF64(m, n int, k *float64, ldk int, v, a, u, q *float64)
TEXT ·sweepNEONF64(SB), NOSPLIT, $0-64
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD k+16(FP), kp
	MOVD ldk+24(FP), ldkb
	MOVD v+32(FP), vp
	MOVD a+40(FP), ap
	MOVD u+48(FP), up
	MOVD q+56(FP), qp
	LSL  $ESHIFT, ldkb

#define UPDATE FMUL
#include "pass_neon_arm64.h"
#undef UPDATE

// In the following macros K is float32 and the vectors are float64. The macros convert every half register of K to a
// full register of float64.
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

// func sweepNEONMixed(m, n int, k *float32, ldk int, v, a, u, q *float64)
TEXT ·sweepNEONMixed(SB), NOSPLIT, $0-64
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD k+16(FP), kp
	MOVD ldk+24(FP), ldkb
	MOVD v+32(FP), vp
	MOVD a+40(FP), ap
	MOVD u+48(FP), up
	MOVD q+56(FP), qp
	LSL  $2, ldkb

#define UPDATE FMUL
#include "pass_neon_arm64.h"
#undef UPDATE

// The following macros are for the begin kernels, which also read a second matrix M.
#undef KSTART4
#undef KSTART1
#undef KMOVE4
#undef KNEXT4
#undef KNEXT1
#undef KMOVED
#undef LDK_A
#undef LDK_B
#undef LDK1
#undef LDKPART
#undef LDT_A
#undef LDT_B
#undef LDT1
#undef LDTPART
#undef AXPY_A
#undef AXPY_B
#undef AXPY1
#undef UPDATE4
#undef UPDATE1

#define mp R17   // pointer to the first of the four current rows of M
#define ldmb R19 // row stride of M in bytes
#define mat0 R20 // mat0–mat3: pointers into the current rows of M
#define mat1 R21
#define mat2 R22
#define mat3 R23
#define wp R24   // pointer into w
#define rp R25   // pointer into r

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

// The LDK macros load K and M, and multiply them elementwise.
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

// The LDT macros load elements of K and M. LDT_A and LDT_B also copy the register si to V4–V7.
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

// The AXPY macros add K_ij (u_i M_ij + s_i) to q_j. The operand op (FMLA_ROW0 …) is a macro that multiplies by u_i, an element
// of V28.
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

// UPDATE4 computes s_i = w_i r_i for four rows, stores r_i and s_i, and loads u_i. SPREAD4 copies the
// four s_i to all lanes of V8, V9, V10 and V11. UPDATE1 does the work of UPDATE4 for one row.
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

#undef F64
#define F32
#include "type_arm64.h"

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

#undef F32
#define F64
#include "type_arm64.h"

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
#undef F64
