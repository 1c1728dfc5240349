// price for float64 and float32 with AVX-512 F.
//
//	least   r_j = (c_j − u) − v_j
//	relax   r_j = d_j = min(d_j, (c_j − u) − v_j)
//
// The index j is from 0 to n−1. Both functions set x.least[l] to the minimum of all r_j with j mod 16 = l. They set
// x.index to the lowest index of the minimum.
//
// Same bits as    leastLanesRef, relaxLanesRef and lowestIndexRef in ref.go.
// Layout          c, v and d have n contiguous elements. The struct x holds the 16 lanes of least, and then
//                 index. The length n is a positive multiple of 16.
// Tile            16 elements: two registers.
// Tail            none. Go code processes the remaining elements.
// Special values  comparisons with NaN are false. If r_j is NaN, VMINPD keeps the old value.
// Registers       SI c · BX v · DI d · DX x · CX n · AX current index · Z0 r · Z2 Z3 least ·
//                 Z4 Z5 blocks of least · Z6 current block number · Z7 ones · Z8 u · K1 comparison.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"
#include "lane.h"

#define cp SI
#define vp BX
#define dp DI
#define xp DX
#define count CX
#define at AX

// reduce(off) sets Z0 to the reduced costs of elements i … i+7, where i = at + off.
#define reduce(off) \
	load(off, Z0);              \
	VSUBPD Z8, Z0, Z0;          \
	VSUBPD 8*off(vp)(at*8), Z0, Z0

// lower sets Z0 and eight elements of d to min(d, Z0).
#define lower(off) \
	VMINPD  8*off(dp)(at*8), Z0, Z0; \
	VMOVUPD Z0, 8*off(dp)(at*8)

// keep(least, block) sets least to min(least, Z0). Where a lane of least decreases, the lane of block becomes the block number.
#define keep(least, block) \
	VCMPPD  $0x11, least, Z0, K1; \
	VMINPD  least, Z0, least;     \
	VMOVAPD Z6, K1, block

// halve sets the lowest lane of x to the minimum of the four lanes of y. x must name the lower half of y.
#define halve(x, y, t) \
	VEXTRACTF128 $1, y, t; \
	VMINPD       x, t, x;  \
	VUNPCKHPD    x, x, t;  \
	VMINPD       x, t, x

// load(off, r) sets register r to the float64 costs i … i+7, where i = at + off.
#define load(off, r) VMOVUPD 8*off(cp)(at*8), r
#define LEAST ·leastAVX512F64
#define RELAX ·relaxAVX512F64
#include "price_avx512_amd64.h"
#undef load
#undef LEAST
#undef RELAX

// load(off, r) sets register r to the float32 costs i … i+7, converted to float64, where i = at + off.
#define load(off, r) VCVTPS2PD 4*off(cp)(at*4), r
#define LEAST ·leastAVX512F32
#define RELAX ·relaxAVX512F32
#include "price_avx512_amd64.h"
#undef load
#undef LEAST
#undef RELAX
