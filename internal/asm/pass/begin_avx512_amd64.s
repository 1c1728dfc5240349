// begin, float64 and float32, AVX-512 F.
//
//	r[i] = Σ_j (k[i*ldk+j] mat[i*ldm+j]) v[j]      s[i] = w[i] r[i]
//	q[j] = q[j] + Σ_i k[i*ldk+j] (u[i] mat[i*ldm+j] + s[i])                    0≤i<m  0≤j<n
//
// Same bits as    beginRef in ref.go: the row sum in 8 lanes (float32: 16), folded in
//                 halves; q[j] two FMAs a row, i ascending.
// Layout          k mat m×n row-major, strides ldk ldm in elements; v q n; u w r s m.
//                 m, n ≥ 1.
// Tile            4 rows, twice over the columns, 64 bytes at a time, the second time from
//                 the last column to the first: Z0–Z3 lanes of the row sums, then Z16–Z19 s,
//                 Z20–Z23 u, Z0 q. The last m mod 4 rows one by one.
// Tail            columns: opmask K1; Z31 keeps the partial step of q from the first row to the
//                 last. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       SI row of k · DI row of mat · DX ldk · R8 3 ldk · R11 ldm · R12 3 ldm ·
//                 BX q · R13 v · AX scratch · R9 bytes in whole steps · R10 bytes of a row ·
//                 CX offset in the row · K1 mask · Z31 partial step of q.
// Source          own.

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

// DOT adds a step of one row, k·mat·v with v in Z8, to its lanes.
#define DOT(k, mat, lanes) \
	move k, Z9;        \
	mul  mat, Z9, Z9;  \
	fma  Z9, Z8, lanes

// DOTZ is DOT for the partial step, padded with zeros.
#define DOTZ(k, mat, lanes) \
	movez k, mask, Z9;       \
	mulz  mat, Z9, mask, Z9; \
	fma   Z9, Z8, lanes

// ADDKM adds a step of one row, k·(u·mat + s), to q in Z0.
#define ADDKM(k, mat, s, u) \
	move   mat, Z1;  \
	fma213 s, u, Z1; \
	fma    k, Z1, Z0

// ADDKMZ is ADDKM for the partial step.
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
