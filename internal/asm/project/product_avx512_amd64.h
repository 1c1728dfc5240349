// The kernel of the product, for the type that the including file defines.

	MOVQ ra+48(FP), la
	MOVQ ka+56(FP), kab
	MOVQ ldb+72(FP), lb
	SHLQ $logsize, la
	SHLQ $logsize, kab
	SHLQ $logsize, lb
	LEAQ (la)(la*2), la3

colloop:
	// masks of the min(cols, 3*lanes) columns of the group
	MOVL    $(3*lanes), tmp
	CMPQ    tmp, cols+8(FP)
	CMOVQGT cols+8(FP), tmp
	MOVL    $1, AX
	SHLQ    CX, AX
	DECQ    AX
	KMOVW   AX, K1
	SHRQ    $lanes, AX
	KMOVW   AX, K2
	SHRQ    $lanes, AX
	KMOVW   AX, K3

	MOVQ rows+0(FP), rowsleft
	MOVQ a+40(FP), atile
	MOVQ c+24(FP), ctile

rowloop:
	SUBQ $8, rowsleft
	JLT  row4

	// set the sums to c if more is set, or else to 0
	zero3(Z0, Z1, Z2)
	zero3(Z3, Z4, Z5)
	zero3(Z6, Z7, Z8)
	zero3(Z9, Z10, Z11)
	zero3(Z12, Z13, Z14)
	zero3(Z15, Z16, Z17)
	zero3(Z18, Z19, Z20)
	zero3(Z21, Z22, Z23)
	CMPB more+80(FP), $0
	JEQ  begin8
	MOVQ ctile, k
	offsets(second, third, bp)
	MOVQ ldc+32(FP), tmp
	load3(Z0, Z1, Z2)
	load3(Z3, Z4, Z5)
	load3(Z6, Z7, Z8)
	load3(Z9, Z10, Z11)
	load3(Z12, Z13, Z14)
	load3(Z15, Z16, Z17)
	load3(Z18, Z19, Z20)
	load3(Z21, Z22, Z23)

begin8:
	MOVQ atile, ap
	LEAQ (atile)(la*4), aq
	MOVQ b+64(FP), bp
	MOVQ depth+16(FP), k

	// choose the tile as wide as the group
	MOVQ cols+8(FP), tmp
	CMPQ tmp, $(5*lanes/2)
	JGT  fetch3
	CMPQ tmp, $(2*lanes)
	JGT  kloop3h
	CMPQ tmp, $(3*lanes/2)
	JGT  kloop2
	CMPQ tmp, $lanes
	JGT  kloop2h
	CMPQ tmp, $(lanes/2)
	JGT  kloop1

kloop1h:
	// sums += a_ik b_kj, 8 × ½ vector
	move.Z (bp), K1, Y24
	term1h((ap), Y0)
	term1h((ap)(la*1), Y3)
	term1h((ap)(la*2), Y6)
	term1h((ap)(la3*1), Y9)
	term1h((aq), Y12)
	term1h((aq)(la*1), Y15)
	term1h((aq)(la*2), Y18)
	term1h((aq)(la3*1), Y21)
	step
	JNE    kloop1h
	JMP    store

kloop1:
	// sums += a_ik b_kj, 8 × 1 vector
	move.Z (bp), K1, b0
	term1((ap), Z0)
	term1((ap)(la*1), Z3)
	term1((ap)(la*2), Z6)
	term1((ap)(la3*1), Z9)
	term1((aq), Z12)
	term1((aq)(la*1), Z15)
	term1((aq)(la*2), Z18)
	term1((aq)(la3*1), Z21)
	step
	JNE    kloop1
	JMP    store

kloop2h:
	// sums += a_ik b_kj, 8 × 1½ vectors
	move   (bp), b0
	move.Z 64(bp), K2, Y25
	term2h((ap), Z0, Y1)
	term2h((ap)(la*1), Z3, Y4)
	term2h((ap)(la*2), Z6, Y7)
	term2h((ap)(la3*1), Z9, Y10)
	term2h((aq), Z12, Y13)
	term2h((aq)(la*1), Z15, Y16)
	term2h((aq)(la*2), Z18, Y19)
	term2h((aq)(la3*1), Z21, Y22)
	step
	JNE    kloop2h
	JMP    store

kloop2:
	// sums += a_ik b_kj, 8 × 2 vectors
	move   (bp), b0
	move.Z 64(bp), K2, b1
	term2((ap), Z0, Z1)
	term2((ap)(la*1), Z3, Z4)
	term2((ap)(la*2), Z6, Z7)
	term2((ap)(la3*1), Z9, Z10)
	term2((aq), Z12, Z13)
	term2((aq)(la*1), Z15, Z16)
	term2((aq)(la*2), Z18, Z19)
	term2((aq)(la3*1), Z21, Z22)
	step
	JNE    kloop2
	JMP    store

kloop3h:
	// sums += a_ik b_kj, 8 × 2½ vectors
	move   (bp), b0
	move   64(bp), b1
	move.Z 128(bp), K3, Y26
	term3h((ap), Z0, Z1, Y2)
	term3h((ap)(la*1), Z3, Z4, Y5)
	term3h((ap)(la*2), Z6, Z7, Y8)
	term3h((ap)(la3*1), Z9, Z10, Y11)
	term3h((aq), Z12, Z13, Y14)
	term3h((aq)(la*1), Z15, Z16, Y17)
	term3h((aq)(la*2), Z18, Z19, Y20)
	term3h((aq)(la3*1), Z21, Z22, Y23)
	step
	JNE    kloop3h
	JMP    store

