// pass, float64, float32 and mixed, AVX2 + FMA.
//
//	rows     u[i] = Σ_j k[i*ldk+j] v[j]
//	columns  q[j] = q[j] + Σ_i u[i] k[i*ldk+j]
//	iterate  u[i] = a[i] / Σ_j k[i*ldk+j] v[j]      q[j] = q[j] + Σ_i u[i] k[i*ldk+j]
//	sweep    u[i] = a[i] Σ_j k[i*ldk+j] v[j]        q[j] = q[j] + Σ_i u[i] k[i*ldk+j]      0≤i<m  0≤j<n
//
// Same bits as    rowsRef, columnsRef, iterateRef and sweepRef in ref.go: a float32 k is
//                 widened first, exactly; the row sum in 8 lanes (float32: 16), folded in
//                 halves; q[j] one FMA a row, i ascending.
// Layout          k m×n row-major, stride ldk in elements; v q n; a u m. m, n ≥ 1.
// Tile            4 rows × 64 bytes of a vector. iterate, sweep: one loop computes the row sums of four
//                 rows, and adds the four rows before to q: Y0–Y7
//                 lanes of the sums, Y8–Y11 u, Y12 v, Y13 q. A k that is widened goes
//                 through Y12 or Y13, whichever is free. Rows of rowlo to rowhi bytes: sums first, then q.
//                 Small k: q takes eight rows at a time, eight rows behind the sums: Y2–Y9 u, Y0 Y1 q. The
//                 last m mod 4 rows one by one.
// Tail            columns: masked loads; Y14 Y15 keep the partial step of q from the first row
//                 to the last. rows: 1 row. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       SI row to sum · AX pointer into the rows that are added to q · DI v ·
//                 BX q · R11 a · R12 u · R13 rows left · DX ldk · R8 3 ldk · R9 bytes
//                 of k in whole steps · R10 bytes of a row of k · CX offset in the row. In
//                 the arguments, for small k: k first row that q lacks · u its u · n SI.
// Source          own.

//go:build amd64 && !purego

#include "textflag.h"

#define p AX
#define to AX
#define y BX
#define c CX
#define rest CX
#define ld DX
#define row SI
#define x DI
#define ld3 R8
#define whole R9
#define bytes R10
#define ai R11
#define ui R12
#define rows R13

// A k of at most small bytes stays in the first-level cache. Its rows are added to q eight rows behind
// the sums. Four rows of rowlo to rowhi bytes stay in the cache if nothing else is read before they
// are added to q.
#define small 36864
#define rowlo 3712
#define rowhi 8704

#define F64
#include "type_amd64.h"

// func passAVX2F64(m, n int, k *float64, ldk int, v, a, u, q *float64, divide bool)
TEXT ·passAVX2F64(SB), NOSPLIT, $0-65
#include "pass_avx2_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func passAVX2F32(m, n int, k *float32, ldk int, v, a, u, q *float32, divide bool)
TEXT ·passAVX2F32(SB), NOSPLIT, $0-65
#include "pass_avx2_amd64.h"
#undef F32

// With a float32 k and float64 vectors, one loop computes sums and adds to q, for rows of any length.
#undef rowlo
#undef rowhi
#define rowlo 0
#define rowhi 0

#define MIXED
#include "type_amd64.h"

// func passAVX2Mixed(m, n int, k *float32, ldk int, v, a, u, q *float64, divide bool)
TEXT ·passAVX2Mixed(SB), NOSPLIT, $0-65
#include "pass_avx2_amd64.h"
