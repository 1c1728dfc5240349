// X0[0] = Σ_j K_j x_j in the lanes of the contract, for the row at row.
//
// In:       row x whole bytes.
// Changes:  p c Y0–Y3 Y12 Y13. Lanes 0–7 in Y0, 8–15 in Y1.

	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot1tail

dot1loop:
	// lane = fma(K_j, x_j, lane), sixteen columns
	VMOVUPS     (x)(c*1), Y2
	VMOVUPS     32(x)(c*1), Y3
	VFMADD231PS (row)(c*1), Y2, Y0
	VFMADD231PS 32(row)(c*1), Y3, Y1
	ADDQ        $64, c
	CMPQ        c, whole
	JLT         dot1loop

dot1tail:
	CMPQ c, bytes
	JEQ  dot1fold

	// the short step, padded with zeros
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPS  (x)(c*1), Y12, Y2
	VMASKMOVPS  (row)(c*1), Y12, Y3
	VFMADD231PS Y3, Y2, Y0
	VMASKMOVPS  32(x)(c*1), Y13, Y2
	VMASKMOVPS  32(row)(c*1), Y13, Y3
	VFMADD231PS Y3, Y2, Y1

dot1fold:
	// lane l += lane l+8, l+4, l+2, l+1
	VADDPS       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VUNPCKHPD    X0, X0, X1
	VADDPS       X1, X0, X0
	VMOVSHDUP    X0, X1
	VADDSS       X1, X0, X0
