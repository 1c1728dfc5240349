// lane for float64 and float32 with AVX-512 F.
//
//	rows     s[i] = Σ_j k[i*n+j] v[j]
//	columns  q[j] = q[j] + Σ_i u[i] k[i*n+j]
//	divide   x[i] = a[i] / y[i]; outside = NaN unless all lo ≤ x[i] ≤ hi
//	sqEuclidean   dst[i*n+j] = Σ_l (x[i*d+l] − y[j*d+l])²
//	mul      z[i] = x[i] y[i] or x[i] y[0]
//	for 0≤i<m, 0≤j<n and 0≤l<d, and for each of the 8 problems (float32: 16)
//
// Same bits as    rowsRef, columnsRef, divideRef, sqEuclideanRef and mulRef in ref.go. Partial sum l of a
//                 row contains the columns j with j mod 8 = l (float32: j mod 16 = l). Every partial sum
//                 has its own register. The kernel adds the partial sums in halves.
// Layout          An element has 64 bytes, with one value of each problem. In rows, columns and
//                 sqEuclidean, m is a multiple of 4, and n is a multiple of 8 (float32: 16). m and n are
//                 positive.
// Tile            64 bytes. rows: 2 rows (float32: 1); Z0–Z15 hold partial sums, Z16 holds v; columns:
//                 four rows, Z0–Z3 u, Z4 Z5 q; sqEuclidean: four columns, Z0–Z3 sums, Z8 x.
// Tail            none. No access outside the slices.
// Special values  propagate as in ordinary arithmetic; comparisons with NaN are false.
// Registers       CX rows or elements left · SI k or x · DX v, q, y · DI destination · BX pointer into
//                 v, or offset in x · R8 bytes of a row, or 64 d · R9 end of a row · R10 bytes of three rows · R11 a, u
//                 · R12 columns left. In divide Z10 lo · Z11 hi · Z12 zero · K1 a = 0 · K2 kept
//                 quotients, then outside · K4 all bits without clear · K5 outside so far.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define at BX
#define left CX
#define vec DX
#define to DI
#define row SI
#define bytes R8
#define end R9
#define bytes3 R10
#define ui R11
#define more R12

// ZERO4 clears four registers.
#define ZERO4(a, b, c, d) \
	VPXORQ a, a, a; \
	VPXORQ b, b, b; \
	VPXORQ c, c, c; \
	VPXORQ d, d, d

// FOLD4 adds registers e, f, g and h to registers a, b, c and d.
#define FOLD4(a, b, c, d, e, f, g, h) \
	add e, a, a; \
	add f, b, b; \
	add g, c, c; \
	add h, d, d

// FOLD sets register a to (a+c) + (b+d).
#define FOLD(a, b, c, d) \
	add c, a, a; \
	add d, b, b; \
	add b, a, a

// TERM2 adds K_ij v_j to register a for row i, and to register b for row i+1. The offset of column j
// is o bytes.
#define TERM2(o, a, b) \
	move o(at), Z16;               \
	fma  o(row), Z16, a;           \
	fma  o(row)(bytes*1), Z16, b

// TERM adds K_ij v_j to the sum in register a. The offset of column j is o bytes.
#define TERM(o, a) \
	move o(at), Z16;    \
	fma  o(row), Z16, a

// ADD4 adds u_i K_ij to q_j for four rows i, in ascending order.
#define ADD4(o, q) \
	move o(to), q;                 \
	fma  o(row), Z0, q;            \
	fma  o(row)(bytes*1), Z1, q;   \
	fma  o(row)(bytes*2), Z2, q;   \
	fma  o(row)(bytes3*1), Z3, q;  \
	move q, o(to)

// SQUARE adds (x − y)² to the register sum. Z8 holds x, and p is the address of y.
#define SQUARE(p, t, sum) \
	sub p, Z8, t;   \
	fma t, t, sum

#define F64
#include "type_amd64.h"
#define ROWS ·rowsAVX512F64(SB)
#define COLUMNS ·columnsAVX512F64(SB)
#define DIVIDE ·divideAVX512F64(SB)
#define SQEUCLIDEAN ·sqEuclideanAVX512F64(SB)
#define MUL ·mulAVX512F64(SB)
#include "rows8_avx512_amd64.h"
#include "lane_avx512_amd64.h"
#undef F64
#undef ROWS
#undef COLUMNS
#undef DIVIDE
#undef SQEUCLIDEAN
#undef MUL

#define F32
#include "type_amd64.h"
#define ROWS ·rowsAVX512F32(SB)
#define COLUMNS ·columnsAVX512F32(SB)
#define DIVIDE ·divideAVX512F32(SB)
#define SQEUCLIDEAN ·sqEuclideanAVX512F32(SB)
#define MUL ·mulAVX512F32(SB)
#include "rows16_avx512_amd64.h"
#include "lane_avx512_amd64.h"
