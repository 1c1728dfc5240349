// logscale, float64, AVX-512 F.
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
// Tile            rows: one row × 24 columns, then × 8: Z0–Z2 x, then 2^y, Z21 lanes of the
//                 sum; the maximum in Z3–Z6. While the row's sum divides, the maximum of
//                 the next one is taken; then the row goes to q. columnMax: all rows of
//                 32 columns, columnSum: of 24, then of 8; plan: one row × 24, then × 8.
// Tail            columns: opmask K7; it keeps the missing columns out of the maximum and
//                 the sum. No access outside the slices.
// Special values  the maximum takes x where x > max only, so that NaN is passed over;
//                 adding +0 makes a zero +0.
// Registers       SI row of mat · DX ldm · R9 bytes in whole steps · R10 bytes of a row ·
//                 CX place in the row · AX scratch · Z23 c · Z30 table · Z31 magic. rows:
//                 DI g · R8 e · BX q · R13 a · R12 max · R11 sum, rows left in the
//                 arguments · Z19 w · Z20 last e · Z22 max. columnMax: DI h · R11 f · R12 rows
//                 left · R13 place in mat. columnSum: DI h · BX s · R11 f · R12 rows left · R13
//                 place in mat. plan: DI g · BX row of t · R8 ldt · R11 f · R12 rows left.
// Source          own; 2^y after package exp.

//go:build amd64 && !purego

#include "textflag.h"
#include "exp2_avx512_amd64.h"

#define place CX
#define ld DX
#define row SI
#define whole R9
#define bytes R10
#define mask K7
#define cost Z23
#define table Z30
#define magic Z31

// TAILMASK sets mask to the elements of the short step, bytes − whole of them.
#define TAILMASK \
	MOVQ  bytes, CX; \
	SUBQ  whole, CX; \
	SHRQ  $3, CX;    \
	MOVL  $1, AX;    \
	SHLL  CX, AX;    \
	DECL  AX;        \
	KMOVW AX, mask

// CONSTANTS fills magic and table.
#define CONSTANTS \
	VBROADCASTSD exp2f64<>+EXP2_F64_MAGIC(SB), magic; \
	VMOVDQU64    exp2f64<>+EXP2_F64_TABLE(SB), table

#define qj BX
#define gj DI
#define ej R8
#define sumi R11
#define maxi R12
#define ai R13

// func logRowsAVX512F64(m, n int, mat *float64, ldm int, c float64, gp, a, max, sum, q, e *float64)
TEXT ·logRowsAVX512F64(SB), NOSPLIT, $0-88
	MOVQ         n+8(FP), bytes
	MOVQ         mat+16(FP), row
	MOVQ         ldm+24(FP), ld
	VBROADCASTSD c+32(FP), cost
	MOVQ         gp+40(FP), gj
	MOVQ         a+48(FP), ai
	MOVQ         max+56(FP), maxi
	MOVQ         sum+64(FP), sumi
	MOVQ         q+72(FP), qj
	MOVQ         e+80(FP), ej
	SHLQ         $3, bytes
	SHLQ         $3, ld
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	TAILMASK
	CONSTANTS

rowloop:
	CMPQ m+0(FP), $0
	JEQ  qstart

	// max[i] = max_j x_j, four vectors of maxima from −Inf on
	VPTERNLOGD $0xff, Z3, Z3, Z3
	VPSLLQ     $52, Z3, Z3
	VMOVAPD    Z3, Z4
	VMOVAPD    Z3, Z5
	VMOVAPD    Z3, Z6
	XORL       place, place
	JMP        maxcheck

