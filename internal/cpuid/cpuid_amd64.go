//go:build !purego

package cpuid

// F16C reports whether the processor converts float16 numbers (VCVTPH2PS). The caller knows
// that it has AVX.
func F16C() bool
