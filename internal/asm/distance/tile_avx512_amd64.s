// sqEuclidean, gibbs for float64 and float32 with AVX-512 F.
//
//	sqEuclidean   dst[i*ldd+j] = (0 or dst[i*ldd+j]) + Σ_k (x[i*ldx+k] − zt[k*ldz+j])²
//	gibbs         D_ij = Σ_k (x_ik − z_jk)²      K_ij = 2^(c·D_ij)      0≤i<m  0≤j<n  0≤k<d
//
// Same bits as    sqEuclideanRef and gibbsRef in ref.go. The terms are added in ascending order of k, each with
//                 one FMA. gibbs rounds y = c·D_ij and computes 2^y as exp.Ref2 does.
// Layout          x is m×d, zt is d×n, and dst and K are m×n. D is m×n or nil. All matrices are row-major,
//                 with strides in elements. m, n, d ≥ 1.
// Tile            8 rows × 3 vectors of columns. Z0–Z23 hold sums, Z24–Z26 hold zt, and Z27–Z29 hold
//                 differences. The subtractions broadcast x from memory. In gibbs, Z0–Z23 then hold 2^y,
//                 computed three registers at a time. The last columns use a tile of 8 rows × 2 vectors or
//                 8 rows × 1 vector. The last m mod 8 rows use tiles of 1 row × 3 vectors.
// Tail            The opmasks K1–K3 select the columns of the three vectors. No access outside the slices.
// Special values  propagate as in ordinary arithmetic. The kernels compute zt − x, which has the same square
//                 as x − zt. In gibbs, opmasks mark results below the least normal number. K can overflow only if c > 0.
//                 In this case, gibbs stores y in K and then computes 2^y one vector at a time.
// Registers       BX x of the tile · SI x_0k of the tile · DI x_4k · R8 ldx · R9 3 ldx ·
//                 R10 zt at k, scratch · R11 ldz · DX row of dst or K · R12 rows left · R13 columns
//                 left · AX k left, scratch · CX scratch · Z30 table · Z31 magic. SI DI also
//                 hold the offsets of the second and third vectors; in tiles of one row, CX DI are these
//                 offsets in zt. gibbs keeps the row of D in the argument dist, and the number of rows
//                 of the tile in m.
// Source          written for this project; 2^y is computed as in package exp. sqEuclidean prefetches the rows of x
//                 of the next tile into L2, one cache line of each row at a time. While a kernel stores a tile, it prefetches
//                 the lines that the tile to the right will store.

//go:build amd64 && !purego

#include "textflag.h"
#include "../exp/exp2core_avx512_amd64.h"
#include "columns_avx512_amd64.h"

#define lanes (64/size)
#define p AX
#define tmp CX
#define xtile BX
#define dtile DX
#define ktile DX
#define xp SI
#define xq DI
#define second SI
#define third DI
#define lx R8
#define lx3 R9
#define zp R10
#define lz R11
#define rows R12
#define cols R13
#define z0 Z24
#define z1 Z25
#define z2 Z26
#define factor Z29
#define table Z30
#define magic Z31

// column computes the address of the tile's first column in the row at base.
#define column(base, to) \
	MOVQ n+8(FP), tmp; \
	SUBQ cols, tmp;    \
	LEAQ (base)(tmp*size), to

// term1, term2 and term3 add (z − x)² to the sums of one row of a tile, for one, two or three vectors
// of columns.
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

// scale3 multiplies the squared distances of one row of a tile by factor.
#define scale3(a, b, c) \
	mul factor, a, a; \
	mul factor, b, b; \
	mul factor, c, c

// load3 and store3 load and store one row of a tile of three vectors, and advance p to the next row.
// The registers second and third hold the offsets of the second and the third vector.
#define load3(a, b, c) \
	move.Z (p), K1, a;           \
	move.Z (p)(second*1), K2, b; \
	move.Z (p)(third*1), K3, c;  \
	LEAQ   (p)(tmp*size), p

#define store3(a, b, c) \
	move a, K1, (p);           \
	move b, K2, (p)(second*1); \
	move c, K3, (p)(third*1);  \
	LEAQ (p)(tmp*size), p

// storeahead3 stores a row like store3 and prefetches the same row of the next tile. The prefetch
// covers the last three cache lines of the row for every alignment.
#define storeahead3(a, b, c) \
	move a, K1, (p);           \
	move b, K2, (p)(second*1); \
	move c, K3, (p)(third*1);  \
	PREFETCHT0 255(p);         \
	PREFETCHT0 319(p);         \
	PREFETCHT0 383(p);         \
	LEAQ (p)(tmp*size), p

// rows3 applies op to the eight rows of a tile.
#define rows3(op) \
	op(Z0, Z1, Z2);    \
	op(Z3, Z4, Z5);    \
	op(Z6, Z7, Z8);    \
	op(Z9, Z10, Z11);  \
	op(Z12, Z13, Z14); \
	op(Z15, Z16, Z17); \
	op(Z18, Z19, Z20); \
	op(Z21, Z22, Z23)

// step and step1 advance to the next index k and set the flags for the branch that follows. step1
// is for tiles of one row.
#define step \
	ADDQ $size, xp; \
	ADDQ $size, xq; \
	ADDQ lz, zp;    \
	DECQ p

#define step1 \
	ADDQ $size, xp; \
	ADDQ lz, zp;    \
	DECQ p

#define F64
#include "type_amd64.h"

// func sqEuclideanAVX512F64(m, n, d int, dst *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, more bool)
TEXT ·sqEuclideanAVX512F64(SB), NOSPLIT, $0-73
#include "sqeuclidean_avx512_amd64.h"

// func gibbsAVX512F64(m, n, d int, k *float64, ldk int, dist *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, c float64)
TEXT ·gibbsAVX512F64(SB), NOSPLIT, $0-96
#include "gibbs_avx512_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func sqEuclideanAVX512F32(m, n, d int, dst *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, more bool)
TEXT ·sqEuclideanAVX512F32(SB), NOSPLIT, $0-73
#include "sqeuclidean_avx512_amd64.h"

// func gibbsAVX512F32(m, n, d int, k *float32, ldk int, dist *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, c float32)
TEXT ·gibbsAVX512F32(SB), NOSPLIT, $0-92
#include "gibbs_avx512_amd64.h"
#undef F32
