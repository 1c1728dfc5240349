// vec for float64, float32 and mixed with NEON.
//
//	divide        dst[i] = x[i] / y[i]
//	countOutside  number of i for which lo ≤ x[i] ≤ hi is false
//	narrow        dst[i] = x[i] rounded to float32, or +0 if |x[i]| < 2⁻¹²⁶
//	widen         dst[i] = x[i], float32 to float64
//
// The index i is from 0 to n−1.
//
// Same bits as    divideRef, countOutsideRef, narrowRef and widenRef in ref.go. Divisions and
//                 conversions are correctly rounded.
// Layout          dst, x and y have n contiguous elements. n ≥ 1.
// Tile            four registers, then one register. In narrow and widen, the registers hold float64 elements.
// Tail            divide: loads and stores of single lanes. countOutside: copies one element to all
//                 lanes. narrow and widen: one element. No access outside the slices.
// Special values  propagate as in ordinary arithmetic and conversions; comparisons with NaN are false.
// Registers       R0 n · R1 x · R2 y · R3 dst · R4 spare · R5 elements left · V0–V7
//                 elements · V8–V12 counts · V30 lo · V31 hi, or 2⁻¹²⁶.
// Source          written for this project; the code is in divide_neon_arm64.h and count_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

#define count R0
#define xp R1
#define yp R2
#define dp R3
#define spare R4
#define left R5

#define F32
#include "type_arm64.h"

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

#undef F32
#define F64
#include "type_arm64.h"

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

// FLUSH sets a to +0 where |a| < 2⁻¹²⁶. It changes t.
#define FLUSH(a, t) \
	FACGT_2D(t, 31, a); \
	BIC_16B(a, a, t)

// func narrowNEONMixed(n int, dst *float32, x *float64)
TEXT ·narrowNEONMixed(SB), NOSPLIT, $0-24
	MOVD n+0(FP), count
	MOVD dst+8(FP), dp
	MOVD x+16(FP), xp
	MOVD $0x3810000000000000, R4 // 2⁻¹²⁶
	VDUP R4, V31.D2
	SUBS $8, count
	BLT  pairs

loop:
	// Convert eight elements to float32.
	FLDPQ   32(xp), (F2, F3)
	FLDPQ.P 64(xp), (F0, F1)
	FLUSH(0, 4)
	FLUSH(1, 5)
	FLUSH(2, 6)
	FLUSH(3, 7)
	FCVTN_2S(4, 0)
	FCVTN2_4S(4, 1)
	FCVTN_2S(5, 2)
	FCVTN2_4S(5, 3)
	FSTPQ.P (F4, F5), 32(dp)
	SUBS    $8, count
	BGE     loop

pairs:
	// two elements
	ADDS $6, count
	BLT  last

ploop:
	FMOVQ.P 16(xp), F0
	FLUSH(0, 4)
	FCVTN_2S(4, 0)
	FMOVD.P F4, 8(dp)
	SUBS    $2, count
	BGE     ploop

last:
	// one element
	ADDS  $2, count
	BEQ   done
	FMOVD (xp), F0
	FLUSH(0, 4)
	FCVTN_2S(4, 0)
	FMOVS F4, (dp)

done:
	RET

// func widenNEONMixed(n int, dst *float64, x *float32)
TEXT ·widenNEONMixed(SB), NOSPLIT, $0-24
	MOVD n+0(FP), count
	MOVD dst+8(FP), dp
	MOVD x+16(FP), xp
	SUBS $8, count
	BLT  pairs

loop:
	// Convert eight elements to float64.
	FLDPQ.P 32(xp), (F4, F5)
	FCVTL_2D(0, 4)
	FCVTL2_2D(1, 4)
	FCVTL_2D(2, 5)
	FCVTL2_2D(3, 5)
	FSTPQ   (F2, F3), 32(dp)
	FSTPQ.P (F0, F1), 64(dp)
	SUBS    $8, count
	BGE     loop

pairs:
	// two elements
	ADDS $6, count
	BLT  last

ploop:
	FMOVD.P 8(xp), F4
	FCVTL_2D(0, 4)
	FMOVQ.P F0, 16(dp)
	SUBS    $2, count
	BGE     ploop

last:
	// one element
	ADDS  $2, count
	BEQ   done
	FMOVS (xp), F4
	FCVTL_2D(0, 4)
	FMOVD F0, (dp)

done:
	RET
#undef F64
