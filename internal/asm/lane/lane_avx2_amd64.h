// All kernels of this folder except rows, for both types, AVX2 + FMA. The including file includes
// type_amd64.h for the type and defines the function names. Each kernel except mul computes one half of the
// problems, then the other half.

TEXT COLUMNS, NOSPLIT, $0-40
	XORL half, half

addhalf:
	MOVQ m+0(FP), left
	MOVQ n+8(FP), bytes
	MOVQ q+16(FP), vec
	MOVQ k+24(FP), row
	MOVQ u+32(FP), ui
	SHLQ $6, bytes
	ADDQ half, vec
	ADDQ half, row
	ADDQ half, ui
	LEAQ (vec)(bytes*1), end
	LEAQ (bytes)(bytes*2), bytes3

addrow:
	move (ui), Y0
	move 64(ui), Y1
	move 128(ui), Y2
	move 192(ui), Y3
	MOVQ vec, to

addloop:
	ADD4(0, Y4)
	ADD4(64, Y5)
	ADDQ $128, row
	ADDQ $128, to
	CMPQ to, end
	JLT  addloop
	ADDQ bytes3, row
	ADDQ $256, ui
	SUBQ $4, left
	JNE  addrow
	XORQ $32, half
	JNE  addhalf
	VZEROUPPER
	RET

TEXT DIVIDE, NOSPLIT, $0-57
	XORL half, half

dividehalf:
	MOVQ     n+0(FP), left
	MOVQ     x+8(FP), to
	MOVQ     a+16(FP), ui
	MOVQ     y+24(FP), vec
	MOVQ     lo+32(FP), at
	move     (at)(half*1), Y10
	MOVQ     hi+40(FP), at
	move     (at)(half*1), Y11
	MOVQ     outside+48(FP), at
	ADDQ     half, at
	ADDQ     half, to
	ADDQ     half, ui
	ADDQ     half, vec
	VXORPS   Y12, Y12, Y12
	VXORPS   Y13, Y13, Y13
	VXORPS   Y14, Y14, Y14
	VPCMPEQD Y15, Y15, Y15
	CMPB     clear+56(FP), $0
	JEQ      divideloop
	VMOVAPS  Y15, Y13

divideloop:
	// x_i = a_i / y_i, or 0 if clear is set and a_i is 0 (with clear, all bits of Y13 are set)
	move    (ui), Y0
	compare $0, Y12, Y0, Y2
	div     (vec), Y0, Y1
	VANDPS  Y2, Y13, Y3
	VANDNPS Y1, Y3, Y1
	move    Y1, (to)

	// set Y14 where x_i is not between lo and hi, unless a_i = x_i = 0
	compare $2, Y1, Y10, Y4
	compare $2, Y11, Y1, Y5
	compare $0, Y12, Y1, Y6
	VANDPS  Y4, Y5, Y4
	VANDPS  Y2, Y6, Y2
	VORPS   Y2, Y4, Y4
	VANDNPS Y15, Y4, Y4
	VORPS   Y4, Y14, Y14
	ADDQ    $64, ui
	ADDQ    $64, vec
	ADDQ    $64, to
	DECQ    left
	JNE     divideloop

	// set outside to NaN for each problem whose lane of Y14 is set
	VORPS (at), Y14, Y0
	move  Y0, (at)
	XORQ  $32, half
	JNE   dividehalf
	VZEROUPPER
	RET

TEXT SQEUCLIDEAN, NOSPLIT, $0-48
	XORL half, half

disthalf:
	MOVQ m+0(FP), left
	MOVQ n+8(FP), end
	MOVQ d+16(FP), bytes
	MOVQ dst+24(FP), to
	MOVQ x+32(FP), row
	SHLQ $6, bytes
	LEAQ (bytes)(bytes*2), bytes3
	ADDQ half, to
	ADDQ half, row

distrow:
	MOVQ y+40(FP), vec
	ADDQ half, vec
	MOVQ end, more

distcolumns:
	// the sums of four columns
	ZERO4(Y0, Y1, Y2, Y3)
	XORL  at, at
	TESTQ bytes, bytes
	JEQ   diststore

distloop:
	// sum_j = fma(x_il − y_jl, x_il − y_jl, sum_j)
	move (row)(at*1), Y8
	SQUARE((vec), Y4, Y0)
	SQUARE((vec)(bytes*1), Y5, Y1)
	SQUARE((vec)(bytes*2), Y6, Y2)
	SQUARE((vec)(bytes3*1), Y7, Y3)
	ADDQ $64, vec
	ADDQ $64, at
	CMPQ at, bytes
	JLT  distloop

diststore:
	move Y0, (to)
	move Y1, 64(to)
	move Y2, 128(to)
	move Y3, 192(to)
	ADDQ $256, to
	ADDQ bytes3, vec
	SUBQ $4, more
	JNE  distcolumns
	ADDQ bytes, row
	DECQ left
	JNE  distrow
	XORQ $32, half
	JNE  disthalf
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
	move (row), Y0
	move 32(row), Y1
	mul  (vec), Y0, Y0
	mul  32(vec), Y1, Y1
	move Y0, (to)
	move Y1, 32(to)
	ADDQ $64, row
	ADDQ bytes, vec
	ADDQ $64, to
	DECQ left
	JNE  mulloop
	VZEROUPPER
	RET
