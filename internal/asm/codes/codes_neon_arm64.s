// codes for float32 with NEON.
//
//	sums8   dst[i] = Σ_j table[256j + c_ij]    codes of 8 bits, table float32
//	sums4   dst[i] = Σ_j table[16j + c_ij]     codes of 4 bits, table uint8, sums uint16    0≤j<m
//
// Same bits as    sums8Ref and sums4Ref in ref.go. sums8 adds the entries in ascending order of j. sums4 is
//                 exact in any order.
// Layout          codes come in blocks of 32 rows. A block has m groups, one for each j. In sums8, a group has 32
//                 bytes, one for each row. In sums4, a group has 16 bytes: the low halves of the bytes are the
//                 codes of rows 0–15, and the high halves are the codes of rows 16–31. m ≥ 1.
// Tile            sums8 processes 8 rows, and each of 8 registers holds the sum of one row. sums4 processes 32
//                 rows.
// Tail            none, because every block has 32 rows.
// Special values  propagate as in ordinary arithmetic.
// Registers       R0 blocks · R1 dst · R2 codes · R3 table · R4 m · R5 group · R6 table of the
//                 group · R7 groups left. sums8: R8 codes · R9–R12 a code · R13 octets left · F0–F7 sums ·
//                 F16–F19 entries. sums4: V0–V3 sums · V4 V5 codes, then entries · V6 table · V15
//                 mask.
// Source          sums4: as in codes_avx2_amd64.s.

//go:build arm64 && !purego

#include "textflag.h"

#define blocks R0
#define dp R1
#define cp R2
#define tables R3
#define groups R4
#define group R5
#define table R6
#define left R7
#define octets R13

// four loads the table entries of four codes into F16 to F19. The first code begins at bit b of R8.
#define four(b) \
	UBFX  $(b+0), R8, $8, R9;    \
	UBFX  $(b+8), R8, $8, R10;   \
	UBFX  $(b+16), R8, $8, R11;  \
	UBFX  $(b+24), R8, $8, R12;  \
	FMOVS (table)(R9<<2), F16;   \
	FMOVS (table)(R10<<2), F17;  \
	FMOVS (table)(R11<<2), F18;  \
	FMOVS (table)(R12<<2), F19

// add4 adds the entries in F16 to F19 to a, b, c and d.
#define add4(a, b, c, d) \
	FADDS F16, a, a; \
	FADDS F17, b, b; \
	FADDS F18, c, c; \
	FADDS F19, d, d

// func sums8NEON(n int, dst *float32, codes *byte, lut *float32, m int)
TEXT ·sums8NEON(SB), NOSPLIT, $0-40
	MOVD n+0(FP), blocks
	MOVD dst+8(FP), dp
	MOVD codes+16(FP), cp
	MOVD lut+24(FP), tables
	MOVD m+32(FP), groups

blockloop:
	MOVD $4, octets

rowloop:
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	MOVD cp, group
	MOVD tables, table
	MOVD groups, left

grouploop:
	MOVD (group), R8
	four(0)
	add4(F0, F1, F2, F3)
	four(32)
	add4(F4, F5, F6, F7)
	ADD  $32, group
	ADD  $1024, table
	SUBS $1, left
	BNE  grouploop

	FMOVS F0, (dp)
	FMOVS F1, 4(dp)
	FMOVS F2, 8(dp)
	FMOVS F3, 12(dp)
	FMOVS F4, 16(dp)
	FMOVS F5, 20(dp)
	FMOVS F6, 24(dp)
	FMOVS F7, 28(dp)
	ADD   $32, dp
	ADD   $8, cp
	SUBS  $1, octets
	BNE   rowloop

	// The register group now points 24 bytes past the beginning of the next block.
	SUB  $24, group, cp
	SUBS $1, blocks
	BNE  blockloop
	RET

// func sums4NEON(n int, dst *uint16, codes, lut *byte, m int)
TEXT ·sums4NEON(SB), NOSPLIT, $0-40
	MOVD  n+0(FP), blocks
	MOVD  dst+8(FP), dp
	MOVD  codes+16(FP), group
	MOVD  lut+24(FP), tables
	MOVD  m+32(FP), groups
	VMOVI $15, V15.B16

blockloop:
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	MOVD tables, table
	MOVD groups, left

grouploop:
	VLD1.P  16(group), [V4.B16]
	VLD1.P  16(table), [V6.B16]
	VUSHR   $4, V4.B16, V5.B16
	VAND    V15.B16, V4.B16, V4.B16
	VTBL    V4.B16, [V6.B16], V4.B16
	VTBL    V5.B16, [V6.B16], V5.B16
	VUADDW  V4.B8, V0.H8, V0.H8
	VUADDW2 V4.B16, V1.H8, V1.H8
	VUADDW  V5.B8, V2.H8, V2.H8
	VUADDW2 V5.B16, V3.H8, V3.H8
	SUBS    $1, left
	BNE     grouploop

	VST1.P [V0.H8, V1.H8, V2.H8, V3.H8], 64(dp)
	SUBS   $1, blocks
	BNE    blockloop
	RET
