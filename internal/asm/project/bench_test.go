package project

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

var sizes = []struct{ m, p, d int }{
	{8, 10, 100}, {1, 10, 784}, {101, 7, 13}, // L1
	{100, 10, 300},                                    // L2
	{1000, 10, 784}, {1000, 14, 784}, {1000, 20, 784}, // L3
	{1000, 2, 784}, {1000, 64, 784},
	{12000, 10, 784}, // beyond L3
}

func BenchmarkMul(b *testing.B) {
	for _, s := range sizes {
		benchmark(b, "f64", s.m, s.p, s.d, Mul[float64], s.d*s.p, s.m, s.p)
		benchmark(b, "f32", s.m, s.p, s.d, Mul[float32], s.d*s.p, s.m, s.p)
	}
}

func BenchmarkTransMul(b *testing.B) {
	for _, s := range append(sizes, struct{ m, p, d int }{8, 11, 1000}) { // the gradient with respect to points needs products of this size
		benchmark(b, "f64", s.m, s.p, s.d, TransMul[float64], s.m*s.p, s.p, s.d)
		benchmark(b, "f32", s.m, s.p, s.d, TransMul[float32], s.m*s.p, s.p, s.d)
	}
}

// benchmark runs f on an m × d matrix and a second operand with operandSize elements. The output is a rows × cols
// matrix.
func benchmark[T num.Float](b *testing.B, name string, m, p, d int,
	f func(m, p, d int, out []T, ldo int, x []T, ldx int, in []T, ldi int, add bool), operandSize, rows, cols int) {
	for lv := range asmtest.Each(b) {
		b.Run(fmt.Sprintf("type=%s/isa=%v/m=%d/p=%d/d=%d", name, lv, m, p, d), func(b *testing.B) {
			x, op, dst := make([]T, m*d), make([]T, operandSize), make([]T, rows*cols)
			asmtest.Fill(asmtest.NewRand(1), x, asmtest.Gauss)
			asmtest.Fill(asmtest.NewRand(2), op, asmtest.Gauss)
			var e T
			b.SetBytes(int64(len(x)+len(op)+len(dst)) * int64(unsafe.Sizeof(e)))
			for b.Loop() {
				f(m, p, d, dst, cols, x, d, op, p, false)
			}
			b.ReportMetric(2*float64(m*p*d)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

// BenchmarkPanel measures Panel for one panel and 96 packed rows of 264 features, the block size of package gram.
func BenchmarkPanel(b *testing.B) {
	b.Run("type=f64", benchmarkPanel[float64])
	b.Run("type=f32", benchmarkPanel[float32])
}

func benchmarkPanel[T num.Float](b *testing.B) {
	const m, d = 96, 264
	w := PanelColumns[T]()
	for lv := range asmtest.Each(b) {
		b.Run(fmt.Sprintf("isa=%v", lv), func(b *testing.B) {
			rng := asmtest.NewRand(1)
			a, p, y := asmtest.Values[T](rng, m*d, asmtest.Gauss), asmtest.Values[T](rng, d*w, asmtest.Gauss), make([]T, m*w)
			r, s, h := make([]T, m), make([]T, w), make([]T, w)
			for b.Loop() {
				Panel(m, d, y, w, a, p, r, s, r, h)
			}
			b.ReportMetric(float64(m*d*w)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "FMA/ns")
		})
	}
}

func BenchmarkPack(b *testing.B) {
	b.Run("type=f64", benchmarkPack[float64])
	b.Run("type=f32", benchmarkPack[float32])
}

func benchmarkPack[T num.Float](b *testing.B) {
	const d = 264
	w := PanelColumns[T]()
	for lv := range asmtest.Each(b) {
		b.Run(fmt.Sprintf("isa=%v", lv), func(b *testing.B) {
			x, to := asmtest.Values[T](asmtest.NewRand(1), 4*d, asmtest.Gauss), make([]T, d*w)
			for b.Loop() {
				Pack(d, to, w, x, d, -2)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(4*d)/float64(b.N), "ns/element")
		})
	}
}

// BenchmarkNorms reads rows that fit in the first-level cache, and a matrix that is larger than the second-level cache.
func BenchmarkNorms(b *testing.B) {
	b.Run("type=f64", benchmarkNorms[float64])
	b.Run("type=f32", benchmarkNorms[float32])
}

func benchmarkNorms[T num.Float](b *testing.B) {
	rows := NormRows[T]()
	for _, s := range [][2]int{{1, 100}, {40, 784}} {
		tiles, d := s[0], s[1]
		for lv := range asmtest.Each(b) {
			b.Run(fmt.Sprintf("d=%d/isa=%v", d, lv), func(b *testing.B) {
				x, n := asmtest.Values[T](asmtest.NewRand(1), tiles*rows*d, asmtest.Gauss), make([]T, rows)
				for b.Loop() {
					for i := range tiles {
						Norms(d, n, x[i*rows*d:], d, false)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(len(x))/float64(b.N), "ns/element")
			})
		}
	}
}
