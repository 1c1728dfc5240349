// adjoint with a float32 matrix, float64, AVX-512 F.
//
//	sweep   s[i] = w[i] Σ_j k[i*ldk+j] t[j]      q[j] = q[j] + Σ_i s[i] k[i*ldk+j]      0≤i<m  0≤j<n
//
// Same bits as    sweepRef in ref.go: k widened, exactly, and the row sum in 8 lanes,
//                 folded in halves; q[j] one FMA a row, i ascending.
// Layout          k m×n row-major, stride ldk in elements; t q n; w s m. m, n ≥ 1.
// Tile            8 rows, twice over the columns, 8 at a time, the second time from the
//                 last column to the first: Z0–Z7 lanes of the row sums, then Z16–Z23 s; k
//                 is widened as it is loaded, to Z9–Z12; then 4 rows, then one by one.
// Tail            columns: opmask K1, n mod 8 elements of q in Z31 from the first row
//                 to the last. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       SI row of k · AX row + 4 ldk · DI t · BX q · R11 w · R12 s · R13 rows
//                 left · DX ldk · R8 3 ldk · R9 bytes in whole steps · R10 bytes of a
//                 row · CX place in the row · K1 mask · Z31 tail of q; bytes are those of
//                 k, a vector has twice as many.
// Source          own.

//go:build amd64 && !purego

#include "textflag.h"

#define row4 AX
#define y BX
#define c CX
#define ld DX
#define row SI
#define x DI
#define ld3 R8
#define whole R9
#define bytes R10
#define wi R11
#define si R12
#define rows R13
#define mask K1
#define ytail Z31

// TAILMASK sets mask to the elements of the short step, bytes − whole of them.
#define TAILMASK \
	MOVQ  bytes, c; \
	SUBQ  whole, c; \
	SHRQ  $2, c;    \
	MOVL  $1, AX;   \
	SHLL  CX, AX;   \
	DECL  AX;       \
	KMOVW AX, mask

// func sweepAVX512Mixed(m, n int, k *float32, ldk int, t, w, s, q *float64)
TEXT ·sweepAVX512Mixed(SB), NOSPLIT, $0-64
	MOVQ      m+0(FP), rows
	MOVQ      n+8(FP), bytes
	MOVQ      k+16(FP), row
	MOVQ      ldk+24(FP), ld
	MOVQ      t+32(FP), x
	MOVQ      w+40(FP), wi
	MOVQ      s+48(FP), si
	MOVQ      q+56(FP), y
	SHLQ      $2, bytes
	SHLQ      $2, ld
	LEAQ      (ld)(ld*2), ld3
	MOVQ      bytes, whole
	ANDQ      $-32, whole
	TAILMASK
	VMOVUPD.Z (y)(whole*2), mask, ytail

rowloop:
	SUBQ $8, rows
	JLT  rowtail

#include "dot8_avx512_mixed_amd64.h"

	// s_r = w_r · sum_r
	VMULPD       (wi), Z0, Z0
	VMOVUPD      Z0, (si)
	VBROADCASTSD (si), Z16
	VBROADCASTSD (1*8)(si), Z17
	VBROADCASTSD (2*8)(si), Z18
	VBROADCASTSD (3*8)(si), Z19
	VBROADCASTSD (4*8)(si), Z20
	VBROADCASTSD (5*8)(si), Z21
	VBROADCASTSD (6*8)(si), Z22
	VBROADCASTSD (7*8)(si), Z23

#include "axpy8_avx512_mixed_amd64.h"

	ADDQ $(8*8), wi
	ADDQ $(8*8), si
	LEAQ (row)(ld*8), row
	JMP  rowloop

rowtail:
	ADDQ $4, rows
	JLT  row1tail

#include "dot4_avx512_mixed_amd64.h"

	// s_r = w_r · sum_r
	VMULPD       (wi), Y0, Y0
	VMOVUPD      Y0, (si)
	VBROADCASTSD (si), Z16
	VBROADCASTSD (1*8)(si), Z17
	VBROADCASTSD (2*8)(si), Z18
	VBROADCASTSD (3*8)(si), Z19

#include "axpy4_avx512_mixed_amd64.h"

	ADDQ $(4*8), wi
	ADDQ $(4*8), si
	LEAQ (row)(ld*4), row
	SUBQ $4, rows

row1tail:
	ADDQ $4, rows
	JEQ  store

row1loop:
#include "dot1_avx512_mixed_amd64.h"

	// s = w · sum
	VMULSD       (wi), X0, X0
	VMOVSD       X0, (si)
	VBROADCASTSD X0, Z16

#include "axpy1_avx512_mixed_amd64.h"

	ADDQ $8, wi
	ADDQ $8, si
	ADDQ ld, row
	DECQ rows
	JNE  row1loop

store:
	VMOVUPD ytail, mask, (y)(whole*2)
	VZEROUPPER
	RET
