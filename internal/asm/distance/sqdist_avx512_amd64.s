// sqdist, float64 and float32, AVX-512 F.
//
//	dst[i*ldd+j] = Σ_k (x[i*ldx+k] − zt[k*ldz+j])²      0≤i<m  0≤j<n  0≤k<d
//
// Same bits as    sqdistRef in ref.go: k ascending, one FMA per term.
// Layout          x m×d row-major; zt d×n; dst m×n; strides in elements. m, n, d ≥ 1.
// Tile            8 rows × 3 vectors of columns: Z0–Z23 sums, Z24–Z26 zt, Z27–Z29 differences; x
//                 enters the subtraction by embedded broadcast. The last columns of a
//                 row of tiles take 8 × 2 vectors or 8 × 1 vector, the last m mod 8 rows 1 × 3 vectors.
// Tail            columns: opmasks K1–K3 on the vectors of a tile. No access outside the
//                 slices.
// Special values  follow the arithmetic; the difference is taken as zt − x, which has
//                 the same square.
// Registers       BX x of the tile · SI DI rows 0 and 4 of it at k · R8 ldx · R9 3 ldx ·
//                 R10 zt at k · R11 ldz · DX row of dst · R12 rows left · R13 columns
//                 left · AX k left, scratch · CX scratch.
// Source          own.

//go:build amd64 && !purego

#include "textflag.h"

#define lanes (64/size)
#define k AX
#define tmp CX
#define xtile BX
#define dtile DX
#define xp SI
#define xq DI
#define lx R8
#define lx3 R9
#define zp R10
#define lz R11
#define rows R12
#define cols R13
#define z0 Z24
#define z1 Z25
#define z2 Z26

// colmask sets bit j of k for the columns j < min(cols, 3*lanes) of the tile, and
// colmask3 hands the bits to the three vectors.
#define colmask \
	MOVL    $(3*lanes), tmp; \
	CMPQ    tmp, cols;       \
	CMOVQGT cols, tmp;       \
	MOVL    $1, k;           \
	SHLQ    CX, k;           \
	DECQ    k

#define colmask3 \
	KMOVW k, K1;     \
	SHRQ  $lanes, k; \
	KMOVW k, K2;     \
	SHRQ  $lanes, k; \
	KMOVW k, K3

// column sets p to the tile's first column of the row at base.
#define column(base, p) \
	MOVQ n+8(FP), tmp; \
	SUBQ cols, tmp;    \
	LEAQ (base)(tmp*size), p

// term1, term2 and term3 are d = z − x, sum += d² for one row x of a tile.
#define term1(x, a) \
	sub.BCST x, z0, Z27; \
	fma      Z27, Z27, a

#define term2(x, a, b) \
	sub.BCST x, z0, Z27;  \
	sub.BCST x, z1, Z28;  \
	fma      Z27, Z27, a; \
	fma      Z28, Z28, b

#define term3(x, a, b, c) \
	sub.BCST x, z0, Z27;  \
	sub.BCST x, z1, Z28;  \
	sub.BCST x, z2, Z29;  \
	fma      Z27, Z27, a; \
	fma      Z28, Z28, b; \
	fma      Z29, Z29, c

#define zero3(a, b, c) \
	VPXORD a, a, a; \
	VPXORD b, b, b; \
	VPXORD c, c, c

// load3 and store3 move one row of a tile and go on to the next.
#define load3(a, b, c) \
	move.Z (k), K1, a;    \
	move.Z 64(k), K2, b;  \
	move.Z 128(k), K3, c; \
	LEAQ   (k)(tmp*size), k

#define store3(a, b, c) \
	move a, K1, (k);    \
	move b, K2, 64(k);  \
	move c, K3, 128(k); \
	LEAQ (k)(tmp*size), k

// step goes to the next k; a branch on its flags follows.
#define step \
	ADDQ $size, xp; \
	ADDQ $size, xq; \
	ADDQ lz, zp;    \
	DECQ k

#define F64
#include "type_amd64.h"

// func sqdistAVX512F64(m, n, d int, dst *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, more bool)
TEXT ·sqdistAVX512F64(SB), NOSPLIT, $0-73
#include "sqdist_avx512_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func sqdistAVX512F32(m, n, d int, dst *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, more bool)
TEXT ·sqdistAVX512F32(SB), NOSPLIT, $0-73
#include "sqdist_avx512_amd64.h"
#undef F32
