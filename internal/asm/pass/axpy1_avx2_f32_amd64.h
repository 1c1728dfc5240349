// y_j = y_j + u K_j, one FMA, for the row at row. u is in all lanes of Y8. The
// columns of the short step are not in memory but in Y14 and Y15.
//
// In:       row y whole bytes; Y8 u; Y14 Y15.
// Changes:  p c Y0 Y1 Y12–Y15.

	XORL c, c
	CMPQ whole, $0
	JEQ  axpy1tail

axpy1loop:
	// y_j = fma(u, K_j, y_j), sixteen columns
	VMOVUPS     (y)(c*1), Y0
	VMOVUPS     32(y)(c*1), Y1
	VFMADD231PS (row)(c*1), Y8, Y0
	VFMADD231PS 32(row)(c*1), Y8, Y1
	VMOVUPS     Y0, (y)(c*1)
	VMOVUPS     Y1, 32(y)(c*1)
	ADDQ        $64, c
	CMPQ        c, whole
	JLT         axpy1loop

axpy1tail:
	CMPQ c, bytes
	JEQ  axpy1done

	// the short step
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPS  (row)(c*1), Y12, Y0
	VMASKMOVPS  32(row)(c*1), Y13, Y1
	VFMADD231PS Y0, Y8, Y14
	VFMADD231PS Y1, Y8, Y15

axpy1done:
