// The AVX2 body for either element type. The including file defines size and
// logsize, an element's bytes and their logarithm, and names the instructions of
// its type: move, bcast, maskmove, sub, mul, fma.
//
// Arguments in memory change their meaning: d and ldx are counted in bytes, x
// points behind the d elements of the group's first row, dst to its first row of
// sums, n holds the address of the last full tile's columns in zt, and m the rows
// that are left.

// p = q + ldx; but p = q if the group has not more than r rows, so that a short
// group computes its last row again and stores only what it has.
#define nextrow(q, r, p) \
	LEAQ    (q)(koff*1), p; \
	CMPQ    m+0(FP), $r; \
	CMOVQLE q, p

// s0 and s1 take (x_ik − z_jk)² of two vectors of columns.
#define row(x, s0, s1) \
	bcast x, Y15; \
	sub   Y12, Y15, Y14; \
	sub   Y13, Y15, Y15; \
	fma   Y14, Y14, s0; \
	fma   Y15, Y15, s1

// One k of the whole tile.
#define step(e) \
	row(e(p0)(koff*1), Y0, Y1); \
	row(e(p1)(koff*1), Y2, Y3); \
	row(e(p2)(koff*1), Y4, Y5); \
	row(e(p3)(koff*1), Y6, Y7); \
	row(e(p4)(koff*1), Y8, Y9); \
	row(e(p5)(koff*1), Y10, Y11)

// The first k, where D_ij = 0 before: 0 + difference² is the product.
#define row0(x, s0, s1) \
	bcast x, s1; \
	sub   Y12, s1, s0; \
	sub   Y13, s1, s1; \
	mul   s0, s0, s0; \
	mul   s1, s1, s1

#define step0 \
	row0((p0)(koff*1), Y0, Y1); \
	row0((p1)(koff*1), Y2, Y3); \
	row0((p2)(koff*1), Y4, Y5); \
	row0((p3)(koff*1), Y6, Y7); \
	row0((p4)(koff*1), Y8, Y9); \
	row0((p5)(koff*1), Y10, Y11)

// s takes (x_ik − z_jk)² of one vector of columns.
#define row1(x, s) \
	bcast x, Y14; \
	sub   Y12, Y14, Y14; \
	fma   Y14, Y14, s

	MOVQ ldd+32(FP), lddb
	MOVQ ldz+64(FP), ldzb
	SHLQ $logsize, lddb
	SHLQ $logsize, ldzb
	SHLQ $logsize, ldx+48(FP)
	SHLQ $logsize, d+16(FP)

	// x = &x[d], n = &zt[n − a tile's columns]
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
	CMPB add+72(FP), $0
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
	// D_ij = dst; rows that are missing may start from anything
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
	// one k if their number is odd, then two at a time
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

stored:
	ADDQ $64, dcol
	ADDQ $64, zcol
	CMPQ zcol, n+8(FP)
	JLS  colloop

coltail:
	// less than a tile is left: vector by vector, the last one masked
	MOVQ    n+8(FP), zk
	ADDQ    $64, zk
	SUBQ    zcol, zk
	JEQ     rowdone
	MOVQ    $32, koff
	CMPQ    zk, koff
	CMOVQLT zk, koff
	LEAQ    tailmask<>+32(SB), zk
	SUBQ    koff, zk
	VMOVDQU (zk), Y15
	VPXOR   Y0, Y0, Y0
	VPXOR   Y1, Y1, Y1
	VPXOR   Y2, Y2, Y2
	VPXOR   Y3, Y3, Y3
	VPXOR   Y4, Y4, Y4
	VPXOR   Y5, Y5, Y5
	CMPB    add+72(FP), $0
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
	// a second, short vector follows if this one was full
	ADDQ $32, dcol
	ADDQ $32, zcol
	MOVQ n+8(FP), zk
	ADDQ $64, zk
	CMPQ zcol, zk
	JCS  coltail

rowdone:
	// six rows on
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
	// one to five rows
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
