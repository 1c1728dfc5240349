// logscale for float64 and float32 with AVX2 + FMA.
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
// Tile            rows: 4 vectors of one row. One loop adds the previous row to q, computes the
//                 maximum of the next row, and computes 2^y of the current row. Y0–Y3 hold y, then
//                 f of exp2. Y4–Y7 hold S, Y8–Y11 the polynomial, Y13 the maximum, and Y14 and Y15
//                 partial sums. Other kernels: 2 vectors of one row. columnMax visits all rows of a
//                 tile before the next columns.
// Tail            columns: masked loads, stores in pieces; missing columns are −Inf in the
//                 maximum and zeros in the sum. No access outside the slices.
// Special values  the maximum takes x only where x > max, so it ignores NaN;
//                 adding +0 turns −0 into +0.
// Registers       SI row of mat · R9 bytes in whole steps · R10 bytes of a row · CX offset in
//                 the row · AX scratch. rows: DX next row · DI g · R8 e · BX q · R13 a ·
//                 R12 max · R11 sum; the arguments hold the rows left, ldm and w. columnMax:
//                 DX ldm · DI h · R11 f · R12 rows left · R13 pointer into mat. columnSum: DX ldm ·
//                 DI h · BX s · R11 f · R12 rows left. plan: DX ldm · DI g · BX row of t ·
//                 R8 ldt · R11 f · R12 rows left.
// Source          written for this project; exp2core_avx2_amd64.h computes 2^y.

//go:build amd64 && !purego

#include "textflag.h"
#include "exp2core_avx2_amd64.h"

#define lanes (32/size)
#define to AX
#define rest CX
#define place CX
#define row SI
#define whole R9
#define bytes R10
#define least Y11
#define magic Y12

// TAILMASKS loads the registers lo and hi with masks for the last, partial pair of vectors of a row.
// The masks select the bytes after the last whole pair. There are fewer than 64 such bytes. Register t is scratch.
#define TAILMASKS(t, lo, hi) \
	LEAQ    tailmask<>+64(SB), t; \
	ADDQ    whole, t;             \
	SUBQ    bytes, t;             \
	VMOVUPD (t), lo;              \
	VMOVUPD 32(t), hi

#define EXP2_SPLITONE(y, t) \
	EXP2_SPLIT(y, t, Y8, Y9); \
	EXP2_LOOKUP(t, Y8, Y9, Y10)

// EXP2_PAIR sets Y8 and Y9 to 2^Y0 and 2^Y1. The macro changes Y0, Y1, Y4, Y5 and Y8–Y12.
#define EXP2_PAIR \
	EXP2_CONST(EXP2_LEAST, least); \
	EXP2_CONST(EXP2_MAGIC, magic); \
	EXP2_SPLITONE(Y0, Y4); \
	EXP2_SPLITONE(Y1, Y5); \
	EXP2_UPPER2(Y12); \
	EXP2_LOWER2(Y12); \
	EXP2_LAST(Y8, Y4); \
	EXP2_LAST(Y9, Y5)

#define EXP2_SPLITFOUR \
	EXP2_CONST(EXP2_LEAST, least); \
	EXP2_CONST(EXP2_MAGIC, magic); \
	EXP2_SPLITONE(Y0, Y4); \
	EXP2_SPLITONE(Y1, Y5); \
	EXP2_SPLITONE(Y2, Y6); \
	EXP2_SPLITONE(Y3, Y7)

// EXP2_QUAD sets Y8–Y11 to 2^Y0, 2^Y1, 2^Y2 and 2^Y3. The macro changes Y0–Y12.
#define EXP2_QUAD \
	EXP2_SPLITFOUR; \
	EXP2_UPPER4(Y12); \
	EXP2_LOWER4(Y12); \
	EXP2_LAST(Y8, Y4); \
	EXP2_LAST(Y9, Y5); \
	EXP2_LAST(Y10, Y6); \
	EXP2_LAST(Y11, Y7)

#define F64
#define LOGROWS ·logRowsAVX2F64
#define LOGCOLUMNMAX ·logColumnMaxAVX2F64
#define LOGCOLUMNSUM ·logColumnSumAVX2F64
#define LOGPLAN ·logPlanAVX2F64
#define logrowsargs 96
#include "type_amd64.h"
#include "logscale_avx2_amd64.h"
#undef LOGROWS
#undef LOGCOLUMNMAX
#undef LOGCOLUMNSUM
#undef LOGPLAN
#undef logrowsargs
#undef F64

#define F32
#define LOGROWS ·logRowsAVX2F32
#define LOGCOLUMNMAX ·logColumnMaxAVX2F32
#define LOGCOLUMNSUM ·logColumnSumAVX2F32
#define LOGPLAN ·logPlanAVX2F32
#define logrowsargs 92
#include "type_amd64.h"
#include "logscale_avx2_amd64.h"
#undef LOGROWS
#undef LOGCOLUMNMAX
#undef LOGCOLUMNSUM
#undef LOGPLAN
#undef logrowsargs
#undef F32
