package adjcost

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func random[T num.Float](n int) []T {
	s := make([]T, n)
	asmtest.Fill(newRand(), s, asmtest.Unit)
	return s
}

// BenchmarkBlock has r = 20, the terms of ten iterations. The block that G is
// written to has 64 rows and is used again, as in the reverse sweep.
func BenchmarkBlock(b *testing.B) {
	benchmark[float64](b, "f64")
	benchmark[float32](b, "f32")
}

func benchmark[T num.Float](b *testing.B, name string) {
	const r, rows = 20, 64
	for _, lv := range asm.Available() {
		for _, n := range []int{64, 100, 256, 1000, 2000, 4000} {
			b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d/r=%d", name, lv, n, r), func(b *testing.B) {
				k, mat, left, right, u, v := random[T](n*n), random[T](n*n), random[T](n*r), random[T](r*n), random[T](n), random[T](n)
				g := make([]T, rows*n)
				b.SetBytes(int64(2*n*n) * int64(unsafe.Sizeof(g[0])))
				for b.Loop() {
					for i := 0; i < n; i += rows {
						Block(lv, min(rows, n-i), n, r, g, n, k[i*n:], n, mat[i*n:], n, left[i*r:], r, right, n, u[i:], v, 1.5)
					}
				}
				ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				b.ReportMetric(ns/float64(n*n), "ns/elem")
				b.ReportMetric(2*(r+3)*float64(n*n)/ns, "GFLOP/s")
			})
		}
	}
}
