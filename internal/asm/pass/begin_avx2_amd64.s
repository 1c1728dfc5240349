// begin for float64 and float32 with AVX2 + FMA.
//
//	r[i] = Σ_j (k[i*ldk+j] mat[i*ldm+j]) v[j]      s[i] = w[i] r[i]
//	q[j] = q[j] + Σ_i k[i*ldk+j] (u[i] mat[i*ldm+j] + s[i])
//
// The row index i is from 0 to m−1, and the column index j is from 0 to n−1.
//
// Same bits as    beginRef in ref.go. A row sum has 8 lanes (16 for float32). The fold repeatedly adds the upper half
//                 of the lanes to the lower half. q[j] is updated in ascending row order, with two FMAs per row.
// Layout          k and mat are m×n, row-major, with strides ldk and ldm in elements. v and q
//                 have n elements; u, w, r and s have m elements. m, n ≥ 1.
// Tile            4 rows × 64 bytes. The first loop over the columns computes the row sums, with their lanes in
//                 Y0–Y7. The second loop goes from the last column to the first and updates q, with s in
//                 Y8–Y11, u in Y4–Y7 and q in Y0 Y1. The last m mod 4 rows are processed one at a time.
// Tail            columns: masked loads with the masks in Y12 Y13. Y14 Y15 keep the last, partial 64 bytes of q
//                 from the first row to the last. rows: one at a time. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       SI row of k · DI row of mat · DX ldk · R8 3 ldk · R11 ldm · R12 3 ldm ·
//                 BX q · R13 v · AX scratch · R9 bytes in whole steps · R10 bytes of a row ·
//                 CX offset in the row.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define p AX
#define to AX
#define y BX
#define c CX
#define rest CX
#define ld DX
#define row SI
#define mrow DI
#define ld3 R8
#define whole R9
#define bytes R10
#define lm R11
#define lm3 R12
#define x R13

// DOT multiplies 64 bytes of k, mat and v elementwise, and adds the products to the lanes of a row sum in registers lo and hi.
// The operands a and a32 are the two 32-byte halves of k, and b and b32 are the halves of mat. Y8 and Y9 hold v.
#define DOT(a, a32, b, b32, lo, hi) \
	move a, Y10;        \
	move a32, Y11;      \
	mul  b, Y10, Y10;   \
	mul  b32, Y11, Y11; \
	fma  Y10, Y8, lo;   \
	fma  Y11, Y9, hi

// DOTSHORT is like DOT, but for the last, partial 64 bytes of a row. Y12 and Y13 hold the masks.
#define DOTSHORT(a, a32, b, b32, lo, hi) \
	maskmove a, Y12, Y10;   \
	maskmove b, Y12, Y11;   \
	mul      Y11, Y10, Y10; \
	fma      Y10, Y8, lo;   \
	maskmove a32, Y13, Y10; \
	maskmove b32, Y13, Y11; \
	mul      Y11, Y10, Y10; \
	fma      Y10, Y9, hi

// ADDKM computes 64 bytes of terms k·(u·mat + s) and adds them to Y0 and Y1, which hold q. The operands a and a32 are the two
// 32-byte halves of k, and b and b32 are the halves of mat.
#define ADDKM(a, a32, b, b32, s, u) \
	move   b, Y2;      \
	move   b32, Y3;    \
	fma213 s, u, Y2;   \
	fma213 s, u, Y3;   \
	fma    a, Y2, Y0;  \
	fma    a32, Y3, Y1

// ADDKMSHORT is like ADDKM, but for the last, partial 64 bytes of a row. Y14 and Y15 hold q. Y12 and Y13 hold the masks.
#define ADDKMSHORT(a, a32, b, b32, s, u) \
	maskmove b, Y12, Y2;   \
	maskmove a, Y12, Y0;   \
	fma213   s, u, Y2;     \
	fma      Y0, Y2, Y14;  \
	maskmove b32, Y13, Y3; \
	maskmove a32, Y13, Y1; \
	fma213   s, u, Y3;     \
	fma      Y1, Y3, Y15

#define F64
#include "type_amd64.h"

// func beginAVX2F64(m, n int, k *float64, ldk int, mat *float64, ldm int, v, u, w, r, s, q *float64)
TEXT ·beginAVX2F64(SB), NOSPLIT, $0-96
#include "begin_avx2_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func beginAVX2F32(m, n int, k *float32, ldk int, mat *float32, ldm int, v, u, w, r, s, q *float32)
TEXT ·beginAVX2F32(SB), NOSPLIT, $0-96
#include "begin_avx2_amd64.h"
