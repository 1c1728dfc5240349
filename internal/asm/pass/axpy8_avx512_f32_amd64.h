// y_j = y_j + Σ_r u_r K_rj, one FMA a row, r ascending, for the eight rows at row,
// row + ld, …, row + 7 ld; from the last column, which was read last, to the first.
//
// In:       row at the short step, c = whole; y ld ld3 bytes; u0–u7 in Z16–Z23;
//           for bytes > whole, mask and the short step of y in ytail.
// Out:      row at the first column, c = 0.
// Changes:  row4 Z0.

	LEAQ (row)(ld*4), row4
	CMPQ c, bytes
	JEQ  axpy8whole

	// the short step, its y stays in a register
	VFMADD231PS (row), Z16, mask, ytail
	VFMADD231PS (row)(ld*1), Z17, mask, ytail
	VFMADD231PS (row)(ld*2), Z18, mask, ytail
	VFMADD231PS (row)(ld3*1), Z19, mask, ytail
	VFMADD231PS (row4), Z20, mask, ytail
	VFMADD231PS (row4)(ld*1), Z21, mask, ytail
	VFMADD231PS (row4)(ld*2), Z22, mask, ytail
	VFMADD231PS (row4)(ld3*1), Z23, mask, ytail

axpy8whole:
	TESTQ c, c
	JEQ   axpy8done

axpy8loop:
	// y_j = fma(u_r, K_rj, y_j), 16 columns
	SUBQ        $64, row
	SUBQ        $64, row4
	SUBQ        $64, c
	VMOVUPS     (y)(c*1), Z0
	VFMADD231PS (row), Z16, Z0
	VFMADD231PS (row)(ld*1), Z17, Z0
	VFMADD231PS (row)(ld*2), Z18, Z0
	VFMADD231PS (row)(ld3*1), Z19, Z0
	VFMADD231PS (row4), Z20, Z0
	VFMADD231PS (row4)(ld*1), Z21, Z0
	VFMADD231PS (row4)(ld*2), Z22, Z0
	VFMADD231PS (row4)(ld3*1), Z23, Z0
	VMOVUPS     Z0, (y)(c*1)
	JNE         axpy8loop

axpy8done:
