// h_j = max(h_j, f_i − c M_ij): logColumnMax of logscale_neon_arm64.s.

	LSL  $ESHIFT, ldkb
	SUBS $(4*LANES), cols, left
	BLT  vectors

colloop:
	MOVD  m+0(FP), rows
	MOVD  f+40(FP), ap
	MOVD  mp, src
	FLDPQ (vp), (F0, F1)
	FLDPQ 32(vp), (F2, F3)

iloop:
	// x = fma(−c, M_ij, f_i);  h_j = x where x > h_j
	FLDPQ (src), (F16, F17)
	FLDPQ 32(src), (F18, F19)
	ADD   ldkb, src
	LDDUP_P(ap, V4)
	VMOV  V4.B16, V5.B16
	VMOV  V4.B16, V6.B16
	VMOV  V4.B16, V7.B16
	FMLS_E(4, 16, 27, 0)
	FMLS_E(5, 17, 27, 0)
	FMLS_E(6, 18, 27, 0)
	FMLS_E(7, 19, 27, 0)
	FCMGT(16, 4, 0)
	FCMGT(17, 5, 1)
	FCMGT(18, 6, 2)
	FCMGT(19, 7, 3)
	BIT_16B(0, 4, 16)
	BIT_16B(1, 5, 17)
	BIT_16B(2, 6, 18)
	BIT_16B(3, 7, 19)
	SUBS  $1, rows
	BNE   iloop

	FSTPQ.P (F0, F1), 32(vp)
	FSTPQ.P (F2, F3), 32(vp)
	ADD     $64, mp
	SUBS    $(4*LANES), left
	BGE     colloop

vectors:
	ADD $(4*LANES), left

vnext:
	// the same, a register or part of one
	CMP  $0, left
	BLE  done
	MOVD m+0(FP), rows
	MOVD f+40(FP), ap
	MOVD mp, src
	VEOR V0.B16, V0.B16, V0.B16
	LDANY(vp, left, F0, V0, spare)

viloop:
	LDANY(src, left, F16, V16, spare)
	ADD  ldkb, src
	LDDUP_P(ap, V4)
	FMLS_E(4, 16, 27, 0)
	FCMGT(16, 4, 0)
	BIT_16B(0, 4, 16)
	SUBS $1, rows
	BNE  viloop

	STANY(F0, V0, vp, left, spare)
	ADD $16, vp
	ADD $16, mp
	SUB $LANES, left
	B   vnext

done:
	RET
