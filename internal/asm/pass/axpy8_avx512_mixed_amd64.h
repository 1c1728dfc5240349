// y_j = y_j + Σ_r u_r K_rj, one FMA a row, r ascending, for the eight rows at row,
// row + ld, …, row + 7 ld; from the last column, which was read last, to the first.
// K is float32 and widened as it is loaded; c, whole and bytes count bytes of K.
//
// In:       row at the short step, c = whole; y ld ld3 bytes; u0–u7 in Z16–Z23;
//           for bytes > whole, mask and the short step of y in ytail.
// Out:      row at the first column, c = 0.
// Changes:  row4 Z0 Z9–Z12.

	LEAQ (row)(ld*4), row4
	CMPQ c, bytes
	JEQ  axpy8whole

	// the short step, its y stays in a register
	VCVTPS2PD.Z (row), mask, Z9
	VFMADD231PD Z9, Z16, mask, ytail
	VCVTPS2PD.Z (row)(ld*1), mask, Z9
	VFMADD231PD Z9, Z17, mask, ytail
	VCVTPS2PD.Z (row)(ld*2), mask, Z9
	VFMADD231PD Z9, Z18, mask, ytail
	VCVTPS2PD.Z (row)(ld3*1), mask, Z9
	VFMADD231PD Z9, Z19, mask, ytail
	VCVTPS2PD.Z (row4), mask, Z9
	VFMADD231PD Z9, Z20, mask, ytail
	VCVTPS2PD.Z (row4)(ld*1), mask, Z9
	VFMADD231PD Z9, Z21, mask, ytail
	VCVTPS2PD.Z (row4)(ld*2), mask, Z9
	VFMADD231PD Z9, Z22, mask, ytail
	VCVTPS2PD.Z (row4)(ld3*1), mask, Z9
	VFMADD231PD Z9, Z23, mask, ytail

axpy8whole:
	TESTQ c, c
	JEQ   axpy8done

axpy8loop:
	// y_j = fma(u_r, K_rj, y_j), 8 columns
	SUBQ        $32, row
	SUBQ        $32, row4
	SUBQ        $32, c
	VMOVUPD     (y)(c*2), Z0
	VCVTPS2PD   (row), Z9
	VFMADD231PD Z9, Z16, Z0
	VCVTPS2PD   (row)(ld*1), Z10
	VFMADD231PD Z10, Z17, Z0
	VCVTPS2PD   (row)(ld*2), Z11
	VFMADD231PD Z11, Z18, Z0
	VCVTPS2PD   (row)(ld3*1), Z12
	VFMADD231PD Z12, Z19, Z0
	VCVTPS2PD   (row4), Z9
	VFMADD231PD Z9, Z20, Z0
	VCVTPS2PD   (row4)(ld*1), Z10
	VFMADD231PD Z10, Z21, Z0
	VCVTPS2PD   (row4)(ld*2), Z11
	VFMADD231PD Z11, Z22, Z0
	VCVTPS2PD   (row4)(ld3*1), Z12
	VFMADD231PD Z12, Z23, Z0
	VMOVUPD     Z0, (y)(c*2)
	JNE         axpy8loop

axpy8done:
