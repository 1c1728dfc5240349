// sqEuclidean, gibbs for float64 and float32 with AVX2 + FMA.
//
//	sqEuclidean   dst[i*ldd+j] = (0 or dst[i*ldd+j]) + Σ_k (x[i*ldx+k] − zt[k*ldz+j])²
//	gibbs         D_ij = Σ_k (x_ik − z_jk)²      K_ij = 2^(c·D_ij)      0≤i<m  0≤j<n  0≤k<d
//
// Same bits as    sqEuclideanRef and gibbsRef in ref.go. The terms are added in ascending order of k, each with
//                 one FMA. gibbs rounds y = c·D_ij and computes 2^y as exp.Ref2 does.
// Layout          x is m×d, zt is d×n, and dst and K are m×n. D is m×n or nil. All matrices are row-major,
//                 with strides in elements. m, n, d ≥ 1.
// Tile            6 rows × 2 vectors. The tile has 12 sums, twice as many as the latency of FMA requires,
//                 and 8 loads for 24 operations. An iteration adds the terms of two indices k. In gibbs,
//                 the exponential needs the registers of the distances. Therefore gibbs stores the
//                 tile in D or K, and then computes 2^y from the first-level cache, two rows at a time.
// Tail            The last columns use tiles of 6 rows × 1 vector, and the last vector is masked. If fewer than
//                 six rows are left, the tile computes the last row several times and stores the row
//                 once. No access outside the slices.
// Special values  propagate as in ordinary arithmetic. Special values of 2^y are those of exp.Exp2. K can
//                 overflow to +Inf only if c ≥ 0, so the code checks the sign bit of c.
// Registers       AX BX CX DX SI DI ends of six rows of x · R8 k − d in bytes · R9 pointer into zt at
//                 k, or scratch · R10 ldz in bytes · R12 dst or D at the tile · Y0–Y11 sums ·
//                 Y12 Y13 zt · Y14 Y15 x, differences. sqEuclidean: R11 zt at the tile's columns ·
//                 R13 ldd in bytes · Y15 mask of the column tail. gibbs: R8 a row of D · R9 a
//                 row of K · R10 a second row · R11 rows left · R13 K at the tile; then Y0–Y3
//                 y, f · Y4–Y7 t, S · Y8–Y11 underflow, q · Y12 scratch · Y13 c · Y14 least y,
//                 scratch · Y15 magic. Y11 mask of the column tail.
// Arguments       change their meaning. d, ldx and all strides of gibbs are converted to
//                 bytes. x points past the d elements of the group's first row. dst or dist
//                 points to the group's first row of sums, which are in K if D is absent; k
//                 points to the group's first row of K. zt of gibbs points to the columns of the tile.
//                 n holds the address of the last full tile's columns in zt. m holds the number of rows
//                 left.
// Source          written for this project; the tile shape was found by measurement (see NOTES.md); the core of 2^y is
//                 exp2core_avx2_amd64.h. While sqEuclidean stores a tile, it prefetches the last
//                 cache line of each row of the tile to the right.

//go:build amd64 && !purego

#include "textflag.h"
#include "../exp/exp2core_avx2_amd64.h"

#define p0 AX
#define p1 BX
#define p2 CX
#define p3 DX
#define p4 SI
#define p5 DI
#define koff R8
#define zk R9
#define ldzb R10
#define dcol R12

// registers of sqEuclidean
#define zcol R11
#define lddb R13

// registers of gibbs
#define drow R8
#define krow R9
#define second R10
#define left R11
#define kcol R13
#define mask Y11
#define tmp Y12
#define factor Y13
#define least Y14
#define magic Y15

// nextrow sets pointer p to the row of x after the row at q. If the row group has at most r rows,
// nextrow sets p to q, because a group of fewer than six rows computes its last row several times.
#define nextrow(q, r, p) \
	LEAQ    (q)(koff*1), p; \
	CMPQ    m+0(FP), $r;    \
	CMOVQLE q, p

// row adds (x_ik − z_jk)² to the sums s0 and s1, for one row i and two vectors of columns j.
#define row(x, s0, s1) \
	bcast x, Y15;        \
	sub   Y12, Y15, Y14; \
	sub   Y13, Y15, Y15; \
	fma   Y14, Y14, s0;  \
	fma   Y15, Y15, s1

// step adds the terms of one index k to the sums of the whole tile.
#define step(e) \
	row(e(p0)(koff*1), Y0, Y1); \
	row(e(p1)(koff*1), Y2, Y3); \
	row(e(p2)(koff*1), Y4, Y5); \
	row(e(p3)(koff*1), Y6, Y7); \
	row(e(p4)(koff*1), Y8, Y9); \
	row(e(p5)(koff*1), Y10, Y11)

// row0 sets the sums s0 and s1 to (x_i0 − z_j0)², for one row i and two vectors of columns j. step0
// sets the sums of all six rows.
#define row0(x, s0, s1) \
	bcast x, s1;       \
	sub   Y12, s1, s0; \
	sub   Y13, s1, s1; \
	mul   s0, s0, s0;  \
	mul   s1, s1, s1

#define step0 \
	row0((p0)(koff*1), Y0, Y1); \
	row0((p1)(koff*1), Y2, Y3); \
	row0((p2)(koff*1), Y4, Y5); \
	row0((p3)(koff*1), Y6, Y7); \
	row0((p4)(koff*1), Y8, Y9); \
	row0((p5)(koff*1), Y10, Y11)

// row1 adds (x_ik − z_jk)² to the sum s, for one row i and one vector of columns j.
#define row1(x, s) \
	bcast x, Y14;        \
	sub   Y12, Y14, Y14; \
	fma   Y14, Y14, s

// secondrow sets pointer q to the row after the row at p. If only one row is left, secondrow sets q to p.
#define secondrow(p, ld, q) \
	MOVQ    ld, q;    \
	ADDQ    p, q;     \
	CMPQ    left, $2; \
	CMOVQLT p, q

#define F64
#include "type_amd64.h"

// func sqEuclideanAVX2F64(m, n, d int, dst *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, more bool)
TEXT ·sqEuclideanAVX2F64(SB), NOSPLIT, $0-73
#include "sqeuclidean_avx2_amd64.h"

// func gibbsAVX2F64(m, n, d int, k *float64, ldk int, dist *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, c float64)
TEXT ·gibbsAVX2F64(SB), NOSPLIT, $0-96
#include "gibbs_avx2_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func sqEuclideanAVX2F32(m, n, d int, dst *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, more bool)
TEXT ·sqEuclideanAVX2F32(SB), NOSPLIT, $0-73
#include "sqeuclidean_avx2_amd64.h"

// func gibbsAVX2F32(m, n, d int, k *float32, ldk int, dist *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, c float32)
TEXT ·gibbsAVX2F32(SB), NOSPLIT, $0-92
#include "gibbs_avx2_amd64.h"
#undef F32
