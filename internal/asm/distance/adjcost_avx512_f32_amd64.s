// adjcost, float32, AVX-512 F.
//
//	dst[i*ldg+j] = k[i*ldk+j] (h − λ k̄)      h = u[i] v[j]      0≤i<m  0≤j<n
//	k̄ = Σ_q a[i*lda+q] b[q*ldb+j] + h mat[i*ldm+j]      0≤q<r
//
// Same bits as    adjcostRef in ref.go: q ascending, one FMA per term, then mat's; −λ k̄ + h
//                 in one FMA.
// Layout          dst k mat m×n, a m×r, b r×n row-major, strides in elements; u m, v n;
//                 dst may be mat. m, n ≥ 1, r ≥ 0; a and b are not read if r = 0.
// Tile            8 rows × 48 columns: Z0–Z23 k̄, Z24–Z26 b, then v; a enters the FMA by
//                 embedded broadcast. The last columns of a row of tiles take 8 × 32 or
//                 8 × 16, the last m mod 8 rows 1 × 48.
// Tail            columns: opmasks K1–K3 on the vectors of a tile. No access outside the
//                 slices.
// Special values  follow the arithmetic.
// Registers       BX a of the tile · SI DI rows 0 and 4 of it at q · R8 lda · R9 3 lda ·
//                 R10 b at q · R11 ldb · AX terms left; then SI k · DI mat · R10 dst · AX ldk
//                 · CX ldm · R11 ldg. DX u · R12 rows left · R13 columns left · CX scratch ·
//                 Z27 u · Z28 h · Z31 λ. The rows' starts are kept in the arguments, strides
//                 there in bytes.
// Source          own; the loop over q as in a matrix product after BLIS.

//go:build amd64 && !purego

#include "textflag.h"

#define terms AX
#define lk AX
#define atile BX
#define tmp CX
#define lm CX
#define ui DX
#define ap SI
#define kp SI
#define aq DI
#define mp DI
#define la R8
#define la3 R9
#define bp R10
#define gp R10
#define lb R11
#define lg R11
#define rows R12
#define cols R13
#define b0 Z24
#define b1 Z25
#define b2 Z26
#define h Z28
#define lambdas Z31

// colmask sets bit j of AX for the columns j < min(cols, 48) of the tile, and
// colmask3 hands the bits to the three vectors.
#define colmask \
	MOVL    $48, tmp;  \
	CMPQ    tmp, cols; \
	CMOVQGT cols, tmp; \
	MOVL    $1, AX;    \
	SHLQ    CX, AX;    \
	DECQ    AX

#define colmask3 \
	KMOVW AX, K1;  \
	SHRQ  $16, AX; \
	KMOVW AX, K2;  \
	SHRQ  $16, AX; \
	KMOVW AX, K3

#define zero3(s0, s1, s2) \
	VPXORQ s0, s0, s0; \
	VPXORQ s1, s1, s1; \
	VPXORQ s2, s2, s2

// term1, term2 and term3 add a_iq b_qj to the sums of one row of a tile.
#define term1(a, s0) \
	VFMADD231PS.BCST a, b0, s0

#define term2(a, s0, s1) \
	VFMADD231PS.BCST a, b0, s0; \
	VFMADD231PS.BCST a, b1, s1

#define term3(a, s0, s1, s2) \
	VFMADD231PS.BCST a, b0, s0; \
	VFMADD231PS.BCST a, b1, s1; \
	VFMADD231PS.BCST a, b2, s2

// step goes to the next q; a branch on its flags follows.
#define step \
	ADDQ $4, ap; \
	ADDQ $4, aq; \
	ADDQ lb, bp; \
	DECQ terms

// finish makes the vector of dst at byte d from v and its sum: h = u v,
// k̄ = h mat + sum, dst = k (h − λ k̄).
#define finish(d, v, mask, sum) \
	VMULPS       v, Z27, h;           \
	VFMADD231PS  d(mp), h, mask, sum; \
	VFNMADD231PS sum, lambdas, h;     \
	VMULPS.Z     d(kp), h, mask, h;   \
	VMOVUPS      h, mask, d(gp)

#define nextrow \
	ADDQ lk, kp; \
	ADDQ lm, mp; \
	ADDQ lg, gp

