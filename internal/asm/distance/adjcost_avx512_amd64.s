// adjcost, float64 and float32, AVX-512 F.
//
//	dst[i*ldg+j] = k[i*ldk+j] (h − λ k̄)      h = u[i] v[j]      0≤i<m  0≤j<n
//	k̄ = Σ_q a[i*lda+q] b[q*ldb+j] + h mat[i*ldm+j]      0≤q<r
//
// Same bits as    adjcostRef in ref.go: q ascending, one FMA for each term, the term of mat
//                 last; one FMA for h − λ k̄, then one product with k.
// Layout          dst k mat m×n, a m×r, b r×n row-major, strides in elements; u has m
//                 elements, v has n. dst may be mat. m, n ≥ 1, r ≥ 0; a and b are not read if r = 0.
// Tile            8 rows × 3 vectors of columns: Z0–Z23 k̄, Z24–Z26 b, then v; a enters the FMA by
//                 embedded broadcast. The last columns of a row of tiles are a tile of 8 × 2 vectors
//                 or 8 × 1 vector; the last m mod 8 rows are computed in tiles of 1 × 3 vectors.
// Tail            columns: opmasks K1–K3 for the vectors of a tile. No access outside the
//                 slices.
// Special values  follow the arithmetic.
// Registers       BX a of the tile · SI a_0q of the tile · DI a_4q · R8 lda · R9 3 lda ·
//                 R10 b at q · R11 ldb · AX terms left; then SI k · DI mat · R10 dst · AX ldk
//                 · CX ldm · R11 ldg · R8 R9 offsets of the second and third vectors (tiles of one row: from
//                 the beginning). DX u · R12 rows left · R13 columns left · CX scratch · Z27 u · Z28–Z30 h ·
//                 Z31 λ. The argument slots hold the starts of the rows, and the strides in bytes (lda: in elements).
// Source          own; the loop over q follows the matrix product of BLIS.

//go:build amd64 && !purego

#include "textflag.h"
#include "columns_avx512_amd64.h"

#define lanes (64/size)
#define terms AX
#define lk AX
#define atile BX
#define tmp CX
#define lm CX
#define ui DX
#define ap SI
#define kp SI
#define aq DI
#define mp DI
#define la R8
#define la3 R9
#define second R8
#define third R9
#define bp R10
#define gp R10
#define lb R11
#define lg R11
#define rows R12
#define cols R13
#define b0 Z24
#define b1 Z25
#define b2 Z26
#define lambdas Z31

// zero3 clears the sums of one row of a tile.
#define zero3(s0, s1, s2) \
	VPXORQ s0, s0, s0; \
	VPXORQ s1, s1, s1; \
	VPXORQ s2, s2, s2

// fetch3 prefetches the row of a tile at p, and advances p by tmp bytes to the next row. fetch8 prefetches eight rows.
#define fetch3(p) \
	PREFETCHT0 (p);    \
	PREFETCHT0 64(p);  \
	PREFETCHT0 128(p); \
	ADDQ       tmp, p

#define fetch8(p) \
	fetch3(p); \
	fetch3(p); \
	fetch3(p); \
	fetch3(p); \
	fetch3(p); \
	fetch3(p); \
	fetch3(p); \
	fetch3(p)

// term1, term2 and term3 add a_iq b_qj to the sums of one row of a tile.
#define term1(a, s0) \
	fma.BCST a, b0, s0

#define term2(a, s0, s1) \
	fma.BCST a, b0, s0; \
	fma.BCST a, b1, s1

#define term3(a, s0, s1, s2) \
	fma.BCST a, b0, s0; \
	fma.BCST a, b1, s1; \
	fma.BCST a, b2, s2

// step and step1 advance to the next index q and set the flags for the branch that follows. step1
// is for tiles of one row.
#define step \
	ADDQ $size, ap; \
	ADDQ $size, aq; \
	ADDQ lb, bp;    \
	DECQ terms

#define step1 \
	ADDQ $size, ap; \
	ADDQ lb, bp;    \
	DECQ terms

// finish3 computes and stores a row of a tile of dst. finish3 sets h = u v. factors3 computes k̄ =
// h mat + sum and h − λ k̄. products3 multiplies by k and stores the result. All loads come before
// the stores, because dst may be mat and unused vectors have the offset 0.
#define finish3(s0, s1, s2) \
	mul Z24, Z27, Z28;    \
	mul Z25, Z27, Z29;    \
	mul Z26, Z27, Z30;    \
	factors3(s0, s1, s2); \
	products3

#define factors3(s0, s1, s2) \
	fma  (mp), Z28, K1, s0;           \
	fma  (mp)(second*1), Z29, K2, s1; \
	fma  (mp)(third*1), Z30, K3, s2;  \
	fnma s0, lambdas, Z28;            \
	fnma s1, lambdas, Z29;            \
	fnma s2, lambdas, Z30

#define products3 \
	mul.Z (kp), Z28, K1, Z28;           \
	mul.Z (kp)(second*1), Z29, K2, Z29; \
	mul.Z (kp)(third*1), Z30, K3, Z30;  \
	move  Z28, K1, (gp);                \
	move  Z29, K2, (gp)(second*1);      \
	move  Z30, K3, (gp)(third*1)

#define nextrow \
	ADDQ lk, kp; \
	ADDQ lm, mp; \
	ADDQ lg, gp

#define F64
#include "type_amd64.h"

// func adjcostAVX512F64(m, n, r int, dst *float64, ldg int, k *float64, ldk int, mat *float64, ldm int, a *float64, lda int, b *float64, ldb int, u, v *float64, lambda float64)
TEXT ·adjcostAVX512F64(SB), NOSPLIT, $0-128
#include "adjcost_avx512_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func adjcostAVX512F32(m, n, r int, dst *float32, ldg int, k *float32, ldk int, mat *float32, ldm int, a *float32, lda int, b *float32, ldb int, u, v *float32, lambda float32)
TEXT ·adjcostAVX512F32(SB), NOSPLIT, $0-124
#include "adjcost_avx512_amd64.h"
#undef F32
