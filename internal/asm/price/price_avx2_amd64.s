// price, float64 and float32, AVX2 + FMA.
//
//	least   r_j = (c_j − u) − v_j
//	relax   r_j = d_j = min(d_j, (c_j − u) − v_j)
//	        x.least[l] = min r_j over j mod 16 = l, x.at = the lowest index of the least      0≤j<n
//
// Same bits as    leastLanesRef, relaxLanesRef and lowestIndexRef in ref.go.
// Layout          c, v, d n elements, contiguous; x 16 lanes of least, then at. n is a
//                 positive multiple of 16.
// Tile            16 elements: four registers.
// Tail            none: Go code computes the rest.
// Special values  a comparison with NaN is false. VMINPD then returns its second operand, the old value.
// Registers       SI c · BX v · DI d · DX x · CX n · AX place · Y0 r · Y1 comparison · Y2–Y5
//                 least · Y6–Y9 their blocks · Y10 this block · Y11 ones · Y12 u.
// Source          own.

//go:build amd64 && !purego

#include "textflag.h"
#include "lane.h"

#define cp SI
#define vp BX
#define dp DI
#define xp DX
#define count CX
#define at AX

// reduce sets Y0 to four reduced costs, beginning with element off.
#define reduce(off) \
	load(off, Y0);              \
	VSUBPD Y12, Y0, Y0;         \
	VSUBPD 8*off(vp)(at*8), Y0, Y0

// lower sets four d and Y0 to min(d, Y0).
#define lower(off) \
	VMINPD  8*off(dp)(at*8), Y0, Y0; \
	VMOVUPD Y0, 8*off(dp)(at*8)

// keep sets lanes to min(lanes, Y0), and their blocks to this block where Y0 is less.
#define keep(least, block) \
	VCMPPD    $0x11, least, Y0, Y1; \
	VMINPD    least, Y0, least;     \
	VBLENDVPD Y1, Y10, block, block

// halve sets the lowest lane of x, the lower part of y, to the least of y.
#define halve(x, y, t) \
	VEXTRACTF128 $1, y, t; \
	VMINPD       x, t, x;  \
	VUNPCKHPD    x, x, t;  \
	VMINPD       x, t, x

// drop sets indices to Y1 (+Inf) where the lanes are greater than Y0.
#define drop(least, index) \
	VCMPPD    $0x11, least, Y0, Y12; \
	VBLENDVPD Y12, Y1, index, index

// load sets r to four float64 costs, beginning with element off.
#define load(off, r) VMOVUPD 8*off(cp)(at*8), r
#define LEAST ·leastAVX2F64
#define RELAX ·relaxAVX2F64
#include "price_avx2_amd64.h"
#undef load
#undef LEAST
#undef RELAX

// load sets r to four float32 costs, widened to float64, beginning with element off.
#define load(off, r) VCVTPS2PD 4*off(cp)(at*4), r
#define LEAST ·leastAVX2F32
#define RELAX ·relaxAVX2F32
#include "price_avx2_amd64.h"
#undef load
#undef LEAST
#undef RELAX
