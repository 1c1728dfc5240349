// The loops of logColumnSum, s_j += 2^(f_i − c M_ij − h_j), or, if PLAN is defined, of logPlan,
// T_ij = 2^((g_j − c M_ij) + f_i), for logscale_neon_arm64.s. logColumnSum sets ldtb to 0, so qp stays at s.

	LSL  $ESHIFT, ldkb
	LSL  $ESHIFT, ldtb
	EXP2_CONSTS

rowloop:
	VLD1 (ap), V27.LANE[1]
	ADD  $ESIZE, ap
	MOVD mp, src
	MOVD vp, hp
	MOVD qp, cur
	MOVD qp, out
	MOVD cols, left
	MOVD $0, last

colloop:
	SUBS    $(4*LANES), left
	BLT     tail
	FLDPQ.P 32(src), (F0, F1)
	FLDPQ.P 32(src), (F2, F3)
	FLDPQ.P 32(hp), (F16, F17)
	FLDPQ.P 32(hp), (F18, F19)

core:
	DUP_E(4, 27, 1)
#ifdef PLAN
	// y = fma(−c, M_ij, g_j) + f_i
	FMLS_E(16, 0, 27, 0)
	FMLS_E(17, 1, 27, 0)
	FMLS_E(18, 2, 27, 0)
	FMLS_E(19, 3, 27, 0)
	FADD(0, 16, 4)
	FADD(1, 17, 4)
	FADD(2, 18, 4)
	FADD(3, 19, 4)
#else
	// y = fma(−c, M_ij, f_i) − h_j
	DUP_E(5, 27, 1)
	DUP_E(6, 27, 1)
	DUP_E(7, 27, 1)
	FMLS_E(4, 0, 27, 0)
	FMLS_E(5, 1, 27, 0)
	FMLS_E(6, 2, 27, 0)
	FMLS_E(7, 3, 27, 0)
	FSUB(0, 4, 16)
	FSUB(1, 5, 17)
	FSUB(2, 6, 18)
	FSUB(3, 7, 19)
#endif

	EXP2_QUAD

	CBNZ    last, store
#ifndef PLAN
	// s_j += 2^y
	FLDPQ.P 32(cur), (F16, F17)
	FLDPQ.P 32(cur), (F18, F19)
	FADD(20, 16, 20)
	FADD(21, 17, 21)
	FADD(22, 18, 22)
	FADD(23, 19, 23)
#endif
	FSTPQ.P (F20, F21), 32(out)
	FSTPQ.P (F22, F23), 32(out)
	B       colloop

tail:
	ADDS $(4*LANES), left, last
	BEQ  rownext
	ZERO4(V0, V1, V2, V3)
	ZERO4(V16, V17, V18, V19)
	LDTAIL4(src, F0, F1, F2, F3, V0, V1, V2, V3)
	LDTAIL4(hp, F16, F17, F18, F19, V16, V17, V18, V19)
	B    core

store:
#ifndef PLAN
	// s_j += 2^y
	LDTAIL4(cur, F16, F17, F18, F19, V16, V17, V18, V19)
	FADD(20, 16, 20)
	FADD(21, 17, 21)
	FADD(22, 18, 22)
	FADD(23, 19, 23)
#endif
	STTAIL4(out)

rownext:
	ADD  ldkb, mp
	ADD  ldtb, qp
	SUBS $1, rows
	BNE  rowloop
	RET
