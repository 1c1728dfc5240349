// y_j = y_j + Σ_r u_r K_rj, one FMA a row, r ascending, for the eight rows at p,
// p + ld, …, row, row + ld, row + 2 ld, row + 3 ld, where row = p + 4 ld. u_r is in all
// lanes of Y(2+r). The columns of the short step are not in memory but in Y14 and Y15.
//
// In:       p row y ld ld3 whole bytes; Y2–Y9 u; Y14 Y15.
// Changes:  p row c Y0 Y1 Y10–Y15.

	XORL c, c
	CMPQ whole, $0
	JEQ  axpy8tail

axpy8loop:
	// y_j = fma(u_r, K_rj, y_j), sixteen columns
	VMOVUPS     (y)(c*1), Y0
	VMOVUPS     32(y)(c*1), Y1
	VFMADD231PS (p), Y2, Y0
	VFMADD231PS 32(p), Y2, Y1
	VFMADD231PS (p)(ld*1), Y3, Y0
	VFMADD231PS 32(p)(ld*1), Y3, Y1
	VFMADD231PS (p)(ld*2), Y4, Y0
	VFMADD231PS 32(p)(ld*2), Y4, Y1
	VFMADD231PS (p)(ld3*1), Y5, Y0
	VFMADD231PS 32(p)(ld3*1), Y5, Y1
	VFMADD231PS (row), Y6, Y0
	VFMADD231PS 32(row), Y6, Y1
	VFMADD231PS (row)(ld*1), Y7, Y0
	VFMADD231PS 32(row)(ld*1), Y7, Y1
	VFMADD231PS (row)(ld*2), Y8, Y0
	VFMADD231PS 32(row)(ld*2), Y8, Y1
	VFMADD231PS (row)(ld3*1), Y9, Y0
	VFMADD231PS 32(row)(ld3*1), Y9, Y1
	VMOVUPS     Y0, (y)(c*1)
	VMOVUPS     Y1, 32(y)(c*1)
	ADDQ        $64, p
	ADDQ        $64, row
	ADDQ        $64, c
	CMPQ        c, whole
	JLT         axpy8loop

axpy8tail:
	CMPQ c, bytes
	JEQ  axpy8done

	// the short step, and its upper half if there is one
	TAILMASKS(c, Y12, Y13)
	VMASKMOVPS  (p), Y12, Y10
	VFMADD231PS Y10, Y2, Y14
	VMASKMOVPS  (p)(ld*1), Y12, Y11
	VFMADD231PS Y11, Y3, Y14
	VMASKMOVPS  (p)(ld*2), Y12, Y10
	VFMADD231PS Y10, Y4, Y14
	VMASKMOVPS  (p)(ld3*1), Y12, Y11
	VFMADD231PS Y11, Y5, Y14
	VMASKMOVPS  (row), Y12, Y10
	VFMADD231PS Y10, Y6, Y14
	VMASKMOVPS  (row)(ld*1), Y12, Y11
	VFMADD231PS Y11, Y7, Y14
	VMASKMOVPS  (row)(ld*2), Y12, Y10
	VFMADD231PS Y10, Y8, Y14
	VMASKMOVPS  (row)(ld3*1), Y12, Y11
	VFMADD231PS Y11, Y9, Y14
	LEAQ        32(whole), c
	CMPQ        c, bytes
	JGE         axpy8done
	VMASKMOVPS  32(p), Y13, Y10
	VFMADD231PS Y10, Y2, Y15
	VMASKMOVPS  32(p)(ld*1), Y13, Y11
	VFMADD231PS Y11, Y3, Y15
	VMASKMOVPS  32(p)(ld*2), Y13, Y10
	VFMADD231PS Y10, Y4, Y15
	VMASKMOVPS  32(p)(ld3*1), Y13, Y11
	VFMADD231PS Y11, Y5, Y15
	VMASKMOVPS  32(row), Y13, Y10
	VFMADD231PS Y10, Y6, Y15
	VMASKMOVPS  32(row)(ld*1), Y13, Y11
	VFMADD231PS Y11, Y7, Y15
	VMASKMOVPS  32(row)(ld*2), Y13, Y10
	VFMADD231PS Y10, Y8, Y15
	VMASKMOVPS  32(row)(ld3*1), Y13, Y11
	VFMADD231PS Y11, Y9, Y15

axpy8done:
