// logscale for float64 and float32 with AVX-512 F.
//
//	rows        x_j = g[j] − c mat[i*ldm+j]      max[i] = max_j x_j      e_j = 2^(x_j − max[i])
//	            sum[i] = Σ_j e_j      q[j] = q[j] + Σ_i (a[i] / sum[i]) e_j
//	columnMax   h[j] = max(h[j], f[i] − c mat[i*ldm+j])
//	columnSum   s[j] = s[j] + Σ_i 2^(f[i] − c mat[i*ldm+j] − h[j])
//	plan        t[i*ldt+j] = 2^((g[j] − c mat[i*ldm+j]) + f[i])
//	for 0≤i<m and 0≤j<n
//
// Same bits as    logRowsRef, logColumnMaxRef, logColumnSumRef and logPlanRef in ref.go. A row sum has 8
//                 (float32: 16) partial sums, which are added in halves. Column sums are in ascending
//                 order of i.
// Layout          mat and t are row-major m×n matrices. The strides ldm and ldt count elements. The vectors
//                 f, a, max and sum have m elements, and g, q, h, s and e have n. m, n ≥ 1. t may be mat.
// Tile            rows and plan: 3 vectors of one row, then single vectors. columnMax: 4 vectors of
//                 all rows, then single vectors. columnSum: 3 vectors of all rows, then single vectors.
//                 In rows, Z0–Z2 hold x, then 2^y. Z21 holds partial sums, and Z3–Z6 hold maxima.
//                 During the division by the sum of a row, rows computes the maximum of the next row.
//                 Then rows adds the row to q.
// Tail            columns: opmask K7 excludes the missing columns from the maximum and
//                 the sum. No access outside the slices.
// Special values  the maximum takes x only where x > max, so it ignores NaN;
//                 adding +0 turns −0 into +0.
// Registers       SI row of mat · DX ldm · R9 bytes in whole steps · R10 bytes of a row ·
//                 CX offset in the row · AX scratch · Z23 c · Z30 table · Z31 magic. rows:
//                 DI g · R8 e · BX q · R13 a · R12 max · R11 sum; rows left in the
//                 arguments · Z19 w · Z20 last e · Z22 max. columnMax: DI h · R11 f · R12 rows
//                 left · R13 pointer into mat. columnSum: DI h · BX s · R11 f · R12 rows left · R13
//                 pointer into mat. plan: DI g · BX row of t · R8 ldt · R11 f · R12 rows left.
// Source          written for this project; exp2core_avx512_amd64.h computes 2^y.

//go:build amd64 && !purego

#include "textflag.h"
#include "exp2core_avx512_amd64.h"

#define lanes (64/size)
#define place CX
#define ld DX
#define row SI
#define whole R9
#define bytes R10
#define mask K7
#define cost Z23
#define table Z30
#define magic Z31

// TAILMASK sets the opmask register mask to ones for the elements of the last, partial vector of a
// row. The vector has (bytes − whole) bytes.
#define TAILMASK \
	MOVQ  bytes, CX;    \
	SUBQ  whole, CX;    \
	SHRQ  $logsize, CX; \
	MOVL  $1, AX;       \
	SHLL  CX, AX;       \
	DECL  AX;           \
	KMOVW AX, mask

// CONSTANTS loads the registers magic and table, which the EXP2 macros use.
#define CONSTANTS \
	bcast     exp2c+EXP2_MAGIC(SB), magic; \
	VMOVDQU64 exp2c+EXP2_TABLE(SB), table

#define F64
#define LOGROWS ·logRowsAVX512F64
#define LOGCOLUMNMAX ·logColumnMaxAVX512F64
#define LOGCOLUMNSUM ·logColumnSumAVX512F64
#define LOGPLAN ·logPlanAVX512F64
#include "type_amd64.h"
#include "logscale_avx512_amd64.h"
#undef LOGROWS
#undef LOGCOLUMNMAX
#undef LOGCOLUMNSUM
#undef LOGPLAN
#undef F64

#define F32
#define LOGROWS ·logRowsAVX512F32
#define LOGCOLUMNMAX ·logColumnMaxAVX512F32
#define LOGCOLUMNSUM ·logColumnSumAVX512F32
#define LOGPLAN ·logPlanAVX512F32
#include "type_amd64.h"
#include "logscale_avx512_amd64.h"
#undef LOGROWS
#undef LOGCOLUMNMAX
#undef LOGCOLUMNSUM
#undef LOGPLAN
#undef F32
