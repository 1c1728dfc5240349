// 2^y of four registers, float32: V0–V3 y, left as they are; V20–V23 2^y; V4–V15 are
// spoiled. The bits of Ref2. Copies of this file in other folders are
// identical.

	// t = y + magic, k = t − magic, f = y − k
	FADD_4S(4, 0, 31)
	FADD_4S(5, 1, 31)
	FADD_4S(6, 2, 31)
	FADD_4S(7, 3, 31)
	FSUB_4S(8, 4, 31)
	FSUB_4S(9, 5, 31)
	FSUB_4S(10, 6, 31)
	FSUB_4S(11, 7, 31)
	FSUB_4S(8, 0, 8)
	FSUB_4S(9, 1, 9)
	FSUB_4S(10, 2, 10)
	FSUB_4S(11, 3, 11)

	// S: the bits of table entry n mod 4, plus n·2^21
	LOOKUP(EXP2_BYTES, V4, F20, V20, V12)
	LOOKUP(EXP2_BYTES, V5, F21, V21, V13)
	LOOKUP(EXP2_BYTES, V6, F22, V22, V14)
	LOOKUP(EXP2_BYTES, V7, F23, V23, V15)
	VSHL $21, V4.S4, V4.S4
	VSHL $21, V5.S4, V5.S4
	VSHL $21, V6.S4, V6.S4
	VSHL $21, V7.S4, V7.S4
	VADD V4.S4, V20.S4, V20.S4
	VADD V5.S4, V21.S4, V21.S4
	VADD V6.S4, V22.S4, V22.S4
	VADD V7.S4, V23.S4, V23.S4

	// q = 2^f/E − 1
	FMOVQ EXP2_C4(consts), F12
	EXP2_LOAD(EXP2_C3, F4, F5, F6, F7)
	FMLA_4S(4, 8, 12)
	FMLA_4S(5, 9, 12)
	FMLA_4S(6, 10, 12)
	FMLA_4S(7, 11, 12)
	EXP2_LOAD(EXP2_C2, F12, F13, F14, F15)
	FMLA_4S(12, 8, 4)
	FMLA_4S(13, 9, 5)
	FMLA_4S(14, 10, 6)
	FMLA_4S(15, 11, 7)
	EXP2_LOAD(EXP2_C1, F4, F5, F6, F7)
	FMLA_4S(4, 8, 12)
	FMLA_4S(5, 9, 13)
	FMLA_4S(6, 10, 14)
	FMLA_4S(7, 11, 15)
	EXP2_LOAD(EXP2_C0, F12, F13, F14, F15)
	FMLA_4S(12, 8, 4)
	FMLA_4S(13, 9, 5)
	FMLA_4S(14, 10, 6)
	FMLA_4S(15, 11, 7)

	// S + q·S
	FMLA_4S(20, 12, 20)
	FMLA_4S(21, 13, 21)
	FMLA_4S(22, 14, 22)
	FMLA_4S(23, 15, 23)

	// 0 where y < least, Inf where y ≥ above
	FCMGT_4S(4, 30, 0)
	FCMGT_4S(5, 30, 1)
	FCMGT_4S(6, 30, 2)
	FCMGT_4S(7, 30, 3)
	FCMGE_4S(12, 0, 29)
	FCMGE_4S(13, 1, 29)
	FCMGE_4S(14, 2, 29)
	FCMGE_4S(15, 3, 29)
	BIC_16B(20, 20, 4)
	BIC_16B(21, 21, 5)
	BIC_16B(22, 22, 6)
	BIC_16B(23, 23, 7)
	BIT_16B(20, 28, 12)
	BIT_16B(21, 28, 13)
	BIT_16B(22, 28, 14)
	BIT_16B(23, 28, 15)
