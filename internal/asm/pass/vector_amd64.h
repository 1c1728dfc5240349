// The loop over a vector. The including file defines STEP, a whole step at c, MASKS and SHORT,
// the masks of the last step and the step itself, and the label done. bytes holds the number of
// elements on entry, and then the bytes of the shorter slice.

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
