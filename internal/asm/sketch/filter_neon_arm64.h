// This file contains the kernels for four queries and for one query. The including file defines the function names FILTER and
// FILTERONE, and the macro PRODUCTS. PRODUCTS multiplies the codes of 16 rows by the four query codes in element i of V20, and
// adds the products to registers d to d+3. It may change registers V21 to V23.

// func filter(masks *uint32, codes *uint8, groups *Group, n int, queries *int8, steps int, q *Query)
TEXT FILTER(SB), NOSPLIT, $0-56
	MOVD masks+0(FP), mp
	MOVD codes+8(FP), cp
	MOVD groups+16(FP), gp
	MOVD n+24(FP), left
	MOVD queries+32(FP), q0
	MOVD steps+40(FP), count
	MOVD q+48(FP), np
	NUMBERS(V24, V28)
	NUMBERS(V25, V29)
	NUMBERS(V26, V30)
	NUMBERS(V27, V31)

grouploop:
	MOVD $2, half

halfloop:
	START(V24, V0, V1, V2, V3)
	START(V25, V4, V5, V6, V7)
	START(V26, V8, V9, V10, V11)
	START(V27, V12, V13, V14, V15)
	MOVD cp, cq
	MOVD q0, qp
	MOVD count, step

steploop:
	VLD1 (cq), [V16.B16, V17.B16, V18.B16, V19.B16]
	VLD1 (qp), [V20.B16]
	PRODUCTS(0, 0)
	PRODUCTS(4, 1)
	PRODUCTS(8, 2)
	PRODUCTS(12, 3)
	ADD  $128, cq
	ADD  $48, qp
	SUBS $1, step
	BNE  steploop

	WEIGHTS
	ROWS
	BOUND(0, 24, 28)
	BOUND(4, 25, 29)
	BOUND(8, 26, 30)
	BOUND(12, 27, 31)
	NEXT
	BOUND(1, 24, 28)
	BOUND(5, 25, 29)
	BOUND(9, 26, 30)
	BOUND(13, 27, 31)
	NEXT
	BOUND(2, 24, 28)
	BOUND(6, 25, 29)
	BOUND(10, 26, 30)
	BOUND(14, 27, 31)
	NEXT
	BOUND(3, 24, 28)
	BOUND(7, 25, 29)
	BOUND(11, 26, 30)
	BOUND(15, 27, 31)
	MASK(V0, V1, V2, V3, 0)
	MASK(V4, V5, V6, V7, 4)
	MASK(V8, V9, V10, V11, 8)
	MASK(V12, V13, V14, V15, 12)
	ADD  $16, gp
	ADD  $64, cp
	ADD  $2, mp
	SUBS $1, half
	BNE  halfloop

	SUB  $64, cq, cp
	ADD  $256, gp
	ADD  $44, mp
	SUBS $1, left
	BNE  grouploop
	RET

// func filterOne(masks *uint32, codes *uint8, groups *Group, n int, query *int8, steps int, q *Query)
TEXT FILTERONE(SB), NOSPLIT, $0-56
	MOVD masks+0(FP), mp
	MOVD codes+8(FP), cp
	MOVD groups+16(FP), gp
	MOVD n+24(FP), left
	MOVD query+32(FP), q0
	MOVD steps+40(FP), count
	MOVD q+48(FP), np
	NUMBERS(V24, V28)

grouploop:
	START(V24, V0, V1, V2, V3)
	START(V24, V4, V5, V6, V7)
	MOVD q0, qp
	MOVD count, step

steploop:
	VLD1R.P 4(qp), [V20.S4]
	VLD1.P  64(cp), [V16.B16, V17.B16, V18.B16, V19.B16]
	PRODUCTS(0, 0)
	VLD1.P  64(cp), [V16.B16, V17.B16, V18.B16, V19.B16]
	PRODUCTS(4, 0)
	SUBS    $1, step
	BNE     steploop

	WEIGHTS
	ROWS
	BOUND(0, 24, 28)
	NEXT
	BOUND(1, 24, 28)
	NEXT
	BOUND(2, 24, 28)
	NEXT
	BOUND(3, 24, 28)
	MASK(V0, V1, V2, V3, 0)
	ADD  $16, gp
	WEIGHTS
	ROWS
	BOUND(4, 24, 28)
	NEXT
	BOUND(5, 24, 28)
	NEXT
	BOUND(6, 24, 28)
	NEXT
	BOUND(7, 24, 28)
	MASK(V4, V5, V6, V7, 2)
	ADD  $272, gp
	ADD  $4, mp
	SUBS $1, left
	BNE  grouploop
	RET
