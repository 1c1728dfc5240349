// project, float64, AVX2 + FMA.
//
//	c[i*ldc+j] = c[i*ldc+j] or 0 + Σ_k a[i*ra+k*ka]·b[k*ldb+j]      0≤i<rows  0≤j<cols  0≤k<depth
//
// Same bits as    mulRef and transMulRef in ref.go: k ascending, one FMA per term.
// Layout          b depth×cols and c rows×cols row-major; a has a stride for either
//                 index, so that one tile serves x·b (ra = ldx, ka = 1) and yᵀ·x (ra = 1,
//                 ka = ldy). rows, cols, depth ≥ 1. The last group of columns needs as
//                 many vectors as the tile has.
// Tile            8 rows × 4 columns, 5 × 8, 4 × 12 or 3 × 16; two steps of k a turn.
// Tail            columns: the last vector of a tile is masked; rows: the last row stands
//                 in for those that are missing and is stored once. No access outside
//                 the slices.
// Special values  follow the arithmetic.
// Registers       AX BX CX DX SI DI R8 R9 ends of the rows' chains in a; the tiles with
//                 fewer rows have R8 ka, R9 mask of the last vector · R10 k − depth in
//                 bytes of a, or a temporary · R11 b at k, or a temporary · R12 ldb · R13 c
//                 at the row · Y0–Y11 sums · Y8–Y14 b and a · Y15 mask, or b.
// Source          own; tile shapes by measurement, see doc.go.

//go:build amd64 && !purego

#include "textflag.h"
#include "mask_amd64.h"

#define logsize 3
#define move VMOVUPD
#define bcast VBROADCASTSD
#define maskmove VMASKMOVPD
#define fma VFMADD231PD

#define p0 AX
#define p1 BX
#define p2 CX
#define p3 DX
#define p4 SI
#define p5 DI
#define p6 R8
#define p7 R9
#define kab R8
#define mask R9
#define koff R10
#define bk R11
#define ldbb R12
#define crow R13

#include "tile_avx2_amd64.h"

// func tile8x1AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, add bool)
TEXT ·tile8x1AVX2F64(SB), NOSPLIT, $0-81
#include "tile8x1_avx2_amd64.h"

// func tile5x2AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, add bool)
TEXT ·tile5x2AVX2F64(SB), NOSPLIT, $0-81
#include "tile5x2_avx2_amd64.h"

// func tile4x3AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, add bool)
TEXT ·tile4x3AVX2F64(SB), NOSPLIT, $0-81
#include "tile4x3_avx2_amd64.h"

// func tile3x4AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, add bool)
TEXT ·tile3x4AVX2F64(SB), NOSPLIT, $0-81
#include "tile3x4_avx2_amd64.h"
