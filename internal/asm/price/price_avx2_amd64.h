// The functions least and relax for the type that the including file defines.

// func least(n int, x *lanes, c *T, u float64, v *float64)
TEXT LEAST(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), count
	MOVQ x+8(FP), xp
	MOVQ c+16(FP), cp
	VBROADCASTSD u+24(FP), Y12
	MOVQ v+32(FP), vp
	MOVQ $0x7ff0000000000000, AX // +Inf
	VMOVQ AX, X0
	VBROADCASTSD X0, Y2
	VMOVAPD Y2, Y3
	VMOVAPD Y2, Y4
	VMOVAPD Y2, Y5
	MOVQ $0x3ff0000000000000, AX // 1
	VMOVQ AX, X0
	VBROADCASTSD X0, Y11
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	VXORPD Y10, Y10, Y10
	XORL at, at

loop:
	reduce(0)
	keep(Y2, Y6)
	reduce(4)
	keep(Y3, Y7)
	reduce(8)
	keep(Y4, Y8)
	reduce(12)
	keep(Y5, Y9)
	VADDPD Y11, Y10, Y10
	ADDQ $16, at
	CMPQ at, count
	JLT loop

#include "price_avx2_fold_amd64.h"
	VZEROUPPER
	RET

// func relax(n int, x *lanes, c *T, u float64, v, d *float64)
TEXT RELAX(SB), NOSPLIT, $0-48
	MOVQ n+0(FP), count
	MOVQ x+8(FP), xp
	MOVQ c+16(FP), cp
	VBROADCASTSD u+24(FP), Y12
	MOVQ v+32(FP), vp
	MOVQ d+40(FP), dp
	MOVQ $0x7ff0000000000000, AX // +Inf
	VMOVQ AX, X0
	VBROADCASTSD X0, Y2
	VMOVAPD Y2, Y3
	VMOVAPD Y2, Y4
	VMOVAPD Y2, Y5
	MOVQ $0x3ff0000000000000, AX // 1
	VMOVQ AX, X0
	VBROADCASTSD X0, Y11
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	VXORPD Y10, Y10, Y10
	XORL at, at

loop:
	reduce(0)
	lower(0)
	keep(Y2, Y6)
	reduce(4)
	lower(4)
	keep(Y3, Y7)
	reduce(8)
	lower(8)
	keep(Y4, Y8)
	reduce(12)
	lower(12)
	keep(Y5, Y9)
	VADDPD Y11, Y10, Y10
	ADDQ $16, at
	CMPQ at, count
	JLT loop

#include "price_avx2_fold_amd64.h"
	VZEROUPPER
	RET
