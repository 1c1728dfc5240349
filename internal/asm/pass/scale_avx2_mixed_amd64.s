// scale with a float32 matrix, float64, AVX2 + FMA.
//
//	u[i] = a[i] / Σ_j k[i*ldk+j] v[j]      q[j] = q[j] + Σ_i u[i] k[i*ldk+j]      0≤i<m  0≤j<n
//
// Same bits as    iterateRef in ref.go: k widened, exactly, and the row sum in
//                 8 lanes, folded in halves; q[j] one FMA a row, i ascending.
// Layout          k m×n row-major, stride ldk in elements; v q n; a u m. m, n ≥ 1.
// Tile            4 rows × 8 columns: the row sums of four rows and, in the same loop, what
//                 the four rows before them add to q. Y0–Y7 lanes of the sums, Y8–Y11 u,
//                 Y12 v and Y13 k, or Y13 q and Y12 k, widened as it is loaded: from
//                 memory that takes no shuffle and, on Zen, no port of the FMAs. The last
//                 m mod 4 rows one by one.
// Tail            columns: masked loads, n mod 8 elements of q in Y14 Y15 from the
//                 first row to the last; rows: 1 row. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       SI row whose sum is taken · AX place in the rows that go to q ·
//                 DI v · BX q · R11 a · R12 u · R13 rows left · DX ldk · R8 3 ldk ·
//                 R9 bytes in whole steps · R10 bytes of a row · CX place in the row;
//                 bytes are those of k, a vector has twice as many.
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

#include "tail_avx2_mixed_amd64.h"

// func iterateAVX2Mixed(m, n int, k *float32, ldk int, v, a, u, q *float64)
TEXT ·iterateAVX2Mixed(SB), NOSPLIT, $0-64
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
	ANDQ $-32, whole

	// the short step of q
	CMPQ       whole, bytes
	JEQ        start
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPD (y)(whole*2), Y12, Y14
	VMASKMOVPD 32(y)(whole*2), Y13, Y15

start:
	SUBQ $4, rows
	JLT  rowtail

#include "dot4_avx2_mixed_amd64.h"

	// u_r = a_r / s_r
	VMOVUPD (ai), Y1
	VDIVPD  Y0, Y1, Y0
	VMOVUPD Y0, (ui)
	VPERMPD $0x00, Y0, Y8
	VPERMPD $0x55, Y0, Y9
	VPERMPD $0xaa, Y0, Y10
	VPERMPD $0xff, Y0, Y11
	ADDQ    $32, ai
	ADDQ    $32, ui

	SUBQ $4, rows
	JLT  last
	MOVQ row, p
	LEAQ (row)(ld*4), row

#include "both4_avx2_mixed_amd64.h"

last:
#include "axpy4_avx2_mixed_amd64.h"

	LEAQ (row)(ld*4), row

rowtail:
	ADDQ $4, rows
	JEQ  store

row1loop:
#include "dot1_avx2_mixed_amd64.h"

	// u = a / s
	VMOVSD       (ai), X1
	VDIVSD       X0, X1, X0
	VMOVSD       X0, (ui)
	VBROADCASTSD X0, Y8
	ADDQ         $8, ai
	ADDQ         $8, ui

#include "axpy1_avx2_mixed_amd64.h"

	ADDQ ld, row
	DECQ rows
	JNE  row1loop

store:
	// the short step of q
	VMOVAPD Y14, Y0
	VMOVAPD Y15, Y1
	LEAQ    (y)(whole*2), to
	MOVQ    bytes, rest
	SUBQ    whole, rest
	SHLQ    $1, rest

#include "store_avx2_amd64.h"

	VZEROUPPER
	RET
