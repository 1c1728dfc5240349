// This code repeats a loop over a buffer. rounds is the number of repetitions. An iteration of the
// loop loads or stores four blocks of two vectors. The blocks start stride bytes apart. The next iteration starts step
// bytes later. The including file defines move, which loads or stores a vector, and fetch, which prefetches two vectors
// or does nothing.
	MOVQ p+0(FP), DI
	MOVQ turns+8(FP), R8
	MOVQ stride+16(FP), SI
	MOVQ step+24(FP), DX
	MOVQ rounds+32(FP), CX
	LEAQ (SI)(SI*2), R9
	zero(v0)

round:
	MOVQ DI, AX
	MOVQ R8, BX

turn:
	fetch((AX))
	fetch((AX)(SI*1))
	fetch((AX)(SI*2))
	fetch((AX)(R9*1))
	move((AX), v0)
	move(width(AX), v1)
	move((AX)(SI*1), v2)
	move(width(AX)(SI*1), v3)
	move((AX)(SI*2), v4)
	move(width(AX)(SI*2), v5)
	move((AX)(R9*1), v6)
	move(width(AX)(R9*1), v7)
	ADDQ DX, AX
	DECQ BX
	JNE  turn
	DECQ CX
	JNE  round
	VZEROUPPER
	RET
