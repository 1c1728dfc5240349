// roundInt8, signBits for float64 and float32 with NEON.
//
//	roundInt8   dst_i = src_i·inverse, rounded to an integer
//	signBits    bit i of dst is 1 if src_i < 0, and 0 otherwise      0≤i<n
//
// Same bits as    roundInt8Ref and signBitsRef in ref.go. For each element, roundInt8 computes one FMA and one addition
//                 in float64, and signBits computes one comparison.
// Layout          src has n elements. dst has n elements in roundInt8 and n bits in signBits. n is a positive
//                 multiple of 16.
// Tile            16 elements, in eight float64 registers (roundInt8) or four float32 registers (signBits).
// Tail            none, because n is a multiple of 16.
// Special values  roundInt8 expects products from −128.5 to 127.5. In signBits, zeros of both signs and NaN are not negative.
// Registers       R0 dst · R1 src · R2 elements left · R3 constants and bits · V0–V3 elements · V4 V5 elements in float64 · V6–V13 sums, then
//                 codes · V16 inverse · V17 snap · V18 shift. signBits: V16 zero · V20–V23 the bit of each element.
// Source          written for this project.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

// sums contains two constants for rounding, each twice. snap is 1.5·2²², and shift is 1.5·2⁵² −
// 1.5·2²².
DATA sums<>+0(SB)/8, $0x4158000000000000
DATA sums<>+8(SB)/8, $0x4158000000000000
DATA sums<>+16(SB)/8, $0x4337ffffffa00000
DATA sums<>+24(SB)/8, $0x4337ffffffa00000
GLOBL sums<>(SB), RODATA|NOPTR, $32

// Lane i of bitOf is 1<<i, the bit of element i in the mask of 16 signs.
DATA bitOf<>+0(SB)/8, $0x0000000200000001
DATA bitOf<>+8(SB)/8, $0x0000000800000004
DATA bitOf<>+16(SB)/8, $0x0000002000000010
DATA bitOf<>+24(SB)/8, $0x0000008000000040
DATA bitOf<>+32(SB)/8, $0x0000020000000100
DATA bitOf<>+40(SB)/8, $0x0000080000000400
DATA bitOf<>+48(SB)/8, $0x0000200000001000
DATA bitOf<>+56(SB)/8, $0x0000800000004000
GLOBL bitOf<>(SB), RODATA|NOPTR, $64

#define dp R0
#define from R1
#define left R2

// round4 rounds the products of the four elements of Vx and the factor inverse to integers. It leaves the integers in the
// lowest bits of the elements of Vs and Vt. On entry, all elements of Vs and Vt must be the constant snap.
#define round4(x, s, t) \
	FCVTL_2D(4, x);   \
	FCVTL2_2D(5, x);  \
	FMLA_2D(s, 4, 16); \
	FMLA_2D(t, 5, 16); \
	FADD_2D(s, s, 18); \
	FADD_2D(t, t, 18)

// signs4 replaces each negative element of register x with the mask bit of the element, and every
// other element with 0. n is the number of register x, and bits contains the mask bits.
#define signs4(x, n, bits) \
	FCMGT_4S(n, 16, n);   \
	VAND bits.B16, x.B16, x.B16

// func roundInt8NEON(n int, dst *int8, src *float32, inverse float64)
TEXT ·roundInt8NEON(SB), NOSPLIT, $0-32
	MOVD  n+0(FP), left
	MOVD  dst+8(FP), dp
	MOVD  src+16(FP), from
	FMOVD inverse+24(FP), F16
	VDUP  V16.D[0], V16.D2
	MOVD  $sums<>(SB), R3
	VLD1  (R3), [V17.D2, V18.D2]

loop:
	VLD1.P 64(from), [V0.S4, V1.S4, V2.S4, V3.S4]
	VMOV   V17.B16, V6.B16
	VMOV   V17.B16, V7.B16
	VMOV   V17.B16, V8.B16
	VMOV   V17.B16, V9.B16
	VMOV   V17.B16, V10.B16
	VMOV   V17.B16, V11.B16
	VMOV   V17.B16, V12.B16
	VMOV   V17.B16, V13.B16
	round4(0, 6, 7)
	round4(1, 8, 9)
	round4(2, 10, 11)
	round4(3, 12, 13)
	VUZP1  V7.S4, V6.S4, V6.S4
	VUZP1  V9.S4, V8.S4, V8.S4
	VUZP1  V11.S4, V10.S4, V10.S4
	VUZP1  V13.S4, V12.S4, V12.S4
	VUZP1  V8.H8, V6.H8, V6.H8
	VUZP1  V12.H8, V10.H8, V10.H8
	VUZP1  V10.B16, V6.B16, V6.B16
	VST1.P [V6.B16], 16(dp)
	SUBS   $16, left
	BNE    loop
	RET

// func signBitsNEON(n int, dst *byte, src *float32)
TEXT ·signBitsNEON(SB), NOSPLIT, $0-24
	MOVD n+0(FP), left
	MOVD dst+8(FP), dp
	MOVD src+16(FP), from
	VEOR V16.B16, V16.B16, V16.B16
	MOVD $bitOf<>(SB), R3
	VLD1 (R3), [V20.S4, V21.S4, V22.S4, V23.S4]

loop:
	VLD1.P 64(from), [V0.S4, V1.S4, V2.S4, V3.S4]
	signs4(V0, 0, V20)
	signs4(V1, 1, V21)
	signs4(V2, 2, V22)
	signs4(V3, 3, V23)
	VORR   V1.B16, V0.B16, V0.B16
	VORR   V3.B16, V2.B16, V2.B16
	VORR   V2.B16, V0.B16, V0.B16
	VADDV  V0.S4, V0
	VMOV   V0.S[0], R3
	MOVH   R3, (dp)
	ADD    $2, dp
	SUBS   $16, left
	BNE    loop
	RET
