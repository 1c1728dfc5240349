// project, float64, AVX-512 F and VL.
//
//	c[i*ldc+j] = c[i*ldc+j] or 0 + Σ_k a[i*ra+k*ka]·b[k*ldb+j]      0≤i<rows  0≤j<cols  0≤k<depth
//
// Same bits as    mulRef and transMulRef in ref.go: k ascending, one FMA per term.
// Layout          b depth×cols and c rows×cols row-major; a has a stride for either
//                 index, so that one tile serves x·b (ra = ldx, ka = 1) and yᵀ·x (ra = 1,
//                 ka = ldy). rows, cols, depth ≥ 1.
// Tile            8 rows × 24 columns: Z0–Z23 sums, Z24–Z26 b; a enters the FMA by
//                 embedded broadcast. The last columns take tiles of 8 × 16 or 8 × 8,
//                 their last vector a half one (Y) where that is enough; the last rows
//                 4, 2 and 1 × 24. All rows of a group of columns before the next one.
// Tail            columns: opmasks K1–K3 on the vectors of a tile. No access outside the
//                 slices.
// Special values  follow the arithmetic.
// Registers       BX a of the tile · SI DI rows 0 and 4 of it at k · R8 ra · R9 3 ra · R13 ka
//                 · R10 b at k · R11 ldb · DX c of the tile · R12 rows left · AX k left,
//                 scratch · CX scratch. The group's start in b and c and the columns left
//                 are kept in the arguments.
// Source          own; zmm and ymm in one tile after shared prototypes (project/ts.cc).

//go:build amd64 && !purego

#include "textflag.h"

#define k AX
#define atile BX
#define tmp CX
#define ctile DX
#define ap SI
#define aq DI
#define la R8
#define la3 R9
#define bp R10
#define lb R11
#define rowsleft R12
#define kab R13
#define b0 Z24
#define b1 Z25
#define b2 Z26

#define zero3(s0, s1, s2) \
	VPXORQ s0, s0, s0; \
	VPXORQ s1, s1, s1; \
	VPXORQ s2, s2, s2

// term1, term2 and term3 add a_ik b_kj to the sums of one row of a tile; with h the
// last vector is a half one.
#define term1(a, s0) \
	VFMADD231PD.BCST a, b0, s0

#define term1h(a, h0) \
	VFMADD231PD.BCST a, Y24, h0

#define term2(a, s0, s1) \
	VFMADD231PD.BCST a, b0, s0; \
	VFMADD231PD.BCST a, b1, s1

#define term2h(a, s0, h1) \
	VFMADD231PD.BCST a, b0, s0; \
	VFMADD231PD.BCST a, Y25, h1

#define term3(a, s0, s1, s2) \
	VFMADD231PD.BCST a, b0, s0; \
	VFMADD231PD.BCST a, b1, s1; \
	VFMADD231PD.BCST a, b2, s2

#define term3h(a, s0, s1, h2) \
	VFMADD231PD.BCST a, b0, s0; \
	VFMADD231PD.BCST a, b1, s1; \
	VFMADD231PD.BCST a, Y26, h2

// load3 and store3 move one row of a tile and go on to the next.
#define load3(s0, s1, s2) \
	VMOVUPD.Z (k), K1, s0;    \
	VMOVUPD.Z 64(k), K2, s1;  \
	VMOVUPD.Z 128(k), K3, s2; \
	LEAQ      (k)(tmp*8), k

#define store3(s0, s1, s2) \
	VMOVUPD s0, K1, (ctile);      \
	VMOVUPD s1, K2, 64(ctile);    \
	VMOVUPD s2, K3, 128(ctile);   \
	LEAQ    (ctile)(tmp*8), ctile

// step goes to the next k; a branch on its flags follows.
#define step \
	ADDQ kab, ap; \
	ADDQ kab, aq; \
	ADDQ lb, bp;  \
	DECQ k

// func productAVX512F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, add bool)
TEXT ·productAVX512F64(SB), NOSPLIT, $0-81
	MOVQ ra+48(FP), la
	MOVQ ka+56(FP), kab
	MOVQ ldb+72(FP), lb
	SHLQ $3, la
	SHLQ $3, kab
	SHLQ $3, lb
	LEAQ (la)(la*2), la3

colloop:
	// the masks of the group's min(cols, 24) columns
	MOVL    $24, tmp
	CMPQ    tmp, cols+8(FP)
	CMOVQGT cols+8(FP), tmp
	MOVL    $1, AX
	SHLQ    CX, AX
	DECQ    AX
	KMOVW   AX, K1
	SHRQ    $8, AX
	KMOVW   AX, K2
	SHRQ    $8, AX
	KMOVW   AX, K3

	MOVQ rows+0(FP), rowsleft
	MOVQ a+40(FP), atile
	MOVQ c+24(FP), ctile

