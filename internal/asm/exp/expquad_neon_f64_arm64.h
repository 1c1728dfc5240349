// exp(x) of four registers, float64: V0–V3 x, spoiled; V20–V23 exp(x); V4–V16 and V27
// are spoiled, and the registers bit0 and bit1. The bits of Ref, e = ⌊k⌋: instead of multiplying
// y by 2^(e−g) and then by 2^g, g = ⌊(e+1)/2⌋, the table entry's bits take
// n·2^49 − g·2^52; that first product is exact either way, and a NaN is one in q.

	// x clamped
	FMOVQ EXP_LIMIT(consts), F27
	FMOVQ EXP_NEGLIMIT(consts), F16
	FMIN_2D(0, 0, 27)
	FMIN_2D(1, 1, 27)
	FMIN_2D(2, 2, 27)
	FMIN_2D(3, 3, 27)
	FMAX_2D(0, 0, 16)
	FMAX_2D(1, 1, 16)
	FMAX_2D(2, 2, 16)
	FMAX_2D(3, 3, 16)

	// t = fma(x, log2e, magic), k = t − magic
	EXP_LOAD(EXP_MAGIC, F4, F5, F6, F7)
	FMLA_2D(4, 0, 30)
	FMLA_2D(5, 1, 30)
	FMLA_2D(6, 2, 30)
	FMLA_2D(7, 3, 30)
	FSUB_2D(8, 4, 31)
	FSUB_2D(9, 5, 31)
	FSUB_2D(10, 6, 31)
	FSUB_2D(11, 7, 31)

	// r = x − k·ln2hi − k·ln2lo
	FMLS_2D(0, 8, 29)
	FMLS_2D(1, 9, 29)
	FMLS_2D(2, 10, 29)
	FMLS_2D(3, 11, 29)
	FMLS_2D(0, 8, 28)
	FMLS_2D(1, 9, 28)
	FMLS_2D(2, 10, 28)
	FMLS_2D(3, 11, 28)

	// table entry n mod 8
	LOOKUP(F4, V4, F20, V20, bit0, bit1)
	LOOKUP(F5, V5, F21, V21, bit0, bit1)
	LOOKUP(F6, V6, F22, V22, bit0, bit1)
	LOOKUP(F7, V7, F23, V23, bit0, bit1)

	// g·2^52 in V8–V11, S = 2^(e−g)·2^((n mod 8)/8)·E
	FMOVQ EXP_UNIT(consts), F27
	VADD V27.D2, V4.D2, V8.D2
	VADD V27.D2, V5.D2, V9.D2
	VADD V27.D2, V6.D2, V10.D2
	VADD V27.D2, V7.D2, V11.D2
	VSHL $49, V4.D2, V4.D2
	VSHL $49, V5.D2, V5.D2
	VSHL $49, V6.D2, V6.D2
	VSHL $49, V7.D2, V7.D2
	VSHL $13, V8.D2, V8.D2
	VSHL $13, V9.D2, V9.D2
	VSHL $13, V10.D2, V10.D2
	VSHL $13, V11.D2, V11.D2
	SSHR_2D(8, 8, 17)
	SSHR_2D(9, 9, 17)
	SSHR_2D(10, 10, 17)
	SSHR_2D(11, 11, 17)
	VSHL $52, V8.D2, V8.D2
	VSHL $52, V9.D2, V9.D2
	VSHL $52, V10.D2, V10.D2
	VSHL $52, V11.D2, V11.D2
	VADD V4.D2, V20.D2, V20.D2
	VADD V5.D2, V21.D2, V21.D2
	VADD V6.D2, V22.D2, V22.D2
	VADD V7.D2, V23.D2, V23.D2
	VSUB V8.D2, V20.D2, V20.D2
	VSUB V9.D2, V21.D2, V21.D2
	VSUB V10.D2, V22.D2, V22.D2
	VSUB V11.D2, V23.D2, V23.D2

	// q = exp(r)/E − 1
	FMOVQ EXP_C7(consts), F12
	EXP_LOAD(EXP_C6, F4, F5, F6, F7)
	FMLA_2D(4, 0, 12)
	FMLA_2D(5, 1, 12)
	FMLA_2D(6, 2, 12)
	FMLA_2D(7, 3, 12)
	EXP_LOAD(EXP_C5, F12, F13, F14, F15)
	FMLA_2D(12, 0, 4)
	FMLA_2D(13, 1, 5)
	FMLA_2D(14, 2, 6)
	FMLA_2D(15, 3, 7)
	EXP_LOAD(EXP_C4, F4, F5, F6, F7)
	FMLA_2D(4, 0, 12)
	FMLA_2D(5, 1, 13)
	FMLA_2D(6, 2, 14)
	FMLA_2D(7, 3, 15)
	EXP_LOAD(EXP_C3, F12, F13, F14, F15)
	FMLA_2D(12, 0, 4)
	FMLA_2D(13, 1, 5)
	FMLA_2D(14, 2, 6)
	FMLA_2D(15, 3, 7)
	EXP_LOAD(EXP_C2, F4, F5, F6, F7)
	FMLA_2D(4, 0, 12)
	FMLA_2D(5, 1, 13)
	FMLA_2D(6, 2, 14)
	FMLA_2D(7, 3, 15)
	EXP_LOAD(EXP_C1, F12, F13, F14, F15)
	FMLA_2D(12, 0, 4)
	FMLA_2D(13, 1, 5)
	FMLA_2D(14, 2, 6)
	FMLA_2D(15, 3, 7)
	EXP_LOAD(EXP_C0, F4, F5, F6, F7)
	FMLA_2D(4, 0, 12)
	FMLA_2D(5, 1, 13)
	FMLA_2D(6, 2, 14)
	FMLA_2D(7, 3, 15)

	// (S + q·S)·2^g
	FMOVQ EXP_ONE(consts), F27
	FMLA_2D(20, 4, 20)
	FMLA_2D(21, 5, 21)
	FMLA_2D(22, 6, 22)
	FMLA_2D(23, 7, 23)
	VADD V27.D2, V8.D2, V8.D2
	VADD V27.D2, V9.D2, V9.D2
	VADD V27.D2, V10.D2, V10.D2
	VADD V27.D2, V11.D2, V11.D2
	FMUL_2D(20, 20, 8)
	FMUL_2D(21, 21, 9)
	FMUL_2D(22, 22, 10)
	FMUL_2D(23, 23, 11)
