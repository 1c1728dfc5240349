// logscale, float32, AVX2 + FMA.
//
//	rows        x_j = g[j] − c mat[i*ldm+j]      max[i] = max_j x_j      e_j = 2^(x_j − max[i])
//	            sum[i] = Σ_j e_j      q[j] = q[j] + Σ_i (a[i] / sum[i]) e_j      0≤i<m  0≤j<n
//	columnMax   h[j] = max(h[j], f[i] − c mat[i*ldm+j])      0≤i<m  0≤j<n
//	columnSum   s[j] = s[j] + Σ_i 2^(f[i] − c mat[i*ldm+j] − h[j])      0≤i<m  0≤j<n
//	plan        t[i*ldt+j] = 2^((g[j] − c mat[i*ldm+j]) + f[i])      0≤i<m  0≤j<n
//
// Same bits as    logRowsRef, logColumnMaxRef, logColumnSumRef, logPlanRef in ref.go, with Ref2 of
//                 package exp: the row sum in 16 lanes, folded in halves; columns with
//                 i ascending.
// Layout          mat t m×n row-major, strides ldm ldt in elements; f a max sum m;
//                 g q h s e n. m, n ≥ 1. t may be mat.
// Tile            rows: 32 columns of one row, where in one go the row before is added to q,
//                 the maximum of the next row is taken and 2^y of this row: Y0–Y3 y, then
//                 f of exp2, Y4–Y7 S, Y8–Y11 polynomial, Y13 maximum, Y14 Y15 lanes of the
//                 sum. The others: 16 columns; columnMax all rows of them.
// Tail            columns: masked loads, stores in pieces; the maximum is padded with
//                 −Inf, the sum with zeros. No access outside the slices.
// Special values  the maximum takes x where x > max only, so that NaN is passed over;
//                 adding +0 makes a zero +0.
// Registers       SI row of mat · R9 bytes in whole steps · R10 bytes of a row · CX place in
//                 the row · AX scratch. rows: DX next row · DI g · R8 e · BX q · R13 a ·
//                 R12 max · R11 sum; rows left, ldm and w in the arguments. columnMax:
//                 DX ldm · DI h · R11 f · R12 rows left · R13 place in mat. columnSum: DX ldm ·
//                 DI h · BX s · R11 f · R12 rows left. plan: DX ldm · DI g · BX row of t ·
//                 R8 ldt · R11 f · R12 rows left.
// Source          own; 2^y after package exp.

//go:build amd64 && !purego

#include "textflag.h"
#include "exp2_avx2_amd64.h"

#define to AX
#define rest CX
#define place CX
#define to2 SI
#define row SI
#define whole R9
#define bytes R10
#define least Y11
#define magic Y12

#include "tail_avx2_amd64.h"

#define qj BX
#define next DX
#define gj DI
#define ej R8
#define sumi R11
#define maxi R12
#define ai R13

// func logRowsAVX2F32(m, n int, mat *float32, ldm int, c float32, gp, a, max, sum, q, e *float32, w float32)
TEXT ·logRowsAVX2F32(SB), NOSPLIT, $0-92
	MOVQ n+8(FP), bytes
	MOVQ mat+16(FP), row
	MOVQ gp+40(FP), gj
	MOVQ a+48(FP), ai
	MOVQ max+56(FP), maxi
	MOVQ sum+64(FP), sumi
	MOVQ q+72(FP), qj
	MOVQ e+80(FP), ej
	SHLQ $2, bytes
	SHLQ $2, ldm+24(FP)
	MOVQ bytes, whole
	ANDQ $-64, whole

	// the maximum of the first row, in two times eight lanes from −Inf on; e = 0, which
	// with w = −0 makes what the row before the first adds to q nothing
	VBROADCASTSS c+32(FP), Y12
	VPCMPEQD     Y11, Y11, Y11
	VPSLLD       $23, Y11, Y11
	VMOVAPS      Y11, Y13
	VMOVAPS      Y11, Y14
	VXORPS       Y15, Y15, Y15
	XORL         place, place
	CMPQ         whole, $0
	JEQ          maxshort

