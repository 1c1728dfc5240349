// X0 = Σ_j K_j x_j in the lanes of the contract, for the row at row.
// K is float32 and widened as it is loaded; c, whole and bytes count bytes of K.
//
// In:       row x whole bytes; mask for bytes > whole.
// Out:      c = whole.
// Changes:  Z0 Z8–Z12.

	VPXORQ Z0, Z0, Z0
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot1tail

dot1loop:
	// lane = fma(K_j, x_j, lane), 8 columns
	VMOVUPD     (x)(c*2), Z8
	VCVTPS2PD   (row)(c*1), Z9
	VFMADD231PD Z9, Z8, Z0
	ADDQ        $32, c
	CMPQ        c, whole
	JLT         dot1loop

dot1tail:
	CMPQ c, bytes
	JEQ  dot1fold

	// the short step, padded with zeros
	VMOVUPD.Z   (x)(c*2), mask, Z8
	VCVTPS2PD.Z (row)(c*1), mask, Z9
	VFMADD231PD Z9, Z8, Z0

dot1fold:
	// lanes fold in halves
	VEXTRACTF64X4 $1, Z0, Y8
	VADDPD        Y8, Y0, Y0
	VEXTRACTF128  $1, Y0, X8
	VADDPD        X8, X0, X0
	VPERMILPD     $1, X0, X8
	VADDSD        X8, X0, X0
