// The kernels sums and add: parts of a pass over the matrix K with a block of four vectors, for all types, AVX-512.
// The including file includes type_amd64.h for the types and defines the function names SUMS and ADD.

TEXT SUMS, NOSPLIT, $0-56
	MOVQ m+0(FP), rows
	MOVQ n+8(FP), bytes
	MOVQ k+16(FP), row
	MOVQ ldk+24(FP), ld
	MOVQ lanes+48(FP), lane
	SHLQ $logk, bytes
	SHLQ $logk, ld
	LEAQ (ld)(ld*2), ld3
	MOVQ v+32(FP), AX
	MOVQ j+40(FP), c
	SLICES(AX, x0, x1, x2, x3)
	FROM(c, x0, x1, x2, x3)

sumrow:
	// Z(4s+r) holds the lanes of row r and vector s
	move (lane), Z0
	move 256(lane), Z1
	move 512(lane), Z2
	move 768(lane), Z3
	move 64(lane), Z4
	move 320(lane), Z5
	move 576(lane), Z6
	move 832(lane), Z7
	move 128(lane), Z8
	move 384(lane), Z9
	move 640(lane), Z10
	move 896(lane), Z11
	move 192(lane), Z12
	move 448(lane), Z13
	move 704(lane), Z14
	move 960(lane), Z15
	XORL c, c

sumloop:
	// lane[r, s] = fma(K_rj, v_sj, lane[r, s])
	TAKE((row), Z16)
	TAKE((row)(ld*1), Z17)
	TAKE((row)(ld*2), Z18)
	TAKE((row)(ld3*1), Z19)
	move (x0)(c*twice), Z20
	move (x1)(c*twice), Z21
	move (x2)(c*twice), Z22
	move (x3)(c*twice), Z23
	fma  Z16, Z20, Z0
	fma  Z17, Z20, Z1
	fma  Z18, Z20, Z2
	fma  Z19, Z20, Z3
	fma  Z16, Z21, Z4
	fma  Z17, Z21, Z5
	fma  Z18, Z21, Z6
	fma  Z19, Z21, Z7
	fma  Z16, Z22, Z8
	fma  Z17, Z22, Z9
	fma  Z18, Z22, Z10
	fma  Z19, Z22, Z11
	fma  Z16, Z23, Z12
	fma  Z17, Z23, Z13
	fma  Z18, Z23, Z14
	fma  Z19, Z23, Z15
	ADDQ $step, row
	ADDQ $step, c
	CMPQ c, bytes
	JLT  sumloop

	move Z0, (lane)
	move Z1, 256(lane)
	move Z2, 512(lane)
	move Z3, 768(lane)
	move Z4, 64(lane)
	move Z5, 320(lane)
	move Z6, 576(lane)
	move Z7, 832(lane)
	move Z8, 128(lane)
	move Z9, 384(lane)
	move Z10, 640(lane)
	move Z11, 896(lane)
	move Z12, 192(lane)
	move Z13, 448(lane)
	move Z14, 704(lane)
	move Z15, 960(lane)
	ADDQ $1024, lane
	SUBQ bytes, row
	LEAQ (row)(ld*4), row
	SUBQ $4, rows
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
	LEAQ (ld)(ld*2), ld3
	MOVQ q+48(FP), AX
	MOVQ j+56(FP), c
	SLICES(AX, x0, x1, x2, x3)
	FROM(c, x0, x1, x2, x3)

addrow:
	// Z(4s+r) holds u_sr
	MOVQ u+32(FP), AX
	MOVQ (AX), c
	FOUR(c, Z0, Z1, Z2, Z3)
	MOVQ 24(AX), c
	FOUR(c, Z4, Z5, Z6, Z7)
	MOVQ 48(AX), c
	FOUR(c, Z8, Z9, Z10, Z11)
	MOVQ 72(AX), c
	FOUR(c, Z12, Z13, Z14, Z15)
	XORL c, c

addloop:
	// q_sj = fma(K_rj, u_sr, q_sj), r ascending
	TAKE((row), Z16)
	TAKE((row)(ld*1), Z17)
	TAKE((row)(ld*2), Z18)
	TAKE((row)(ld3*1), Z19)
	move (x0)(c*twice), Z20
	move (x1)(c*twice), Z21
	move (x2)(c*twice), Z22
	move (x3)(c*twice), Z23
	fma  Z16, Z0, Z20
	fma  Z16, Z4, Z21
	fma  Z16, Z8, Z22
	fma  Z16, Z12, Z23
	fma  Z17, Z1, Z20
	fma  Z17, Z5, Z21
	fma  Z17, Z9, Z22
	fma  Z17, Z13, Z23
	fma  Z18, Z2, Z20
	fma  Z18, Z6, Z21
	fma  Z18, Z10, Z22
	fma  Z18, Z14, Z23
	fma  Z19, Z3, Z20
	fma  Z19, Z7, Z21
	fma  Z19, Z11, Z22
	fma  Z19, Z15, Z23
	move Z20, (x0)(c*twice)
	move Z21, (x1)(c*twice)
	move Z22, (x2)(c*twice)
	move Z23, (x3)(c*twice)
	ADDQ $step, row
	ADDQ $step, c
	CMPQ c, bytes
	JLT  addloop
	ADDQ $4, ui
	SUBQ bytes, row
	LEAQ (row)(ld*4), row
	SUBQ $4, rows
	JNE  addrow
	VZEROUPPER
	RET