maxloop:
	VMOVUPS      (gj)(place*1), Y0
	VMOVUPS      32(gj)(place*1), Y1
	VFNMADD231PS (row)(place*1), Y12, Y0
	VFNMADD231PS 32(row)(place*1), Y12, Y1
	VMAXPS       Y13, Y0, Y13
	VMAXPS       Y14, Y1, Y14
	VMOVUPS      Y15, (ej)(place*1)
	VMOVUPS      Y15, 32(ej)(place*1)
	ADDQ         $64, place
	CMPQ         place, whole
	JLT          maxloop

maxshort:
	CMPQ         place, bytes
	JEQ          maxfirst
	TAILMASKS(AX, Y2, Y3)
	VMASKMOVPS   (gj)(place*1), Y2, Y0
	VMASKMOVPS   32(gj)(place*1), Y3, Y1
	VMASKMOVPS   (row)(place*1), Y2, Y4
	VMASKMOVPS   32(row)(place*1), Y3, Y5
	VFNMADD231PS Y4, Y12, Y0
	VFNMADD231PS Y5, Y12, Y1
	VBLENDVPS    Y2, Y0, Y11, Y0
	VBLENDVPS    Y3, Y1, Y11, Y1
	VMAXPS       Y13, Y0, Y13
	VMAXPS       Y14, Y1, Y14
	VMASKMOVPS   Y15, Y2, (ej)(place*1)
	VMASKMOVPS   Y15, Y3, 32(ej)(place*1)

maxfirst:
	VMAXPS Y14, Y13, Y13

rowloop:
	// max[i], where a zero becomes +0
	VEXTRACTF128 $1, Y13, X0
	VMAXPS       X13, X0, X0
	VUNPCKHPD    X0, X0, X1
	VMAXPS       X1, X0, X0
	VMOVSHDUP    X0, X1
	VMAXSS       X1, X0, X0
	VXORPS       X1, X1, X1
	VADDSS       X1, X0, X0
	VMOVSS       X0, (maxi)

	// next: the row after this one, or this one again if it is the last
	MOVQ    row, next
	MOVQ    row, AX
	ADDQ    ldm+24(FP), AX
	CMPQ    m+0(FP), $1
	CMOVQGT AX, next

	VPCMPEQD Y13, Y13, Y13
	VPSLLD   $23, Y13, Y13
	VXORPS   Y14, Y14, Y14
	VXORPS   Y15, Y15, Y15
	XORL     place, place
	CMPQ     whole, $128
	JLT      coltail

colloop:
	// q_j = fma(w, e_j, q_j) with the row before
	VBROADCASTSS w+88(FP), Y4
	VMOVUPS      (qj)(place*1), Y0
	VMOVUPS      32(qj)(place*1), Y1
	VMOVUPS      64(qj)(place*1), Y2
	VMOVUPS      96(qj)(place*1), Y3
	VFMADD231PS  (ej)(place*1), Y4, Y0
	VFMADD231PS  32(ej)(place*1), Y4, Y1
	VFMADD231PS  64(ej)(place*1), Y4, Y2
	VFMADD231PS  96(ej)(place*1), Y4, Y3
	VMOVUPS      Y0, (qj)(place*1)
	VMOVUPS      Y1, 32(qj)(place*1)
	VMOVUPS      Y2, 64(qj)(place*1)
	VMOVUPS      Y3, 96(qj)(place*1)

	// x_j of the next row, and its maximum
	VBROADCASTSS c+32(FP), Y12
	VMOVUPS      (gj)(place*1), Y0
	VMOVUPS      32(gj)(place*1), Y1
	VMOVUPS      64(gj)(place*1), Y2
	VMOVUPS      96(gj)(place*1), Y3
	VMOVAPS      Y0, Y4
	VMOVAPS      Y1, Y5
	VMOVAPS      Y2, Y6
	VMOVAPS      Y3, Y7
	VFNMADD231PS (next)(place*1), Y12, Y4
	VFNMADD231PS 32(next)(place*1), Y12, Y5
	VFNMADD231PS 64(next)(place*1), Y12, Y6
	VFNMADD231PS 96(next)(place*1), Y12, Y7
	VMAXPS       Y13, Y4, Y13
	VMAXPS       Y13, Y5, Y13
	VMAXPS       Y13, Y6, Y13
	VMAXPS       Y13, Y7, Y13

	// y = x_j − max[i] of this row
	VBROADCASTSS (maxi), Y8
	VFNMADD231PS (row)(place*1), Y12, Y0
	VFNMADD231PS 32(row)(place*1), Y12, Y1
	VFNMADD231PS 64(row)(place*1), Y12, Y2
	VFNMADD231PS 96(row)(place*1), Y12, Y3
	VSUBPS       Y8, Y0, Y0
	VSUBPS       Y8, Y1, Y1
	VSUBPS       Y8, Y2, Y2
	VSUBPS       Y8, Y3, Y3

#include "exp2quad_avx2_f32_amd64.h"

	// e_j = 2^y, and the lanes of the sum
	VMOVUPS Y8, (ej)(place*1)
	VMOVUPS Y9, 32(ej)(place*1)
	VMOVUPS Y10, 64(ej)(place*1)
	VMOVUPS Y11, 96(ej)(place*1)
	VADDPS  Y8, Y14, Y14
	VADDPS  Y9, Y15, Y15
	VADDPS  Y10, Y14, Y14
	VADDPS  Y11, Y15, Y15
	ADDQ    $128, place
	LEAQ    128(place), AX
	CMPQ    AX, whole
	JLE     colloop

coltail:
	// half a step, all of it or masked: q in Y6 Y7, x of the next row in Y4 Y5
	CMPQ         place, bytes
	JEQ          fold
	CMPQ         place, whole
	JEQ          short
	VBROADCASTSS w+88(FP), Y4
	VMOVUPS      (qj)(place*1), Y6
	VMOVUPS      32(qj)(place*1), Y7
	VFMADD231PS  (ej)(place*1), Y4, Y6
	VFMADD231PS  32(ej)(place*1), Y4, Y7
	VBROADCASTSS c+32(FP), Y12
	VMOVUPS      (gj)(place*1), Y0
	VMOVUPS      32(gj)(place*1), Y1
	VMOVAPS      Y0, Y4
	VMOVAPS      Y1, Y5
	VFNMADD231PS (next)(place*1), Y12, Y4
	VFNMADD231PS 32(next)(place*1), Y12, Y5
	VFNMADD231PS (row)(place*1), Y12, Y0
	VFNMADD231PS 32(row)(place*1), Y12, Y1
	JMP          pair

short:
	TAILMASKS(AX, Y2, Y3)
	VBROADCASTSS w+88(FP), Y4
	VMASKMOVPS   (qj)(place*1), Y2, Y6
	VMASKMOVPS   32(qj)(place*1), Y3, Y7
	VMASKMOVPS   (ej)(place*1), Y2, Y8
	VMASKMOVPS   32(ej)(place*1), Y3, Y9
	VFMADD231PS  Y8, Y4, Y6
	VFMADD231PS  Y9, Y4, Y7
	VBROADCASTSS c+32(FP), Y12
	VMASKMOVPS   (gj)(place*1), Y2, Y0
	VMASKMOVPS   32(gj)(place*1), Y3, Y1
	VMASKMOVPS   (next)(place*1), Y2, Y8
	VMASKMOVPS   32(next)(place*1), Y3, Y9
	VMOVAPS      Y0, Y4
	VMOVAPS      Y1, Y5
	VFNMADD231PS Y8, Y12, Y4
	VFNMADD231PS Y9, Y12, Y5
	VPCMPEQD     Y10, Y10, Y10
	VPSLLD       $23, Y10, Y10
	VBLENDVPS    Y2, Y4, Y10, Y4
	VBLENDVPS    Y3, Y5, Y10, Y5
	VMASKMOVPS   (row)(place*1), Y2, Y8
	VMASKMOVPS   32(row)(place*1), Y3, Y9
	VFNMADD231PS Y8, Y12, Y0
	VFNMADD231PS Y9, Y12, Y1

