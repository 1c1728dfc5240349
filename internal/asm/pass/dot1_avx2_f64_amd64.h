// X0[0] = Σ_j K_j x_j in the lanes of the contract, for the row at row.
//
// In:       row x whole bytes.
// Changes:  p c Y0–Y3 Y12 Y13. Lanes 0–3 in Y0, 4–7 in Y1.

	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot1tail

dot1loop:
	// lane = fma(K_j, x_j, lane), eight columns
	VMOVUPD     (x)(c*1), Y2
	VMOVUPD     32(x)(c*1), Y3
	VFMADD231PD (row)(c*1), Y2, Y0
	VFMADD231PD 32(row)(c*1), Y3, Y1
	ADDQ        $64, c
	CMPQ        c, whole
	JLT         dot1loop

dot1tail:
	CMPQ c, bytes
	JEQ  dot1fold

	// the short step, padded with zeros
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPD  (x)(c*1), Y12, Y2
	VMASKMOVPD  (row)(c*1), Y12, Y3
	VFMADD231PD Y3, Y2, Y0
	VMASKMOVPD  32(x)(c*1), Y13, Y2
	VMASKMOVPD  32(row)(c*1), Y13, Y3
	VFMADD231PD Y3, Y2, Y1

dot1fold:
	// lane l += lane l+4, l+2, l+1
	VADDPD       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD       X1, X0, X0
	VUNPCKHPD    X0, X0, X1
	VADDSD       X1, X0, X0
