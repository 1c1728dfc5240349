// This loop runs n iterations of 8 operations on v8 and v9.
	MOVQ n+0(FP), CX
	numbers(v8, v9)

turn:
	op(v0)
	op(v1)
	op(v2)
	op(v3)
	op(v4)
	op(v5)
	op(v6)
	op(v7)
	DECQ CX
	JNE  turn
	VZEROUPPER
	RET
