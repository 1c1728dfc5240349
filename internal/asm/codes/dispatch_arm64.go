//go:build arm64 && !purego

package codes

import "github.com/gomonge/monge/internal/asm"

// The scheduler cannot preempt assembly. Functions that call assembly are not inlined, because
// their stack checks are preemption points. Assembly requires at least one block of rows and m ≥ 1.

//go:noescape
func sums8NEON(n int, dst *float32, codes *byte, lut *float32, m int)

//go:noescape
func sums4NEON(n int, dst *uint16, codes, lut *byte, m int)

//go:noinline
func sums8(dst []float32, codes []byte, table []float32, m int) {
	if asm.VariantOf[float32, float32]() == asm.NEONF32 {
		sums8NEON(len(dst)/Block, &dst[0], &codes[0], &table[0], m)
		return
	}
	sums8Ref(dst, codes, table, m)
}

//go:noinline
func sums4(dst []uint16, codes, table []byte, m int) {
	if asm.VariantOf[float32, float32]() == asm.NEONF32 {
		sums4NEON(len(dst)/Block, &dst[0], &codes[0], &table[0], m)
		return
	}
	sums4Ref(dst, codes, table, m)
}
