// largest, quantize for float64 and float32 with NEON.
//
//	largest    max_k |x_k|                                     0≤k<d
//	quantize   t_k = FMA(x_k, inverse, shift), code_k = lowest byte of t_k
//	           e_k = FMA(−scale, t_k − shift, x_k)
//	           Σ_k x_k², Σ_k e_k²
//
// Same bits as    largestRef and quantizeRef in ref.go. Lane k mod 8 accumulates the term of element k, in ascending order of k. The
//                 fold repeatedly adds the upper half of the eight float64 lanes to the lower half.
// Layout          x has d elements. d is a positive multiple of 4. The kernel stores groups of four codes, which start stride bytes apart.
// Tile            largest: 4 elements. quantize: 8 elements in four registers of float64.
// Tail            four elements.
// Special values  none, because elements are finite.
// Registers       R0 x · R1 elements left · R2 codes · R3 stride · R4 scratch · V0 V1 elements · V2–V5 x · V6–V9 t, then their integers · V10 V11 codes ·
//                 V12–V15 e · V16 inverse · V17 scale · V18 shift · V20–V23 Σx² · V24–V27 Σe². largest: V2 maximum ·
//                 V3 mask of all bits except the sign.
// Source          written for this project.

//go:build arm64 && !purego

#include "textflag.h"

#define DOUBLE 1
#include "neon_arm64.h"

// WIDEN converts four float32 elements to float64, and stores the results in registers x and y.
#define WIDEN(elements, x, y) \
	FCVTL_2D(x, elements)  \
	FCVTL2_2D(y, elements)

// TERM subtracts the shift in V18 from t. Register e must hold a copy of x, and TERM subtracts t times the scale in V17 from
// it. TERM then adds x² to squares and e² to rests.
#define TERM(x, t, e, squares, rests) \
	FSUB(t, t, 18)        \
	FMLS(e, t, 17)        \
	FMLA(squares, x, x)   \
	FMLA(rests, e, e)

// CODES stores the codes of four elements. The codes are the lowest bytes of the lanes of s and t.
#define CODES(s, t) \
	VZIP1 t.B16, s.B16, V10.B16;    \
	VZIP2 t.B16, s.B16, V11.B16;    \
	VZIP1 V11.B16, V10.B16, V10.B16; \
	FMOVS F10, (R2);                \
	ADD   R3, R2

// func largestNEON(x *float32, d int) float32
TEXT ·largestNEON(SB), NOSPLIT, $0-20
	MOVD x+0(FP), R0
	MOVD d+8(FP), R1
	VEOR V2.B16, V2.B16, V2.B16
	MOVD $0x7fffffff, R4
	VDUP R4, V3.S4

loop:
	VLD1.P 16(R0), [V0.S4]
	VAND   V3.B16, V0.B16, V0.B16
	VUMAX  V0.S4, V2.S4, V2.S4
	SUBS   $4, R1
	BNE    loop

	VDUP  V2.D[1], V0.D2
	VUMAX V0.S4, V2.S4, V2.S4
	VDUP  V2.S[1], V0.S4
	VUMAX V0.S4, V2.S4, V2.S4
	FMOVS F2, ret+16(FP)
	RET

// func quantizeNEON(codes *uint8, stride int, x *float32, d int, inverse, scale, shift float64) (square, rest float64)
TEXT ·quantizeNEON(SB), NOSPLIT, $0-72
	MOVD codes+0(FP), R2
	MOVD stride+8(FP), R3
	MOVD x+16(FP), R0
	MOVD d+24(FP), R1
	FMOVD inverse+32(FP), F16
	VDUP V16.D[0], V16.D2
	FMOVD scale+40(FP), F17
	VDUP V17.D[0], V17.D2
	FMOVD shift+48(FP), F18
	VDUP V18.D[0], V18.D2
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16
	VEOR V24.B16, V24.B16, V24.B16
	VEOR V25.B16, V25.B16, V25.B16
	VEOR V26.B16, V26.B16, V26.B16
	VEOR V27.B16, V27.B16, V27.B16

loop:
	VLD1.P 16(R0), [V0.S4]
	WIDEN(0, 2, 3)
	VMOV   V18.B16, V6.B16
	VMOV   V18.B16, V7.B16
	FMLA(6, 2, 16)
	FMLA(7, 3, 16)
	CODES(V6, V7)
	VMOV   V2.B16, V12.B16
	VMOV   V3.B16, V13.B16
	TERM(2, 6, 12, 20, 24)
	TERM(3, 7, 13, 21, 25)
	SUBS   $4, R1
	BEQ    fold
	VLD1.P 16(R0), [V1.S4]
	WIDEN(1, 4, 5)
	VMOV   V18.B16, V8.B16
	VMOV   V18.B16, V9.B16
	FMLA(8, 4, 16)
	FMLA(9, 5, 16)
	CODES(V8, V9)
	VMOV   V4.B16, V14.B16
	VMOV   V5.B16, V15.B16
	TERM(4, 8, 14, 22, 26)
	TERM(5, 9, 15, 23, 27)
	SUBS   $4, R1
	BNE    loop

fold:
	FADD(20, 20, 22)
	FADD(21, 21, 23)
	FADD(20, 20, 21)
	FADDP(20, 20, 20)
	FADD(24, 24, 26)
	FADD(25, 25, 27)
	FADD(24, 24, 25)
	FADDP(24, 24, 24)
	FMOVD F20, square+56(FP)
	FMOVD F24, rest+64(FP)
	RET
