// logscale, float64, AVX2 + FMA.
//
//	rows        x_j = g[j] − c mat[i*ldm+j]      max[i] = max_j x_j      e_j = 2^(x_j − max[i])
//	            sum[i] = Σ_j e_j      q[j] = q[j] + Σ_i (a[i] / sum[i]) e_j      0≤i<m  0≤j<n
//	columnMax   h[j] = max(h[j], f[i] − c mat[i*ldm+j])      0≤i<m  0≤j<n
//	columnSum   s[j] = s[j] + Σ_i 2^(f[i] − c mat[i*ldm+j] − h[j])      0≤i<m  0≤j<n
//	plan        t[i*ldt+j] = 2^((g[j] − c mat[i*ldm+j]) + f[i])      0≤i<m  0≤j<n
//
// Same bits as    logRowsRef, logColumnMaxRef, logColumnSumRef, logPlanRef in ref.go, with Ref2 of
//                 package exp: the row sum in 8 lanes, folded in halves; columns with
//                 i ascending.
// Layout          mat t m×n row-major, strides ldm ldt in elements; f a max sum m;
//                 g q h s e n. m, n ≥ 1. t may be mat.
// Tile            rows: 16 columns of one row, where in one go the row before is added to q,
//                 the maximum of the next row is taken and 2^y of this row: Y0–Y3 y, then
//                 f of exp2, Y4–Y7 S, Y8–Y11 polynomial, Y13 maximum, Y14 Y15 lanes of the
//                 sum. The others: 8 columns; columnMax all rows of them.
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

// func logRowsAVX2F64(m, n int, mat *float64, ldm int, c float64, gp, a, max, sum, q, e *float64, w float64)
TEXT ·logRowsAVX2F64(SB), NOSPLIT, $0-96
	MOVQ n+8(FP), bytes
	MOVQ mat+16(FP), row
	MOVQ gp+40(FP), gj
	MOVQ a+48(FP), ai
	MOVQ max+56(FP), maxi
	MOVQ sum+64(FP), sumi
	MOVQ q+72(FP), qj
	MOVQ e+80(FP), ej
	SHLQ $3, bytes
	SHLQ $3, ldm+24(FP)
	MOVQ bytes, whole
	ANDQ $-64, whole

	// the maximum of the first row, in two times four lanes from −Inf on; e = 0, which
	// with w = −0 makes what the row before the first adds to q nothing
	VBROADCASTSD c+32(FP), Y12
	VPCMPEQD     Y11, Y11, Y11
	VPSLLQ       $52, Y11, Y11
	VMOVAPD      Y11, Y13
	VMOVAPD      Y11, Y14
	VXORPD       Y15, Y15, Y15
	XORL         place, place
	CMPQ         whole, $0
	JEQ          maxshort

maxloop:
	VMOVUPD      (gj)(place*1), Y0
	VMOVUPD      32(gj)(place*1), Y1
	VFNMADD231PD (row)(place*1), Y12, Y0
	VFNMADD231PD 32(row)(place*1), Y12, Y1
	VMAXPD       Y13, Y0, Y13
	VMAXPD       Y14, Y1, Y14
	VMOVUPD      Y15, (ej)(place*1)
	VMOVUPD      Y15, 32(ej)(place*1)
	ADDQ         $64, place
	CMPQ         place, whole
	JLT          maxloop

maxshort:
	CMPQ         place, bytes
	JEQ          maxfirst
	TAILMASKS(AX, Y2, Y3)
	VMASKMOVPD   (gj)(place*1), Y2, Y0
	VMASKMOVPD   32(gj)(place*1), Y3, Y1
	VMASKMOVPD   (row)(place*1), Y2, Y4
	VMASKMOVPD   32(row)(place*1), Y3, Y5
	VFNMADD231PD Y4, Y12, Y0
	VFNMADD231PD Y5, Y12, Y1
	VBLENDVPD    Y2, Y0, Y11, Y0
	VBLENDVPD    Y3, Y1, Y11, Y1
	VMAXPD       Y13, Y0, Y13
	VMAXPD       Y14, Y1, Y14
	VMASKMOVPD   Y15, Y2, (ej)(place*1)
	VMASKMOVPD   Y15, Y3, 32(ej)(place*1)

maxfirst:
	VMAXPD Y14, Y13, Y13

rowloop:
	// max[i], where a zero becomes +0
	VEXTRACTF128 $1, Y13, X0
	VMAXPD       X13, X0, X0
	VUNPCKHPD    X0, X0, X1
	VMAXSD       X1, X0, X0
	VXORPD       X1, X1, X1
	VADDSD       X1, X0, X0
	VMOVSD       X0, (maxi)

	// next: the row after this one, or this one again if it is the last
	MOVQ    row, next
	MOVQ    row, AX
	ADDQ    ldm+24(FP), AX
	CMPQ    m+0(FP), $1
	CMOVQGT AX, next

	VPCMPEQD Y13, Y13, Y13
	VPSLLQ   $52, Y13, Y13
	VXORPD   Y14, Y14, Y14
	VXORPD   Y15, Y15, Y15
	XORL     place, place
	CMPQ     whole, $128
	JLT      coltail

colloop:
	// q_j = fma(w, e_j, q_j) with the row before
	VBROADCASTSD w+88(FP), Y4
	VMOVUPD      (qj)(place*1), Y0
	VMOVUPD      32(qj)(place*1), Y1
	VMOVUPD      64(qj)(place*1), Y2
	VMOVUPD      96(qj)(place*1), Y3
	VFMADD231PD  (ej)(place*1), Y4, Y0
	VFMADD231PD  32(ej)(place*1), Y4, Y1
	VFMADD231PD  64(ej)(place*1), Y4, Y2
	VFMADD231PD  96(ej)(place*1), Y4, Y3
	VMOVUPD      Y0, (qj)(place*1)
	VMOVUPD      Y1, 32(qj)(place*1)
	VMOVUPD      Y2, 64(qj)(place*1)
	VMOVUPD      Y3, 96(qj)(place*1)

	// x_j of the next row, and its maximum
	VBROADCASTSD c+32(FP), Y12
	VMOVUPD      (gj)(place*1), Y0
	VMOVUPD      32(gj)(place*1), Y1
	VMOVUPD      64(gj)(place*1), Y2
	VMOVUPD      96(gj)(place*1), Y3
	VMOVAPD      Y0, Y4
	VMOVAPD      Y1, Y5
	VMOVAPD      Y2, Y6
	VMOVAPD      Y3, Y7
	VFNMADD231PD (next)(place*1), Y12, Y4
	VFNMADD231PD 32(next)(place*1), Y12, Y5
	VFNMADD231PD 64(next)(place*1), Y12, Y6
	VFNMADD231PD 96(next)(place*1), Y12, Y7
	VMAXPD       Y13, Y4, Y13
	VMAXPD       Y13, Y5, Y13
	VMAXPD       Y13, Y6, Y13
	VMAXPD       Y13, Y7, Y13

	// y = x_j − max[i] of this row
	VBROADCASTSD (maxi), Y8
	VFNMADD231PD (row)(place*1), Y12, Y0
	VFNMADD231PD 32(row)(place*1), Y12, Y1
	VFNMADD231PD 64(row)(place*1), Y12, Y2
	VFNMADD231PD 96(row)(place*1), Y12, Y3
	VSUBPD       Y8, Y0, Y0
	VSUBPD       Y8, Y1, Y1
	VSUBPD       Y8, Y2, Y2
	VSUBPD       Y8, Y3, Y3

#include "exp2quad_avx2_f64_amd64.h"

	// e_j = 2^y, and the lanes of the sum
	VMOVUPD Y8, (ej)(place*1)
	VMOVUPD Y9, 32(ej)(place*1)
	VMOVUPD Y10, 64(ej)(place*1)
	VMOVUPD Y11, 96(ej)(place*1)
	VADDPD  Y8, Y14, Y14
	VADDPD  Y9, Y15, Y15
	VADDPD  Y10, Y14, Y14
	VADDPD  Y11, Y15, Y15
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
	VBROADCASTSD w+88(FP), Y4
	VMOVUPD      (qj)(place*1), Y6
	VMOVUPD      32(qj)(place*1), Y7
	VFMADD231PD  (ej)(place*1), Y4, Y6
	VFMADD231PD  32(ej)(place*1), Y4, Y7
	VBROADCASTSD c+32(FP), Y12
	VMOVUPD      (gj)(place*1), Y0
	VMOVUPD      32(gj)(place*1), Y1
	VMOVAPD      Y0, Y4
	VMOVAPD      Y1, Y5
	VFNMADD231PD (next)(place*1), Y12, Y4
	VFNMADD231PD 32(next)(place*1), Y12, Y5
	VFNMADD231PD (row)(place*1), Y12, Y0
	VFNMADD231PD 32(row)(place*1), Y12, Y1
	JMP          pair

