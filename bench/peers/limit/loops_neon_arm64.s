//go:build !purego

// This file contains loops that measure the throughput of a machine with NEON. No instruction waits for another
// instruction of the same iteration.

#include "textflag.h"

// The following macros are instructions that Go's assembler lacks. FDIV sets d = n/m, and FSQRT sets d = √n.
#define FDIV2D(d, n, m) WORD $(0x6e60fc00 | m<<16 | n<<5 | d)
#define FDIV4S(d, n, m) WORD $(0x6e20fc00 | m<<16 | n<<5 | d)
#define FSQRT2D(d, n) WORD $(0x6ee1f800 | n<<5 | d)
#define FSQRT4S(d, n) WORD $(0x6ea1f800 | n<<5 | d)

// func fmaNEON(n int)
TEXT ·fmaNEON(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R0
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	VEOR V8.B16, V8.B16, V8.B16
	VEOR V9.B16, V9.B16, V9.B16
	VEOR V10.B16, V10.B16, V10.B16
	VEOR V11.B16, V11.B16, V11.B16
	VEOR V12.B16, V12.B16, V12.B16
	VEOR V13.B16, V13.B16, V13.B16
	VEOR V14.B16, V14.B16, V14.B16
	VEOR V15.B16, V15.B16, V15.B16
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16

turn:
	VFMLA V20.D2, V21.D2, V0.D2
	VFMLA V20.D2, V21.D2, V1.D2
	VFMLA V20.D2, V21.D2, V2.D2
	VFMLA V20.D2, V21.D2, V3.D2
	VFMLA V20.D2, V21.D2, V4.D2
	VFMLA V20.D2, V21.D2, V5.D2
	VFMLA V20.D2, V21.D2, V6.D2
	VFMLA V20.D2, V21.D2, V7.D2
	VFMLA V20.D2, V21.D2, V8.D2
	VFMLA V20.D2, V21.D2, V9.D2
	VFMLA V20.D2, V21.D2, V10.D2
	VFMLA V20.D2, V21.D2, V11.D2
	VFMLA V20.D2, V21.D2, V12.D2
	VFMLA V20.D2, V21.D2, V13.D2
	VFMLA V20.D2, V21.D2, V14.D2
	VFMLA V20.D2, V21.D2, V15.D2
	VFMLA V20.D2, V21.D2, V16.D2
	VFMLA V20.D2, V21.D2, V17.D2
	VFMLA V20.D2, V21.D2, V18.D2
	VFMLA V20.D2, V21.D2, V19.D2
	SUBS $1, R0
	BNE  turn
	RET

// func divNEONF64(n int)
TEXT ·divNEONF64(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R0
	MOVD $numbers64<>(SB), R1
	VLD1R.P 8(R1), [V8.D2]
	VLD1R (R1), [V9.D2]

turn:
	FDIV2D(0, 9, 8)
	FDIV2D(1, 9, 8)
	FDIV2D(2, 9, 8)
	FDIV2D(3, 9, 8)
	FDIV2D(4, 9, 8)
	FDIV2D(5, 9, 8)
	FDIV2D(6, 9, 8)
	FDIV2D(7, 9, 8)
	SUBS $1, R0
	BNE  turn
	RET

// func divNEONF32(n int)
TEXT ·divNEONF32(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R0
	MOVD $numbers32<>(SB), R1
	VLD1R.P 4(R1), [V8.S4]
	VLD1R (R1), [V9.S4]

turn:
	FDIV4S(0, 9, 8)
	FDIV4S(1, 9, 8)
	FDIV4S(2, 9, 8)
	FDIV4S(3, 9, 8)
	FDIV4S(4, 9, 8)
	FDIV4S(5, 9, 8)
	FDIV4S(6, 9, 8)
	FDIV4S(7, 9, 8)
	SUBS $1, R0
	BNE  turn
	RET

// func sqrtNEONF64(n int)
TEXT ·sqrtNEONF64(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R0
	MOVD $numbers64<>(SB), R1
	VLD1R.P 8(R1), [V8.D2]
	VLD1R (R1), [V9.D2]

turn:
	FSQRT2D(0, 8)
	FSQRT2D(1, 8)
	FSQRT2D(2, 8)
	FSQRT2D(3, 8)
	FSQRT2D(4, 8)
	FSQRT2D(5, 8)
	FSQRT2D(6, 8)
	FSQRT2D(7, 8)
	SUBS $1, R0
	BNE  turn
	RET

// func sqrtNEONF32(n int)
TEXT ·sqrtNEONF32(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R0
	MOVD $numbers32<>(SB), R1
	VLD1R.P 4(R1), [V8.S4]
	VLD1R (R1), [V9.S4]

turn:
	FSQRT4S(0, 8)
	FSQRT4S(1, 8)
	FSQRT4S(2, 8)
	FSQRT4S(3, 8)
	FSQRT4S(4, 8)
	FSQRT4S(5, 8)
	FSQRT4S(6, 8)
	FSQRT4S(7, 8)
	SUBS $1, R0
	BNE  turn
	RET

// func readNEON(p *byte, turns, stride, step, rounds int)
TEXT ·readNEON(SB), NOSPLIT, $0-40
	MOVD p+0(FP), R0
	MOVD turns+8(FP), R1
	MOVD stride+16(FP), R2
	MOVD step+24(FP), R3
	MOVD rounds+32(FP), R4
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16

round:
	MOVD R0, R5
	MOVD R1, R6

turn:
	ADD R2, R5, R7
	ADD R2, R7, R8
	ADD R2, R8, R9
	FLDPQ (R5), (F0, F1)
	FLDPQ (R7), (F2, F3)
	FLDPQ (R8), (F4, F5)
	FLDPQ (R9), (F6, F7)
	ADD  R3, R5
	SUBS $1, R6
	BNE  turn
	SUBS $1, R4
	BNE  round
	RET

// func writeNEON(p *byte, turns, stride, step, rounds int)
TEXT ·writeNEON(SB), NOSPLIT, $0-40
	MOVD p+0(FP), R0
	MOVD turns+8(FP), R1
	MOVD stride+16(FP), R2
	MOVD step+24(FP), R3
	MOVD rounds+32(FP), R4
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16

round:
	MOVD R0, R5
	MOVD R1, R6

turn:
	ADD R2, R5, R7
	ADD R2, R7, R8
	ADD R2, R8, R9
	FSTPQ (F0, F1), (R5)
	FSTPQ (F0, F1), (R7)
	FSTPQ (F0, F1), (R8)
	FSTPQ (F0, F1), (R9)
	ADD  R3, R5
	SUBS $1, R6
	BNE  turn
	SUBS $1, R4
	BNE  round
	RET

// The numbers are not powers of two, because some machines divide powers of two faster than other numbers.
DATA numbers64<>+0(SB)/8, $1.7
DATA numbers64<>+8(SB)/8, $3.1
GLOBL numbers64<>(SB), RODATA|NOPTR, $16
DATA numbers32<>+0(SB)/4, $1.7
DATA numbers32<>+4(SB)/4, $3.1
GLOBL numbers32<>(SB), RODATA|NOPTR, $8
