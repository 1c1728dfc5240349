// Stores the first rest bytes, fewer than 64, of Y0 Y1 at to, in pieces, because a masked
// store is microcode of up to 42 steps on some machines.
//
// Changes:  to Y0.

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
