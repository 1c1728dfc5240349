// scale, float32, AVX2 + FMA.
//
//	u[i] = a[i] / Σ_j k[i*ldk+j] v[j]      q[j] = q[j] + Σ_i u[i] k[i*ldk+j]      0≤i<m  0≤j<n
//
// Same bits as    iterateRef in ref.go: the row sum in 16 lanes, folded in halves;
//                 q[j] one FMA a row, i ascending.
// Layout          k m×n row-major, stride ldk in elements; v q n; a u m. m, n ≥ 1.
// Tile            4 rows × 16 columns: the row sums of four rows and, in the same loop, what
//                 the four rows before them add to q. Y0–Y7 lanes of the sums, Y8–Y11 u,
//                 Y12 v, Y13 q. The last m mod 4 rows one by one.
// Tail            columns: masked loads, n mod 16 elements of q in Y14 Y15 from the
//                 first row to the last; rows: 1 row. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       SI row whose sum is taken · AX place in the rows that go to q ·
//                 DI v · BX q · R11 a · R12 u · R13 rows left · DX ldk · R8 3 ldk ·
//                 R9 bytes in whole steps · R10 bytes of a row · CX place in the row.
// Source          own.

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

#include "tail_avx2_amd64.h"

// func iterateAVX2F32(m, n int, k *float32, ldk int, v, a, u, q *float32)
TEXT ·iterateAVX2F32(SB), NOSPLIT, $0-64
	MOVQ m+0(FP), rows
	MOVQ n+8(FP), bytes
	MOVQ k+16(FP), row
	MOVQ ldk+24(FP), ld
	MOVQ v+32(FP), x
	MOVQ a+40(FP), ai
	MOVQ u+48(FP), ui
	MOVQ q+56(FP), y
	SHLQ $2, bytes
	SHLQ $2, ld
	LEAQ (ld)(ld*2), ld3
	MOVQ bytes, whole
	ANDQ $-64, whole

	// the short step of q
	CMPQ       whole, bytes
	JEQ        start
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPS (y)(whole*1), Y12, Y14
	VMASKMOVPS 32(y)(whole*1), Y13, Y15

start:
	SUBQ $4, rows
	JLT  rowtail

#include "dot4_avx2_f32_amd64.h"

	// u_r = a_r / s_r
	VMOVUPS      (ai), X1
	VDIVPS       X0, X1, X0
	VMOVUPS      X0, (ui)
	VBROADCASTSS X0, Y8
	VMOVSHDUP    X0, X1
	VBROADCASTSS X1, Y9
	VUNPCKHPD    X0, X0, X2
	VBROADCASTSS X2, Y10
	VUNPCKHPD    X1, X1, X3
	VBROADCASTSS X3, Y11
	ADDQ         $16, ai
	ADDQ         $16, ui

	SUBQ $4, rows
	JLT  last
	MOVQ row, p
	LEAQ (row)(ld*4), row

#include "both4_avx2_f32_amd64.h"

last:
#include "axpy4_avx2_f32_amd64.h"

	LEAQ (row)(ld*4), row

rowtail:
	ADDQ $4, rows
	JEQ  store

row1loop:
#include "dot1_avx2_f32_amd64.h"

	// u = a / s
	VMOVSS       (ai), X1
	VDIVSS       X0, X1, X0
	VMOVSS       X0, (ui)
	VBROADCASTSS X0, Y8
	ADDQ         $4, ai
	ADDQ         $4, ui

#include "axpy1_avx2_f32_amd64.h"

	ADDQ ld, row
	DECQ rows
	JNE  row1loop

store:
	// the short step of q
	VMOVAPS Y14, Y0
	VMOVAPS Y15, Y1
	LEAQ    (y)(whole*1), to
	MOVQ    bytes, rest
	SUBQ    whole, rest

#include "store_avx2_amd64.h"

	VZEROUPPER
	RET
