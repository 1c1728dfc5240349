// y_j = y_j + u K_j, one FMA, for the row at row. u is in all lanes of Y8. The
// columns of the short step are not in memory but in Y14 and Y15.
//
// In:       row y whole bytes; Y8 u; Y14 Y15.
// Changes:  p c Y0 Y1 Y12–Y15.

	XORL c, c
	CMPQ whole, $0
	JEQ  axpy1tail

axpy1loop:
	// y_j = fma(u, K_j, y_j), eight columns
	VMOVUPD     (y)(c*1), Y0
	VMOVUPD     32(y)(c*1), Y1
	VFMADD231PD (row)(c*1), Y8, Y0
	VFMADD231PD 32(row)(c*1), Y8, Y1
	VMOVUPD     Y0, (y)(c*1)
	VMOVUPD     Y1, 32(y)(c*1)
	ADDQ        $64, c
	CMPQ        c, whole
	JLT         axpy1loop

axpy1tail:
	CMPQ c, bytes
	JEQ  axpy1done

	// the short step
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPD  (row)(c*1), Y12, Y0
	VMASKMOVPD  32(row)(c*1), Y13, Y1
	VFMADD231PD Y0, Y8, Y14
	VFMADD231PD Y1, Y8, Y15

axpy1done:
