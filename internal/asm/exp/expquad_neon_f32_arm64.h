// exp(x) of four registers, float32: V0–V3 x, spoiled; V20–V23 exp(x); V4–V16 and V27
// are spoiled. The bits of Ref, e = ⌊k⌋: instead of multiplying
// y by 2^(e−g) and then by 2^g, g = ⌊(e+1)/2⌋, the table entry's bits take
// n·2^21 − g·2^23; that first product is exact either way, and a NaN is one in q.

	// x clamped
	FMOVQ EXP_LIMIT(consts), F27
	FMOVQ EXP_NEGLIMIT(consts), F16
	FMIN_4S(0, 0, 27)
	FMIN_4S(1, 1, 27)
	FMIN_4S(2, 2, 27)
	FMIN_4S(3, 3, 27)
	FMAX_4S(0, 0, 16)
	FMAX_4S(1, 1, 16)
	FMAX_4S(2, 2, 16)
	FMAX_4S(3, 3, 16)

	// t = fma(x, log2e, magic), k = t − magic
	EXP_LOAD(EXP_MAGIC, F4, F5, F6, F7)
	FMLA_4S(4, 0, 30)
	FMLA_4S(5, 1, 30)
	FMLA_4S(6, 2, 30)
	FMLA_4S(7, 3, 30)
	FSUB_4S(8, 4, 31)
	FSUB_4S(9, 5, 31)
	FSUB_4S(10, 6, 31)
	FSUB_4S(11, 7, 31)

	// r = x − k·ln2hi − k·ln2lo
	FMLS_4S(0, 8, 29)
	FMLS_4S(1, 9, 29)
	FMLS_4S(2, 10, 29)
	FMLS_4S(3, 11, 29)
	FMLS_4S(0, 8, 28)
	FMLS_4S(1, 9, 28)
	FMLS_4S(2, 10, 28)
	FMLS_4S(3, 11, 28)

	// table entry n mod 4
	LOOKUP(EXP_BYTES, V4, F20, V20, V12)
	LOOKUP(EXP_BYTES, V5, F21, V21, V13)
	LOOKUP(EXP_BYTES, V6, F22, V22, V14)
	LOOKUP(EXP_BYTES, V7, F23, V23, V15)

	// g·2^23 in V8–V11, S = 2^(e−g)·2^((n mod 4)/4)·E
	FMOVQ EXP_UNIT(consts), F27
	VADD V27.S4, V4.S4, V8.S4
	VADD V27.S4, V5.S4, V9.S4
	VADD V27.S4, V6.S4, V10.S4
	VADD V27.S4, V7.S4, V11.S4
	VSHL $21, V4.S4, V4.S4
	VSHL $21, V5.S4, V5.S4
	VSHL $21, V6.S4, V6.S4
	VSHL $21, V7.S4, V7.S4
	VSHL $10, V8.S4, V8.S4
	VSHL $10, V9.S4, V9.S4
	VSHL $10, V10.S4, V10.S4
	VSHL $10, V11.S4, V11.S4
	SSHR_4S(8, 8, 13)
	SSHR_4S(9, 9, 13)
	SSHR_4S(10, 10, 13)
	SSHR_4S(11, 11, 13)
	VSHL $23, V8.S4, V8.S4
	VSHL $23, V9.S4, V9.S4
	VSHL $23, V10.S4, V10.S4
	VSHL $23, V11.S4, V11.S4
	VADD V4.S4, V20.S4, V20.S4
	VADD V5.S4, V21.S4, V21.S4
	VADD V6.S4, V22.S4, V22.S4
	VADD V7.S4, V23.S4, V23.S4
	VSUB V8.S4, V20.S4, V20.S4
	VSUB V9.S4, V21.S4, V21.S4
	VSUB V10.S4, V22.S4, V22.S4
	VSUB V11.S4, V23.S4, V23.S4

	// q = exp(r)/E − 1
	FMOVQ EXP_C4(consts), F12
	EXP_LOAD(EXP_C3, F4, F5, F6, F7)
	FMLA_4S(4, 0, 12)
	FMLA_4S(5, 1, 12)
	FMLA_4S(6, 2, 12)
	FMLA_4S(7, 3, 12)
	EXP_LOAD(EXP_C2, F12, F13, F14, F15)
	FMLA_4S(12, 0, 4)
	FMLA_4S(13, 1, 5)
	FMLA_4S(14, 2, 6)
	FMLA_4S(15, 3, 7)
	EXP_LOAD(EXP_C1, F4, F5, F6, F7)
	FMLA_4S(4, 0, 12)
	FMLA_4S(5, 1, 13)
	FMLA_4S(6, 2, 14)
	FMLA_4S(7, 3, 15)
	EXP_LOAD(EXP_C0, F12, F13, F14, F15)
	FMLA_4S(12, 0, 4)
	FMLA_4S(13, 1, 5)
	FMLA_4S(14, 2, 6)
	FMLA_4S(15, 3, 7)

	// (S + q·S)·2^g
	FMOVQ EXP_ONE(consts), F27
	FMLA_4S(20, 12, 20)
	FMLA_4S(21, 13, 21)
	FMLA_4S(22, 14, 22)
	FMLA_4S(23, 15, 23)
	VADD V27.S4, V8.S4, V8.S4
	VADD V27.S4, V9.S4, V9.S4
	VADD V27.S4, V10.S4, V10.S4
	VADD V27.S4, V11.S4, V11.S4
	FMUL_4S(20, 20, 8)
	FMUL_4S(21, 21, 9)
	FMUL_4S(22, 22, 10)
	FMUL_4S(23, 23, 11)
