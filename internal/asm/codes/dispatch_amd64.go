//go:build amd64 && !purego

package codes

import "github.com/gomonge/monge/internal/asm"

// The scheduler cannot preempt assembly. Functions that call assembly are not inlined, because
// their stack checks are preemption points. Assembly requires at least one block of rows and m ≥ 1.
// Level AVX512 uses the AVX2 code of Sums8 (NOTES.md).

//go:noescape
func sums8AVX2(n int, dst *float32, codes *byte, lut *float32, m int)

//go:noescape
func sums4AVX2(n int, dst *uint16, codes, lut *byte, m int)

//go:noescape
func sums4AVX512(n int, dst *uint16, codes, lut *byte, m int)

//go:noinline
func sums8(dst []float32, codes []byte, table []float32, m int) {
	switch asm.VariantOf[float32, float32]() {
	case asm.AVX2F32, asm.AVX512F32:
		sums8AVX2(len(dst)/Block, &dst[0], &codes[0], &table[0], m)
	default:
		sums8Ref(dst, codes, table, m)
	}
}

//go:noinline
func sums4(dst []uint16, codes, table []byte, m int) {
	switch asm.VariantOf[float32, float32]() {
	case asm.AVX2F32:
		sums4AVX2(len(dst)/Block, &dst[0], &codes[0], &table[0], m)
	case asm.AVX512F32:
		sums4AVX512(len(dst)/Block, &dst[0], &codes[0], &table[0], m)
	default:
		sums4Ref(dst, codes, table, m)
	}
}
