// block, float64, float32 and mixed, AVX2 + FMA.
//
//	sums    lanes[i, s] = lanes[i, s] + products k[i*ldk+j] v[s][j], each in lane j mod w
//	update  u[s][i] = a[s][i] / fold(lanes[i, s]), or fold(lanes[i, s]) without a; lanes[i, s] = 0
//	add     q[s][j] = q[s][j] + Σ_i u[s][i] k[i*ldk+j]                0≤i<m  0≤j<n  0≤s<4
//
// Same bits as    the passes of package pass, for every s: a float32 k is widened first,
//                 exactly; the row sum in w = 8 lanes (float32: 16), folded in halves; q[j] one
//                 FMA a row, i ascending.
// Layout          k m×n row-major, stride ldk in elements; v q a u four slices each; v
//                 and q begin at j, a and u at i; the lanes of row i and vector s are 64 bytes at
//                 256 i + 64 s. m is a multiple of 4, n of w, both positive.
// Tile            2 rows × 4 vectors × 32 bytes of a vector: Y8 Y9 k. sums handles one half of the lanes
//                 after the other: Y0–Y7 lanes, Y10–Y13 v. add: Y0–Y7 u, Y10–Y13 q.
//                 update: 4 rows, one vector at a time.
// Tail            none: the caller computes the last rows. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       SI row of k · AX next row · DX ldk · DI R9 R10 R11 v or q · CX offset in the row
//                 · R12 bytes of a row of k · R13 rows left · BX lanes, or offset in u ·
//                 R8 half. update: SI a · DI u · DX offset in a and u · CX vectors left.
// Source          own.

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
