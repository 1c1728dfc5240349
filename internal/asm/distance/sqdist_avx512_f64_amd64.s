// sqdist, float64, AVX-512 F.
//
//	dst[i*ldd+j] = Σ_k (x[i*ldx+k] − zt[k*ldz+j])²      0≤i<m  0≤j<n  0≤k<d
//
// Same bits as    sqdistRef in ref.go: k ascending, one FMA per term.
// Layout          x m×d row-major; zt d×n; dst m×n; strides in elements. m, n, d ≥ 1.
// Tile            8 rows × 24 columns: Z0–Z23 sums, Z24–Z26 zt, Z27–Z29 differences; x
//                 enters the subtraction by embedded broadcast. The last columns of a
//                 row of tiles take 8 × 16 or 8 × 8, the last m mod 8 rows 1 × 24.
// Tail            columns: opmasks K1–K3 on the vectors of a tile. No access outside the
//                 slices.
// Special values  follow the arithmetic; the difference is taken as zt − x, which has
//                 the same square.
// Registers       BX x of the tile · SI DI rows 0 and 4 of it at k · R8 ldx · R9 3 ldx ·
//                 R10 zt at k · R11 ldz · DX row of dst · R12 rows left · R13 columns
//                 left · AX k left, scratch · CX scratch.
// Source          own; tile shape from shared prototypes (dist/gentile.py).

//go:build amd64 && !purego

#include "textflag.h"

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

// colmask sets bit j of k for the columns j < min(cols, 24) of the tile, and
// colmask3 hands the bits to the three vectors.
#define colmask \
	MOVL    $24, tmp;  \
	CMPQ    tmp, cols; \
	CMOVQGT cols, tmp; \
	MOVL    $1, k;     \
	SHLQ    CX, k;     \
	DECQ    k

#define colmask3 \
	KMOVW k, K1; \
	SHRQ  $8, k; \
	KMOVW k, K2; \
	SHRQ  $8, k; \
	KMOVW k, K3

// column sets p to the tile's first column of the row at base.
#define column(base, p) \
	MOVQ n+8(FP), tmp;    \
	SUBQ cols, tmp;       \
	LEAQ (base)(tmp*8), p

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

// load3 and store3 move one row of a tile and go on to the next.
#define load3(a, b, c) \
	VMOVUPD.Z (k), K1, a;    \
	VMOVUPD.Z 64(k), K2, b;  \
	VMOVUPD.Z 128(k), K3, c; \
	LEAQ      (k)(tmp*8), k

#define store3(a, b, c) \
	VMOVUPD a, K1, (k);    \
	VMOVUPD b, K2, 64(k);  \
	VMOVUPD c, K3, 128(k); \
	LEAQ    (k)(tmp*8), k

// step goes to the next k; a branch on its flags follows.
#define step \
	ADDQ $8, xp; \
	ADDQ $8, xq; \
	ADDQ lz, zp; \
	DECQ k

// func sqdistAVX512F64(m, n, d int, dst *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, add bool)
TEXT ·sqdistAVX512F64(SB), NOSPLIT, $0-73
	MOVQ m+0(FP), rows
	MOVQ dst+24(FP), dtile
	MOVQ x+40(FP), xtile
	MOVQ ldx+48(FP), lx
	MOVQ ldz+64(FP), lz
	SHLQ $3, lx
	SHLQ $3, lz
	LEAQ (lx)(lx*2), lx3

rowloop:
	SUBQ $8, rows
	JLT  rowtail
	MOVQ n+8(FP), cols

colloop:
	colmask
	colmask3
	CMPB add+72(FP), $0
	JNE  load

	// sums = 0
	zero3(Z0, Z1, Z2)
	zero3(Z3, Z4, Z5)
	zero3(Z6, Z7, Z8)
	zero3(Z9, Z10, Z11)
	zero3(Z12, Z13, Z14)
	zero3(Z15, Z16, Z17)
	zero3(Z18, Z19, Z20)
	zero3(Z21, Z22, Z23)
	JMP begin

load:
	// sums = dst
	column(dtile, k)
	MOVQ ldd+32(FP), tmp
	load3(Z0, Z1, Z2)
	load3(Z3, Z4, Z5)
	load3(Z6, Z7, Z8)
	load3(Z9, Z10, Z11)
	load3(Z12, Z13, Z14)
	load3(Z15, Z16, Z17)
	load3(Z18, Z19, Z20)
	load3(Z21, Z22, Z23)

begin:
	MOVQ zt+56(FP), zp
	column(zp, zp)
	MOVQ xtile, xp
	LEAQ (xtile)(lx*4), xq
	MOVQ d+16(FP), k
	CMPQ cols, $16
	JGT  kloop3
	CMPQ cols, $8
	JGT  kloop2

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
	JMP       store

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
	JMP       store

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

store:
	// dst = sums
	column(dtile, k)
	MOVQ ldd+32(FP), tmp
	store3(Z0, Z1, Z2)
	store3(Z3, Z4, Z5)
	store3(Z6, Z7, Z8)
	store3(Z9, Z10, Z11)
	store3(Z12, Z13, Z14)
	store3(Z15, Z16, Z17)
	store3(Z18, Z19, Z20)
	store3(Z21, Z22, Z23)
	SUBQ $24, cols
	JGT  colloop

	// x += 8 ldx, dst += 8 ldd
	LEAQ (xtile)(lx*8), xtile
	MOVQ ldd+32(FP), tmp
	SHLQ $(3+3), tmp
	ADDQ tmp, dtile
	JMP  rowloop

rowtail:
	ADDQ $8, rows
	JEQ  done

row1loop:
	MOVQ n+8(FP), cols

col1loop:
	// sums = 0 or dst, 1 × 24
	colmask
	colmask3
	zero3(Z0, Z1, Z2)
	CMPB add+72(FP), $0
	JEQ  begin1
	column(dtile, k)
	load3(Z0, Z1, Z2)

begin1:
	MOVQ zt+56(FP), zp
	column(zp, zp)
	MOVQ xtile, xp
	MOVQ d+16(FP), k

k1loop:
	// sums += (z − x)²
	VMOVUPD.Z (zp), K1, z0
	VMOVUPD.Z 64(zp), K2, z1
	VMOVUPD.Z 128(zp), K3, z2
	term3((xp), Z0, Z1, Z2)
	step
	JNE       k1loop
	column(dtile, k)
	store3(Z0, Z1, Z2)
	SUBQ      $24, cols
	JGT       col1loop

	// x += ldx, dst += ldd
	ADDQ lx, xtile
	MOVQ ldd+32(FP), tmp
	LEAQ (dtile)(tmp*8), dtile
	DECQ rows
	JNE  row1loop

done:
	VZEROUPPER
	RET
