// vec, float64, NEON.
//
//	dst[i] = x[i] / y[i]      #{ i : not lo ≤ x[i] ≤ hi }      0≤i<n
//
// Same bits as    divideRef and countOutsideRef in ref.go: division is correctly
//                 rounded at any width.
// Layout          dst x y n, contiguous. n ≥ 1.
// Tile            8 elements, four registers, then 2.
// Tail            division: loads and stores of single lanes; counting: one element
//                 in all lanes. No access outside the slices.
// Special values  follow the arithmetic; comparisons with NaN are false.
// Registers       R0 n · R1 x · R2 y · R3 dst · R4 spare · R5 elements left ·
//                 V0–V7 elements · V8–V12 counts · V30 lo · V31 hi.
// Source          own; the text is divide_neon_arm64.h and count_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "neon_f64_arm64.h"

#define count R0
#define xp R1
#define yp R2
#define dp R3
#define spare R4
#define left R5

// func divideNEONF64(n int, dst, x, y *float64)
TEXT ·divideNEONF64(SB), NOSPLIT, $0-32
	MOVD n+0(FP), count
	MOVD dst+8(FP), dp
	MOVD x+16(FP), xp
	MOVD y+24(FP), yp

#include "divide_neon_arm64.h"

// func countOutsideNEONF64(n int, x *float64, lo, hi float64) int
TEXT ·countOutsideNEONF64(SB), NOSPLIT, $0-40
	MOVD  n+0(FP), count
	MOVD  x+8(FP), xp
	FMOVD lo+16(FP), F30
	FMOVD hi+24(FP), F31
	VDUP  V30.D[0], V30.D2
	VDUP  V31.D[0], V31.D2

#include "count_neon_arm64.h"

	// n − inside
	VMOV V8.D[0], R6
	VMOV V8.D[1], R7
	VMOV V12.D[0], R8
	ADD  R6, count
	ADD  R7, count
	ADD  R8, count
	MOVD count, ret+32(FP)
	RET
