// y_j = y_j + Σ_r u_r K_rj, one FMA a row, r ascending, for the four rows at row,
// row + ld, row + 2 ld, row + 3 ld, from the last column to the first; K is float32
// and widened as it is loaded. u_r is in all lanes of Y(8+r). The columns of the short
// step are not in memory but in Y14 and Y15. c, whole and bytes count bytes of K.
//
// In:       row y ld ld3 whole bytes; Y8–Y11 u; Y14 Y15.
// Changes:  p c Y0–Y5 Y12–Y15.

	MOVQ row, p
	ADDQ whole, p
	CMPQ whole, bytes
	JEQ  axpy4whole

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
	JGE         axpy4whole
	LDTAIL(16(p), X13, X0, Y0)
	VFMADD231PD Y0, Y8, Y15
	LDTAIL(16(p)(ld*1), X13, X1, Y1)
	VFMADD231PD Y1, Y9, Y15
	LDTAIL(16(p)(ld*2), X13, X0, Y0)
	VFMADD231PD Y0, Y10, Y15
	LDTAIL(16(p)(ld3*1), X13, X1, Y1)
	VFMADD231PD Y1, Y11, Y15

axpy4whole:
	MOVQ  whole, c
	TESTQ c, c
	JEQ   axpy4done

axpy4loop:
	// y_j = fma(u_r, K_rj, y_j), eight columns
	SUBQ        $32, p
	SUBQ        $32, c
	VMOVUPD     (y)(c*2), Y0
	VMOVUPD     32(y)(c*2), Y1
	VCVTPS2PD   (p), Y2
	VCVTPS2PD   16(p), Y3
	VFMADD231PD Y2, Y8, Y0
	VFMADD231PD Y3, Y8, Y1
	VCVTPS2PD   (p)(ld*1), Y4
	VCVTPS2PD   16(p)(ld*1), Y5
	VFMADD231PD Y4, Y9, Y0
	VFMADD231PD Y5, Y9, Y1
	VCVTPS2PD   (p)(ld*2), Y2
	VCVTPS2PD   16(p)(ld*2), Y3
	VFMADD231PD Y2, Y10, Y0
	VFMADD231PD Y3, Y10, Y1
	VCVTPS2PD   (p)(ld3*1), Y4
	VCVTPS2PD   16(p)(ld3*1), Y5
	VFMADD231PD Y4, Y11, Y0
	VFMADD231PD Y5, Y11, Y1
	VMOVUPD     Y0, (y)(c*2)
	VMOVUPD     Y1, 32(y)(c*2)
	TESTQ       c, c
	JNE         axpy4loop

axpy4done:
