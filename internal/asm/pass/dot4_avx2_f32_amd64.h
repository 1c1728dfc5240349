// X0 = (s0, s1, s2, s3) with s_r = Σ_j K_rj x_j in the lanes of the contract, for
// the four rows at row, row + ld, row + 2 ld, row + 3 ld.
//
// In:       row x ld ld3 whole bytes.
// Changes:  p c Y0–Y13. Row r has its lanes 0–7 in Y(2r), 8–15 in Y(2r+1).
// Labels:   at dot4tail, row and c are whole bytes on and Y0–Y7 have the lanes.

	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot4tail

dot4loop:
	// lane[r] = fma(K_rj, x_j, lane[r]), sixteen columns
	VMOVUPS     (x)(c*1), Y8
	VMOVUPS     32(x)(c*1), Y9
	VFMADD231PS (row), Y8, Y0
	VFMADD231PS 32(row), Y9, Y1
	VFMADD231PS (row)(ld*1), Y8, Y2
	VFMADD231PS 32(row)(ld*1), Y9, Y3
	VFMADD231PS (row)(ld*2), Y8, Y4
	VFMADD231PS 32(row)(ld*2), Y9, Y5
	VFMADD231PS (row)(ld3*1), Y8, Y6
	VFMADD231PS 32(row)(ld3*1), Y9, Y7
	ADDQ        $64, row
	ADDQ        $64, c
	CMPQ        c, whole
	JLT         dot4loop

dot4tail:
	CMPQ c, bytes
	JEQ  dot4fold

	// the short step, padded with zeros
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPS  (x)(c*1), Y12, Y8
	VMASKMOVPS  (row), Y12, Y9
	VMASKMOVPS  (row)(ld*1), Y12, Y10
	VMASKMOVPS  (row)(ld*2), Y12, Y11
	VMASKMOVPS  (row)(ld3*1), Y12, Y12
	VFMADD231PS Y9, Y8, Y0
	VFMADD231PS Y10, Y8, Y2
	VFMADD231PS Y11, Y8, Y4
	VFMADD231PS Y12, Y8, Y6
	LEAQ        32(c), p
	CMPQ        p, bytes
	JGE         dot4half
	VMASKMOVPS  32(x)(c*1), Y13, Y8
	VMASKMOVPS  32(row), Y13, Y9
	VMASKMOVPS  32(row)(ld*1), Y13, Y10
	VMASKMOVPS  32(row)(ld*2), Y13, Y11
	VMASKMOVPS  32(row)(ld3*1), Y13, Y12
	VFMADD231PS Y9, Y8, Y1
	VFMADD231PS Y10, Y8, Y3
	VFMADD231PS Y11, Y8, Y5
	VFMADD231PS Y12, Y8, Y7
	JMP         dot4fold

dot4half:
	// the upper half of it is padding only
	VXORPS Y8, Y8, Y8
	VADDPS Y8, Y1, Y1
	VADDPS Y8, Y3, Y3
	VADDPS Y8, Y5, Y5
	VADDPS Y8, Y7, Y7

dot4fold:
	SUBQ whole, row

	// lane l += lane l+8, each row in a register
	VADDPS Y1, Y0, Y0
	VADDPS Y3, Y2, Y2
	VADDPS Y5, Y4, Y4
	VADDPS Y7, Y6, Y6

	// lane l += lane l+4: rows 0 and 2 in Y0, rows 1 and 3 in Y2
	VPERM2F128 $0x20, Y4, Y0, Y1
	VPERM2F128 $0x31, Y4, Y0, Y0
	VPERM2F128 $0x20, Y6, Y2, Y3
	VPERM2F128 $0x31, Y6, Y2, Y2
	VADDPS     Y0, Y1, Y0
	VADDPS     Y2, Y3, Y2

	// lane l += lane l+2: rows 0 and 1 in the lower half, 2 and 3 in the upper
	VSHUFPS $0x44, Y2, Y0, Y1
	VSHUFPS $0xee, Y2, Y0, Y0
	VADDPS  Y0, Y1, Y0

	// lane 0 += lane 1, rows in order
	VEXTRACTF128 $1, Y0, X1
	VSHUFPS      $0x88, X1, X0, X2
	VSHUFPS      $0xdd, X1, X0, X0
	VADDPS       X0, X2, X0
