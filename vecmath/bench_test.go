package vecmath_test

import (
	"fmt"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/vecmath"
)

func BenchmarkSoftmax(b *testing.B) {
	benchmarkFunction(b, "f64", vecmath.Softmax[float64])
	benchmarkFunction(b, "f32", vecmath.Softmax[float32])
}

func BenchmarkLogSoftmax(b *testing.B) {
	benchmarkFunction(b, "f64", vecmath.LogSoftmax[float64])
	benchmarkFunction(b, "f32", vecmath.LogSoftmax[float32])
}

func BenchmarkLogSumExp(b *testing.B) {
	benchmarkFunction(b, "f64", func(dst, src []float64) { dst[0] = vecmath.LogSumExp(src) })
	benchmarkFunction(b, "f32", func(dst, src []float32) { dst[0] = vecmath.LogSumExp(src) })
}

func benchmarkFunction[T vecmath.Float](b *testing.B, name string, f func(dst, src []T)) {
	for lv := range asmtest.Each(b) {
		for _, n := range []int{10, 100, 1000, 1024, 32768} {
			b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d", name, lv, n), func(b *testing.B) {
				dst, src := make([]T, n), asmtest.Random[T](n)
				for b.Loop() {
					f(dst, src)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
			})
		}
	}
}
