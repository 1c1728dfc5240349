// y_j = y_j + u K_j, one FMA, for the row at row; K is float32 and widened as it is
// loaded. u is in all lanes of Y8. The columns of the short step are not in memory
// but in Y14 and Y15. c, whole and bytes count bytes of K.
//
// In:       row y whole bytes; Y8 u; Y14 Y15.
// Changes:  p c Y0–Y3 Y12–Y15.

	XORL c, c
	CMPQ whole, $0
	JEQ  axpy1tail

axpy1loop:
	// y_j = fma(u, K_j, y_j), eight columns
	VMOVUPD     (y)(c*2), Y0
	VMOVUPD     32(y)(c*2), Y1
	VCVTPS2PD   (row)(c*1), Y2
	VCVTPS2PD   16(row)(c*1), Y3
	VFMADD231PD Y2, Y8, Y0
	VFMADD231PD Y3, Y8, Y1
	VMOVUPD     Y0, (y)(c*2)
	VMOVUPD     Y1, 32(y)(c*2)
	ADDQ        $32, c
	CMPQ        c, whole
	JLT         axpy1loop

axpy1tail:
	CMPQ c, bytes
	JEQ  axpy1done

	// the short step
	TAILMASKSK(p, X12, X13)
	LDTAIL((row)(c*1), X12, X0, Y0)
	LDTAIL(16(row)(c*1), X13, X1, Y1)
	VFMADD231PD Y0, Y8, Y14
	VFMADD231PD Y1, Y8, Y15

axpy1done:
