// gibbs, float64, AVX-512 F.
//
//	D_ij = Σ_k (x[i*ldx+k] − zt[k*ldz+j])²      0≤i<m  0≤j<n  0≤k<d
//	k[i*ldk+j] = 2^(c D_ij)      dist[i*ldd+j] = D_ij unless dist is nil
//
// Same bits as    gibbsRef in ref.go: one FMA per term, k ascending, then Ref2 of package
//                 exp.
// Layout          x m×d row-major; zt d×n; k dist m×n; strides in elements. m, n ≥ 1, d ≥ 0;
//                 x and zt are not read if d = 0.
// Tile            8 rows × 24 columns, as sqdist: Z0–Z23 sums, Z24–Z26 zt, Z27–Z29
//                 differences; then Z0–Z23 2^y, three at a time. The last columns of a
//                 row of tiles take 8 × 16 or 8 × 8, the last m mod 8 rows 1 × 24.
// Tail            columns: opmasks K1–K3 on the vectors of a tile. No access outside the
//                 slices.
// Special values  the difference is taken as zt − x, which has the same square; opmasks
//                 tell what is below the least normal number. Only c > 0 can overflow: K goes
//                 through y in memory then, one vector at a time.
// Registers       BX x of the tile · SI DI rows 0 and 4 of it at k · R8 ldx · R9 3 ldx ·
//                 R10 zt at k · R11 ldz · DX row of k · R12 rows left · R13 columns left ·
//                 AX k left, scratch · CX scratch · Z30 table · Z31 magic. The row of dist
//                 is kept in the arguments, and in m the rows of the tile.
// Source          own; tile shape from shared prototypes (dist/gentile.py), 2^y after
//                 package exp.

//go:build amd64 && !purego

#include "textflag.h"
#include "exp2_avx512_amd64.h"

#define p AX
#define tmp CX
#define xtile BX
#define ktile DX
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
#define factor Z29
#define table Z30
#define magic Z31

// colmask sets bit j of p for the columns j < min(cols, 24) of the tile, and
// colmask3 hands the bits to the three vectors.
#define colmask \
	MOVL    $24, tmp;  \
	CMPQ    tmp, cols; \
	CMOVQGT cols, tmp; \
	MOVL    $1, p;     \
	SHLQ    CX, p;     \
	DECQ    p

#define colmask3 \
	KMOVW p, K1; \
	SHRQ  $8, p; \
	KMOVW p, K2; \
	SHRQ  $8, p; \
	KMOVW p, K3

// column sets p to the tile's first column of the row at base.
#define column(base, to) \
	MOVQ n+8(FP), tmp;     \
	SUBQ cols, tmp;        \
	LEAQ (base)(tmp*8), to

// term1, term2 and term3 are d = z − x, sum += d² for one row x of a tile.
#define term1(x, a) \
	VSUBPD.BCST x, z0, Z27; \
	VFMADD231PD Z27, Z27, a

#define term2(x, a, b) \
	VSUBPD.BCST x, z0, Z27;  \
	VSUBPD.BCST x, z1, Z28;  \
	VFMADD231PD Z27, Z27, a; \
	VFMADD231PD Z28, Z28, b

#define term3(x, a, b, c) \
	VSUBPD.BCST x, z0, Z27;  \
	VSUBPD.BCST x, z1, Z28;  \
	VSUBPD.BCST x, z2, Z29;  \
	VFMADD231PD Z27, Z27, a; \
	VFMADD231PD Z28, Z28, b; \
	VFMADD231PD Z29, Z29, c

#define zero3(a, b, c) \
	VPXORD a, a, a; \
	VPXORD b, b, b; \
	VPXORD c, c, c

// scale3 sets y = c·D for one row of a tile.
#define scale3(a, b, c) \
	VMULPD factor, a, a; \
	VMULPD factor, b, b; \
	VMULPD factor, c, c

// store3 stores one row of a tile and goes on to the next.
#define store3(a, b, c) \
	VMOVUPD a, K1, (p);    \
	VMOVUPD b, K2, 64(p);  \
	VMOVUPD c, K3, 128(p); \
	LEAQ    (p)(tmp*8), p

// step goes to the next k; a branch on its flags follows.
#define step \
	ADDQ $8, xp; \
	ADDQ $8, xq; \
	ADDQ lz, zp; \
	DECQ p

// func gibbsAVX512F64(m, n, d int, k *float64, ldk int, dist *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, c float64)
TEXT ·gibbsAVX512F64(SB), NOSPLIT, $0-96
	MOVQ         m+0(FP), rows
	MOVQ         $8, m+0(FP)
	MOVQ         k+24(FP), ktile
	MOVQ         x+56(FP), xtile
	MOVQ         ldx+64(FP), lx
	MOVQ         ldz+80(FP), lz
	SHLQ         $3, lx
	SHLQ         $3, lz
	LEAQ         (lx)(lx*2), lx3
	VBROADCASTSD exp2f64<>+EXP2_F64_MAGIC(SB), magic
	VMOVDQU64    exp2f64<>+EXP2_F64_TABLE(SB), table

