// y_j = y_j + u K_j, one FMA, for the row at row; from the last column, which was
// read last, to the first.
//
// In:       row; c = whole; y bytes; u in Z16; for bytes > whole, mask and the short
//           step of y in ytail.
// Out:      c = 0.
// Changes:  Z0.

	CMPQ c, bytes
	JEQ  axpy1whole

	// the short step, its y stays in a register
	VFMADD231PS (row)(c*1), Z16, mask, ytail

axpy1whole:
	TESTQ c, c
	JEQ   axpy1done

axpy1loop:
	// y_j = fma(u_r, K_rj, y_j), 16 columns
	SUBQ        $64, c
	VMOVUPS     (y)(c*1), Z0
	VFMADD231PS (row)(c*1), Z16, Z0
	VMOVUPS     Z0, (y)(c*1)
	JNE         axpy1loop

axpy1done:
