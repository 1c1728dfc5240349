// The texts of exp and exp2, for the type that the including file has defined.

// func exp(n int, acc, dst, x *T, shift T)
TEXT EXP(SB), NOSPLIT, $0-expargs
	MOVD  n+0(FP), left
	MOVD  acc+8(FP), sums
	MOVD  dst+16(FP), out
	MOVD  x+24(FP), src
	CBZ   sums, constants
	FLDPQ (sums), (F17, F18)
	FLDPQ 32(sums), (F19, F26)

constants:
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
	CBZ   sums, shifted
	FMOVE shift+32(FP), F27
	DUP_E(27, 27, 0)
	FSUB(0, 0, 27)
	FSUB(1, 1, 27)
	FSUB(2, 2, 27)
	FSUB(3, 3, 27)

shifted:
	// x clamped
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

	// q = exp(r)/E − 1; float64 has three terms more
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

	CBNZ last, short
	CBZ  sums, store
	FADD(17, 17, 20)
	FADD(18, 18, 21)
	FADD(19, 19, 22)
	FADD(26, 26, 23)
	CBZ  out, loop

store:
	FSTPQ.P (F20, F21), 32(out)
	FSTPQ.P (F22, F23), 32(out)
	B       loop

tail:
	ADDS $(4*LANES), left, last
	BEQ  done

	// the last elements, then zeros
	ZERO4(V0, V1, V2, V3)
	LDTAIL4(src, F0, F1, F2, F3, V0, V1, V2, V3)
	B core

short:
	CBZ out, shortsums
	STTAIL4(out)
	CBZ sums, return

shortsums:
	// the lanes of the last elements alone
	FSTPQ (F17, F18), (sums)
	FSTPQ (F19, F26), 32(sums)
	FADD(20, 17, 20)
	FADD(21, 18, 21)
	FADD(22, 19, 22)
	FADD(23, 26, 23)
	STTAIL4(sums)
	RET

done:
	CBZ   sums, return
	FSTPQ (F17, F18), (sums)
	FSTPQ (F19, F26), 32(sums)

return:
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

	// the last elements, then zeros
	ZERO4(V0, V1, V2, V3)
	LDTAIL4(src, F0, F1, F2, F3, V0, V1, V2, V3)
	B core

store:
	STTAIL4(out)

done:
	RET
