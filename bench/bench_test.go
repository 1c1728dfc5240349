package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/search"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/vecmath"
	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/mat"
)

// typeName returns the name of T in benchmark names: f64 or f32.
func typeName[T dist.Float]() string {
	if size[T]() == 8 {
		return "f64"
	}
	return "f32"
}

func size[T dist.Float]() int {
	var x T
	return int(unsafe.Sizeof(x))
}

// normal returns a rows × cols matrix of standard normal elements.
func normal[T dist.Float](rows, cols int, seed uint64) dist.Matrix[T] {
	rng := rand.New(rand.NewPCG(seed, uint64(rows)))
	m := dist.NewMatrix[T](rows, cols, nil)
	for i := range m.Data {
		m.Data[i] = T(rng.NormFloat64())
	}
	return m
}

// perElement reports the time per element, for a benchmark that processes n elements in each iteration.
func perElement(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
}

// rate reports the rate of floating-point operations, for a benchmark with n operations in each iteration.
func rate(b *testing.B, n int) {
	b.ReportMetric(float64(n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
}

// BenchmarkPair measures functions of two slices.
func BenchmarkPair(b *testing.B) {
	benchmarkPair[float64](b)
	benchmarkPair[float32](b)
}

func benchmarkPair[T dist.Float](b *testing.B) {
	for _, n := range []int{16, 128, 384, 1536} {
		x, y := normal[T](1, n, 1).Data, normal[T](1, n, 2).Data
		for _, f := range []struct {
			name string
			of   func(x, y []T) T
		}{{"Dot", vecmath.Dot[T]}, {"SqEuclidean", vecmath.SqEuclidean[T]}, {"CosineSimilarity", vecmath.CosineSimilarity[T]}} {
			b.Run(fmt.Sprintf("%s/type=%s/isa=%v/n=%d", f.name, typeName[T](), asm.Current(), n), func(b *testing.B) {
				for b.Loop() {
					f.of(x, y)
				}
			})
		}
	}
}

func BenchmarkExp(b *testing.B) {
	benchmarkExp[float64](b)
	benchmarkExp[float32](b)
}

func benchmarkExp[T dist.Float](b *testing.B) {
	for _, n := range []int{64, 1024, 1031, 1 << 16, 1 << 22} {
		b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d", typeName[T](), asm.Current(), n), func(b *testing.B) {
			x, dst := normal[T](1, n, 1).Data, make([]T, n)
			b.SetBytes(int64(2 * n * size[T]()))
			for b.Loop() {
				matrix.Exp(dst, x)
			}
			perElement(b, n)
		})
	}
}

// clouds contains point counts n and dimensions d of pairs of point clouds. Some clouds fit in the L1 or L2 cache, some are
// larger, and some have odd sizes.
var clouds = []struct{ n, d int }{{50, 10}, {100, 10}, {256, 64}, {1000, 2}, {1000, 10}, {1000, 784}, {1031, 17}, {3000, 10}}

func BenchmarkSqEuclidean(b *testing.B) {
	benchmarkClouds[float64](b, 0, func(dst, x, z dist.Matrix[float64]) { dist.SqEuclidean(dst, x, z) })
	benchmarkClouds[float32](b, 0, func(dst, x, z dist.Matrix[float32]) { dist.SqEuclidean(dst, x, z) })
}

func BenchmarkGibbs(b *testing.B) {
	benchmarkClouds[float64](b, 8, func(dst, x, z dist.Matrix[float64]) { dist.Gibbs(dst, x, z, .5/float64(x.Cols)) })
	benchmarkClouds[float32](b, 8, func(dst, x, z dist.Matrix[float32]) { dist.Gibbs(dst, x, z, .5/float32(x.Cols)) })
}

// benchmarkClouds measures f on all clouds. It counts d + extra fused multiply-adds for each element of dst. It does not
// count subtractions.
func benchmarkClouds[T dist.Float](b *testing.B, extra int, f func(dst, x, z dist.Matrix[T])) {
	for _, s := range clouds {
		b.Run(fmt.Sprintf("type=%s/isa=%v/m=%d/n=%d/d=%d", typeName[T](), asm.Current(), s.n, s.n, s.d), func(b *testing.B) {
			x, z, dst := normal[T](s.n, s.d, 1), normal[T](s.n, s.d, 2), dist.NewMatrix[T](s.n, s.n, nil)
			b.SetBytes(int64((s.n*s.n + 2*s.n*s.d) * size[T]()))
			for b.Loop() {
				f(dst, x, z)
			}
			rate(b, 2*s.n*s.n*(s.d+extra))
		})
	}
}

func BenchmarkProject(b *testing.B) {
	benchmarkProject[float64](b)
	benchmarkProject[float32](b)
}

func benchmarkProject[T dist.Float](b *testing.B) {
	for _, s := range []struct{ n, d, p int }{{1, 384, 16}, {1, 784, 10}, {100, 30, 2}, {1000, 784, 10}, {1000, 784, 20}, {500, 4096, 14}, {1031, 617, 13}} {
		b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d/d=%d/p=%d", typeName[T](), asm.Current(), s.n, s.d, s.p), func(b *testing.B) {
			x, p, dst := normal[T](s.n, s.d, 1), normal[T](s.d, s.p, 2), dist.NewMatrix[T](s.n, s.p, nil)
			b.SetBytes(int64((s.n*s.d + s.d*s.p + s.n*s.p) * size[T]()))
			for b.Loop() {
				dist.Project(dst, x, p, nil)
			}
			rate(b, 2*s.n*s.d*s.p)
		})
	}
}

// BenchmarkSearch measures searches for the ten nearest stored rows, with one query or 16 queries in one call.
func BenchmarkSearch(b *testing.B) {
	for _, s := range []struct{ m, n, d int }{{1, 1000, 384}, {16, 1000, 384}, {1, 100_000, 384}, {16, 100_000, 384}} {
		x, q := normal[float32](s.n, s.d, 1), normal[float32](s.m, s.d, 2)
		for _, storage := range []search.Storage{search.StorageFloat32, search.StorageFloat16, search.StorageInt8} {
			b.Run(fmt.Sprintf("storage=%v/isa=%v/m=%d/n=%d/d=%d", storage, asm.Current(), s.m, s.n, s.d), func(b *testing.B) {
				rows, err := search.NewRows(x, storage)
				if err != nil {
					b.Fatal(err)
				}
				var searcher search.Searcher
				for b.Loop() {
					searcher.Nearest(b.Context(), rows, q, 10, search.MeasureSqEuclidean)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(s.m), "µs/query")
			})
		}
	}
}

// BenchmarkSolve measures ten iterations between two clouds in ten dimensions, without and with the gradient with respect
// to the points.
func BenchmarkSolve(b *testing.B) {
	benchmarkSolve[float64](b)
	benchmarkSolve[float32](b)
}

func benchmarkSolve[T dist.Float](b *testing.B) {
	for lv := range asmtest.Each(b) {
		for _, domain := range []sinkhorn.Domain{sinkhorn.DomainPlain, sinkhorn.DomainLog} {
			for _, gradient := range []bool{false, true} {
				for _, n := range []int{64, 100, 256, 1000} {
					if lv == asm.Ref && n > 256 {
						continue
					}
					b.Run(fmt.Sprintf("type=%s/isa=%v/domain=%v/gradient=%t/n=%d", typeName[T](), lv, domain, gradient, n), func(b *testing.B) {
						s, err := sinkhorn.NewSolver[T](&sinkhorn.Settings{Lambda: .1, Domain: domain, Gradient: gradient})
						if err != nil {
							b.Fatal(err)
						}
						ctx := context.Background()
						p := &sinkhorn.Problem[T]{X: normal[T](n, 10, 1), Y: normal[T](n, 10, 2)}
						dx, dy := dist.NewMatrix[T](n, 10, nil), dist.NewMatrix[T](n, 10, nil)
						for b.Loop() {
							r, err := s.Solve(ctx, p)
							if err != nil {
								b.Fatal(err)
							}
							if gradient {
								if err := r.PointGradientTo(ctx, dx, dy, sinkhorn.GradientUnrolled); err != nil {
									b.Fatal(err)
								}
							}
						}
						perElement(b, 10*n*n)
					})
				}
			}
		}
	}
}

