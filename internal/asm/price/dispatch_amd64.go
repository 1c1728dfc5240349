//go:build amd64 && !purego

package price

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The Go functions that call assembly are not inlined. So each call begins with a stack check, where the
// scheduler can stop the goroutine. Lengths are positive multiples of blockSize.

//go:noescape
func leastAVX512F64(n int, x *lanes, c *float64, u float64, v *float64)

//go:noescape
func leastAVX512F32(n int, x *lanes, c *float32, u float64, v *float64)

//go:noescape
func leastAVX2F64(n int, x *lanes, c *float64, u float64, v *float64)

//go:noescape
func leastAVX2F32(n int, x *lanes, c *float32, u float64, v *float64)

//go:noescape
func relaxAVX512F64(n int, x *lanes, c *float64, u float64, v, d *float64)

//go:noescape
func relaxAVX512F32(n int, x *lanes, c *float32, u float64, v, d *float64)

//go:noescape
func relaxAVX2F64(n int, x *lanes, c *float64, u float64, v, d *float64)

//go:noescape
func relaxAVX2F32(n int, x *lanes, c *float32, u float64, v, d *float64)

// leastBlocks computes the result of leastLanesRef in assembly. It returns false if there is no assembly for
// the current instruction set.
//
//go:noinline
func leastBlocks[T num.Float](x *lanes, c []T, u float64, v []float64) bool {
	switch asm.VariantOf[T, T]() {
	case asm.AVX512F64:
		leastAVX512F64(len(c), x, num.P64(c), u, &v[0])
	case asm.AVX512F32:
		leastAVX512F32(len(c), x, num.P32(c), u, &v[0])
	case asm.AVX2F64:
		leastAVX2F64(len(c), x, num.P64(c), u, &v[0])
	case asm.AVX2F32:
		leastAVX2F32(len(c), x, num.P32(c), u, &v[0])
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
	case asm.AVX512F64:
		relaxAVX512F64(len(c), x, num.P64(c), u, &v[0], &d[0])
	case asm.AVX512F32:
		relaxAVX512F32(len(c), x, num.P32(c), u, &v[0], &d[0])
	case asm.AVX2F64:
		relaxAVX2F64(len(c), x, num.P64(c), u, &v[0], &d[0])
	case asm.AVX2F32:
		relaxAVX2F32(len(c), x, num.P32(c), u, &v[0], &d[0])
	default:
		return false
	}
	return true
}
