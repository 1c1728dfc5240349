// filter, filterOne for float32 with AVX2 + FMA.
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
// Tile            16 rows × 4 queries, or 32 rows × 1 query, with four features at a time. One 32-bit lane holds the sum of a row and a
//                 query. VPMADDUBSW adds two products of bytes. The sum is at most 2·127·128, so VPMADDUBSW does not saturate.
// Tail            none.
// Special values  propagate as in ordinary arithmetic.
// Registers       SI codes · R11 pointer into codes · R8 group · R12 halves of the group left · DI masks · BX queries · DX pointer into queries · R9 numbers
//                 of the queries · AX groups left · R10 steps · CX steps left · Y10 four codes of a query · Y12 Y13 products · Y15 ones.
//                 filter: Y0–Y7 sums, for query j of the tile in Y2j and Y2j+1 · Y8 Y9 rows, then Scale and Rest · Y10 Norm · Y11 Norm² ·
//                 Y12–Y14 numbers of a query. filterOne: Y0–Y3 sums · Y4 start · Y5–Y8 numbers of the query · Y9 Y11 rows, then Norm.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define cp SI
#define cq R11
#define gp R8
#define half R12
#define mp DI
#define q0 BX
#define qp DX
#define np R9
#define left AX
#define count R10
#define step CX

// ONES sets every 16-bit integer in Y15 to one.
#define ONES \
	VPCMPEQD Y15, Y15, Y15; \
	VPSRLW   $15, Y15, Y15

// PRODUCTS multiplies the row codes in x and y by the four query codes in Y10. Each lane of x and y holds four codes of one row.
// The macro adds the four products of each lane of x to the same lane of a, and the four products of each lane of y to
// the same lane of b.
#define PRODUCTS(x, y, a, b) \
	VPMADDUBSW Y10, x, Y12;   \
	VPMADDUBSW Y10, y, Y13;   \
	VPMADDWD   Y15, Y12, Y12; \
	VPMADDWD   Y15, Y13, Y13; \
	VPADDD     Y12, a, a;     \
	VPADDD     Y13, b, b

// START copies the field Start of one query to every lane of the registers a and b.
#define START(at, a, b) \
	VPBROADCASTD at(np), a; \
	VMOVAPS      a, b

// NUMBERS loads Scale, Rest and Norm of eight rows, and computes Norm².
#define NUMBERS(at) \
	VMOVUPS at(gp), Y8;        \
	VMOVUPS (at+128)(gp), Y9;  \
	VMOVUPS (at+256)(gp), Y10; \
	VMULPS  Y10, Y10, Y11

// BOUND converts the integer sums of eight rows to the bounds t of these rows for query j. Register sum holds the integer sums,
// and then the bounds.
#define BOUND(j, sum) \
	VCVTDQ2PS    sum, sum;           \
	VMULPS       Y8, sum, sum;       \
	VBROADCASTSS (20*j+4)(np), Y12;  \
	VFMADD231PS  Y12, Y9, sum;       \
	VBROADCASTSS (20*j+8)(np), Y13;  \
	VFMADD231PS  Y13, Y10, sum;      \
	VBROADCASTSS (20*j+12)(np), Y14; \
	VFMADD231PS  Y14, Y11, sum

// MASK compares sum, which contains eight bounds, with the threshold of query j, and stores the mask bits.
#define MASK(j, at, sum) \
	VBROADCASTSS (20*j+16)(np), Y12; \
	VCMPPS       $5, Y12, sum, sum;  \
	VMOVMSKPS    sum, step;          \
	MOVB         step, (4*j+at)(mp)

// func filterAVX2(masks *uint32, codes *uint8, groups *Group, n int, queries *int8, steps int, q *Query)
TEXT ·filterAVX2(SB), NOSPLIT, $0-56
	MOVQ masks+0(FP), mp
	MOVQ codes+8(FP), cp
	MOVQ groups+16(FP), gp
	MOVQ n+24(FP), left
	MOVQ queries+32(FP), q0
	MOVQ steps+40(FP), count
	MOVQ q+48(FP), np
	ONES

grouploop:
	MOVQ $2, half

halfloop:
	START(0, Y0, Y1)
	START(20, Y2, Y3)
	START(40, Y4, Y5)
	START(60, Y6, Y7)
	MOVQ cp, cq
	MOVQ q0, qp
	MOVQ count, step

