// This code stores the first bytes of Y0 and Y1 at address to. If to2 is defined, the code also
// stores the first bytes of Y2 and Y3 at address to2. The register rest contains the number of
// bytes, which is below 64. The code stores pieces of 32, 16, 8 and 4 bytes, because a masked store
// takes up to 42 microcode steps on some machines. The code changes to, Y0, to2 and Y2.

// With to2, the code has different labels, so a function may include this file once with to2 and
// once without to2.
#ifdef to2
#define store16 store16to2
#define store8 store8to2
#define store4 store4to2
#define stored storedto2
#endif

	TESTQ   $32, rest
	JEQ     store16
	VMOVUPD Y0, (to)
#ifdef to2
	VMOVUPD Y2, (to2)
	VMOVAPD Y3, Y2
	ADDQ    $32, to2
#endif
	VMOVAPD Y1, Y0
	ADDQ    $32, to

store16:
	TESTQ        $16, rest
	JEQ          store8
	VMOVUPD      X0, (to)
#ifdef to2
	VMOVUPD      X2, (to2)
	VEXTRACTF128 $1, Y2, X2
	ADDQ         $16, to2
#endif
	VEXTRACTF128 $1, Y0, X0
	ADDQ         $16, to

store8:
	TESTQ     $8, rest
	JEQ       store4
	VMOVSD    X0, (to)
#ifdef to2
	VMOVSD    X2, (to2)
	VUNPCKHPD X2, X2, X2
	ADDQ      $8, to2
#endif
	VUNPCKHPD X0, X0, X0
	ADDQ      $8, to

store4:
	TESTQ  $4, rest
	JEQ    stored
	VMOVSS X0, (to)
#ifdef to2
	VMOVSS X2, (to2)
#endif

stored:

#ifdef to2
#undef store16
#undef store8
#undef store4
#undef stored
#endif
