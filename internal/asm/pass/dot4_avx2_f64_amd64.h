// Y0 = (s0, s1, s2, s3) with s_r = Σ_j K_rj x_j in the lanes of the contract, for
// the four rows at row, row + ld, row + 2 ld, row + 3 ld.
//
// In:       row x ld ld3 whole bytes.
// Changes:  p c Y0–Y13. Row r has its lanes 0–3 in Y(2r), 4–7 in Y(2r+1).
// Labels:   at dot4tail, row and c are whole bytes on and Y0–Y7 have the lanes.

	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot4tail

dot4loop:
	// lane[r] = fma(K_rj, x_j, lane[r]), eight columns
	VMOVUPD     (x)(c*1), Y8
	VMOVUPD     32(x)(c*1), Y9
	VFMADD231PD (row), Y8, Y0
	VFMADD231PD 32(row), Y9, Y1
	VFMADD231PD (row)(ld*1), Y8, Y2
	VFMADD231PD 32(row)(ld*1), Y9, Y3
	VFMADD231PD (row)(ld*2), Y8, Y4
	VFMADD231PD 32(row)(ld*2), Y9, Y5
	VFMADD231PD (row)(ld3*1), Y8, Y6
	VFMADD231PD 32(row)(ld3*1), Y9, Y7
	ADDQ        $64, row
	ADDQ        $64, c
	CMPQ        c, whole
	JLT         dot4loop

dot4tail:
	CMPQ c, bytes
	JEQ  dot4fold

	// the short step, padded with zeros
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPD  (x)(c*1), Y12, Y8
	VMASKMOVPD  (row), Y12, Y9
	VMASKMOVPD  (row)(ld*1), Y12, Y10
	VMASKMOVPD  (row)(ld*2), Y12, Y11
	VMASKMOVPD  (row)(ld3*1), Y12, Y12
	VFMADD231PD Y9, Y8, Y0
	VFMADD231PD Y10, Y8, Y2
	VFMADD231PD Y11, Y8, Y4
	VFMADD231PD Y12, Y8, Y6
	LEAQ        32(c), p
	CMPQ        p, bytes
	JGE         dot4half
	VMASKMOVPD  32(x)(c*1), Y13, Y8
	VMASKMOVPD  32(row), Y13, Y9
	VMASKMOVPD  32(row)(ld*1), Y13, Y10
	VMASKMOVPD  32(row)(ld*2), Y13, Y11
	VMASKMOVPD  32(row)(ld3*1), Y13, Y12
	VFMADD231PD Y9, Y8, Y1
	VFMADD231PD Y10, Y8, Y3
	VFMADD231PD Y11, Y8, Y5
	VFMADD231PD Y12, Y8, Y7
	JMP         dot4fold

dot4half:
	// the upper half of it is padding only
	VXORPD Y8, Y8, Y8
	VADDPD Y8, Y1, Y1
	VADDPD Y8, Y3, Y3
	VADDPD Y8, Y5, Y5
	VADDPD Y8, Y7, Y7

dot4fold:
	SUBQ whole, row

	// lane l += lane l+4, each row in a register
	VADDPD Y1, Y0, Y0
	VADDPD Y3, Y2, Y2
	VADDPD Y5, Y4, Y4
	VADDPD Y7, Y6, Y6

	// lane l += lane l+2: rows 0 and 2 in Y0, rows 1 and 3 in Y2
	VPERM2F128 $0x20, Y4, Y0, Y1
	VPERM2F128 $0x31, Y4, Y0, Y0
	VPERM2F128 $0x20, Y6, Y2, Y3
	VPERM2F128 $0x31, Y6, Y2, Y2
	VADDPD     Y0, Y1, Y0
	VADDPD     Y2, Y3, Y2

	// lane 0 += lane 1, rows in order
	VUNPCKLPD Y2, Y0, Y1
	VUNPCKHPD Y2, Y0, Y0
	VADDPD    Y0, Y1, Y0