// func adjcostAVX512F32(m, n, r int, dst *float32, ldg int, k *float32, ldk int, mat *float32, ldm int, a *float32, lda int, b *float32, ldb int, u, v *float32, lambda float32)
TEXT ·adjcostAVX512F32(SB), NOSPLIT, $0-124
	MOVQ         m+0(FP), rows
	MOVQ         a+72(FP), atile
	MOVQ         lda+80(FP), la
	MOVQ         u+104(FP), ui
	VBROADCASTSS lambda+120(FP), lambdas
	SHLQ         $2, la
	LEAQ         (la)(la*2), la3
	SHLQ         $2, ldg+32(FP)
	SHLQ         $2, ldk+48(FP)
	SHLQ         $2, ldm+64(FP)
	SHLQ         $2, ldb+96(FP)

rowloop:
	SUBQ $8, rows
	JLT  rowtail
	MOVQ n+8(FP), cols

colloop:
	// k̄ = 0
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
	MOVQ  n+8(FP), tmp
	SUBQ  cols, tmp
	MOVQ  b+88(FP), bp
	LEAQ  (bp)(tmp*4), bp
	MOVQ  ldb+96(FP), lb
	MOVQ  atile, ap
	LEAQ  (atile)(la*4), aq
	MOVQ  r+16(FP), terms
	TESTQ terms, terms
	JEQ   finishtile
	CMPQ  cols, $32
	JGT   qloop3
	CMPQ  cols, $16
	JGT   qloop2

qloop1:
	// k̄ += a_iq b_qj, 8 × 16
	VMOVUPS.Z (bp), K1, b0
	term1((ap), Z0)
	term1((ap)(la*1), Z3)
	term1((ap)(la*2), Z6)
	term1((ap)(la3*1), Z9)
	term1((aq), Z12)
	term1((aq)(la*1), Z15)
	term1((aq)(la*2), Z18)
	term1((aq)(la3*1), Z21)
	step
	JNE       qloop1
	JMP       finishtile

qloop2:
	// k̄ += a_iq b_qj, 8 × 32
	VMOVUPS   (bp), b0
	VMOVUPS.Z 64(bp), K2, b1
	term2((ap), Z0, Z1)
	term2((ap)(la*1), Z3, Z4)
	term2((ap)(la*2), Z6, Z7)
	term2((ap)(la3*1), Z9, Z10)
	term2((aq), Z12, Z13)
	term2((aq)(la*1), Z15, Z16)
	term2((aq)(la*2), Z18, Z19)
	term2((aq)(la3*1), Z21, Z22)
	step
	JNE       qloop2
	JMP       finishtile

qloop3:
	// k̄ += a_iq b_qj, 8 × 48
	VMOVUPS   (bp), b0
	VMOVUPS   64(bp), b1
	VMOVUPS.Z 128(bp), K3, b2
	term3((ap), Z0, Z1, Z2)
	term3((ap)(la*1), Z3, Z4, Z5)
	term3((ap)(la*2), Z6, Z7, Z8)
	term3((ap)(la3*1), Z9, Z10, Z11)
	term3((aq), Z12, Z13, Z14)
	term3((aq)(la*1), Z15, Z16, Z17)
	term3((aq)(la*2), Z18, Z19, Z20)
	term3((aq)(la3*1), Z21, Z22, Z23)
	step
	JNE       qloop3

