// The passes over K for all types, AVX2 + FMA. The including file defines the types with
// type_amd64.h.
//
// x is the vector v, and y is q. The code multiplies rows by x, and adds multiples of rows to y. u is the factor of a row.
// The partial step of q stays in Y14 and Y15 from the first row to the last row. See type_amd64.h for the terms.

	MOVQ  m+0(FP), rows
	MOVQ  n+8(FP), bytes
	MOVQ  k+16(FP), row
	MOVQ  ldk+24(FP), ld
	MOVQ  v+32(FP), x
	MOVQ  a+40(FP), ai
	MOVQ  u+48(FP), ui
	MOVQ  q+56(FP), y
	SHLQ  $logk, bytes
	SHLQ  $logk, ld
	LEAQ  (ld)(ld*2), ld3
	MOVQ  bytes, whole
	ANDQ  $-step, whole
	TESTQ y, y
	JEQ   start

	// the partial step of q
	CMPQ     whole, bytes
	JEQ      lagging
	VMASKS(p)
	maskmove (y)(whole*twice), Y12, Y14
	maskmove 32(y)(whole*twice), Y13, Y15

lagging:
	// Clear the argument k if K is large. For a small K, q is updated eight rows behind the row sums.
	MOVQ  ld, p
	IMULQ rows, p
	CMPQ  p, $small
	JLS   start
	MOVQ  $0, k+16(FP)

start:
	SUBQ $4, rows
	JLT  rowtail

rowloop:
	TESTQ x, x
	JEQ   factors

	// compute the sums of four rows: Y(2r) holds the lower half of the lanes of row r, Y(2r+1)
	// the upper half
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dottail

dotloop:
	// lane[r] = fma(K_rj, x_j, lane[r])
	move (x)(c*twice), Y8
	move 32(x)(c*twice), Y9
	FMA((row), Y8, Y0, Y10)
	FMA(half(row), Y9, Y1, Y11)
	FMA((row)(ld*1), Y8, Y2, Y12)
	FMA(half(row)(ld*1), Y9, Y3, Y13)
	FMA((row)(ld*2), Y8, Y4, Y10)
	FMA(half(row)(ld*2), Y9, Y5, Y11)
	FMA((row)(ld3*1), Y8, Y6, Y12)
	FMA(half(row)(ld3*1), Y9, Y7, Y13)
	ADDQ $step, row
	ADDQ $step, c
	CMPQ c, whole
	JLT  dotloop

dottail:
	// c = whole, and row has advanced by whole bytes
	CMPQ c, bytes
	JEQ  fold

	// the partial step, padded with zeros
	VMASKS(p)
	maskmove (x)(c*twice), Y12, Y8
	maskmove 32(x)(c*twice), Y13, Y9
	TOKMASKS(p)
	FMASHORT((row), klo, Y8, Y0, X10, Y10)
	FMASHORT((row)(ld*1), klo, Y8, Y2, X11, Y11)
	FMASHORT((row)(ld*2), klo, Y8, Y4, X10, Y10)
	FMASHORT((row)(ld3*1), klo, Y8, Y6, X11, Y11)
	LEAQ     half(c), p
	CMPQ     p, bytes
	JGE      dothalf
	FMASHORT(half(row), khi, Y9, Y1, X10, Y10)
	FMASHORT(half(row)(ld*1), khi, Y9, Y3, X11, Y11)
	FMASHORT(half(row)(ld*2), khi, Y9, Y5, X10, Y10)
	FMASHORT(half(row)(ld3*1), khi, Y9, Y7, X11, Y11)
	JMP      fold

dothalf:
	// the upper half is only padding
	VXORPS Y8, Y8, Y8
	add    Y8, Y1, Y1
	add    Y8, Y3, Y3
	add    Y8, Y5, Y5
	add    Y8, Y7, Y7

fold:
	SUBQ whole, row

	// add the upper half of the lanes to the lower half, until one lane is left
	FOLDROWS
	FOLDPAIRS
	FOLDFOUR
	FOLDLAST
	TESTQ y, y
	JNE   update

	// u_r = s_r
	move four, (ui)
	ADDQ $(4*size), ui
	LEAQ (row)(ld*4), row
	SUBQ $4, rows
	JGE  rowloop
	JMP  rowtail

update:
	CMPB divide+64(FP), $0
	JEQ  multiply

	// u_r = a_r / s_r
	move (ai), fourt
	div  four, fourt, four

