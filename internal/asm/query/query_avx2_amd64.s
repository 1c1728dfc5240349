// query, float32, AVX2 + FMA.
//
//	sqEuclidean   dst[i] = Σ_k (q[k] − x[i,k])²
//	dot           dst[i] = Σ_k q[k]·x[i,k]            0≤i<n  0≤k<d
//
// Same bits as    sqEuclideanRef and dotRef in ref.go: 16 lanes, element k in lane k mod 16, k
//                 ascending, folded in halves.
// Layout          q d elements, x n×d row-major without gaps, dst n elements. n is a multiple of
//                 8, d of 16, neither is 0.
// Tile            4 rows, 16 elements of each: two vectors for the lanes of a row.
// Tail            none.
// Special values  follow the arithmetic.
// Registers       SI row 0 · R8 R9 one and three rows, bytes · DI dst · DX place in q · BX q ·
//                 AX rows left · CX groups left · R10 groups · Y0–Y7 lanes of the rows, two each ·
//                 Y8 Y9 q, then parts of the fold · Y10 Y11 differences.
// Source          own.

//go:build amd64 && !purego

#include "textflag.h"

#define xp SI
#define ld R8
#define ld3 R9
#define dp DI
#define qp DX
#define q0 BX
#define rows AX
#define left CX
#define groups R10

#define QUERY ·sqEuclideanAVX2F32
// TERM adds 16 terms of a row to its lanes, a and b.
#define TERM(lo, hi, a, b) \
	VSUBPS      lo, Y8, Y10;   \
	VSUBPS      hi, Y9, Y11;   \
	VFMADD231PS Y10, Y10, a; \
	VFMADD231PS Y11, Y11, b
#include "query_avx2_amd64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotAVX2F32
#define TERM(lo, hi, a, b) \
	VFMADD231PS lo, Y8, a; \
	VFMADD231PS hi, Y9, b
#include "query_avx2_amd64.h"
#undef QUERY
#undef TERM
