// codes for float32 with AVX-512 F, BW.
//
//	sums4   dst[i] = Σ_j table[16j + c_ij]     codes of 4 bits, table uint8, sums uint16    0≤j<m
//
// Same bits as    sums4Ref in ref.go. The sums are exact in any order.
// Layout          codes come in blocks of 32 rows. A block has m groups of 16 bytes, one for each j. The low
//                 halves of the bytes are the codes of rows 0–15, and the high halves are the codes of rows
//                 16–31. m is even, and m ≥ 2.
// Tile            32 rows and four groups, as in codes_avx2_amd64.s.
// Tail            if m is not a multiple of four, the last two groups fill half a register.
// Special values  none, because the data are integers.
// Registers       R8 blocks · DI dst · R10 group · R9 R11 tables · CX m · R12 groups left · Z0 Z2 sums
//                 of even rows · Z1 Z3 of odd rows · Z4 Z5 codes, then entries · Z6 tables · Z7
//                 high bytes · Z15 mask.
// Source          as in codes_avx2_amd64.s.

//go:build amd64 && !purego

#include "textflag.h"

#define blocks R8
#define dp DI
#define tables R9
#define groups CX
#define group R10
#define table R11
#define left R12

// entries looks up the table entries of the codes c and adds the entries to the sums of even and
// odd rows.
#define entries(c, even, odd) \
	VPSHUFB c, Z6, c;       \
	VPSRLW  $8, c, Z7;      \
	VPADDW  c, even, even;  \
	VPADDW  Z7, odd, odd

// halves moves the high four bits of each byte of Z4 to Z5 and leaves the low four bits in Z4.
#define halves \
	VPSRLW $4, Z4, Z5;   \
	VPANDD Z15, Z4, Z4;  \
	VPANDD Z15, Z5, Z5

// fold adds the four quarters of z and stores the sum in dst. Register y is the lower half of z, and x
// is the lowest quarter of z.
#define fold(z, y, x, at) \
	VEXTRACTI64X4 $1, z, Y8;   \
	VPADDW        Y8, y, y;    \
	VEXTRACTI128  $1, y, X8;   \
	VPADDW        X8, x, x;    \
	VMOVDQU       x, at(dp)

// func sums4AVX512(n int, dst *uint16, codes, lut *byte, m int)
TEXT ·sums4AVX512(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), blocks
	MOVQ         dst+8(FP), dp
	MOVQ         codes+16(FP), group
	MOVQ         lut+24(FP), tables
	MOVQ         m+32(FP), groups
	MOVQ         $0x0f0f0f0f0f0f0f0f, AX
	VPBROADCASTQ AX, Z15

blockloop:
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	MOVQ   tables, table
	MOVQ   groups, left
	SUBQ   $4, left
	JL     tail

grouploop:
	VMOVDQU64 (group), Z4
	VMOVDQU64 (table), Z6
	halves
	entries(Z4, Z0, Z1)
	entries(Z5, Z2, Z3)
	ADDQ      $64, group
	ADDQ      $64, table
	SUBQ      $4, left
	JGE       grouploop

tail:
	// The last two groups fill the lower halves of Z4 and Z6. The upper halves are zero and add
	// nothing to the sums.
	ADDQ    $4, left
	JZ      done
	VMOVDQU (group), Y4
	VMOVDQU (table), Y6
	halves
	entries(Z4, Z0, Z1)
	entries(Z5, Z2, Z3)
	ADDQ    $32, group

done:
	// The sums of even rows still include 256 times the sums of odd rows. The next instructions
	// subtract this term.
	VPSLLW     $8, Z1, Z4
	VPSUBW     Z4, Z0, Z0
	VPSLLW     $8, Z3, Z5
	VPSUBW     Z5, Z2, Z2
	VPUNPCKLWD Z1, Z0, Z4
	VPUNPCKHWD Z1, Z0, Z5
	VPUNPCKLWD Z3, Z2, Z6
	VPUNPCKHWD Z3, Z2, Z7
	fold(Z4, Y4, X4, 0)
	fold(Z5, Y5, X5, 16)
	fold(Z6, Y6, X6, 32)
	fold(Z7, Y7, X7, 48)
	ADDQ       $64, dp
	DECQ       blocks
	JNZ        blockloop
	VZEROUPPER
	RET
