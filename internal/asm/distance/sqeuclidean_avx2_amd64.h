// The kernel of sqEuclidean, for the type that the including file defines.

	MOVQ ldd+32(FP), lddb
	MOVQ ldz+64(FP), ldzb
	SHLQ $logsize, lddb
	SHLQ $logsize, ldzb
	SHLQ $logsize, ldx+48(FP)
	SHLQ $logsize, d+16(FP)

	// set the arguments x = &x[d] and n = &zt[n − columns of a tile]
	MOVQ d+16(FP), AX
	ADDQ AX, x+40(FP)
	MOVQ n+8(FP), AX
	SHLQ $logsize, AX
	ADDQ zt+56(FP), AX
	SUBQ $64, AX
	MOVQ AX, n+8(FP)

rowloop:
	MOVQ x+40(FP), p0
	MOVQ ldx+48(FP), koff
	nextrow(p0, 1, p1)
	nextrow(p1, 2, p2)
	nextrow(p2, 3, p3)
	nextrow(p3, 4, p4)
	nextrow(p4, 5, p5)
	MOVQ zt+56(FP), zcol
	MOVQ dst+24(FP), dcol
	CMPQ zcol, n+8(FP)
	JHI  coltail

colloop:
	MOVQ zcol, zk
	MOVQ d+16(FP), koff
	NEGQ koff
	CMPB more+72(FP), $0
	JNE  load

	// D_ij = (x_i0 − z_j0)²
	move (zk), Y12
	move 32(zk), Y13
	step0
	ADDQ ldzb, zk
	ADDQ $size, koff
	JEQ  store
	JMP  pairs

load:
	// D_ij = dst; the registers of missing rows may contain any values
	MOVQ dcol, zk
	move (zk), Y0
	move 32(zk), Y1
	CMPQ m+0(FP), $2
	JLT  loaded
	ADDQ lddb, zk
	move (zk), Y2
	move 32(zk), Y3
	CMPQ m+0(FP), $3
	JLT  loaded
	ADDQ lddb, zk
	move (zk), Y4
	move 32(zk), Y5
	CMPQ m+0(FP), $4
	JLT  loaded
	ADDQ lddb, zk
	move (zk), Y6
	move 32(zk), Y7
	CMPQ m+0(FP), $5
	JLT  loaded
	ADDQ lddb, zk
	move (zk), Y8
	move 32(zk), Y9
	CMPQ m+0(FP), $6
	JLT  loaded
	ADDQ lddb, zk
	move (zk), Y10
	move 32(zk), Y11

loaded:
	MOVQ zcol, zk

pairs:
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
	CMPQ m+0(FP), $6
	JLT  storepart
	LEAQ (lddb)(lddb*2), zk
	ADDQ dcol, zk
	move Y0, (dcol)
	move Y1, 32(dcol)
	move Y2, (dcol)(lddb*1)
	move Y3, 32(dcol)(lddb*1)
	move Y4, (dcol)(lddb*2)
	move Y5, 32(dcol)(lddb*2)
	move Y6, (zk)
	move Y7, 32(zk)
	move Y8, (zk)(lddb*1)
	move Y9, 32(zk)(lddb*1)
	move Y10, (zk)(lddb*2)
	move Y11, 32(zk)(lddb*2)
	PREFETCHT0 127(dcol)
	PREFETCHT0 127(dcol)(lddb*1)
	PREFETCHT0 127(dcol)(lddb*2)
	PREFETCHT0 127(zk)
	PREFETCHT0 127(zk)(lddb*1)
	PREFETCHT0 127(zk)(lddb*2)

stored:
	ADDQ $64, dcol
	ADDQ $64, zcol
	CMPQ zcol, n+8(FP)
	JLS  colloop

