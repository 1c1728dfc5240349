// vec, float32, NEON.
//
//	dst[i] = x[i] / y[i]      #{ i : not lo ≤ x[i] ≤ hi }      0≤i<n
//
// Same bits as    divideRef and countOutsideRef in ref.go: division is correctly
//                 rounded at any width.
// Layout          dst x y n, contiguous. n ≥ 1.
// Tile            16 elements, four registers, then 4.
// Tail            division: loads and stores of single lanes; counting: one element
//                 in all lanes. No access outside the slices.
// Special values  follow the arithmetic; comparisons with NaN are false.
// Registers       R0 n · R1 x · R2 y · R3 dst · R4 spare · R5 elements left ·
//                 V0–V7 elements · V8–V12 counts · V30 lo · V31 hi.
// Source          own; the text is divide_neon_arm64.h and count_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "neon_f32_arm64.h"

#define count R0
#define xp R1
#define yp R2
#define dp R3
#define spare R4
#define left R5

// func divideNEONF32(n int, dst, x, y *float32)
TEXT ·divideNEONF32(SB), NOSPLIT, $0-32
	MOVD n+0(FP), count
	MOVD dst+8(FP), dp
	MOVD x+16(FP), xp
	MOVD y+24(FP), yp

#include "divide_neon_arm64.h"

// func countOutsideNEONF32(n int, x *float32, lo, hi float32) int
TEXT ·countOutsideNEONF32(SB), NOSPLIT, $0-32
	MOVD  n+0(FP), count
	MOVD  x+8(FP), xp
	FMOVS lo+16(FP), F30
	FMOVS hi+20(FP), F31
	VDUP  V30.S[0], V30.S4
	VDUP  V31.S[0], V31.S4

#include "count_neon_arm64.h"

	// n − inside
	VADDV V8.S4, V8
	VMOV  V8.S[0], R6
	VMOV  V12.S[0], R8
	ADDW  R6, count
	ADDW  R8, count
	MOVD  count, ret+24(FP)
	RET
