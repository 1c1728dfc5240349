// The steps of a vector: the including file defines STEP, a whole one at c, MASKS and
// SHORT, the last and its masks, and the label done. In: bytes as n, the elements; those
// of the shorter slice are counted.

	SHLQ $logk, bytes
	MOVQ bytes, whole
	ANDQ $-step, whole
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
	MASKS
	SHORT
