package exp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// BenchmarkExp measures Exp for arguments of ordinary size. With results=sub, all results are
// subnormal.
func BenchmarkExp(b *testing.B) {
	benchmark(b, "f64", Exp[float64], [2]float64{-20, 20}, "sub", [2]float64{-745, -729})
	benchmark(b, "f32", Exp[float32], [2]float64{-20, 20}, "sub", [2]float64{-103, -87})
	b.Run("type=f64/isa=math/n=1024", func(b *testing.B) {
		x, dst := make([]float64, 1024), make([]float64, 1024)
		for i := range x {
			x[i] = float64(i)/26 - 20
		}
		b.SetBytes(2 * 8 * 1024)
		for b.Loop() {
			for i, v := range x {
				dst[i] = math.Exp(v)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/elem")
	})
}

// BenchmarkSumExp measures SumExp without dst, for random arguments in (0, 1].
func BenchmarkSumExp(b *testing.B) {
	for lv := range asmtest.Each(b) {
		sumExpBenchmark[float64](b, fmt.Sprintf("type=f64/isa=%v", lv))
		sumExpBenchmark[float32](b, fmt.Sprintf("type=f32/isa=%v", lv))
	}
}

func sumExpBenchmark[T num.Float](b *testing.B, name string) {
	for _, n := range []int{10, 100, 1024} {
		x := asmtest.Random[T](n)
		b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
			for b.Loop() {
				s := Sum[T]{Top: T(math.Inf(-1))}
				SumExp(&s, nil, x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
		})
	}
}

// BenchmarkExp2 measures Exp2 for arguments of ordinary size. With results=zero, all results are 0.
func BenchmarkExp2(b *testing.B) {
	benchmark(b, "f64", times144[float64], [2]float64{0, 20}, "zero", [2]float64{800, 900})
	benchmark(b, "f32", times144[float32], [2]float64{0, 20}, "zero", [2]float64{800, 900})
}

func times144[T num.Float](dst, x []T) { Exp2(dst, x, -1.44) }

func benchmark[T num.Float](b *testing.B, name string, f func(dst, x []T), ordinary [2]float64, other string, others [2]float64) {
	run := func(b *testing.B, n int, of [2]float64) {
		rng := rand.New(rand.NewPCG(6, 6))
		x, dst := make([]T, n), make([]T, n)
		for i := range x {
			x[i] = T(of[0] + (of[1]-of[0])*rng.Float64())
		}
		b.SetBytes(2 * int64(n) * int64(unsafe.Sizeof(x[0])))
		for b.Loop() {
			f(dst, x)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
	}
	for lv := range asmtest.Each(b) {
		for _, n := range []int{10, 100, 1024, 1031, 32768, 4 << 20} {
			b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d", name, lv, n), func(b *testing.B) { run(b, n, ordinary) })
		}
		b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d/results=%s", name, lv, 1024, other), func(b *testing.B) { run(b, 1024, others) })
	}
}

func BenchmarkLogRows(b *testing.B) {
	logRowsBenchmark[float64](b, "f64")
	logRowsBenchmark[float32](b, "f32")
}

func logRowsBenchmark[T num.Float](b *testing.B, name string) {
	benchmarkEach[T](b, name, 1, func(n int) func() {
		mat, g, a := asmtest.Random[T](n*n), asmtest.Random[T](n), asmtest.Random[T](n)
		hi, sum, q, e := make([]T, n), make([]T, n), make([]T, n), make([]T, n)
		return func() {
			clear(q)
			LogRows(n, n, mat, n, 50, g, a, hi, sum, q, e)
		}
	})
}

func BenchmarkLogColumnMax(b *testing.B) {
	logColumnMaxBenchmark[float64](b, "f64")
	logColumnMaxBenchmark[float32](b, "f32")
}

func logColumnMaxBenchmark[T num.Float](b *testing.B, name string) {
	benchmarkEach[T](b, name, 1, func(n int) func() {
		mat, f, h := asmtest.Random[T](n*n), asmtest.Random[T](n), asmtest.Random[T](n)
		return func() { LogColumnMax(n, n, mat, n, 50, f, h) }
	})
}

func BenchmarkLogColumnSum(b *testing.B) {
	logColumnSumBenchmark[float64](b, "f64")
	logColumnSumBenchmark[float32](b, "f32")
}

func logColumnSumBenchmark[T num.Float](b *testing.B, name string) {
	benchmarkEach[T](b, name, 1, func(n int) func() {
		mat, f, h, s := asmtest.Random[T](n*n), asmtest.Random[T](n), asmtest.Random[T](n), make([]T, n)
		return func() {
			clear(s)
			LogColumnSum(n, n, mat, n, 50, f, h, s)
		}
	})
}

func BenchmarkLogPlan(b *testing.B) {
	logPlanBenchmark[float64](b, "f64")
	logPlanBenchmark[float32](b, "f32")
}

func logPlanBenchmark[T num.Float](b *testing.B, name string) {
	benchmarkEach[T](b, name, 2, func(n int) func() {
		mat, f, g, t := asmtest.Random[T](n*n), asmtest.Random[T](n), asmtest.Random[T](n), make([]T, n*n)
		return func() { LogPlan(n, n, t, n, mat, n, 50, f, g) }
	})
}

// benchmarkEach benchmarks the function that prepare returns, for every instruction-set level and matrix
// size. moved is the number of n × n matrices that the function reads or writes.
func benchmarkEach[T num.Float](b *testing.B, name string, moved int, prepare func(n int) func()) {
	for lv := range asmtest.Each(b) {
		for _, n := range []int{64, 100, 256, 1000, 2000, 4000} {
			b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d", name, lv, n), func(b *testing.B) {
				var x T
				f := prepare(n)
				b.SetBytes(int64(moved*n*n) * int64(unsafe.Sizeof(x)))
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*n), "ns/elem")
			})
		}
	}
}
