// hamming, integers, AVX-512 F, BW, VL and VPOPCNTDQ.
//
//	hamming   number of bits of a_i ^ b_i     0≤i<n
//
// Same bits as    hammingRef in ref.go: exact in any order.
// Layout          n bytes each, n ≥ 16, a multiple of 16.
// Tile            256 bytes in four registers. Without VPOPCNTDQ the counts of their bytes, at most 32
//                 together, are added in bytes, then in 64 bits.
// Tail            one to fifteen times 16 bytes, whose counts are added in 64 bits.
// Special values  none: integers.
// Registers       CX bytes left · SI a · DI b · Z0 counts of 64 bits (VPOPCNTDQ: and Z9–Z11) · Z1–Z4 bytes,
//                 then counts · Z5–Z8 lower halves of bytes · Z12 counts of the tail · Z13 table · Z14
//                 mask · Z15 zero.
// Source          as in hamming_avx2_amd64.s.

//go:build amd64 && !purego

#include "textflag.h"

// The number of bits of 0 to 15.
DATA bitsOf<>+0(SB)/8, $0x0302020102010100
DATA bitsOf<>+8(SB)/8, $0x0403030203020201
GLOBL bitsOf<>(SB), RODATA|NOPTR, $16

#define left CX
#define ap SI
#define bp DI

// count leaves the number of bits of each byte of x in x.
#define count(x, t, table, mask) \
	VPANDQ  mask, x, t;   \
	VPSRLW  $4, x, x;     \
	VPANDQ  mask, x, x;   \
	VPSHUFB t, table, t;  \
	VPSHUFB x, table, x;  \
	VPADDB  t, x, x

// count64 adds the number of bits of 64 bytes to sums.
#define count64(at, x, sums) \
	VMOVDQU64 at(ap), x;      \
	VPXORQ    at(bp), x, x;   \
	VPOPCNTQ  x, x;           \
	VPADDQ    x, sums, sums

// begin loads the arguments and clears the counts.
#define begin \
	MOVQ   n+0(FP), left;    \
	MOVQ   a+8(FP), ap;      \
	MOVQ   b+16(FP), bp;     \
	VPXORQ Z0, Z0, Z0;       \
	VPXORQ Z12, Z12, Z12

// next advances by n bytes.
#define next(n) \
	ADDQ $n, ap;  \
	ADDQ $n, bp;  \
	SUBQ $n, left

// fold adds the counts, and leaves their sum in X0.
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
	SUBQ           $256, left
	JL             tail

loop:
	VMOVDQU64 (ap), Z1
	VMOVDQU64 64(ap), Z2
	VMOVDQU64 128(ap), Z3
	VMOVDQU64 192(ap), Z4
	VPXORQ    (bp), Z1, Z1
	VPXORQ    64(bp), Z2, Z2
	VPXORQ    128(bp), Z3, Z3
	VPXORQ    192(bp), Z4, Z4
	count(Z1, Z5, Z13, Z14)
	count(Z2, Z6, Z13, Z14)
	count(Z3, Z7, Z13, Z14)
	count(Z4, Z8, Z13, Z14)
	VPADDB    Z2, Z1, Z1
	VPADDB    Z4, Z3, Z3
	VPADDB    Z3, Z1, Z1
	VPSADBW   Z15, Z1, Z1
	VPADDQ    Z1, Z0, Z0
	next(256)
	JGE       loop

tail:
	ADDQ $256, left
	JZ   done

tailloop:
	VMOVDQU (ap), X1
	VPXOR   (bp), X1, X1
	count(X1, X5, X13, X14)
	VPSADBW X15, X1, X1
	VPADDQ  X1, X12, X12
	next(16)
	JNZ     tailloop

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
