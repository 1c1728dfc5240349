// price for float64 and float32 with AVX2 + FMA.
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
// Tile            16 elements: four registers.
// Tail            none. Go code processes the remaining elements.
// Special values  comparisons with NaN are false. If r_j is NaN, VMINPD keeps the old value.
// Registers       SI c · BX v · DI d · DX x · CX n · AX current index · Y0 r · Y1 comparison · Y2–Y5
//                 least · Y6–Y9 blocks of least · Y10 current block number · Y11 ones · Y12 u.
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

// reduce(off) sets Y0 to the reduced costs of elements i … i+3, where i = at + off.
#define reduce(off) \
	load(off, Y0);              \
	VSUBPD Y12, Y0, Y0;         \
	VSUBPD 8*off(vp)(at*8), Y0, Y0

// lower sets Y0 and four elements of d to min(d, Y0).
#define lower(off) \
	VMINPD  8*off(dp)(at*8), Y0, Y0; \
	VMOVUPD Y0, 8*off(dp)(at*8)

// keep(least, block) sets least to min(least, Y0). Where a lane of least decreases, the lane of block becomes the block number.
#define keep(least, block) \
	VCMPPD    $0x11, least, Y0, Y1; \
	VMINPD    least, Y0, least;     \
	VBLENDVPD Y1, Y10, block, block

// halve sets the lowest lane of x to the minimum of the four lanes of y. x must name the lower half of y.
#define halve(x, y, t) \
	VEXTRACTF128 $1, y, t; \
	VMINPD       x, t, x;  \
	VUNPCKHPD    x, x, t;  \
	VMINPD       x, t, x

// drop sets a lane of index to +Inf if the same lane of least is greater than Y0. Y1 holds +Inf.
#define drop(least, index) \
	VCMPPD    $0x11, least, Y0, Y12; \
	VBLENDVPD Y12, Y1, index, index

// load(off, r) sets register r to the float64 costs i … i+3, where i = at + off.
#define load(off, r) VMOVUPD 8*off(cp)(at*8), r
#define LEAST ·leastAVX2F64
#define RELAX ·relaxAVX2F64
#include "price_avx2_amd64.h"
#undef load
#undef LEAST
#undef RELAX

// load(off, r) sets register r to the float32 costs i … i+3, converted to float64, where i = at + off.
#define load(off, r) VCVTPS2PD 4*off(cp)(at*4), r
#define LEAST ·leastAVX2F32
#define RELAX ·relaxAVX2F32
#include "price_avx2_amd64.h"
#undef load
#undef LEAST
#undef RELAX
