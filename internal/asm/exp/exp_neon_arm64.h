// The kernels of exp, exp2 and sumExp, for the type that the including file defines.

// func exp(n int, dst, x *T)
TEXT EXP(SB), NOSPLIT, $0-24
	MOVD  n+0(FP), left
	MOVD  dst+8(FP), out
	MOVD  x+16(FP), src
	MOVD  $OF_TYPE(expf32, expf64)<>(SB), consts
	FMOVQ EXP_MAGIC(consts), F31
	FMOVQ EXP_LOG2E(consts), F30
	FMOVQ EXP_LN2HI(consts), F29
	FMOVQ EXP_LN2LO(consts), F28
	LOOKUP_CONSTS
	MOVD  $0, last

loop:
	SUBS    $(4*LANES), left
	BLT     tail
	FLDPQ.P 32(src), (F0, F1)
	FLDPQ.P 32(src), (F2, F3)

core:
	// clamp x to ±limit
	FMOVQ EXP_LIMIT(consts), F27
	FMOVQ EXP_NEGLIMIT(consts), F16
	FMIN(0, 0, 27)
	FMIN(1, 1, 27)
	FMIN(2, 2, 27)
	FMIN(3, 3, 27)
	FMAX(0, 0, 16)
	FMAX(1, 1, 16)
	FMAX(2, 2, 16)
	FMAX(3, 3, 16)

	// t = fma(x, log2e, magic), k = t − magic
	HORNER_4(EXP_MAGIC, 0, 1, 2, 3, 30, 30, 30, 30)
	FSUB(8, 4, 31)
	FSUB(9, 5, 31)
	FSUB(10, 6, 31)
	FSUB(11, 7, 31)

	// r = x − k·ln2hi − k·ln2lo
	FMLS(0, 8, 29)
	FMLS(1, 9, 29)
	FMLS(2, 10, 29)
	FMLS(3, 11, 29)
	FMLS(0, 8, 28)
	FMLS(1, 9, 28)
	FMLS(2, 10, 28)
	FMLS(3, 11, 28)

	// table entry n mod 2^TABLE
	LOOKUP(F4, V4, F20, V20, V12)
	LOOKUP(F5, V5, F21, V21, V13)
	LOOKUP(F6, V6, F22, V22, V14)
	LOOKUP(F7, V7, F23, V23, V15)

	// g·2^MANTISSA in V8–V11, S = 2^(n/2^TABLE − g)·E
	FMOVQ EXP_UNIT(consts), F27
	VADD V27.ARR, V4.ARR, V8.ARR
	VADD V27.ARR, V5.ARR, V9.ARR
	VADD V27.ARR, V6.ARR, V10.ARR
	VADD V27.ARR, V7.ARR, V11.ARR
	VSHL $(MANTISSA-TABLE), V4.ARR, V4.ARR
	VSHL $(MANTISSA-TABLE), V5.ARR, V5.ARR
	VSHL $(MANTISSA-TABLE), V6.ARR, V6.ARR
	VSHL $(MANTISSA-TABLE), V7.ARR, V7.ARR
	VSHL $SIGN, V8.ARR, V8.ARR
	VSHL $SIGN, V9.ARR, V9.ARR
	VSHL $SIGN, V10.ARR, V10.ARR
	VSHL $SIGN, V11.ARR, V11.ARR
	SSHR(8, 8, SIGN+TABLE+1)
	SSHR(9, 9, SIGN+TABLE+1)
	SSHR(10, 10, SIGN+TABLE+1)
	SSHR(11, 11, SIGN+TABLE+1)
	VSHL $MANTISSA, V8.ARR, V8.ARR
	VSHL $MANTISSA, V9.ARR, V9.ARR
	VSHL $MANTISSA, V10.ARR, V10.ARR
	VSHL $MANTISSA, V11.ARR, V11.ARR
	VADD V4.ARR, V20.ARR, V20.ARR
	VADD V5.ARR, V21.ARR, V21.ARR
	VADD V6.ARR, V22.ARR, V22.ARR
	VADD V7.ARR, V23.ARR, V23.ARR
	VSUB V8.ARR, V20.ARR, V20.ARR
	VSUB V9.ARR, V21.ARR, V21.ARR
	VSUB V10.ARR, V22.ARR, V22.ARR
	VSUB V11.ARR, V23.ARR, V23.ARR

	// q = exp(r)/E − 1 (E ≈ 1 is defined in coef.go); float64 has three more terms
#ifdef F64
	FMOVQ EXP_C7(consts), F12
	HORNER_4(EXP_C6, 0, 1, 2, 3, 12, 12, 12, 12)
	HORNER_12(EXP_C5, 0, 1, 2, 3, 4, 5, 6, 7)
	HORNER_4(EXP_C4, 0, 1, 2, 3, 12, 13, 14, 15)
	HORNER_12(EXP_C3, 0, 1, 2, 3, 4, 5, 6, 7)