factor:
	move four, (ui)
	ADDQ $(4*size), ai
	ADDQ $(4*size), ui
	CMPQ k+16(FP), $0
	JNE  lag
	SPREAD

add4:
	// y_j = fma(u_r, K_rj, y_j), r ascending, with u_r in Y(8+r), from the last column to the
	// first column, because the last columns are still in the first-level cache. Begin with the
	// partial step
	MOVQ row, p
	ADDQ whole, p
	CMPQ whole, bytes
	JEQ  addwhole
	KMASKS(c)
	FMASHORT((p), klo, Y8, Y14, X0, Y0)
	FMASHORT((p)(ld*1), klo, Y9, Y14, X1, Y1)
	FMASHORT((p)(ld*2), klo, Y10, Y14, X0, Y0)
	FMASHORT((p)(ld3*1), klo, Y11, Y14, X1, Y1)
	LEAQ half(whole), c
	CMPQ c, bytes
	JGE  addwhole
	FMASHORT(half(p), khi, Y8, Y15, X0, Y0)
	FMASHORT(half(p)(ld*1), khi, Y9, Y15, X1, Y1)
	FMASHORT(half(p)(ld*2), khi, Y10, Y15, X0, Y0)
	FMASHORT(half(p)(ld3*1), khi, Y11, Y15, X1, Y1)

addwhole:
	TESTQ x, x
	JEQ   addsteps
	CMPQ  rows, $4
	JLT   addsteps
	LEAQ  -rowlo(bytes), c
	CMPQ  c, $(rowhi-rowlo)
	JLS   addsteps

	// update q in the loop that computes the sums of the next four rows
	SUBQ   $4, rows
	LEAQ   (row)(ld*4), row
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dottail
	LEAQ   (y)(whole*twice), y

bothloop:
	// lane[r] = fma(K_rj, x_j, lane[r]) and y_j = fma(u_r, K_rj, y_j). Mixed code
	// converts K to float64 in Y13 for the first FMA and in Y12 for the second FMA, because no other
	// register is free.
	SUBQ $step, p
	SUBQ $64, y

#ifdef MIXED
move (x)(c*twice), Y12
FMA((row), Y12, Y0, Y13)
FMA((row)(ld*1), Y12, Y2, Y13)
FMA((row)(ld*2), Y12, Y4, Y13)
FMA((row)(ld3*1), Y12, Y6, Y13)
move (y), Y13
FMA((p), Y8, Y13, Y12)
FMA((p)(ld*1), Y9, Y13, Y12)
FMA((p)(ld*2), Y10, Y13, Y12)
FMA((p)(ld3*1), Y11, Y13, Y12)

#else
move (y), Y13
move (x)(c*1), Y12
fma  (p), Y8, Y13
fma  (row), Y12, Y0
fma  (p)(ld*1), Y9, Y13
fma  (row)(ld*1), Y12, Y2
fma  (p)(ld*2), Y10, Y13
fma  (row)(ld*2), Y12, Y4
fma  (p)(ld3*1), Y11, Y13
fma  (row)(ld3*1), Y12, Y6

#endif
move Y13, (y)

#ifdef MIXED
move 32(x)(c*twice), Y12
FMA(half(row), Y12, Y1, Y13)
FMA(half(row)(ld*1), Y12, Y3, Y13)
FMA(half(row)(ld*2), Y12, Y5, Y13)
FMA(half(row)(ld3*1), Y12, Y7, Y13)
move 32(y), Y13
FMA(half(p), Y8, Y13, Y12)
FMA(half(p)(ld*1), Y9, Y13, Y12)
FMA(half(p)(ld*2), Y10, Y13, Y12)
FMA(half(p)(ld3*1), Y11, Y13, Y12)

#else
move 32(y), Y13
move 32(x)(c*1), Y12
fma  half(p), Y8, Y13
fma  half(row), Y12, Y1
fma  half(p)(ld*1), Y9, Y13
fma  half(row)(ld*1), Y12, Y3
fma  half(p)(ld*2), Y10, Y13
fma  half(row)(ld*2), Y12, Y5
fma  half(p)(ld3*1), Y11, Y13
fma  half(row)(ld3*1), Y12, Y7

#endif
	move Y13, 32(y)
	ADDQ $step, row
	ADDQ $step, c
	CMPQ c, whole
	JLT  bothloop
	JMP  dottail

addsteps:
	MOVQ  whole, c
	TESTQ c, c
	JEQ   added

