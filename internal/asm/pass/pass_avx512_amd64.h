// The passes over K for all types, AVX-512. The including file defines the types with
// type_amd64.h.
//
// x is the vector v, and y is q. The code multiplies rows by x, and adds multiples of rows to y. u is the factor of a row.
// The partial step of q stays in ytail from the first row to the last row. See type_amd64.h for the terms. The loops of the
// row sums leave the pointer row at the partial step and the offset c at whole. The loops that add to q go from the last
// column, which was read last, to the first column. They leave the pointer row at the beginning of the row.

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
	MASKZ(AX)
	MOVQ  $0, lag
	TESTQ y, y
	JEQ   rowloop
	CMPQ  whole, bytes // skip a load without elements, because such a load is slow if the next page is absent
	JEQ   lagged
	movez (y)(whole*twice), mask, ytail

lagged:
	TESTQ x, x
	JEQ   rowloop
	CMPQ  bytes, $few
	JGT   rowloop
	CMPQ  rows, $16
	JLT   rowloop
	MOVQ  $1, lag
	MOVQ  bytes, bytesheld

rowloop:
	SUBQ  $8, rows
	JLT   rowtail
	TESTQ x, x
	JEQ   factors8
	CMPQ  lag, $3
	JEQ   lag8

	// compute the sums of eight rows: Z(r) holds the lanes of row r
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	LEAQ   (row)(ld*4), row4
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot8tail

dot8loop:
	// lane[r] = fma(K_rj, x_j, lane[r])
	move (x)(c*twice), Z8
	FMA((row), Z8, Z0, Z9)
	FMA((row)(ld*1), Z8, Z1, Z10)
	FMA((row)(ld*2), Z8, Z2, Z11)
	FMA((row)(ld3*1), Z8, Z3, Z12)
	FMA((row4), Z8, Z4, Z9)
	FMA((row4)(ld*1), Z8, Z5, Z10)
	FMA((row4)(ld*2), Z8, Z6, Z11)
	FMA((row4)(ld3*1), Z8, Z7, Z12)
	ADDQ $step, row
	ADDQ $step, row4
	ADDQ $step, c
	CMPQ c, whole
	JLT  dot8loop

dot8tail:
	CMPQ c, bytes
	JEQ  fold8

	// the partial step, padded with zeros
	movez (x)(c*twice), mask, Z8
	FMAZ((row), Z8, Z0, Z9)
	FMAZ((row)(ld*1), Z8, Z1, Z9)
	FMAZ((row)(ld*2), Z8, Z2, Z9)
	FMAZ((row)(ld3*1), Z8, Z3, Z9)
	FMAZ((row4), Z8, Z4, Z9)
	FMAZ((row4)(ld*1), Z8, Z5, Z9)
	FMAZ((row4)(ld*2), Z8, Z6, Z9)
	FMAZ((row4)(ld3*1), Z8, Z7, Z9)

fold8:
	// Fold the lanes. First combine rows 0 and 2, 4 and 6, 1 and 3, and 5 and 7. Then combine rows 0 2 4 6, and rows 1 3 5 7.
	// Then combine all rows, in order
	HALFZ(Z0, Z2)
	HALFZ(Z4, Z6)
	HALFZ(Z1, Z3)
	HALFZ(Z5, Z7)
	QUARTERZ(Z0, Z4)
	QUARTERZ(Z1, Z5)
	VUNPCKLPD Z1, Z0, Z8
	VUNPCKHPD Z1, Z0, Z0
	add       Z8, Z0, Z0
	LAST8Z
	TESTQ     y, y
	JNE       update8

	// u_r = s_r
	move eight, (ui)
	ADDQ $(8*size), ui
	SUBQ c, row
	LEAQ (row)(ld*8), row
	JMP  rowloop

update8:
	CMPB divide+64(FP), $0
	JEQ  multiply8

	// u_r = a_r / s_r
	move (ai), eightt
	div  eight, eightt, eight

factor8:
	move eight, (ui)
	ADDQ $(8*size), ai
	CMPQ lag, $0
	JGT  lagged8

spread8:
	bcast (ui), Z16
	bcast (1*size)(ui), Z17
	bcast (2*size)(ui), Z18
	bcast (3*size)(ui), Z19
	bcast (4*size)(ui), Z20
	bcast (5*size)(ui), Z21
	bcast (6*size)(ui), Z22
	bcast (7*size)(ui), Z23
	ADDQ  $(8*size), ui

	// y_j = fma(u_r, K_rj, y_j), r ascending, with u_r in Z(16+r). Begin with the partial step
	LEAQ (row)(ld*4), row4
	CMPQ c, bytes
	JEQ  add8whole
	ADDZ((row), Z16)
	ADDZ((row)(ld*1), Z17)
	ADDZ((row)(ld*2), Z18)
	ADDZ((row)(ld3*1), Z19)
	ADDZ((row4), Z20)
	ADDZ((row4)(ld*1), Z21)
	ADDZ((row4)(ld*2), Z22)
	ADDZ((row4)(ld3*1), Z23)

add8whole:
	TESTQ c, c
	JEQ   added8

add8loop:
	SUBQ $step, row
	SUBQ $step, row4
	SUBQ $step, c
	move (y)(c*twice), Z0
	FMA((row), Z16, Z0, Z9)
	FMA((row)(ld*1), Z17, Z0, Z10)
	FMA((row)(ld*2), Z18, Z0, Z11)
	FMA((row)(ld3*1), Z19, Z0, Z12)
	FMA((row4), Z20, Z0, Z9)
	FMA((row4)(ld*1), Z21, Z0, Z10)
	FMA((row4)(ld*2), Z22, Z0, Z11)
	FMA((row4)(ld3*1), Z23, Z0, Z12)
	move Z0, (y)(c*twice)
	JNE  add8loop

added8:
	LEAQ (row)(ld*8), row
	CMPQ lag, $0
	JEQ  rowloop
	ADDQ $1, lag
	JEQ  rowloop
	ADDQ whole, row
	MOVQ whole, c
	JMP  spread8

multiply8:
	// u_r = a_r · s_r
	mul (ai), eight, eight
	JMP factor8

lag8:
	// compute the row sums of eight rows, and add the eight rows that are sixteen rows earlier to y
	MOVQ   rows, rowsheld
	MOVQ   ld, c
	SHLQ   $4, c
	MOVQ   row, back
	SUBQ   c, back
	LEAQ   (back)(ld*4), back4
	LEAQ   (row)(ld*4), row4
	bcast  (-16*size)(ui), Z16
	bcast  (-15*size)(ui), Z17
	bcast  (-14*size)(ui), Z18
	bcast  (-13*size)(ui), Z19
	bcast  (-12*size)(ui), Z20
	bcast  (-11*size)(ui), Z21
	bcast  (-10*size)(ui), Z22
	bcast  (-9*size)(ui), Z23
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	XORL   c, c
	CMPQ   whole, $0
	JEQ    lag8tail

lag8loop:
	// lane[r] = fma(K_rj, x_j, lane[r]), and y_j = fma(u_r, K_rj, y_j) with the rows at back
	move (x)(c*twice), Z8
	move (y)(c*twice), Z24
	FMA((row), Z8, Z0, Z9)
	FMA((row)(ld*1), Z8, Z1, Z10)
	FMA((row)(ld*2), Z8, Z2, Z11)
	FMA((row)(ld3*1), Z8, Z3, Z12)
	FMA((row4), Z8, Z4, Z9)
	FMA((row4)(ld*1), Z8, Z5, Z10)
	FMA((row4)(ld*2), Z8, Z6, Z11)
	FMA((row4)(ld3*1), Z8, Z7, Z12)
	FMA((back), Z16, Z24, Z9)
	FMA((back)(ld*1), Z17, Z24, Z10)
	FMA((back)(ld*2), Z18, Z24, Z11)
	FMA((back)(ld3*1), Z19, Z24, Z12)
	FMA((back4), Z20, Z24, Z9)
	FMA((back4)(ld*1), Z21, Z24, Z10)
	FMA((back4)(ld*2), Z22, Z24, Z11)
	FMA((back4)(ld3*1), Z23, Z24, Z12)
	move Z24, (y)(c*twice)
	ADDQ $step, row
	ADDQ $step, row4
	ADDQ $step, back
	ADDQ $step, back4
	ADDQ $step, c
	CMPQ c, whole
	JLT  lag8loop

lag8tail:
	CMPQ c, bytesheld
	JEQ  lag8done
	ADDZ((back), Z16)
	ADDZ((back)(ld*1), Z17)
	ADDZ((back)(ld*2), Z18)
	ADDZ((back)(ld3*1), Z19)
	ADDZ((back4), Z20)
	ADDZ((back4)(ld*1), Z21)
	ADDZ((back4)(ld*2), Z22)
	ADDZ((back4)(ld3*1), Z23)

lag8done:
	MOVQ bytesheld, bytes
	MOVQ rowsheld, rows
	JMP  dot8tail

lagged8:
	// Continue with the next eight rows. lag − 1 is the number of blocks of eight rows that are not yet added to y, at
	// most two
	ADDQ $(8*size), ui
	SUBQ c, row
	LEAQ (row)(ld*8), row
	CMPQ lag, $3
	ADCQ $0, lag
	JMP  rowloop

lagrest:
	// add the last sixteen rows to y
	ADDQ $8, rows
	MOVQ $-2, lag
	SUBQ $(16*size), ui
	MOVQ ld, c
	SHLQ $4, c
	SUBQ c, row
	ADDQ whole, row
	MOVQ whole, c
	JMP  spread8

factors8:
	MOVQ whole, c
	ADDQ c, row
	JMP  spread8

rowtail:
	CMPQ  lag, $0
	JGT   lagrest
	ADDQ  $4, rows
	JLT   row1tail
	TESTQ x, x
	JEQ   factors4

	// compute the sums of four rows
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot4tail

