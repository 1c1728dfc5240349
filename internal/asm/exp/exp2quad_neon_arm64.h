// 2^y of four registers: V0–V3 y, left as they are; V20–V23 2^y; V4–V15 are spoiled, and
// in float64 the registers bit0 and bit1. The bits of exp2Ref.

	// t = y + magic, k = t − magic, f = y − k
	FADD(4, 0, 31)
	FADD(5, 1, 31)
	FADD(6, 2, 31)
	FADD(7, 3, 31)
	FSUB(8, 4, 31)
	FSUB(9, 5, 31)
	FSUB(10, 6, 31)
	FSUB(11, 7, 31)
	FSUB(8, 0, 8)
	FSUB(9, 1, 9)
	FSUB(10, 2, 10)
	FSUB(11, 3, 11)

	// S: the bits of table entry n mod 2^TABLE, plus n·2^(MANTISSA−TABLE)
	LOOKUP(F4, V4, F20, V20, V12)
	LOOKUP(F5, V5, F21, V21, V13)
	LOOKUP(F6, V6, F22, V22, V14)
	LOOKUP(F7, V7, F23, V23, V15)
	VSHL $(MANTISSA-TABLE), V4.ARR, V4.ARR
	VSHL $(MANTISSA-TABLE), V5.ARR, V5.ARR
	VSHL $(MANTISSA-TABLE), V6.ARR, V6.ARR
	VSHL $(MANTISSA-TABLE), V7.ARR, V7.ARR
	VADD V4.ARR, V20.ARR, V20.ARR
	VADD V5.ARR, V21.ARR, V21.ARR
	VADD V6.ARR, V22.ARR, V22.ARR
	VADD V7.ARR, V23.ARR, V23.ARR

	// q = 2^f/E − 1; float64 has three terms more
#ifdef F64
	FMOVQ EXP2_C7(consts), F12
	HORNER_4(EXP2_C6, 8, 9, 10, 11, 12, 12, 12, 12)
	HORNER_12(EXP2_C5, 8, 9, 10, 11, 4, 5, 6, 7)
	HORNER_4(EXP2_C4, 8, 9, 10, 11, 12, 13, 14, 15)
	HORNER_12(EXP2_C3, 8, 9, 10, 11, 4, 5, 6, 7)
#else
	FMOVQ EXP2_C4(consts), F4
	HORNER_12(EXP2_C3, 8, 9, 10, 11, 4, 4, 4, 4)
#endif
	HORNER_4(EXP2_C2, 8, 9, 10, 11, 12, 13, 14, 15)
	HORNER_12(EXP2_C1, 8, 9, 10, 11, 4, 5, 6, 7)
	HORNER_4(EXP2_C0, 8, 9, 10, 11, 12, 13, 14, 15)

	// S + q·S
	FMLA(20, 4, 20)
	FMLA(21, 5, 21)
	FMLA(22, 6, 22)
	FMLA(23, 7, 23)

	// 0 where y < least, Inf where y ≥ above
	FCMGT(12, 30, 0)
	FCMGT(13, 30, 1)
	FCMGT(14, 30, 2)
	FCMGT(15, 30, 3)
	FCMGE(4, 0, 29)
	FCMGE(5, 1, 29)
	FCMGE(6, 2, 29)
	FCMGE(7, 3, 29)
	BIC_16B(20, 20, 12)
	BIC_16B(21, 21, 13)
	BIC_16B(22, 22, 14)
	BIC_16B(23, 23, 15)
	BIT_16B(20, 28, 4)
	BIT_16B(21, 28, 5)
	BIT_16B(22, 28, 6)
	BIT_16B(23, 28, 7)
