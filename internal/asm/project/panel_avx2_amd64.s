// panel for float64 and float32 with AVX2 + FMA.
//
//	y[i*ldy+j] = r[i] + s[j] + Σ_k a[i/4*4*d+k*4+i%4]·b[k*w+j]          if r is not nil
//	y[i*ldy+j] = y[i*ldy+j] + Σ_k a[i/4*4*d+k*4+i%4]·b[k*w+j]           if r is nil
//	h[j]       = max(h[j], f[i] − y[i*ldy+j])                            if h is not nil
//
// The row index i is from 0 to m−1, the column index j is from 0 to w−1, and k is from 0 to d−1.
//
// Same bits as    panelRef in ref.go. A sum adds its terms in ascending order of k, with one FMA per term.
// Layout          a is packed in groups of four rows, and every group is a d×4 matrix. b is d×w, and w columns fill three
//                 vectors. y is m×w, row-major. m, d ≥ 1. m is a multiple of 4.
// Tile            4 rows × 3 vectors of columns; four terms k in each iteration. Every tile prefetches a twelfth of
//                 the operand b of the next panel, and the elements of y of the next tile.
// Tail            terms: one in each iteration. The rows and columns have no tail.
// Special values  propagate as in ordinary arithmetic. The maximum replaces h by a value x only if x > h, so NaN is ignored.
// Registers       AX groups left · BX a at k · CX b at k · DX y at the tile · SI ldy · DI k left ·
//                 R8 r · R9 scratch, f at the end · R10 b behind this panel · R11 s · R12 h · R13 y
//                 two rows below · Y0–Y11 sums · Y12 Y13 Y15 b, h at the end · Y14 a.
// Arguments       f advances by a group.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define left AX
#define ak BX
#define bk CX
#define ytile DX
#define ldyb SI
#define steps DI
#define ri R8
#define temp R9
#define ahead R10
#define sj R11
#define hj R12
#define ythird R13

// The macro row adds x·b to the sums s0, s1 and s2 of one row of the tile. The element x of a is broadcast, and Y12, Y13 and
// Y15 hold a row of b.
#define row(x, s0, s1, s2) \
	bcast x, Y14;       \
	fma   Y12, Y14, s0; \
	fma   Y13, Y14, s1; \
	fma   Y15, Y14, s2

// The macro step adds term k + i to the sums of the tile, where ak and bk point to term k.
#define step(i) \
	move (i*96)(bk), Y12;                        \
	move (i*96+32)(bk), Y13;                     \
	move (i*96+64)(bk), Y15;                     \
	row((i*4*size)(ak), Y0, Y1, Y2);             \
	row((i*4*size+size)(ak), Y3, Y4, Y5);        \
	row((i*4*size+2*size)(ak), Y6, Y7, Y8);      \
	row((i*4*size+3*size)(ak), Y9, Y10, Y11)

// sums sets the registers s0, s1 and s2 to the sums r_i + s_j of one row. x is r_i.
#define sums(x, s0, s1, s2) \
	bcast x, Y14;           \
	add   (sj), Y14, s0;    \
	add   32(sj), Y14, s1;  \
	add   64(sj), Y14, s2

// highest(x, s0, s1, s2) replaces the elements y_ij of row i in s0, s1 and s2 by f_i − y_ij, where x is f_i. It then updates
// the column maxima in Y12, Y13 and Y15.
#define highest(x, s0, s1, s2) \
	bcast x, Y14;       \
	sub   s0, Y14, s0;  \
	sub   s1, Y14, s1;  \
	sub   s2, Y14, s2;  \
	max   Y12, s0, Y12; \
	max   Y13, s1, Y13; \
	max   Y15, s2, Y15

// The macro fetch prefetches two rows of the next tile. The register temp points to the first row.
#define fetch \
	PREFETCHT0 (temp);           \
	PREFETCHT0 64(temp);         \
	PREFETCHT0 (temp)(ldyb*1);   \
	PREFETCHT0 64(temp)(ldyb*1)

#define F64
#include "type_amd64.h"

// func panelAVX2F64(m, d int, y *float64, ldy int, a, b, r, s, f, h *float64)
TEXT ·panelAVX2F64(SB), NOSPLIT, $0-80
#include "panel_avx2_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func panelAVX2F32(m, d int, y *float32, ldy int, a, b, r, s, f, h *float32)
TEXT ·panelAVX2F32(SB), NOSPLIT, $0-80
#include "panel_avx2_amd64.h"
#undef F32
