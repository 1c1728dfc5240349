// Stores the first rest bytes, fewer than 64, of Y0 Y1 at to and of Y2 Y3 at to2, in
// pieces: a masked store is a microprogram of up to 42 steps on some machines.
//
// Changes:  to to2 Y0 Y2.

	TESTQ   $32, rest
	JEQ     stores16
	VMOVUPD Y0, (to)
	VMOVUPD Y2, (to2)
	VMOVAPD Y1, Y0
	VMOVAPD Y3, Y2
	ADDQ    $32, to
	ADDQ    $32, to2

stores16:
	TESTQ        $16, rest
	JEQ          stores8
	VMOVUPD      X0, (to)
	VMOVUPD      X2, (to2)
	VEXTRACTF128 $1, Y0, X0
	VEXTRACTF128 $1, Y2, X2
	ADDQ         $16, to
	ADDQ         $16, to2

stores8:
	TESTQ     $8, rest
	JEQ       stores4
	VMOVSD    X0, (to)
	VMOVSD    X2, (to2)
	VUNPCKHPD X0, X0, X0
	VUNPCKHPD X2, X2, X2
	ADDQ      $8, to
	ADDQ      $8, to2

stores4:
	TESTQ  $4, rest
	JEQ    storesdone
	VMOVSS X0, (to)
	VMOVSS X2, (to2)

storesdone:
