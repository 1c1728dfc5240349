// X0 = Σ_j K_j x_j in the lanes of the contract, for the row at row.
//
// In:       row x whole bytes; mask for bytes > whole.
// Out:      c = whole.
// Changes:  Z0 Z8 Z9.

	VPXORQ Z0, Z0, Z0
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot1tail

dot1loop:
	// lane = fma(K_j, x_j, lane), 16 columns
	VMOVUPS     (x)(c*1), Z8
	VFMADD231PS (row)(c*1), Z8, Z0
	ADDQ        $64, c
	CMPQ        c, whole
	JLT         dot1loop

dot1tail:
	CMPQ c, bytes
	JEQ  dot1fold

	// the short step, padded with zeros
	VMOVUPS.Z   (x)(c*1), mask, Z8
	VMOVUPS.Z   (row)(c*1), mask, Z9
	VFMADD231PS Z9, Z8, Z0

dot1fold:
	// lanes fold in halves
	VEXTRACTF64X4 $1, Z0, Y8
	VADDPS        Y8, Y0, Y0
	VEXTRACTF128  $1, Y0, X8
	VADDPS        X8, X0, X0
	VPERMILPD     $1, X0, X8
	VADDPS        X8, X0, X0
	VMOVSHDUP     X0, X8
	VADDSS        X8, X0, X0
