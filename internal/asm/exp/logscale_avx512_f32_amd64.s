// logscale, float32, AVX-512 F.
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
// Tile            rows: one row × 48 columns, then × 16: Z0–Z2 x, then 2^y, Z21 lanes of the
//                 sum; the maximum in Z3–Z6. While the row's sum divides, the maximum of
//                 the next one is taken; then the row goes to q. columnMax: all rows of
//                 64 columns, columnSum: of 48, then of 16; plan: one row × 48, then × 16.
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
	SHRQ  $2, CX;    \
	MOVL  $1, AX;    \
	SHLL  CX, AX;    \
	DECL  AX;        \
	KMOVW AX, mask

// CONSTANTS fills magic and table.
#define CONSTANTS \
	VBROADCASTSS exp2f32<>+EXP2_F32_MAGIC(SB), magic; \
	VMOVDQU64    exp2f32<>+EXP2_F32_TABLE(SB), table

#define qj BX
#define gj DI
#define ej R8
#define sumi R11
#define maxi R12
#define ai R13

// func logRowsAVX512F32(m, n int, mat *float32, ldm int, c float32, gp, a, max, sum, q, e *float32)
TEXT ·logRowsAVX512F32(SB), NOSPLIT, $0-88
	MOVQ         n+8(FP), bytes
	MOVQ         mat+16(FP), row
	MOVQ         ldm+24(FP), ld
	VBROADCASTSS c+32(FP), cost
	MOVQ         gp+40(FP), gj
	MOVQ         a+48(FP), ai
	MOVQ         max+56(FP), maxi
	MOVQ         sum+64(FP), sumi
	MOVQ         q+72(FP), qj
	MOVQ         e+80(FP), ej
	SHLQ         $2, bytes
	SHLQ         $2, ld
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	TAILMASK
	CONSTANTS

rowloop:
	CMPQ m+0(FP), $0
	JEQ  qstart

	// max[i] = max_j x_j, four vectors of maxima from −Inf on
	VPTERNLOGD $0xff, Z3, Z3, Z3
	VPSLLD     $23, Z3, Z3
	VMOVAPS    Z3, Z4
	VMOVAPS    Z3, Z5
	VMOVAPS    Z3, Z6
	XORL       place, place
	JMP        maxcheck

maxloop:
	VMOVUPS      (gj)(place*1), Z0
	VMOVUPS      64(gj)(place*1), Z1
	VMOVUPS      128(gj)(place*1), Z2
	VMOVUPS      192(gj)(place*1), Z7
	VFNMADD231PS (row)(place*1), cost, Z0
	VFNMADD231PS 64(row)(place*1), cost, Z1
	VFNMADD231PS 128(row)(place*1), cost, Z2
	VFNMADD231PS 192(row)(place*1), cost, Z7
	VMAXPS       Z3, Z0, Z3
	VMAXPS       Z4, Z1, Z4
	VMAXPS       Z5, Z2, Z5
	VMAXPS       Z6, Z7, Z6
	ADDQ         $256, place

maxcheck:
	LEAQ 256(place), AX
	CMPQ AX, whole
	JLE  maxloop

maxtail:
	CMPQ         place, whole
	JEQ          maxshort
	VMOVUPS      (gj)(place*1), Z0
	VFNMADD231PS (row)(place*1), cost, Z0
	VMAXPS       Z3, Z0, Z3
	ADDQ         $64, place
	JMP          maxtail

maxshort:
	VMOVUPS.Z    (gj)(place*1), mask, Z0
	VMOVUPS.Z    (row)(place*1), mask, Z1
	VFNMADD231PS Z1, cost, Z0
	VMAXPS       Z3, Z0, mask, Z3

	VMAXPS        Z4, Z3, Z3
	VMAXPS        Z6, Z5, Z5
	VMAXPS        Z5, Z3, Z3
	VEXTRACTF64X4 $1, Z3, Y4
	VMAXPS        Y4, Y3, Y3
	VEXTRACTF128  $1, Y3, X4
	VMAXPS        X4, X3, X3
	VPERMILPD     $1, X3, X4
	VMAXPS        X4, X3, X3
	VMOVSHDUP     X3, X4
	VMAXSS        X4, X3, X3
	VXORPD        X4, X4, X4
	VADDSS        X4, X3, X3
	VMOVSS        X3, (maxi)
	CMPQ          maxi, max+56(FP)
	JEQ           expstart

qstart:
	// q_j = fma(w, e_j, q_j) for the row before
	XORL place, place
	CMPQ whole, $0
	JEQ  qshort

qloop:
	VMOVUPS     (qj)(place*1), Z0
	VFMADD231PS (ej)(place*1), Z19, Z0
	VMOVUPS     Z0, (qj)(place*1)
	ADDQ        $64, place
	CMPQ        place, whole
	JLT         qloop

qshort:
	VMOVUPS.Z   (qj)(place*1), mask, Z0
	VFMADD231PS Z20, Z19, Z0
	VMOVUPS     Z0, mask, (qj)(place*1)
	CMPQ        m+0(FP), $0
	JEQ         done

expstart:
	// e_j = 2^(x_j − max[i]), sum in lanes
	VBROADCASTSS (maxi), Z22
	VPXORQ       Z21, Z21, Z21
	XORL         place, place
	JMP          expcheck

exploop:
	VMOVUPS      (gj)(place*1), Z0
	VMOVUPS      64(gj)(place*1), Z1
	VMOVUPS      128(gj)(place*1), Z2
	VFNMADD231PS (row)(place*1), cost, Z0
	VFNMADD231PS 64(row)(place*1), cost, Z1
	VFNMADD231PS 128(row)(place*1), cost, Z2
	VSUBPS       Z22, Z0, Z0
	VSUBPS       Z22, Z1, Z1
	VSUBPS       Z22, Z2, Z2

#define y0 Z0
#define y1 Z1
#define y2 Z2
#include "exp2three_avx512_f32_amd64.h"

	VMOVUPS Z0, (ej)(place*1)
	VMOVUPS Z1, 64(ej)(place*1)
	VMOVUPS Z2, 128(ej)(place*1)
	VADDPS  Z0, Z21, Z21
	VADDPS  Z1, Z21, Z21
	VADDPS  Z2, Z21, Z21
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
	VMOVUPS.Z    (gj)(place*1), K1, Z0
	VMOVUPS.Z    (row)(place*1), K1, Z1
	VFNMADD231PS Z1, cost, Z0
	VSUBPS       Z22, Z0, Z0

#include "exp2one_avx512_f32_amd64.h"

	VMOVUPS Z0, K1, (ej)(place*1)
	VADDPS  Z0, Z21, K1, Z21
	ADDQ    $64, place
	CMPQ    place, bytes
	JLT     exptail
	VMOVAPS Z0, Z20

expfold:
	// lanes fold in halves
	VEXTRACTF64X4 $1, Z21, Y1
	VEXTRACTF64X4 $0, Z21, Y0
	VADDPS        Y1, Y0, Y0
	VEXTRACTF128  $1, Y0, X1
	VADDPS        X1, X0, X0
	VPERMILPD     $1, X0, X1
	VADDPS        X1, X0, X0
	VMOVSHDUP     X0, X1
	VADDSS        X1, X0, X0

	// w = a / sum
	VMOVSS       X0, (sumi)
	VMOVSS       (ai), X1
	VDIVSS       X0, X1, X0
	VBROADCASTSS X0, Z19
	ADDQ         ld, row
	ADDQ         $4, ai
	ADDQ         $4, sumi
	ADDQ         $4, maxi
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

// func logColumnMaxAVX512F32(m, n int, mat *float32, ldm int, c float32, f, h *float32)
TEXT ·logColumnMaxAVX512F32(SB), NOSPLIT, $0-56
	MOVQ         n+8(FP), bytes
	MOVQ         mat+16(FP), row
	MOVQ         ldm+24(FP), ld
	VBROADCASTSS c+32(FP), cost
	MOVQ         h+48(FP), hj
	SHLQ         $2, bytes
	SHLQ         $2, ld
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	TAILMASK
	XORL         place, place
	JMP          colcheck

colloop:
	VMOVUPS (hj)(place*1), Z0
	VMOVUPS 64(hj)(place*1), Z1
	VMOVUPS 128(hj)(place*1), Z2
	VMOVUPS 192(hj)(place*1), Z3
	LEAQ    (row)(place*1), p
	MOVQ    f+40(FP), fi
	MOVQ    m+0(FP), rows

maxloop:
	// h_j = x_ij where x_ij > h_j, four vectors
	VBROADCASTSS (fi), Z4
	VMOVAPS      Z4, Z5
	VMOVAPS      Z4, Z6
	VMOVAPS      Z4, Z7
	VFNMADD231PS (p), cost, Z4
	VFNMADD231PS 64(p), cost, Z5
	VFNMADD231PS 128(p), cost, Z6
	VFNMADD231PS 192(p), cost, Z7
	VMAXPS       Z0, Z4, Z0
	VMAXPS       Z1, Z5, Z1
	VMAXPS       Z2, Z6, Z2
	VMAXPS       Z3, Z7, Z3
	ADDQ         ld, p
	ADDQ         $4, fi
	DECQ         rows
	JNE          maxloop

	VMOVUPS Z0, (hj)(place*1)
	VMOVUPS Z1, 64(hj)(place*1)
	VMOVUPS Z2, 128(hj)(place*1)
	VMOVUPS Z3, 192(hj)(place*1)
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
	VMOVUPS.Z (hj)(place*1), K1, Z0
	LEAQ      (row)(place*1), p
	MOVQ      f+40(FP), fi
	MOVQ      m+0(FP), rows

max1loop:
	// h_j = x_ij where x_ij > h_j
	VBROADCASTSS (fi), Z4
	VMOVUPS.Z    (p), K1, Z5
	VFNMADD231PS Z5, cost, Z4
	VMAXPS       Z0, Z4, Z0
	ADDQ         ld, p
	ADDQ         $4, fi
	DECQ         rows
	JNE          max1loop

	VMOVUPS Z0, K1, (hj)(place*1)
	ADDQ    $64, place
	JMP     coltail

done:
	VZEROUPPER
	RET

#define sj BX

// func logColumnSumAVX512F32(m, n int, mat *float32, ldm int, c float32, f, h, s *float32)
TEXT ·logColumnSumAVX512F32(SB), NOSPLIT, $0-64
	MOVQ         n+8(FP), bytes
	MOVQ         mat+16(FP), row
	MOVQ         ldm+24(FP), ld
	VBROADCASTSS c+32(FP), cost
	MOVQ         h+48(FP), hj
	MOVQ         s+56(FP), sj
	SHLQ         $2, bytes
	SHLQ         $2, ld
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	TAILMASK
	CONSTANTS
	XORL         place, place
	JMP          colcheck

colloop:
	VMOVUPS (hj)(place*1), Z3
	VMOVUPS 64(hj)(place*1), Z4
	VMOVUPS 128(hj)(place*1), Z5
	VMOVUPS (sj)(place*1), Z6
	VMOVUPS 64(sj)(place*1), Z7
	VMOVUPS 128(sj)(place*1), Z8
	LEAQ    (row)(place*1), p
	MOVQ    f+40(FP), fi
	MOVQ    m+0(FP), rows

sumloop:
	// s_j += 2^(fma(−c, mat_ij, f_i) − h_j), three vectors
	VBROADCASTSS (fi), Z0
	VMOVAPS      Z0, Z1
	VMOVAPS      Z0, Z2
	VFNMADD231PS (p), cost, Z0
	VFNMADD231PS 64(p), cost, Z1
	VFNMADD231PS 128(p), cost, Z2
	VSUBPS       Z3, Z0, Z0
	VSUBPS       Z4, Z1, Z1
	VSUBPS       Z5, Z2, Z2
	EXP2_OVER_F32(Z0, K4)
	EXP2_OVER_F32(Z1, K5)
	EXP2_OVER_F32(Z2, K6)

#define y0 Z0
#define y1 Z1
#define y2 Z2
#include "exp2three_avx512_f32_amd64.h"

	EXP2_INF_F32(Z0, K4)
	EXP2_INF_F32(Z1, K5)
	EXP2_INF_F32(Z2, K6)
	VADDPS Z0, Z6, Z6
	VADDPS Z1, Z7, Z7
	VADDPS Z2, Z8, Z8
	ADDQ   ld, p
	ADDQ   $4, fi
	DECQ   rows
	JNE    sumloop

	VMOVUPS Z6, (sj)(place*1)
	VMOVUPS Z7, 64(sj)(place*1)
	VMOVUPS Z8, 128(sj)(place*1)
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
	VMOVUPS.Z (hj)(place*1), K1, Z3
	VMOVUPS.Z (sj)(place*1), K1, Z6
	LEAQ      (row)(place*1), p
	MOVQ      f+40(FP), fi
	MOVQ      m+0(FP), rows

sum1loop:
	// s_j += 2^(fma(−c, mat_ij, f_i) − h_j)
	VBROADCASTSS (fi), Z0
	VMOVUPS.Z    (p), K1, Z1
	VFNMADD231PS Z1, cost, Z0
	VSUBPS       Z3, Z0, Z0

#include "exp2one_avx512_f32_amd64.h"

	VADDPS Z0, Z6, Z6
	ADDQ   ld, p
	ADDQ   $4, fi
	DECQ   rows
	JNE    sum1loop

	VMOVUPS Z6, K1, (sj)(place*1)
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

// func logPlanAVX512F32(m, n int, t *float32, ldt int, mat *float32, ldm int, c float32, f, gp *float32)
TEXT ·logPlanAVX512F32(SB), NOSPLIT, $0-72
	MOVQ         m+0(FP), rows
	MOVQ         n+8(FP), bytes
	MOVQ         t+16(FP), trow
	MOVQ         ldt+24(FP), ldtb
	MOVQ         mat+32(FP), row
	MOVQ         ldm+40(FP), ld
	VBROADCASTSS c+48(FP), cost
	MOVQ         f+56(FP), fi
	MOVQ         gp+64(FP), gj
	SHLQ         $2, bytes
	SHLQ         $2, ld
	SHLQ         $2, ldtb
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	TAILMASK
	CONSTANTS

rowloop:
	VBROADCASTSS (fi), Z22
	XORL         place, place
	JMP          colcheck

colloop:
	// 2^(fma(−c, mat_ij, g_j) + f_i), three vectors
	VMOVUPS      (gj)(place*1), Z0
	VMOVUPS      64(gj)(place*1), Z1
	VMOVUPS      128(gj)(place*1), Z2
	VFNMADD231PS (row)(place*1), cost, Z0
	VFNMADD231PS 64(row)(place*1), cost, Z1
	VFNMADD231PS 128(row)(place*1), cost, Z2
	VADDPS       Z22, Z0, Z0
	VADDPS       Z22, Z1, Z1
	VADDPS       Z22, Z2, Z2
	EXP2_OVER_F32(Z0, K4)
	EXP2_OVER_F32(Z1, K5)
	EXP2_OVER_F32(Z2, K6)

#define y0 Z0
#define y1 Z1
#define y2 Z2
#include "exp2three_avx512_f32_amd64.h"

	EXP2_INF_F32(Z0, K4)
	EXP2_INF_F32(Z1, K5)
	EXP2_INF_F32(Z2, K6)
	VMOVUPS Z0, (trow)(place*1)
	VMOVUPS Z1, 64(trow)(place*1)
	VMOVUPS Z2, 128(trow)(place*1)
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
	VMOVUPS.Z    (gj)(place*1), K1, Z0
	VMOVUPS.Z    (row)(place*1), K1, Z1
	VFNMADD231PS Z1, cost, Z0
	VADDPS       Z22, Z0, Z0

#include "exp2one_avx512_f32_amd64.h"

	VMOVUPS Z0, K1, (trow)(place*1)
	ADDQ    $64, place
	JMP     coltail

rownext:
	ADDQ ld, row
	ADDQ ldtb, trow
	ADDQ $4, fi
	DECQ rows
	JNE  rowloop
	VZEROUPPER
	RET
