//go:build !purego

package cpuid

// F16C reports whether the processor converts float16 numbers (VCVTPH2PS). The processor must
// support AVX.
func F16C() bool
