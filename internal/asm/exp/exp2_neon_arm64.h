// dst_i = 2^(c·x_i), for both types; c in lane 0 of V27.

	EXP2_CONSTS
	MOVD  $0, last

loop:
	SUBS    $(4*LANES), left
	BLT     tail
	FLDPQ.P 32(src), (F0, F1)
	FLDPQ.P 32(src), (F2, F3)

core:
	// y = c·x
	FMUL_E(0, 0, 27, 0)
	FMUL_E(1, 1, 27, 0)
	FMUL_E(2, 2, 27, 0)
	FMUL_E(3, 3, 27, 0)

#include "exp2quad_neon_arm64.h"

	CBNZ    last, store
	FSTPQ.P (F20, F21), 32(out)
	FSTPQ.P (F22, F23), 32(out)
	B       loop

tail:
	ADDS $(4*LANES), left, last
	BEQ  done

	// the last elements, then zeros
	ZERO4(V0, V1, V2, V3)
	LDTAIL4(src, F0, F1, F2, F3, V0, V1, V2, V3)
	B core

store:
	STTAIL4(out)

done:
	RET
