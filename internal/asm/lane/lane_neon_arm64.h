// All kernels of this folder except rows, for both types, NEON. The including file defines the
// type and the function names. Each kernel except mul computes the problems in four quarters.

TEXT COLUMNS, NOSPLIT, $0-40
	MOVD $0, quarter

addquarter:
	MOVD m+0(FP), left
	MOVD n+8(FP), bytes
	MOVD q+16(FP), vec
	MOVD k+24(FP), row
	MOVD u+32(FP), ui
	LSL  $6, bytes
	ADD  quarter, vec
	ADD  quarter, row
	ADD  quarter, ui
	ADD  bytes, vec, end

addrow:
	FMOVQ (ui), F0
	FMOVQ 64(ui), F1
	FMOVQ 128(ui), F2
	FMOVQ 192(ui), F3
	ADD   bytes, row, row1
	ADD   bytes, row1, row2
	ADD   bytes, row2, row3
	MOVD  vec, to

addloop:
	// q_j = fma(u_i, K_ij, q_j), i ascending over four rows
	FMOVQ   (to), F4
	FMOVQ.P 64(row), F16
	FMOVQ.P 64(row1), F17
	FMOVQ.P 64(row2), F18
	FMOVQ.P 64(row3), F19
	FMLA(4, 16, 0)
	FMLA(4, 17, 1)
	FMLA(4, 18, 2)
	FMLA(4, 19, 3)
	FMOVQ   F4, (to)
	ADD     $64, to
	CMP     end, to
	BLT     addloop
	MOVD    row3, row
	ADD     $256, ui
	SUBS    $4, left
	BNE     addrow
	ADD     $16, quarter
	CMP     $64, quarter
	BNE     addquarter
	RET

TEXT DIVIDE, NOSPLIT, $0-57
	MOVD $0, quarter
	VEOR V12.B16, V12.B16, V12.B16
	FCMEQ(15, 12, 12)
	MOVBU clear+56(FP), at
	VEOR  V13.B16, V13.B16, V13.B16
	CBZ   at, dividequarter
	FCMEQ(13, 12, 12)

dividequarter:
	MOVD  n+0(FP), left
	MOVD  x+8(FP), to
	MOVD  a+16(FP), ui
	MOVD  y+24(FP), vec
	MOVD  lo+32(FP), at
	ADD   quarter, at
	FMOVQ (at), F10
	MOVD  hi+40(FP), at
	ADD   quarter, at
	FMOVQ (at), F11
	MOVD  outside+48(FP), at
	ADD   quarter, at
	FMOVQ (at), F14
	ADD   quarter, to
	ADD   quarter, ui
	ADD   quarter, vec

divideloop:
	// x_i = a_i / y_i, or 0 if clear is set and a_i is 0 (with clear, all bits of V13 are set)
	FMOVQ.P 64(ui), F0
	FMOVQ.P 64(vec), F1
	FCMEQ(2, 0, 12)
	FDIV(1, 0, 1)
	VAND    V2.B16, V13.B16, V3.B16
	BIC_16B(1, 1, 3)
	FMOVQ.P F1, 64(to)

	// set V14 where x_i is not between lo and hi, unless a_i = x_i = 0
	FCMGE(4, 1, 10)
	FCMGE(5, 11, 1)
	FCMEQ(6, 1, 12)
	VAND V4.B16, V5.B16, V4.B16
	VAND V2.B16, V6.B16, V2.B16
	VORR V2.B16, V4.B16, V4.B16
	BIC_16B(4, 15, 4)
	VORR V4.B16, V14.B16, V14.B16
	SUBS $1, left
	BNE  divideloop

	FMOVQ F14, (at)
	ADD   $16, quarter
	CMP   $64, quarter
	BNE   dividequarter
	RET

TEXT SQEUCLIDEAN, NOSPLIT, $0-48
	MOVD $0, quarter

distquarter:
	MOVD m+0(FP), left
	MOVD n+8(FP), end
	MOVD d+16(FP), bytes
	MOVD dst+24(FP), to
	MOVD x+32(FP), row
	LSL  $6, bytes
	ADD  quarter, to
	ADD  quarter, row

distrow:
	MOVD y+40(FP), vec
	ADD  quarter, vec
	MOVD end, more

distcolumns:
	// the sums of four columns
	ZERO4(V0, V1, V2, V3)
	ADD  bytes, vec, row1
	ADD  bytes, row1, row2
	ADD  bytes, row2, row3
	MOVD row, at
	MOVD d+16(FP), d1
	CBZ  d1, diststore

distloop:
	// sum_j = fma(x_il − y_jl, x_il − y_jl, sum_j)
	FMOVQ.P 64(at), F8
	SQUARE(vec, F4, 4, 0)
	SQUARE(row1, F5, 5, 1)
	SQUARE(row2, F6, 6, 2)
	SQUARE(row3, F7, 7, 3)
	SUBS    $1, d1
	BNE     distloop

diststore:
	FMOVQ F0, (to)
	FMOVQ F1, 64(to)
	FMOVQ F2, 128(to)
	FMOVQ F3, 192(to)
	ADD   $256, to
	MOVD  row3, vec
	SUBS  $4, more
	BNE   distcolumns
	ADD   bytes, row
	SUBS  $1, left
	BNE   distrow
	ADD   $16, quarter
	CMP   $64, quarter
	BNE   distquarter
	RET

TEXT MUL, NOSPLIT, $0-33
	MOVD  n+0(FP), left
	MOVD  z+8(FP), to
	MOVD  x+16(FP), row
	MOVD  y+24(FP), vec
	MOVBU same+32(FP), at
	MOVD  $64, ui
	CBZ   at, mulloop
	MOVD  $0, ui

mulloop:
	FLDPQ   (vec), (F4, F5)
	FLDPQ   32(vec), (F6, F7)
	FLDPQ   32(row), (F2, F3)
	FLDPQ.P 64(row), (F0, F1)
	FMUL(0, 0, 4)
	FMUL(1, 1, 5)
	FMUL(2, 2, 6)
	FMUL(3, 3, 7)
	FSTPQ   (F2, F3), 32(to)
	FSTPQ.P (F0, F1), 64(to)
	ADD     ui, vec
	SUBS    $1, left
	BNE     mulloop
	RET
