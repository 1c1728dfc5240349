package scale

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// BenchmarkScale is one pass of Iterate over an n × n matrix: a Sinkhorn iteration
// but for the n divisions of v = b ⊘ q.
func BenchmarkScale(b *testing.B) {
	benchmark(b, "f64", Iterate[float64])
	benchmark(b, "f32", Iterate[float32])
	benchmark(b, "mixed", IterateMixed)
}

func benchmark[K, T num.Float](b *testing.B, name string, f func(lv asm.Level, m, n int, k []K, ldk int, v, a, u, q []T)) {
	for _, lv := range asm.Available() {
		for _, n := range []int{64, 100, 256, 1000, 2000, 4000} {
			b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d", name, lv, n), func(b *testing.B) {
				k, v, a := random[K](n*n), random[T](n), random[T](n)
				u, q := make([]T, n), make([]T, n)
				b.SetBytes(int64(n*n) * int64(unsafe.Sizeof(k[0])))
				for b.Loop() {
					clear(q)
					f(lv, n, n, k, n, v, a, u, q)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*n), "ns/elem")
			})
		}
	}
}
