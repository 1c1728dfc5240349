package query

import (
	"fmt"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
)

func Benchmark(b *testing.B) {
	for _, size := range []struct{ n, d int }{{8, 384}, {1000, 128}, {1000, 384}, {10_000, 384}, {100_000, 384}} {
		x, q, dst := make([]float32, size.n*size.d), asmtest.Random[float32](size.d), make([]float32, size.n)
		for i := range x {
			x[i] = float32(i%97) / 97
		}
		for _, f := range []struct {
			name string
			call func(dst, q, x []float32)
		}{{"sqeuclidean", SqEuclidean}, {"dot", Dot}} {
			for lv := range asmtest.Each(b) {
				b.Run(fmt.Sprintf("%s/n=%d/d=%d/%v", f.name, size.n, size.d, lv), func(b *testing.B) {
					b.SetBytes(int64(4 * len(x)))
					for b.Loop() {
						f.call(dst, q, x)
					}
				})
			}
		}
	}
}
