// Y0 = (s0, s1, s2, s3) with s_r = Σ_j K_rj x_j in the lanes of the contract, for
// the four rows at row, row + ld, row + 2 ld, row + 3 ld; K is float32 and widened
// as it is loaded. c, whole and bytes count bytes of K.
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
	VMOVUPD     (x)(c*2), Y8
	VMOVUPD     32(x)(c*2), Y9
	VCVTPS2PD   (row), Y10
	VCVTPS2PD   16(row), Y11
	VFMADD231PD Y10, Y8, Y0
	VFMADD231PD Y11, Y9, Y1
	VCVTPS2PD   (row)(ld*1), Y12
	VCVTPS2PD   16(row)(ld*1), Y13
	VFMADD231PD Y12, Y8, Y2
	VFMADD231PD Y13, Y9, Y3
	VCVTPS2PD   (row)(ld*2), Y10
	VCVTPS2PD   16(row)(ld*2), Y11
	VFMADD231PD Y10, Y8, Y4
	VFMADD231PD Y11, Y9, Y5
	VCVTPS2PD   (row)(ld3*1), Y12
	VCVTPS2PD   16(row)(ld3*1), Y13
	VFMADD231PD Y12, Y8, Y6
	VFMADD231PD Y13, Y9, Y7
	ADDQ        $32, row
	ADDQ        $32, c
	CMPQ        c, whole
	JLT         dot4loop

dot4tail:
	CMPQ c, bytes
	JEQ  dot4fold

	// the short step, padded with zeros
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPD  (x)(c*2), Y12, Y8
	VMASKMOVPD  32(x)(c*2), Y13, Y9
	TAILMASKSK(p, X12, X13)
	LDTAIL((row), X12, X10, Y10)
	VFMADD231PD Y10, Y8, Y0
	LDTAIL((row)(ld*1), X12, X11, Y11)
	VFMADD231PD Y11, Y8, Y2
	LDTAIL((row)(ld*2), X12, X10, Y10)
	VFMADD231PD Y10, Y8, Y4
	LDTAIL((row)(ld3*1), X12, X11, Y11)
	VFMADD231PD Y11, Y8, Y6
	LEAQ        16(c), p
	CMPQ        p, bytes
	JGE         dot4half
	LDTAIL(16(row), X13, X10, Y10)
	VFMADD231PD Y10, Y9, Y1
	LDTAIL(16(row)(ld*1), X13, X11, Y11)
	VFMADD231PD Y11, Y9, Y3
	LDTAIL(16(row)(ld*2), X13, X10, Y10)
	VFMADD231PD Y10, Y9, Y5
	LDTAIL(16(row)(ld3*1), X13, X11, Y11)
	VFMADD231PD Y11, Y9, Y7
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