steploop:
	VMOVUPS      (cq), Y8
	VMOVUPS      32(cq), Y9
	VPBROADCASTD (qp), Y10
	PRODUCTS(Y8, Y9, Y0, Y1)
	VPBROADCASTD 4(qp), Y10
	PRODUCTS(Y8, Y9, Y2, Y3)
	VPBROADCASTD 8(qp), Y10
	PRODUCTS(Y8, Y9, Y4, Y5)
	VPBROADCASTD 12(qp), Y10
	PRODUCTS(Y8, Y9, Y6, Y7)
	ADDQ         $128, cq
	ADDQ         $48, qp
	DECQ         step
	JNE          steploop

	NUMBERS(0)
	BOUND(0, Y0)
	MASK(0, 0, Y0)
	BOUND(1, Y2)
	MASK(1, 0, Y2)
	BOUND(2, Y4)
	MASK(2, 0, Y4)
	BOUND(3, Y6)
	MASK(3, 0, Y6)
	NUMBERS(32)
	BOUND(0, Y1)
	MASK(0, 1, Y1)
	BOUND(1, Y3)
	MASK(1, 1, Y3)
	BOUND(2, Y5)
	MASK(2, 1, Y5)
	BOUND(3, Y7)
	MASK(3, 1, Y7)
	ADDQ $64, cp
	ADDQ $64, gp
	ADDQ $2, mp
	DECQ half
	JNE  halfloop

	LEAQ -64(cq), cp
	ADDQ $256, gp
	ADDQ $44, mp
	DECQ left
	JNE  grouploop

	VZEROUPPER
	RET
#undef MASK

// MASK converts sum, which contains the integer sums of eight rows, to bounds. It then compares the bounds with the threshold.
#define MASK(at, sum) \
	VCVTDQ2PS   sum, sum;              \
	VMULPS      (32*at)(gp), sum, sum; \
	VFMADD231PS (32*at+128)(gp), Y5, sum; \
	VMOVUPS     (32*at+256)(gp), Y9;   \
	VFMADD231PS Y6, Y9, sum;           \
	VMULPS      Y9, Y9, Y9;            \
	VFMADD231PS Y7, Y9, sum;           \
	VCMPPS      $5, Y8, sum, sum

// STORE stores the mask bits of eight rows.
#define STORE(at, sum) \
	VMOVMSKPS sum, step; \
	MOVB      step, at(mp)

// func filterOneAVX2(masks *uint32, codes *uint8, groups *Group, n int, query *int8, steps int, q *Query)
TEXT ·filterOneAVX2(SB), NOSPLIT, $0-56
	MOVQ masks+0(FP), mp
	MOVQ codes+8(FP), cp
	MOVQ groups+16(FP), gp
	MOVQ n+24(FP), left
	MOVQ query+32(FP), q0
	MOVQ steps+40(FP), count
	MOVQ q+48(FP), np
	VPBROADCASTD (np), Y4
	VBROADCASTSS 4(np), Y5
	VBROADCASTSS 8(np), Y6
	VBROADCASTSS 12(np), Y7
	VBROADCASTSS 16(np), Y8
	ONES

grouploop:
	VMOVAPS Y4, Y0
	VMOVAPS Y4, Y1
	VMOVAPS Y4, Y2
	VMOVAPS Y4, Y3
	MOVQ    q0, qp
	MOVQ    count, step

steploop:
	VPBROADCASTD (qp), Y10
	VMOVUPS      (cp), Y9
	VMOVUPS      32(cp), Y11
	PRODUCTS(Y9, Y11, Y0, Y1)
	VMOVUPS      64(cp), Y9
	VMOVUPS      96(cp), Y11
	PRODUCTS(Y9, Y11, Y2, Y3)
	PREFETCHT2   4096(cp)
	PREFETCHT2   4160(cp)
	ADDQ         $128, cp
	ADDQ         $4, qp
	DECQ         step
	JNE          steploop

	MASK(0, Y0)
	MASK(1, Y1)
	MASK(2, Y2)
	MASK(3, Y3)
	STORE(0, Y0)
	STORE(1, Y1)
	STORE(2, Y2)
	STORE(3, Y3)
	ADDQ $384, gp
	ADDQ $4, mp
	DECQ left
	JNE  grouploop

	VZEROUPPER
	RET
