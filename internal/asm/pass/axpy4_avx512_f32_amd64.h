// y_j = y_j + Σ_r u_r K_rj, one FMA a row, r ascending, for the four rows at row,
// row + ld, row + 2 ld, row + 3 ld; from the last column, which was read last, to the first.
//
// In:       row at the short step, c = whole; y ld ld3 bytes; u0–u3 in Z16–Z19;
//           for bytes > whole, mask and the short step of y in ytail.
// Out:      row at the first column, c = 0.
// Changes:  Z0.

	CMPQ c, bytes
	JEQ  axpy4whole

	// the short step, its y stays in a register
	VFMADD231PS (row), Z16, mask, ytail
	VFMADD231PS (row)(ld*1), Z17, mask, ytail
	VFMADD231PS (row)(ld*2), Z18, mask, ytail
	VFMADD231PS (row)(ld3*1), Z19, mask, ytail

axpy4whole:
	TESTQ c, c
	JEQ   axpy4done

axpy4loop:
	// y_j = fma(u_r, K_rj, y_j), 16 columns
	SUBQ        $64, row
	SUBQ        $64, c
	VMOVUPS     (y)(c*1), Z0
	VFMADD231PS (row), Z16, Z0
	VFMADD231PS (row)(ld*1), Z17, Z0
	VFMADD231PS (row)(ld*2), Z18, Z0
	VFMADD231PS (row)(ld3*1), Z19, Z0
	VMOVUPS     Z0, (y)(c*1)
	JNE         axpy4loop

axpy4done:
