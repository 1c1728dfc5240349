// This code ends a cosine with AVX2 or AVX-512. It adds the lanes of the products in Y0, and the lanes of the squares in Y4
// and Y8. Then the code stores the quotient. If a sum of squares is out of range, the code jumps to a Go function that
// computes the cosine.

	VEXTRACTF128 $1, Y4, X5
	VEXTRACTF128 $1, Y8, X9
	VEXTRACTF128 $1, Y0, X1
	add          X5, X4, X4
	add          X9, X8, X8
	add          X1, X0, X0
	VUNPCKLPD    X8, X4, X5
	VUNPCKHPD    X8, X4, X4
	add          X5, X4, X4
	PAIRFOLD(X4, X5)
	LASTFOLD(X0, X1)
	SWAP(X0, X1)
	addone       X1, X0, X0
	SWAP(X4, X8)
	compare      $29, quotient+0(SB), X4, X2
	compare      $17, quotient+16(SB), X4, X3
	and          X3, X2, X2
	signs        X2, AX
	mulone       X8, X4, X4
	sqrtone      X4, X4, X4
	divone       X4, X0, X0
	minone       quotient+32(SB), X0, X0
	maxone       quotient+48(SB), X0, X0
	CMPL         AX, $both
	JNE          out
	moveone      X0, result
	VZEROUPPER
	RET

out:
	VZEROUPPER
	JMP OUTOFRANGE(SB)
