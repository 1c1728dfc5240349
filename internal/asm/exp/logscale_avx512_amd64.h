// The kernels of logscale, for the type that the including file defines.

#define qj BX
#define gj DI
#define ej R8
#define sumi R11
#define maxi R12
#define ai R13

// func logRows(m, n int, mat *T, ldm int, c T, gp, a, max, sum, q, e *T)
TEXT LOGROWS(SB), NOSPLIT, $0-88
	MOVQ  n+8(FP), bytes
	MOVQ  mat+16(FP), row
	MOVQ  ldm+24(FP), ld
	bcast c+32(FP), cost
	MOVQ  gp+40(FP), gj
	MOVQ  a+48(FP), ai
	MOVQ  hi+56(FP), maxi
	MOVQ  sum+64(FP), sumi
	MOVQ  q+72(FP), qj
	MOVQ  e+80(FP), ej
	SHLQ  $logsize, bytes
	SHLQ  $logsize, ld
	MOVQ  bytes, whole
	ANDQ  $-64, whole
	TAILMASK
	CONSTANTS

rowloop:
	CMPQ m+0(FP), $0
	JEQ  qstart

	// max[i] = max_j x_j: four vectors of maxima, beginning with −Inf
	VPTERNLOGD $0xff, Z3, Z3, Z3
	shiftleft  $mantissa, Z3, Z3
	copy       Z3, Z4
	copy       Z3, Z5
	copy       Z3, Z6
	XORL       place, place
	JMP        maxcheck

maxloop:
	move (gj)(place*1), Z0
	move 64(gj)(place*1), Z1
	move 128(gj)(place*1), Z2
	move 192(gj)(place*1), Z7
	fnma (row)(place*1), cost, Z0
	fnma 64(row)(place*1), cost, Z1
	fnma 128(row)(place*1), cost, Z2
	fnma 192(row)(place*1), cost, Z7
	max  Z3, Z0, Z3
	max  Z4, Z1, Z4
	max  Z5, Z2, Z5
	max  Z6, Z7, Z6
	ADDQ $256, place

maxcheck:
	LEAQ 256(place), AX
	CMPQ AX, whole
	JLE  maxloop

maxtail:
	CMPQ place, whole
	JEQ  maxshort
	move (gj)(place*1), Z0
	fnma (row)(place*1), cost, Z0
	max  Z3, Z0, Z3
	ADDQ $64, place
	JMP  maxtail

maxshort:
	// Skip a load without elements, because it would be slow if the next page is absent.
	CMPQ   place, bytes
	JEQ    maxfold
	move.Z (gj)(place*1), mask, Z0
	move.Z (row)(place*1), mask, Z1
	fnma   Z1, cost, Z0
	max    Z3, Z0, mask, Z3

maxfold:
	max           Z4, Z3, Z3
	max           Z6, Z5, Z5
	max           Z5, Z3, Z3
	VEXTRACTF64X4 $1, Z3, Y4
	max           Y4, Y3, Y3
	VEXTRACTF128  $1, Y3, X4
	max           X4, X3, X3
	VPERMILPD     $1, X3, X4
#ifdef F32
	VMAXPS    X4, X3, X3
	VMOVSHDUP X3, X4
#endif
	maxone  X4, X3, X3
	VXORPD  X4, X4, X4
	addone  X4, X3, X3
	moveone X3, (maxi)
	CMPQ    maxi, hi+56(FP)
	JEQ     expstart

qstart:
	// q_j = fma(w, e_j, q_j) with w and e of the previous row
	XORL place, place
	CMPQ whole, $0
	JEQ  qshort

qloop:
	move (qj)(place*1), Z0
	fma  (ej)(place*1), Z19, Z0
	move Z0, (qj)(place*1)
	ADDQ $64, place
	CMPQ place, whole
	JLT  qloop

qshort:
	CMPQ   place, bytes
	JEQ    qdone
	move.Z (qj)(place*1), mask, Z0
	fma    Z20, Z19, Z0
	move   Z0, mask, (qj)(place*1)

qdone:
	CMPQ m+0(FP), $0
	JEQ  done

expstart:
	// e_j = 2^(x_j − max[i]), and the lanes of the sum
	bcast  (maxi), Z22
	VPXORQ Z21, Z21, Z21
	XORL   place, place
	JMP    expcheck

exploop:
	move (gj)(place*1), Z0
	move 64(gj)(place*1), Z1
	move 128(gj)(place*1), Z2
	fnma (row)(place*1), cost, Z0
	fnma 64(row)(place*1), cost, Z1
	fnma 128(row)(place*1), cost, Z2
	sub  Z22, Z0, Z0
	sub  Z22, Z1, Z1
	sub  Z22, Z2, Z2

	EXP2_THREE(Z0, Z1, Z2)

	move Z0, (ej)(place*1)
	move Z1, 64(ej)(place*1)
	move Z2, 128(ej)(place*1)
	add  Z0, Z21, Z21
	add  Z1, Z21, Z21
	add  Z2, Z21, Z21
	ADDQ $192, place

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
	move.Z (gj)(place*1), K1, Z0
	move.Z (row)(place*1), K1, Z1
	fnma   Z1, cost, Z0
	sub    Z22, Z0, Z0

	EXP2_ONE(Z0)

	move Z0, K1, (ej)(place*1)
	add  Z0, Z21, K1, Z21
	ADDQ $64, place
	CMPQ place, bytes
	JLT  exptail
	copy Z0, Z20

expfold:
	// fold the lanes in halves
	VEXTRACTF64X4 $1, Z21, Y1
	VEXTRACTF64X4 $0, Z21, Y0
	add           Y1, Y0, Y0
	VEXTRACTF128  $1, Y0, X1
	add           X1, X0, X0
	VPERMILPD     $1, X0, X1
#ifdef F32
	VADDPS    X1, X0, X0
	VMOVSHDUP X0, X1
#endif
	addone X1, X0, X0

	// w = a / sum
	moveone X0, (sumi)
	moveone (ai), X1
	divone  X0, X1, X0
	bcast   X0, Z19
	ADDQ    ld, row
	ADDQ    $size, ai
	ADDQ    $size, sumi
	ADDQ    $size, maxi
	DECQ    m+0(FP)
	JMP     rowloop

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

// func logColumnMax(m, n int, mat *T, ldm int, c T, f, h *T)
TEXT LOGCOLUMNMAX(SB), NOSPLIT, $0-56
	MOVQ  n+8(FP), bytes
	MOVQ  mat+16(FP), row
	MOVQ  ldm+24(FP), ld
	bcast c+32(FP), cost
	MOVQ  h+48(FP), hj
	SHLQ  $logsize, bytes
	SHLQ  $logsize, ld
	MOVQ  bytes, whole
	ANDQ  $-64, whole
	TAILMASK
	XORL  place, place
	JMP   colcheck

colloop:
	move (hj)(place*1), Z0
	move 64(hj)(place*1), Z1
	move 128(hj)(place*1), Z2
	move 192(hj)(place*1), Z3
	LEAQ (row)(place*1), p
	MOVQ f+40(FP), fi
	MOVQ m+0(FP), rows

maxloop:
	// h_j = x_ij where x_ij > h_j, four vectors
	bcast (fi), Z4
	copy  Z4, Z5
	copy  Z4, Z6
	copy  Z4, Z7
	fnma  (p), cost, Z4
	fnma  64(p), cost, Z5
	fnma  128(p), cost, Z6
	fnma  192(p), cost, Z7
	max   Z0, Z4, Z0
	max   Z1, Z5, Z1
	max   Z2, Z6, Z2
	max   Z3, Z7, Z3
	ADDQ  ld, p
	ADDQ  $size, fi
	DECQ  rows
	JNE   maxloop

	move Z0, (hj)(place*1)
	move Z1, 64(hj)(place*1)
	move Z2, 128(hj)(place*1)
	move Z3, 192(hj)(place*1)
	ADDQ $256, place

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
	move.Z (hj)(place*1), K1, Z0
	LEAQ   (row)(place*1), p
	MOVQ   f+40(FP), fi
	MOVQ   m+0(FP), rows

max1loop:
	// h_j = x_ij where x_ij > h_j
	bcast  (fi), Z4
	move.Z (p), K1, Z5
	fnma   Z5, cost, Z4
	max    Z0, Z4, Z0
	ADDQ   ld, p
	ADDQ   $size, fi
	DECQ   rows
	JNE    max1loop

	move Z0, K1, (hj)(place*1)
	ADDQ $64, place
	JMP  coltail

done:
	VZEROUPPER
	RET

#define sj BX

// func logColumnSum(m, n int, mat *T, ldm int, c T, f, h, s *T)
TEXT LOGCOLUMNSUM(SB), NOSPLIT, $0-64
	MOVQ  n+8(FP), bytes
	MOVQ  mat+16(FP), row
	MOVQ  ldm+24(FP), ld
	bcast c+32(FP), cost
	MOVQ  h+48(FP), hj
	MOVQ  s+56(FP), sj
	SHLQ  $logsize, bytes
	SHLQ  $logsize, ld
	MOVQ  bytes, whole
	ANDQ  $-64, whole
	TAILMASK
	CONSTANTS
	XORL  place, place
	JMP   colcheck