fetch3:
	// prefetch row k + 16 of b, because the rows of b are far apart if b is x
	MOVQ lb, tmp
	SHLQ $4, tmp

kloop3:
	// sums += a_ik b_kj, 8 × 3 vectors
	move   (bp), b0
	move   64(bp), b1
	move.Z 128(bp), K3, b2
	term3((ap), Z0, Z1, Z2)
	term3((ap)(la*1), Z3, Z4, Z5)
	term3((ap)(la*2), Z6, Z7, Z8)
	term3((ap)(la3*1), Z9, Z10, Z11)
	term3((aq), Z12, Z13, Z14)
	term3((aq)(la*1), Z15, Z16, Z17)
	term3((aq)(la*2), Z18, Z19, Z20)
	term3((aq)(la3*1), Z21, Z22, Z23)
	PREFETCHT0 (bp)(tmp*1)
	PREFETCHT0 64(bp)(tmp*1)
	PREFETCHT0 128(bp)(tmp*1)
	step
	JNE    kloop3

store:
	offsets(second, third, bp)
	MOVQ ldc+32(FP), tmp
	store3(Z0, Z1, Z2)
	store3(Z3, Z4, Z5)
	store3(Z6, Z7, Z8)
	store3(Z9, Z10, Z11)
	store3(Z12, Z13, Z14)
	store3(Z15, Z16, Z17)
	store3(Z18, Z19, Z20)
	store3(Z21, Z22, Z23)
	LEAQ (atile)(la*8), atile
	JMP  rowloop

row4:
	ADDQ $4, rowsleft
	JLT  row2

	// set the sums to c if more is set, or else to 0
	zero3(Z0, Z1, Z2)
	zero3(Z3, Z4, Z5)
	zero3(Z6, Z7, Z8)
	zero3(Z9, Z10, Z11)
	CMPB more+80(FP), $0
	JEQ  begin4
	MOVQ ctile, k
	offsets(second, third, bp)
	MOVQ ldc+32(FP), tmp
	load3(Z0, Z1, Z2)
	load3(Z3, Z4, Z5)
	load3(Z6, Z7, Z8)
	load3(Z9, Z10, Z11)

begin4:
	offsets(tmp, third, bp)
	MOVQ atile, ap
	MOVQ b+64(FP), bp
	MOVQ depth+16(FP), k

k4loop:
	// sums += a_ik b_kj, 4 × 3 vectors
	loadb3
	term3((ap), Z0, Z1, Z2)
	term3((ap)(la*1), Z3, Z4, Z5)
	term3((ap)(la*2), Z6, Z7, Z8)
	term3((ap)(la3*1), Z9, Z10, Z11)
	step4
	JNE    k4loop
	offsets(second, third, bp)
	MOVQ   ldc+32(FP), tmp
	store3(Z0, Z1, Z2)
	store3(Z3, Z4, Z5)
	store3(Z6, Z7, Z8)
	store3(Z9, Z10, Z11)
	LEAQ   (atile)(la*4), atile
	SUBQ   $4, rowsleft

row2:
	ADDQ $2, rowsleft
	JLT  row1

	// set the sums to c if more is set, or else to 0
	zero3(Z0, Z1, Z2)
	zero3(Z3, Z4, Z5)
	CMPB more+80(FP), $0
	JEQ  begin2
	MOVQ ctile, k
	offsets(second, third, bp)
	MOVQ ldc+32(FP), tmp
	load3(Z0, Z1, Z2)
	load3(Z3, Z4, Z5)

begin2:
	offsets(tmp, third, bp)
	MOVQ atile, ap
	MOVQ b+64(FP), bp
	MOVQ depth+16(FP), k

k2loop:
	// sums += a_ik b_kj, 2 × 3 vectors
	loadb3
	term3((ap), Z0, Z1, Z2)
	term3((ap)(la*1), Z3, Z4, Z5)
	step4
	JNE    k2loop
	offsets(second, third, bp)
	MOVQ   ldc+32(FP), tmp
	store3(Z0, Z1, Z2)
	store3(Z3, Z4, Z5)
	LEAQ   (atile)(la*2), atile
	SUBQ   $2, rowsleft

row1:
	ADDQ $1, rowsleft
	JLT  coldone

	// set the sums to c if more is set, or else to 0
	zero3(Z0, Z1, Z2)
	CMPB more+80(FP), $0
	JEQ  begin1
	MOVQ ctile, k
	offsets(second, third, bp)
	MOVQ ldc+32(FP), tmp
	load3(Z0, Z1, Z2)

begin1:
	offsets(tmp, third, bp)
	MOVQ atile, ap
	MOVQ b+64(FP), bp
	MOVQ depth+16(FP), k

k1loop:
	// sums += a_ik b_kj, 1 × 3 vectors
	loadb3
	term3((ap), Z0, Z1, Z2)
	step4
	JNE    k1loop
	offsets(second, third, bp)
	store3(Z0, Z1, Z2)

coldone:
	// the next group of columns
	ADDQ $192, b+64(FP)
	ADDQ $192, c+24(FP)
	SUBQ $(3*lanes), cols+8(FP)
	JGT  colloop
	VZEROUPPER
	RET
