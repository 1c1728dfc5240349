// y_j = y_j + Σ_r u_r K_rj, as axpy4 does it, for the four rows at p,
// and the lanes of the row sums, as in dot4, of the four rows at row. The rows at p are
// taken from the last column to the first: they were read in the other direction a
// moment ago, and their end is still in the first-level cache. K is float32 and
// widened as it is loaded; c, whole and bytes count bytes of K.
//
// In:       p row x y ld ld3 whole bytes; Y8–Y11 u; Y14 Y15 the short step of y.
// Changes:  p c row Y0–Y15; goes to dot4tail.

	ADDQ whole, p
	CMPQ whole, bytes
	JEQ  both4whole

	// the short step, and its upper half if there is one
	TAILMASKSK(c, X12, X13)
	LDTAIL((p), X12, X0, Y0)
	VFMADD231PD Y0, Y8, Y14
	LDTAIL((p)(ld*1), X12, X1, Y1)
	VFMADD231PD Y1, Y9, Y14
	LDTAIL((p)(ld*2), X12, X0, Y0)
	VFMADD231PD Y0, Y10, Y14
	LDTAIL((p)(ld3*1), X12, X1, Y1)
	VFMADD231PD Y1, Y11, Y14
	LEAQ        16(whole), c
	CMPQ        c, bytes
	JGE         both4whole
	LDTAIL(16(p), X13, X0, Y0)
	VFMADD231PD Y0, Y8, Y15
	LDTAIL(16(p)(ld*1), X13, X1, Y1)
	VFMADD231PD Y1, Y9, Y15
	LDTAIL(16(p)(ld*2), X13, X0, Y0)
	VFMADD231PD Y0, Y10, Y15
	LDTAIL(16(p)(ld3*1), X13, X1, Y1)
	VFMADD231PD Y1, Y11, Y15

both4whole:
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
	LEAQ   (y)(whole*2), y

both4loop:
	// y_j = fma(u_r, K_rj, y_j) and lane[r] = fma(K_rj, x_j, lane[r]), eight columns
	SUBQ        $32, p
	SUBQ        $64, y
	VMOVUPD     (x)(c*2), Y12
	VCVTPS2PD   (row), Y13
	VFMADD231PD Y13, Y12, Y0
	VCVTPS2PD   (row)(ld*1), Y13
	VFMADD231PD Y13, Y12, Y2
	VCVTPS2PD   (row)(ld*2), Y13
	VFMADD231PD Y13, Y12, Y4
	VCVTPS2PD   (row)(ld3*1), Y13
	VFMADD231PD Y13, Y12, Y6
	VMOVUPD     (y), Y13
	VCVTPS2PD   (p), Y12
	VFMADD231PD Y12, Y8, Y13
	VCVTPS2PD   (p)(ld*1), Y12
	VFMADD231PD Y12, Y9, Y13
	VCVTPS2PD   (p)(ld*2), Y12
	VFMADD231PD Y12, Y10, Y13
	VCVTPS2PD   (p)(ld3*1), Y12
	VFMADD231PD Y12, Y11, Y13
	VMOVUPD     Y13, (y)
	VMOVUPD     32(x)(c*2), Y12
	VCVTPS2PD   16(row), Y13
	VFMADD231PD Y13, Y12, Y1
	VCVTPS2PD   16(row)(ld*1), Y13
	VFMADD231PD Y13, Y12, Y3
	VCVTPS2PD   16(row)(ld*2), Y13
	VFMADD231PD Y13, Y12, Y5
	VCVTPS2PD   16(row)(ld3*1), Y13
	VFMADD231PD Y13, Y12, Y7
	VMOVUPD     32(y), Y13
	VCVTPS2PD   16(p), Y12
	VFMADD231PD Y12, Y8, Y13
	VCVTPS2PD   16(p)(ld*1), Y12
	VFMADD231PD Y12, Y9, Y13
	VCVTPS2PD   16(p)(ld*2), Y12
	VFMADD231PD Y12, Y10, Y13
	VCVTPS2PD   16(p)(ld3*1), Y12
	VFMADD231PD Y12, Y11, Y13
	VMOVUPD     Y13, 32(y)
	ADDQ        $32, row
	ADDQ        $32, c
	CMPQ        c, whole
	JLT         both4loop
	JMP         dot4tail
