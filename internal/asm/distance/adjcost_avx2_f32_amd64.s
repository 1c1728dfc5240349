// adjcost, float32, AVX2 + FMA.
//
//	g[i*ldg+j] = k[i*ldk+j] (h − λ (Σ_q a[i*lda+q] b[q*ldb+j] + h mat[i*ldm+j]))
//	h = u[i] v[j]      0≤i<m  0≤j<n  0≤q<r
//
// Same bits as    adjcostRef in ref.go: q ascending, one FMA a term, that of mat last;
//                 then one FMA and one product.
// Layout          g k mat m×n row-major, strides ldg ldk ldm; a m×r, stride lda; b r×n,
//                 stride ldb, in elements; u m; v n. m, n ≥ 1, r ≥ 0. g may be mat.
// Tile            4 rows × 24 columns: Y0–Y11 sums, Y12–Y14 b, Y15 a; then Y12 h, Y13 λ,
//                 Y15 u.
// Tail            columns: 8 at a time, masked loads and stores; rows: 1 row. No access
//                 outside the slices.
// Special values  follow the arithmetic.
// Registers       AX place in a, then v · BX place in b · CX terms left, scratch · DX lda ·
//                 R8 3 lda · R9 ldb · SI place in k · DI in mat · R10 in g · R11 bytes from
//                 the start of the row · R12 u · R13 bytes left · Y14 mask. The rows' starts
//                 and the rows left are kept in the arguments, strides there in bytes.
// Source          own; the loop over q as in a matrix product after BLIS.

//go:build amd64 && !purego

#include "textflag.h"
#include "mask_amd64.h"

#define ap AX
#define vp AX
#define bp BX
#define terms CX
#define la DX
#define la3 R8
#define lb R9
#define kp SI
#define mp DI
#define gp R10
#define col R11
#define ui R12
#define left R13

// TERM adds a_iq b_qj, three vectors of b in Y12–Y14, to a row's sums.
#define TERM(a, s0, s1, s2) \
	VBROADCASTSS a, Y15; \
	VFMADD231PS  Y12, Y15, s0; \
	VFMADD231PS  Y13, Y15, s1; \
	VFMADD231PS  Y14, Y15, s2

// FINISH makes a vector of g, d bytes on, from its sum, u in Y15 and λ in Y13.
#define FINISH(d, s) \
	VMULPS       d(vp), Y15, Y12; \
	VFMADD231PS  d(mp), Y12, s; \
	VFNMADD213PS Y12, Y13, s; \
	VMULPS       d(kp), s, s; \
	VMOVUPS      s, d(gp)

// FINISHMASKED leaves a vector of g in s; the mask is in Y14 and v in Y4.
#define FINISHMASKED(s) \
	VMULPS       Y4, Y15, Y12; \
	VMASKMOVPS   (mp), Y14, Y5; \
	VFMADD231PS  Y5, Y12, s; \
	VFNMADD213PS Y12, Y13, s; \
	VMASKMOVPS   (kp), Y14, Y5; \
	VMULPS       Y5, s, s

// NEXTROW steps to the next row of k and mat, NEXTROWG to that of g.
#define NEXTROW \
	ADDQ ldk+48(FP), kp; \
	ADDQ ldm+64(FP), mp

#define NEXTROWG ADDQ ldg+32(FP), gp

// STARTS points at column col of the row block in k, mat and g.
#define STARTS \
	MOVQ k+40(FP), kp; \
	ADDQ col, kp; \
	MOVQ mat+56(FP), mp; \
	ADDQ col, mp; \
	MOVQ dst+24(FP), gp; \
	ADDQ col, gp

// STARTV points at column col of v, which is when a is no longer needed.
#define STARTV \
	MOVQ v+112(FP), vp; \
	ADDQ col, vp

// AHEAD fetches what the tile needs of four rows from base on, stride bytes apart,
// while its sums are formed: they are longer than the machine looks ahead.
#define AHEAD(base, stride) \
	PREFETCHT0 (base); \
	PREFETCHT0 64(base); \
	PREFETCHT0 (base)(stride*1); \
	PREFETCHT0 64(base)(stride*1); \
	PREFETCHT0 (base)(stride*2); \
	PREFETCHT0 64(base)(stride*2)

// MASK sets Y14 to the mask of the next min(left, 32) bytes.
#define MASK \
	MOVL    $32, AX; \
	CMPQ    left, AX; \
	CMOVQLT left, AX; \
	LEAQ    tailmask<>+32(SB), CX; \
	SUBQ    AX, CX; \
	VMOVUPS (CX), Y14

// func adjcostAVX2F32(m, n, r int, dst *float32, ldg int, k *float32, ldk int, mat *float32, ldm int, a *float32, lda int, b *float32, ldb int, u, v *float32, lambda float32)
TEXT ·adjcostAVX2F32(SB), NOSPLIT, $0-124
	SHLQ $2, n+8(FP)
	SHLQ $2, ldg+32(FP)
	SHLQ $2, ldk+48(FP)
	SHLQ $2, ldm+64(FP)
	MOVQ lda+80(FP), la
	MOVQ ldb+96(FP), lb
	MOVQ u+104(FP), ui
	SHLQ $2, la
	SHLQ $2, lb
	LEAQ (la)(la*2), la3

rowloop:
	SUBQ $4, m+0(FP)
	JLT  rowtail
	XORL col, col
	MOVQ n+8(FP), left

colloop:
	SUBQ   $96, left
	JLT    coltail
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	VXORPS Y8, Y8, Y8
	VXORPS Y9, Y9, Y9
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11

	STARTS
	MOVQ       ldk+48(FP), CX
	AHEAD(kp, CX)
	LEAQ       (kp)(CX*2), bp
	PREFETCHT0 (bp)(CX*1)
	PREFETCHT0 64(bp)(CX*1)
	MOVQ       ldm+64(FP), CX
	AHEAD(mp, CX)
	LEAQ       (mp)(CX*2), bp
	PREFETCHT0 (bp)(CX*1)
	PREFETCHT0 64(bp)(CX*1)

	MOVQ  a+72(FP), ap
	MOVQ  b+88(FP), bp
	ADDQ  col, bp
	MOVQ  r+16(FP), terms
	TESTQ terms, terms
	JEQ   finish

kloop:
	// sum_ij = fma(a_iq, b_qj, sum_ij)
	VMOVUPS (bp), Y12
	VMOVUPS 32(bp), Y13
	VMOVUPS 64(bp), Y14
	TERM((ap), Y0, Y1, Y2)
	TERM((ap)(la*1), Y3, Y4, Y5)
	TERM((ap)(la*2), Y6, Y7, Y8)
	TERM((ap)(la3*1), Y9, Y10, Y11)
	ADDQ    $4, ap
	ADDQ    lb, bp
	DECQ    terms
	JNE     kloop

finish:
	// g_ij = k_ij fma(−λ, fma(h, mat_ij, sum_ij), h)
	STARTV
	VBROADCASTSS lambda+120(FP), Y13
	VBROADCASTSS (ui), Y15
	FINISH(0, Y0)
	FINISH(32, Y1)
	FINISH(64, Y2)
	NEXTROW
	NEXTROWG
	VBROADCASTSS 4(ui), Y15
	FINISH(0, Y3)
	FINISH(32, Y4)
	FINISH(64, Y5)
	NEXTROW
	NEXTROWG
	VBROADCASTSS 8(ui), Y15
	FINISH(0, Y6)
	FINISH(32, Y7)
	FINISH(64, Y8)
	NEXTROW
	NEXTROWG
	VBROADCASTSS 12(ui), Y15
	FINISH(0, Y9)
	FINISH(32, Y10)
	FINISH(64, Y11)
	ADDQ         $96, col
	JMP          colloop

coltail:
	ADDQ $96, left
	JEQ  rownext

maskloop:
	MASK
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVQ   a+72(FP), ap
	MOVQ   b+88(FP), bp
	ADDQ   col, bp
	MOVQ   r+16(FP), terms
	TESTQ  terms, terms
	JEQ    maskfinish

maskkloop:
	// sum_ij = fma(a_iq, b_qj, sum_ij), up to eight columns
	VMASKMOVPS   (bp), Y14, Y12
	VBROADCASTSS (ap), Y4
	VBROADCASTSS (ap)(la*1), Y5
	VBROADCASTSS (ap)(la*2), Y6
	VBROADCASTSS (ap)(la3*1), Y7
	VFMADD231PS  Y12, Y4, Y0
	VFMADD231PS  Y12, Y5, Y1
	VFMADD231PS  Y12, Y6, Y2
	VFMADD231PS  Y12, Y7, Y3
	ADDQ         $4, ap
	ADDQ         lb, bp
	DECQ         terms
	JNE          maskkloop

maskfinish:
	STARTS
	STARTV
	VBROADCASTSS lambda+120(FP), Y13
	VMASKMOVPS   (vp), Y14, Y4
	VBROADCASTSS (ui), Y15
	FINISHMASKED(Y0)
	NEXTROW
	VBROADCASTSS 4(ui), Y15
	FINISHMASKED(Y1)
	NEXTROW
	VBROADCASTSS 8(ui), Y15
	FINISHMASKED(Y2)
	NEXTROW
	VBROADCASTSS 12(ui), Y15
	FINISHMASKED(Y3)
	CMPQ         left, $32
	JLT          maskstore
	VMOVUPS      Y0, (gp)
	NEXTROWG
	VMOVUPS      Y1, (gp)
	NEXTROWG
	VMOVUPS      Y2, (gp)
	NEXTROWG
	VMOVUPS      Y3, (gp)
	ADDQ         $32, col
	SUBQ         $32, left
	JNE          maskloop
	JMP          rownext

maskstore:
	VMASKMOVPS Y0, Y14, (gp)
	NEXTROWG
	VMASKMOVPS Y1, Y14, (gp)
	NEXTROWG
	VMASKMOVPS Y2, Y14, (gp)
	NEXTROWG
	VMASKMOVPS Y3, Y14, (gp)

rownext:
	MOVQ ldk+48(FP), CX
	SHLQ $2, CX
	ADDQ CX, k+40(FP)
	MOVQ ldm+64(FP), CX
	SHLQ $2, CX
	ADDQ CX, mat+56(FP)
	MOVQ ldg+32(FP), CX
	SHLQ $2, CX
	ADDQ CX, dst+24(FP)
	MOVQ la, CX
	SHLQ $2, CX
	ADDQ CX, a+72(FP)
	ADDQ $16, ui
	JMP  rowloop

rowtail:
	ADDQ $4, m+0(FP)
	JEQ  done

row1loop:
	XORL col, col
	MOVQ n+8(FP), left

col1loop:
	SUBQ   $96, left
	JLT    col1tail
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	MOVQ   a+72(FP), ap
	MOVQ   b+88(FP), bp
	ADDQ   col, bp
	MOVQ   r+16(FP), terms
	TESTQ  terms, terms
	JEQ    finish1

k1loop:
	// sum_j = fma(a_q, b_qj, sum_j)
	VMOVUPS (bp), Y12
	VMOVUPS 32(bp), Y13
	VMOVUPS 64(bp), Y14
	TERM((ap), Y0, Y1, Y2)
	ADDQ    $4, ap
	ADDQ    lb, bp
	DECQ    terms
	JNE     k1loop

finish1:
	STARTS
	STARTV
	VBROADCASTSS lambda+120(FP), Y13
	VBROADCASTSS (ui), Y15
	FINISH(0, Y0)
	FINISH(32, Y1)
	FINISH(64, Y2)
	ADDQ         $96, col
	JMP          col1loop

col1tail:
	ADDQ $96, left
	JEQ  row1next

mask1loop:
	MASK
	VXORPS Y0, Y0, Y0
	MOVQ   a+72(FP), ap
	MOVQ   b+88(FP), bp
	ADDQ   col, bp
	MOVQ   r+16(FP), terms
	TESTQ  terms, terms
	JEQ    mask1finish

mask1kloop:
	// sum_j = fma(a_q, b_qj, sum_j), up to eight columns
	VMASKMOVPS   (bp), Y14, Y12
	VBROADCASTSS (ap), Y4
	VFMADD231PS  Y12, Y4, Y0
	ADDQ         $4, ap
	ADDQ         lb, bp
	DECQ         terms
	JNE          mask1kloop

mask1finish:
	STARTS
	STARTV
	VBROADCASTSS lambda+120(FP), Y13
	VMASKMOVPS   (vp), Y14, Y4
	VBROADCASTSS (ui), Y15
	FINISHMASKED(Y0)
	VMASKMOVPS   Y0, Y14, (gp)
	ADDQ         $32, col
	SUBQ         $32, left
	JGT          mask1loop

row1next:
	MOVQ ldk+48(FP), CX
	ADDQ CX, k+40(FP)
	MOVQ ldm+64(FP), CX
	ADDQ CX, mat+56(FP)
	MOVQ ldg+32(FP), CX
	ADDQ CX, dst+24(FP)
	ADDQ la, a+72(FP)
	ADDQ $4, ui
	DECQ m+0(FP)
	JNE  row1loop

done:
	VZEROUPPER
	RET
