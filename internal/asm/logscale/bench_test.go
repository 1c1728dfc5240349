package logscale

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

func BenchmarkRows(b *testing.B) {
	rowsBenchmark[float64](b, "f64")
	rowsBenchmark[float32](b, "f32")
}

func rowsBenchmark[T num.Float](b *testing.B, name string) {
	each[T](b, name, 1, func(lv asm.Level, n int) func() {
		mat, g, a := random[T](n*n), random[T](n), random[T](n)
		hi, sum, q, e := make([]T, n), make([]T, n), make([]T, n), make([]T, n)
		return func() {
			clear(q)
			Rows(lv, n, n, mat, n, 50, g, a, hi, sum, q, e)
		}
	})
}

func BenchmarkColumnMax(b *testing.B) {
	columnMaxBenchmark[float64](b, "f64")
	columnMaxBenchmark[float32](b, "f32")
}

func columnMaxBenchmark[T num.Float](b *testing.B, name string) {
	each[T](b, name, 1, func(lv asm.Level, n int) func() {
		mat, f, h := random[T](n*n), random[T](n), random[T](n)
		return func() { ColumnMax(lv, n, n, mat, n, 50, f, h) }
	})
}

func BenchmarkColumnSum(b *testing.B) {
	columnSumBenchmark[float64](b, "f64")
	columnSumBenchmark[float32](b, "f32")
}

func columnSumBenchmark[T num.Float](b *testing.B, name string) {
	each[T](b, name, 1, func(lv asm.Level, n int) func() {
		mat, f, h, s := random[T](n*n), random[T](n), random[T](n), make([]T, n)
		return func() {
			clear(s)
			ColumnSum(lv, n, n, mat, n, 50, f, h, s)
		}
	})
}

func BenchmarkPlan(b *testing.B) {
	planBenchmark[float64](b, "f64")
	planBenchmark[float32](b, "f32")
}

func planBenchmark[T num.Float](b *testing.B, name string) {
	each[T](b, name, 2, func(lv asm.Level, n int) func() {
		mat, f, g, t := random[T](n*n), random[T](n), random[T](n), make([]T, n*n)
		return func() { Plan(lv, n, n, t, n, mat, n, 50, f, g) }
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
