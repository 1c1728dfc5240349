package pass

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// BenchmarkPass measures each pass over an n × n matrix. Iterate is a Sinkhorn iteration without
// the n divisions of v = b ⊘ q.
func BenchmarkPass(b *testing.B) {
	benchmark(b, "f64", kernels[float64, float64]())
	benchmark(b, "f32", kernels[float32, float32]())
	benchmark(b, "mixed", kernels[float32, float64]())
}

func benchmark[K, T num.Float](b *testing.B, types string, ks []kernel[K, T]) {
	for _, k := range ks {
		moved := 1 // number of matrices that the pass reads
		if k.name == "Begin" {
			moved = 2
		}
		sizes(b, "kernel="+k.name+"/type="+types, func(b *testing.B, n int) {
			o := randomOperands[K, T](n, n)
			b.SetBytes(int64(moved*n*n) * int64(unsafe.Sizeof(o.k[0])))
			for b.Loop() {
				clear(o.q)
				k.run(o)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*n), "ns/elem")
		})
	}
}

func sizes(b *testing.B, name string, f func(b *testing.B, n int)) {
	for lv := range asmtest.Each(b) {
		for _, n := range []int{64, 100, 256, 1000, 2000, 4000} {
			b.Run(fmt.Sprintf("%s/isa=%v/n=%d", name, lv, n), func(b *testing.B) { f(b, n) })
		}
	}
}

// BenchmarkVector measures the elementwise functions on n elements.
func BenchmarkVector(b *testing.B) {
	divideBenchmark[float64](b, "f64")
	divideBenchmark[float32](b, "f32")
	wide, narrow := asmtest.Random[float64](4000), make([]float32, 4000)
	vector(b, "kernel=Narrow/type=mixed", 12, func(n int) { Narrow(narrow[:n], wide) })
	vector(b, "kernel=Widen/type=mixed", 12, func(n int) { Widen(wide[:n], narrow) })
}

func divideBenchmark[T num.Float](b *testing.B, types string) {
	x, y, dst := asmtest.Random[T](4000), asmtest.Random[T](4000), make([]T, 4000)
	size := int(unsafe.Sizeof(x[0]))
	vector(b, "kernel=Divide/type="+types, 3*size, func(n int) { Divide(dst[:n], x, y) })
	vector(b, "kernel=CountOutside/type="+types, size, func(n int) { CountOutside(x[:n], 0.25, 0.75) })
}

// vector benchmarks f, which reads and writes the given number of bytes for each element.
func vector(b *testing.B, name string, bytes int, f func(n int)) {
	sizes(b, name, func(b *testing.B, n int) {
		b.SetBytes(int64(bytes * n))
		for b.Loop() {
			f(n)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
	})
}
