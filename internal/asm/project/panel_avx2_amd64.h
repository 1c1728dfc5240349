// The body of panel_avx2_amd64.s, for the type that this file defines.

	MOVQ  m+0(FP), left
	SHRQ  $2, left
	MOVQ  y+16(FP), ytile
	MOVQ  ldy+24(FP), ldyb
	SHLQ  $logsize, ldyb
	MOVQ  a+32(FP), ak
	MOVQ  r+48(FP), ri
	MOVQ  s+56(FP), sj
	MOVQ  h+72(FP), hj

	// ahead = &b[d*w]
	MOVQ  d+8(FP), ahead
	IMULQ $96, ahead
	ADDQ  b+40(FP), ahead

tileloop:
	MOVQ  b+40(FP), bk
	MOVQ  d+8(FP), steps
	LEAQ  (ytile)(ldyb*2), ythird
	TESTQ ri, ri
	JEQ   more

	// y_ij = r_i + s_j
	sums((ri), Y0, Y1, Y2)
	sums(size(ri), Y3, Y4, Y5)
	sums((2*size)(ri), Y6, Y7, Y8)
	sums((3*size)(ri), Y9, Y10, Y11)
	ADDQ  $(4*size), ri
	JMP   sum

more:
	// or y_ij = y
	move (ytile), Y0
	move 32(ytile), Y1
	move 64(ytile), Y2
	move (ytile)(ldyb*1), Y3
	move 32(ytile)(ldyb*1), Y4
	move 64(ytile)(ldyb*1), Y5
	move (ythird), Y6
	move 32(ythird), Y7
	move 64(ythird), Y8
	move (ythird)(ldyb*1), Y9
	move 32(ythird)(ldyb*1), Y10
	move 64(ythird)(ldyb*1), Y11

sum:
	LEAQ (ythird)(ldyb*2), temp
	fetch
	LEAQ (temp)(ldyb*2), temp
	fetch
	SUBQ $4, steps
	JLT  few

	PCALIGN $32

kloop:
	// y_ij += a_ik·b_kj, four k in each iteration
	step(0)
	step(1)
	PREFETCHT1 (ahead)
	ADDQ $32, ahead
	step(2)
	step(3)
	ADDQ $(16*size), ak
	ADDQ $384, bk
	SUBQ $4, steps
	JGE  kloop

few:
	ADDQ $4, steps
	JEQ  store

ktail:
	step(0)
	ADDQ $(4*size), ak
	ADDQ $96, bk
	DECQ steps
	JNE  ktail

store:
	move  Y0, (ytile)
	move  Y1, 32(ytile)
	move  Y2, 64(ytile)
	move  Y3, (ytile)(ldyb*1)
	move  Y4, 32(ytile)(ldyb*1)
	move  Y5, 64(ytile)(ldyb*1)
	move  Y6, (ythird)
	move  Y7, 32(ythird)
	move  Y8, 64(ythird)
	move  Y9, (ythird)(ldyb*1)
	move  Y10, 32(ythird)(ldyb*1)
	move  Y11, 64(ythird)(ldyb*1)
	TESTQ hj, hj
	JEQ   next

	// h_j = max(h_j, f_i − y_ij)
	MOVQ f+64(FP), temp
	move (hj), Y12
	move 32(hj), Y13
	move 64(hj), Y15
	highest((temp), Y0, Y1, Y2)
	highest(size(temp), Y3, Y4, Y5)
	highest((2*size)(temp), Y6, Y7, Y8)
	highest((3*size)(temp), Y9, Y10, Y11)
	move Y12, (hj)
	move Y13, 32(hj)
	move Y15, 64(hj)
	ADDQ $(4*size), temp
	MOVQ temp, f+64(FP)

next:
	// next four rows
	LEAQ (ythird)(ldyb*2), ytile
	DECQ left
	JNE  tileloop
	VZEROUPPER
	RET
