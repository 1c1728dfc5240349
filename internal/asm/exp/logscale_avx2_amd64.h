// The kernels of logscale, for the type that the including file defines.

#define qj BX
#define next DX
#define gj DI
#define ej R8
#define sumi R11
#define maxi R12
#define ai R13

// func logRows(m, n int, mat *T, ldm int, c T, gp, a, max, sum, q, e *T, w T)
TEXT LOGROWS(SB), NOSPLIT, $0-logrowsargs
	MOVQ n+8(FP), bytes
	MOVQ mat+16(FP), row
	MOVQ gp+40(FP), gj
	MOVQ a+48(FP), ai
	MOVQ hi+56(FP), maxi
	MOVQ sum+64(FP), sumi
	MOVQ q+72(FP), qj
	MOVQ e+80(FP), ej
	SHLQ $logsize, bytes
	SHLQ $logsize, ldm+24(FP)
	MOVQ bytes, whole
	ANDQ $-64, whole

	// compute the maximum of the first row in two registers that begin with −Inf. Set e to 0.
	// Because w is −0 here, the loop below adds nothing to q in the first row, which has no
	// previous row.
	bcast     c+32(FP), Y12
	VPCMPEQD  Y11, Y11, Y11
	shiftleft $mantissa, Y11, Y11
	copy      Y11, Y13
	copy      Y11, Y14
	xor       Y15, Y15, Y15
	XORL      place, place
	CMPQ      whole, $0
	JEQ       maxshort

maxloop:
	move (gj)(place*1), Y0
	move 32(gj)(place*1), Y1
	fnma (row)(place*1), Y12, Y0
	fnma 32(row)(place*1), Y12, Y1
	max  Y13, Y0, Y13
	max  Y14, Y1, Y14
	move Y15, (ej)(place*1)
	move Y15, 32(ej)(place*1)
	ADDQ $64, place
	CMPQ place, whole
	JLT  maxloop

maxshort:
	CMPQ     place, bytes
	JEQ      maxfirst
	TAILMASKS(AX, Y2, Y3)
	maskmove (gj)(place*1), Y2, Y0
	maskmove 32(gj)(place*1), Y3, Y1
	maskmove (row)(place*1), Y2, Y4
	maskmove 32(row)(place*1), Y3, Y5
	fnma     Y4, Y12, Y0
	fnma     Y5, Y12, Y1
	blend    Y2, Y0, Y11, Y0
	blend    Y3, Y1, Y11, Y1
	max      Y13, Y0, Y13
	max      Y14, Y1, Y14
	maskmove Y15, Y2, (ej)(place*1)
	maskmove Y15, Y3, 32(ej)(place*1)

maxfirst:
	max Y14, Y13, Y13

rowloop:
	// max[i] = the maximum; −0 becomes +0
	VEXTRACTF128 $1, Y13, X0
	max          X13, X0, X0
	VUNPCKHPD    X0, X0, X1
#ifdef F32
	VMAXPS    X1, X0, X0
	VMOVSHDUP X0, X1
#endif
	maxone  X1, X0, X0
	xor     X1, X1, X1
	addone  X1, X0, X0
	moveone X0, (maxi)

	// next = the next row, or this row if it is the last row
	MOVQ    row, next
	MOVQ    row, AX
	ADDQ    ldm+24(FP), AX
	CMPQ    m+0(FP), $1
	CMOVQGT AX, next

	VPCMPEQD  Y13, Y13, Y13
	shiftleft $mantissa, Y13, Y13
	xor       Y14, Y14, Y14
	xor       Y15, Y15, Y15
	XORL      place, place
	CMPQ      whole, $128
	JLT       coltail

colloop:
	// q_j = fma(w, e_j, q_j) with w and e of the previous row
	bcast w+88(FP), Y4
	move  (qj)(place*1), Y0
	move  32(qj)(place*1), Y1
	move  64(qj)(place*1), Y2
	move  96(qj)(place*1), Y3
	fma   (ej)(place*1), Y4, Y0
	fma   32(ej)(place*1), Y4, Y1
	fma   64(ej)(place*1), Y4, Y2
	fma   96(ej)(place*1), Y4, Y3
	move  Y0, (qj)(place*1)
	move  Y1, 32(qj)(place*1)
	move  Y2, 64(qj)(place*1)
	move  Y3, 96(qj)(place*1)

	// x_j of the next row, and its maximum
	bcast c+32(FP), Y12
	move  (gj)(place*1), Y0
	move  32(gj)(place*1), Y1
	move  64(gj)(place*1), Y2
	move  96(gj)(place*1), Y3
	copy  Y0, Y4
	copy  Y1, Y5
	copy  Y2, Y6
	copy  Y3, Y7
	fnma  (next)(place*1), Y12, Y4
	fnma  32(next)(place*1), Y12, Y5
	fnma  64(next)(place*1), Y12, Y6
	fnma  96(next)(place*1), Y12, Y7
	max   Y13, Y4, Y13
	max   Y13, Y5, Y13
	max   Y13, Y6, Y13
	max   Y13, Y7, Y13

	// y = x_j − max[i] of this row
	bcast (maxi), Y8
	fnma  (row)(place*1), Y12, Y0
	fnma  32(row)(place*1), Y12, Y1
	fnma  64(row)(place*1), Y12, Y2
	fnma  96(row)(place*1), Y12, Y3
	sub   Y8, Y0, Y0
	sub   Y8, Y1, Y1
	sub   Y8, Y2, Y2
	sub   Y8, Y3, Y3

	EXP2_QUAD

	// store e_j = 2^y, and add it to the lanes of the sum
	move Y8, (ej)(place*1)
	move Y9, 32(ej)(place*1)
	move Y10, 64(ej)(place*1)
	move Y11, 96(ej)(place*1)
	add  Y8, Y14, Y14
	add  Y9, Y15, Y15
	add  Y10, Y14, Y14
	add  Y11, Y15, Y15
	ADDQ $128, place
	LEAQ 128(place), AX
	CMPQ AX, whole
	JLE  colloop

coltail:
	// the remaining columns, two vectors at a time; the last pair is masked. Y6 and Y7 hold q, and Y4 and Y5
	// hold x of the next row.
	CMPQ  place, bytes
	JEQ   fold
	CMPQ  place, whole
	JEQ   short
	bcast w+88(FP), Y4
	move  (qj)(place*1), Y6
	move  32(qj)(place*1), Y7
	fma   (ej)(place*1), Y4, Y6
	fma   32(ej)(place*1), Y4, Y7
	bcast c+32(FP), Y12
	move  (gj)(place*1), Y0
	move  32(gj)(place*1), Y1
	copy  Y0, Y4
	copy  Y1, Y5
	fnma  (next)(place*1), Y12, Y4
	fnma  32(next)(place*1), Y12, Y5
	fnma  (row)(place*1), Y12, Y0
	fnma  32(row)(place*1), Y12, Y1
	JMP   pair

short:
	TAILMASKS(AX, Y2, Y3)
	bcast     w+88(FP), Y4
	maskmove  (qj)(place*1), Y2, Y6
	maskmove  32(qj)(place*1), Y3, Y7
	maskmove  (ej)(place*1), Y2, Y8
	maskmove  32(ej)(place*1), Y3, Y9
	fma       Y8, Y4, Y6
	fma       Y9, Y4, Y7
	bcast     c+32(FP), Y12
	maskmove  (gj)(place*1), Y2, Y0
	maskmove  32(gj)(place*1), Y3, Y1
	maskmove  (next)(place*1), Y2, Y8
	maskmove  32(next)(place*1), Y3, Y9
	copy      Y0, Y4
	copy      Y1, Y5
	fnma      Y8, Y12, Y4
	fnma      Y9, Y12, Y5
	VPCMPEQD  Y10, Y10, Y10
	shiftleft $mantissa, Y10, Y10
	blend     Y2, Y4, Y10, Y4
	blend     Y3, Y5, Y10, Y5
	maskmove  (row)(place*1), Y2, Y8
	maskmove  32(row)(place*1), Y3, Y9
	fnma      Y8, Y12, Y0
	fnma      Y9, Y12, Y1

pair:
	max   Y13, Y4, Y13
	max   Y13, Y5, Y13
	bcast (maxi), Y8
	sub   Y8, Y0, Y0
	sub   Y8, Y1, Y1

	EXP2_PAIR

	CMPQ place, whole
	JEQ  shortend
	move Y8, (ej)(place*1)
	move Y9, 32(ej)(place*1)
	move Y6, (qj)(place*1)
	move Y7, 32(qj)(place*1)
	add  Y8, Y14, Y14
	add  Y9, Y15, Y15
	ADDQ $64, place
	JMP  coltail

#define to2 SI
shortend:
	and  Y2, Y8, Y0
	and  Y3, Y9, Y1
	add  Y0, Y14, Y14
	add  Y1, Y15, Y15
	copy Y6, Y2
	copy Y7, Y3
	LEAQ (ej)(place*1), to
	LEAQ (qj)(place*1), to2
	MOVQ bytes, rest
	SUBQ whole, rest

#include "store_avx2_amd64.h"
#undef to2

fold:
	// sum[i]: lane l += lane l+4, l+2, l+1 (float32: l+8 first)
	add          Y15, Y14, Y0
	VEXTRACTF128 $1, Y0, X1
	add          X1, X0, X0
	VUNPCKHPD    X0, X0, X1
#ifdef F32
	VADDPS    X1, X0, X0
	VMOVSHDUP X0, X1
#endif
	addone  X1, X0, X0
	moveone X0, (sumi)

	// w = a[i] / sum[i]
	moveone (ai), X1
	divone  X0, X1, X0
	moveone X0, w+88(FP)
	ADDQ    $size, ai
	ADDQ    $size, sumi
	ADDQ    $size, maxi
	MOVQ    next, row
	DECQ    m+0(FP)
	JNE     rowloop

	// q_j = fma(w, e_j, q_j) with w and e of the last row
	bcast X0, Y13
	XORL  place, place
	CMPQ  whole, $0
	JEQ   qshort

qloop:
	move (qj)(place*1), Y0
	move 32(qj)(place*1), Y1
	fma  (ej)(place*1), Y13, Y0
	fma  32(ej)(place*1), Y13, Y1
	move Y0, (qj)(place*1)
	move Y1, 32(qj)(place*1)
	ADDQ $64, place
	CMPQ place, whole
	JLT  qloop

qshort:
	CMPQ     place, bytes
	JEQ      done
	TAILMASKS(AX, Y4, Y5)
	maskmove (qj)(place*1), Y4, Y0
	maskmove 32(qj)(place*1), Y5, Y1
	maskmove (ej)(place*1), Y4, Y2
	maskmove 32(ej)(place*1), Y5, Y3
	fma      Y2, Y13, Y0
	fma      Y3, Y13, Y1
	LEAQ     (qj)(place*1), to
	MOVQ     bytes, rest
	SUBQ     whole, rest

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

// func logColumnMax(m, n int, mat *T, ldm int, c T, f, h *T)
TEXT LOGCOLUMNMAX(SB), NOSPLIT, $0-56
	MOVQ     n+8(FP), bytes
	MOVQ     mat+16(FP), row
	MOVQ     ldm+24(FP), ld
	bcast    c+32(FP), Y9
	MOVQ     h+48(FP), hj
	SHLQ     $logsize, bytes
	SHLQ     $logsize, ld
	MOVQ     bytes, whole
	ANDQ     $-64, whole
	VPCMPEQD Y10, Y10, Y10
	VPCMPEQD Y11, Y11, Y11
	XORL     place, place

colloop:
	CMPQ place, bytes
	JEQ  done
	CMPQ place, whole
	JNE  colstart
	TAILMASKS(AX, Y10, Y11)

colstart:
	maskmove (hj)(place*1), Y10, Y0
	maskmove 32(hj)(place*1), Y11, Y1
	LEAQ     (row)(place*1), p
	MOVQ     f+40(FP), fi
	MOVQ     m+0(FP), rows

maxloop:
	// h_j = x_ij where x_ij > h_j
	bcast    (fi), Y4
	copy     Y4, Y5
	maskmove (p), Y10, Y6
	maskmove 32(p), Y11, Y7
	fnma     Y6, Y9, Y4
	fnma     Y7, Y9, Y5
	max      Y0, Y4, Y0
	max      Y1, Y5, Y1
	ADDQ     ld, p
	ADDQ     $size, fi
	DECQ     rows
	JNE      maxloop

	CMPQ place, whole
	JEQ  maskstore
	move Y0, (hj)(place*1)
	move Y1, 32(hj)(place*1)
	ADDQ $64, place
	JMP  colloop

maskstore:
	maskmove Y0, Y10, (hj)(place*1)
	maskmove Y1, Y11, 32(hj)(place*1)

done:
	VZEROUPPER
	RET

#undef p
#define sj BX

// func logColumnSum(m, n int, mat *T, ldm int, c T, f, h, s *T)
TEXT LOGCOLUMNSUM(SB), NOSPLIT, $0-64
	MOVQ  m+0(FP), rows
	MOVQ  n+8(FP), bytes
	MOVQ  mat+16(FP), row
	MOVQ  ldm+24(FP), ld
	bcast c+32(FP), Y15
	MOVQ  f+40(FP), fi
	MOVQ  h+48(FP), hj
	MOVQ  s+56(FP), sj
	SHLQ  $logsize, bytes
	SHLQ  $logsize, ld
	MOVQ  bytes, whole
	ANDQ  $-64, whole
	TAILMASKS(AX, Y6, Y7)

rowloop:
	bcast (fi), Y14
	XORL  place, place

colloop:
	CMPQ place, whole
	JEQ  short
	move (row)(place*1), Y4
	move 32(row)(place*1), Y5
	move (hj)(place*1), Y8
	move 32(hj)(place*1), Y9
	JMP  core

short:
	CMPQ     place, bytes
	JEQ      rownext
	maskmove (row)(place*1), Y6, Y4
	maskmove 32(row)(place*1), Y7, Y5
	maskmove (hj)(place*1), Y6, Y8
	maskmove 32(hj)(place*1), Y7, Y9

core:
	// 2^(fma(−c, mat_ij, f_i) − h_j)
	copy Y14, Y0
	copy Y14, Y1
	fnma Y4, Y15, Y0
	fnma Y5, Y15, Y1
	sub  Y8, Y0, Y0
	sub  Y9, Y1, Y1
	copy Y0, Y2
	copy Y1, Y3

	EXP2_PAIR

	EXP2_OVER(Y2, Y8, Y12, Y13)
	EXP2_OVER(Y3, Y9, Y12, Y13)

	// add this power to s_j
	CMPQ place, whole
	JEQ  shortstore
	add  (sj)(place*1), Y8, Y8
	add  32(sj)(place*1), Y9, Y9
	move Y8, (sj)(place*1)
	move Y9, 32(sj)(place*1)
	ADDQ $64, place
	JMP  colloop

shortstore:
	maskmove (sj)(place*1), Y6, Y0
	maskmove 32(sj)(place*1), Y7, Y1
	add      Y8, Y0, Y0
	add      Y9, Y1, Y1
	LEAQ     (sj)(place*1), to
	MOVQ     bytes, rest
	SUBQ     whole, rest

#include "store_avx2_amd64.h"

rownext:
	ADDQ ld, row
	ADDQ $size, fi
	DECQ rows
	JNE  rowloop
	VZEROUPPER
	RET

#undef hj
#undef sj
#define gj DI
#define trow BX
#define ldtb R8

// func logPlan(m, n int, t *T, ldt int, mat *T, ldm int, c T, f, gp *T)
TEXT LOGPLAN(SB), NOSPLIT, $0-72
	MOVQ  m+0(FP), rows
	MOVQ  n+8(FP), bytes
	MOVQ  t+16(FP), trow
	MOVQ  ldt+24(FP), ldtb
	MOVQ  mat+32(FP), row
	MOVQ  ldm+40(FP), ld
	bcast c+48(FP), Y15
	MOVQ  f+56(FP), fi
	MOVQ  gp+64(FP), gj
	SHLQ  $logsize, bytes
	SHLQ  $logsize, ld
	SHLQ  $logsize, ldtb
	MOVQ  bytes, whole
	ANDQ  $-64, whole
	TAILMASKS(AX, Y6, Y7)

rowloop:
	bcast (fi), Y14
	XORL  place, place

colloop:
	CMPQ place, whole
	JEQ  short
	move (row)(place*1), Y4
	move 32(row)(place*1), Y5
	move (gj)(place*1), Y0
	move 32(gj)(place*1), Y1
	JMP  core

short:
	CMPQ     place, bytes
	JEQ      rownext
	maskmove (row)(place*1), Y6, Y4
	maskmove 32(row)(place*1), Y7, Y5
	maskmove (gj)(place*1), Y6, Y0
	maskmove 32(gj)(place*1), Y7, Y1

core:
	// 2^(fma(−c, mat_ij, g_j) + f_i)
	fnma Y4, Y15, Y0
	fnma Y5, Y15, Y1
	add  Y14, Y0, Y0
	add  Y14, Y1, Y1
	copy Y0, Y2
	copy Y1, Y3

	EXP2_PAIR

	EXP2_OVER(Y2, Y8, Y12, Y13)
	EXP2_OVER(Y3, Y9, Y12, Y13)

	CMPQ place, whole
	JEQ  shortstore
	move Y8, (trow)(place*1)
	move Y9, 32(trow)(place*1)
	ADDQ $64, place
	JMP  colloop

shortstore:
	copy Y8, Y0
	copy Y9, Y1
	LEAQ (trow)(place*1), to
	MOVQ bytes, rest
	SUBQ whole, rest

#include "store_avx2_amd64.h"

rownext:
	ADDQ ld, row
	ADDQ ldtb, trow
	ADDQ $size, fi
	DECQ rows
	JNE  rowloop
	VZEROUPPER
	RET

#undef gj
#undef ld
#undef fi
#undef rows
#undef trow
#undef ldtb
