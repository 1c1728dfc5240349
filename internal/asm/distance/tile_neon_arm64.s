// sqEuclidean, gibbs for float32 and float64 with NEON.
//
//	sqEuclidean   dst[i*ldd+j] = (0 or dst[i*ldd+j]) + Σ_k (x[i*ldx+k] − zt[k*ldz+j])²
//	gibbs         D_ij = Σ_k (x_ik − z_jk)²      K_ij = 2^(c·D_ij)      0≤i<m  0≤j<n  0≤k<d
//
// Same bits as    sqEuclideanRef and gibbsRef in ref.go. The terms are added in ascending order of k, each with
//                 one FMA. gibbs rounds y = c·D_ij and computes 2^y as exp.Ref2 does.
// Layout          x is m×d, zt is d×n, and dst and K are m×n. D is m×n or nil. All matrices are row-major,
//                 with strides in elements. m, n ≥ 1. d ≥ 1 in sqEuclidean, and d ≥ 0 in gibbs.
// Tile            4 rows × 4 registers. In gibbs, the exponential needs the registers of the
//                 distances. Therefore gibbs stores a block of four rows in D or K, and then
//                 computes the exponential from the first-level cache, 4 registers at a time.
// Tail            The last columns use tiles of 4 rows × 1 register, with loads and stores of single lanes in
//                 the last register. The last rows use tiles of 1 row × 4 registers. No access outside the slices.
// Special values  propagate as in ordinary arithmetic. Special values of 2^y are those of exp.Exp2.
// Registers       named below; R9 the argument add, or a row of K · V0–V15 distances · V16–V19 z · V20–V23 x ·
//                 V24–V31 differences. gibbs then: V0–V3 y · V4–V15 see exp2core_neon_arm64.h ·
//                 V20–V23 2^y · V24 V25 lookup (float32) · V27 c · V28–V31 constants.
// Source          written for this project; the code is in sqeuclidean_neon_arm64.h and gibbs_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "../exp/exp2core_neon_arm64.h"

#define rows R0
#define cols R1
#define depth R2
#define dp R3      // row of D
#define lddb R4
#define xp R5
#define ldxb R6
#define zp R7
#define ldzb R8
#define x0 R10     // x0 to x3: moving pointers into four rows of x; d0 to d3: pointers into D
#define x1 R11
#define x2 R12
#define x3 R13
#define d0 R14
#define d1 R15
#define d2 R16
#define d3 R17
#define zc R19     // pointer to the tile's columns of zt
#define zk R20     // moving pointer into zt
#define left R21   // columns left
#define kk R22
#define depthb R23
#define step R24   // number of rows of a tile
#define spare R25

// The following registers are only for gibbs. Its second half, which computes the exponential, uses
// the registers from src to ldkb.
#define kp R9      // row of K
#define src R10    // D
#define out R11    // K
#define last R12   // number of columns in the tail
#define rest R13   // columns left after the current vector register
#define bit0 R14
#define bit1 R15
#define consts R16
#define ldkb R17

// SQ1X4 adds (x − z)² to the sums a, b, c and d, for one row and four registers of columns. V16–V19
// contain z. s, t, u and v are scratch.
#define SQ1X4(x, s, t, u, v, a, b, c, d) \
	FSUB(s, x, 16); \
	FSUB(t, x, 17); \
	FSUB(u, x, 18); \
	FSUB(v, x, 19); \
	FMLA(a, s, s); \
	FMLA(b, t, t); \
	FMLA(c, u, u); \
	FMLA(d, v, v)

// SQ4X1 adds (x − z)² to the sums in V0, V4, V8 and V12, for four rows and one register of columns.
// V20–V23 contain x, and V16 contains z.
#define SQ4X1 \
	FSUB(24, 20, 16); \
	FSUB(25, 21, 16); \
	FSUB(26, 22, 16); \
	FSUB(27, 23, 16); \
	FMLA(0, 24, 24); \
	FMLA(4, 25, 25); \
	FMLA(8, 26, 26); \
	FMLA(12, 27, 27)

#define F32
#include "type_arm64.h"

// func sqEuclideanNEONF32(m, n, d int, dst *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, add bool)
TEXT ·sqEuclideanNEONF32(SB), NOSPLIT, $0-73
	MOVD  m+0(FP), rows
	MOVD  n+8(FP), cols
	MOVD  d+16(FP), depth
	MOVD  dst+24(FP), dp
	MOVD  ldd+32(FP), lddb
	MOVD  x+40(FP), xp
	MOVD  ldx+48(FP), ldxb
	MOVD  zt+56(FP), zp
	MOVD  ldz+64(FP), ldzb
	MOVBU add+72(FP), R9

#define adding R9
#include "sqeuclidean_neon_arm64.h"
#undef adding

// func gibbsNEONF32(m, n, d int, k *float32, ldk int, dist *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, c float32)
TEXT ·gibbsNEONF32(SB), NOSPLIT, $0-92
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD d+16(FP), depth
	MOVD dist+40(FP), dp
	MOVD ldd+48(FP), lddb
	MOVD x+56(FP), xp
	MOVD ldx+64(FP), ldxb
	MOVD zt+72(FP), zp
	MOVD ldz+80(FP), ldzb

#include "gibbs_neon_arm64.h"
#undef F32

#define F64
#include "type_arm64.h"

// func sqEuclideanNEONF64(m, n, d int, dst *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, add bool)
TEXT ·sqEuclideanNEONF64(SB), NOSPLIT, $0-73
	MOVD  m+0(FP), rows
	MOVD  n+8(FP), cols
	MOVD  d+16(FP), depth
	MOVD  dst+24(FP), dp
	MOVD  ldd+32(FP), lddb
	MOVD  x+40(FP), xp
	MOVD  ldx+48(FP), ldxb
	MOVD  zt+56(FP), zp
	MOVD  ldz+64(FP), ldzb
	MOVBU add+72(FP), R9

#define adding R9
#include "sqeuclidean_neon_arm64.h"
#undef adding

// func gibbsNEONF64(m, n, d int, k *float64, ldk int, dist *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, c float64)
TEXT ·gibbsNEONF64(SB), NOSPLIT, $0-96
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD d+16(FP), depth
	MOVD dist+40(FP), dp
	MOVD ldd+48(FP), lddb
	MOVD x+56(FP), xp
	MOVD ldx+64(FP), ldxb
	MOVD zt+72(FP), zp
	MOVD ldz+80(FP), ldzb

#include "gibbs_neon_arm64.h"
#undef F64