coltail:
	// fewer columns than a tile are left: one vector at a time, the last vector masked
	MOVQ    n+8(FP), zk
	ADDQ    $64, zk
	SUBQ    zcol, zk
	JEQ     rowdone
	MOVQ    $32, koff
	CMPQ    zk, koff
	CMOVQLT zk, koff
	LEAQ    tailmask<>+64(SB), zk
	SUBQ    koff, zk
	VMOVDQU (zk), Y15
	VPXOR   Y0, Y0, Y0
	VPXOR   Y1, Y1, Y1
	VPXOR   Y2, Y2, Y2
	VPXOR   Y3, Y3, Y3
	VPXOR   Y4, Y4, Y4
	VPXOR   Y5, Y5, Y5
	CMPB    more+72(FP), $0
	JEQ     tailsum

	MOVQ     dcol, zk
	maskmove (zk), Y15, Y0
	CMPQ     m+0(FP), $2
	JLT      tailsum
	ADDQ     lddb, zk
	maskmove (zk), Y15, Y1
	CMPQ     m+0(FP), $3
	JLT      tailsum
	ADDQ     lddb, zk
	maskmove (zk), Y15, Y2
	CMPQ     m+0(FP), $4
	JLT      tailsum
	ADDQ     lddb, zk
	maskmove (zk), Y15, Y3
	CMPQ     m+0(FP), $5
	JLT      tailsum
	ADDQ     lddb, zk
	maskmove (zk), Y15, Y4
	CMPQ     m+0(FP), $6
	JLT      tailsum
	ADDQ     lddb, zk
	maskmove (zk), Y15, Y5

tailsum:
	MOVQ zcol, zk
	MOVQ d+16(FP), koff
	NEGQ koff

ktail:
	// D_ij += (x_ik − z_jk)²
	maskmove (zk), Y15, Y12
	row1((p0)(koff*1), Y0)
	row1((p1)(koff*1), Y1)
	row1((p2)(koff*1), Y2)
	row1((p3)(koff*1), Y3)
	row1((p4)(koff*1), Y4)
	row1((p5)(koff*1), Y5)
	ADDQ     ldzb, zk
	ADDQ     $size, koff
	JNE      ktail

	MOVQ     dcol, zk
	maskmove Y0, Y15, (zk)
	CMPQ     m+0(FP), $2
	JLT      tailstored
	ADDQ     lddb, zk
	maskmove Y1, Y15, (zk)
	CMPQ     m+0(FP), $3
	JLT      tailstored
	ADDQ     lddb, zk
	maskmove Y2, Y15, (zk)
	CMPQ     m+0(FP), $4
	JLT      tailstored
	ADDQ     lddb, zk
	maskmove Y3, Y15, (zk)
	CMPQ     m+0(FP), $5
	JLT      tailstored
	ADDQ     lddb, zk
	maskmove Y4, Y15, (zk)
	CMPQ     m+0(FP), $6
	JLT      tailstored
	ADDQ     lddb, zk
	maskmove Y5, Y15, (zk)

tailstored:
	// a second, partial vector follows if columns are left
	ADDQ $32, dcol
	ADDQ $32, zcol
	MOVQ n+8(FP), zk
	ADDQ $64, zk
	CMPQ zcol, zk
	JCS  coltail

rowdone:
	// next six rows
	MOVQ ldx+48(FP), koff
	LEAQ (koff)(koff*2), koff
	SHLQ $1, koff
	ADDQ koff, x+40(FP)
	LEAQ (lddb)(lddb*2), koff
	SHLQ $1, koff
	ADDQ koff, dst+24(FP)
	SUBQ $6, m+0(FP)
	JGT  rowloop
	VZEROUPPER
	RET

storepart:
	// store the last one to five rows
	MOVQ dcol, zk
	move Y0, (zk)
	move Y1, 32(zk)
	CMPQ m+0(FP), $2
	JLT  stored
	ADDQ lddb, zk
	move Y2, (zk)
	move Y3, 32(zk)
	CMPQ m+0(FP), $3
	JLT  stored
	ADDQ lddb, zk
	move Y4, (zk)
	move Y5, 32(zk)
	CMPQ m+0(FP), $4
	JLT  stored
	ADDQ lddb, zk
	move Y6, (zk)
	move Y7, 32(zk)
	CMPQ m+0(FP), $5
	JLT  stored
	ADDQ lddb, zk
	move Y8, (zk)
	move Y9, 32(zk)
	JMP  stored
