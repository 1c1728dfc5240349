// The kernel of gibbs: D_ij = Σ_k (x_ik − z_kj)² for a block of rows, then K_ij = 2^(c·D_ij) for the same rows. The
// distances are stored in K if the argument dist is nil.

	MOVD k+24(FP), kp
	CBNZ dp, start
	MOVD kp, dp
	MOVD ldk+32(FP), lddb

start:
#define GIBBS
#define adding ZR // the sums begin with +0
#include "sqeuclidean_neon_arm64.h"
#undef adding
#undef GIBBS

	// K_ij = 2^(c·D_ij), one row at a time
	EXP2_CONSTS
	FMOVE c+88(FP), F27
	MOVD ldk+32(FP), ldkb
	LSL $ESHIFT, ldkb

exprow:
	MOVD dp, src
	MOVD kp, out
	MOVD cols, left
	MOVD $0, last

exploop:
	SUBS    $(4*LANES), left
	BLT     exptail
	FLDPQ.P 32(src), (F0, F1)
	FLDPQ.P 32(src), (F2, F3)

expcore:
	// y = c·D_ij
	FMUL_E(0, 0, 27, 0)
	FMUL_E(1, 1, 27, 0)
	FMUL_E(2, 2, 27, 0)
	FMUL_E(3, 3, 27, 0)

	EXP2_QUAD

	CBNZ    last, expstore
	FSTPQ.P (F20, F21), 32(out)
	FSTPQ.P (F22, F23), 32(out)
	B       exploop

exptail:
	ADDS $(4*LANES), left, last
	BEQ  expnext

	// load the last elements; the other lanes are zero
	ZERO4(V0, V1, V2, V3)
	LDTAIL4(src, F0, F1, F2, F3, V0, V1, V2, V3)
	B expcore

expstore:
	STTAIL4(out)

expnext:
	ADD  lddb, dp
	ADD  ldkb, kp
	SUB  $1, rows
	SUBS $1, step
	BNE  exprow
	CBNZ rows, rowloop
	RET
