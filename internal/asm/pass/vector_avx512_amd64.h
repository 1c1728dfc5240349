// The steps of a vector, AVX-512: STEP is a whole one at c, SHORT the last, with its mask.
// In: bytes as n, the elements; those of the shorter slice are counted.

	SHLQ $logk, bytes
	MOVQ bytes, whole
	ANDQ $-step, whole
	TAILMASK(AX)
	XORL c, c
	CMPQ whole, $0
	JEQ  tail

loop:
	STEP
	ADDQ $step, c
	CMPQ c, whole
	JLT  loop

tail:
	CMPQ c, bytes
	JEQ  done
	SHORT

done:
