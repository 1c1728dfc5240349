package emd

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
)

// benchCosts returns an n × n matrix of one kind: distances of points in 2 or 10 dimensions, random numbers, or random integers
// from 0 to 9.
func benchCosts(rng *rand.Rand, n int, kind string) dist.Matrix[float64] {
	cost := dist.NewMatrix[float64](n, n, nil)
	if d := map[string]int{"d2": 2, "d10": 10}[kind]; d > 0 {
		x, y := dist.NewMatrix[float64](n, d, nil), dist.NewMatrix[float64](n, d, nil)
		for k := range x.Data {
			x.Data[k], y.Data[k] = rng.NormFloat64(), rng.NormFloat64()
		}
		dist.SqEuclidean(cost, x, y)
		return cost
	}
	for k := range cost.Data {
		if cost.Data[k] = rng.Float64(); kind == "whole" {
			cost.Data[k] = float64(rng.IntN(10))
		}
	}
	return cost
}

func BenchmarkSolve(b *testing.B) {
	for _, kind := range []string{"d2", "d10", "random", "whole"} {
		for _, n := range []int{16, 64, 256, 1000} {
			for _, random := range []bool{false, true} {
				b.Run(fmt.Sprintf("costs=%s/random=%v/n=%d", kind, random, n), func(b *testing.B) {
					rng := rand.New(rand.NewPCG(1, uint64(n)))
					p := &Problem[float64]{Cost: benchCosts(rng, n, kind)}
					if random {
						p.A, p.B = make([]float64, n), make([]float64, n)
						for _, w := range [][]float64{p.A, p.B} {
							sum := 0.
							for i := range w {
								w[i] = rng.Float64()
								sum += w[i]
							}
							for i := range w {
								w[i] /= sum
							}
						}
					}
					var s Solver[float64]
					for b.Loop() {
						if _, err := s.Solve(b.Context(), p); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

func BenchmarkAssign(b *testing.B) {
	for _, kind := range []string{"d2", "d10", "random", "whole"} {
		for _, n := range []int{16, 64, 256, 1000, 2000} {
			b.Run(fmt.Sprintf("costs=%s/n=%d", kind, n), func(b *testing.B) {
				cost, dst := benchCosts(rand.New(rand.NewPCG(1, uint64(n))), n, kind), make([]int, n)
				var s Solver[float64]
				for b.Loop() {
					if _, err := s.Assign(b.Context(), dst, cost); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkDistance1D(b *testing.B) {
	for _, n := range []int{1000, 1000000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i], y[i] = rand.NormFloat64(), rand.NormFloat64()
			}
			var s Solver[float64]
			for b.Loop() {
				if _, err := s.Distance1D(b.Context(), x, y, nil, nil, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSliced(b *testing.B) {
	const n, d = 1000, 64
	x, y := dist.NewMatrix[float64](n, d, nil), dist.NewMatrix[float64](n, d, nil)
	for k := range x.Data {
		x.Data[k], y.Data[k] = rand.NormFloat64(), rand.NormFloat64()
	}
	var s Solver[float64]
	for b.Loop() {
		if _, err := s.Sliced(b.Context(), dist.Matrix[float64]{}, dist.Matrix[float64]{}, &Problem[float64]{X: x, Y: y}, &SlicedOptions{Directions: 100}); err != nil {
			b.Fatal(err)
		}
	}
}
