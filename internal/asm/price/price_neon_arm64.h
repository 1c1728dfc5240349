// The functions least and relax for the type that the including file defines.

// func least(n int, x *lanes, c *T, u float64, v *float64)
TEXT LEAST(SB), NOSPLIT, $0-40
	MOVD  n+0(FP), left
	MOVD  x+8(FP), xp
	MOVD  c+16(FP), cp
	FMOVD u+24(FP), F8
	VDUP  V8.D[0], V8.D2
	MOVD  v+32(FP), vp
	MOVD  $0x7ff0000000000000, bits // +Inf
	VDUP  bits, V16.D2
	VDUP  bits, V17.D2
	VDUP  bits, V18.D2
	VDUP  bits, V19.D2
	VDUP  bits, V20.D2
	VDUP  bits, V21.D2
	VDUP  bits, V22.D2
	VDUP  bits, V23.D2
	VEOR  V9.B16, V9.B16, V9.B16
	VEOR  V24.B16, V24.B16, V24.B16
	VEOR  V25.B16, V25.B16, V25.B16
	VEOR  V26.B16, V26.B16, V26.B16
	VEOR  V27.B16, V27.B16, V27.B16
	VEOR  V28.B16, V28.B16, V28.B16
	VEOR  V29.B16, V29.B16, V29.B16
	VEOR  V30.B16, V30.B16, V30.B16
	VEOR  V31.B16, V31.B16, V31.B16
	MOVD  $0x3ff0000000000000, bits // 1
	VDUP  bits, V10.D2

loop:
	reduce
	keep(16, 0)
	keepBlocks(24)
	reduce
	keep(20, 0)
	keepBlocks(28)
	FADD(9, 9, 10)
	SUBS $16, left
	BNE  loop

#include "price_neon_fold_arm64.h"
	RET

// func relax(n int, x *lanes, c *T, u float64, v, d *float64)
TEXT RELAX(SB), NOSPLIT, $0-48
	MOVD  n+0(FP), left
	MOVD  x+8(FP), xp
	MOVD  c+16(FP), cp
	FMOVD u+24(FP), F8
	VDUP  V8.D[0], V8.D2
	MOVD  v+32(FP), vp
	MOVD  d+40(FP), dp
	MOVD  $0x7ff0000000000000, bits // +Inf
	VDUP  bits, V16.D2
	VDUP  bits, V17.D2
	VDUP  bits, V18.D2
	VDUP  bits, V19.D2
	VDUP  bits, V20.D2
	VDUP  bits, V21.D2
	VDUP  bits, V22.D2
	VDUP  bits, V23.D2
	VEOR  V9.B16, V9.B16, V9.B16
	VEOR  V24.B16, V24.B16, V24.B16
	VEOR  V25.B16, V25.B16, V25.B16
	VEOR  V26.B16, V26.B16, V26.B16
	VEOR  V27.B16, V27.B16, V27.B16
	VEOR  V28.B16, V28.B16, V28.B16
	VEOR  V29.B16, V29.B16, V29.B16
	VEOR  V30.B16, V30.B16, V30.B16
	VEOR  V31.B16, V31.B16, V31.B16
	MOVD  $0x3ff0000000000000, bits // 1
	VDUP  bits, V10.D2

loop:
	reduce
	lower
	FSTPQ (F14, F15), 32(dp)
	FSTPQ.P (F12, F13), 64(dp)
	keep(16, 12)
	keepBlocks(24)
	reduce
	lower
	FSTPQ (F14, F15), 32(dp)
	FSTPQ.P (F12, F13), 64(dp)
	keep(20, 12)
	keepBlocks(28)
	FADD(9, 9, 10)
	SUBS $16, left
	BNE  loop

#include "price_neon_fold_arm64.h"
	RET