dot4loop:
	move (x)(c*twice), Z8
	FMA((row), Z8, Z0, Z9)
	FMA((row)(ld*1), Z8, Z1, Z10)
	FMA((row)(ld*2), Z8, Z2, Z11)
	FMA((row)(ld3*1), Z8, Z3, Z12)
	ADDQ $step, row
	ADDQ $step, c
	CMPQ c, whole
	JLT  dot4loop

dot4tail:
	CMPQ  c, bytes
	JEQ   fold4
	movez (x)(c*twice), mask, Z8
	FMAZ((row), Z8, Z0, Z9)
	FMAZ((row)(ld*1), Z8, Z1, Z9)
	FMAZ((row)(ld*2), Z8, Z2, Z9)
	FMAZ((row)(ld3*1), Z8, Z3, Z9)

fold4:
	HALFZ(Z0, Z2)
	HALFZ(Z1, Z3)
	QUARTERZ(Z0, Z1)
	FOLDFOURZ
	LAST4Z
	TESTQ y, y
	JNE   update4

	// u_r = s_r
	move four, (ui)
	ADDQ $(4*size), ui
	SUBQ c, row
	JMP  added4

update4:
	CMPB divide+64(FP), $0
	JEQ  multiply4

	// u_r = a_r / s_r
	move (ai), fourt
	div  four, fourt, four

factor4:
	move four, (ui)
	ADDQ $(4*size), ai

spread4:
	bcast (ui), Z16
	bcast (1*size)(ui), Z17
	bcast (2*size)(ui), Z18
	bcast (3*size)(ui), Z19
	ADDQ  $(4*size), ui

	// y_j = fma(u_r, K_rj, y_j), r ascending
	CMPQ c, bytes
	JEQ  add4whole
	ADDZ((row), Z16)
	ADDZ((row)(ld*1), Z17)
	ADDZ((row)(ld*2), Z18)
	ADDZ((row)(ld3*1), Z19)

add4whole:
	TESTQ c, c
	JEQ   added4

add4loop:
	SUBQ $step, row
	SUBQ $step, c
	move (y)(c*twice), Z0
	FMA((row), Z16, Z0, Z9)
	FMA((row)(ld*1), Z17, Z0, Z10)
	FMA((row)(ld*2), Z18, Z0, Z11)
	FMA((row)(ld3*1), Z19, Z0, Z12)
	move Z0, (y)(c*twice)
	JNE  add4loop

added4:
	LEAQ (row)(ld*4), row
	SUBQ $4, rows
	JMP  row1tail

multiply4:
	// u_r = a_r · s_r
	mul (ai), four, four
	JMP factor4

factors4:
	MOVQ whole, c
	ADDQ c, row
	JMP  spread4

row1tail:
	ADDQ $4, rows
	JEQ  last

row1loop:
	MOVQ  whole, c
	bcast (ui), Z16
	TESTQ x, x
	JEQ   add1

	// compute the sum of one row
	VPXORQ Z0, Z0, Z0
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot1tail

dot1loop:
	move (x)(c*twice), Z8
	FMA((row)(c*1), Z8, Z0, Z9)
	ADDQ $step, c
	CMPQ c, whole
	JLT  dot1loop

dot1tail:
	CMPQ  c, bytes
	JEQ   fold1
	movez (x)(c*twice), mask, Z8
	FMAZ((row)(c*1), Z8, Z0, Z9)

fold1:
	FOLDONEZ
	LAST1Z
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
	bcast   X0, Z16
	ADDQ    $size, ai
	TESTQ   y, y
	JEQ     row1next

add1:
	// y_j = fma(u, K_j, y_j)
	CMPQ c, bytes
	JEQ  add1whole
	ADDZ((row)(c*1), Z16)

add1whole:
	TESTQ c, c
	JEQ   row1next

	// two steps in each iteration, after a single step if the number of steps is odd (../AVX512.md)
	TESTQ $step, c
	JEQ   add1loop
	SUBQ  $step, c
	move  (y)(c*twice), Z0
	FMA((row)(c*1), Z16, Z0, Z9)
	move  Z0, (y)(c*twice)
	JEQ   row1next

add1loop:
	SUBQ $(2*step), c
	move (step*twice)(y)(c*twice), Z1
	move (y)(c*twice), Z0
	FMA(step(row)(c*1), Z16, Z1, Z9)
	FMA((row)(c*1), Z16, Z0, Z10)
	move Z1, (step*twice)(y)(c*twice)
	move Z0, (y)(c*twice)
	JNE  add1loop

row1next:
	ADDQ $size, ui
	ADDQ ld, row
	DECQ rows
	JNE  row1loop

last:
	TESTQ y, y
	JEQ   done
	CMPQ  whole, bytes
	JEQ   done
	move  ytail, mask, (y)(whole*twice)

done:
	VZEROUPPER
	RET
