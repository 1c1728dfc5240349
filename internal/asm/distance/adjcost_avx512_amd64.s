// adjcost for float64 and float32 with AVX-512 F.
//
//	dst[i*ldg+j] = k[i*ldk+j] (h − λ k̄)      h = u[i] v[j]      0≤i<m  0≤j<n
//	k̄ = Σ_q a[i*lda+q] b[q*ldb+j] + h mat[i*ldm+j]      0≤q<r
//
// Same bits as    adjcostRef in ref.go. The terms are added in ascending order of q, each with one FMA. The
//                 term of mat is added last. One FMA computes h − λ k̄, and one product multiplies by k.
// Layout          dst, k and mat are m×n, a is m×r, and b is r×n. All matrices are row-major, with strides
//                 in elements. u has m elements, and v has n elements. dst may be mat. m, n ≥ 1, r ≥ 0.
//                 a and b are not read if r = 0.
// Tile            8 rows × 3 vectors of columns. Z0–Z23 hold k̄. Z24–Z26 hold b and later v. The FMAs
//                 broadcast a from memory. The last columns use a tile of 8 rows × 2 vectors or 8 rows ×
//                 1 vector. The last m mod 8 rows use tiles of 1 row × 3 vectors.
// Tail            The opmasks K1–K3 select the columns of the three vectors. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       BX a of the tile · SI a_0q of the tile · DI a_4q · R8 lda · R9 3 lda ·
//                 R10 b at q · R11 ldb · AX terms left; then SI k · DI mat · R10 dst · AX ldk
//                 · CX ldm · R11 ldg · R8 R9 offsets of the second and third vectors (tiles of one row: from
//                 the beginning). DX u · R12 rows left · R13 columns left · CX scratch · Z27 u · Z28–Z30 h ·
//                 Z31 λ. The argument slots hold the starts of the rows, and the strides in bytes (lda: in elements).
// Source          written for this project; the loop over q follows the matrix product of BLIS.

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

// fetch3 prefetches one row of a tile at p and advances p by tmp bytes to the next row. fetch8 prefetches eight rows.
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

// term1, term2 and term3 add a_iq b_qj to the sums of one row of a tile, for one, two or three
// vectors of columns.
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

// finish3 computes h = u v for one row of a tile and calls factors3 and products3. factors3 computes h − λ k̄. products3
// multiplies by k and stores the row in dst. All loads precede the stores for two reasons: dst may be mat, and vectors
// beyond the last column have the address of the first vector.
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
