// Y0 = (s0, s1, s2, s3) with s_r = Σ_j K_rj x_j in the lanes of the contract, for
// the four rows at row, row + ld, row + 2 ld, row + 3 ld.
// K is float32 and widened as it is loaded; c, whole and bytes count bytes of K.
//
// In:       row x ld ld3 whole bytes; mask for bytes > whole.
// Out:      row at the short step, c = whole.
// Changes:  Z0–Z3 Z8–Z12. Row r has its lanes in Z(r).

	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot4tail

dot4loop:
	// lane[r] = fma(K_rj, x_j, lane[r]), 8 columns
	VMOVUPD     (x)(c*2), Z8
	VCVTPS2PD   (row), Z9
	VFMADD231PD Z9, Z8, Z0
	VCVTPS2PD   (row)(ld*1), Z10
	VFMADD231PD Z10, Z8, Z1
	VCVTPS2PD   (row)(ld*2), Z11
	VFMADD231PD Z11, Z8, Z2
	VCVTPS2PD   (row)(ld3*1), Z12
	VFMADD231PD Z12, Z8, Z3
	ADDQ        $32, row
	ADDQ        $32, c
	CMPQ        c, whole
	JLT         dot4loop

dot4tail:
	CMPQ c, bytes
	JEQ  dot4fold

	// the short step, padded with zeros
	VMOVUPD.Z   (x)(c*2), mask, Z8
	VCVTPS2PD.Z (row), mask, Z9
	VFMADD231PD Z9, Z8, Z0
	VCVTPS2PD.Z (row)(ld*1), mask, Z9
	VFMADD231PD Z9, Z8, Z1
	VCVTPS2PD.Z (row)(ld*2), mask, Z9
	VFMADD231PD Z9, Z8, Z2
	VCVTPS2PD.Z (row)(ld3*1), mask, Z9
	VFMADD231PD Z9, Z8, Z3

dot4fold:
	// upper half of the lanes to the lower: rows 0 2, 1 3
	VSHUFF64X2 $0x44, Z2, Z0, Z8
	VSHUFF64X2 $0xee, Z2, Z0, Z0
	VADDPD     Z8, Z0, Z0
	VSHUFF64X2 $0x44, Z3, Z1, Z8
	VSHUFF64X2 $0xee, Z3, Z1, Z1
	VADDPD     Z8, Z1, Z1

	// upper quarter of what is left: rows 0 2 1 3
	VSHUFF64X2 $0x88, Z1, Z0, Z8
	VSHUFF64X2 $0xdd, Z1, Z0, Z0
	VADDPD     Z8, Z0, Z0

	// lane 0 += lane 1, rows in order
	VEXTRACTF64X4 $1, Z0, Y1
	VUNPCKLPD     Y1, Y0, Y8
	VUNPCKHPD     Y1, Y0, Y0
	VADDPD        Y8, Y0, Y0
