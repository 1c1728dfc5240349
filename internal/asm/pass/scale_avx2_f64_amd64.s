// scale, float64, AVX2 + FMA.
//
//	u[i] = a[i] / Σ_j k[i*ldk+j] v[j]      q[j] = q[j] + Σ_i u[i] k[i*ldk+j]      0≤i<m  0≤j<n
//
// Same bits as    iterateRef in ref.go: the row sum in 8 lanes, folded in halves;
//                 q[j] one FMA a row, i ascending.
// Layout          k m×n row-major, stride ldk in elements; v q n; a u m. m, n ≥ 1.
// Tile            4 rows × 8 columns: the row sums of four rows and, in the same loop, what
//                 the four rows before them add to q: Y0–Y7 lanes of the sums, Y8–Y11 u,
//                 Y12 v, Y13 q. Long rows: one after the other. Small k: eight rows to
//                 q, eight behind the sums: Y2–Y9 u, Y0 Y1 q. The last m mod 4 rows one
//                 by one.
// Tail            columns: masked loads, n mod 8 elements of q in Y14 Y15 from the
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

// func iterateAVX2F64(m, n int, k *float64, ldk int, v, a, u, q *float64)
TEXT ·iterateAVX2F64(SB), NOSPLIT, $0-64
	MOVQ m+0(FP), rows
	MOVQ n+8(FP), bytes
	MOVQ k+16(FP), row
	MOVQ ldk+24(FP), ld
	MOVQ v+32(FP), x
	MOVQ a+40(FP), ai
	MOVQ u+48(FP), ui
	MOVQ q+56(FP), y
	SHLQ $3, bytes
	SHLQ $3, ld
	LEAQ (ld)(ld*2), ld3
	MOVQ bytes, whole
	ANDQ $-64, whole

	// the short step of q
	CMPQ       whole, bytes
	JEQ        start
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPD (y)(whole*1), Y12, Y14
	VMASKMOVPD 32(y)(whole*1), Y13, Y15

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
#include "dot4_avx2_f64_amd64.h"

	// u_r = a_r / s_r
	VMOVUPD (ai), Y1
	VDIVPD  Y0, Y1, Y0
	VMOVUPD Y0, (ui)
	ADDQ    $32, ai
	ADDQ    $32, ui

	CMPQ k+16(FP), $0
	JNE  lag

	VPERMPD $0x00, Y0, Y8
	VPERMPD $0x55, Y0, Y9
	VPERMPD $0xaa, Y0, Y10
	VPERMPD $0xff, Y0, Y11

	CMPQ rows, $4
	JLT  last
	LEAQ -rowlo(bytes), p
	CMPQ p, $(rowhi-rowlo)
	JLS  last
	SUBQ $4, rows
	MOVQ row, p
	LEAQ (row)(ld*4), row

#include "both4_avx2_f64_amd64.h"

last:
#include "axpy4_avx2_f64_amd64.h"

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
	ADDQ         $64, u+48(FP)
	VBROADCASTSD (p), Y2
	VBROADCASTSD 8(p), Y3
	VBROADCASTSD 16(p), Y4
	VBROADCASTSD 24(p), Y5
	VBROADCASTSD 32(p), Y6
	VBROADCASTSD 40(p), Y7
	VBROADCASTSD 48(p), Y8
	VBROADCASTSD 56(p), Y9
	MOVQ         row, n+8(FP)
	MOVQ         k+16(FP), p
	LEAQ         (p)(ld*4), row
	LEAQ         (p)(ld*8), c
	MOVQ         c, k+16(FP)

#include "axpy8_avx2_f64_amd64.h"

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
	VBROADCASTSD (p), Y8
	VBROADCASTSD 8(p), Y9
	VBROADCASTSD 16(p), Y10
	VBROADCASTSD 24(p), Y11
	JMP          last

rowtail:
	ADDQ $4, rows

row1:
	TESTQ rows, rows
	JEQ   store

row1loop:
#include "dot1_avx2_f64_amd64.h"

	// u = a / s
	VMOVSD       (ai), X1
	VDIVSD       X0, X1, X0
	VMOVSD       X0, (ui)
	VBROADCASTSD X0, Y8
	ADDQ         $8, ai
	ADDQ         $8, ui

#include "axpy1_avx2_f64_amd64.h"

	ADDQ ld, row
	DECQ rows
	JNE  row1loop

store:
	// the short step of q
	VMOVAPD Y14, Y0
	VMOVAPD Y15, Y1
	LEAQ    (y)(whole*1), to
	MOVQ    bytes, rest
	SUBQ    whole, rest

#include "store_avx2_amd64.h"

	VZEROUPPER
	RET
