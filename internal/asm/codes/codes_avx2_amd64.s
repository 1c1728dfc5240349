// codes for float32 with AVX2 + FMA.
//
//	sums8   dst[i] = Σ_j table[256j + c_ij]    codes of 8 bits, table float32
//	sums4   dst[i] = Σ_j table[16j + c_ij]     codes of 4 bits, table uint8, sums uint16    0≤j<m
//
// Same bits as    sums8Ref and sums4Ref in ref.go. sums8 adds the entries in ascending order of j. sums4 is
//                 exact in any order.
// Layout          codes come in blocks of 32 rows. A block has m groups, one for each j. In sums8, a group has 32
//                 bytes, one for each row. In sums4, a group has 16 bytes: the low halves of the bytes are the
//                 codes of rows 0–15, and the high halves are the codes of rows 16–31. m ≥ 1; sums4 needs an even m.
// Tile            sums8 processes 16 rows, and each of 16 registers holds the sum of one row. sums4 processes 32
//                 rows and two groups at a time. The 16-bit sums of even rows first include 256 times the
//                 entries of odd rows. The last instructions subtract these entries.
// Tail            none, because every block has 32 rows.
// Special values  propagate as in ordinary arithmetic.
// Registers       R8 blocks left · DI dst · SI codes · R9 table · CX m · R10 group · R11 table of
//                 the group · R12 groups left. sums8: AX DX codes · BX a code · R13 halves left · X0–X15 sums.
//                 sums4: Y0 Y2 sums of even rows · Y1 Y3 of odd rows · Y4 Y5 codes, then entries ·
//                 Y6 tables · Y7 high bytes · Y15 mask.
// Source          sums4: the scheme of F. André, A.-M. Kermarrec and N. Le Scouarnec, "Cache
//                 locality is not enough", VLDB 2015, with 16-bit additions.

//go:build amd64 && !purego

#include "textflag.h"

#define blocks R8
#define dp DI
#define cp SI
#define tables R9
#define groups CX
#define group R10
#define table R11
#define left R12
#define halves R13

// pairA adds the table entry of the code in AL to x, and the entry of the code in AH to y. pairD
// does the same for the codes in DL and DH.
#define pairA(x, y) \
	MOVBLZX AL, BX;               \
	VADDSS  (table)(BX*4), x, x;  \
	MOVBLZX AH, BX;               \
	VADDSS  (table)(BX*4), y, y

#define pairD(x, y) \
	MOVBLZX DL, BX;               \
	VADDSS  (table)(BX*4), x, x;  \
	MOVBLZX DH, BX;               \
	VADDSS  (table)(BX*4), y, y

// none sets four sums to zero.
#define none(a, b, c, d) \
	VXORPS a, a, a; \
	VXORPS b, b, b; \
	VXORPS c, c, c; \
	VXORPS d, d, d

// store4 stores the four sums a, b, c and d in dst, beginning at element number at.
#define store4(at, a, b, c, d) \
	VMOVSS a, (4*at+0)(dp);  \
	VMOVSS b, (4*at+4)(dp);  \
	VMOVSS c, (4*at+8)(dp);  \
	VMOVSS d, (4*at+12)(dp)

// func sums8AVX2(n int, dst *float32, codes *byte, lut *float32, m int)
TEXT ·sums8AVX2(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), blocks
	MOVQ dst+8(FP), dp
	MOVQ codes+16(FP), cp
	MOVQ lut+24(FP), tables
	MOVQ m+32(FP), groups

blockloop:
	MOVQ $2, halves

rowloop:
	none(X0, X1, X2, X3)
	none(X4, X5, X6, X7)
	none(X8, X9, X10, X11)
	none(X12, X13, X14, X15)
	MOVQ cp, group
	MOVQ tables, table
	MOVQ groups, left

grouploop:
	MOVQ (group), AX
	MOVQ 8(group), DX
	pairA(X0, X1)
	pairD(X8, X9)
	SHRQ $16, AX
	SHRQ $16, DX
	pairA(X2, X3)
	pairD(X10, X11)
	SHRQ $16, AX
	SHRQ $16, DX
	pairA(X4, X5)
	pairD(X12, X13)
	SHRQ $16, AX
	SHRQ $16, DX
	pairA(X6, X7)
	pairD(X14, X15)
	ADDQ $32, group
	ADDQ $1024, table
	DECQ left
	JNZ  grouploop

	store4(0, X0, X1, X2, X3)
	store4(4, X4, X5, X6, X7)
	store4(8, X8, X9, X10, X11)
	store4(12, X12, X13, X14, X15)
	ADDQ $64, dp
	ADDQ $16, cp
	DECQ halves
	JNZ  rowloop

	// The next block begins 16 bytes before the address in group (R10).
	LEAQ -16(group), cp
	DECQ blocks
	JNZ  blockloop
	VZEROUPPER
	RET

// addEntries looks up the table entries of the codes c and adds the entries to the sums of even and
// odd rows.
#define addEntries(c, even, odd) \
	VPSHUFB c, Y6, c;       \
	VPSRLW  $8, c, Y7;      \
	VPADDW  c, even, even;  \
	VPADDW  Y7, odd, odd

// func sums4AVX2(n int, dst *uint16, codes, lut *byte, m int)
TEXT ·sums4AVX2(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), blocks
	MOVQ         dst+8(FP), dp
	MOVQ         codes+16(FP), group
	MOVQ         lut+24(FP), tables
	MOVQ         m+32(FP), groups
	SHRQ         $1, groups
	MOVQ         $0x0f0f0f0f0f0f0f0f, AX
	VMOVQ        AX, X15
	VPBROADCASTQ X15, Y15

blockloop:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	MOVQ  tables, table
	MOVQ  groups, left

grouploop:
	VMOVDQU (group), Y4
	VMOVDQU (table), Y6
	VPSRLW  $4, Y4, Y5
	VPAND   Y15, Y4, Y4
	VPAND   Y15, Y5, Y5
	addEntries(Y4, Y0, Y1)
	addEntries(Y5, Y2, Y3)
	ADDQ    $32, group
	ADDQ    $32, table
	DECQ    left
	JNZ     grouploop

	// The sums of even rows still include 256 times the sums of odd rows. The next instructions
	// subtract this term.
	VPSLLW $8, Y1, Y4
	VPSUBW Y4, Y0, Y0
	VPSLLW $8, Y3, Y5
	VPSUBW Y5, Y2, Y2

	// Interleave the sums of even and odd rows. Each half of a register has the sums of one group,
	// so the next instructions add the two halves.
	VPUNPCKLWD   Y1, Y0, Y4
	VPUNPCKHWD   Y1, Y0, Y5
	VPUNPCKLWD   Y3, Y2, Y6
	VPUNPCKHWD   Y3, Y2, Y7
	VEXTRACTI128 $1, Y4, X8
	VPADDW       X8, X4, X4
	VMOVDQU      X4, (dp)
	VEXTRACTI128 $1, Y5, X8
	VPADDW       X8, X5, X5
	VMOVDQU      X5, 16(dp)
	VEXTRACTI128 $1, Y6, X8
	VPADDW       X8, X6, X6
	VMOVDQU      X6, 32(dp)
	VEXTRACTI128 $1, Y7, X8
	VPADDW       X8, X7, X7
	VMOVDQU      X7, 48(dp)
	ADDQ         $64, dp
	DECQ         blocks
	JNZ          blockloop
	VZEROUPPER
	RET
