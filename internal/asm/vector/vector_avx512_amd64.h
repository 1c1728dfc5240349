// This file contains the kernels affine and maximum for the type that the including file defines.

// func affine(n int, dst, x *T, c, s, b T)
TEXT AFFINE(SB), NOSPLIT, $0-affineargs
	MOVQ  n+0(FP), bytes
	MOVQ  dst+8(FP), dp
	MOVQ  x+16(FP), xp
	bcast c+24(FP), Z2
	bcast sarg, Z3
	bcast barg, Z1
	SHLQ  $logsize, bytes
	XORL  at, at

loop:
	move   (xp)(at*1), Z0
	sub    Z2, Z0, Z0
	fma213 Z1, Z3, Z0
	move   Z0, (dp)(at*1)
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
	move (dp), Z2
	SHLQ $logsize, bytes
	XORL at, at

loop:
	move   (xp)(at*1), Z0
	larger Z2, Z0, Z2
	ADDQ   $64, at
	CMPQ   at, bytes
	JLT    loop

	move Z2, (dp)
	VZEROUPPER
	RET
