// The kernel of gibbs, for the type that the including file defines.

	// If dist is nil, the distances are stored in K. Convert d and the strides to bytes. Set the arguments
	// x = &x[d] and n = &zt[n − columns of a tile].
	CMPQ dist+40(FP), $0
	JNE  kept
	MOVQ k+24(FP), AX
	MOVQ AX, dist+40(FP)
	MOVQ ldk+32(FP), AX
	MOVQ AX, ldd+48(FP)

kept:
	SHLQ $logsize, d+16(FP)
	SHLQ $logsize, ldk+32(FP)
	SHLQ $logsize, ldd+48(FP)
	SHLQ $logsize, ldx+64(FP)
	SHLQ $logsize, ldz+80(FP)
	MOVQ d+16(FP), AX
	ADDQ AX, x+56(FP)
	MOVQ n+8(FP), AX
	SHLQ $logsize, AX
	ADDQ zt+72(FP), AX
	SUBQ $64, AX
	MOVQ AX, n+8(FP)

rowloop:
	MOVQ x+56(FP), p0
	MOVQ ldx+64(FP), koff
	nextrow(p0, 1, p1)
	nextrow(p1, 2, p2)
	nextrow(p2, 3, p3)
	nextrow(p3, 4, p4)
	nextrow(p4, 5, p5)
	MOVQ dist+40(FP), dcol
	MOVQ k+24(FP), kcol

colloop:
	MOVQ zt+72(FP), zk
	MOVQ d+16(FP), koff
	MOVQ ldz+80(FP), ldzb
	NEGQ koff
	CMPQ zk, n+8(FP)
	JHI  coltail

	// D_ij = (x_i0 − z_j0)²
	move (zk), Y12
	move 32(zk), Y13
	step0
	ADDQ ldzb, zk
	ADDQ $size, koff
	JEQ  store

	// one index k if an odd number of indices is left, then two indices in each iteration
	TESTQ $size, koff
	JEQ   kloop
	move  (zk), Y12
	move  32(zk), Y13
	step(0)
	ADDQ  ldzb, zk
	ADDQ  $size, koff
	JEQ   store

	PCALIGN $32

kloop:
	// D_ij += (x_ik − z_jk)²
	move (zk), Y12
	move 32(zk), Y13
	step(0)
	move (zk)(ldzb*1), Y12
	move 32(zk)(ldzb*1), Y13
	step(size)
	LEAQ (zk)(ldzb*2), zk
	ADDQ $(2*size), koff
	JNE  kloop

store:
	MOVQ ldd+48(FP), koff
	MOVQ dcol, zk
	MOVQ m+0(FP), left
	move Y0, (zk)
	move Y1, 32(zk)
	CMPQ left, $2
	JLT  stored
	ADDQ koff, zk
	move Y2, (zk)
	move Y3, 32(zk)
	CMPQ left, $3
	JLT  stored
	ADDQ koff, zk
	move Y4, (zk)
	move Y5, 32(zk)
	CMPQ left, $4
	JLT  stored
	ADDQ koff, zk
	move Y6, (zk)
	move Y7, 32(zk)
	CMPQ left, $5
	JLT  stored
	ADDQ koff, zk
	move Y8, (zk)
	move Y9, 32(zk)
	CMPQ left, $6
	JLT  stored
	ADDQ koff, zk
	move Y10, (zk)
	move Y11, 32(zk)
	MOVQ $6, left

stored:
	MOVQ  dcol, drow
	MOVQ  kcol, krow
	bcast c+88(FP), factor
	EXP2_CONST(EXP2_MAGIC, magic)

exploop:
	// y = c·D_ij, 2 rows × 2 vectors
	secondrow(drow, ldd+48(FP), second)
	mul (drow), factor, Y0
	mul 32(drow), factor, Y1
	mul (second), factor, Y2
	mul 32(second), factor, Y3

	// f = y − k, t = magic + k, S = 2^k·E, q = 2^f/E − 1, K_ij = q·S + S
	EXP2_CONST(EXP2_LEAST, least)
	EXP2_SPLIT(Y0, Y4, Y8, tmp)
	EXP2_SPLIT(Y1, Y5, Y9, tmp)
	EXP2_SPLIT(Y2, Y6, Y10, tmp)
	EXP2_SPLIT(Y3, Y7, Y11, tmp)
	EXP2_LOOKUP(Y4, Y8, tmp, least)
	EXP2_LOOKUP(Y5, Y9, tmp, least)
	EXP2_LOOKUP(Y6, Y10, tmp, least)
	EXP2_LOOKUP(Y7, Y11, tmp, least)
	EXP2_UPPER4(tmp)
	EXP2_LOWER4(tmp)
	EXP2_LAST(Y8, Y4)
	EXP2_LAST(Y9, Y5)
	EXP2_LAST(Y10, Y6)
	EXP2_LAST(Y11, Y7)
	compareint c+88(FP), $0
	JGE        over

expstore:
	ADDQ ldd+48(FP), drow
	ADDQ ldd+48(FP), drow
	secondrow(krow, ldk+32(FP), second)
	move Y8, (krow)
	move Y9, 32(krow)
	move Y10, (second)
	move Y11, 32(second)
	MOVQ second, krow
	ADDQ ldk+32(FP), krow
	SUBQ $2, left
	JGT  exploop

	ADDQ $64, dcol
	ADDQ $64, kcol
	ADDQ $64, zt+72(FP)
	JMP  colloop

coltail:
	// fewer columns than a tile are left: one vector at a time, the last vector masked
	MOVQ    n+8(FP), second
	ADDQ    $64, second
	SUBQ    zk, second
	JEQ     rowdone
	MOVQ    $32, left
	CMPQ    second, left
	CMOVQLT second, left
	LEAQ    tailmask<>+64(SB), second
	SUBQ    left, second
	VMOVDQU (second), mask
	MOVQ    ldz+80(FP), ldzb
	VPXOR   Y0, Y0, Y0
	VPXOR   Y1, Y1, Y1
	VPXOR   Y2, Y2, Y2
	VPXOR   Y3, Y3, Y3
	VPXOR   Y4, Y4, Y4
	VPXOR   Y5, Y5, Y5

ktail:
	// D_ij += (x_ik − z_jk)²
	maskmove (zk), mask, Y12
	row1((p0)(koff*1), Y0)
	row1((p1)(koff*1), Y1)
	row1((p2)(koff*1), Y2)
	row1((p3)(koff*1), Y3)
	row1((p4)(koff*1), Y4)
	row1((p5)(koff*1), Y5)
	ADDQ     ldzb, zk
	ADDQ     $size, koff
	JNE      ktail

	MOVQ     ldd+48(FP), koff
	MOVQ     dcol, zk
	MOVQ     m+0(FP), left
	maskmove Y0, mask, (zk)
	CMPQ     left, $2
	JLT      tailstored
	ADDQ     koff, zk
	maskmove Y1, mask, (zk)
	CMPQ     left, $3
	JLT      tailstored
	ADDQ     koff, zk
	maskmove Y2, mask, (zk)
	CMPQ     left, $4
	JLT      tailstored
	ADDQ     koff, zk
	maskmove Y3, mask, (zk)
	CMPQ     left, $5
	JLT      tailstored
	ADDQ     koff, zk
	maskmove Y4, mask, (zk)
	CMPQ     left, $6
	JLT      tailstored
	ADDQ     koff, zk
	maskmove Y5, mask, (zk)
	MOVQ     $6, left

tailstored:
	MOVQ  dcol, drow
	MOVQ  kcol, krow
	bcast c+88(FP), factor
	EXP2_CONST(EXP2_MAGIC, magic)

exptail:
	// y = c·D_ij, 2 rows × 1 vector
	secondrow(drow, ldd+48(FP), second)
	maskmove (drow), mask, Y0
	maskmove (second), mask, Y1
	mul      Y0, factor, Y0
	mul      Y1, factor, Y1

	// f = y − k, t = magic + k, S = 2^k·E, q = 2^f/E − 1, K_ij = q·S + S
	EXP2_CONST(EXP2_LEAST, least)
	EXP2_SPLIT(Y0, Y4, Y8, tmp)
	EXP2_SPLIT(Y1, Y5, Y9, tmp)
	EXP2_LOOKUP(Y4, Y8, tmp, least)
	EXP2_LOOKUP(Y5, Y9, tmp, least)
	EXP2_UPPER2(tmp)
	EXP2_LOWER2(tmp)
	EXP2_LAST(Y8, Y4)
	EXP2_LAST(Y9, Y5)
	compareint c+88(FP), $0
	JGE        tailover

tailstore:
	ADDQ     ldd+48(FP), drow
	ADDQ     ldd+48(FP), drow
	secondrow(krow, ldk+32(FP), second)
	maskmove Y8, mask, (krow)
	maskmove Y9, mask, (second)
	MOVQ     second, krow
	ADDQ     ldk+32(FP), krow
	SUBQ     $2, left
	JGT      exptail

	// a second, partial vector follows if columns are left
	ADDQ $32, dcol
	ADDQ $32, kcol
	ADDQ $32, zt+72(FP)
	MOVQ zt+72(FP), zk
	MOVQ d+16(FP), koff
	NEGQ koff
	MOVQ n+8(FP), second
	ADDQ $64, second
	CMPQ zk, second
	JCS  coltail

rowdone:
	// move to the first column of the next six rows
	SUBQ dist+40(FP), dcol
	SUBQ dcol, zt+72(FP)
	MOVQ ldx+64(FP), koff
	LEAQ (koff)(koff*2), koff
	SHLQ $1, koff
	ADDQ koff, x+56(FP)
	MOVQ ldd+48(FP), koff
	LEAQ (koff)(koff*2), koff
	SHLQ $1, koff
	ADDQ koff, dist+40(FP)
	MOVQ ldk+32(FP), koff
	LEAQ (koff)(koff*2), koff
	SHLQ $1, koff
	ADDQ koff, k+24(FP)
	SUBQ $6, m+0(FP)
	JGT  rowloop
	VZEROUPPER
	RET

	// c ≥ 0: compute y again, and set K to +Inf where y is at least the upper limit
over:
	secondrow(drow, ldd+48(FP), second)
	mul (drow), factor, Y0
	mul 32(drow), factor, Y1
	mul (second), factor, Y2
	mul 32(second), factor, Y3
	EXP2_OVER(Y0, Y8, tmp, least)
	EXP2_OVER(Y1, Y9, tmp, least)
	EXP2_OVER(Y2, Y10, tmp, least)
	EXP2_OVER(Y3, Y11, tmp, least)
	JMP expstore

tailover:
	secondrow(drow, ldd+48(FP), second)
	maskmove (drow), mask, Y0
	maskmove (second), mask, Y1
	mul      Y0, factor, Y0
	mul      Y1, factor, Y1
	EXP2_OVER(Y0, Y8, tmp, least)
	EXP2_OVER(Y1, Y9, tmp, least)
	JMP      tailstore
