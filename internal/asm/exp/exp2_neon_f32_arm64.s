// exp2, float32, NEON.
//
//	dst[i] = 2^(c·x[i])      0≤i<n
//
// Same bits as    ref32 in ref.go of y = c·x[i], rounded.
// Layout          x, dst n elements, contiguous; dst may be x. n ≥ 1.
// Tile            16 elements, four registers, in constant time.
// Tail            the same body; loads and stores of single lanes. No access outside the
//                 slices.
// Special values  zeros and infinities beyond the limits by mask; a NaN is one in q.
// Registers       R0 x · R1 dst · R2 elements left · R3 last, in the tail · R4 those to
//                 come · R5–R8 spare · R9 constants · R10 table · V0–V3 y ·
//                 V4–V15 see exp2quad · V20–V23 2^y · V24 V25 lookup (float32) · V27 c ·
//                 V28–V31 constants.
// Source          own; the core is exp2quad_neon_f32_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "neon_f32_arm64.h"
#include "exp2_neon_f32_arm64.h"

#define src R0
#define out R1
#define left R2
#define last R3
#define rest R4
#define spare R5
#define bit0 R6
#define bit1 R7
#define consts R9
#define table R10

// The next register of the tail, whole, in part or not at all.
#define LDTAIL(f, v) \
	LDANY(src, rest, f, v, spare); \
	ADD $16, src; \
	SUB $LANES, rest
#define STTAIL(f, v) \
	STANY(f, v, out, rest, spare); \
	ADD $16, out; \
	SUB $LANES, rest

// func exp2NEONF32(n int, dst, x *float32, c float32)
TEXT ·exp2NEONF32(SB), NOSPLIT, $0-28
	MOVD n+0(FP), left
	MOVD dst+8(FP), out
	MOVD x+16(FP), src
	FMOVS c+24(FP), F27
	EXP2_CONSTS
	MOVD $0, last

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

#include "exp2quad_neon_f32_arm64.h"

	CBNZ    last, store
	FSTPQ.P (F20, F21), 32(out)
	FSTPQ.P (F22, F23), 32(out)
	B       loop

tail:
	ADDS $(4*LANES), left, last
	BEQ  done

	// the last elements, then zeros
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	MOVD last, rest
	LDTAIL(F0, V0)
	LDTAIL(F1, V1)
	LDTAIL(F2, V2)
	LDTAIL(F3, V3)

	B core

store:
	MOVD last, rest
	STTAIL(F20, V20)
	STTAIL(F21, V21)
	STTAIL(F22, V22)
	STTAIL(F23, V23)

done:
	RET
