package sinkhorn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/gibbs"
)

// BenchmarkSolve measures ten iterations for two clouds of n points in 10 dimensions.
func BenchmarkSolve(b *testing.B) {
	benchmarkSolve[float64](b, "f64", StorageAuto)
	benchmarkSolve[float64](b, "mixed", StorageMixed)
	benchmarkSolve[float32](b, "f32", StorageAuto)
}

func benchmarkSolve[T dist.Float](b *testing.B, name string, storage Storage) {
	for _, what := range []string{"cost", "gradient", "log", "loggradient"} {
		for lv := range asmtest.Each(b) {
			for _, n := range []int{64, 100, 256, 1000} {
				if lv == asm.Ref && n > 100 {
					continue
				}
				b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d/what=%s", name, lv, n, what), func(b *testing.B) {
					rng := rand.New(rand.NewPCG(1, 2))
					x, y := cloud[T](rng, n, 10, 0), cloud[T](rng, n, 10, 0.3)
					ctx := b.Context()
					set := Settings{Lambda: 0.05, Gradient: what == "gradient", Storage: storage}
					if what == "log" || what == "loggradient" {
						set.Domain, set.Lambda, set.Gradient = DomainLog, 5, what == "loggradient"
					}
					s, err := newSolver[T](&set)
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
							if err := r.PointGradientTo(ctx, dx, dy, GradientUnrolled); err != nil {
								b.Fatal(err)
							}
						}
					}
				})
			}
		}
	}
}

// BenchmarkIteration measures the mean time of an iteration, without and with gradients. With gradients, the time includes the
// iteration's step in the reverse pass. Some row lengths are not multiples of the vector length.
func BenchmarkIteration(b *testing.B) {
	benchmarkIteration[float64](b, "f64", StorageDense)
	benchmarkIteration[float64](b, "mixed", StorageMixed)
	benchmarkIteration[float32](b, "f32", StorageDense)
}

func benchmarkIteration[T dist.Float](b *testing.B, name string, storage Storage) {
	const iterations = 100
	for lv := range asmtest.Each(b) {
		for _, n := range []int{64, 97, 100, 101, 117, 256, 301, 512, 999, 1024} {
			for _, gradient := range []bool{false, true} {
				b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d/gradient=%t", name, lv, n, gradient), func(b *testing.B) {
					rng := rand.New(rand.NewPCG(1, 2))
					cost := dist.NewMatrix[T](n, n, nil)
					for i := range cost.Data {
						cost.Data[i] = T(rng.Float64())
					}
					s, err := newSolver[T](&Settings{Lambda: 2, Iterations: iterations, Storage: storage, Gradient: gradient, Domain: DomainPlain})
					if err != nil {
						b.Fatal(err)
					}
					ctx := b.Context()
					for b.Loop() {
						r, err := s.Solve(ctx, &Problem[T]{Cost: cost})
						if err == nil && gradient {
							err = r.CostGradientTo(ctx, square(&s.half.g, n), GradientUnrolled)
						}
						if err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/iterations/1e3, "µs/iteration")
				})
			}
		}
	}
}

// square returns an n × n matrix in the memory of *v.
func square[T dist.Float](v *[]T, n int) dist.Matrix[T] {
	gibbs.Grow(v, n*n)
	return dist.NewMatrix(n, n, *v)
}