#else
	FMOVQ EXP_C4(consts), F4
	HORNER_12(EXP_C3, 0, 1, 2, 3, 4, 4, 4, 4)
#endif
	HORNER_4(EXP_C2, 0, 1, 2, 3, 12, 13, 14, 15)
	HORNER_12(EXP_C1, 0, 1, 2, 3, 4, 5, 6, 7)
	HORNER_4(EXP_C0, 0, 1, 2, 3, 12, 13, 14, 15)

	// (S + q·S)·2^g
	FMOVQ EXP_ONE(consts), F27
	FMLA(20, 4, 20)
	FMLA(21, 5, 21)
	FMLA(22, 6, 22)
	FMLA(23, 7, 23)
	VADD V27.ARR, V8.ARR, V8.ARR
	VADD V27.ARR, V9.ARR, V9.ARR
	VADD V27.ARR, V10.ARR, V10.ARR
	VADD V27.ARR, V11.ARR, V11.ARR
	FMUL(20, 20, 8)
	FMUL(21, 21, 9)
	FMUL(22, 22, 10)
	FMUL(23, 23, 11)

	CBNZ    last, store
	FSTPQ.P (F20, F21), 32(out)
	FSTPQ.P (F22, F23), 32(out)
	B       loop

tail:
	ADDS $(4*LANES), left, last
	BEQ  done

	// load the last elements; the other lanes are zero
	ZERO4(V0, V1, V2, V3)
	LDTAIL4(src, F0, F1, F2, F3, V0, V1, V2, V3)
	B core

store:
	STTAIL4(out)

done:
	RET

// func exp2(n int, dst, x *T, c T)
TEXT EXP2(SB), NOSPLIT, $0-exp2args
	FMOVE c+24(FP), F27
	MOVD  n+0(FP), left
	MOVD  dst+8(FP), out
	MOVD  x+16(FP), src

	EXP2_CONSTS
	MOVD  $0, last

loop:
	SUBS    $(4*LANES), left
	BLT     tail
	FLDPQ.P 32(src), (F0, F1)
	FLDPQ.P 32(src), (F2, F3)

core:
	// y = c·x
	FMUL_E(0, 0, 27, 0)
	FMUL_E(1, 1, 27, 0)
	FMUL_E(2, 2, 27, 0)
	FMUL_E(3, 3, 27, 0)

	EXP2_QUAD

	CBNZ    last, store
	FSTPQ.P (F20, F21), 32(out)
	FSTPQ.P (F22, F23), 32(out)
	B       loop

tail:
	ADDS $(4*LANES), left, last
	BEQ  done

	// load the last elements; the other lanes are zero
	ZERO4(V0, V1, V2, V3)
	LDTAIL4(src, F0, F1, F2, F3, V0, V1, V2, V3)
	B core

store:
	STTAIL4(out)

done:
	RET

// func sumExp(n int, s, dst, x *T)
TEXT SUMEXP(SB), NOSPLIT, $0-32
	MOVD n+0(FP), left
	MOVD s+8(FP), peak
	MOVD dst+16(FP), out
	MOVD x+24(FP), src
	EXP2_CONSTS

	// top: maxima in the lanes of V16–V19, beginning with −Inf
	FNEG F28, F16
	DUP_E(16, 16, 0)
	VMOV V16.B16, V17.B16
	VMOV V16.B16, V18.B16
	VMOV V16.B16, V19.B16
	VMOV V16.B16, V20.B16
	MOVD src, cur
	SUBS $(4*LANES), left, todo
	BLT  maxtail

maxloop:
	FLDPQ.P 32(cur), (F0, F1)
	FLDPQ.P 32(cur), (F2, F3)
	FCMGT(4, 0, 16)
	FCMGT(5, 1, 17)
	FCMGT(6, 2, 18)
	FCMGT(7, 3, 19)
	BIT_16B(16, 0, 4)
	BIT_16B(17, 1, 5)
	BIT_16B(18, 2, 6)
	BIT_16B(19, 3, 7)
	SUBS $(4*LANES), todo
	BGE  maxloop

maxtail:
	ADDS $(4*LANES), todo
	BEQ  maxfold

max1loop:
	// compare one element at a time; the other lanes of V20 are −Inf
	VLD1 (cur), V20.LANE[0]
	FCMGT(4, 20, 16)
	BIT_16B(16, 20, 4)
	ADD  $ESIZE, cur
	SUBS $1, todo
	BNE  max1loop

