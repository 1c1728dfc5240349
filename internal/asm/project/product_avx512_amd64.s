// product for float64 and float32 with AVX-512 F and VL.
//
//	c[i*ldc+j] = c[i*ldc+j] + Σ_k a[i*ra+k*ka]·b[k*ldb+j]      if more is set
//	c[i*ldc+j] = Σ_k a[i*ra+k*ka]·b[k*ldb+j]                   otherwise
//
// The row index i is from 0 to rows−1, the column index j is from 0 to cols−1, and k is from 0 to depth−1.
//
// Same bits as    mulRef and transMulRef in ref.go. A sum adds its terms in ascending order of k, with one FMA per term.
// Layout          b is depth×cols and c is rows×cols, row-major. a has two strides, so one kernel computes
//                 both x·b (ra = ldx, ka = 1) and yᵀ·x (ra = 1, ka = ldy). rows, cols, depth ≥ 1.
// Tile            8 rows × 3 vectors of columns, with sums in Z0–Z23 and b in Z24–Z26. The FMA broadcasts a
//                 from memory. The last columns use tiles of 8 × 2 vectors or 8 × 1 vector. Their last
//                 vector is a Y register if half a vector is enough. The last rows use tiles of 4 × 3,
//                 2 × 3 and 1 × 3 vectors. The outer loop is over the columns, and the inner loop is over the rows.
// Tail            columns: opmasks K1–K3 for the vectors of a tile. No access outside the
//                 slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       BX a of the tile · SI DI rows 0 and 4 of it at k · R8 ra · R9 3 ra · R13 ka
//                 · R10 b at k, scratch · R11 ldb · DX c of the tile · R12 rows left · AX k left,
//                 scratch · CX scratch. SI DI (for b in the last rows: CX DI) are also the offsets of the
//                 second and third vectors. The arguments hold the columns left, and the beginning of
//                 the group in b and c.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define lanes (64/size)
#define k AX
#define atile BX
#define tmp CX
#define ctile DX
#define ap SI
#define aq DI
#define second SI
#define third DI
#define la R8
#define la3 R9
#define bp R10
#define lb R11
#define rowsleft R12
#define kab R13
#define b0 Z24
#define b1 Z25
#define b2 Z26

// offsets sets b and c to the offsets of the second and third vectors of the tile. A vector without columns gets the
// offset 0, because a fully masked load or store is slow if its page is absent. The macro overwrites t.
#define offsets(b, c, t) \
	XORL    t, t;                   \
	MOVL    $64, b;                 \
	MOVL    $128, c;                \
	CMPQ    cols+8(FP), $lanes;     \
	CMOVQLE t, b;                   \
	CMPQ    cols+8(FP), $(2*lanes); \
	CMOVQLE t, c

#define zero3(s0, s1, s2) \
	VPXORQ s0, s0, s0; \
	VPXORQ s1, s1, s1; \
	VPXORQ s2, s2, s2

// term1, term2 and term3 add a_ik b_kj to the sums of one row of a tile with 1, 2 or 3 vectors. If the name of the macro
// ends in h, the last vector is half a vector.
#define term1(a, s0) \
	fma.BCST a, b0, s0

#define term1h(a, h0) \
	fma.BCST a, Y24, h0

#define term2(a, s0, s1) \
	fma.BCST a, b0, s0; \
	fma.BCST a, b1, s1

#define term2h(a, s0, h1) \
	fma.BCST a, b0, s0; \
	fma.BCST a, Y25, h1

#define term3(a, s0, s1, s2) \
	fma.BCST a, b0, s0; \
	fma.BCST a, b1, s1; \
	fma.BCST a, b2, s2

#define term3h(a, s0, s1, h2) \
	fma.BCST a, b0, s0; \
	fma.BCST a, b1, s1; \
	fma.BCST a, Y26, h2

// load3 loads one row of a tile from the address in k, and store3 stores one row to the address in ctile. The macros advance
// these pointers to the next row.
#define load3(s0, s1, s2) \
	move.Z (k), K1, s0;           \
	move.Z (k)(second*1), K2, s1; \
	move.Z (k)(third*1), K3, s2;  \
	LEAQ   (k)(tmp*size), k

#define store3(s0, s1, s2) \
	move s0, K1, (ctile);           \
	move s1, K2, (ctile)(second*1); \
	move s2, K3, (ctile)(third*1);  \
	LEAQ (ctile)(tmp*size), ctile

// loadb3 loads three vectors of a row of b, for tiles of the last rows of c. Register tmp holds the offset of the second
// vector, and register third holds the offset of the third vector.
#define loadb3 \
	move.Z (bp), K1, b0;        \
	move.Z (bp)(tmp*1), K2, b1; \
	move.Z (bp)(third*1), K3, b2

// step advances the pointers into a and b by one term of the sums, and decrements the number of remaining terms. step4 does the
// same for tiles of at most four rows.
#define step \
	ADDQ kab, ap; \
	ADDQ kab, aq; \
	ADDQ lb, bp;  \
	DECQ k

#define step4 \
	ADDQ kab, ap; \
	ADDQ lb, bp;  \
	DECQ k

#define F64
#include "type_amd64.h"

// func productAVX512F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, more bool)
TEXT ·productAVX512F64(SB), NOSPLIT, $0-81
#include "product_avx512_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func productAVX512F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, more bool)
TEXT ·productAVX512F32(SB), NOSPLIT, $0-81
#include "product_avx512_amd64.h"
#undef F32
