// adjoint, float64, AVX-512 F.
//
//	begin   r[i] = Σ_j (k[i*ldk+j] mat[i*ldm+j]) v[j]      s[i] = w[i] r[i]
//	        q[j] = q[j] + Σ_i k[i*ldk+j] (u[i] mat[i*ldm+j] + s[i])                    0≤i<m  0≤j<n
//	sweep   s[i] = w[i] Σ_j k[i*ldk+j] t[j]      q[j] = q[j] + Σ_i s[i] k[i*ldk+j]      0≤i<m  0≤j<n
//
// Same bits as    beginRef and sweepRef in ref.go: the row sum in 8 lanes, folded in
//                 halves; q[j] one or two FMAs a row, i ascending.
// Layout          k mat m×n row-major, strides ldk ldm in elements; v t q n; u w r s m.
//                 m, n ≥ 1.
// Tile            twice over the columns of a few rows, 8 at a time, the second time from
//                 the last column to the first. sweep: 8 rows, Z0–Z7 lanes of the row
//                 sums, then Z16–Z23 s; then 4 rows, then one by one. begin: 4 rows, Z0–Z3
//                 lanes, then Z16–Z19 s, Z20–Z23 u; then one by one.
// Tail            columns: opmask K1, n mod 8 elements of q in Z31 from the first row
//                 to the last. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       sweep: SI row of k · AX row + 4 ldk · DI t · BX q · R11 w · R12 s ·
//                 R13 rows left · DX ldk · R8 3 ldk · R9 bytes in whole steps · R10 bytes
//                 of a row · CX place in the row. begin: SI row of k · DI row of mat ·
//                 DX ldk · R8 3 ldk · R11 ldm · R12 3 ldm · BX q · R13 v · AX scratch;
//                 R9 R10 CX as above; rows left, u, w, r and s are counted in the
//                 arguments.
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
	SHRQ  $3, c;    \
	MOVL  $1, AX;   \
	SHLL  CX, AX;   \
	DECL  AX;       \
	KMOVW AX, mask

// func sweepAVX512F64(m, n int, k *float64, ldk int, t, w, s, q *float64)
TEXT ·sweepAVX512F64(SB), NOSPLIT, $0-64
	MOVQ      m+0(FP), rows
	MOVQ      n+8(FP), bytes
	MOVQ      k+16(FP), row
	MOVQ      ldk+24(FP), ld
	MOVQ      t+32(FP), x
	MOVQ      w+40(FP), wi
	MOVQ      s+48(FP), si
	MOVQ      q+56(FP), y
	SHLQ      $3, bytes
	SHLQ      $3, ld
	LEAQ      (ld)(ld*2), ld3
	MOVQ      bytes, whole
	ANDQ      $-64, whole
	TAILMASK
	VMOVUPD.Z (y)(whole*1), mask, ytail

rowloop:
	SUBQ $8, rows
	JLT  rowtail

#include "dot8_avx512_f64_amd64.h"

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

#include "axpy8_avx512_f64_amd64.h"

	ADDQ $(8*8), wi
	ADDQ $(8*8), si
	LEAQ (row)(ld*8), row
	JMP  rowloop

rowtail:
	ADDQ $4, rows
	JLT  row1tail

#include "dot4_avx512_f64_amd64.h"

	// s_r = w_r · sum_r
	VMULPD       (wi), Y0, Y0
	VMOVUPD      Y0, (si)
	VBROADCASTSD (si), Z16
	VBROADCASTSD (1*8)(si), Z17
	VBROADCASTSD (2*8)(si), Z18
	VBROADCASTSD (3*8)(si), Z19

#include "axpy4_avx512_f64_amd64.h"

	ADDQ $(4*8), wi
	ADDQ $(4*8), si
	LEAQ (row)(ld*4), row
	SUBQ $4, rows

row1tail:
	ADDQ $4, rows
	JEQ  store

row1loop:
#include "dot1_avx512_f64_amd64.h"

	// s = w · sum
	VMULSD       (wi), X0, X0
	VMOVSD       X0, (si)
	VBROADCASTSD X0, Z16

#include "axpy1_avx512_f64_amd64.h"

	ADDQ $8, wi
	ADDQ $8, si
	ADDQ ld, row
	DECQ rows
	JNE  row1loop

store:
	VMOVUPD ytail, mask, (y)(whole*1)
	VZEROUPPER
	RET

#undef x
#undef wi
#undef si
#undef rows
#define p AX
#define mrow DI
#define lm R11
#define lm3 R12
#define x R13

// DOT adds a step of one row, k·mat times v in Z8, to its lanes.
#define DOT(k, mat, lanes) \
	VMOVUPD     k, Z9;        \
	VMULPD      mat, Z9, Z9;  \
	VFMADD231PD Z9, Z8, lanes

// DOTMASKED is DOT for the short step, padded with zeros.
#define DOTMASKED(k, mat, lanes) \
	VMOVUPD.Z   k, mask, Z9;       \
	VMULPD.Z    mat, Z9, mask, Z9; \
	VFMADD231PD Z9, Z8, lanes

// AXPY adds a step of one row, k·(u·mat + s), to q in Z0.
#define AXPY(k, mat, s, u) \
	VMOVUPD     mat, Z1;  \
	VFMADD213PD s, u, Z1; \
	VFMADD231PD k, Z1, Z0

// AXPYMASKED is AXPY for the short step.
#define AXPYMASKED(k, mat, s, u) \
	VMOVUPD.Z   mat, mask, Z1;     \
	VFMADD213PD s, u, Z1;          \
	VFMADD231PD k, Z1, mask, ytail

// func beginAVX512F64(m, n int, k *float64, ldk int, mat *float64, ldm int, v, u, w, r, s, q *float64)
TEXT ·beginAVX512F64(SB), NOSPLIT, $0-96
	MOVQ      n+8(FP), bytes
	MOVQ      k+16(FP), row
	MOVQ      ldk+24(FP), ld
	MOVQ      mat+32(FP), mrow
	MOVQ      ldm+40(FP), lm
	MOVQ      v+48(FP), x
	MOVQ      q+88(FP), y
	SHLQ      $3, bytes
	SHLQ      $3, ld
	SHLQ      $3, lm
	LEAQ      (ld)(ld*2), ld3
	LEAQ      (lm)(lm*2), lm3
	MOVQ      bytes, whole
	ANDQ      $-64, whole
	TAILMASK
	VMOVUPD.Z (y)(whole*1), mask, ytail

rowloop:
	SUBQ   $4, m+0(FP)
	JLT    rowtail
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dottail

dotloop:
	// lane[r] = fma(k_rj · mat_rj, v_j, lane[r]), 8 columns
	VMOVUPD (x)(c*1), Z8
	DOT((row), (mrow), Z0)
	DOT((row)(ld*1), (mrow)(lm*1), Z1)
	DOT((row)(ld*2), (mrow)(lm*2), Z2)
	DOT((row)(ld3*1), (mrow)(lm3*1), Z3)
	ADDQ    $64, row
	ADDQ    $64, mrow
	ADDQ    $64, c
	CMPQ    c, whole
	JLT     dotloop

dottail:
	CMPQ      c, bytes
	JEQ       fold
	VMOVUPD.Z (x)(c*1), mask, Z8
	DOTMASKED((row), (mrow), Z0)
	DOTMASKED((row)(ld*1), (mrow)(lm*1), Z1)
	DOTMASKED((row)(ld*2), (mrow)(lm*2), Z2)
	DOTMASKED((row)(ld3*1), (mrow)(lm3*1), Z3)

fold:
	// upper half of the lanes to the lower: rows 0 2, 1 3
	VSHUFF64X2 $0x44, Z2, Z0, Z8
	VSHUFF64X2 $0xee, Z2, Z0, Z0
	VADDPD     Z8, Z0, Z0
	VSHUFF64X2 $0x44, Z3, Z1, Z8
	VSHUFF64X2 $0xee, Z3, Z1, Z1
	VADDPD     Z8, Z1, Z1

	// upper quarter of what is left: rows 0 2 1 3
	VSHUFF64X2 $0x88, Z1, Z0, Z8
	VSHUFF64X2 $0xdd, Z1, Z0, Z0
	VADDPD     Z8, Z0, Z0

	// lane 0 += lane 1, rows in order
	VEXTRACTF64X4 $1, Z0, Y1
	VUNPCKLPD     Y1, Y0, Y8
	VUNPCKHPD     Y1, Y0, Y0
	VADDPD        Y8, Y0, Y0

	// r_r = sum_r, s_r = w_r r_r
	MOVQ         r+72(FP), p
	VMOVUPD      Y0, (p)
	MOVQ         w+64(FP), p
	VMULPD       (p), Y0, Y0
	MOVQ         s+80(FP), p
	VMOVUPD      Y0, (p)
	VBROADCASTSD (p), Z16
	VBROADCASTSD (1*8)(p), Z17
	VBROADCASTSD (2*8)(p), Z18
	VBROADCASTSD (3*8)(p), Z19
	MOVQ         u+56(FP), p
	VBROADCASTSD (p), Z20
	VBROADCASTSD (1*8)(p), Z21
	VBROADCASTSD (2*8)(p), Z22
	VBROADCASTSD (3*8)(p), Z23
	ADDQ         $(4*8), u+56(FP)
	ADDQ         $(4*8), w+64(FP)
	ADDQ         $(4*8), r+72(FP)
	ADDQ         $(4*8), s+80(FP)

	// q, from the last column to the first; row and mrow are at the short step
	CMPQ c, bytes
	JEQ  axpywhole
	AXPYMASKED((row), (mrow), Z16, Z20)
	AXPYMASKED((row)(ld*1), (mrow)(lm*1), Z17, Z21)
	AXPYMASKED((row)(ld*2), (mrow)(lm*2), Z18, Z22)
	AXPYMASKED((row)(ld3*1), (mrow)(lm3*1), Z19, Z23)

axpywhole:
	TESTQ c, c
	JEQ   rownext

axpyloop:
	// q_j = fma(k_rj, fma(u_r, mat_rj, s_r), q_j), 8 columns
	SUBQ    $64, row
	SUBQ    $64, mrow
	SUBQ    $64, c
	VMOVUPD (y)(c*1), Z0
	AXPY((row), (mrow), Z16, Z20)
	AXPY((row)(ld*1), (mrow)(lm*1), Z17, Z21)
	AXPY((row)(ld*2), (mrow)(lm*2), Z18, Z22)
	AXPY((row)(ld3*1), (mrow)(lm3*1), Z19, Z23)
	VMOVUPD Z0, (y)(c*1)
	JNE     axpyloop

rownext:
	LEAQ (row)(ld*4), row
	LEAQ (mrow)(lm*4), mrow
	JMP  rowloop

rowtail:
	ADDQ $4, m+0(FP)
	JEQ  store

row1loop:
	VPXORQ Z0, Z0, Z0
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot1tail

dot1loop:
	// lane = fma(k_j · mat_j, v_j, lane), 8 columns
	VMOVUPD (x)(c*1), Z8
	DOT((row)(c*1), (mrow)(c*1), Z0)
	ADDQ    $64, c
	CMPQ    c, whole
	JLT     dot1loop

dot1tail:
	CMPQ      c, bytes
	JEQ       fold1
	VMOVUPD.Z (x)(c*1), mask, Z8
	DOTMASKED((row)(c*1), (mrow)(c*1), Z0)

fold1:
	// lanes fold in halves
	VEXTRACTF64X4 $1, Z0, Y8
	VADDPD        Y8, Y0, Y0
	VEXTRACTF128  $1, Y0, X8
	VADDPD        X8, X0, X0
	VPERMILPD     $1, X0, X8
	VADDSD        X8, X0, X0

	// r = sum, s = w r
	MOVQ         r+72(FP), p
	VMOVSD       X0, (p)
	MOVQ         w+64(FP), p
	VMULSD       (p), X0, X0
	MOVQ         s+80(FP), p
	VMOVSD       X0, (p)
	VBROADCASTSD X0, Z16
	MOVQ         u+56(FP), p
	VBROADCASTSD (p), Z20
	ADDQ         $8, u+56(FP)
	ADDQ         $8, w+64(FP)
	ADDQ         $8, r+72(FP)
	ADDQ         $8, s+80(FP)

	// q, from the last column to the first
	CMPQ c, bytes
	JEQ  axpy1whole
	AXPYMASKED((row)(c*1), (mrow)(c*1), Z16, Z20)

axpy1whole:
	TESTQ c, c
	JEQ   row1next

axpy1loop:
	// q_j = fma(k_j, fma(u, mat_j, s), q_j), 8 columns
	SUBQ    $64, c
	VMOVUPD (y)(c*1), Z0
	AXPY((row)(c*1), (mrow)(c*1), Z16, Z20)
	VMOVUPD Z0, (y)(c*1)
	JNE     axpy1loop

row1next:
	ADDQ ld, row
	ADDQ lm, mrow
	DECQ m+0(FP)
	JNE  row1loop

store:
	VMOVUPD ytail, mask, (y)(whole*1)
	VZEROUPPER
	RET
