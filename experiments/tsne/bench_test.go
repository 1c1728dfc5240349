package tsne

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// BenchmarkIteration measures one gradient, which takes most of the time of an iteration. The positions are as spread out as
// in a finished picture.
func BenchmarkIteration(b *testing.B) {
	for _, workers := range []int{1, 2} {
		for _, n := range []int{1000, 3000} {
			b.Run(fmt.Sprintf("workers=%d/n=%d", workers, n), func(b *testing.B) {
				f, grad := benchField(b, workers, n)
				for b.Loop() {
					f.gradient(b.Context(), grad, 1)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*n), "ns/pair")
			})
		}
	}
}

// BenchmarkAffinities measures the work before the iterations.
func BenchmarkAffinities(b *testing.B) {
	for _, n := range []int{1000, 3000} {
		b.Run(fmt.Sprintf("workers=1/n=%d/d=10", n), func(b *testing.B) {
			x, _ := scaledCopy(b.Context(), normals(n, 10, 1))
			for b.Loop() {
				if _, err := jointProbabilities(b.Context(), 1, x, 30); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDivergence measures the divergence, which is computed once, at the end.
func BenchmarkDivergence(b *testing.B) {
	f, _ := benchField(b, 1, 1000)
	for b.Loop() {
		f.divergence(b.Context())
	}
}

func benchField(b *testing.B, workers, n int) (*field, []float64) {
	x, _ := scaledCopy(b.Context(), normals(n, 10, 1))
	p, err := jointProbabilities(b.Context(), workers, x, 30)
	if err != nil {
		b.Fatal(err)
	}
	f := newField(workers, p, 2)
	y := normals(n, 2, 2)
	y.Scale(20, y)
	f.place(y.RawMatrix().Data)
	return f, make([]float64, 2*n)
}

// normals returns n × d standard normal values.
func normals(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 2))
	m := mat.NewDense(n, d, nil)
	for k := range m.RawMatrix().Data {
		m.RawMatrix().Data[k] = rng.NormFloat64()
	}
	return m
}
