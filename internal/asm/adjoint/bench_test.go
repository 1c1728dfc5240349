package adjoint

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

func BenchmarkBegin(b *testing.B) {
	beginBenchmark[float64](b, "f64")
	beginBenchmark[float32](b, "f32")
}

func beginBenchmark[T num.Float](b *testing.B, name string) {
	each[T](b, name, 2, func(lv asm.Level, n int) func() {
		k, mat, v, u, w := random[T](n*n), random[T](n*n), random[T](n), random[T](n), random[T](n)
		r, s, q := make([]T, n), make([]T, n), make([]T, n)
		return func() {
			clear(q)
			Begin(lv, n, n, k, n, mat, n, v, u, w, r, s, q)
		}
	})
}

func BenchmarkSweep(b *testing.B) {
	sweepBenchmark[float64](b, "f64")
	sweepBenchmark[float32](b, "f32")
	each[float32](b, "mixed", 1, func(lv asm.Level, n int) func() {
		k, v, w := random[float32](n*n), random[float64](n), random[float64](n)
		s, q := make([]float64, n), make([]float64, n)
		return func() {
			clear(q)
			SweepMixed(lv, n, n, k, n, v, w, s, q)
		}
	})
}

func sweepBenchmark[T num.Float](b *testing.B, name string) {
	each[T](b, name, 1, func(lv asm.Level, n int) func() {
		k, v, w := random[T](n*n), random[T](n), random[T](n)
		s, q := make([]T, n), make([]T, n)
		return func() {
			clear(q)
			Sweep(lv, n, n, k, n, v, w, s, q)
		}
	})
}

// each benchmarks what prepare returns for every level and size; moved is the
// number of n × n matrices that go through the core.
func each[T num.Float](b *testing.B, name string, moved int, prepare func(lv asm.Level, n int) func()) {
	for _, lv := range asm.Available() {
		for _, n := range []int{64, 100, 256, 1000, 2000, 4000} {
			b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d", name, lv, n), func(b *testing.B) {
				var x T
				f := prepare(lv, n)
				b.SetBytes(int64(moved*n*n) * int64(unsafe.Sizeof(x)))
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*n), "ns/elem")
			})
		}
	}
}
