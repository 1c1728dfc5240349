// sqdist, float32, AVX2 + FMA.
//
//	dst[i*ldd+j] = dst[i*ldd+j] or 0 + Σ_k (x[i*ldx+k] − zt[k*ldz+j])²      0≤i<m  0≤j<n  0≤k<d
//
// Same bits as    sqdistRef in ref.go: k ascending, one FMA per term.
// Layout          x m×d row-major; zt d×n; dst m×n; strides in elements; m, n, d ≥ 1.
// Tile            6 rows × 16 columns: 12 sums hide the latency of FMA twice over, and
//                 8 loads feed 24 operations. Two steps of k a turn.
// Tail            columns: 6 × 8 tiles, the last one masked; rows: the last row stands in
//                 for those that are missing and is stored once. No access outside the
//                 slices.
// Special values  follow the arithmetic.
// Registers       AX BX CX DX SI DI ends of six rows of x · R8 k − d in bytes · R9 zt at
//                 k, or a temporary · R10 ldz in bytes · R11 zt at the tile's columns ·
//                 R12 dst at the tile · R13 ldd in bytes · Y0–Y11 sums · Y12 Y13 zt ·
//                 Y14 Y15 x, differences, mask of the column tail.
// Source          own; tile shape by measurement, see doc.go.

//go:build amd64 && !purego

#include "textflag.h"
#include "mask_amd64.h"

#define size 4
#define logsize 2
#define move VMOVUPS
#define bcast VBROADCASTSS
#define maskmove VMASKMOVPS
#define sub VSUBPS
#define mul VMULPS
#define fma VFMADD231PS

#define p0 AX
#define p1 BX
#define p2 CX
#define p3 DX
#define p4 SI
#define p5 DI
#define koff R8
#define zk R9
#define ldzb R10
#define zcol R11
#define dcol R12
#define lddb R13

// func sqdistAVX2F32(m, n, d int, dst *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, add bool)
TEXT ·sqdistAVX2F32(SB), NOSPLIT, $0-73
#include "sqdist_avx2_amd64.h"