maxloop:
	VMOVUPD      (gj)(place*1), Z0
	VMOVUPD      64(gj)(place*1), Z1
	VMOVUPD      128(gj)(place*1), Z2
	VMOVUPD      192(gj)(place*1), Z7
	VFNMADD231PD (row)(place*1), cost, Z0
	VFNMADD231PD 64(row)(place*1), cost, Z1
	VFNMADD231PD 128(row)(place*1), cost, Z2
	VFNMADD231PD 192(row)(place*1), cost, Z7
	VMAXPD       Z3, Z0, Z3
	VMAXPD       Z4, Z1, Z4
	VMAXPD       Z5, Z2, Z5
	VMAXPD       Z6, Z7, Z6
	ADDQ         $256, place

maxcheck:
	LEAQ 256(place), AX
	CMPQ AX, whole
	JLE  maxloop

maxtail:
	CMPQ         place, whole
	JEQ          maxshort
	VMOVUPD      (gj)(place*1), Z0
	VFNMADD231PD (row)(place*1), cost, Z0
	VMAXPD       Z3, Z0, Z3
	ADDQ         $64, place
	JMP          maxtail

maxshort:
	VMOVUPD.Z    (gj)(place*1), mask, Z0
	VMOVUPD.Z    (row)(place*1), mask, Z1
	VFNMADD231PD Z1, cost, Z0
	VMAXPD       Z3, Z0, mask, Z3

	VMAXPD        Z4, Z3, Z3
	VMAXPD        Z6, Z5, Z5
	VMAXPD        Z5, Z3, Z3
	VEXTRACTF64X4 $1, Z3, Y4
	VMAXPD        Y4, Y3, Y3
	VEXTRACTF128  $1, Y3, X4
	VMAXPD        X4, X3, X3
	VPERMILPD     $1, X3, X4
	VMAXSD        X4, X3, X3
	VXORPD        X4, X4, X4
	VADDSD        X4, X3, X3
	VMOVSD        X3, (maxi)
	CMPQ          maxi, max+56(FP)
	JEQ           expstart

qstart:
	// q_j = fma(w, e_j, q_j) for the row before
	XORL place, place
	CMPQ whole, $0
	JEQ  qshort

qloop:
	VMOVUPD     (qj)(place*1), Z0
	VFMADD231PD (ej)(place*1), Z19, Z0
	VMOVUPD     Z0, (qj)(place*1)
	ADDQ        $64, place
	CMPQ        place, whole
	JLT         qloop

qshort:
	VMOVUPD.Z   (qj)(place*1), mask, Z0
	VFMADD231PD Z20, Z19, Z0
	VMOVUPD     Z0, mask, (qj)(place*1)
	CMPQ        m+0(FP), $0
	JEQ         done

expstart:
	// e_j = 2^(x_j − max[i]), sum in lanes
	VBROADCASTSD (maxi), Z22
	VPXORQ       Z21, Z21, Z21
	XORL         place, place
	JMP          expcheck

exploop:
	VMOVUPD      (gj)(place*1), Z0
	VMOVUPD      64(gj)(place*1), Z1
	VMOVUPD      128(gj)(place*1), Z2
	VFNMADD231PD (row)(place*1), cost, Z0
	VFNMADD231PD 64(row)(place*1), cost, Z1
	VFNMADD231PD 128(row)(place*1), cost, Z2
	VSUBPD       Z22, Z0, Z0
	VSUBPD       Z22, Z1, Z1
	VSUBPD       Z22, Z2, Z2

#define y0 Z0
#define y1 Z1
#define y2 Z2
#include "exp2three_avx512_f64_amd64.h"

	VMOVUPD Z0, (ej)(place*1)
	VMOVUPD Z1, 64(ej)(place*1)
	VMOVUPD Z2, 128(ej)(place*1)
	VADDPD  Z0, Z21, Z21
	VADDPD  Z1, Z21, Z21
	VADDPD  Z2, Z21, Z21
	ADDQ    $192, place

expcheck:
	LEAQ 192(place), AX
	CMPQ AX, whole
	JLE  exploop

exptail:
	CMPQ   place, bytes
	JEQ    expfold
	KXNORW K1, K1, K1
	CMPQ   place, whole
	JLT    expvector
	KMOVW  mask, K1

