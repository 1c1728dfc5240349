// This kernel processes three vectors and two rows at a time. The including file defines:
//
//	MANY         the function name
//	args         the byte count of the arguments
//	size         the byte count of an element of x
//	SCALESTART   loads the pointer to the scales
//	SCALENEXT    advances the pointer to the scales of the next two rows
//	ELEMENTS     loads eight elements of a row
//	TERMS        adds the terms of eight elements of a vector and two rows to the lanes

// func many(n, d int, dst *float32, ldd int, q *float32, x *T, ahead, step int) or
// func many(n, d int, dst *float32, ldd int, q *float32, x *T, ahead, step int, scale *float32)
TEXT MANY(SB), NOSPLIT, $0-args
	MOVQ n+0(FP), rows
	MOVQ d+8(FP), left
	MOVQ dst+16(FP), dp
	MOVQ ldd+24(FP), rowd
	MOVQ q+32(FP), q0
	MOVQ x+40(FP), xp
	SCALESTART
	SHLQ $2, rowd
	LEAQ (left*size), ld
	LEAQ (left*4), ldq
	MOVQ ahead+48(FP), fetched
	ADDQ xp, fetched
	MOVQ step+56(FP), every

rowloop:
	MOVQ   q0, qp
	MOVQ   d+8(FP), left
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	VXORPS Y8, Y8, Y8
	VXORPS Y9, Y9, Y9
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11

grouploop:
	// lanes 0 … 7
	ELEMENTS((xp), (sp), Y12)
	ELEMENTS((xp)(ld*1), 4(sp), Y13)
	TERMS((qp), Y0, Y1)
	TERMS((qp)(ldq*1), Y4, Y5)
	TERMS((qp)(ldq*2), Y8, Y9)

	// lanes 8 … 15
	ELEMENTS(half(xp), (sp), Y12)
	ELEMENTS(half(xp)(ld*1), 4(sp), Y13)
	TERMS(32(qp), Y2, Y3)
	TERMS(32(qp)(ldq*1), Y6, Y7)
	TERMS(32(qp)(ldq*2), Y10, Y11)
	PREFETCHT1 (fetched)
	ADDQ       every, fetched
	ADDQ       $(16*size), xp
	ADDQ       $64, qp
	SUBQ       $16, left
	JNE        grouploop

	// lane l + lane l+8
	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	VADDPS Y6, Y4, Y4
	VADDPS Y7, Y5, Y5
	VADDPS Y10, Y8, Y8
	VADDPS Y11, Y9, Y9

	// lane l + lane l+4: row 0 of vectors 0 and 1, row 1 of vectors 0 and 1, rows 0 and 1 of vector 2
	VPERM2F128 $0x20, Y4, Y0, Y12
	VPERM2F128 $0x31, Y4, Y0, Y13
	VADDPS     Y13, Y12, Y0
	VPERM2F128 $0x20, Y5, Y1, Y12
	VPERM2F128 $0x31, Y5, Y1, Y13
	VADDPS     Y13, Y12, Y1
	VPERM2F128 $0x20, Y9, Y8, Y12
	VPERM2F128 $0x31, Y9, Y8, Y13
	VADDPS     Y13, Y12, Y8

	// lane l + lane l+2, then lane 0 + lane 1
	VUNPCKLPD    Y1, Y0, Y12
	VUNPCKHPD    Y1, Y0, Y13
	VADDPS       Y13, Y12, Y0
	VEXTRACTF128 $1, Y8, X9
	VUNPCKLPD    X9, X8, X12
	VUNPCKHPD    X9, X8, X13
	VADDPS       X13, X12, X8
	VEXTRACTF128 $1, Y0, X1
	VSHUFPS      $0x88, X1, X0, X12
	VSHUFPS      $0xdd, X1, X0, X13
	VADDPS       X13, X12, X0
	VSHUFPS      $0x88, X8, X8, X12
	VSHUFPS      $0xdd, X8, X8, X13
	VADDPS       X13, X12, X8
	VMOVQ        X0, (dp)
	VMOVHPD      X0, (dp)(rowd*1)
	VMOVQ        X8, (dp)(rowd*2)
	ADDQ         $8, dp
	ADDQ         ld, xp
	SCALENEXT
	SUBQ $2, rows
	JNE  rowloop

	VZEROUPPER
	RET
