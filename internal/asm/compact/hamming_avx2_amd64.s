// hamming for integers with AVX2 + FMA.
//
//	hamming   number of bits in which the bytes a_i and b_i differ, summed over 0≤i<n
//
// Same bits as    hammingRef in ref.go. The sum is exact in any order.
// Layout          a and b have n bytes. n is a positive multiple of 16.
// Tile            128 bytes in four registers. The bit counts of the four registers are first added as bytes
//                 (each sum is at most 32), and then as 64-bit integers.
// Tail            up to seven pieces of 16 bytes, whose counts are added as 64-bit integers.
// Special values  none, because the data are integers.
// Registers       CX bytes left · SI a · DI b · Y0 64-bit counts · Y1–Y4 bytes, then counts · Y5–Y8
//                 lower halves of bytes · Y12 counts of the tail · Y13 table · Y14 mask · Y15 zero.
// Source          Counting by a table of half bytes: W. Muła, N. Kurz, D. Lemire, "Faster population
//                 counts using AVX2 instructions", Computer Journal 61 (2018).

//go:build amd64 && !purego

#include "textflag.h"

// bitsOf contains the number of set bits of each integer from 0 to 15.
DATA bitsOf<>+0(SB)/8, $0x0302020102010100
DATA bitsOf<>+8(SB)/8, $0x0403030203020201
GLOBL bitsOf<>(SB), RODATA|NOPTR, $16

#define left CX
#define ap SI
#define bp DI

// count compares the vectors at the addresses at(ap) and at(bp). It sets each byte of x to the number of bits in which the two
// vectors differ in this byte.
#define count(at, x, t, table, mask) \
	VMOVDQU at(ap), x;       \
	VPXOR   at(bp), x, x;    \
	VPAND   mask, x, t;      \
	VPSRLW  $4, x, x;        \
	VPAND   mask, x, x;      \
	VPSHUFB t, table, t;     \
	VPSHUFB x, table, x;     \
	VPADDB  t, x, x

// func hammingAVX2(n int, a, b *byte) int
TEXT ·hammingAVX2(SB), NOSPLIT, $0-32
	MOVQ           n+0(FP), left
	MOVQ           a+8(FP), ap
	MOVQ           b+16(FP), bp
	VPXOR          Y0, Y0, Y0
	VPXOR          Y12, Y12, Y12
	VPXOR          Y15, Y15, Y15
	VBROADCASTI128 bitsOf<>(SB), Y13
	MOVL           $0x0f0f0f0f, AX
	VMOVD          AX, X14
	VPBROADCASTD   X14, Y14
	SUBQ           $128, left
	JL             tail

loop:
	count(0, Y1, Y5, Y13, Y14)
	count(32, Y2, Y6, Y13, Y14)
	count(64, Y3, Y7, Y13, Y14)
	count(96, Y4, Y8, Y13, Y14)
	VPADDB  Y2, Y1, Y1
	VPADDB  Y4, Y3, Y3
	VPADDB  Y3, Y1, Y1
	VPSADBW Y15, Y1, Y1
	VPADDQ  Y1, Y0, Y0
	ADDQ    $128, ap
	ADDQ    $128, bp
	SUBQ    $128, left
	JGE     loop

tail:
	ADDQ $128, left
	JZ   done

tailloop:
	count(0, X1, X5, X13, X14)
	VPSADBW X15, X1, X1
	VPADDQ  X1, X12, X12
	ADDQ    $16, ap
	ADDQ    $16, bp
	SUBQ    $16, left
	JNZ     tailloop

done:
	VPADDQ       Y12, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDQ       X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPADDQ       X1, X0, X0
	VMOVQ        X0, ret+24(FP)
	VZEROUPPER
	RET
