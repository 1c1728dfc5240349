package distance

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func BenchmarkSqEuclidean(b *testing.B) {
	for _, s := range []struct{ m, n, d int }{
		{100, 100, 10}, {101, 103, 7}, // L1 and L2
		{256, 256, 64},                                     // L2
		{1000, 1000, 2}, {1000, 1000, 10}, {1000, 96, 256}, // dst fits the L3 cache; the last shape is one panel of SqEuclidean
		{3000, 3000, 10}, // dst does not fit the L3 cache
	} {
		sqEuclideanBenchmark[float64](b, "f64", s.m, s.n, s.d)
		sqEuclideanBenchmark[float32](b, "f32", s.m, s.n, s.d)
	}
}

func sqEuclideanBenchmark[T num.Float](b *testing.B, name string, m, n, d int) {
	for lv := range asmtest.Each(b) {
		b.Run(fmt.Sprintf("type=%s/isa=%v/m=%d/n=%d/d=%d", name, lv, m, n, d), func(b *testing.B) {
			x, zt, dst := make([]T, m*d), make([]T, d*n), make([]T, m*n)
			asmtest.Fill(asmtest.NewRand(1), x, asmtest.Gauss)
			asmtest.Fill(asmtest.NewRand(2), zt, asmtest.Gauss)
			var e T
			b.SetBytes(int64(len(x)+len(zt)+len(dst)) * int64(unsafe.Sizeof(e)))
			for b.Loop() {
				SqEuclidean(m, n, d, dst, n, x, d, zt, n, false)
			}
			// The rate counts only the FMAs, not the subtractions.
			b.ReportMetric(2*float64(m*n*d)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkGibbs(b *testing.B) {
	for _, s := range []struct{ m, n, d int }{
		{50, 50, 2}, {53, 61, 7}, // L1
		{100, 100, 10}, {200, 200, 64}, // L2
		{1000, 1000, 2}, {1000, 1000, 10}, {1000, 1000, 64}, // L3
		{3000, 3000, 10}, // beyond L3
	} {
		gibbsBenchmark[float64](b, "f64", s.m, s.n, s.d)
		gibbsBenchmark[float32](b, "f32", s.m, s.n, s.d)
	}
}

func gibbsBenchmark[T num.Float](b *testing.B, name string, m, n, d int) {
	for lv := range asmtest.Each(b) {
		b.Run(fmt.Sprintf("type=%s/isa=%v/m=%d/n=%d/d=%d", name, lv, m, n, d), func(b *testing.B) {
			x, zt, k := make([]T, m*d), make([]T, d*n), make([]T, m*n)
			asmtest.Fill(asmtest.NewRand(1), x, asmtest.Gauss)
			asmtest.Fill(asmtest.NewRand(2), zt, asmtest.Gauss)
			var e T
			b.SetBytes(int64(len(x)+len(zt)+len(k)) * int64(unsafe.Sizeof(e)))
			for b.Loop() {
				Gibbs(m, n, d, k, n, nil, 0, x, d, zt, n, T(-1/float64(d)))
			}
			ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(ns/float64(m*n), "ns/elem")
			b.ReportMetric(2*float64(m*n*(d+8))/ns, "GFLOP/s") // 2^y takes 8 FMAs, as in doc.go
		})
	}
}

// BenchmarkAdjCost measures AdjCost with r = 20, which is the number of terms of ten Sinkhorn
// iterations. Each call overwrites the same block of 64 rows of G, as in the computation of a
// gradient.
func BenchmarkAdjCost(b *testing.B) {
	adjcostBenchmark[float64](b, "f64")
	adjcostBenchmark[float32](b, "f32")
}

func adjcostBenchmark[T num.Float](b *testing.B, name string) {
	const r, rows = 20, 64
	for lv := range asmtest.Each(b) {
		for _, n := range []int{64, 100, 256, 1000, 2000, 4000} {
			b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d/r=%d", name, lv, n, r), func(b *testing.B) {
				k, mat, left, right, u, v := asmtest.Random[T](n*n), asmtest.Random[T](n*n), asmtest.Random[T](n*r), asmtest.Random[T](r*n), asmtest.Random[T](n), asmtest.Random[T](n)
				g := make([]T, rows*n)
				b.SetBytes(int64(2*n*n) * int64(unsafe.Sizeof(g[0])))
				for b.Loop() {
					for i := 0; i < n; i += rows {
						AdjCost(min(rows, n-i), n, r, g, n, k[i*n:], n, mat[i*n:], n, left[i*r:], r, right, n, u[i:], v, 1.5)
					}
				}
				ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				b.ReportMetric(ns/float64(n*n), "ns/elem")
				b.ReportMetric(2*(r+3)*float64(n*n)/ns, "GFLOP/s")
			})
		}
	}
}
