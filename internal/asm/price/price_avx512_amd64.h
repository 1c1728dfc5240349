// The functions least and relax for the type that the including file defines.

// func least(n int, x *lanes, c *T, u float64, v *float64)
TEXT LEAST(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), count
	MOVQ x+8(FP), xp
	MOVQ c+16(FP), cp
	VBROADCASTSD u+24(FP), Z8
	MOVQ v+32(FP), vp
	MOVQ $0x7ff0000000000000, AX // +Inf
	VMOVQ AX, X0
	VBROADCASTSD X0, Z2
	VMOVAPD Z2, Z3
	MOVQ $0x3ff0000000000000, AX // 1
	VMOVQ AX, X0
	VBROADCASTSD X0, Z7
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	XORL at, at

loop:
	reduce(0)
	keep(Z2, Z4)
	reduce(8)
	keep(Z3, Z5)
	VADDPD Z7, Z6, Z6
	ADDQ $16, at
	CMPQ at, count
	JLT loop

#include "price_avx512_fold_amd64.h"
	VZEROUPPER
	RET

// func relax(n int, x *lanes, c *T, u float64, v, d *float64)
TEXT RELAX(SB), NOSPLIT, $0-48
	MOVQ n+0(FP), count
	MOVQ x+8(FP), xp
	MOVQ c+16(FP), cp
	VBROADCASTSD u+24(FP), Z8
	MOVQ v+32(FP), vp
	MOVQ d+40(FP), dp
	MOVQ $0x7ff0000000000000, AX // +Inf
	VMOVQ AX, X0
	VBROADCASTSD X0, Z2
	VMOVAPD Z2, Z3
	MOVQ $0x3ff0000000000000, AX // 1
	VMOVQ AX, X0
	VBROADCASTSD X0, Z7
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	XORL at, at

loop:
	reduce(0)
	lower(0)
	keep(Z2, Z4)
	reduce(8)
	lower(8)
	keep(Z3, Z5)
	VADDPD Z7, Z6, Z6
	ADDQ $16, at
	CMPQ at, count
	JLT loop

#include "price_avx512_fold_amd64.h"
	VZEROUPPER
	RET
