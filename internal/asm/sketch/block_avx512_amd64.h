// This kernel processes a block of 12 queries and a group of 32 rows at a time. The including file defines:
//
//	FILTER      the function name
//	CONSTANTS   sets the registers that PRODUCTS needs
//	PRODUCTS    multiplies the rows in Z24 and Z25 by the four query codes in Z26, and adds the products to two registers

// QUERY loads four codes of a query, multiplies all rows of the group by these codes, and adds the products to registers a
// and b.
#define QUERY(at, a, b) \
	VPBROADCASTD at(qp), Z26; \
	PRODUCTS(a, b)

// START sets every lane of registers a and b to the field Start of a query.
#define START(at, a, b) \
	VPBROADCASTD at(np), a; \
	VMOVAPS    a, b

// ROWS loads Scale, Rest and Norm of 16 rows, and computes Norm².
#define ROWS(at, scale, rest, norm, square) \
	VMOVUPS at(gp), scale;       \
	VMOVUPS (at+128)(gp), rest;  \
	VMOVUPS (at+256)(gp), norm;  \
	VMULPS  norm, norm, square

// BOUND compares the bounds of query j and 16 rows with the threshold.
#define BOUND(j, scale, rest, norm, square, sum, mask) \
	VCVTDQ2PS        sum, sum;                       \
	VMULPS           scale, sum, sum;                \
	VFMADD231PS.BCST (20*j+4)(np), rest, sum;        \
	VFMADD231PS.BCST (20*j+8)(np), norm, sum;        \
	VFMADD231PS.BCST (20*j+12)(np), square, sum;     \
	VCMPPS.BCST      $5, (20*j+16)(np), sum, mask

// MASK compares the bounds of query j and all 32 rows with the threshold, and stores the mask bits.
#define MASK(j, a, b) \
	BOUND(j, Z24, Z25, Z26, Z27, a, K1); \
	BOUND(j, Z28, Z29, Z30, Z31, b, K2); \
	KUNPCKWD K1, K2, K1;                \
	KMOVD    K1, (4*j)(mp)

// func filter(masks *uint32, codes *uint8, groups *Group, n int, queries *int8, steps int, q *Query)
TEXT FILTER(SB), NOSPLIT, $0-56
	MOVQ masks+0(FP), mp
	MOVQ codes+8(FP), cp
	MOVQ groups+16(FP), gp
	MOVQ n+24(FP), left
	MOVQ queries+32(FP), q0
	MOVQ steps+40(FP), count
	MOVQ q+48(FP), np

grouploop:
	START(0, Z0, Z1)
	START(20, Z2, Z3)
	START(40, Z4, Z5)
	START(60, Z6, Z7)
	START(80, Z8, Z9)
	START(100, Z10, Z11)
	START(120, Z12, Z13)
	START(140, Z14, Z15)
	START(160, Z16, Z17)
	START(180, Z18, Z19)
	START(200, Z20, Z21)
	START(220, Z22, Z23)
	CONSTANTS
	MOVQ q0, qp
	MOVQ count, step

steploop:
	VMOVUPS (cp), Z24
	VMOVUPS 64(cp), Z25
	QUERY(0, Z0, Z1)
	QUERY(4, Z2, Z3)
	QUERY(8, Z4, Z5)
	QUERY(12, Z6, Z7)
	QUERY(16, Z8, Z9)
	QUERY(20, Z10, Z11)
	QUERY(24, Z12, Z13)
	QUERY(28, Z14, Z15)
	QUERY(32, Z16, Z17)
	QUERY(36, Z18, Z19)
	QUERY(40, Z20, Z21)
	QUERY(44, Z22, Z23)
	ADDQ $128, cp
	ADDQ $48, qp
	DECQ step
	JNE  steploop

	ROWS(0, Z24, Z25, Z26, Z27)
	ROWS(64, Z28, Z29, Z30, Z31)
	MASK(0, Z0, Z1)
	MASK(1, Z2, Z3)
	MASK(2, Z4, Z5)
	MASK(3, Z6, Z7)
	MASK(4, Z8, Z9)
	MASK(5, Z10, Z11)
	MASK(6, Z12, Z13)
	MASK(7, Z14, Z15)
	MASK(8, Z16, Z17)
	MASK(9, Z18, Z19)
	MASK(10, Z20, Z21)
	MASK(11, Z22, Z23)
	ADDQ $384, gp
	ADDQ $48, mp
	DECQ left
	JNE  grouploop

	VZEROUPPER
	RET
#undef QUERY
#undef START
#undef ROWS
#undef BOUND
#undef MASK
