// This kernel processes one query and a group of 32 rows at a time. The including file defines:
//
//	FILTERONE   the function name
//	CONSTANTS   sets the registers that PRODUCTS needs
//	PRODUCTS    multiplies the rows in Z24 and Z25 by the four query codes in Z26, and adds the products to two registers

// MASK computes the bounds of 16 rows and compares the bounds with the threshold.
#define MASK(at, sum, mask) \
	VCVTDQ2PS   sum, sum;                   \
	VMULPS      at(gp), sum, sum;        \
	VFMADD231PS (at+128)(gp), Z4, sum;   \
	VMOVUPS     (at+256)(gp), Z24;       \
	VFMADD231PS Z5, Z24, sum;               \
	VMULPS      Z24, Z24, Z24;              \
	VFMADD231PS Z6, Z24, sum;               \
	VCMPPS      $5, Z7, sum, mask

// func filterOne(masks *uint32, codes *uint8, groups *Group, n int, query *int8, steps int, q *Query)
TEXT FILTERONE(SB), NOSPLIT, $0-56
	MOVQ masks+0(FP), mp
	MOVQ codes+8(FP), cp
	MOVQ groups+16(FP), gp
	MOVQ n+24(FP), left
	MOVQ query+32(FP), q0
	MOVQ steps+40(FP), count
	MOVQ q+48(FP), np
	VPBROADCASTD (np), Z3
	VBROADCASTSS 4(np), Z4
	VBROADCASTSS 8(np), Z5
	VBROADCASTSS 12(np), Z6
	VBROADCASTSS 16(np), Z7
	CONSTANTS

grouploop:
	VMOVAPS Z3, Z0
	VMOVAPS Z3, Z1
	MOVQ      q0, qp
	MOVQ      count, step

steploop:
	VPBROADCASTD (qp), Z26
	VMOVUPS  (cp), Z24
	VMOVUPS  64(cp), Z25
	PRODUCTS(Z0, Z1)
	PREFETCHT2 4096(cp)
	PREFETCHT2 4160(cp)
	ADDQ       $128, cp
	ADDQ       $4, qp
	DECQ       step
	JNE        steploop

	MASK(0, Z0, K1)
	MASK(64, Z1, K2)
	KUNPCKWD K1, K2, K1
	KMOVD    K1, (mp)
	ADDQ     $384, gp
	ADDQ     $4, mp
	DECQ     left
	JNE      grouploop

	VZEROUPPER
	RET
#undef MASK
