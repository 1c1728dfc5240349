// dst_i = x_i / y_i.

	SUBS $(4*LANES), count
	BLT  vectors

loop:
	// dst_i = x_i / y_i, four registers
	FLDPQ   32(xp), (F2, F3)
	FLDPQ.P 64(xp), (F0, F1)
	FLDPQ   32(yp), (F6, F7)
	FLDPQ.P 64(yp), (F4, F5)
	FDIV(0, 0, 4)
	FDIV(1, 1, 5)
	FDIV(2, 2, 6)
	FDIV(3, 3, 7)
	FSTPQ.P (F0, F1), 32(dp)
	FSTPQ.P (F2, F3), 32(dp)
	SUBS    $(4*LANES), count
	BGE     loop

vectors:
	// dst_i = x_i / y_i, one register
	ADDS $(3*LANES), count
	BLT  tail

vloop:
	FMOVQ.P 16(xp), F0
	FMOVQ.P 16(yp), F4
	FDIV(0, 0, 4)
	FMOVQ.P F0, 16(dp)
	SUBS    $LANES, count
	BGE     vloop

tail:
	// dst_i = x_i / y_i, the last, partial register
	ADDS $LANES, count
	BEQ  done
	LDPART(xp, count, F0, V0, spare)
	LDPART(yp, count, F4, V4, spare)
	FDIV(0, 0, 4)
	STPART(F0, V0, dp, count, spare)

done:
	RET
