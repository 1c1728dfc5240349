// begin for float64 and float32 with AVX-512 F.
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
//                 Z0–Z3. The second loop goes from the last column to the first and updates q, with s in
//                 Z16–Z19, u in Z20–Z23 and q in Z0. The last m mod 4 rows are processed one at a time.
// Tail            columns: opmask K1. Z31 keeps the last, partial 64 bytes of q from the first row to the
//                 last. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       SI row of k · DI row of mat · DX ldk · R8 3 ldk · R11 ldm · R12 3 ldm ·
//                 BX q · R13 v · AX scratch · R9 bytes in whole steps · R10 bytes of a row ·
//                 CX offset in the row · K1 mask · Z31 last, partial 64 bytes of q.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define p AX
#define y BX
#define c CX
#define ld DX
#define row SI
#define mrow DI
#define ld3 R8
#define whole R9
#define bytes R10
#define lm R11
#define lm3 R12
#define x R13
#define mask K1
#define ytail Z31

// DOT multiplies 64 bytes of k, mat and v elementwise, and adds the products to the lanes of a row sum. Z8 holds v.
#define DOT(k, mat, lanes) \
	move k, Z9;        \
	mul  mat, Z9, Z9;  \
	fma  Z9, Z8, lanes

// DOTZ is like DOT, but for the last, partial 64 bytes of a row, which it pads with zeros.
#define DOTZ(k, mat, lanes) \
	movez k, mask, Z9;       \
	mulz  mat, Z9, mask, Z9; \
	fma   Z9, Z8, lanes

// ADDKM computes 64 bytes of terms k·(u·mat + s) and adds them to Z0, which holds q.
#define ADDKM(k, mat, s, u) \
	move   mat, Z1;  \
	fma213 s, u, Z1; \
	fma    k, Z1, Z0

// ADDKMZ is like ADDKM, but for the last, partial 64 bytes of a row. It adds the terms to register ytail, which holds the
// elements of q.
#define ADDKMZ(k, mat, s, u) \
	movez  mat, mask, Z1;     \
	fma213 s, u, Z1;          \
	fma    k, Z1, mask, ytail

#define F64
#include "type_amd64.h"

// func beginAVX512F64(m, n int, k *float64, ldk int, mat *float64, ldm int, v, u, w, r, s, q *float64)
TEXT ·beginAVX512F64(SB), NOSPLIT, $0-96
#include "begin_avx512_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func beginAVX512F32(m, n int, k *float32, ldk int, mat *float32, ldm int, v, u, w, r, s, q *float32)
TEXT ·beginAVX512F32(SB), NOSPLIT, $0-96
#include "begin_avx512_amd64.h"