pair:
	VMAXPS       Y13, Y4, Y13
	VMAXPS       Y13, Y5, Y13
	VBROADCASTSS (maxi), Y8
	VSUBPS       Y8, Y0, Y0
	VSUBPS       Y8, Y1, Y1

#include "exp2pair_avx2_f32_amd64.h"

	CMPQ    place, whole
	JEQ     shortend
	VMOVUPS Y8, (ej)(place*1)
	VMOVUPS Y9, 32(ej)(place*1)
	VMOVUPS Y6, (qj)(place*1)
	VMOVUPS Y7, 32(qj)(place*1)
	VADDPS  Y8, Y14, Y14
	VADDPS  Y9, Y15, Y15
	ADDQ    $64, place
	JMP     coltail

shortend:
	VANDPS  Y2, Y8, Y0
	VANDPS  Y3, Y9, Y1
	VADDPS  Y0, Y14, Y14
	VADDPS  Y1, Y15, Y15
	VMOVAPS Y6, Y2
	VMOVAPS Y7, Y3
	LEAQ    (ej)(place*1), to
	LEAQ    (qj)(place*1), to2
	MOVQ    bytes, rest
	SUBQ    whole, rest

#include "stores_avx2_amd64.h"

fold:
	// sum[i]: lane l += lane l+8, l+4, l+2, l+1
	VADDPS       Y15, Y14, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VUNPCKHPD    X0, X0, X1
	VADDPS       X1, X0, X0
	VMOVSHDUP    X0, X1
	VADDSS       X1, X0, X0
	VMOVSS       X0, (sumi)

	// w = a[i] / sum[i]
	VMOVSS (ai), X1
	VDIVSS X0, X1, X0
	VMOVSS X0, w+88(FP)
	ADDQ   $4, ai
	ADDQ   $4, sumi
	ADDQ   $4, maxi
	MOVQ   next, row
	DECQ   m+0(FP)
	JNE    rowloop

	// q_j = fma(w, e_j, q_j) with the last row
	VBROADCASTSS X0, Y13
	XORL         place, place
	CMPQ         whole, $0
	JEQ          qshort

qloop:
	VMOVUPS     (qj)(place*1), Y0
	VMOVUPS     32(qj)(place*1), Y1
	VFMADD231PS (ej)(place*1), Y13, Y0
	VFMADD231PS 32(ej)(place*1), Y13, Y1
	VMOVUPS     Y0, (qj)(place*1)
	VMOVUPS     Y1, 32(qj)(place*1)
	ADDQ        $64, place
	CMPQ        place, whole
	JLT         qloop

qshort:
	CMPQ        place, bytes
	JEQ         done
	TAILMASKS(AX, Y4, Y5)
	VMASKMOVPS  (qj)(place*1), Y4, Y0
	VMASKMOVPS  32(qj)(place*1), Y5, Y1
	VMASKMOVPS  (ej)(place*1), Y4, Y2
	VMASKMOVPS  32(ej)(place*1), Y5, Y3
	VFMADD231PS Y2, Y13, Y0
	VFMADD231PS Y3, Y13, Y1
	LEAQ        (qj)(place*1), to
	MOVQ        bytes, rest
	SUBQ        whole, rest

#include "store_avx2_amd64.h"

done:
	VZEROUPPER
	RET

#undef qj
#undef next
#undef gj
#undef ej
#undef sumi
#undef maxi
#undef ai
#define ld DX
#define hj DI
#define fi R11
#define rows R12
#define p R13

