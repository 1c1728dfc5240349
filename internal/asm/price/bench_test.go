package price

import (
	"fmt"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func BenchmarkLeast(b *testing.B) {
	b.Run("type=f64", benchmarkLeast[float64])
	b.Run("type=f32", benchmarkLeast[float32])
}

func benchmarkLeast[T num.Float](b *testing.B) {
	for lv := range asmtest.Each(b) {
		for _, n := range []int{16, 256, 1000, 4096} {
			c, v, d := asmtest.Random[T](n), asmtest.Random[float64](n), asmtest.Random[float64](n)
			b.Run(fmt.Sprintf("isa=%v/n=%d", lv, n), func(b *testing.B) {
				for b.Loop() {
					Least(c, 0.5, v)
				}
			})
			b.Run(fmt.Sprintf("isa=%v/n=%d/relax", lv, n), func(b *testing.B) {
				for b.Loop() {
					Relax(d, c, 0.5, v)
				}
			})
		}
	}
}
