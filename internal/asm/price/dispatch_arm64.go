//go:build arm64 && !purego

package price

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The Go functions that call assembly are not inlined. So each call begins with a stack check, where the
// scheduler can stop the goroutine. Lengths are positive multiples of blockSize.

//go:noescape
func leastNEONF64(n int, x *lanes, c *float64, u float64, v *float64)

//go:noescape
func leastNEONF32(n int, x *lanes, c *float32, u float64, v *float64)

//go:noescape
func relaxNEONF64(n int, x *lanes, c *float64, u float64, v, d *float64)

//go:noescape
func relaxNEONF32(n int, x *lanes, c *float32, u float64, v, d *float64)

// leastBlocks computes the result of leastLanesRef in assembly. It returns false if there is no assembly for
// the current instruction set.
//
//go:noinline
func leastBlocks[T num.Float](x *lanes, c []T, u float64, v []float64) bool {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		leastNEONF64(len(c), x, num.P64(c), u, &v[0])
	case asm.NEONF32:
		leastNEONF32(len(c), x, num.P32(c), u, &v[0])
	default:
		return false
	}
	return true
}

// relaxBlocks computes the result of relaxLanesRef in assembly. It returns false if there is no assembly for
// the current instruction set.
//
//go:noinline
func relaxBlocks[T num.Float](x *lanes, d []float64, c []T, u float64, v []float64) bool {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		relaxNEONF64(len(c), x, num.P64(c), u, &v[0], &d[0])
	case asm.NEONF32:
		relaxNEONF32(len(c), x, num.P32(c), u, &v[0], &d[0])
	default:
		return false
	}
	return true
}
