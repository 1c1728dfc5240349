// Y0 = (s0, …, s7) with s_r = Σ_j K_rj x_j in the lanes of the contract, for the
// eight rows at row, row + ld, …, row + 7 ld.
//
// In:       row x ld ld3 whole bytes; mask for bytes > whole.
// Out:      row at the short step, c = whole.
// Changes:  row4 Z0–Z9. Row r has its lanes in Z(r).

	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	LEAQ   (row)(ld*4), row4
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot8tail

dot8loop:
	// lane[r] = fma(K_rj, x_j, lane[r]), 16 columns
	VMOVUPS     (x)(c*1), Z8
	VFMADD231PS (row), Z8, Z0
	VFMADD231PS (row)(ld*1), Z8, Z1
	VFMADD231PS (row)(ld*2), Z8, Z2
	VFMADD231PS (row)(ld3*1), Z8, Z3
	VFMADD231PS (row4), Z8, Z4
	VFMADD231PS (row4)(ld*1), Z8, Z5
	VFMADD231PS (row4)(ld*2), Z8, Z6
	VFMADD231PS (row4)(ld3*1), Z8, Z7
	ADDQ        $64, row
	ADDQ        $64, row4
	ADDQ        $64, c
	CMPQ        c, whole
	JLT         dot8loop

dot8tail:
	CMPQ c, bytes
	JEQ  dot8fold

	// the short step, padded with zeros
	VMOVUPS.Z   (x)(c*1), mask, Z8
	VMOVUPS.Z   (row), mask, Z9
	VFMADD231PS Z9, Z8, Z0
	VMOVUPS.Z   (row)(ld*1), mask, Z9
	VFMADD231PS Z9, Z8, Z1
	VMOVUPS.Z   (row)(ld*2), mask, Z9
	VFMADD231PS Z9, Z8, Z2
	VMOVUPS.Z   (row)(ld3*1), mask, Z9
	VFMADD231PS Z9, Z8, Z3
	VMOVUPS.Z   (row4), mask, Z9
	VFMADD231PS Z9, Z8, Z4
	VMOVUPS.Z   (row4)(ld*1), mask, Z9
	VFMADD231PS Z9, Z8, Z5
	VMOVUPS.Z   (row4)(ld*2), mask, Z9
	VFMADD231PS Z9, Z8, Z6
	VMOVUPS.Z   (row4)(ld3*1), mask, Z9
	VFMADD231PS Z9, Z8, Z7

dot8fold:
	// upper half of the lanes to the lower: rows 0 2, 4 6, 1 3, 5 7
	VSHUFF64X2 $0x44, Z2, Z0, Z8
	VSHUFF64X2 $0xee, Z2, Z0, Z0
	VADDPS     Z8, Z0, Z0
	VSHUFF64X2 $0x44, Z6, Z4, Z8
	VSHUFF64X2 $0xee, Z6, Z4, Z4
	VADDPS     Z8, Z4, Z4
	VSHUFF64X2 $0x44, Z3, Z1, Z8
	VSHUFF64X2 $0xee, Z3, Z1, Z1
	VADDPS     Z8, Z1, Z1
	VSHUFF64X2 $0x44, Z7, Z5, Z8
	VSHUFF64X2 $0xee, Z7, Z5, Z5
	VADDPS     Z8, Z5, Z5

	// upper quarter of what is left: rows 0 2 4 6, 1 3 5 7
	VSHUFF64X2 $0x88, Z4, Z0, Z8
	VSHUFF64X2 $0xdd, Z4, Z0, Z0
	VADDPS     Z8, Z0, Z0
	VSHUFF64X2 $0x88, Z5, Z1, Z8
	VSHUFF64X2 $0xdd, Z5, Z1, Z1
	VADDPS     Z8, Z1, Z1

	// lanes 0 1 += lanes 2 3, rows in order
	VUNPCKLPD Z1, Z0, Z8
	VUNPCKHPD Z1, Z0, Z0
	VADDPS    Z8, Z0, Z0

	// lane 0 += lane 1, the even elements
	VMOVSHDUP Z0, Z8
	VADDPS    Z8, Z0, Z0
	VPMOVQD   Z0, Y0
