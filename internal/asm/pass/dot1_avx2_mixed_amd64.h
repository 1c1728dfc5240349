// X0[0] = Σ_j K_j x_j in the lanes of the contract, for the row at row; K is float32
// and widened as it is loaded. c, whole and bytes count bytes of K.
//
// In:       row x whole bytes.
// Changes:  p c Y0–Y5 Y12 Y13. Lanes 0–3 in Y0, 4–7 in Y1.

	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot1tail

dot1loop:
	// lane = fma(K_j, x_j, lane), eight columns
	VMOVUPD     (x)(c*2), Y2
	VMOVUPD     32(x)(c*2), Y3
	VCVTPS2PD   (row)(c*1), Y4
	VCVTPS2PD   16(row)(c*1), Y5
	VFMADD231PD Y4, Y2, Y0
	VFMADD231PD Y5, Y3, Y1
	ADDQ        $32, c
	CMPQ        c, whole
	JLT         dot1loop

dot1tail:
	CMPQ c, bytes
	JEQ  dot1fold

	// the short step, padded with zeros
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPD  (x)(c*2), Y12, Y2
	VMASKMOVPD  32(x)(c*2), Y13, Y3
	TAILMASKSK(p, X12, X13)
	LDTAIL((row)(c*1), X12, X4, Y4)
	LDTAIL(16(row)(c*1), X13, X5, Y5)
	VFMADD231PD Y4, Y2, Y0
	VFMADD231PD Y5, Y3, Y1

dot1fold:
	// lane l += lane l+4, l+2, l+1
	VADDPD       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD       X1, X0, X0
	VUNPCKHPD    X0, X0, X1
	VADDSD       X1, X0, X0
