// All kernels of this folder except rows, for both types, AVX-512. The including file includes
// type_amd64.h for the type and defines the function names.

TEXT COLUMNS, NOSPLIT, $0-40
	MOVQ m+0(FP), left
	MOVQ n+8(FP), bytes
	MOVQ q+16(FP), vec
	MOVQ k+24(FP), row
	MOVQ u+32(FP), ui
	SHLQ $6, bytes
	LEAQ (vec)(bytes*1), end
	LEAQ (bytes)(bytes*2), bytes3

addrow:
	move (ui), Z0
	move 64(ui), Z1
	move 128(ui), Z2
	move 192(ui), Z3
	MOVQ vec, to

addloop:
	ADD4(0, Z4)
	ADD4(64, Z5)
	ADDQ $128, row
	ADDQ $128, to
	CMPQ to, end
	JLT  addloop
	ADDQ bytes3, row
	ADDQ $256, ui
	SUBQ $4, left
	JNE  addrow
	VZEROUPPER
	RET

TEXT DIVIDE, NOSPLIT, $0-57
	MOVQ   n+0(FP), left
	MOVQ   x+8(FP), to
	MOVQ   a+16(FP), ui
	MOVQ   y+24(FP), vec
	MOVQ   lo+32(FP), at
	move   (at), Z10
	MOVQ   hi+40(FP), at
	move   (at), Z11
	MOVQ   outside+48(FP), at
	VPXORQ Z12, Z12, Z12
	KXORW  K5, K5, K5
	KXORW  K4, K4, K4
	CMPB   clear+56(FP), $0
	JNE    divideloop
	KXNORW K4, K4, K4

divideloop:
	// x_i = a_i / y_i, or 0 if clear is set and a_i is 0 (without clear, all bits of K4 are set)
	move    (ui), Z0
	compare $0, Z12, Z0, K1
	KNOTW   K1, K2
	KORW    K2, K4, K2
	div     (vec), Z0, Z1
	move.Z  Z1, K2, Z1
	move    Z1, (to)

	// set K5 where x_i is not between lo and hi, unless a_i = x_i = 0
	compare $2, Z1, Z10, K2
	compare $2, Z11, Z1, K2, K2
	compare $0, Z12, Z1, K1, K1
	KORW    K1, K2, K2
	KNOTW   K2, K2
	KORW    K2, K5, K5
	ADDQ    $64, ui
	ADDQ    $64, vec
	ADDQ    $64, to
	DECQ    left
	JNE     divideloop

	// set outside to NaN for each problem whose bit of K5 is set
	VPTERNLOGD $0xff, Z0, Z0, Z0
	move       Z0, K5, (at)
	VZEROUPPER
	RET

TEXT SQEUCLIDEAN, NOSPLIT, $0-48
	MOVQ m+0(FP), left
	MOVQ n+8(FP), end
	MOVQ d+16(FP), bytes
	MOVQ dst+24(FP), to
	MOVQ x+32(FP), row
	SHLQ $6, bytes
	LEAQ (bytes)(bytes*2), bytes3

distrow:
	MOVQ y+40(FP), vec
	MOVQ end, more

distcolumns:
	// the sums of four columns
	ZERO4(Z0, Z1, Z2, Z3)
	XORL  at, at
	TESTQ bytes, bytes
	JEQ   diststore

distloop:
	// sum_j = fma(x_il − y_jl, x_il − y_jl, sum_j)
	move (row)(at*1), Z8
	SQUARE((vec), Z4, Z0)
	SQUARE((vec)(bytes*1), Z5, Z1)
	SQUARE((vec)(bytes*2), Z6, Z2)
	SQUARE((vec)(bytes3*1), Z7, Z3)
	ADDQ $64, vec
	ADDQ $64, at
	CMPQ at, bytes
	JLT  distloop

diststore:
	move Z0, (to)
	move Z1, 64(to)
	move Z2, 128(to)
	move Z3, 192(to)
	ADDQ $256, to
	ADDQ bytes3, vec
	SUBQ $4, more
	JNE  distcolumns
	ADDQ bytes, row
	DECQ left
	JNE  distrow
	VZEROUPPER
	RET

TEXT MUL, NOSPLIT, $0-33
	MOVQ n+0(FP), left
	MOVQ z+8(FP), to
	MOVQ x+16(FP), row
	MOVQ y+24(FP), vec
	MOVL $64, bytes
	CMPB same+32(FP), $0
	JEQ  mulloop
	XORL bytes, bytes

mulloop:
	move (row), Z0
	mul  (vec), Z0, Z0
	move Z0, (to)
	ADDQ $64, row
	ADDQ bytes, vec
	ADDQ $64, to
	DECQ left
	JNE  mulloop
	VZEROUPPER
	RET