expvector:
	VMOVUPD.Z    (gj)(place*1), K1, Z0
	VMOVUPD.Z    (row)(place*1), K1, Z1
	VFNMADD231PD Z1, cost, Z0
	VSUBPD       Z22, Z0, Z0

#include "exp2one_avx512_f64_amd64.h"

	VMOVUPD Z0, K1, (ej)(place*1)
	VADDPD  Z0, Z21, K1, Z21
	ADDQ    $64, place
	CMPQ    place, bytes
	JLT     exptail
	VMOVAPD Z0, Z20

expfold:
	// lanes fold in halves
	VEXTRACTF64X4 $1, Z21, Y1
	VEXTRACTF64X4 $0, Z21, Y0
	VADDPD        Y1, Y0, Y0
	VEXTRACTF128  $1, Y0, X1
	VADDPD        X1, X0, X0
	VPERMILPD     $1, X0, X1
	VADDSD        X1, X0, X0

	// w = a / sum
	VMOVSD       X0, (sumi)
	VMOVSD       (ai), X1
	VDIVSD       X0, X1, X0
	VBROADCASTSD X0, Z19
	ADDQ         ld, row
	ADDQ         $8, ai
	ADDQ         $8, sumi
	ADDQ         $8, maxi
	DECQ         m+0(FP)
	JMP          rowloop

done:
	VZEROUPPER
	RET

#undef qj
#undef gj
#undef ej
#undef sumi
#undef maxi
#undef ai
#define hj DI
#define fi R11
#define rows R12
#define p R13

// func logColumnMaxAVX512F64(m, n int, mat *float64, ldm int, c float64, f, h *float64)
TEXT ·logColumnMaxAVX512F64(SB), NOSPLIT, $0-56
	MOVQ         n+8(FP), bytes
	MOVQ         mat+16(FP), row
	MOVQ         ldm+24(FP), ld
	VBROADCASTSD c+32(FP), cost
	MOVQ         h+48(FP), hj
	SHLQ         $3, bytes
	SHLQ         $3, ld
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	TAILMASK
	XORL         place, place
	JMP          colcheck

colloop:
	VMOVUPD (hj)(place*1), Z0
	VMOVUPD 64(hj)(place*1), Z1
	VMOVUPD 128(hj)(place*1), Z2
	VMOVUPD 192(hj)(place*1), Z3
	LEAQ    (row)(place*1), p
	MOVQ    f+40(FP), fi
	MOVQ    m+0(FP), rows

maxloop:
	// h_j = x_ij where x_ij > h_j, four vectors
	VBROADCASTSD (fi), Z4
	VMOVAPD      Z4, Z5
	VMOVAPD      Z4, Z6
	VMOVAPD      Z4, Z7
	VFNMADD231PD (p), cost, Z4
	VFNMADD231PD 64(p), cost, Z5
	VFNMADD231PD 128(p), cost, Z6
	VFNMADD231PD 192(p), cost, Z7
	VMAXPD       Z0, Z4, Z0
	VMAXPD       Z1, Z5, Z1
	VMAXPD       Z2, Z6, Z2
	VMAXPD       Z3, Z7, Z3
	ADDQ         ld, p
	ADDQ         $8, fi
	DECQ         rows
	JNE          maxloop

	VMOVUPD Z0, (hj)(place*1)
	VMOVUPD Z1, 64(hj)(place*1)
	VMOVUPD Z2, 128(hj)(place*1)
	VMOVUPD Z3, 192(hj)(place*1)
	ADDQ    $256, place

colcheck:
	LEAQ 256(place), AX
	CMPQ AX, whole
	JLE  colloop

coltail:
	CMPQ   place, bytes
	JGE    done
	KXNORW K1, K1, K1
	CMPQ   place, whole
	JLT    colvector
	KMOVW  mask, K1

colvector:
	VMOVUPD.Z (hj)(place*1), K1, Z0
	LEAQ      (row)(place*1), p
	MOVQ      f+40(FP), fi
	MOVQ      m+0(FP), rows

max1loop:
	// h_j = x_ij where x_ij > h_j
	VBROADCASTSD (fi), Z4
	VMOVUPD.Z    (p), K1, Z5
	VFNMADD231PD Z5, cost, Z4
	VMAXPD       Z0, Z4, Z0
	ADDQ         ld, p
	ADDQ         $8, fi
	DECQ         rows
	JNE          max1loop

	VMOVUPD Z0, K1, (hj)(place*1)
	ADDQ    $64, place
	JMP     coltail

done:
	VZEROUPPER
	RET

#define sj BX

// func logColumnSumAVX512F64(m, n int, mat *float64, ldm int, c float64, f, h, s *float64)
TEXT ·logColumnSumAVX512F64(SB), NOSPLIT, $0-64
	MOVQ         n+8(FP), bytes
	MOVQ         mat+16(FP), row
	MOVQ         ldm+24(FP), ld
	VBROADCASTSD c+32(FP), cost
	MOVQ         h+48(FP), hj
	MOVQ         s+56(FP), sj
	SHLQ         $3, bytes
	SHLQ         $3, ld
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	TAILMASK
	CONSTANTS
	XORL         place, place
	JMP          colcheck

colloop:
	VMOVUPD (hj)(place*1), Z3
	VMOVUPD 64(hj)(place*1), Z4
	VMOVUPD 128(hj)(place*1), Z5
	VMOVUPD (sj)(place*1), Z6
	VMOVUPD 64(sj)(place*1), Z7
	VMOVUPD 128(sj)(place*1), Z8
	LEAQ    (row)(place*1), p
	MOVQ    f+40(FP), fi
	MOVQ    m+0(FP), rows

sumloop:
	// s_j += 2^(fma(−c, mat_ij, f_i) − h_j), three vectors
	VBROADCASTSD (fi), Z0
	VMOVAPD      Z0, Z1
	VMOVAPD      Z0, Z2
	VFNMADD231PD (p), cost, Z0
	VFNMADD231PD 64(p), cost, Z1
	VFNMADD231PD 128(p), cost, Z2
	VSUBPD       Z3, Z0, Z0
	VSUBPD       Z4, Z1, Z1
	VSUBPD       Z5, Z2, Z2
	EXP2_OVER_F64(Z0, K4)
	EXP2_OVER_F64(Z1, K5)
	EXP2_OVER_F64(Z2, K6)

#define y0 Z0
#define y1 Z1
#define y2 Z2
#include "exp2three_avx512_f64_amd64.h"

	EXP2_INF_F64(Z0, K4)
	EXP2_INF_F64(Z1, K5)
	EXP2_INF_F64(Z2, K6)
	VADDPD Z0, Z6, Z6
	VADDPD Z1, Z7, Z7
	VADDPD Z2, Z8, Z8
	ADDQ   ld, p
	ADDQ   $8, fi
	DECQ   rows
	JNE    sumloop

	VMOVUPD Z6, (sj)(place*1)
	VMOVUPD Z7, 64(sj)(place*1)
	VMOVUPD Z8, 128(sj)(place*1)
	ADDQ    $192, place

colcheck:
	LEAQ 192(place), AX
	CMPQ AX, whole
	JLE  colloop

coltail:
	CMPQ   place, bytes
	JGE    done
	KXNORW K1, K1, K1
	CMPQ   place, whole
	JLT    colvector
	KMOVW  mask, K1

colvector:
	VMOVUPD.Z (hj)(place*1), K1, Z3
	VMOVUPD.Z (sj)(place*1), K1, Z6
	LEAQ      (row)(place*1), p
	MOVQ      f+40(FP), fi
	MOVQ      m+0(FP), rows

sum1loop:
	// s_j += 2^(fma(−c, mat_ij, f_i) − h_j)
	VBROADCASTSD (fi), Z0
	VMOVUPD.Z    (p), K1, Z1
	VFNMADD231PD Z1, cost, Z0
	VSUBPD       Z3, Z0, Z0

#include "exp2one_avx512_f64_amd64.h"

	VADDPD Z0, Z6, Z6
	ADDQ   ld, p
	ADDQ   $8, fi
	DECQ   rows
	JNE    sum1loop

	VMOVUPD Z6, K1, (sj)(place*1)
	ADDQ    $64, place
	JMP     coltail

done:
	VZEROUPPER
	RET

#undef hj
#undef sj
#undef p
#define gj DI
#define trow BX
#define ldtb R8

// func logPlanAVX512F64(m, n int, t *float64, ldt int, mat *float64, ldm int, c float64, f, gp *float64)
TEXT ·logPlanAVX512F64(SB), NOSPLIT, $0-72
	MOVQ         m+0(FP), rows
	MOVQ         n+8(FP), bytes
	MOVQ         t+16(FP), trow
	MOVQ         ldt+24(FP), ldtb
	MOVQ         mat+32(FP), row
	MOVQ         ldm+40(FP), ld
	VBROADCASTSD c+48(FP), cost
	MOVQ         f+56(FP), fi
	MOVQ         gp+64(FP), gj
	SHLQ         $3, bytes
	SHLQ         $3, ld
	SHLQ         $3, ldtb
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	TAILMASK
	CONSTANTS

rowloop:
	VBROADCASTSD (fi), Z22
	XORL         place, place
	JMP          colcheck

colloop:
	// 2^(fma(−c, mat_ij, g_j) + f_i), three vectors
	VMOVUPD      (gj)(place*1), Z0
	VMOVUPD      64(gj)(place*1), Z1
	VMOVUPD      128(gj)(place*1), Z2
	VFNMADD231PD (row)(place*1), cost, Z0
	VFNMADD231PD 64(row)(place*1), cost, Z1
	VFNMADD231PD 128(row)(place*1), cost, Z2
	VADDPD       Z22, Z0, Z0
	VADDPD       Z22, Z1, Z1
	VADDPD       Z22, Z2, Z2
	EXP2_OVER_F64(Z0, K4)
	EXP2_OVER_F64(Z1, K5)
	EXP2_OVER_F64(Z2, K6)

#define y0 Z0
#define y1 Z1
#define y2 Z2
#include "exp2three_avx512_f64_amd64.h"

	EXP2_INF_F64(Z0, K4)
	EXP2_INF_F64(Z1, K5)
	EXP2_INF_F64(Z2, K6)
	VMOVUPD Z0, (trow)(place*1)
	VMOVUPD Z1, 64(trow)(place*1)
	VMOVUPD Z2, 128(trow)(place*1)
	ADDQ    $192, place

colcheck:
	LEAQ 192(place), AX
	CMPQ AX, whole
	JLE  colloop

coltail:
	CMPQ   place, bytes
	JGE    rownext
	KXNORW K1, K1, K1
	CMPQ   place, whole
	JLT    colvector
	KMOVW  mask, K1

colvector:
	// 2^(fma(−c, mat_ij, g_j) + f_i)
	VMOVUPD.Z    (gj)(place*1), K1, Z0
	VMOVUPD.Z    (row)(place*1), K1, Z1
	VFNMADD231PD Z1, cost, Z0
	VADDPD       Z22, Z0, Z0

#include "exp2one_avx512_f64_amd64.h"

	VMOVUPD Z0, K1, (trow)(place*1)
	ADDQ    $64, place
	JMP     coltail

rownext:
	ADDQ ld, row
	ADDQ ldtb, trow
	ADDQ $8, fi
	DECQ rows
	JNE  rowloop
	VZEROUPPER
	RET
