// price for float64 and float32 with NEON.
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
// Tile            16 elements, in two halves of four registers.
// Tail            none. Go code processes the remaining elements.
// Special values  comparisons with NaN are false, so a NaN never replaces a value.
// Registers       R0 elements left · R1 c · R2 v · R3 d · R4 x · R5 constants · V0–V3 r · V4–V7
//                 comparisons · V8 u · V9 current block number · V10 ones · V12–V15 v, then d · V16–V23 least ·
//                 V24–V31 blocks of least.
// Source          written for this project.

//go:build arm64 && !purego

#include "textflag.h"
#include "lane.h"

#define DOUBLE 1
#include "neon_arm64.h"

#define left R0
#define cp R1
#define vp R2
#define dp R3
#define xp R4
#define bits R5

// reduce sets V0–V3 to the next eight reduced costs.
#define reduce \
	load;                          \
	FLDPQ   32(vp), (F14, F15);    \
	FLDPQ.P 64(vp), (F12, F13);    \
	BY4(FSUB, 0, 0, 8);            \
	OF4(FSUB, 0, 0, 12)

// lower sets V12–V15 to the minimum of V0–V3 and eight elements of d.
#define lower \
	FLDPQ   32(dp), (F14, F15);    \
	FLDPQ   (dp), (F12, F13);      \
	OF4(FCMGT, 4, 12, 0);          \
	OF4(BIT_16B, 12, 0, 4)

// keep computes the minimum of four registers of least and registers r to r+3, and stores it in least. It sets V4–V7 to masks
// of the lanes of least that become smaller. keepBlocks sets the blocks of these lanes to the current block number.
#define keep(least, r) \
	OF4(FCMGT, 4, least, r);       \
	OF4(BIT_16B, least, r, 4)
#define keepBlocks(block) \
	BIT_16B(block, 9, 4);            \
	BIT_16B(block+1, 9, 5);         \
	BIT_16B(block+2, 9, 6);         \
	BIT_16B(block+3, 9, 7)

// least(x, y) sets register x to min(x, y). drop(index, lanes) sets each element of register index to
// +Inf if the corresponding element of register lanes is greater than that of V0. V11 holds +Inf.
#define least(x, y) \
	FCMGT(4, x, y);                \
	BIT_16B(x, y, 4)
#define drop(index, lanes) \
	FCMGT(4, lanes, 0);            \
	BIT_16B(index, 11, 4)

// load sets V0–V3 to eight float64 costs.
#define load \
	FLDPQ   32(cp), (F2, F3);      \
	FLDPQ.P 64(cp), (F0, F1)
#define LEAST ·leastNEONF64
#define RELAX ·relaxNEONF64
#include "price_neon_arm64.h"
#undef load
#undef LEAST
#undef RELAX

// load converts eight float32 costs to float64 in V0–V3.
#define load \
	FLDPQ.P 32(cp), (F1, F3);      \
	FCVTL_2D(0, 1);                \
	FCVTL2_2D(1, 1);               \
	FCVTL_2D(2, 3);                \
	FCVTL2_2D(3, 3)
#define LEAST ·leastNEONF32
#define RELAX ·relaxNEONF32
#include "price_neon_arm64.h"
#undef load
#undef LEAST
#undef RELAX
