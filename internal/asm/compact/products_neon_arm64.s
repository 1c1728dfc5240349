// dotInt8, sqEuclideanInt8 for integers with NEON.
//
//	dotInt8          Σ a_i·b_i
//	sqEuclideanInt8  Σ (a_i − b_i)²      0≤i<n
//
// Same bits as    dotInt8Ref and sqEuclideanInt8Ref in ref.go. The sums are exact in any order.
// Layout          a and b have n bytes. n is a positive multiple of 16 and at most mostDot (dotInt8) or
//                 mostSqEuclidean (sqEuclideanInt8).
// Tile            64 elements. Each of four registers with 32-bit sums accumulates the terms of 16 elements.
// Tail            up to three pieces of 16 elements, all added to the first register of sums.
// Special values  none, because the data are integers.
// Registers       R0 a · R1 b · R2 elements left · V0–V3 sums · V4–V7 elements of a, then
//                 differences · V16–V19 elements of b · V20–V27 products or differences of 16 bits.
// Source          SDOT and UDOT add groups of four products in 32 bits. UDOT squares |a − b|, which is unsigned.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

#define ap R0
#define bp R1
#define left R2

// dot16 adds the products of the 16 elements of Vx and Vy to sums. square16 adds the squared
// differences of the elements. The two macros use Vt and V(t+1) as scratch. productDot16 and
// squareDot16 do the same with SDOT and UDOT and need no scratch.
#define dot16(x, y, t, sums) \
	SMULL_8H(t, x, y);    \
	SMULL2_8H(t+1, x, y); \
	SADALP_4S(sums, t);   \
	SADALP_4S(sums, t+1)

#define square16(x, y, t, sums) \
	SSUBL_8H(t, x, y);         \
	SSUBL2_8H(t+1, x, y);      \
	SMLAL_4S(sums, t, t);      \
	SMLAL2_4S(sums, t, t);     \
	SMLAL_4S(sums, t+1, t+1);  \
	SMLAL2_4S(sums, t+1, t+1)

#define productDot16(x, y, t, sums) SDOT_4S(sums, x, y)

#define squareDot16(x, y, t, sums) \
	SABD_16B(x, x, y); \
	UDOT_4S(sums, x, x)

// begin loads the arguments and clears the sums.
#define begin \
	MOVD n+0(FP), left;         \
	MOVD a+8(FP), ap;           \
	MOVD b+16(FP), bp;          \
	VEOR V0.B16, V0.B16, V0.B16; \
	VEOR V1.B16, V1.B16, V1.B16; \
	VEOR V2.B16, V2.B16, V2.B16; \
	VEOR V3.B16, V3.B16, V3.B16; \
	SUBS $64, left

// load64 loads the next 64 elements, and load16 the next 16 elements.
#define load64 \
	VLD1.P 64(ap), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	VLD1.P 64(bp), [V16.B16, V17.B16, V18.B16, V19.B16]

#define load16 \
	VLD1.P 16(ap), [V4.B16]; \
	VLD1.P 16(bp), [V16.B16]

// fold adds the four registers of sums in 32 bits, and then adds the lanes of the result in 64
// bits.
#define fold \
	VADD V1.S4, V0.S4, V0.S4; \
	VADD V3.S4, V2.S4, V2.S4; \
	VADD V2.S4, V0.S4, V0.S4; \
	SADDLV_D(0, 0)

#define SUM ·dotInt8NEON
#define TERMS dot16
#include "products_neon_arm64.h"
#undef SUM
#undef TERMS

#define SUM ·dotInt8NEONDotProd
#define TERMS productDot16
#include "products_neon_arm64.h"
#undef SUM
#undef TERMS

#define SUM ·sqEuclideanInt8NEON
#define TERMS square16
#include "products_neon_arm64.h"
#undef SUM
#undef TERMS

#define SUM ·sqEuclideanInt8NEONDotProd
#define TERMS squareDot16
#include "products_neon_arm64.h"
#undef SUM
#undef TERMS
