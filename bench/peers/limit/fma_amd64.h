// This loop runs n iterations of 12 FMAs.
	MOVQ n+0(FP), CX
	zero(v0)
	zero(v1)
	zero(v2)
	zero(v3)
	zero(v4)
	zero(v5)
	zero(v6)
	zero(v7)
	zero(v8)
	zero(v9)
	zero(v10)
	zero(v11)
	zero(v12)
	zero(v13)

turn:
	VFMADD231PD v12, v13, v0
	VFMADD231PD v12, v13, v1
	VFMADD231PD v12, v13, v2
	VFMADD231PD v12, v13, v3
	VFMADD231PD v12, v13, v4
	VFMADD231PD v12, v13, v5
	VFMADD231PD v12, v13, v6
	VFMADD231PD v12, v13, v7
	VFMADD231PD v12, v13, v8
	VFMADD231PD v12, v13, v9
	VFMADD231PD v12, v13, v10
	VFMADD231PD v12, v13, v11
	DECQ CX
	JNE  turn
	VZEROUPPER
	RET