rowloop:
	SUBQ $8, rowsleft
	JLT  row4

	// sums = 0, or what c holds
	zero3(Z0, Z1, Z2)
	zero3(Z3, Z4, Z5)
	zero3(Z6, Z7, Z8)
	zero3(Z9, Z10, Z11)
	zero3(Z12, Z13, Z14)
	zero3(Z15, Z16, Z17)
	zero3(Z18, Z19, Z20)
	zero3(Z21, Z22, Z23)
	CMPB add+80(FP), $0
	JEQ  begin8
	MOVQ ctile, k
	MOVQ ldc+32(FP), tmp
	load3(Z0, Z1, Z2)
	load3(Z3, Z4, Z5)
	load3(Z6, Z7, Z8)
	load3(Z9, Z10, Z11)
	load3(Z12, Z13, Z14)
	load3(Z15, Z16, Z17)
	load3(Z18, Z19, Z20)
	load3(Z21, Z22, Z23)

begin8:
	MOVQ atile, ap
	LEAQ (atile)(la*4), aq
	MOVQ b+64(FP), bp
	MOVQ depth+16(FP), k

	// the tile that is as wide as the group
	MOVQ cols+8(FP), tmp
	CMPQ tmp, $20
	JGT  kloop3
	CMPQ tmp, $16
	JGT  kloop3h
	CMPQ tmp, $12
	JGT  kloop2
	CMPQ tmp, $8
	JGT  kloop2h
	CMPQ tmp, $4
	JGT  kloop1

kloop1h:
	// sums += a_ik b_kj, 8 × 8, the last vector a half one
	VMOVUPD.Z (bp), K1, Y24
	term1h((ap), Y0)
	term1h((ap)(la*1), Y3)
	term1h((ap)(la*2), Y6)
	term1h((ap)(la3*1), Y9)
	term1h((aq), Y12)
	term1h((aq)(la*1), Y15)
	term1h((aq)(la*2), Y18)
	term1h((aq)(la3*1), Y21)
	step
	JNE       kloop1h
	JMP       store

kloop1:
	// sums += a_ik b_kj, 8 × 8
	VMOVUPD.Z (bp), K1, b0
	term1((ap), Z0)
	term1((ap)(la*1), Z3)
	term1((ap)(la*2), Z6)
	term1((ap)(la3*1), Z9)
	term1((aq), Z12)
	term1((aq)(la*1), Z15)
	term1((aq)(la*2), Z18)
	term1((aq)(la3*1), Z21)
	step
	JNE       kloop1
	JMP       store

kloop2h:
	// sums += a_ik b_kj, 8 × 16, the last vector a half one
	VMOVUPD   (bp), b0
	VMOVUPD.Z 64(bp), K2, Y25
	term2h((ap), Z0, Y1)
	term2h((ap)(la*1), Z3, Y4)
	term2h((ap)(la*2), Z6, Y7)
	term2h((ap)(la3*1), Z9, Y10)
	term2h((aq), Z12, Y13)
	term2h((aq)(la*1), Z15, Y16)
	term2h((aq)(la*2), Z18, Y19)
	term2h((aq)(la3*1), Z21, Y22)
	step
	JNE       kloop2h
	JMP       store

kloop2:
	// sums += a_ik b_kj, 8 × 16
	VMOVUPD   (bp), b0
	VMOVUPD.Z 64(bp), K2, b1
	term2((ap), Z0, Z1)
	term2((ap)(la*1), Z3, Z4)
	term2((ap)(la*2), Z6, Z7)
	term2((ap)(la3*1), Z9, Z10)
	term2((aq), Z12, Z13)
	term2((aq)(la*1), Z15, Z16)
	term2((aq)(la*2), Z18, Z19)
	term2((aq)(la3*1), Z21, Z22)
	step
	JNE       kloop2
	JMP       store

kloop3h:
	// sums += a_ik b_kj, 8 × 24, the last vector a half one
	VMOVUPD   (bp), b0
	VMOVUPD   64(bp), b1
	VMOVUPD.Z 128(bp), K3, Y26
	term3h((ap), Z0, Z1, Y2)
	term3h((ap)(la*1), Z3, Z4, Y5)
	term3h((ap)(la*2), Z6, Z7, Y8)
	term3h((ap)(la3*1), Z9, Z10, Y11)
	term3h((aq), Z12, Z13, Y14)
	term3h((aq)(la*1), Z15, Z16, Y17)
	term3h((aq)(la*2), Z18, Z19, Y20)
	term3h((aq)(la3*1), Z21, Z22, Y23)
	step
	JNE       kloop3h
	JMP       store

kloop3:
	// sums += a_ik b_kj, 8 × 24
	VMOVUPD   (bp), b0
	VMOVUPD   64(bp), b1
	VMOVUPD.Z 128(bp), K3, b2
	term3((ap), Z0, Z1, Z2)
	term3((ap)(la*1), Z3, Z4, Z5)
	term3((ap)(la*2), Z6, Z7, Z8)
	term3((ap)(la3*1), Z9, Z10, Z11)
	term3((aq), Z12, Z13, Z14)
	term3((aq)(la*1), Z15, Z16, Z17)
	term3((aq)(la*2), Z18, Z19, Z20)
	term3((aq)(la3*1), Z21, Z22, Z23)
	step
	JNE       kloop3

store:
	MOVQ ldc+32(FP), tmp
	store3(Z0, Z1, Z2)
	store3(Z3, Z4, Z5)
	store3(Z6, Z7, Z8)
	store3(Z9, Z10, Z11)
	store3(Z12, Z13, Z14)
	store3(Z15, Z16, Z17)
	store3(Z18, Z19, Z20)
	store3(Z21, Z22, Z23)
	LEAQ (atile)(la*8), atile
	JMP  rowloop

row4:
	ADDQ $4, rowsleft
	JLT  row2

	// sums = 0, or what c holds
	zero3(Z0, Z1, Z2)
	zero3(Z3, Z4, Z5)
	zero3(Z6, Z7, Z8)
	zero3(Z9, Z10, Z11)
	CMPB add+80(FP), $0
	JEQ  begin4
	MOVQ ctile, k
	MOVQ ldc+32(FP), tmp
	load3(Z0, Z1, Z2)
	load3(Z3, Z4, Z5)
	load3(Z6, Z7, Z8)
	load3(Z9, Z10, Z11)

begin4:
	MOVQ atile, ap
	MOVQ b+64(FP), bp
	MOVQ depth+16(FP), k

k4loop:
	// sums += a_ik b_kj, 4 × 24
	VMOVUPD.Z (bp), K1, b0
	VMOVUPD.Z 64(bp), K2, b1
	VMOVUPD.Z 128(bp), K3, b2
	term3((ap), Z0, Z1, Z2)
	term3((ap)(la*1), Z3, Z4, Z5)
	term3((ap)(la*2), Z6, Z7, Z8)
	term3((ap)(la3*1), Z9, Z10, Z11)
	step
	JNE       k4loop
	MOVQ      ldc+32(FP), tmp
	store3(Z0, Z1, Z2)
	store3(Z3, Z4, Z5)
	store3(Z6, Z7, Z8)
	store3(Z9, Z10, Z11)
	LEAQ      (atile)(la*4), atile
	SUBQ      $4, rowsleft

row2:
	ADDQ $2, rowsleft
	JLT  row1

	// sums = 0, or what c holds
	zero3(Z0, Z1, Z2)
	zero3(Z3, Z4, Z5)
	CMPB add+80(FP), $0
	JEQ  begin2
	MOVQ ctile, k
	MOVQ ldc+32(FP), tmp
	load3(Z0, Z1, Z2)
	load3(Z3, Z4, Z5)

begin2:
	MOVQ atile, ap
	MOVQ b+64(FP), bp
	MOVQ depth+16(FP), k

k2loop:
	// sums += a_ik b_kj, 2 × 24
	VMOVUPD.Z (bp), K1, b0
	VMOVUPD.Z 64(bp), K2, b1
	VMOVUPD.Z 128(bp), K3, b2
	term3((ap), Z0, Z1, Z2)
	term3((ap)(la*1), Z3, Z4, Z5)
	step
	JNE       k2loop
	MOVQ      ldc+32(FP), tmp
	store3(Z0, Z1, Z2)
	store3(Z3, Z4, Z5)
	LEAQ      (atile)(la*2), atile
	SUBQ      $2, rowsleft

row1:
	ADDQ $1, rowsleft
	JLT  coldone

	// sums = 0, or what c holds
	zero3(Z0, Z1, Z2)
	CMPB add+80(FP), $0
	JEQ  begin1
	MOVQ ctile, k
	MOVQ ldc+32(FP), tmp
	load3(Z0, Z1, Z2)

begin1:
	MOVQ atile, ap
	MOVQ b+64(FP), bp
	MOVQ depth+16(FP), k

k1loop:
	// sums += a_ik b_kj, 1 × 24
	VMOVUPD.Z (bp), K1, b0
	VMOVUPD.Z 64(bp), K2, b1
	VMOVUPD.Z 128(bp), K3, b2
	term3((ap), Z0, Z1, Z2)
	step
	JNE       k1loop
	store3(Z0, Z1, Z2)

coldone:
	// the next group of columns
	ADDQ $192, b+64(FP)
	ADDQ $192, c+24(FP)
	SUBQ $24, cols+8(FP)
	JGT  colloop
	VZEROUPPER
	RET
