// y_j = y_j + Σ_r u_r K_rj, as axpy4 does it, for the four rows at p,
// and the lanes of the row sums, as in dot4, of the four rows at row. The rows at p are
// taken from the last column to the first: they were read in the other direction a
// moment ago, and their end is still in the first-level cache.
//
// In:       p row x y ld ld3 whole bytes; Y8–Y11 u; Y14 Y15 the short step of y.
// Changes:  p c row Y0–Y15; goes to dot4tail.

	ADDQ whole, p
	CMPQ whole, bytes
	JEQ  both4whole

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
	JGE         both4whole
	VMASKMOVPS  32(p), Y13, Y0
	VFMADD231PS Y0, Y8, Y15
	VMASKMOVPS  32(p)(ld*1), Y13, Y1
	VFMADD231PS Y1, Y9, Y15
	VMASKMOVPS  32(p)(ld*2), Y13, Y0
	VFMADD231PS Y0, Y10, Y15
	VMASKMOVPS  32(p)(ld3*1), Y13, Y1
	VFMADD231PS Y1, Y11, Y15

both4whole:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot4tail
	ADDQ   whole, y

both4loop:
	// y_j = fma(u_r, K_rj, y_j) and lane[r] = fma(K_rj, x_j, lane[r]), sixteen columns
	SUBQ        $64, p
	SUBQ        $64, y
	VMOVUPS     (y), Y13
	VMOVUPS     (x)(c*1), Y12
	VFMADD231PS (p), Y8, Y13
	VFMADD231PS (row), Y12, Y0
	VFMADD231PS (p)(ld*1), Y9, Y13
	VFMADD231PS (row)(ld*1), Y12, Y2
	VFMADD231PS (p)(ld*2), Y10, Y13
	VFMADD231PS (row)(ld*2), Y12, Y4
	VFMADD231PS (p)(ld3*1), Y11, Y13
	VFMADD231PS (row)(ld3*1), Y12, Y6
	VMOVUPS     Y13, (y)
	VMOVUPS     32(y), Y13
	VMOVUPS     32(x)(c*1), Y12
	VFMADD231PS 32(p), Y8, Y13
	VFMADD231PS 32(row), Y12, Y1
	VFMADD231PS 32(p)(ld*1), Y9, Y13
	VFMADD231PS 32(row)(ld*1), Y12, Y3
	VFMADD231PS 32(p)(ld*2), Y10, Y13
	VFMADD231PS 32(row)(ld*2), Y12, Y5
	VFMADD231PS 32(p)(ld3*1), Y11, Y13
	VFMADD231PS 32(row)(ld3*1), Y12, Y7
	VMOVUPS     Y13, 32(y)
	ADDQ        $64, row
	ADDQ        $64, c
	CMPQ        c, whole
	JLT         both4loop
	JMP         dot4tail