colloop:
	move (hj)(place*1), Z3
	move 64(hj)(place*1), Z4
	move 128(hj)(place*1), Z5
	move (sj)(place*1), Z6
	move 64(sj)(place*1), Z7
	move 128(sj)(place*1), Z8
	LEAQ (row)(place*1), p
	MOVQ f+40(FP), fi
	MOVQ m+0(FP), rows

sumloop:
	// s_j += 2^(fma(−c, mat_ij, f_i) − h_j), three vectors
	bcast (fi), Z0
	copy  Z0, Z1
	copy  Z0, Z2
	fnma  (p), cost, Z0
	fnma  64(p), cost, Z1
	fnma  128(p), cost, Z2
	sub   Z3, Z0, Z0
	sub   Z4, Z1, Z1
	sub   Z5, Z2, Z2
	EXP2_OVER(Z0, K4)
	EXP2_OVER(Z1, K5)
	EXP2_OVER(Z2, K6)

	EXP2_THREE(Z0, Z1, Z2)

	EXP2_INFINITE(Z0, K4)
	EXP2_INFINITE(Z1, K5)
	EXP2_INFINITE(Z2, K6)
	add  Z0, Z6, Z6
	add  Z1, Z7, Z7
	add  Z2, Z8, Z8
	ADDQ ld, p
	ADDQ $size, fi
	DECQ rows
	JNE  sumloop

	move Z6, (sj)(place*1)
	move Z7, 64(sj)(place*1)
	move Z8, 128(sj)(place*1)
	ADDQ $192, place

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
	move.Z (hj)(place*1), K1, Z3
	move.Z (sj)(place*1), K1, Z6
	LEAQ   (row)(place*1), p
	MOVQ   f+40(FP), fi
	MOVQ   m+0(FP), rows

sum1loop:
	// s_j += 2^(fma(−c, mat_ij, f_i) − h_j)
	bcast  (fi), Z0
	move.Z (p), K1, Z1
	fnma   Z1, cost, Z0
	sub    Z3, Z0, Z0

	EXP2_ONE(Z0)

	add  Z0, Z6, Z6
	ADDQ ld, p
	ADDQ $size, fi
	DECQ rows
	JNE  sum1loop

	move Z6, K1, (sj)(place*1)
	ADDQ $64, place
	JMP  coltail

done:
	VZEROUPPER
	RET

#undef hj
#undef sj
#undef p
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
	bcast c+48(FP), cost
	MOVQ  f+56(FP), fi
	MOVQ  gp+64(FP), gj
	SHLQ  $logsize, bytes
	SHLQ  $logsize, ld
	SHLQ  $logsize, ldtb
	MOVQ  bytes, whole
	ANDQ  $-64, whole
	TAILMASK
	CONSTANTS

rowloop:
	bcast (fi), Z22
	XORL  place, place
	JMP   colcheck

colloop:
	// 2^(fma(−c, mat_ij, g_j) + f_i), three vectors
	move (gj)(place*1), Z0
	move 64(gj)(place*1), Z1
	move 128(gj)(place*1), Z2
	fnma (row)(place*1), cost, Z0
	fnma 64(row)(place*1), cost, Z1
	fnma 128(row)(place*1), cost, Z2
	add  Z22, Z0, Z0
	add  Z22, Z1, Z1
	add  Z22, Z2, Z2
	EXP2_OVER(Z0, K4)
	EXP2_OVER(Z1, K5)
	EXP2_OVER(Z2, K6)

	EXP2_THREE(Z0, Z1, Z2)

	EXP2_INFINITE(Z0, K4)
	EXP2_INFINITE(Z1, K5)
	EXP2_INFINITE(Z2, K6)
	move Z0, (trow)(place*1)
	move Z1, 64(trow)(place*1)
	move Z2, 128(trow)(place*1)
	ADDQ $192, place

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
	move.Z (gj)(place*1), K1, Z0
	move.Z (row)(place*1), K1, Z1
	fnma   Z1, cost, Z0
	add    Z22, Z0, Z0

	EXP2_ONE(Z0)

	move Z0, K1, (trow)(place*1)
	ADDQ $64, place
	JMP  coltail

rownext:
	ADDQ ld, row
	ADDQ ldtb, trow
	ADDQ $size, fi
	DECQ rows
	JNE  rowloop
	VZEROUPPER
	RET

#undef gj
#undef fi
#undef rows
#undef trow
#undef ldtb
