// This code stores the first bytes of Y0 and Y1. The register named to holds the address, and the register rest holds the
// byte count, which is below 64. The code stores pieces, because a masked store takes up to 42 micro-operations on some
// machines. It overwrites the address and Y0.

	TESTQ   $32, rest
	JEQ     store16
	VMOVUPD Y0, (to)
	VMOVAPD Y1, Y0
	ADDQ    $32, to

store16:
	TESTQ        $16, rest
	JEQ          store8
	VMOVUPD      X0, (to)
	VEXTRACTF128 $1, Y0, X0
	ADDQ         $16, to

store8:
	TESTQ     $8, rest
	JEQ       store4
	VMOVSD    X0, (to)
	VUNPCKHPD X0, X0, X0
	ADDQ      $8, to

store4:
	TESTQ  $4, rest
	JEQ    stored
	VMOVSS X0, (to)

stored:
