// The kernels sums and add: parts of a pass over the matrix K with a block of four vectors, for all types, AVX2 + FMA.
// The including file includes type_amd64.h for the types and defines the function names SUMS and ADD.

TEXT SUMS, NOSPLIT, $0-56
	MOVQ m+0(FP), rows
	MOVQ n+8(FP), bytes
	MOVQ k+16(FP), row
	MOVQ ldk+24(FP), ld
	MOVQ lanes+48(FP), lane
	SHLQ $logk, bytes
	SHLQ $logk, ld
	MOVQ v+32(FP), AX
	MOVQ j+40(FP), c
	SLICES(AX, x0, x1, x2, x3)
	FROM(c, x0, x1, x2, x3)

sumrow:
	LEAQ (row)(ld*1), row1
	XORL h, h

sumhalf:
	// Y(2s+r) holds half of the lanes of row r and vector s
	move (lane)(h*twice), Y0
	move 256(lane)(h*twice), Y1
	move 64(lane)(h*twice), Y2
	move 320(lane)(h*twice), Y3
	move 128(lane)(h*twice), Y4
	move 384(lane)(h*twice), Y5
	move 192(lane)(h*twice), Y6
	move 448(lane)(h*twice), Y7
	MOVQ h, c

sumloop:
	// lane[r, s] = fma(K_rj, v_sj, lane[r, s])
	TAKE((row)(c*1), Y8)
	TAKE((row1)(c*1), Y9)
	move (x0)(c*twice), Y10
	move (x1)(c*twice), Y11
	move (x2)(c*twice), Y12
	move (x3)(c*twice), Y13
	fma  Y8, Y10, Y0
	fma  Y9, Y10, Y1
	fma  Y8, Y11, Y2
	fma  Y9, Y11, Y3
	fma  Y8, Y12, Y4
	fma  Y9, Y12, Y5
	fma  Y8, Y13, Y6
	fma  Y9, Y13, Y7
	ADDQ $step, c
	CMPQ c, bytes
	JLT  sumloop

	move Y0, (lane)(h*twice)
	move Y1, 256(lane)(h*twice)
	move Y2, 64(lane)(h*twice)
	move Y3, 320(lane)(h*twice)
	move Y4, 128(lane)(h*twice)
	move Y5, 384(lane)(h*twice)
	move Y6, 192(lane)(h*twice)
	move Y7, 448(lane)(h*twice)
	ADDQ $(step/2), h
	CMPQ h, $step
	JLT  sumhalf
	ADDQ $512, lane
	LEAQ (row)(ld*2), row
	SUBQ $2, rows
	JNE  sumrow
	VZEROUPPER
	RET

TEXT ADD, NOSPLIT, $0-64
	MOVQ m+0(FP), rows
	MOVQ n+8(FP), bytes
	MOVQ k+16(FP), row
	MOVQ ldk+24(FP), ld
	MOVQ i+40(FP), ui
	SHLQ $logk, bytes
	SHLQ $logk, ld
	MOVQ q+48(FP), AX
	MOVQ j+56(FP), c
	SLICES(AX, x0, x1, x2, x3)
	FROM(c, x0, x1, x2, x3)

addrow:
	// Y(2s+r) holds u_sr
	MOVQ  u+32(FP), AX
	MOVQ  (AX), c
	bcast (c)(ui*size), Y0
	bcast size(c)(ui*size), Y1
	MOVQ  24(AX), c
	bcast (c)(ui*size), Y2
	bcast size(c)(ui*size), Y3
	MOVQ  48(AX), c
	bcast (c)(ui*size), Y4
	bcast size(c)(ui*size), Y5
	MOVQ  72(AX), c
	bcast (c)(ui*size), Y6
	bcast size(c)(ui*size), Y7
	LEAQ  (row)(ld*1), row1
	XORL  c, c

addloop:
	// q_sj = fma(K_rj, u_sr, q_sj), r ascending
	TAKE((row)(c*1), Y8)
	TAKE((row1)(c*1), Y9)
	move (x0)(c*twice), Y10
	move (x1)(c*twice), Y11
	move (x2)(c*twice), Y12
	move (x3)(c*twice), Y13
	fma  Y8, Y0, Y10
	fma  Y8, Y2, Y11
	fma  Y8, Y4, Y12
	fma  Y8, Y6, Y13
	fma  Y9, Y1, Y10
	fma  Y9, Y3, Y11
	fma  Y9, Y5, Y12
	fma  Y9, Y7, Y13
	move Y10, (x0)(c*twice)
	move Y11, (x1)(c*twice)
	move Y12, (x2)(c*twice)
	move Y13, (x3)(c*twice)
	ADDQ $(step/2), c
	CMPQ c, bytes
	JLT  addloop
	ADDQ $2, ui
	LEAQ (row)(ld*2), row
	SUBQ $2, rows
	JNE  addrow
	VZEROUPPER
	RET
