// hamming for integers with NEON.
//
//	hamming   number of bits in which the bytes a_i and b_i differ, summed over 0≤i<n
//
// Same bits as    hammingRef in ref.go. The sum is exact in any order.
// Layout          a and b have n bytes. n is a positive multiple of 16 and at most mostHamming.
// Tile            64 bytes in four registers. The bit counts of the four registers are first added as bytes
//                 (each sum is at most 32), and then as 16-bit integers in V0.
// Tail            up to three pieces of 16 bytes, whose counts are also added to V0.
// Special values  none, because the data are integers.
// Registers       R0 a · R1 b · R2 bytes left · V0 sums · V4–V7 bytes of a, then counts ·
//                 V16–V19 bytes of b.
// Source          written for this project: CNT counts the set bits of each byte.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

#define ap R0
#define bp R1
#define left R2

// count sets each byte of x to the number of bits in which the bytes of x and y differ.
#define count(x, y) \
	VEOR y.B16, x.B16, x.B16; \
	VCNT x.B16, x.B16

// func hammingNEON(n int, a, b *byte) int
TEXT ·hammingNEON(SB), NOSPLIT, $0-32
	MOVD n+0(FP), left
	MOVD a+8(FP), ap
	MOVD b+16(FP), bp
	VEOR V0.B16, V0.B16, V0.B16
	SUBS $64, left
	BLT  tail

loop:
	VLD1.P 64(ap), [V4.B16, V5.B16, V6.B16, V7.B16]
	VLD1.P 64(bp), [V16.B16, V17.B16, V18.B16, V19.B16]
	count(V4, V16)
	count(V5, V17)
	count(V6, V18)
	count(V7, V19)
	VADD   V5.B16, V4.B16, V4.B16
	VADD   V7.B16, V6.B16, V6.B16
	VADD   V6.B16, V4.B16, V4.B16
	UADALP_8H(0, 4)
	SUBS   $64, left
	BGE    loop

tail:
	ADDS $64, left
	BEQ  done

tailloop:
	VLD1.P 16(ap), [V4.B16]
	VLD1.P 16(bp), [V16.B16]
	count(V4, V16)
	UADALP_8H(0, 4)
	SUBS   $16, left
	BNE    tailloop

done:
	UADDLP_4S(0, 0)
	SADDLV_D(0, 0)
	FMOVD F0, ret+24(FP)
	RET
