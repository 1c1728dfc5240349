package gram

import (
	"fmt"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func BenchmarkSqEuclidean(b *testing.B) {
	for _, d := range []int{64, 128, 784} {
		b.Run(fmt.Sprintf("float64/d=%d", d), func(b *testing.B) { benchmark[float64](b, 1000, d) })
		b.Run(fmt.Sprintf("float32/d=%d", d), func(b *testing.B) { benchmark[float32](b, 1000, d) })
	}
}

func benchmark[T num.Float](b *testing.B, n, d int) {
	rng := asmtest.NewRand(1)
	x, z := asmtest.Values[T](rng, n*d, asmtest.Gauss), asmtest.Values[T](rng, n*d, asmtest.Gauss)
	dst := make([]T, n*n)
	for b.Loop() {
		SqEuclidean(n, n, d, dst, n, x, d, z, d)
	}
	b.ReportMetric(float64(n*n*d)/1e3*float64(b.N)/float64(b.Elapsed().Microseconds()), "GFMA/s")
}

func BenchmarkSelf(b *testing.B) {
	const n, d = 1000, 64
	x := asmtest.Values[float64](asmtest.NewRand(1), n*d, asmtest.Gauss)
	dst := make([]float64, n*n)
	for b.Loop() {
		SqEuclidean(n, n, d, dst, n, x, d, x, d)
	}
}
