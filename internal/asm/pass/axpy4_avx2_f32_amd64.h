// y_j = y_j + Σ_r u_r K_rj, one FMA a row, r ascending, for the four rows at row,
// row + ld, row + 2 ld, row + 3 ld, from the last column to the first. u_r is in all
// lanes of Y(8+r). The columns of the short step are not in memory but in Y14 and
// Y15.
//
// In:       row y ld ld3 whole bytes; Y8–Y11 u; Y14 Y15.
// Changes:  p c Y0 Y1 Y12–Y15.

	MOVQ row, p
	ADDQ whole, p
	CMPQ whole, bytes
	JEQ  axpy4whole

	// the short step, and its upper half if there is one
	TAILMASKS(c, Y12, Y13)
	VMASKMOVPS  (p), Y12, Y0
	VFMADD231PS Y0, Y8, Y14
	VMASKMOVPS  (p)(ld*1), Y12, Y1
	VFMADD231PS Y1, Y9, Y14
	VMASKMOVPS  (p)(ld*2), Y12, Y0
	VFMADD231PS Y0, Y10, Y14
	VMASKMOVPS  (p)(ld3*1), Y12, Y1
	VFMADD231PS Y1, Y11, Y14
	LEAQ        32(whole), c
	CMPQ        c, bytes
	JGE         axpy4whole
	VMASKMOVPS  32(p), Y13, Y0
	VFMADD231PS Y0, Y8, Y15
	VMASKMOVPS  32(p)(ld*1), Y13, Y1
	VFMADD231PS Y1, Y9, Y15
	VMASKMOVPS  32(p)(ld*2), Y13, Y0
	VFMADD231PS Y0, Y10, Y15
	VMASKMOVPS  32(p)(ld3*1), Y13, Y1
	VFMADD231PS Y1, Y11, Y15

axpy4whole:
	MOVQ  whole, c
	TESTQ c, c
	JEQ   axpy4done

axpy4loop:
	// y_j = fma(u_r, K_rj, y_j), sixteen columns
	SUBQ        $64, p
	SUBQ        $64, c
	VMOVUPS     (y)(c*1), Y0
	VMOVUPS     32(y)(c*1), Y1
	VFMADD231PS (p), Y8, Y0
	VFMADD231PS 32(p), Y8, Y1
	VFMADD231PS (p)(ld*1), Y9, Y0
	VFMADD231PS 32(p)(ld*1), Y9, Y1
	VFMADD231PS (p)(ld*2), Y10, Y0
	VFMADD231PS 32(p)(ld*2), Y10, Y1
	VFMADD231PS (p)(ld3*1), Y11, Y0
	VFMADD231PS 32(p)(ld3*1), Y11, Y1
	VMOVUPS     Y0, (y)(c*1)
	VMOVUPS     Y1, 32(y)(c*1)
	TESTQ       c, c
	JNE         axpy4loop

axpy4done:
