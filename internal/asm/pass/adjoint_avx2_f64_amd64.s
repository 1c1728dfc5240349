// adjoint, float64, AVX2 + FMA.
//
//	begin   r[i] = Σ_j (k[i*ldk+j] mat[i*ldm+j]) v[j]      s[i] = w[i] r[i]
//	        q[j] = q[j] + Σ_i k[i*ldk+j] (u[i] mat[i*ldm+j] + s[i])                    0≤i<m  0≤j<n
//	sweep   s[i] = w[i] Σ_j k[i*ldk+j] t[j]      q[j] = q[j] + Σ_i s[i] k[i*ldk+j]      0≤i<m  0≤j<n
//
// Same bits as    beginRef and sweepRef in ref.go: the row sum in 8 lanes, folded in
//                 halves; q[j] one or two FMAs a row, i ascending.
// Layout          k mat m×n row-major, strides ldk ldm in elements; v t q n; u w r s m.
//                 m, n ≥ 1.
// Tile            4 rows × 8 columns. sweep: the row sums of four rows and, in the same
//                 loop, what the four rows before them add to q: Y0–Y7 lanes of the sums,
//                 Y8–Y11 s, Y12 t, Y13 q. Long rows: one after the other. Small k: eight
//                 rows to q, eight behind the sums: Y2–Y9 s, Y0 Y1 q. begin: twice over
//                 the columns, the second time from the last to the first: Y0–Y7 lanes,
//                 then Y4–Y7 s, Y8–Y11 u. The last m mod 4 rows one by one.
// Tail            columns: masked loads, n mod 8 elements of q in Y14 Y15 from the
//                 first row to the last; rows: 1 row. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       sweep: SI row whose sum is taken · AX place in the rows that go to q ·
//                 DI t · BX q · R11 w · R12 s · R13 rows left · DX ldk · R8 3 ldk ·
//                 R9 bytes in whole steps · R10 bytes of a row · CX place in the row. In the
//                 arguments, for small k: k the first row that q lacks · s its s · n SI.
//                 begin: SI row of k · DI row of mat · DX ldk · R8 3 ldk · R11 ldm ·
//                 R12 3 ldm · BX q · R13 v · AX scratch; R9 R10 CX as above; rows left,
//                 u, w, r and s are counted in the arguments.
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

// Up to small bytes of k stay in the first-level cache; there q lags behind. Four rows of
// rowlo to rowhi bytes stay there if nothing else is read before they go to q.
#define small 36864
#define rowlo 3712
#define rowhi 8704

#include "tail_avx2_amd64.h"

// func sweepAVX2F64(m, n int, k *float64, ldk int, t, w, s, q *float64)
TEXT ·sweepAVX2F64(SB), NOSPLIT, $0-64
	MOVQ m+0(FP), rows
	MOVQ n+8(FP), bytes
	MOVQ k+16(FP), row
	MOVQ ldk+24(FP), ld
	MOVQ t+32(FP), x
	MOVQ w+40(FP), wi
	MOVQ s+48(FP), si
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

	// s_r = w_r · sum_r
	VMULPD  (wi), Y0, Y0
	VMOVUPD Y0, (si)
	ADDQ    $32, wi
	ADDQ    $32, si

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
	MOVQ         s+48(FP), p
	ADDQ         $64, s+48(FP)
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
	MOVQ         s+48(FP), p
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

	// s = w · sum
	VMULSD       (wi), X0, X0
	VMOVSD       X0, (si)
	VBROADCASTSD X0, Y8
	ADDQ         $8, wi
	ADDQ         $8, si

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

#undef x
#undef wi
#undef si
#undef rows
#define mrow DI
#define lm R11
#define lm3 R12
#define x R13

// DOT adds a step of one row, a at its k and b at its mat, to its lanes lo and hi;
// Y8 Y9 hold v.
#define DOT(a, a32, b, b32, lo, hi) \
	VMOVUPD     a, Y10; \
	VMOVUPD     a32, Y11; \
	VMULPD      b, Y10, Y10; \
	VMULPD      b32, Y11, Y11; \
	VFMADD231PD Y10, Y8, lo; \
	VFMADD231PD Y11, Y9, hi

// DOTMASKED is DOT for the short step, with the masks in Y12 Y13.
#define DOTMASKED(a, a32, b, b32, lo, hi) \
	VMASKMOVPD  a, Y12, Y10; \
	VMASKMOVPD  b, Y12, Y11; \
	VMULPD      Y11, Y10, Y10; \
	VFMADD231PD Y10, Y8, lo; \
	VMASKMOVPD  a32, Y13, Y10; \
	VMASKMOVPD  b32, Y13, Y11; \
	VMULPD      Y11, Y10, Y10; \
	VFMADD231PD Y10, Y9, hi

// AXPY adds a step of one row, q_j = fma(k_j, fma(u, mat_j, s), q_j), to Y0 Y1.
#define AXPY(a, a32, b, b32, s, u) \
	VMOVUPD     b, Y2; \
	VMOVUPD     b32, Y3; \
	VFMADD213PD s, u, Y2; \
	VFMADD213PD s, u, Y3; \
	VFMADD231PD a, Y2, Y0; \
	VFMADD231PD a32, Y3, Y1

// AXPYMASKED is AXPY for the short step, to Y14 Y15, with the masks in Y12 Y13.
#define AXPYMASKED(a, a32, b, b32, s, u) \
	VMASKMOVPD  b, Y12, Y2; \
	VMASKMOVPD  a, Y12, Y0; \
	VFMADD213PD s, u, Y2; \
	VFMADD231PD Y0, Y2, Y14; \
	VMASKMOVPD  b32, Y13, Y3; \
	VMASKMOVPD  a32, Y13, Y1; \
	VFMADD213PD s, u, Y3; \
	VFMADD231PD Y1, Y3, Y15

// func beginAVX2F64(m, n int, k *float64, ldk int, mat *float64, ldm int, v, u, w, r, s, q *float64)
TEXT ·beginAVX2F64(SB), NOSPLIT, $0-96
	MOVQ n+8(FP), bytes
	MOVQ k+16(FP), row
	MOVQ ldk+24(FP), ld
	MOVQ mat+32(FP), mrow
	MOVQ ldm+40(FP), lm
	MOVQ v+48(FP), x
	MOVQ q+88(FP), y
	SHLQ $3, bytes
	SHLQ $3, ld
	SHLQ $3, lm
	LEAQ (ld)(ld*2), ld3
	LEAQ (lm)(lm*2), lm3
	MOVQ bytes, whole
	ANDQ $-64, whole
	CMPQ whole, bytes
	JEQ  rowloop

	// the masks and q of the short step
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPD (y)(whole*1), Y12, Y14
	VMASKMOVPD 32(y)(whole*1), Y13, Y15

rowloop:
	SUBQ   $4, m+0(FP)
	JLT    rowtail
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dottail

dotloop:
	// lane[r] = fma(k_rj · mat_rj, v_j, lane[r]), eight columns
	VMOVUPD (x)(c*1), Y8
	VMOVUPD 32(x)(c*1), Y9
	DOT((row), 32(row), (mrow), 32(mrow), Y0, Y1)
	DOT((row)(ld*1), 32(row)(ld*1), (mrow)(lm*1), 32(mrow)(lm*1), Y2, Y3)
	DOT((row)(ld*2), 32(row)(ld*2), (mrow)(lm*2), 32(mrow)(lm*2), Y4, Y5)
	DOT((row)(ld3*1), 32(row)(ld3*1), (mrow)(lm3*1), 32(mrow)(lm3*1), Y6, Y7)
	ADDQ    $64, row
	ADDQ    $64, mrow
	ADDQ    $64, c
	CMPQ    c, whole
	JLT     dotloop

dottail:
	CMPQ c, bytes
	JEQ  fold

	// the short step, padded with zeros
	VMASKMOVPD (x)(c*1), Y12, Y8
	VMASKMOVPD 32(x)(c*1), Y13, Y9
	DOTMASKED((row), 32(row), (mrow), 32(mrow), Y0, Y1)
	DOTMASKED((row)(ld*1), 32(row)(ld*1), (mrow)(lm*1), 32(mrow)(lm*1), Y2, Y3)
	DOTMASKED((row)(ld*2), 32(row)(ld*2), (mrow)(lm*2), 32(mrow)(lm*2), Y4, Y5)
	DOTMASKED((row)(ld3*1), 32(row)(ld3*1), (mrow)(lm3*1), 32(mrow)(lm3*1), Y6, Y7)

fold:
	// lane l += lane l+4, each row in a register
	VADDPD Y1, Y0, Y0
	VADDPD Y3, Y2, Y2
	VADDPD Y5, Y4, Y4
	VADDPD Y7, Y6, Y6

	// lane l += lane l+2: rows 0 and 2 in Y0, rows 1 and 3 in Y2
	VPERM2F128 $0x20, Y4, Y0, Y1
	VPERM2F128 $0x31, Y4, Y0, Y0
	VPERM2F128 $0x20, Y6, Y2, Y3
	VPERM2F128 $0x31, Y6, Y2, Y2
	VADDPD     Y0, Y1, Y0
	VADDPD     Y2, Y3, Y2

	// lane 0 += lane 1, rows in order
	VUNPCKLPD Y2, Y0, Y1
	VUNPCKHPD Y2, Y0, Y0
	VADDPD    Y0, Y1, Y0

	// r_r = sum_r, s_r = w_r r_r
	MOVQ    r+72(FP), p
	VMOVUPD Y0, (p)
	MOVQ    w+64(FP), p
	VMULPD  (p), Y0, Y0
	MOVQ    s+80(FP), p
	VMOVUPD Y0, (p)
	VPERMPD $0x00, Y0, Y4
	VPERMPD $0x55, Y0, Y5
	VPERMPD $0xaa, Y0, Y6
	VPERMPD $0xff, Y0, Y7

	MOVQ         u+56(FP), p
	VBROADCASTSD (p), Y8
	VBROADCASTSD 8(p), Y9
	VBROADCASTSD 16(p), Y10
	VBROADCASTSD 24(p), Y11
	ADDQ         $32, u+56(FP)
	ADDQ         $32, w+64(FP)
	ADDQ         $32, r+72(FP)
	ADDQ         $32, s+80(FP)

	// q, from the last column to the first; row and mrow are at the short step
	CMPQ c, bytes
	JEQ  axpywhole
	AXPYMASKED((row), 32(row), (mrow), 32(mrow), Y4, Y8)
	AXPYMASKED((row)(ld*1), 32(row)(ld*1), (mrow)(lm*1), 32(mrow)(lm*1), Y5, Y9)
	AXPYMASKED((row)(ld*2), 32(row)(ld*2), (mrow)(lm*2), 32(mrow)(lm*2), Y6, Y10)
	AXPYMASKED((row)(ld3*1), 32(row)(ld3*1), (mrow)(lm3*1), 32(mrow)(lm3*1), Y7, Y11)

axpywhole:
	TESTQ c, c
	JEQ   rownext

axpyloop:
	// q_j = fma(k_rj, fma(u_r, mat_rj, s_r), q_j), eight columns
	SUBQ    $64, row
	SUBQ    $64, mrow
	SUBQ    $64, c
	VMOVUPD (y)(c*1), Y0
	VMOVUPD 32(y)(c*1), Y1
	AXPY((row), 32(row), (mrow), 32(mrow), Y4, Y8)
	AXPY((row)(ld*1), 32(row)(ld*1), (mrow)(lm*1), 32(mrow)(lm*1), Y5, Y9)
	AXPY((row)(ld*2), 32(row)(ld*2), (mrow)(lm*2), 32(mrow)(lm*2), Y6, Y10)
	AXPY((row)(ld3*1), 32(row)(ld3*1), (mrow)(lm3*1), 32(mrow)(lm3*1), Y7, Y11)
	VMOVUPD Y0, (y)(c*1)
	VMOVUPD Y1, 32(y)(c*1)
	TESTQ   c, c
	JNE     axpyloop

rownext:
	LEAQ (row)(ld*4), row
	LEAQ (mrow)(lm*4), mrow
	JMP  rowloop

rowtail:
	ADDQ $4, m+0(FP)
	JEQ  store

row1loop:
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot1tail

dot1loop:
	// lane = fma(k_j · mat_j, v_j, lane), eight columns
	VMOVUPD (x)(c*1), Y8
	VMOVUPD 32(x)(c*1), Y9
	DOT((row), 32(row), (mrow), 32(mrow), Y0, Y1)
	ADDQ    $64, row
	ADDQ    $64, mrow
	ADDQ    $64, c
	CMPQ    c, whole
	JLT     dot1loop

dot1tail:
	CMPQ c, bytes
	JEQ  fold1

	// the short step, padded with zeros
	VMASKMOVPD (x)(c*1), Y12, Y8
	VMASKMOVPD 32(x)(c*1), Y13, Y9
	DOTMASKED((row), 32(row), (mrow), 32(mrow), Y0, Y1)

fold1:
	// lane l += lane l+4, l+2, l+1
	VADDPD       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD       X1, X0, X0
	VUNPCKHPD    X0, X0, X1
	VADDSD       X1, X0, X0

	// r = sum, s = w r
	MOVQ         r+72(FP), p
	VMOVSD       X0, (p)
	MOVQ         w+64(FP), p
	VMULSD       (p), X0, X0
	MOVQ         s+80(FP), p
	VMOVSD       X0, (p)
	VBROADCASTSD X0, Y4
	MOVQ         u+56(FP), p
	VBROADCASTSD (p), Y8
	ADDQ         $8, u+56(FP)
	ADDQ         $8, w+64(FP)
	ADDQ         $8, r+72(FP)
	ADDQ         $8, s+80(FP)

	// q, from the last column to the first
	CMPQ c, bytes
	JEQ  axpy1whole
	AXPYMASKED((row), 32(row), (mrow), 32(mrow), Y4, Y8)

axpy1whole:
	TESTQ c, c
	JEQ   row1next

axpy1loop:
	// q_j = fma(k_j, fma(u, mat_j, s), q_j), eight columns
	SUBQ    $64, row
	SUBQ    $64, mrow
	SUBQ    $64, c
	VMOVUPD (y)(c*1), Y0
	VMOVUPD 32(y)(c*1), Y1
	AXPY((row), 32(row), (mrow), 32(mrow), Y4, Y8)
	VMOVUPD Y0, (y)(c*1)
	VMOVUPD Y1, 32(y)(c*1)
	TESTQ   c, c
	JNE     axpy1loop

row1next:
	ADDQ ld, row
	ADDQ lm, mrow
	DECQ m+0(FP)
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
