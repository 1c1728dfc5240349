// The kernel of a sum over two vectors of bytes. The including file defines the function name SUM
// and the macro TERMS, which adds the terms of 32 or 16 elements.

// func sum(n int, a, b *int8) int64
TEXT SUM(SB), NOSPLIT, $0-32
	clear
	begin
	JL tail

loop:
	TERMS(0, Z4, Z5, Z0)
	TERMS(32, Z6, Z7, Z1)
	TERMS(64, Z8, Z9, Z2)
	TERMS(96, Z10, Z11, Z3)
	next(128)
	JGE loop

tail:
	ADDQ $128, left
	JZ   done

tailloop:
	TERMS(0, Y4, Y5, Y12)
	next(16)
	JNZ tailloop

done:
	fold
	halves
	total
	VMOVQ X0, ret+24(FP)
	VZEROUPPER
	RET
