// adjcost for float64 and float32 with AVX2 + FMA.
//
//	g[i*ldg+j] = k[i*ldk+j] (h − λ (Σ_q a[i*lda+q] b[q*ldb+j] + h mat[i*ldm+j]))
//	h = u[i] v[j]      0≤i<m  0≤j<n  0≤q<r
//
// Same bits as    adjcostRef in ref.go. The terms are added in ascending order of q, each with one FMA. The
//                 term of mat is added last. One FMA multiplies by −λ, and one product multiplies by k.
// Layout          g, k and mat are m×n, a is m×r, and b is r×n. All matrices are row-major, with strides
//                 ldg, ldk, ldm, lda and ldb in elements. u has m elements, and v has n elements.
//                 m, n ≥ 1, r ≥ 0. g may be mat.
// Tile            4 rows × 3 vectors of columns. In the loop over q, Y0–Y11 hold sums, Y12–Y14 hold b,
//                 and Y15 holds a. After the loop, Y12 holds h, Y13 holds λ, and Y15 holds u.
// Tail            The last columns are processed one vector at a time, with masked loads and stores. The
//                 last rows are processed one row at a time. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       AX pointer into a, then v · BX pointer into b · CX terms left, scratch · DX lda ·
//                 R8 3 lda · R9 ldb · SI pointer into k · DI into mat · R10 into g · R11 bytes from
//                 the start of the row · R12 u · R13 bytes left · Y14 mask. The argument slots hold
//                 the starts of the rows, the rows left, and the strides in bytes.
// Source          written for this project; the loop over q follows the matrix product of BLIS.

//go:build amd64 && !purego

#include "textflag.h"

#define lanes (32/size)
#define ap AX
#define vp AX
#define bp BX
#define terms CX
#define la DX
#define la3 R8
#define lb R9
#define kp SI
#define mp DI
#define gp R10
#define col R11
#define ui R12
#define left R13

// TERM multiplies the number a by the three vectors of b in Y12–Y14. It adds the products to
// the sums s0, s1 and s2 of a row.
#define TERM(a, s0, s1, s2) \
	bcast a, Y15;       \
	fma   Y12, Y15, s0; \
	fma   Y13, Y15, s1; \
	fma   Y14, Y15, s2

// FINISH computes a vector of g from the sums in register s, and stores it at byte offset d in the
// tile. Y15 contains u, and Y13 contains λ.
#define FINISH(d, s) \
	mul     d(vp), Y15, Y12; \
	fma     d(mp), Y12, s;   \
	fnma213 Y12, Y13, s;     \
	mul     d(kp), s, s;     \
	move    s, d(gp)

// FINISHMASKED computes elements of g from the sums in register s, and leaves them in s. Y14
// contains the mask, Y4 contains v, Y15 contains u, and Y13 contains λ.
#define FINISHMASKED(s) \
	mul      Y4, Y15, Y12;  \
	maskmove (mp), Y14, Y5; \
	fma      Y5, Y12, s;    \
	fnma213  Y12, Y13, s;   \
	maskmove (kp), Y14, Y5; \
	mul      Y5, s, s

// NEXTROW advances the pointers to the next row of k and mat. NEXTROWG advances to the next row of
// g.
#define NEXTROW \
	ADDQ ldk+48(FP), kp; \
	ADDQ ldm+64(FP), mp

#define NEXTROWG ADDQ ldg+32(FP), gp

// STARTS sets the pointers into k, mat and g to byte offset col in the row block.
#define STARTS \
	MOVQ k+40(FP), kp;   \
	ADDQ col, kp;        \
	MOVQ mat+56(FP), mp; \
	ADDQ col, mp;        \
	MOVQ dst+24(FP), gp; \
	ADDQ col, gp

// STARTV points vp to byte offset col in v. vp shares its register with ap, the pointer into a.
#define STARTV \
	MOVQ v+112(FP), vp; \
	ADDQ col, vp

// AHEAD prefetches the tile's columns of three rows. The first row begins at base, and rows are
// stride bytes apart. Without AHEAD, the CPU would load these rows only after it has computed most
// of the sums.
#define AHEAD(base, stride) \
	PREFETCHT0 (base);             \
	PREFETCHT0 64(base);           \
	PREFETCHT0 (base)(stride*1);   \
	PREFETCHT0 64(base)(stride*1); \
	PREFETCHT0 (base)(stride*2);   \
	PREFETCHT0 64(base)(stride*2)

// MASK sets Y14 to a mask of min(left, 32) bytes.
#define MASK \
	MOVL    $32, AX;               \
	CMPQ    left, AX;              \
	CMOVQLT left, AX;              \
	LEAQ    tailmask<>+64(SB), CX; \
	SUBQ    AX, CX;                \
	move    (CX), Y14

#define F64
#include "type_amd64.h"

// func adjcostAVX2F64(m, n, r int, dst *float64, ldg int, k *float64, ldk int, mat *float64, ldm int, a *float64, lda int, b *float64, ldb int, u, v *float64, lambda float64)
TEXT ·adjcostAVX2F64(SB), NOSPLIT, $0-128
#include "adjcost_avx2_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func adjcostAVX2F32(m, n, r int, dst *float32, ldg int, k *float32, ldk int, mat *float32, ldm int, a *float32, lda int, b *float32, ldb int, u, v *float32, lambda float32)
TEXT ·adjcostAVX2F32(SB), NOSPLIT, $0-124
#include "adjcost_avx2_amd64.h"
#undef F32