addloop:
	SUBQ $step, p
	SUBQ $step, c
	move (y)(c*twice), Y0
	move 32(y)(c*twice), Y1
	FMA((p), Y8, Y0, Y2)
	FMA(half(p), Y8, Y1, Y3)
	FMA((p)(ld*1), Y9, Y0, Y4)
	FMA(half(p)(ld*1), Y9, Y1, Y5)
	FMA((p)(ld*2), Y10, Y0, Y2)
	FMA(half(p)(ld*2), Y10, Y1, Y3)
	FMA((p)(ld3*1), Y11, Y0, Y4)
	FMA(half(p)(ld3*1), Y11, Y1, Y5)
	move Y0, (y)(c*twice)
	move Y1, 32(y)(c*twice)
	JNE  addloop

added:
	LEAQ (row)(ld*4), row
	SUBQ $4, rows
	JGE  rowloop
	JMP  rowtail

multiply:
	// u_r = a_r · s_r
	mul (ai), four, four
	JMP factor

factors:
	bcast (ui), Y8
	bcast size(ui), Y9
	bcast (2*size)(ui), Y10
	bcast (3*size)(ui), Y11
	ADDQ  $(4*size), ui
	JMP   add4

lag:
	// continue with row sums until q is sixteen rows behind
	LEAQ (row)(ld*4), row
	MOVQ ld, p
	SHLQ $4, p
	ADDQ k+16(FP), p
	CMPQ p, row
	JHI  lagnext

lag8:
	// add the first eight of these rows: u_r in Y(2+r), rows 0–3 at p, 4–7 at row
	MOVQ  u+48(FP), p
	ADDQ  $(8*size), u+48(FP)
	bcast (p), Y2
	bcast size(p), Y3
	bcast (2*size)(p), Y4
	bcast (3*size)(p), Y5
	bcast (4*size)(p), Y6
	bcast (5*size)(p), Y7
	bcast (6*size)(p), Y8
	bcast (7*size)(p), Y9
	MOVQ  row, n+8(FP)
	MOVQ  k+16(FP), p
	LEAQ  (p)(ld*4), row
	LEAQ  (p)(ld*8), c
	MOVQ  c, k+16(FP)
	XORL  c, c
	CMPQ  whole, $0
	JEQ   add8tail

add8loop:
	// y_j = fma(u_r, K_rj, y_j), r ascending
	move (y)(c*twice), Y0
	move 32(y)(c*twice), Y1
	FMA((p), Y2, Y0, Y10)
	FMA(half(p), Y2, Y1, Y11)
	FMA((p)(ld*1), Y3, Y0, Y12)
	FMA(half(p)(ld*1), Y3, Y1, Y13)
	FMA((p)(ld*2), Y4, Y0, Y10)
	FMA(half(p)(ld*2), Y4, Y1, Y11)
	FMA((p)(ld3*1), Y5, Y0, Y12)
	FMA(half(p)(ld3*1), Y5, Y1, Y13)
	FMA((row), Y6, Y0, Y10)
	FMA(half(row), Y6, Y1, Y11)
	FMA((row)(ld*1), Y7, Y0, Y12)
	FMA(half(row)(ld*1), Y7, Y1, Y13)
	FMA((row)(ld*2), Y8, Y0, Y10)
	FMA(half(row)(ld*2), Y8, Y1, Y11)
	FMA((row)(ld3*1), Y9, Y0, Y12)
	FMA(half(row)(ld3*1), Y9, Y1, Y13)
	move Y0, (y)(c*twice)
	move Y1, 32(y)(c*twice)
	ADDQ $step, p
	ADDQ $step, row
	ADDQ $step, c
	CMPQ c, whole
	JLT  add8loop

add8tail:
	CMPQ c, bytes
	JEQ  lagadded

	// the partial step
	KMASKS(c)
	FMASHORT((p), klo, Y2, Y14, X10, Y10)
	FMASHORT((p)(ld*1), klo, Y3, Y14, X11, Y11)
	FMASHORT((p)(ld*2), klo, Y4, Y14, X10, Y10)
	FMASHORT((p)(ld3*1), klo, Y5, Y14, X11, Y11)
	FMASHORT((row), klo, Y6, Y14, X10, Y10)
	FMASHORT((row)(ld*1), klo, Y7, Y14, X11, Y11)
	FMASHORT((row)(ld*2), klo, Y8, Y14, X10, Y10)
	FMASHORT((row)(ld3*1), klo, Y9, Y14, X11, Y11)
	LEAQ half(whole), c
	CMPQ c, bytes
	JGE  lagadded
	FMASHORT(half(p), khi, Y2, Y15, X10, Y10)
	FMASHORT(half(p)(ld*1), khi, Y3, Y15, X11, Y11)
	FMASHORT(half(p)(ld*2), khi, Y4, Y15, X10, Y10)
	FMASHORT(half(p)(ld3*1), khi, Y5, Y15, X11, Y11)
	FMASHORT(half(row), khi, Y6, Y15, X10, Y10)
	FMASHORT(half(row)(ld*1), khi, Y7, Y15, X11, Y11)
	FMASHORT(half(row)(ld*2), khi, Y8, Y15, X10, Y10)
	FMASHORT(half(row)(ld3*1), khi, Y9, Y15, X11, Y11)

lagadded:
	MOVQ n+8(FP), row

lagnext:
	CMPQ rows, $4
	JLT  lagrest
	SUBQ $4, rows
	JMP  rowloop

lagrest:
	// the last 12, 8 or 4 rows
	MOVQ  k+16(FP), p
	LEAQ  (p)(ld*8), c
	CMPQ  c, row
	JLS   lag8
	CMPQ  p, row
	JEQ   row1
	MOVQ  p, row
	MOVQ  u+48(FP), p
	bcast (p), Y8
	bcast size(p), Y9
	bcast (2*size)(p), Y10
	bcast (3*size)(p), Y11
	JMP   add4

rowtail:
	ADDQ $4, rows

row1:
	TESTQ rows, rows
	JEQ   last

row1loop:
	bcast (ui), Y8
	TESTQ x, x
	JEQ   add1

	// compute the sum of one row, with its lanes in Y0 and Y1
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot1tail

dot1loop:
	// lane = fma(K_j, x_j, lane)
	move (x)(c*twice), Y2
	move 32(x)(c*twice), Y3
	FMA((row)(c*1), Y2, Y0, Y4)
	FMA(half(row)(c*1), Y3, Y1, Y5)
	ADDQ $step, c
	CMPQ c, whole
	JLT  dot1loop

dot1tail:
	CMPQ c, bytes
	JEQ  fold1

	// the partial step, padded with zeros
	VMASKS(p)
	maskmove (x)(c*twice), Y12, Y2
	maskmove 32(x)(c*twice), Y13, Y3
	TOKMASKS(p)
	FMASHORT((row)(c*1), klo, Y2, Y0, X4, Y4)
	FMASHORT(half(row)(c*1), khi, Y3, Y1, X5, Y5)

fold1:
	// add the upper half of the lanes to the lower half, until one lane is left
	FOLDONE
	FOLDLAST1
	TESTQ y, y
	JEQ   sum1
	CMPB  divide+64(FP), $0
	JEQ   multiply1

	// u = a / s
	moveone (ai), X1
	divone  X0, X1, X0
	JMP     sum1

multiply1:
	// u = a · s
	mulone (ai), X0, X0

sum1:
	moveone X0, (ui)
	bcast   X0, Y8
	ADDQ    $size, ai
	TESTQ   y, y
	JEQ     row1next

add1:
	XORL c, c
	CMPQ whole, $0
	JEQ  add1tail

add1loop:
	// y_j = fma(u, K_j, y_j)
	move (y)(c*twice), Y0
	move 32(y)(c*twice), Y1
	FMA((row)(c*1), Y8, Y0, Y2)
	FMA(half(row)(c*1), Y8, Y1, Y3)
	move Y0, (y)(c*twice)
	move Y1, 32(y)(c*twice)
	ADDQ $step, c
	CMPQ c, whole
	JLT  add1loop

add1tail:
	CMPQ c, bytes
	JEQ  row1next

	// the partial step
	KMASKS(p)
	FMASHORT((row)(c*1), klo, Y8, Y14, X0, Y0)
	FMASHORT(half(row)(c*1), khi, Y8, Y15, X1, Y1)

row1next:
	ADDQ $size, ui
	ADDQ ld, row
	DECQ rows
	JNE  row1loop

last:
	TESTQ y, y
	JEQ   done

	// the partial step of q
	VMOVAPS Y14, Y0
	VMOVAPS Y15, Y1
	LEAQ    (y)(whole*twice), to
	MOVQ    bytes, rest
	SUBQ    whole, rest
	IMULQ   $twice, rest

#include "store_avx2_amd64.h"

done:
	VZEROUPPER
	RET
