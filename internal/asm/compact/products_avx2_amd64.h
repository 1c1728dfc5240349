// The kernel of a sum over two vectors of bytes. The including file defines the function name SUM
// and the macro TERMS, which adds the terms of 16 elements.

// func sum(n int, a, b *int8) int64
TEXT SUM(SB), NOSPLIT, $0-32
	begin
	JL tail

loop:
	TERMS(0, Y4, Y5, Y0)
	TERMS(16, Y6, Y7, Y1)
	TERMS(32, Y8, Y9, Y2)
	TERMS(48, Y10, Y11, Y3)
	ADDQ $64, ap
	ADDQ $64, bp
	SUBQ $64, left
	JGE  loop

tail:
	ADDQ $64, left
	JZ   done

tailloop:
	TERMS(0, Y4, Y5, Y0)
	ADDQ $16, ap
	ADDQ $16, bp
	SUBQ $16, left
	JNZ  tailloop

done:
	fold
	total
	VMOVQ X0, ret+24(FP)
	VZEROUPPER
	RET
