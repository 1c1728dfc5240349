// The steps of a vector, AVX2: STEP is a whole one at c, SHORT the last, whose masks are
// in Y12 Y13. In: bytes as n, the elements; those of the shorter slice are counted.

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
	VMASKS(p)
	SHORT
