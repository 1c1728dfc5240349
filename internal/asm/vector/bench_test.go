package vector

import (
	"fmt"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func Benchmark(b *testing.B) {
	b.Run("f64", benchmark[float64])
	b.Run("f32", benchmark[float32])
}

func benchmark[T num.Float](b *testing.B) {
	for _, n := range []int{64, 1024} {
		x, dst := asmtest.Random[T](n), make([]T, n)
		Affine(x, x, -2, 1) // positive
		for _, f := range []struct {
			name string
			call func()
		}{
			{"affine", func() { Affine(dst, x, 1, 2) }},
			{"max", func() { dst[0] = Max(x) }},
			{"log", func() { Log(dst, x) }},
			{"log2", func() { Log2(dst, x) }},
		} {
			for lv := range asmtest.Each(b) {
				b.Run(fmt.Sprintf("%s/n=%d/%v", f.name, n, lv), func(b *testing.B) {
					for b.Loop() {
						f.call()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
				})
			}
		}
	}
}
