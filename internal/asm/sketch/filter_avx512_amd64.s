// filter, filterOne for float32 with AVX-512 F, BW, with VNNI and without.
//
//	t = (Start_j + Σ_k c_ik·p_jk)·Scale_i + Rest_i·Rest_j + Norm_i·Norm_j + Norm_i²·Square_j
//	            for row i with the codes c_ik and query j with the codes p_jk
//	filter      bit i of masks[g,j] = !(t < τ_j)
//	filterOne   bit i of masks[g] = !(t < τ), for one query
//	            0≤g<n  0≤i<32  0≤j<12  0≤k<4·steps
//
// Same bits as    filterRef and filterOneRef in ref.go. The sum over k is an integer modulo 2³². Every other operation rounds once.
// Layout          codes is n × steps × 32 rows × 4 bytes. Every byte of codes is at most 127. queries is steps × 12 queries × 4 bytes
//                 for filter, and steps × 4 bytes for filterOne. groups is n × 3 × 32 numbers, and q has Start, Rest, Norm, Square
//                 and τ for every query. n and steps are positive.
// Tile            32 rows × 12 queries, or 32 rows × 1 query, with four features at a time. One 32-bit lane holds the sum of a row and a query.
//                 Without VNNI, VPMADDUBSW adds two products of bytes. The sum is at most 2·127·128, so VPMADDUBSW does not saturate.
// Tail            none.
// Special values  propagate as in ordinary arithmetic.
// Registers       SI codes · R8 group · DI masks · BX queries · DX pointer into queries · R9 numbers of the queries · AX groups left ·
//                 R10 steps · CX steps left · Z0–Z23 sums, for query j in Z2j and Z2j+1 · Z24 Z25 rows · Z26 four codes of a query ·
//                 Z30 ones · Z28 Z29 products · then Z24–Z27 Scale, Rest, Norm, Norm² of the first 16 rows, Z28–Z31 the same numbers of
//                 the last 16 rows. filterOne: Z0 Z1 sums · Z3–Z7 numbers of the query.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define cp SI
#define gp R8
#define mp DI
#define q0 BX
#define qp DX
#define np R9
#define left AX
#define count R10
#define step CX

// PRODUCTS multiplies the row codes in Z24 and Z25 by the four query codes in Z26. Each lane of Z24 and Z25 holds four codes of
// one row. The macro adds the four products of each lane of Z24 to the same lane of a, and the four products of each
// lane of Z25 to the same lane of b.
#define PRODUCTS(a, b) \
	VPDPBUSD Z26, Z24, a; \
	VPDPBUSD Z26, Z25, b
#define CONSTANTS

#define FILTER ·filterAVX512VNNI
#include "block_avx512_amd64.h"
#undef FILTER

#define FILTERONE ·filterOneAVX512VNNI
#include "one_avx512_amd64.h"
#undef FILTERONE
#undef PRODUCTS
#undef CONSTANTS

// This definition of PRODUCTS is for machines without VNNI. VPMADDUBSW adds pairs of products, and VPMADDWD adds pairs of
// these sums.
#define PRODUCTS(a, b) \
	VPMADDUBSW Z26, Z24, Z28; \
	VPMADDUBSW Z26, Z25, Z29; \
	VPMADDWD   Z30, Z28, Z28; \
	VPMADDWD   Z30, Z29, Z29; \
	VPADDD     Z28, a, a;     \
	VPADDD     Z29, b, b
#define CONSTANTS \
	VPTERNLOGD $0xff, Z30, Z30, Z30; \
	VPSRLW     $15, Z30, Z30

#define FILTER ·filterAVX512
#include "block_avx512_amd64.h"
#undef FILTER

#define FILTERONE ·filterOneAVX512
#include "one_avx512_amd64.h"
#undef FILTERONE
