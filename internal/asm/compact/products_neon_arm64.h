// The kernel of a sum over two vectors of bytes. The including file defines the function name SUM
// and the macro TERMS, which adds the terms of 16 elements and may use the registers t and t+1.

// func sum(n int, a, b *int8) int64
TEXT SUM(SB), NOSPLIT, $0-32
	begin
	BLT tail

loop:
	load64
	TERMS(4, 16, 20, 0)
	TERMS(5, 17, 22, 1)
	TERMS(6, 18, 24, 2)
	TERMS(7, 19, 26, 3)
	SUBS $64, left
	BGE  loop

tail:
	ADDS $64, left
	BEQ  done

tailloop:
	load16
	TERMS(4, 16, 20, 0)
	SUBS $16, left
	BNE  tailloop

done:
	fold
	FMOVD F0, ret+24(FP)
	RET