rowloop:
	SUBQ $8, rows
	JLT  rowtail
	MOVQ n+8(FP), cols

colloop:
	// sums = 0
	colmask
	colmask3
	zero3(Z0, Z1, Z2)
	zero3(Z3, Z4, Z5)
	zero3(Z6, Z7, Z8)
	zero3(Z9, Z10, Z11)
	zero3(Z12, Z13, Z14)
	zero3(Z15, Z16, Z17)
	zero3(Z18, Z19, Z20)
	zero3(Z21, Z22, Z23)
	MOVQ  zt+72(FP), zp
	column(zp, zp)
	MOVQ  xtile, xp
	LEAQ  (xtile)(lx*4), xq
	MOVQ  d+16(FP), p
	TESTQ p, p
	JEQ   distances
	CMPQ  cols, $16
	JGT   kloop3
	CMPQ  cols, $8
	JGT   kloop2

kloop1:
	// sums += (z − x)², 8 × 8
	VMOVUPD.Z (zp), K1, z0
	term1((xp), Z0)
	term1((xp)(lx*1), Z3)
	term1((xp)(lx*2), Z6)
	term1((xp)(lx3*1), Z9)
	term1((xq), Z12)
	term1((xq)(lx*1), Z15)
	term1((xq)(lx*2), Z18)
	term1((xq)(lx3*1), Z21)
	step
	JNE       kloop1
	JMP       distances

kloop2:
	// sums += (z − x)², 8 × 16
	VMOVUPD   (zp), z0
	VMOVUPD.Z 64(zp), K2, z1
	term2((xp), Z0, Z1)
	term2((xp)(lx*1), Z3, Z4)
	term2((xp)(lx*2), Z6, Z7)
	term2((xp)(lx3*1), Z9, Z10)
	term2((xq), Z12, Z13)
	term2((xq)(lx*1), Z15, Z16)
	term2((xq)(lx*2), Z18, Z19)
	term2((xq)(lx3*1), Z21, Z22)
	step
	JNE       kloop2
	JMP       distances

kloop3:
	// sums += (z − x)², 8 × 24
	VMOVUPD   (zp), z0
	VMOVUPD   64(zp), z1
	VMOVUPD.Z 128(zp), K3, z2
	term3((xp), Z0, Z1, Z2)
	term3((xp)(lx*1), Z3, Z4, Z5)
	term3((xp)(lx*2), Z6, Z7, Z8)
	term3((xp)(lx3*1), Z9, Z10, Z11)
	term3((xq), Z12, Z13, Z14)
	term3((xq)(lx*1), Z15, Z16, Z17)
	term3((xq)(lx*2), Z18, Z19, Z20)
	term3((xq)(lx3*1), Z21, Z22, Z23)
	step
	JNE       kloop3

distances:
	MOVQ  dist+40(FP), p
	TESTQ p, p
	JEQ   powers
	column(p, p)
	MOVQ  ldd+48(FP), tmp
	store3(Z0, Z1, Z2)
	store3(Z3, Z4, Z5)
	store3(Z6, Z7, Z8)
	store3(Z9, Z10, Z11)
	store3(Z12, Z13, Z14)
	store3(Z15, Z16, Z17)
	store3(Z18, Z19, Z20)
	store3(Z21, Z22, Z23)

powers:
	// y = c·D, k = 2^y
	VBROADCASTSD c+88(FP), factor
	scale3(Z0, Z1, Z2)
	scale3(Z3, Z4, Z5)
	scale3(Z6, Z7, Z8)
	scale3(Z9, Z10, Z11)
	scale3(Z12, Z13, Z14)
	scale3(Z15, Z16, Z17)
	scale3(Z18, Z19, Z20)
	scale3(Z21, Z22, Z23)
	VPXORQ       X28, X28, X28
	VUCOMISD     X28, X29
	JHI          positive
	CMPQ         cols, $8
	JLE          powers1
	CMPQ         cols, $16
	JLE          powers2

#define y0 Z0
#define y1 Z1
#define y2 Z2
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z3
#define y1 Z4
#define y2 Z5
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z6
#define y1 Z7
#define y2 Z8
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z9
#define y1 Z10
#define y2 Z11
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z12
#define y1 Z13
#define y2 Z14
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z15
#define y1 Z16
#define y2 Z17
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z18
#define y1 Z19
#define y2 Z20
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z21
#define y1 Z22
#define y2 Z23
#include "exp2three_avx512_f64_amd64.h"

	JMP store

powers2:
#define y0 Z0
#define y1 Z1
#define y2 Z3
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z4
#define y1 Z6
#define y2 Z7
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z9
#define y1 Z10
#define y2 Z12
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z13
#define y1 Z15
#define y2 Z16
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z18
#define y1 Z19
#define y2 Z21
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z22
#define y1 Z2
#define y2 Z5
#include "exp2three_avx512_f64_amd64.h"

	JMP store

powers1:
#define y0 Z0
#define y1 Z3
#define y2 Z6
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z9
#define y1 Z12
#define y2 Z15
#include "exp2three_avx512_f64_amd64.h"

#define y0 Z18
#define y1 Z21
#define y2 Z1
#include "exp2three_avx512_f64_amd64.h"

store:
	colmask
	colmask3
	column(ktile, p)
	MOVQ ldk+32(FP), tmp
	store3(Z0, Z1, Z2)
	store3(Z3, Z4, Z5)
	store3(Z6, Z7, Z8)
	store3(Z9, Z10, Z11)
	store3(Z12, Z13, Z14)
	store3(Z15, Z16, Z17)
	store3(Z18, Z19, Z20)
	store3(Z21, Z22, Z23)

next:
	SUBQ $24, cols
	JGT  colloop

	// x += 8 ldx, k += 8 ldk, dist += 8 ldd
	LEAQ (xtile)(lx*8), xtile
	MOVQ ldk+32(FP), tmp
	SHLQ $(3+3), tmp
	ADDQ tmp, ktile
	CMPQ dist+40(FP), $0
	JEQ  rowloop
	MOVQ ldd+48(FP), tmp
	SHLQ $(3+3), tmp
	ADDQ tmp, dist+40(FP)
	JMP  rowloop

rowtail:
	MOVQ $1, m+0(FP)
	ADDQ $8, rows
	JEQ  done

row1loop:
	MOVQ n+8(FP), cols

col1loop:
	// sums = 0, 1 × 24
	colmask
	colmask3
	zero3(Z0, Z1, Z2)
	MOVQ  zt+72(FP), zp
	column(zp, zp)
	MOVQ  xtile, xp
	MOVQ  d+16(FP), p
	TESTQ p, p
	JEQ   distances1

k1loop:
	// sums += (z − x)²
	VMOVUPD.Z (zp), K1, z0
	VMOVUPD.Z 64(zp), K2, z1
	VMOVUPD.Z 128(zp), K3, z2
	term3((xp), Z0, Z1, Z2)
	step
	JNE       k1loop

distances1:
	MOVQ  dist+40(FP), p
	TESTQ p, p
	JEQ   powers3
	column(p, p)
	store3(Z0, Z1, Z2)

powers3:
	// y = c·D, k = 2^y
	VBROADCASTSD c+88(FP), factor
	scale3(Z0, Z1, Z2)
	VPXORQ       X28, X28, X28
	VUCOMISD     X28, X29
	JHI          positive1

#define y0 Z0
#define y1 Z1
#define y2 Z2
#include "exp2three_avx512_f64_amd64.h"

colmask
colmask3
column(ktile, p)
store3(Z0, Z1, Z2)

next1:
	SUBQ $24, cols
	JGT  col1loop

	// x += ldx, k += ldk, dist += ldd
	ADDQ lx, xtile
	MOVQ ldk+32(FP), tmp
	LEAQ (ktile)(tmp*8), ktile
	CMPQ dist+40(FP), $0
	JEQ  row1next
	MOVQ ldd+48(FP), tmp
	SHLQ $3, tmp
	ADDQ tmp, dist+40(FP)

row1next:
	DECQ rows
	JNE  row1loop

done:
	VZEROUPPER
	RET

positive:
	// c > 0: y to k, then 2^y in place, vector by vector
	column(ktile, p)
	MOVQ ldk+32(FP), tmp
	store3(Z0, Z1, Z2)
	store3(Z3, Z4, Z5)
	store3(Z6, Z7, Z8)
	store3(Z9, Z10, Z11)
	store3(Z12, Z13, Z14)
	store3(Z15, Z16, Z17)
	store3(Z18, Z19, Z20)
	store3(Z21, Z22, Z23)
	JMP  powertile

positive1:
	column(ktile, p)
	store3(Z0, Z1, Z2)

powertile:
	column(ktile, xq)
	MOVQ m+0(FP), xp

powerrow:
	colmask
	MOVQ xq, zp

powerloop:
	KMOVW     p, K1
	VMOVUPD.Z (zp), K1, Z0

#include "exp2one_avx512_f64_amd64.h"

	VMOVUPD Z0, K1, (zp)
	ADDQ    $64, zp
	SHRQ    $8, p
	JNE     powerloop

	MOVQ ldk+32(FP), tmp
	LEAQ (xq)(tmp*8), xq
	DECQ xp
	JNE  powerrow
	CMPQ m+0(FP), $1
	JEQ  next1
	JMP  next