// func logColumnMaxAVX2F32(m, n int, mat *float32, ldm int, c float32, f, h *float32)
TEXT ·logColumnMaxAVX2F32(SB), NOSPLIT, $0-56
	MOVQ         n+8(FP), bytes
	MOVQ         mat+16(FP), row
	MOVQ         ldm+24(FP), ld
	VBROADCASTSS c+32(FP), Y9
	MOVQ         h+48(FP), hj
	SHLQ         $2, bytes
	SHLQ         $2, ld
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	VPCMPEQD     Y10, Y10, Y10
	VPCMPEQD     Y11, Y11, Y11
	XORL         place, place

colloop:
	CMPQ place, bytes
	JEQ  done
	CMPQ place, whole
	JNE  colstart
	TAILMASKS(AX, Y10, Y11)

colstart:
	VMASKMOVPS (hj)(place*1), Y10, Y0
	VMASKMOVPS 32(hj)(place*1), Y11, Y1
	LEAQ       (row)(place*1), p
	MOVQ       f+40(FP), fi
	MOVQ       m+0(FP), rows

maxloop:
	// h_j = x_ij where x_ij > h_j
	VBROADCASTSS (fi), Y4
	VMOVAPS      Y4, Y5
	VMASKMOVPS   (p), Y10, Y6
	VMASKMOVPS   32(p), Y11, Y7
	VFNMADD231PS Y6, Y9, Y4
	VFNMADD231PS Y7, Y9, Y5
	VMAXPS       Y0, Y4, Y0
	VMAXPS       Y1, Y5, Y1
	ADDQ         ld, p
	ADDQ         $4, fi
	DECQ         rows
	JNE          maxloop

	CMPQ    place, whole
	JEQ     maskstore
	VMOVUPS Y0, (hj)(place*1)
	VMOVUPS Y1, 32(hj)(place*1)
	ADDQ    $64, place
	JMP     colloop

maskstore:
	VMASKMOVPS Y0, Y10, (hj)(place*1)
	VMASKMOVPS Y1, Y11, 32(hj)(place*1)

done:
	VZEROUPPER
	RET

#undef p
#define sj BX

// func logColumnSumAVX2F32(m, n int, mat *float32, ldm int, c float32, f, h, s *float32)
TEXT ·logColumnSumAVX2F32(SB), NOSPLIT, $0-64
	MOVQ         m+0(FP), rows
	MOVQ         n+8(FP), bytes
	MOVQ         mat+16(FP), row
	MOVQ         ldm+24(FP), ld
	VBROADCASTSS c+32(FP), Y15
	MOVQ         f+40(FP), fi
	MOVQ         h+48(FP), hj
	MOVQ         s+56(FP), sj
	SHLQ         $2, bytes
	SHLQ         $2, ld
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	TAILMASKS(AX, Y6, Y7)

rowloop:
	VBROADCASTSS (fi), Y14
	XORL         place, place

colloop:
	CMPQ    place, whole
	JEQ     short
	VMOVUPS (row)(place*1), Y4
	VMOVUPS 32(row)(place*1), Y5
	VMOVUPS (hj)(place*1), Y8
	VMOVUPS 32(hj)(place*1), Y9
	JMP     core

short:
	CMPQ       place, bytes
	JEQ        rownext
	VMASKMOVPS (row)(place*1), Y6, Y4
	VMASKMOVPS 32(row)(place*1), Y7, Y5
	VMASKMOVPS (hj)(place*1), Y6, Y8
	VMASKMOVPS 32(hj)(place*1), Y7, Y9

core:
	// 2^(fma(−c, mat_ij, f_i) − h_j)
	VMOVAPS      Y14, Y0
	VMOVAPS      Y14, Y1
	VFNMADD231PS Y4, Y15, Y0
	VFNMADD231PS Y5, Y15, Y1
	VSUBPS       Y8, Y0, Y0
	VSUBPS       Y9, Y1, Y1
	VMOVAPS      Y0, Y2
	VMOVAPS      Y1, Y3

