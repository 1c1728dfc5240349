// The part of log that differs in float32: of f in V0–V3, f·S in V16–V19.

	// f·S
	OF4(FMUL, 12, 0, 0)
	FMOVQ C7(consts), F28
	FMOVQ C5(consts), F29
	FMOVQ C3(consts), F30
	FMOVQ C1(consts), F31
	PAIR_16(C6, 28)
	PAIR_20(C4, 29)
	OF4(FMLA, 20, 16, 12)
	PAIR_16(C2, 30)
	PAIR_24(C0, 31)
	OF4(FMLA, 24, 16, 12)
	OF4(FMUL, 12, 12, 12)
	OF4(FMLA, 24, 20, 12)
	OF4(FMUL, 16, 0, 24)
