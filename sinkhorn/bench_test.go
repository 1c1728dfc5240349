package sinkhorn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
)

// BenchmarkSolve is one solve of n against n points in 10 dimensions, ten
// iterations. Metric iter/s counts iterations, the kernel's included.
func BenchmarkSolve(b *testing.B) {
	benchmarkSolve[float64](b, "f64", AutoStorage)
	benchmarkSolve[float64](b, "mixed", Mixed)
	benchmarkSolve[float32](b, "f32", AutoStorage)
}

func benchmarkSolve[T dist.Float](b *testing.B, name string, storage Storage) {
	for _, what := range []string{"cost", "gradient", "log", "loggradient"} {
		for _, lv := range asm.Available() {
			for _, n := range []int{64, 100, 256, 1000} {
				if lv == asm.Ref && n > 100 {
					continue
				}
				b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d/what=%s", name, lv, n, what), func(b *testing.B) {
					rng := rand.New(rand.NewPCG(1, 2))
					x, y := cloud[T](rng, n, 10, 0), cloud[T](rng, n, 10, 0.3)
					ctx := asm.WithLevel(b.Context(), lv)
					set := Settings{Lambda: 0.05, Gradient: what == "gradient", Storage: storage}
					if what == "log" || what == "loggradient" {
						set.Domain, set.Lambda, set.Gradient = Log, 5, what == "loggradient"
					}
					s, err := NewSolver[T](set)
					if err != nil {
						b.Fatal(err)
					}
					p := &Problem[T]{X: x, Y: y}
					dx, dy := dist.NewMatrix[T](n, 10, nil), dist.NewMatrix[T](n, 10, nil)
					b.ReportAllocs()
					for b.Loop() {
						r, err := s.Solve(ctx, p)
						if err != nil {
							b.Fatal(err)
						}
						if set.Gradient {
							if err := r.PointGradientTo(ctx, dx, dy); err != nil {
								b.Fatal(err)
							}
						}
					}
				})
			}
		}
	}
}

// BenchmarkWorkers is ten iterations of one large problem, with one worker and with
// all: the speed-up of the parallel passes.
func BenchmarkWorkers(b *testing.B) {
	for _, storage := range []Storage{Stored, Mixed, MatrixFree} {
		for _, n := range []int{1000, 2000, 4000} {
			for _, workers := range []int{1, 0} {
				b.Run(fmt.Sprintf("type=f64/storage=%v/n=%d/workers=%d", storage, n, workers), func(b *testing.B) {
					rng := rand.New(rand.NewPCG(1, 2))
					p := &Problem[float64]{X: cloud[float64](rng, n, 2, 0), Y: cloud[float64](rng, n, 2, 0.3), Lambda: 0.5}
					s, err := NewSolver[float64](Settings{Storage: storage, Workers: workers})
					if err != nil {
						b.Fatal(err)
					}
					for b.Loop() {
						if _, err := s.Solve(b.Context(), p); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*n)/12, "ns/elem/pass")
				})
			}
		}
	}
}

// BenchmarkBatch is a thousand problems of 64 against 64 points.
func BenchmarkBatch(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	ps := make([]Problem[float64], 1000)
	for i := range ps {
		ps[i] = Problem[float64]{X: cloud[float64](rng, 64, 10, 0), Y: cloud[float64](rng, 64, 10, 0.3), Lambda: 0.05}
	}
	for _, workers := range []int{1, 0} {
		b.Run(fmt.Sprintf("type=f64/n=64/workers=%d", workers), func(b *testing.B) {
			s, err := NewSolver[float64](Settings{Workers: workers})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				err := s.SolveBatch(b.Context(), ps, func(_ int, _ *Result[float64], err error) {
					if err != nil {
						b.Error(err)
					}
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e3/float64(len(ps)), "µs/problem")
		})
	}
}
