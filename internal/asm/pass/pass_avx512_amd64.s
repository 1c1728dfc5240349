// Kernels of package pass for float64, float32 and mixed with AVX-512 F.
//
//	rows     u[i] = Σ_j k[i*ldk+j] v[j]
//	columns  q[j] = q[j] + Σ_i u[i] k[i*ldk+j]
//	iterate  u[i] = a[i] / Σ_j k[i*ldk+j] v[j]      q[j] = q[j] + Σ_i u[i] k[i*ldk+j]
//	sweep    u[i] = a[i] Σ_j k[i*ldk+j] v[j]        q[j] = q[j] + Σ_i u[i] k[i*ldk+j]
//
// The row index i is from 0 to m−1, and the column index j is from 0 to n−1.
//
// Same bits as    rowsRef, columnsRef, iterateRef and sweepRef in ref.go. Mixed kernels first
//                 convert k to float64. A row sum has 8 lanes (16 for float32). The fold repeatedly adds the upper half
//                 of the lanes to the lower half. q[j] is updated in ascending row order, with one FMA per row.
// Layout          k is m×n, row-major, with stride ldk in elements. v and q have n elements; a and u
//                 have m elements. m, n ≥ 1.
// Tile            8 rows × 64 bytes of a vector. The first loop over the columns computes the row sums, with
//                 their lanes in Z0–Z7. The second loop goes from the last column to the first and updates
//                 q, with u in Z16–Z23 and q in Z0. Converted elements of k are in Z9–Z12. For rows of at
//                 most 1280 bytes, one loop over the columns computes the sums of 8 rows and adds 8 earlier
//                 rows to q, 16 rows behind the row sums, with q in Z24. The last m mod 8 rows are processed 4
//                 rows at a time, then one at a time.
// Tail            columns: opmask K1. Z31 keeps the last, partial 64 bytes of q from the first row to the
//                 last. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       SI row of k · AX row + 4 ldk · DI v · BX q · R11 a · R12 u · R13 rows
//                 left · DX ldk · R8 3 ldk · R9 bytes of k in whole steps · R10 bytes of a
//                 row of k · CX offset in the row · K1 mask · Z31 last, partial 64 bytes of q. For
//                 short rows, R10 and R13 point 16 and 12 rows behind SI. The arguments keep the former contents of R10
//                 and R13, and a counter of the rows not yet added to q.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define row4 AX
#define y BX
#define c CX
#define ld DX
#define row SI
#define x DI
#define ld3 R8
#define whole R9
#define bytes R10
#define ai R11
#define ui R12
#define rows R13
#define mask K1
#define ytail Z31
#define back R10
#define back4 R13
#define lag m+0(FP)
#define bytesheld n+8(FP)
#define rowsheld k+16(FP)
#define few 1280

#define F64
#include "type_amd64.h"

// func passAVX512F64(m, n int, k *float64, ldk int, v, a, u, q *float64, divide bool)
TEXT ·passAVX512F64(SB), NOSPLIT, $0-65
#include "pass_avx512_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func passAVX512F32(m, n int, k *float32, ldk int, v, a, u, q *float32, divide bool)
TEXT ·passAVX512F32(SB), NOSPLIT, $0-65
#include "pass_avx512_amd64.h"
#undef F32

#define MIXED
#include "type_amd64.h"

// func passAVX512Mixed(m, n int, k *float32, ldk int, v, a, u, q *float64, divide bool)
TEXT ·passAVX512Mixed(SB), NOSPLIT, $0-65
#include "pass_avx512_amd64.h"