finishtile:
	// v of the tile's columns; the tile's places in k, mat and dst
	MOVQ      n+8(FP), tmp
	SUBQ      cols, tmp
	SHLQ      $2, tmp
	MOVQ      v+112(FP), AX
	VMOVUPS.Z (AX)(tmp*1), K1, Z24
	VMOVUPS.Z 64(AX)(tmp*1), K2, Z25
	VMOVUPS.Z 128(AX)(tmp*1), K3, Z26
	MOVQ      k+40(FP), kp
	MOVQ      mat+56(FP), mp
	MOVQ      dst+24(FP), gp
	ADDQ      tmp, kp
	ADDQ      tmp, mp
	ADDQ      tmp, gp
	MOVQ      ldk+48(FP), lk
	MOVQ      ldm+64(FP), lm
	MOVQ      ldg+32(FP), lg

	// dst = k (h − λ k̄), row by row
	VBROADCASTSS (ui), Z27
	finish(0, Z24, K1, Z0)
	finish(64, Z25, K2, Z1)
	finish(128, Z26, K3, Z2)
	nextrow
	VBROADCASTSS (1*4)(ui), Z27
	finish(0, Z24, K1, Z3)
	finish(64, Z25, K2, Z4)
	finish(128, Z26, K3, Z5)
	nextrow
	VBROADCASTSS (2*4)(ui), Z27
	finish(0, Z24, K1, Z6)
	finish(64, Z25, K2, Z7)
	finish(128, Z26, K3, Z8)
	nextrow
	VBROADCASTSS (3*4)(ui), Z27
	finish(0, Z24, K1, Z9)
	finish(64, Z25, K2, Z10)
	finish(128, Z26, K3, Z11)
	nextrow
	VBROADCASTSS (4*4)(ui), Z27
	finish(0, Z24, K1, Z12)
	finish(64, Z25, K2, Z13)
	finish(128, Z26, K3, Z14)
	nextrow
	VBROADCASTSS (5*4)(ui), Z27
	finish(0, Z24, K1, Z15)
	finish(64, Z25, K2, Z16)
	finish(128, Z26, K3, Z17)
	nextrow
	VBROADCASTSS (6*4)(ui), Z27
	finish(0, Z24, K1, Z18)
	finish(64, Z25, K2, Z19)
	finish(128, Z26, K3, Z20)
	nextrow
	VBROADCASTSS (7*4)(ui), Z27
	finish(0, Z24, K1, Z21)
	finish(64, Z25, K2, Z22)
	finish(128, Z26, K3, Z23)

	SUBQ $48, cols
	JGT  colloop

	// 8 rows on
	LEAQ (atile)(la*8), atile
	ADDQ $(8*4), ui
	SHLQ $3, lk
	SHLQ $3, lm
	SHLQ $3, lg
	ADDQ lk, k+40(FP)
	ADDQ lm, mat+56(FP)
	ADDQ lg, dst+24(FP)
	JMP  rowloop

rowtail:
	ADDQ $8, rows
	JEQ  done

row1loop:
	MOVQ n+8(FP), cols

col1loop:
	// k̄ = 0, 1 × 48
	colmask
	colmask3
	zero3(Z0, Z1, Z2)
	MOVQ  n+8(FP), tmp
	SUBQ  cols, tmp
	MOVQ  b+88(FP), bp
	LEAQ  (bp)(tmp*4), bp
	MOVQ  ldb+96(FP), lb
	MOVQ  atile, ap
	MOVQ  r+16(FP), terms
	TESTQ terms, terms
	JEQ   finish1

q1loop:
	// k̄ += a_iq b_qj
	VMOVUPS.Z (bp), K1, b0
	VMOVUPS.Z 64(bp), K2, b1
	VMOVUPS.Z 128(bp), K3, b2
	term3((ap), Z0, Z1, Z2)
	step
	JNE       q1loop

finish1:
	MOVQ         n+8(FP), tmp
	SUBQ         cols, tmp
	SHLQ         $2, tmp
	MOVQ         v+112(FP), AX
	VMOVUPS.Z    (AX)(tmp*1), K1, Z24
	VMOVUPS.Z    64(AX)(tmp*1), K2, Z25
	VMOVUPS.Z    128(AX)(tmp*1), K3, Z26
	MOVQ         k+40(FP), kp
	MOVQ         mat+56(FP), mp
	MOVQ         dst+24(FP), gp
	ADDQ         tmp, kp
	ADDQ         tmp, mp
	ADDQ         tmp, gp
	VBROADCASTSS (ui), Z27
	finish(0, Z24, K1, Z0)
	finish(64, Z25, K2, Z1)
	finish(128, Z26, K3, Z2)
	SUBQ         $48, cols
	JGT          col1loop

	// one row on
	ADDQ la, atile
	ADDQ $4, ui
	MOVQ ldk+48(FP), lk
	MOVQ ldm+64(FP), lm
	MOVQ ldg+32(FP), lg
	ADDQ lk, k+40(FP)
	ADDQ lm, mat+56(FP)
	ADDQ lg, dst+24(FP)
	DECQ rows
	JNE  row1loop

done:
	VZEROUPPER
	RET