// BenchmarkWorkers measures ten iterations of one large problem with one worker and with all
// workers, to show the speed-up of the parallel passes.
func BenchmarkWorkers(b *testing.B) {
	for _, storage := range []Storage{StorageDense, StorageMixed, StorageMatrixFree} {
		for _, n := range []int{1000, 2000, 4000} {
			for _, workers := range []int{1, 0} {
				b.Run(fmt.Sprintf("type=f64/storage=%v/n=%d/workers=%d", storage, n, workers), func(b *testing.B) {
					rng := rand.New(rand.NewPCG(1, 2))
					p := &Problem[float64]{X: cloud[float64](rng, n, 2, 0), Y: cloud[float64](rng, n, 2, 0.3), Lambda: 0.5}
					s, err := newSolver[float64](&Settings{Storage: storage, Workers: workers})
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

// BenchmarkTogether compares Solve with SolveBatch for sixteen problems with one cost matrix, on one core and on all cores. The
// metric µs/problem is the time per problem.
func BenchmarkTogether(b *testing.B) {
	benchmarkTogether[float64](b, "f64", StorageAuto)
	benchmarkTogether[float64](b, "mixed", StorageMixed)
	benchmarkTogether[float32](b, "f32", StorageAuto)
}

func benchmarkTogether[T dist.Float](b *testing.B, name string, storage Storage) {
	for _, n := range []int{64, 256, 1000, 4000} {
		rng := rand.New(rand.NewPCG(1, 2))
		cost := dist.NewMatrix[T](n, n, nil)
		for i := range cost.Data {
			cost.Data[i] = T(rng.Float64())
		}
		ps := make([]Problem[T], 16)
		for i := range ps {
			ps[i] = Problem[T]{Cost: cost, B: gradientWeights[T](rng, n, false), Lambda: 2}
		}
		for _, iterations := range []int{10, 100} {
			solveMany(b, fmt.Sprintf("type=%s/isa=%v/n=%d/iterations=%d", name, asm.Current(), n, iterations), Settings{Iterations: iterations, Storage: storage}, ps)
		}
	}
}

// BenchmarkTiny is like BenchmarkTogether, but for ten thousand small problems that do not share K.
func BenchmarkTiny(b *testing.B) {
	benchmarkTiny[float64](b, "f64")
	benchmarkTiny[float32](b, "f32")
}

func benchmarkTiny[T dist.Float](b *testing.B, name string) {
	for _, n := range []int{8, 16, 32} {
		rng := rand.New(rand.NewPCG(1, 2))
		ps := make([]Problem[T], 10000)
		for i := range ps {
			ps[i] = Problem[T]{X: cloud[T](rng, n, 2, 0), Y: cloud[T](rng, n, 2, 0.3), Lambda: 0.5}
		}
		solveMany(b, fmt.Sprintf("type=%s/isa=%v/n=%d/given=points", name, asm.Current(), n), Settings{}, ps)
		for i := range ps {
			ps[i] = Problem[T]{Cost: dist.NewMatrix[T](n, n, nil), Lambda: 0.5}
			for j := range ps[i].Cost.Data {
				ps[i].Cost.Data[j] = T(rng.Float64())
			}
		}
		solveMany(b, fmt.Sprintf("type=%s/isa=%v/n=%d/given=costs", name, asm.Current(), n), Settings{}, ps)
	}
}

// solveMany solves problems one by one and as a batch, on one core and on all cores.
func solveMany[T dist.Float](b *testing.B, name string, set Settings, ps []Problem[T]) {
	for _, set.Workers = range []int{1, 0} {
		for _, batch := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/workers=%d/batch=%t", name, set.Workers, batch), func(b *testing.B) {
				s, err := newSolver[T](&set)
				if err != nil {
					b.Fatal(err)
				}
				visit := func(_ int, _ *Result[T], err error) {
					if err != nil {
						b.Error(err)
					}
				}
				b.ReportAllocs()
				for b.Loop() {
					if batch {
						if err := s.SolveBatch(b.Context(), ps, visit); err != nil {
							b.Fatal(err)
						}
						continue
					}
					for i := range ps {
						r, err := s.Solve(b.Context(), &ps[i])
						visit(i, r, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(len(ps)), "µs/problem")
			})
		}
	}
}

// BenchmarkBatch measures a thousand problems of 64 × 64 points.
func BenchmarkBatch(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	ps := make([]Problem[float64], 1000)
	for i := range ps {
		ps[i] = Problem[float64]{X: cloud[float64](rng, 64, 10, 0), Y: cloud[float64](rng, 64, 10, 0.3), Lambda: 0.05}
	}
	for _, workers := range []int{1, 0} {
		b.Run(fmt.Sprintf("type=f64/n=64/workers=%d", workers), func(b *testing.B) {
			s, err := newSolver[float64](&Settings{Workers: workers})
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

// BenchmarkGuard measures the check for concurrent use. Every method of a solver or a result makes this check.
func BenchmarkGuard(b *testing.B) {
	s, err := newSolver[float64](&Settings{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		func() {
			s.markBusy()
			defer s.markFree()
		}()
	}
}

// BenchmarkCancel measures how long a call continues after its context has ended at a random time:
// median, 99th percentile and maximum.
func BenchmarkCancel(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name             string
		n, iterations    int
		storage          Storage
		domain           Domain
		gradient, batch  bool
		lambda, duration float64 // duration is the approximate time of the canceled call in ms
	}{
		{"small", 64, 1e6, StorageDense, DomainPlain, false, false, .05, 5},
		{"small/log", 64, 1e6, StorageDense, DomainLog, false, false, 5, 5},
		{"large", 3000, 1e6, StorageDense, DomainPlain, false, false, .05, 100},
		{"free", 20000, 1e6, StorageMatrixFree, DomainPlain, false, false, .05, 100},
		{"gradient/L=10000", 300, 1e4, StorageDense, DomainPlain, true, false, .05, 600},
		{"batch", 64, 10, StorageDense, DomainPlain, false, true, .05, 10},
	} {
		b.Run("call="+c.name, func(b *testing.B) {
			s, err := newSolver[float64](&Settings{Iterations: c.iterations, Storage: c.storage, Domain: c.domain, Gradient: c.gradient})
			if err != nil {
				b.Fatal(err)
			}
			x, y := cloud[float64](rng, c.n, 10, 0), cloud[float64](rng, c.n, 10, 0.3)
			p := Problem[float64]{X: x, Y: y, Lambda: c.lambda}
			many := make([]Problem[float64], 10000)
			for i := range many {
				many[i] = p
			}
			dx, dy := dist.NewMatrix[float64](c.n, 10, nil), dist.NewMatrix[float64](c.n, 10, nil)
			var late []time.Duration
			for b.Loop() {
				ctx, cancel := context.WithCancel(b.Context())
				var ended time.Time
				timer := time.AfterFunc(time.Duration(rng.Float64()*c.duration*float64(time.Millisecond)), func() {
					ended = time.Now()
					cancel()
				})
				if c.batch {
					err = s.SolveBatch(ctx, many, func(int, *Result[float64], error) {})
				} else {
					var r *Result[float64]
					if r, err = s.Solve(ctx, &p); err == nil && c.gradient {
						err = r.PointGradientTo(ctx, dx, dy, GradientUnrolled)
					}
				}
				if err != nil {
					late = append(late, time.Since(ended))
				}
				timer.Stop()
				cancel()
			}
			if len(late) == 0 {
				b.Skip("it was never early enough")
			}
			slices.Sort(late)
			for name, i := range map[string]int{"p50-ms": len(late) / 2, "p99-ms": len(late) * 99 / 100, "max-ms": len(late) - 1} {
				b.ReportMetric(float64(late[i].Nanoseconds())/1e6, name)
			}
		})
	}
}
