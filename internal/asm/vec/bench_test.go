package vec

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

func BenchmarkDivide(b *testing.B) {
	divideBenchmark[float64](b, "f64")
	divideBenchmark[float32](b, "f32")
}

func divideBenchmark[T num.Float](b *testing.B, name string) {
	each[T](b, name, 3, func(lv asm.Level, n int) func() {
		x, y, dst := random[T](n), random[T](n), make([]T, n)
		return func() { Divide(lv, dst, x, y) }
	})
}

func BenchmarkCountOutside(b *testing.B) {
	countOutsideBenchmark[float64](b, "f64")
	countOutsideBenchmark[float32](b, "f32")
}

func countOutsideBenchmark[T num.Float](b *testing.B, name string) {
	each[T](b, name, 1, func(lv asm.Level, n int) func() {
		x := random[T](n)
		return func() { CountOutside(lv, x, 0.25, 0.75) }
	})
}

func BenchmarkNarrow(b *testing.B) {
	each[float32](b, "mixed", 3, func(lv asm.Level, n int) func() {
		x, dst := random[float64](n), make([]float32, n)
		return func() { Narrow(lv, dst, x) }
	})
}

func BenchmarkWiden(b *testing.B) {
	each[float32](b, "mixed", 3, func(lv asm.Level, n int) func() {
		x, dst := random[float32](n), make([]float64, n)
		return func() { Widen(lv, dst, x) }
	})
}

// each benchmarks what prepare returns for every level and length; moved is the
// number of slices of n elements that go through the core.
func each[T num.Float](b *testing.B, name string, moved int, prepare func(lv asm.Level, n int) func()) {
	for _, lv := range asm.Available() {
		for _, n := range []int{64, 100, 256, 1000, 2000, 4000} {
			b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d", name, lv, n), func(b *testing.B) {
				var x T
				f := prepare(lv, n)
				b.SetBytes(int64(moved * n * int(unsafe.Sizeof(x))))
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
			})
		}
	}
}
