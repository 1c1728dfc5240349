// This file contains the kernels affine and maximum for the type that the including file defines.

// func affine(n int, dst, x *T, c, s, b T)
TEXT AFFINE(SB), NOSPLIT, $0-affineargs
	MOVQ  n+0(FP), bytes
	MOVQ  dst+8(FP), dp
	MOVQ  x+16(FP), xp
	bcast c+24(FP), Y2
	bcast sarg, Y3
	bcast barg, Y4
	SHLQ  $logsize, bytes
	XORL  at, at

loop:
	move   (xp)(at*1), Y0
	move   32(xp)(at*1), Y1
	sub    Y2, Y0, Y0
	sub    Y2, Y1, Y1
	fma213 Y4, Y3, Y0
	fma213 Y4, Y3, Y1
	move   Y0, (dp)(at*1)
	move   Y1, 32(dp)(at*1)
	ADDQ   $64, at
	CMPQ   at, bytes
	JLT    loop

	VZEROUPPER
	RET

// func maximum(n int, acc, x *T)
TEXT MAXIMUM(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), bytes
	MOVQ acc+8(FP), dp
	MOVQ x+16(FP), xp
	move (dp), Y2
	move 32(dp), Y3
	SHLQ $logsize, bytes
	XORL at, at

loop:
	move   (xp)(at*1), Y0
	move   32(xp)(at*1), Y1
	larger Y2, Y0, Y2
	larger Y3, Y1, Y3
	ADDQ   $64, at
	CMPQ   at, bytes
	JLT    loop

	move Y2, (dp)
	move Y3, 32(dp)
	VZEROUPPER
	RET
