// 2^y of four registers, float64: V0–V3 y, left as they are; V20–V23 2^y; V4–V15 are
// spoiled, and the registers bit0 and bit1. The bits of Ref2. Copies of this file in other folders are
// identical.

	// t = y + magic, k = t − magic, f = y − k
	FADD_2D(4, 0, 31)
	FADD_2D(5, 1, 31)
	FADD_2D(6, 2, 31)
	FADD_2D(7, 3, 31)
	FSUB_2D(8, 4, 31)
	FSUB_2D(9, 5, 31)
	FSUB_2D(10, 6, 31)
	FSUB_2D(11, 7, 31)
	FSUB_2D(8, 0, 8)
	FSUB_2D(9, 1, 9)
	FSUB_2D(10, 2, 10)
	FSUB_2D(11, 3, 11)

	// S: the bits of table entry n mod 8, plus n·2^49
	LOOKUP(F4, V4, F20, V20, bit0, bit1)
	LOOKUP(F5, V5, F21, V21, bit0, bit1)
	LOOKUP(F6, V6, F22, V22, bit0, bit1)
	LOOKUP(F7, V7, F23, V23, bit0, bit1)
	VSHL $49, V4.D2, V4.D2
	VSHL $49, V5.D2, V5.D2
	VSHL $49, V6.D2, V6.D2
	VSHL $49, V7.D2, V7.D2
	VADD V4.D2, V20.D2, V20.D2
	VADD V5.D2, V21.D2, V21.D2
	VADD V6.D2, V22.D2, V22.D2
	VADD V7.D2, V23.D2, V23.D2

	// q = 2^f/E − 1
	FMOVQ EXP2_C7(consts), F12
	EXP2_LOAD(EXP2_C6, F4, F5, F6, F7)
	FMLA_2D(4, 8, 12)
	FMLA_2D(5, 9, 12)
	FMLA_2D(6, 10, 12)
	FMLA_2D(7, 11, 12)
	EXP2_LOAD(EXP2_C5, F12, F13, F14, F15)
	FMLA_2D(12, 8, 4)
	FMLA_2D(13, 9, 5)
	FMLA_2D(14, 10, 6)
	FMLA_2D(15, 11, 7)
	EXP2_LOAD(EXP2_C4, F4, F5, F6, F7)
	FMLA_2D(4, 8, 12)
	FMLA_2D(5, 9, 13)
	FMLA_2D(6, 10, 14)
	FMLA_2D(7, 11, 15)
	EXP2_LOAD(EXP2_C3, F12, F13, F14, F15)
	FMLA_2D(12, 8, 4)
	FMLA_2D(13, 9, 5)
	FMLA_2D(14, 10, 6)
	FMLA_2D(15, 11, 7)
	EXP2_LOAD(EXP2_C2, F4, F5, F6, F7)
	FMLA_2D(4, 8, 12)
	FMLA_2D(5, 9, 13)
	FMLA_2D(6, 10, 14)
	FMLA_2D(7, 11, 15)
	EXP2_LOAD(EXP2_C1, F12, F13, F14, F15)
	FMLA_2D(12, 8, 4)
	FMLA_2D(13, 9, 5)
	FMLA_2D(14, 10, 6)
	FMLA_2D(15, 11, 7)
	EXP2_LOAD(EXP2_C0, F4, F5, F6, F7)
	FMLA_2D(4, 8, 12)
	FMLA_2D(5, 9, 13)
	FMLA_2D(6, 10, 14)
	FMLA_2D(7, 11, 15)

	// S + q·S
	FMLA_2D(20, 4, 20)
	FMLA_2D(21, 5, 21)
	FMLA_2D(22, 6, 22)
	FMLA_2D(23, 7, 23)

	// 0 where y < least, Inf where y ≥ above
	FCMGT_2D(12, 30, 0)
	FCMGT_2D(13, 30, 1)
	FCMGT_2D(14, 30, 2)
	FCMGT_2D(15, 30, 3)
	FCMGE_2D(4, 0, 29)
	FCMGE_2D(5, 1, 29)
	FCMGE_2D(6, 2, 29)
	FCMGE_2D(7, 3, 29)
	BIC_16B(20, 20, 12)
	BIC_16B(21, 21, 13)
	BIC_16B(22, 22, 14)
	BIC_16B(23, 23, 15)
	BIT_16B(20, 28, 4)
	BIT_16B(21, 28, 5)
	BIT_16B(22, 28, 6)
	BIT_16B(23, 28, 7)
