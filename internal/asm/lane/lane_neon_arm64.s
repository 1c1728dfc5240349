// lane for float64 and float32 with NEON.
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
// Tile            16 bytes, one quarter of an element. rows: one row; V0–V7
//                 (float32: V0–V15) hold partial sums, V16 holds v, V17 holds k; columns: four rows, V0–V3 u, V4 q;
//                 sqEuclidean: four columns, V0–V3 sums. mul: 64 bytes.
// Tail            none. No access outside the slices.
// Special values  propagate as in ordinary arithmetic; comparisons with NaN are false.
// Registers       named below; R5 also a, and bytes from one y to the next · V8 x · V10 lo · V11 hi
//                 · V12 zero · V13 ones with clear · V14 outside · V15 ones.
// Source          written for this project; the code is in rows8_neon_arm64.h or rows16_neon_arm64.h, and
//                 lane_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

#define left R0    // number of rows or elements left
#define bytes R1   // byte count of a row of k, or of a row of x in sqEuclidean
#define to R2      // destination
#define row R3     // pointer to k or x
#define vec R4     // pointer to v, q or y
#define ui R5      // pointer to u or a
#define at R6      // pointer into v, or into a row of x
#define end R7     // pointer to the end of v or q, or the number of columns in sqEuclidean
#define row1 R8    // pointer to the second row of k or y
#define row2 R9
#define row3 R10
#define quarter R11
#define more R12   // number of columns left
#define d1 R13     // number of features left

#define DOUBLE 1
#define ROWS ·rowsNEONF64(SB)
#define COLUMNS ·columnsNEONF64(SB)
#define DIVIDE ·divideNEONF64(SB)
#define SQEUCLIDEAN ·sqEuclideanNEONF64(SB)
#define MUL ·mulNEONF64(SB)
#include "rows8_neon_arm64.h"
#include "lane_neon_arm64.h"
#undef DOUBLE
#undef ROWS
#undef COLUMNS
#undef DIVIDE
#undef SQEUCLIDEAN
#undef MUL

#define DOUBLE 0
#define ROWS ·rowsNEONF32(SB)
#define COLUMNS ·columnsNEONF32(SB)
#define DIVIDE ·divideNEONF32(SB)
#define SQEUCLIDEAN ·sqEuclideanNEONF32(SB)
#define MUL ·mulNEONF32(SB)
#include "rows16_neon_arm64.h"
#include "lane_neon_arm64.h"
