// query, float32, NEON.
//
//	sqEuclidean   dst[i] = Σ_k (q[k] − x[i,k])²
//	dot           dst[i] = Σ_k q[k]·x[i,k]            0≤i<n  0≤k<d
//
// Same bits as    sqEuclideanRef and dotRef in ref.go: 16 lanes, element k in lane k mod 16, k
//                 ascending, folded in halves.
// Layout          q d elements, x n×d row-major without gaps, dst n elements. n is a multiple of
//                 8, d of 16, neither is 0.
// Tile            4 rows, 16 elements of each: four registers for the lanes of a row.
// Tail            none.
// Special values  follow the arithmetic.
// Registers       R0 rows left · R1 elements of a row · R2 dst · R3 q · R4–R7 places in the rows ·
//                 R8 place in q · R9 elements left · R10 bytes of a row · V0–V15 lanes of the
//                 rows, four each · V16–V19 q · V20–V27 elements of x, then differences ·
//                 V28 V29 the four results.
// Source          own.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

#define rows R0
#define cols R1
#define dp R2
#define q0 R3
#define row0 R4
#define row1 R5
#define row2 R6
#define row3 R7
#define qp R8
#define left R9
#define ld R10

#define QUERY ·sqEuclideanNEONF32
// TERM adds 16 terms of a row, whose elements begin with register x, to its lanes.
#define TERM(lanes, x) \
	OF4(FSUB, x, 16, x); \
	OF4(FMLA, lanes, x, x)
#include "query_neon_arm64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotNEONF32
#define TERM(lanes, x) OF4(FMLA, lanes, x, 16)
#include "query_neon_arm64.h"
#undef QUERY
#undef TERM
