// Functions that read feature flags of CPUID leaf 1.

//go:build !purego

#include "textflag.h"

// func F16C() bool
TEXT ·F16C(SB), NOSPLIT, $0-1
	MOVL $1, AX
	XORL CX, CX
	CPUID
	SHRL $29, CX
	ANDL $1, CX
	MOVB CX, ret+0(FP)
	RET