#include "exp2pair_avx2_f32_amd64.h"

	EXP2_OVER_F32(Y2, Y8, Y12, Y13)
	EXP2_OVER_F32(Y3, Y9, Y12, Y13)

	// s_j += that
	CMPQ    place, whole
	JEQ     shortstore
	VADDPS  (sj)(place*1), Y8, Y8
	VADDPS  32(sj)(place*1), Y9, Y9
	VMOVUPS Y8, (sj)(place*1)
	VMOVUPS Y9, 32(sj)(place*1)
	ADDQ    $64, place
	JMP     colloop

shortstore:
	VMASKMOVPS (sj)(place*1), Y6, Y0
	VMASKMOVPS 32(sj)(place*1), Y7, Y1
	VADDPS     Y8, Y0, Y0
	VADDPS     Y9, Y1, Y1
	LEAQ       (sj)(place*1), to
	MOVQ       bytes, rest
	SUBQ       whole, rest

#include "store_avx2_amd64.h"

rownext:
	ADDQ ld, row
	ADDQ $4, fi
	DECQ rows
	JNE  rowloop
	VZEROUPPER
	RET

#undef hj
#undef sj
#define gj DI
#define trow BX
#define ldtb R8

// func logPlanAVX2F32(m, n int, t *float32, ldt int, mat *float32, ldm int, c float32, f, gp *float32)
TEXT ·logPlanAVX2F32(SB), NOSPLIT, $0-72
	MOVQ         m+0(FP), rows
	MOVQ         n+8(FP), bytes
	MOVQ         t+16(FP), trow
	MOVQ         ldt+24(FP), ldtb
	MOVQ         mat+32(FP), row
	MOVQ         ldm+40(FP), ld
	VBROADCASTSS c+48(FP), Y15
	MOVQ         f+56(FP), fi
	MOVQ         gp+64(FP), gj
	SHLQ         $2, bytes
	SHLQ         $2, ld
	SHLQ         $2, ldtb
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	TAILMASKS(AX, Y6, Y7)

rowloop:
	VBROADCASTSS (fi), Y14
	XORL         place, place

colloop:
	CMPQ    place, whole
	JEQ     short
	VMOVUPS (row)(place*1), Y4
	VMOVUPS 32(row)(place*1), Y5
	VMOVUPS (gj)(place*1), Y0
	VMOVUPS 32(gj)(place*1), Y1
	JMP     core

short:
	CMPQ       place, bytes
	JEQ        rownext
	VMASKMOVPS (row)(place*1), Y6, Y4
	VMASKMOVPS 32(row)(place*1), Y7, Y5
	VMASKMOVPS (gj)(place*1), Y6, Y0
	VMASKMOVPS 32(gj)(place*1), Y7, Y1

core:
	// 2^(fma(−c, mat_ij, g_j) + f_i)
	VFNMADD231PS Y4, Y15, Y0
	VFNMADD231PS Y5, Y15, Y1
	VADDPS       Y14, Y0, Y0
	VADDPS       Y14, Y1, Y1
	VMOVAPS      Y0, Y2
	VMOVAPS      Y1, Y3

#include "exp2pair_avx2_f32_amd64.h"

	EXP2_OVER_F32(Y2, Y8, Y12, Y13)
	EXP2_OVER_F32(Y3, Y9, Y12, Y13)

	CMPQ    place, whole
	JEQ     shortstore
	VMOVUPS Y8, (trow)(place*1)
	VMOVUPS Y9, 32(trow)(place*1)
	ADDQ    $64, place
	JMP     colloop

shortstore:
	VMOVAPS Y8, Y0
	VMOVAPS Y9, Y1
	LEAQ    (trow)(place*1), to
	MOVQ    bytes, rest
	SUBQ    whole, rest

#include "store_avx2_amd64.h"

rownext:
	ADDQ ld, row
	ADDQ ldtb, trow
	ADDQ $4, fi
	DECQ rows
	JNE  rowloop
	VZEROUPPER
	RET
