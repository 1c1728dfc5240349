// y_j = y_j + u K_j, one FMA, for the row at row; from the last column, which was
// read last, to the first.
// K is float32 and widened as it is loaded; c, whole and bytes count bytes of K.
//
// In:       row; c = whole; y bytes; u in Z16; for bytes > whole, mask and the short
//           step of y in ytail.
// Out:      c = 0.
// Changes:  Z0 Z9–Z12.

	CMPQ c, bytes
	JEQ  axpy1whole

	// the short step, its y stays in a register
	VCVTPS2PD.Z (row)(c*1), mask, Z9
	VFMADD231PD Z9, Z16, mask, ytail

axpy1whole:
	TESTQ c, c
	JEQ   axpy1done

axpy1loop:
	// y_j = fma(u_r, K_rj, y_j), 8 columns
	SUBQ        $32, c
	VMOVUPD     (y)(c*2), Z0
	VCVTPS2PD   (row)(c*1), Z9
	VFMADD231PD Z9, Z16, Z0
	VMOVUPD     Z0, (y)(c*2)
	JNE         axpy1loop

axpy1done:
