// adjcost for float32 and float64 with NEON.
//
//	h = u[i] v[j]   k̄ = Σ_q A_iq B_qj + h M_ij   G_ij = K_ij (h − λ k̄)      0≤i<m  0≤j<n  0≤q<r
//
// Same bits as    adjcostRef in ref.go. k̄ begins with +0 and adds the terms with one FMA each, in ascending
//                 order of q. The term of M is added last. h is rounded. One FMA computes h − λ k̄, and one
//                 product multiplies by K.
// Layout          G, K and M are m×n, A is m×r, and B is r×n. All matrices are row-major, with strides in
//                 elements. u has m elements, and v has n elements. m, n ≥ 1, r ≥ 0. G may be M.
// Tile            4 rows × 4 registers.
// Tail            The last columns use tiles of 4 rows × 1 register, with loads and stores of single lanes in
//                 the last register. The last rows use tiles of 1 row × 4 registers. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       named below; V0–V15 k̄ · V16–V19 B, then v, K · V20–V23 A, then h ·
//                 V24–V27 M, K · V28 u · V31 λ.
// Source          written for this project; the code is in adjcost_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

#define rows R0
#define cols R1
#define rank R2
#define gp R3
#define ldgb R4
#define kp R5
#define ldkb R6
#define mp R7
#define ldmb R8
#define ap R9
#define ldab R10
#define bp R11
#define ldbb R12
#define up R13
#define vp R14
#define a0 R15   // a0 to a3: moving pointers into four rows of A
#define a1 R16
#define a2 R17
#define a3 R19
#define gr R15   // after the sums are complete, gr, kr and mr point into a row of G, K and M, and ur points into u
#define kr R16
#define mr R17
#define ur R19
#define bq R20   // moving pointer into the tile's columns of B
#define off R21  // byte offset of the tile's columns in a row
#define left R22 // columns left
#define q R23
#define spare R24
#define part R25 // number of columns in the last, partial register

// NEXTROW(from, to, ld) computes to = from + ld, the address of the next row. If fewer than four rows
// are left, a tile has one row, and to = from.
#define NEXTROW(from, to, ld) \
	MOVD from, to; \
	CMP  $4, rows; \
	BLT  2(PC); \
	ADD  ld, to, to

#define ADJ_POINTERS \
	ADD   off, vp, gr; \
	FLDPQ (gr), (F16, F17); \
	FLDPQ 32(gr), (F18, F19); \
	ADD   off, gp, gr; \
	ADD   off, kp, kr; \
	ADD   off, mp, mr; \
	MOVD  up, ur
#define ADJ_NEXT \
	ADD ldgb, gr; \
	ADD ldkb, kr; \
	ADD ldmb, mr; \
	ADD $ESIZE, ur
#define ADJ_LOAD \
	FLDPQ (mr), (F24, F25); \
	FLDPQ 32(mr), (F26, F27); \
	LDE(ur, F28)
#define ADJ_H \
	FMUL_E(20, 16, 28, 0); \
	FMUL_E(21, 17, 28, 0); \
	FMUL_E(22, 18, 28, 0); \
	FMUL_E(23, 19, 28, 0)
#define ADJ_KBAR(a, b, c, d) \
	FMLA(a, 20, 24); \
	FMLA(b, 21, 25); \
	FMLA(c, 22, 26); \
	FMLA(d, 23, 27); \
	FMLS_E(20, a, 31, 0); \
	FMLS_E(21, b, 31, 0); \
	FMLS_E(22, c, 31, 0); \
	FMLS_E(23, d, 31, 0)
#define ADJ_STORE \
	FLDPQ (kr), (F24, F25); \
	FLDPQ 32(kr), (F26, F27); \
	FMUL(20, 20, 24); \
	FMUL(21, 21, 25); \
	FMUL(22, 22, 26); \
	FMUL(23, 23, 27); \
	FSTPQ (F20, F21), (gr); \
	FSTPQ (F22, F23), 32(gr)

#define ADJ_POINTERS4X1 \
	ADD off, gp, gr; \
	ADD off, kp, kr; \
	ADD off, mp, mr
#define ADJ_NEXT4X1 \
	NEXTROW(kr, kr, ldkb); \
	NEXTROW(mr, mr, ldmb)

#define F32
#include "type_arm64.h"

// func adjcostNEONF32(m, n, r int, dst *float32, ldg int, k *float32, ldk int, mat *float32, ldm int, a *float32, lda int, b *float32, ldb int, u, v *float32, lambda float32)
TEXT ·adjcostNEONF32(SB), NOSPLIT, $0-124
	MOVD  m+0(FP), rows
	MOVD  n+8(FP), cols
	MOVD  r+16(FP), rank
	MOVD  dst+24(FP), gp
	MOVD  ldg+32(FP), ldgb
	MOVD  k+40(FP), kp
	MOVD  ldk+48(FP), ldkb
	MOVD  mat+56(FP), mp
	MOVD  ldm+64(FP), ldmb
	MOVD  a+72(FP), ap
	MOVD  lda+80(FP), ldab
	MOVD  b+88(FP), bp
	MOVD  ldb+96(FP), ldbb
	MOVD  u+104(FP), up
	MOVD  v+112(FP), vp
	FMOVS lambda+120(FP), F31

#include "adjcost_neon_arm64.h"

#undef F32
#define F64
#include "type_arm64.h"

// func adjcostNEONF64(m, n, r int, dst *float64, ldg int, k *float64, ldk int, mat *float64, ldm int, a *float64, lda int, b *float64, ldb int, u, v *float64, lambda float64)
TEXT ·adjcostNEONF64(SB), NOSPLIT, $0-128
	MOVD  m+0(FP), rows
	MOVD  n+8(FP), cols
	MOVD  r+16(FP), rank
	MOVD  dst+24(FP), gp
	MOVD  ldg+32(FP), ldgb
	MOVD  k+40(FP), kp
	MOVD  ldk+48(FP), ldkb
	MOVD  mat+56(FP), mp
	MOVD  ldm+64(FP), ldmb
	MOVD  a+72(FP), ap
	MOVD  lda+80(FP), ldab
	MOVD  b+88(FP), bp
	MOVD  ldb+96(FP), ldbb
	MOVD  u+104(FP), up
	MOVD  v+112(FP), vp
	FMOVD lambda+120(FP), F31

#include "adjcost_neon_arm64.h"
#undef F64
