// scale, float32, AVX-512 F.
//
//	u[i] = a[i] / Σ_j k[i*ldk+j] v[j]      q[j] = q[j] + Σ_i u[i] k[i*ldk+j]      0≤i<m  0≤j<n
//
// Same bits as    iterateRef in ref.go: the row sum in 16 lanes, folded in halves;
//                 q[j] one FMA a row, i ascending.
// Layout          k m×n row-major, stride ldk in elements; v q n; a u m. m, n ≥ 1.
// Tile            8 rows, twice over the columns, 16 at a time, the second time from the
//                 last column to the first: Z0–Z7 lanes of the row sums, then Z16–Z23 u;
//                 then 4 rows, the last m mod 4 one by one.
// Tail            columns: opmask K1, n mod 16 elements of q in Z31 from the first row
//                 to the last. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       SI row of k · AX row + 4 ldk · DI v · BX q · R11 a · R12 u · R13 rows
//                 left · DX ldk · R8 3 ldk · R9 bytes in whole steps · R10 bytes of a
//                 row · CX place in the row · K1 mask · Z31 tail of q.
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
#define ai R11
#define ui R12
#define rows R13
#define mask K1
#define ytail Z31

// func iterateAVX512F32(m, n int, k *float32, ldk int, v, a, u, q *float32)
TEXT ·iterateAVX512F32(SB), NOSPLIT, $0-64
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

	// the mask and q of the short step, bytes − whole of them
	MOVQ      bytes, c
	SUBQ      whole, c
	SHRQ      $2, c
	MOVL      $1, AX
	SHLL      CX, AX
	DECL      AX
	KMOVW     AX, mask
	VMOVUPS.Z (y)(whole*1), mask, ytail

rowloop:
	SUBQ $8, rows
	JLT  rowtail

#include "dot8_avx512_f32_amd64.h"

	// u_r = a_r / s_r
	VMOVUPS      (ai), Y1
	VDIVPS       Y0, Y1, Y0
	VMOVUPS      Y0, (ui)
	VBROADCASTSS (ui), Z16
	VBROADCASTSS (1*4)(ui), Z17
	VBROADCASTSS (2*4)(ui), Z18
	VBROADCASTSS (3*4)(ui), Z19
	VBROADCASTSS (4*4)(ui), Z20
	VBROADCASTSS (5*4)(ui), Z21
	VBROADCASTSS (6*4)(ui), Z22
	VBROADCASTSS (7*4)(ui), Z23

#include "axpy8_avx512_f32_amd64.h"

	ADDQ $(8*4), ai
	ADDQ $(8*4), ui
	LEAQ (row)(ld*8), row
	JMP  rowloop

rowtail:
	ADDQ $4, rows
	JLT  row1tail

#include "dot4_avx512_f32_amd64.h"

	// u_r = a_r / s_r
	VMOVUPS      (ai), X1
	VDIVPS       X0, X1, X0
	VMOVUPS      X0, (ui)
	VBROADCASTSS (ui), Z16
	VBROADCASTSS (1*4)(ui), Z17
	VBROADCASTSS (2*4)(ui), Z18
	VBROADCASTSS (3*4)(ui), Z19

#include "axpy4_avx512_f32_amd64.h"

	ADDQ $(4*4), ai
	ADDQ $(4*4), ui
	LEAQ (row)(ld*4), row
	SUBQ $4, rows

row1tail:
	ADDQ $4, rows
	JEQ  store

row1loop:
#include "dot1_avx512_f32_amd64.h"

	// u = a / s
	VMOVSS       (ai), X1
	VDIVSS       X0, X1, X0
	VMOVSS       X0, (ui)
	VBROADCASTSS X0, Z16

#include "axpy1_avx512_f32_amd64.h"

	ADDQ $4, ai
	ADDQ $4, ui
	ADDQ ld, row
	DECQ rows
	JNE  row1loop

store:
	VMOVUPS ytail, mask, (y)(whole*1)
	VZEROUPPER
	RET
