// This code of log computes s in V8–V11 and R in V16–V19. V0–V3 hold f.

	// s = f/(2 + f); R is a polynomial in s² with (log m)/s = 2 + R
	FMOVQ TWO(consts), F28
	BY4(FADD, 8, 0, 28)
	OF4(FDIV, 8, 0, 8)
	OF4(FMUL, 12, 8, 8)
	FMOVQ C7(consts), F16
	FMOVQ C7(consts), F17
	FMOVQ C7(consts), F18
	FMOVQ C7(consts), F19
	HORNER_20(C6, 12)
	HORNER_16(C5, 12)
	HORNER_20(C4, 12)
	HORNER_16(C3, 12)
	HORNER_20(C2, 12)
	HORNER_16(C1, 12)
	OF4(FMUL, 16, 12, 16)
