// project for float32 and float64 with NEON.
//
//	Mul       y_il = y_il + Σ_k x_ik b_kl
//	TransMul  g_lk = g_lk + Σ_i y_il x_ik
//
// The index i is from 0 to m−1, l is from 0 to p−1, and k is from 0 to d−1.
//
// Same bits as    mulRef and transMulRef in ref.go. A sum adds its terms in ascending order of k (of i in TransMul), with
//                 one FMA per term.
// Layout          x is m×d, b is d×p, y is m×p and g is p×d, row-major, with strides in elements.
//                 m, p, d ≥ 1.
// Tile            Mul: 8 rows × 2 registers. TransMul: 4 rows × 4 registers.
// Tail            columns: 8 or 4 rows × 1 register, then loads and stores of single
//                 lanes. rows: 1 row × 4 registers. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       named below; Mul: V0–V15 y · V16–V19 b · V20–V27 x. TransMul:
//                 V0–V15 g · V16–V19 x · V20–V23 y.
// Source          written for this project; the code is in mul_neon_arm64.h and transmul_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

// NEXTROW advances a row pointer by the stride ld, but at most to the address in register last.
#define NEXTROW(from, to, ld, last) \
	ADD  ld, from, to; \
	CMP  last, to; \
	CSEL HI, last, to, to

// Mul and TransMul use the first group of registers. Only Mul uses the second group, and only TransMul uses the third group.
#define rows R0
#define ps R1     // number of columns of y
#define depth R2  // number of columns of x
#define yp R3
#define ldyb R4
#define xp R5
#define ldxb R6
#define part R9   // columns in the last, partial register
#define left R21  // columns left
#define spare R26

#define bp R7
#define ldbb R8
#define x0 R10
#define x1 R11
#define x2 R12
#define x3 R13
#define x4 R14
#define x5 R15
#define x6 R16
#define x7 R17
#define bk R19    // pointer to row k of b
#define bc R20    // pointer to the first row of b, at the columns of the tile
#define k R22
#define yc R23    // pointer to the first row of the tile in y
#define yr R24    // pointer to the current row of the tile in y
#define ylast R25 // pointer to the last row of the tile in y

#define gp R7
#define ldgb R8
#define xi R10    // pointer to row i of x
#define yi R11    // pointer to row i of y
#define i R12
#define lleft R13 // number of remaining rows of g
#define g0 R14
#define g1 R15
#define g2 R16
#define g3 R17
#define y0 R19
#define y1 R20
#define y2 R22
#define y3 R23
#define adding R24

#define F32
#include "type_arm64.h"

// func mulNEONF32(m, p, d int, y *float32, ldy int, x *float32, ldx int, b *float32, ldb int, add bool)
TEXT ·mulNEONF32(SB), NOSPLIT, $0-73
	MOVD m+0(FP), rows
	MOVD p+8(FP), ps
	MOVD d+16(FP), depth
	MOVD y+24(FP), yp
	MOVD ldy+32(FP), ldyb
	MOVD x+40(FP), xp
	MOVD ldx+48(FP), ldxb
	MOVD b+56(FP), bp
	MOVD ldb+64(FP), ldbb

#include "mul_neon_arm64.h"

// func transMulNEONF32(m, p, d int, dst *float32, ldg int, x *float32, ldx int, y *float32, ldy int, add bool)
TEXT ·transMulNEONF32(SB), NOSPLIT, $0-73
	MOVD  m+0(FP), rows
	MOVD  p+8(FP), ps
	MOVD  d+16(FP), depth
	MOVD  dst+24(FP), gp
	MOVD  ldg+32(FP), ldgb
	MOVD  x+40(FP), xp
	MOVD  ldx+48(FP), ldxb
	MOVD  y+56(FP), yp
	MOVD  ldy+64(FP), ldyb
	MOVBU add+72(FP), adding

#include "transmul_neon_arm64.h"

#undef F32
#define F64
#include "type_arm64.h"

// func mulNEONF64(m, p, d int, y *float64, ldy int, x *float64, ldx int, b *float64, ldb int, add bool)
TEXT ·mulNEONF64(SB), NOSPLIT, $0-73
	MOVD m+0(FP), rows
	MOVD p+8(FP), ps
	MOVD d+16(FP), depth
	MOVD y+24(FP), yp
	MOVD ldy+32(FP), ldyb
	MOVD x+40(FP), xp
	MOVD ldx+48(FP), ldxb
	MOVD b+56(FP), bp
	MOVD ldb+64(FP), ldbb

#include "mul_neon_arm64.h"

// func transMulNEONF64(m, p, d int, dst *float64, ldg int, x *float64, ldx int, y *float64, ldy int, add bool)
TEXT ·transMulNEONF64(SB), NOSPLIT, $0-73
	MOVD  m+0(FP), rows
	MOVD  p+8(FP), ps
	MOVD  d+16(FP), depth
	MOVD  dst+24(FP), gp
	MOVD  ldg+32(FP), ldgb
	MOVD  x+40(FP), xp
	MOVD  ldx+48(FP), ldxb
	MOVD  y+56(FP), yp
	MOVD  ldy+64(FP), ldyb
	MOVBU add+72(FP), adding

#include "transmul_neon_arm64.h"
#undef F64
