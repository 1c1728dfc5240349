// filter, filterOne for float32 with NEON.
//
//	t = (Start_j + Σ_k c_ik·p_jk)·Scale_i + Rest_i·Rest_j + Norm_i·Norm_j + Norm_i²·Square_j
//	            for row i with the codes c_ik and query j with the codes p_jk
//	filter      bit i of masks[g,j] = !(t < τ_j)
//	filterOne   bit i of masks[g] = !(t < τ), for one query
//	            0≤g<n  0≤i<32  0≤j<4  0≤k<4·steps
//
// One call of filter processes four of the 12 queries of a block.
//
// Same bits as    filterRef and filterOneRef in ref.go. The sum over k is an integer modulo 2³². Every other operation rounds once.
// Layout          codes is n × steps × 32 rows × 4 bytes. Every byte of codes is at most 127. queries is steps × 12 queries × 4 bytes
//                 for filter, and steps × 4 bytes for filterOne. groups is n × 3 × 32 numbers, and q has Start, Rest, Norm, Square
//                 and τ for every query. n and steps are positive.
// Tile            16 rows × 4 queries, or 32 rows × 1 query, with four features at a time. One 32-bit lane holds the sum of a row and a query.
//                 Without SDOT, ADDP adds two products of bytes. The sum is at most 2·127·128, so ADDP does not overflow.
// Tail            none.
// Special values  propagate as in ordinary arithmetic.
// Registers       R0 masks · R1 codes · R2 pointer into codes · R3 group · R4 groups left · R5 queries · R6 pointer into queries · R7 steps · R8 steps
//                 left · R9 numbers of the queries · R10 halves of the group left · R11 scratch · V0–V15 sums, for query j in V4j to V4j+3 ·
//                 V16–V19 rows, then Scale, Rest, Norm, Norm² · V20 four codes of each query, then the weights of mask bits · V21–V23 products ·
//                 V24–V27 numbers of the queries · V28–V31 thresholds.
// Source          written for this project.

//go:build arm64 && !purego

#include "textflag.h"

#define DOUBLE 0
#include "neon_arm64.h"

#define mp R0
#define cp R1
#define cq R2
#define gp R3
#define left R4
#define q0 R5
#define qp R6
#define count R7
#define step R8
#define np R9
#define half R10

// NUMBERS loads Start, Rest, Norm and Square of a query into register v. It copies the threshold of the query to all lanes of
// another register.
#define NUMBERS(v, threshold) \
	VLD1.P  16(np), [v.S4];        \
	VLD1R.P 4(np), [threshold.S4]

// START copies the field Start of one query to every lane of the registers a, b, c and d.
#define START(v, a, b, c, d) \
	VDUP v.S[0], a.S4; \
	VDUP v.S[0], b.S4; \
	VDUP v.S[0], c.S4; \
	VDUP v.S[0], d.S4

// WEIGHTS sets the lanes of V20 to the mask bits of the first four rows: 1, 2, 4 and 8.
#define WEIGHTS \
	MOVD  $1, R11;                 \
	VDUP  R11, V20.S4;             \
	VSHL  $1, V20.S4, V21.S4;      \
	VZIP1 V21.S4, V20.S4, V20.S4;  \
	VSHL  $2, V20.S4, V21.S4;      \
	VZIP1 V21.D2, V20.D2, V20.D2

// ROWS loads Scale, Rest and Norm of four rows, and computes Norm².
#define ROWS \
	VLD1   (gp), [V16.S4];  \
	ADD    $128, gp, R11;  \
	VLD1   (R11), [V17.S4]; \
	ADD    $256, gp, R11;  \
	VLD1   (R11), [V18.S4]; \
	FMUL(19, 18, 18)

// NEXT advances to the next four rows and to their mask bits.
#define NEXT \
	ADD  $16, gp;             \
	VSHL $4, V20.S4, V20.S4;  \
	ROWS

// BOUND converts the integer sums of four rows, in register s, to bounds. It then sets each lane of s to the mask bit of the
// row, or to 0 if the bound of the row is below the threshold.
#define BOUND(s, numbers, threshold) \
	SCVTF_4S(s, s)           \
	FMUL(s, s, 16)           \
	FMLA_E(s, 17, numbers, 1) \
	FMLA_E(s, 18, numbers, 2) \
	FMLA_E(s, 19, numbers, 3) \
	FCMGT(s, threshold, s)   \
	BIC_16B(s, 20, s)

// MASK combines the mask bits of 16 rows in registers a, b, c and d, and stores the 16 bits.
#define MASK(a, b, c, d, at) \
	VORR  b.B16, a.B16, a.B16; \
	VORR  d.B16, c.B16, c.B16; \
	VORR  c.B16, a.B16, a.B16; \
	VADDV a.S4, a;             \
	VMOV  a.S[0], R11;         \
	MOVH  R11, at(mp)

#define PRODUCTS(d, i) \
	SDOT_4S_E(d, 16, 20, i)   \
	SDOT_4S_E(d+1, 17, 20, i) \
	SDOT_4S_E(d+2, 18, 20, i) \
	SDOT_4S_E(d+3, 19, 20, i)

#define FILTER ·filterNEONDotProd
#define FILTERONE ·filterOneNEONDotProd
#include "filter_neon_arm64.h"
#undef PRODUCTS
#undef FILTER
#undef FILTERONE

// PAIRS multiplies four codes of each of four rows by the four query codes in V23. Each row has one lane
// in register sum. PAIRS adds the four products of the row to this lane.
#define PAIRS(sum, rows) \
	SMULL_8H(21, rows, 23)      \
	SMULL2_8H(22, rows, 23)     \
	VADDP V22.H8, V21.H8, V21.H8; \
	SADALP_4S(sum, 21)

#define PRODUCTS(d, i) \
	VDUP V20.S[i], V23.S4; \
	PAIRS(d, 16)   \
	PAIRS(d+1, 17) \
	PAIRS(d+2, 18) \
	PAIRS(d+3, 19)

#define FILTER ·filterNEON
#define FILTERONE ·filterOneNEON
#include "filter_neon_arm64.h"
