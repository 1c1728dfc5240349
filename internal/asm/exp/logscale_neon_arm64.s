// logscale for float32 and float64 with NEON.
//
//	logRows         x_j = g[j] − c M_ij      max[i] = max_j x_j      e_j = 2^(x_j − max[i])
//	                sum[i] = Σ_j e_j      q[j] = q[j] + Σ_i (a[i] / sum[i]) e_j
//	logColumnMax    h[j] = max(h[j], max_i (f[i] − c M_ij))
//	logColumnSum    s[j] = s[j] + Σ_i 2^(f[i] − c M_ij − h[j])
//	logPlan         T_ij = 2^((g[j] − c M_ij) + f[i])
//	for 0≤i<m and 0≤j<n
//
// Same bits as    logRowsRef, logColumnMaxRef, logColumnSumRef and logPlanRef in ref.go. A row sum has 16
//                 (float64: 8) partial sums in four registers, which are added in halves. Column sums
//                 are in ascending order of i.
// Layout          M and T are row-major m×n matrices. The vectors f, a, max and sum have m elements, and
//                 g, q, h, s and e have n. Strides count elements. m, n ≥ 1. T may be M.
// Tile            four registers of a row; logColumnMax: four registers of all rows.
// Tail            logRows: the maximum takes one element at a time, in all lanes, and a mask removes
//                 the missing columns from the sum. logColumnMax: one register at a time, the last in
//                 part. Other loops: the same body with loads and stores of single lanes. No access
//                 outside the slices.
// Special values  logRows: FMAXNM ignores NaN, which is quiet after an FMA, and adding +0 turns
//                 −0 into +0. logColumnMax: x replaces h only where x > h, so a NaN or a zero in h
//                 stays.
// Registers       named below; V0–V3 x · V4–V15 see exp2core_neon_arm64.h · V16–V19 lanes of
//                 the sum, or M, h, s, g · V20–V23 2^x · V24 V25 lookup (float32) · V27 c f, or
//                 max · V28–V31 constants. The loops of q and of the maxima use V0–V23 freely.
// Source          written for this project; exp2core_neon_arm64.h computes 2^y.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "exp2core_neon_arm64.h"

#define rows R0
#define cols R1
#define kp R2      // e
#define ldkb R3    // stride of M in bytes
#define vp R4      // g or h
#define ap R5      // a or f
#define up R6      // sum
#define ldtb R6    // stride of T in bytes
#define qp R7      // pointer to q, s or T
#define rest R8    // number of remaining columns in the tail
#define cur R12    // pointer into g, q or s
#define left R13   // number of columns left
#define spare R15
#define mp R16     // row of M
#define maxp R17
#define src R19    // pointer into x, e or M
#define out R20    // pointer into the output e, s or T
#define hp R21     // pointer into h or g
#define bit0 R22
#define bit1 R23
#define consts R24
#define last R26   // number of columns in the tail

DATA mask<>+0(SB)/8, $0xffffffffffffffff
DATA mask<>+8(SB)/8, $0xffffffffffffffff
DATA mask<>+16(SB)/8, $0xffffffffffffffff
DATA mask<>+24(SB)/8, $0xffffffffffffffff
DATA mask<>+32(SB)/8, $0xffffffffffffffff
DATA mask<>+40(SB)/8, $0xffffffffffffffff
DATA mask<>+48(SB)/8, $0xffffffffffffffff
DATA mask<>+56(SB)/8, $0xffffffffffffffff
DATA mask<>+64(SB)/8, $0
DATA mask<>+72(SB)/8, $0
DATA mask<>+80(SB)/8, $0
DATA mask<>+88(SB)/8, $0
DATA mask<>+96(SB)/8, $0
DATA mask<>+104(SB)/8, $0
DATA mask<>+112(SB)/8, $0
DATA mask<>+120(SB)/8, $0
GLOBL mask<>(SB), RODATA|NOPTR, $128

#define F32
#define LOGROWS ·logRowsNEONF32
#define LOGCOLUMNMAX ·logColumnMaxNEONF32
#define LOGCOLUMNSUM ·logColumnSumNEONF32
#define LOGPLAN ·logPlanNEONF32
#include "type_arm64.h"
#include "logscale_neon_arm64.h"
#undef F32
#undef LOGROWS
#undef LOGCOLUMNMAX
#undef LOGCOLUMNSUM
#undef LOGPLAN

#define F64
#define LOGROWS ·logRowsNEONF64
#define LOGCOLUMNMAX ·logColumnMaxNEONF64
#define LOGCOLUMNSUM ·logColumnSumNEONF64
#define LOGPLAN ·logPlanNEONF64
#include "type_arm64.h"
#include "logscale_neon_arm64.h"
#undef F64
#undef LOGROWS
#undef LOGCOLUMNMAX
#undef LOGCOLUMNSUM
#undef LOGPLAN