short:
	TAILMASKS(AX, Y2, Y3)
	VBROADCASTSD w+88(FP), Y4
	VMASKMOVPD   (qj)(place*1), Y2, Y6
	VMASKMOVPD   32(qj)(place*1), Y3, Y7
	VMASKMOVPD   (ej)(place*1), Y2, Y8
	VMASKMOVPD   32(ej)(place*1), Y3, Y9
	VFMADD231PD  Y8, Y4, Y6
	VFMADD231PD  Y9, Y4, Y7
	VBROADCASTSD c+32(FP), Y12
	VMASKMOVPD   (gj)(place*1), Y2, Y0
	VMASKMOVPD   32(gj)(place*1), Y3, Y1
	VMASKMOVPD   (next)(place*1), Y2, Y8
	VMASKMOVPD   32(next)(place*1), Y3, Y9
	VMOVAPD      Y0, Y4
	VMOVAPD      Y1, Y5
	VFNMADD231PD Y8, Y12, Y4
	VFNMADD231PD Y9, Y12, Y5
	VPCMPEQD     Y10, Y10, Y10
	VPSLLQ       $52, Y10, Y10
	VBLENDVPD    Y2, Y4, Y10, Y4
	VBLENDVPD    Y3, Y5, Y10, Y5
	VMASKMOVPD   (row)(place*1), Y2, Y8
	VMASKMOVPD   32(row)(place*1), Y3, Y9
	VFNMADD231PD Y8, Y12, Y0
	VFNMADD231PD Y9, Y12, Y1

pair:
	VMAXPD       Y13, Y4, Y13
	VMAXPD       Y13, Y5, Y13
	VBROADCASTSD (maxi), Y8
	VSUBPD       Y8, Y0, Y0
	VSUBPD       Y8, Y1, Y1

#include "exp2pair_avx2_f64_amd64.h"

	CMPQ    place, whole
	JEQ     shortend
	VMOVUPD Y8, (ej)(place*1)
	VMOVUPD Y9, 32(ej)(place*1)
	VMOVUPD Y6, (qj)(place*1)
	VMOVUPD Y7, 32(qj)(place*1)
	VADDPD  Y8, Y14, Y14
	VADDPD  Y9, Y15, Y15
	ADDQ    $64, place
	JMP     coltail

shortend:
	VANDPD  Y2, Y8, Y0
	VANDPD  Y3, Y9, Y1
	VADDPD  Y0, Y14, Y14
	VADDPD  Y1, Y15, Y15
	VMOVAPD Y6, Y2
	VMOVAPD Y7, Y3
	LEAQ    (ej)(place*1), to
	LEAQ    (qj)(place*1), to2
	MOVQ    bytes, rest
	SUBQ    whole, rest

#include "stores_avx2_amd64.h"

fold:
	// sum[i]: lane l += lane l+4, l+2, l+1
	VADDPD       Y15, Y14, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD       X1, X0, X0
	VUNPCKHPD    X0, X0, X1
	VADDSD       X1, X0, X0
	VMOVSD       X0, (sumi)

	// w = a[i] / sum[i]
	VMOVSD (ai), X1
	VDIVSD X0, X1, X0
	VMOVSD X0, w+88(FP)
	ADDQ   $8, ai
	ADDQ   $8, sumi
	ADDQ   $8, maxi
	MOVQ   next, row
	DECQ   m+0(FP)
	JNE    rowloop

	// q_j = fma(w, e_j, q_j) with the last row
	VBROADCASTSD X0, Y13
	XORL         place, place
	CMPQ         whole, $0
	JEQ          qshort

qloop:
	VMOVUPD     (qj)(place*1), Y0
	VMOVUPD     32(qj)(place*1), Y1
	VFMADD231PD (ej)(place*1), Y13, Y0
	VFMADD231PD 32(ej)(place*1), Y13, Y1
	VMOVUPD     Y0, (qj)(place*1)
	VMOVUPD     Y1, 32(qj)(place*1)
	ADDQ        $64, place
	CMPQ        place, whole
	JLT         qloop

qshort:
	CMPQ        place, bytes
	JEQ         done
	TAILMASKS(AX, Y4, Y5)
	VMASKMOVPD  (qj)(place*1), Y4, Y0
	VMASKMOVPD  32(qj)(place*1), Y5, Y1
	VMASKMOVPD  (ej)(place*1), Y4, Y2
	VMASKMOVPD  32(ej)(place*1), Y5, Y3
	VFMADD231PD Y2, Y13, Y0
	VFMADD231PD Y3, Y13, Y1
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

// func logColumnMaxAVX2F64(m, n int, mat *float64, ldm int, c float64, f, h *float64)
TEXT ·logColumnMaxAVX2F64(SB), NOSPLIT, $0-56
	MOVQ         n+8(FP), bytes
	MOVQ         mat+16(FP), row
	MOVQ         ldm+24(FP), ld
	VBROADCASTSD c+32(FP), Y9
	MOVQ         h+48(FP), hj
	SHLQ         $3, bytes
	SHLQ         $3, ld
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
	VMASKMOVPD (hj)(place*1), Y10, Y0
	VMASKMOVPD 32(hj)(place*1), Y11, Y1
	LEAQ       (row)(place*1), p
	MOVQ       f+40(FP), fi
	MOVQ       m+0(FP), rows

maxloop:
	// h_j = x_ij where x_ij > h_j
	VBROADCASTSD (fi), Y4
	VMOVAPD      Y4, Y5
	VMASKMOVPD   (p), Y10, Y6
	VMASKMOVPD   32(p), Y11, Y7
	VFNMADD231PD Y6, Y9, Y4
	VFNMADD231PD Y7, Y9, Y5
	VMAXPD       Y0, Y4, Y0
	VMAXPD       Y1, Y5, Y1
	ADDQ         ld, p
	ADDQ         $8, fi
	DECQ         rows
	JNE          maxloop

	CMPQ    place, whole
	JEQ     maskstore
	VMOVUPD Y0, (hj)(place*1)
	VMOVUPD Y1, 32(hj)(place*1)
	ADDQ    $64, place
	JMP     colloop

maskstore:
	VMASKMOVPD Y0, Y10, (hj)(place*1)
	VMASKMOVPD Y1, Y11, 32(hj)(place*1)

done:
	VZEROUPPER
	RET

#undef p
#define sj BX

// func logColumnSumAVX2F64(m, n int, mat *float64, ldm int, c float64, f, h, s *float64)
TEXT ·logColumnSumAVX2F64(SB), NOSPLIT, $0-64
	MOVQ         m+0(FP), rows
	MOVQ         n+8(FP), bytes
	MOVQ         mat+16(FP), row
	MOVQ         ldm+24(FP), ld
	VBROADCASTSD c+32(FP), Y15
	MOVQ         f+40(FP), fi
	MOVQ         h+48(FP), hj
	MOVQ         s+56(FP), sj
	SHLQ         $3, bytes
	SHLQ         $3, ld
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	TAILMASKS(AX, Y6, Y7)

rowloop:
	VBROADCASTSD (fi), Y14
	XORL         place, place

colloop:
	CMPQ    place, whole
	JEQ     short
	VMOVUPD (row)(place*1), Y4
	VMOVUPD 32(row)(place*1), Y5
	VMOVUPD (hj)(place*1), Y8
	VMOVUPD 32(hj)(place*1), Y9
	JMP     core

short:
	CMPQ       place, bytes
	JEQ        rownext
	VMASKMOVPD (row)(place*1), Y6, Y4
	VMASKMOVPD 32(row)(place*1), Y7, Y5
	VMASKMOVPD (hj)(place*1), Y6, Y8
	VMASKMOVPD 32(hj)(place*1), Y7, Y9

core:
	// 2^(fma(−c, mat_ij, f_i) − h_j)
	VMOVAPD      Y14, Y0
	VMOVAPD      Y14, Y1
	VFNMADD231PD Y4, Y15, Y0
	VFNMADD231PD Y5, Y15, Y1
	VSUBPD       Y8, Y0, Y0
	VSUBPD       Y9, Y1, Y1
	VMOVAPD      Y0, Y2
	VMOVAPD      Y1, Y3

#include "exp2pair_avx2_f64_amd64.h"

	EXP2_OVER_F64(Y2, Y8, Y12, Y13)
	EXP2_OVER_F64(Y3, Y9, Y12, Y13)

	// s_j += that
	CMPQ    place, whole
	JEQ     shortstore
	VADDPD  (sj)(place*1), Y8, Y8
	VADDPD  32(sj)(place*1), Y9, Y9
	VMOVUPD Y8, (sj)(place*1)
	VMOVUPD Y9, 32(sj)(place*1)
	ADDQ    $64, place
	JMP     colloop

shortstore:
	VMASKMOVPD (sj)(place*1), Y6, Y0
	VMASKMOVPD 32(sj)(place*1), Y7, Y1
	VADDPD     Y8, Y0, Y0
	VADDPD     Y9, Y1, Y1
	LEAQ       (sj)(place*1), to
	MOVQ       bytes, rest
	SUBQ       whole, rest

#include "store_avx2_amd64.h"

rownext:
	ADDQ ld, row
	ADDQ $8, fi
	DECQ rows
	JNE  rowloop
	VZEROUPPER
	RET

#undef hj
#undef sj
#define gj DI
#define trow BX
#define ldtb R8

// func logPlanAVX2F64(m, n int, t *float64, ldt int, mat *float64, ldm int, c float64, f, gp *float64)
TEXT ·logPlanAVX2F64(SB), NOSPLIT, $0-72
	MOVQ         m+0(FP), rows
	MOVQ         n+8(FP), bytes
	MOVQ         t+16(FP), trow
	MOVQ         ldt+24(FP), ldtb
	MOVQ         mat+32(FP), row
	MOVQ         ldm+40(FP), ld
	VBROADCASTSD c+48(FP), Y15
	MOVQ         f+56(FP), fi
	MOVQ         gp+64(FP), gj
	SHLQ         $3, bytes
	SHLQ         $3, ld
	SHLQ         $3, ldtb
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	TAILMASKS(AX, Y6, Y7)

rowloop:
	VBROADCASTSD (fi), Y14
	XORL         place, place

colloop:
	CMPQ    place, whole
	JEQ     short
	VMOVUPD (row)(place*1), Y4
	VMOVUPD 32(row)(place*1), Y5
	VMOVUPD (gj)(place*1), Y0
	VMOVUPD 32(gj)(place*1), Y1
	JMP     core

short:
	CMPQ       place, bytes
	JEQ        rownext
	VMASKMOVPD (row)(place*1), Y6, Y4
	VMASKMOVPD 32(row)(place*1), Y7, Y5
	VMASKMOVPD (gj)(place*1), Y6, Y0
	VMASKMOVPD 32(gj)(place*1), Y7, Y1

core:
	// 2^(fma(−c, mat_ij, g_j) + f_i)
	VFNMADD231PD Y4, Y15, Y0
	VFNMADD231PD Y5, Y15, Y1
	VADDPD       Y14, Y0, Y0
	VADDPD       Y14, Y1, Y1
	VMOVAPD      Y0, Y2
	VMOVAPD      Y1, Y3

#include "exp2pair_avx2_f64_amd64.h"

	EXP2_OVER_F64(Y2, Y8, Y12, Y13)
	EXP2_OVER_F64(Y3, Y9, Y12, Y13)

	CMPQ    place, whole
	JEQ     shortstore
	VMOVUPD Y8, (trow)(place*1)
	VMOVUPD Y9, 32(trow)(place*1)
	ADDQ    $64, place
	JMP     colloop

shortstore:
	VMOVAPD Y8, Y0
	VMOVAPD Y9, Y1
	LEAQ    (trow)(place*1), to
	MOVQ    bytes, rest
	SUBQ    whole, rest

#include "store_avx2_amd64.h"

rownext:
	ADDQ ld, row
	ADDQ ldtb, trow
	ADDQ $8, fi
	DECQ rows
	JNE  rowloop
	VZEROUPPER
	RET
