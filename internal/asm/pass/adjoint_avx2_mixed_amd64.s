// adjoint with a float32 matrix, float64, AVX2 + FMA.
//
//	sweep   s[i] = w[i] Σ_j k[i*ldk+j] t[j]      q[j] = q[j] + Σ_i s[i] k[i*ldk+j]      0≤i<m  0≤j<n
//
// Same bits as    sweepRef in ref.go: k widened, exactly, and the row sum in 8 lanes,
//                 folded in halves; q[j] one FMA a row, i ascending.
// Layout          k m×n row-major, stride ldk in elements; t q n; w s m. m, n ≥ 1.
// Tile            4 rows × 8 columns: the row sums of four rows and, in the same loop, what
//                 the four rows before them add to q. Y0–Y7 lanes of the sums, Y8–Y11 s,
//                 Y12 t and Y13 k, or Y13 q and Y12 k, widened as it is loaded. The last
//                 m mod 4 rows one by one.
// Tail            columns: masked loads, n mod 8 elements of q in Y14 Y15 from the
//                 first row to the last; rows: 1 row. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       SI row whose sum is taken · AX place in the rows that go to q ·
//                 DI t · BX q · R11 w · R12 s · R13 rows left · DX ldk · R8 3 ldk ·
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
#define wi R11
#define si R12
#define rows R13

#include "tail_avx2_mixed_amd64.h"

// func sweepAVX2Mixed(m, n int, k *float32, ldk int, t, w, s, q *float64)
TEXT ·sweepAVX2Mixed(SB), NOSPLIT, $0-64
	MOVQ m+0(FP), rows
	MOVQ n+8(FP), bytes
	MOVQ k+16(FP), row
	MOVQ ldk+24(FP), ld
	MOVQ t+32(FP), x
	MOVQ w+40(FP), wi
	MOVQ s+48(FP), si
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

	// s_r = w_r · sum_r
	VMULPD  (wi), Y0, Y0
	VMOVUPD Y0, (si)
	VPERMPD $0x00, Y0, Y8
	VPERMPD $0x55, Y0, Y9
	VPERMPD $0xaa, Y0, Y10
	VPERMPD $0xff, Y0, Y11
	ADDQ    $32, wi
	ADDQ    $32, si

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

	// s = w · sum
	VMULSD       (wi), X0, X0
	VMOVSD       X0, (si)
	VBROADCASTSD X0, Y8
	ADDQ         $8, wi
	ADDQ         $8, si

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
