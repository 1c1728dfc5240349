// Kernels of package pass for float64, float32 and mixed with AVX2 + FMA.
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
// Tile            4 rows × 64 bytes of a vector. In iterate and sweep, one loop computes the row sums of four
//                 rows, and adds the previous four rows to q. Y0–Y7 hold the lanes of the sums, Y8–Y11 u,
//                 Y12 v and Y13 q. Converted elements of k are in Y12 or Y13. For rows of rowlo to rowhi bytes,
//                 the row sums have their own loop. For small k, another loop adds eight rows to q, eight rows
//                 behind the row sums, with u in Y2–Y9 and q in Y0 Y1. The last m mod 4 rows are processed one
//                 at a time.
// Tail            columns: masked loads. Y14 Y15 keep the last, partial 64 bytes of q from the first row
//                 to the last. rows: one at a time. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       SI row to sum · AX pointer into the rows that are added to q · DI v ·
//                 BX q · R11 a · R12 u · R13 rows left · DX ldk · R8 3 ldk · R9 bytes
//                 of k in whole steps · R10 bytes of a row of k · CX offset in the row. In
//                 the arguments, for small k: k first row not yet added to q · u element of u for this row · n SI.
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
#define x DI
#define ld3 R8
#define whole R9
#define bytes R10
#define ai R11
#define ui R12
#define rows R13

// small is the size in bytes of the largest matrix k that stays in the first-level cache. For such a matrix, the kernel
// adds a row to q only after it has computed the sums of the next eight rows. If the byte count of a row is between rowlo
// and rowhi, the kernel updates q in a separate loop right after the row sums, while the rows are in the cache.
#define small 36864
#define rowlo 3712
#define rowhi 8704

#define F64
#include "type_amd64.h"

// func passAVX2F64(m, n int, k *float64, ldk int, v, a, u, q *float64, divide bool)
TEXT ·passAVX2F64(SB), NOSPLIT, $0-65
#include "pass_avx2_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func passAVX2F32(m, n int, k *float32, ldk int, v, a, u, q *float32, divide bool)
TEXT ·passAVX2F32(SB), NOSPLIT, $0-65
#include "pass_avx2_amd64.h"
#undef F32

// The mixed kernel has a float32 k and float64 vectors. It computes the row sums and updates q in one loop, for rows of any
// length.
#undef rowlo
#undef rowhi
#define rowlo 0
#define rowhi 0

#define MIXED
#include "type_amd64.h"

// func passAVX2Mixed(m, n int, k *float32, ldk int, v, a, u, q *float64, divide bool)
TEXT ·passAVX2Mixed(SB), NOSPLIT, $0-65
#include "pass_avx2_amd64.h"
