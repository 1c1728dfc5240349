// block for float64, float32 and mixed with AVX2 + FMA.
//
//	sums    lanes[i, s][j mod w] += k[i*ldk+j] v[s][j]
//	update  u[s][i] = a[s][i] / fold(lanes[i, s]), or u[s][i] = fold(lanes[i, s]) if a is nil; then lanes[i, s] = 0
//	add     q[s][j] += Σ_i u[s][i] k[i*ldk+j]                       0≤i<m  0≤j<n  0≤s<4
//
// Same bits as    the passes of package pass, called for each s. A float32 k is widened exactly. A row sum
//                 has w lanes (partial sums): w is 8 for float64 and 16 for float32. fold adds the upper half
//                 of the lanes to the lower half until one sum remains. Each row adds to q[j] with one FMA,
//                 in ascending order of i.
// Layout          k is an m×n row-major matrix with a stride of ldk elements. v, q, a and u are four slices
//                 each. The kernels begin at element j of v and q, and at element i of a and u. The lanes of
//                 row i and vector s are 64 bytes at byte offset 256 i + 64 s. m is a positive multiple of 4,
//                 and n is a positive multiple of w.
// Tile            2 rows × 4 vectors × 32 bytes of a vector. Y8 and Y9 hold k. In sums, Y0–Y7 hold one half of
//                 the lanes at a time, and Y10–Y13 hold v. In add, Y0–Y7 hold u, and Y10–Y13 hold q.
//                 update processes 4 rows and one vector at a time.
// Tail            none: the caller computes the last rows. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       SI row of k · AX next row · DX ldk · DI R9 R10 R11 v or q · CX offset in the row
//                 · R12 bytes of a row of k · R13 rows left · BX lanes, or offset in u ·
//                 R8 half. update: SI a · DI u · DX offset in a and u · CX vectors left.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define row1 AX
#define lane BX
#define ui BX
#define c CX
#define ld DX
#define at DX
#define row SI
#define ai SI
#define x0 DI
#define h R8
#define x1 R9
#define x2 R10
#define x3 R11
#define bytes R12
#define rows R13

#define F64
#include "type_amd64.h"
#define SUMS ·sumsAVX2F64(SB)
#define ADD ·addAVX2F64(SB)
#include "block_avx2_amd64.h"
#define UPDATE ·updateAVX2F64(SB)
#include "update_avx2_amd64.h"
#undef UPDATE
#undef F64
#undef SUMS
#undef ADD

#define F32
#include "type_amd64.h"
#define SUMS ·sumsAVX2F32(SB)
#define ADD ·addAVX2F32(SB)
#include "block_avx2_amd64.h"
#define UPDATE ·updateAVX2F32(SB)
#include "update_avx2_amd64.h"
#undef UPDATE
#undef F32
#undef SUMS
#undef ADD

#define MIXED
#include "type_amd64.h"
#define SUMS ·sumsAVX2Mixed(SB)
#define ADD ·addAVX2Mixed(SB)
#include "block_avx2_amd64.h"
