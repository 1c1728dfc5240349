// The loop over a vector. The including file defines the macro STEP, which processes a whole step at offset c. It defines
// MASKS, which sets the masks of the partial step, and SHORT, which processes the partial step. It also defines the label
// done. The register bytes holds the element count at the beginning, and then the byte count of the shorter slice.

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