maxfold:
	VLD1 (peak), V20.LANE[0]
	FCMGT(4, 20, 16)
	BIT_16B(16, 20, 4)
	FMAXNM(16, 16, 17)
	FMAXNM(18, 18, 19)
	FMAXNM(16, 16, 18)
	FOLD_MAX(16, 17)
	VEOR V17.B16, V17.B16, V17.B16
	FADD(16, 16, 17)
	MOVD peak, cur
	STE_P(F16, cur)

	// minus = 0 − top
	FSUB(28, 17, 16)
	DUP_E(28, 28, 0)
	MOVD  $OF_TYPE(expf32, expf64)<>(SB), more
	FMOVQ EXP_LOG2E(more), F30
	FMOVQ EXP_LEASTD(more), F29
	ZERO4(V16, V17, V18, V19)
	VEOR  V26.B16, V26.B16, V26.B16
	VEOR  V27.B16, V27.B16, V27.B16
	MOVD  $0, last

loop:
	SUBS    $(4*LANES), left
	BLT     tail
	FLDPQ.P 32(src), (F0, F1)
	FLDPQ.P 32(src), (F2, F3)

core:
	// d = x + minus, t = d·log2e + magic, −k = magic − t, f = d·log2e − k
	FADD(0, 0, 28)
	FADD(1, 1, 28)
	FADD(2, 2, 28)
	FADD(3, 3, 28)
	VMOV V31.B16, V4.B16
	VMOV V31.B16, V5.B16
	VMOV V31.B16, V6.B16
	VMOV V31.B16, V7.B16
	FMLA(4, 0, 30)
	FMLA(5, 1, 30)
	FMLA(6, 2, 30)
	FMLA(7, 3, 30)
	FSUB(8, 31, 4)
	FSUB(9, 31, 5)
	FSUB(10, 31, 6)
	FSUB(11, 31, 7)
	FMLA(8, 0, 30)
	FMLA(9, 1, 30)
	FMLA(10, 2, 30)
	FMLA(11, 3, 30)

	// exp(d), or 0 where d is below the limit
	LOOKUP(F4, V4, F20, V20, V12)
	LOOKUP(F5, V5, F21, V21, V13)
	LOOKUP(F6, V6, F22, V22, V14)
	LOOKUP(F7, V7, F23, V23, V15)
	EXP2_POWER
	EXP2_HIGH
	EXP2_LOW
	FCMGT(12, 29, 0)
	FCMGT(13, 29, 1)
	FCMGT(14, 29, 2)
	FCMGT(15, 29, 3)
	BIC_16B(20, 20, 12)
	BIC_16B(21, 21, 13)
	BIC_16B(22, 22, 14)
	BIC_16B(23, 23, 15)
	CBZ     out, sums
	CBNZ    last, store
	FSTPQ.P (F20, F21), 32(out)
	FSTPQ.P (F22, F23), 32(out)

sums:
	// where d = 0: V4–V7 count 1, and the term of the sum is 0
	VEOR  V12.B16, V12.B16, V12.B16
	FMOVQ EXP_ONE(more), F13
	FCMGE(4, 0, 12)
	FCMGE(5, 1, 12)
	FCMGE(6, 2, 12)
	FCMGE(7, 3, 12)
	BIC_16B(20, 20, 4)
	BIC_16B(21, 21, 5)
	BIC_16B(22, 22, 6)
	BIC_16B(23, 23, 7)
	VAND V13.B16, V4.B16, V4.B16
	VAND V13.B16, V5.B16, V5.B16
	VAND V13.B16, V6.B16, V6.B16
	VAND V13.B16, V7.B16, V7.B16
	CBZ  last, add

	// in the last, partial step, set the lanes after the last element to zero
	MOVD  $mask<>+64(SB), cur
	SUB   last<<ESHIFT, cur
	FLDPQ (cur), (F0, F1)
	FLDPQ 32(cur), (F2, F3)
	VAND  V0.B16, V20.B16, V20.B16
	VAND  V1.B16, V21.B16, V21.B16
	VAND  V2.B16, V22.B16, V22.B16
	VAND  V3.B16, V23.B16, V23.B16
	VAND  V0.B16, V4.B16, V4.B16
	VAND  V1.B16, V5.B16, V5.B16
	VAND  V2.B16, V6.B16, V6.B16
	VAND  V3.B16, V7.B16, V7.B16

add:
	FADD(16, 16, 20)
	FADD(17, 17, 21)
	FADD(18, 18, 22)
	FADD(19, 19, 23)
	FADD(4, 4, 6)
	FADD(5, 5, 7)
	FADD(26, 26, 4)
	FADD(27, 27, 5)
	CBZ last, loop

fold:
	// fold the lanes in halves
	FADD(16, 16, 18)
	FADD(17, 17, 19)
	FADD(16, 16, 17)
	FOLD_ROW(0, 16)
	FADD(26, 26, 27)
	FOLD_ROW(1, 26)
	ADD $ESIZE, peak, cur
	STE_P(F0, cur)
	STE_P(F1, cur)
	RET

tail:
	ADDS $(4*LANES), left, last
	BEQ  fold

	// load the last elements; the other lanes are zero
	ZERO4(V0, V1, V2, V3)
	LDTAIL4(src, F0, F1, F2, F3, V0, V1, V2, V3)
	B core

store:
	STTAIL4(out)
	B sums
