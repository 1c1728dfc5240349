// hamming for integers with AVX-512 F, BW, VL and VPOPCNTDQ.
//
//	hamming   number of bits in which the bytes a_i and b_i differ, summed over 0≤i<n
//
// Same bits as    hammingRef in ref.go. The sum is exact in any order.
// Layout          a and b have n bytes. n is a positive multiple of 16.
// Tile            with VPOPCNTDQ: 256 bytes in four registers. Without VPOPCNTDQ: 512 bytes in eight registers. Carry-save
//                 adders reduce the bits to sums of weight 1, 2, 4 and 8. Each iteration counts only the set bits of weight 8.
// Tail            64 bytes at a time without VPOPCNTDQ, then 16 bytes at a time.
// Special values  none, because the data are integers.
// Registers       CX bytes left · SI a · DI b · AX constant · Z0 64-bit counts · Z1–Z3 bits of the weights 1, 2
//                 and 4 · Z4–Z11 bytes, then bits of higher weights · Z12 counts of the tail · Z13 table · Z14 mask · Z15 zero ·
//                 Z16 scratch. With VPOPCNTDQ: Z0 and Z9–Z11 64-bit counts · Z1–Z4 bytes.
// Source          Table: as in hamming_avx2_amd64.s. Adders: R. Harley and D. Seal, in H. S. Warren, "Hacker's Delight".

//go:build amd64 && !purego

#include "textflag.h"

// bitsOf contains the number of set bits of each integer from 0 to 15.
DATA bitsOf<>+0(SB)/8, $0x0302020102010100
DATA bitsOf<>+8(SB)/8, $0x0403030203020201
GLOBL bitsOf<>(SB), RODATA|NOPTR, $16

#define left CX
#define ap SI
#define bp DI

// count replaces each byte of x by the number of bits that are set in the byte.
#define count(x, t, table, mask) \
	VPANDD  mask, x, t;   \
	VPSRLW  $4, x, x;     \
	VPANDD  mask, x, x;   \
	VPSHUFB t, table, t;  \
	VPSHUFB x, table, x;  \
	VPADDB  t, x, x

// load64 sets x to the exclusive or of 64 bytes of a and b.
#define load64(at, x) \
	VMOVDQU64 at(ap), x;    \
	VPXORQ    at(bp), x, x

// add is a carry-save adder for the bits of x, y and sum. add sets sum to the sum bits and x to the
// carry bits.
#define add(x, y, sum, t) \
	VMOVDQA64  x, t;              \
	VPTERNLOGQ $0xe8, y, sum, x;  \
	VPTERNLOGQ $0x96, y, t, sum

// count64 counts the 1 bits in 64 bytes and adds the counts to sums.
#define count64(at, x, sums) \
	load64(at, x);        \
	VPOPCNTQ x, x;        \
	VPADDQ   x, sums, sums

// begin loads the arguments and clears the counts.
#define begin \
	MOVQ   n+0(FP), left;    \
	MOVQ   a+8(FP), ap;      \
	MOVQ   b+16(FP), bp;     \
	VPXORQ Z0, Z0, Z0;       \
	VPXORQ Z12, Z12, Z12

// next advances the pointers ap and bp by n bytes.
#define next(n) \
	ADDQ $n, ap;  \
	ADDQ $n, bp;  \
	SUBQ $n, left

// fold adds all 64-bit counts and sets the first lane of X0 to the sum.
#define fold \
	VPADDQ        Z12, Z0, Z0;    \
	VEXTRACTI64X4 $1, Z0, Y1;     \
	VPADDQ        Y1, Y0, Y0;     \
	VEXTRACTI128  $1, Y0, X1;     \
	VPADDQ        X1, X0, X0;     \
	VPSHUFD       $0x4e, X0, X1;  \
	VPADDQ        X1, X0, X0

// func hammingAVX512(n int, a, b *byte) int
TEXT ·hammingAVX512(SB), NOSPLIT, $0-32
	begin
	VPXORQ         Z15, Z15, Z15
	VBROADCASTI128 bitsOf<>(SB), Y13
	VSHUFI64X2     $0, Z13, Z13, Z13
	MOVL           $0x0f0f0f0f, AX
	VPBROADCASTD   AX, Z14
	SUBQ           $512, left
	JL             tail
	VPXORQ         Z1, Z1, Z1
	VPXORQ         Z2, Z2, Z2
	VPXORQ         Z3, Z3, Z3

loop:
	load64(0, Z4)
	load64(64, Z5)
	add(Z4, Z5, Z1, Z16)
	load64(128, Z6)
	load64(192, Z7)
	add(Z6, Z7, Z1, Z16)
	add(Z4, Z6, Z2, Z16)
	load64(256, Z8)
	load64(320, Z9)
	add(Z8, Z9, Z1, Z16)
	load64(384, Z10)
	load64(448, Z11)
	add(Z10, Z11, Z1, Z16)
	add(Z8, Z10, Z2, Z16)
	add(Z4, Z8, Z3, Z16)
	count(Z4, Z5, Z13, Z14)
	VPSADBW Z15, Z4, Z4
	VPADDQ  Z4, Z0, Z0
	next(512)
	JGE     loop

	count(Z1, Z4, Z13, Z14)
	count(Z2, Z5, Z13, Z14)
	count(Z3, Z6, Z13, Z14)
	VPSADBW Z15, Z1, Z1
	VPSADBW Z15, Z2, Z2
	VPSADBW Z15, Z3, Z3
	VPSLLQ  $3, Z0, Z0
	VPSLLQ  $2, Z3, Z3
	VPSLLQ  $1, Z2, Z2
	VPADDQ  Z1, Z0, Z0
	VPADDQ  Z2, Z0, Z0
	VPADDQ  Z3, Z0, Z0

tail:
	ADDQ $448, left
	JL   rest

tail64:
	load64(0, Z1)
	count(Z1, Z5, Z13, Z14)
	VPSADBW Z15, Z1, Z1
	VPADDQ  Z1, Z0, Z0
	next(64)
	JGE     tail64

rest:
	ADDQ $64, left
	JZ   done

tail16:
	VMOVDQU (ap), X1
	VPXOR   (bp), X1, X1
	count(X1, X5, X13, X14)
	VPSADBW X15, X1, X1
	VPADDQ  X1, X12, X12
	next(16)
	JNZ     tail16

done:
	fold
	VMOVQ X0, ret+24(FP)
	VZEROUPPER
	RET

// func hammingAVX512VPOPCNT(n int, a, b *byte) int
TEXT ·hammingAVX512VPOPCNT(SB), NOSPLIT, $0-32
	begin
	VPXORQ Z9, Z9, Z9
	VPXORQ Z10, Z10, Z10
	VPXORQ Z11, Z11, Z11
	SUBQ   $256, left
	JL     tail

loop:
	count64(0, Z1, Z0)
	count64(64, Z2, Z9)
	count64(128, Z3, Z10)
	count64(192, Z4, Z11)
	next(256)
	JGE loop

tail:
	ADDQ $256, left
	JZ   done

tailloop:
	VMOVDQU  (ap), X1
	VPXOR    (bp), X1, X1
	VPOPCNTQ X1, X1
	VPADDQ   X1, X12, X12
	next(16)
	JNZ      tailloop

done:
	VPADDQ Z9, Z0, Z0
	VPADDQ Z11, Z10, Z10
	VPADDQ Z10, Z0, Z0
	fold
	VMOVQ  X0, ret+24(FP)
	VZEROUPPER
	RET