// clusters returns n samples of 10 Gaussian classes in d dimensions.
func clusters(n, d int) (*mat.Dense, []int) {
	const classes = 10
	rng := rand.New(rand.NewPCG(3, 3))
	center := make([]float64, classes*d)
	for i := range center {
		center[i] = rng.NormFloat64()
	}
	x, labels := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		labels[i] = i % classes
		for k := range d {
			x.Set(i, k, center[labels[i]*d+k]+2*rng.NormFloat64())
		}
	}
	return x, labels
}

// BenchmarkCostGradient measures one evaluation of the cost of WDA with its gradient. It runs a fit with a few conjugate
// gradient steps, and divides the time between the first and the last step by the number of gradients. The result is an upper
// bound, because line searches evaluate the cost more often than the gradient.
func BenchmarkCostGradient(b *testing.B) {
	for _, s := range []struct{ n, d, p int }{{200, 30, 2}, {1000, 784, 10}} {
		x, labels := clusters(s.n, s.d)
		for _, single := range []bool{false, true} {
			name := map[bool]string{false: "f64", true: "f32"}[single]
			for lv := range asmtest.Each(b) {
				if lv == asm.Ref && s.n > 200 {
					continue
				}
				for _, workers := range []int{1, 2} {
					b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d/d=%d/p=%d/workers=%d", name, lv, s.n, s.d, s.p, workers), func(b *testing.B) {
						var first, last time.Time
						var total time.Duration
						gradients := 0
						set := &wda.Settings{
							Components: s.p, // these settings leave nothing for Fit to choose
							Data:       wda.Data{Whitening: wda.NoWhitening()},
							Objective:  wda.Objective{Lambda: wda.RelativeLambda(1), Shrinkage: wda.FixedShrinkage(0), Float32: single},
							Scale:      wda.ScaleOrthonormal,
							Leading:    s.p,
							Optimizer:  wda.Optimizer{Method: wda.ConjugateGradient{}, MaxSteps: 5},
							Workers:    workers,
							Progress: func(at wda.Progress) error {
								last = time.Now()
								if at.Step.Index == 0 {
									first = last
								}
								return nil
							},
						}
						ctx := context.Background()
						for b.Loop() {
							m, err := wda.Fit(ctx, x, labels, set)
							if err != nil {
								b.Fatal(err)
							}
							total += last.Sub(first)
							gradients += m.Report().Evaluations.Gradients - 1
						}
						b.ReportMetric(float64(total)/float64(gradients), "ns/gradient")
					})
				}
			}
		}
	}
}

func model(b *testing.B, d, p int) *wda.Model {
	x, labels := clusters(100, d)
	m, err := wda.Fit(context.Background(), x, labels, &wda.Settings{Components: p, Optimizer: wda.Optimizer{Method: wda.SteepestDescent{}, MaxSteps: 1}})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

func BenchmarkTransformVec(b *testing.B) {
	for _, s := range []struct{ d, p int }{{30, 2}, {784, 10}, {4096, 14}} {
		b.Run(fmt.Sprintf("type=f64/isa=%v/d=%d/p=%d", asm.Current(), s.d, s.p), func(b *testing.B) {
			m := model(b, s.d, s.p)
			x, dst := normal[float64](1, s.d, 1).Data, make([]float64, s.p)
			b.ReportAllocs()
			b.SetBytes(int64(8 * (s.d + s.d*s.p + s.p)))
			for b.Loop() {
				m.TransformVec(dst, x)
			}
			rate(b, 2*s.d*s.p)
		})
	}
}

func BenchmarkTransform(b *testing.B) {
	for _, s := range []struct{ n, d, p int }{{1000, 784, 10}, {500, 4096, 14}} {
		b.Run(fmt.Sprintf("type=f64/isa=%v/n=%d/d=%d/p=%d", asm.Current(), s.n, s.d, s.p), func(b *testing.B) {
			m := model(b, s.d, s.p)
			x, dst := mat.NewDense(s.n, s.d, normal[float64](s.n, s.d, 1).Data), mat.NewDense(s.n, s.p, nil)
			b.ReportAllocs()
			b.SetBytes(int64(8 * (s.n*s.d + s.d*s.p + s.n*s.p)))
			for b.Loop() {
				m.Transform(dst, x)
			}
			rate(b, 2*s.n*s.d*s.p)
		})
	}
}
