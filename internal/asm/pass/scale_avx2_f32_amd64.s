// scale, float32, AVX2 + FMA.
//
//	u[i] = a[i] / Σ_j k[i*ldk+j] v[j]      q[j] = q[j] + Σ_i u[i] k[i*ldk+j]      0≤i<m  0≤j<n
//
// Same bits as    iterateRef in ref.go: the row sum in 16 lanes, folded in halves;
//                 q[j] one FMA a row, i ascending.
// Layout          k m×n row-major, stride ldk in elements; v q n; a u m. m, n ≥ 1.
// Tile            4 rows × 16 columns: the row sums of four rows and, in the same loop, what
//                 the four rows before them add to q: Y0–Y7 lanes of the sums, Y8–Y11 u,
//                 Y12 v, Y13 q. Long rows: one after the other. Small k: eight rows to
//                 q, eight behind the sums: Y2–Y9 u, Y0 Y1 q. The last m mod 4 rows one
//                 by one.
// Tail            columns: masked loads, n mod 16 elements of q in Y14 Y15 from the
//                 first row to the last; rows: 1 row. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       SI row whose sum is taken · AX place in the rows that go to q ·
//                 DI v · BX q · R11 a · R12 u · R13 rows left · DX ldk · R8 3 ldk ·
//                 R9 bytes in whole steps · R10 bytes of a row · CX place in the row. In the
//                 arguments, for small k: k the first row that q lacks · u its u · n SI.
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

// Up to small bytes of k stay in the first-level cache; there q lags behind. Four rows of
// rowlo to rowhi bytes stay there if nothing else is read before they go to q.
#define small 36864
#define rowlo 3712
#define rowhi 8704

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
	// k stays in the argument if q is to lag behind
	MOVQ  ld, p
	IMULQ rows, p
	CMPQ  p, $small
	JLS   begin
	MOVQ  $0, k+16(FP)

begin:
	SUBQ $4, rows
	JLT  rowtail

rowloop:
#include "dot4_avx2_f32_amd64.h"

	// u_r = a_r / s_r
	VMOVUPS (ai), X1
	VDIVPS  X0, X1, X0
	VMOVUPS X0, (ui)
	ADDQ    $16, ai
	ADDQ    $16, ui

	CMPQ k+16(FP), $0
	JNE  lag

	VBROADCASTSS X0, Y8
	VMOVSHDUP    X0, X1
	VBROADCASTSS X1, Y9
	VUNPCKHPD    X0, X0, X2
	VBROADCASTSS X2, Y10
	VUNPCKHPD    X1, X1, X3
	VBROADCASTSS X3, Y11

	CMPQ rows, $4
	JLT  last
	LEAQ -rowlo(bytes), p
	CMPQ p, $(rowhi-rowlo)
	JLS  last
	SUBQ $4, rows
	MOVQ row, p
	LEAQ (row)(ld*4), row

#include "both4_avx2_f32_amd64.h"

last:
#include "axpy4_avx2_f32_amd64.h"

	LEAQ (row)(ld*4), row
	SUBQ $4, rows
	JGE  rowloop
	JMP  rowtail

lag:
	// until sixteen rows are missing in q
	LEAQ (row)(ld*4), row
	MOVQ ld, p
	SHLQ $4, p
	ADDQ k+16(FP), p
	CMPQ p, row
	JHI  lagnext

lag8:
	// the first eight of them
	MOVQ         u+48(FP), p
	ADDQ         $32, u+48(FP)
	VBROADCASTSS (p), Y2
	VBROADCASTSS 4(p), Y3
	VBROADCASTSS 8(p), Y4
	VBROADCASTSS 12(p), Y5
	VBROADCASTSS 16(p), Y6
	VBROADCASTSS 20(p), Y7
	VBROADCASTSS 24(p), Y8
	VBROADCASTSS 28(p), Y9
	MOVQ         row, n+8(FP)
	MOVQ         k+16(FP), p
	LEAQ         (p)(ld*4), row
	LEAQ         (p)(ld*8), c
	MOVQ         c, k+16(FP)

#include "axpy8_avx2_f32_amd64.h"

	MOVQ n+8(FP), row

lagnext:
	CMPQ rows, $4
	JLT  lagrest
	SUBQ $4, rows
	JMP  rowloop

lagrest:
	// the last 12, 8 or 4
	MOVQ         k+16(FP), p
	LEAQ         (p)(ld*8), c
	CMPQ         c, row
	JLS          lag8
	CMPQ         p, row
	JEQ          row1
	MOVQ         p, row
	MOVQ         u+48(FP), p
	VBROADCASTSS (p), Y8
	VBROADCASTSS 4(p), Y9
	VBROADCASTSS 8(p), Y10
	VBROADCASTSS 12(p), Y11
	JMP          last

rowtail:
	ADDQ $4, rows

row1:
	TESTQ rows, rows
	JEQ   store

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
