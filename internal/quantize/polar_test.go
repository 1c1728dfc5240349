package quantize

import (
	"context"
	"math"
	"testing"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/random"
)

// randomRotation returns a random orthonormal matrix.
func randomRotation(t *testing.T, seed uint64, p int) matrix.Matrix[float64] {
	t.Helper()
	r := matrix.New[float64](p, p, nil)
	for i := range p {
		r.Set(i, i, 1)
	}
	if c := correlated(seed, p, p); !polar(t.Context(), r, c) {
		t.Fatal("no rotation")
	}
	return r
}

// inner returns the Frobenius inner product.
func inner(a, b matrix.Matrix[float64]) (sum float64) {
	for i := range a.Rows {
		sum += algebra.Dot(a.Row(i), b.Row(i))
	}
	return sum
}

// TestPolar checks, for matrices of several ranks, that the computed factor is orthonormal and as
// good as the factor from a singular value decomposition.
func TestPolar(t *testing.T) {
	for _, p := range []int{1, 2, 7, 40} {
		for rank := 1; rank <= p; rank += max(1, p/3) {
			left := randomRotation(t, 1, p)
			c, r := matrix.New[float64](p, p, nil), randomRotation(t, 2, p)
			rng := random.New(3, uint64(rank))
			for k := range rank {
				a, b := left.Row(k), make([]float64, p)
				for j := range b {
					b[j] = random.Normal(rng) / float64(1+k*k)
				}
				for i := range p {
					algebra.Axpy(1e12*a[i], b, c.Row(i))
				}
			}
			whole := matrix.New[float64](p, p, nil)
			for i := range p {
				copy(whole.Row(i), c.Row(i))
			}
			before := inner(r, whole)
			if !polar(t.Context(), r, c) {
				t.Fatalf("%d × %d of rank %d: no factor", p, p, rank)
			}
			for i := range p {
				for j := range p {
					dot := algebra.Dot(r.Row(i), r.Row(j))
					if i == j {
						dot--
					}
					if math.Abs(dot) > 1e-11 {
						t.Fatalf("%d × %d of rank %d: rows %d and %d have the product %v", p, p, rank, i, j, dot)
					}
				}
			}
			svd := algebra.NewSVD(p, p)
			matrix.Transpose(svd.U, whole)
			if !svd.Factorize(t.Context()) {
				t.Fatal("no decomposition")
			}
			best := matrix.New[float64](p, p, nil)
			svd.Polar(t.Context(), best)
			if got, want := inner(r, whole), inner(best, whole); got < before || got < want-4*rotationWeight*float64(p)*want {
				t.Errorf("%d × %d of rank %d: product %v, of the best %v, before %v", p, p, rank, got, want, before)
			}
		}
	}
}

// TestPolarFails checks that the rotation is unchanged for matrices without a polar factor and
// after a canceled context.
func TestPolarFails(t *testing.T) {
	r := matrix.New(2, 2, []float64{0, 1, -1, 0})
	for name, c := range map[string]matrix.Matrix[float64]{
		"zero":      matrix.New[float64](2, 2, nil),
		"infinite":  matrix.New(2, 2, []float64{1e200, 0, 0, 1}),
		"undefined": matrix.New(2, 2, []float64{math.NaN(), 0, 0, 1}),
	} {
		if polar(context.Background(), r, c) || r.At(0, 1) != 1 || r.At(1, 0) != -1 {
			t.Errorf("%s: %v", name, r.Data)
		}
	}
	for last := 1; last < 20; last++ {
		if ctx := ending.At(last); polar(ctx, r, matrix.New(2, 2, []float64{1, 2, 3, 5})) || r.At(0, 1) != 1 || ctx.ChecksAfterEnd() > 4 {
			t.Errorf("ended at %d, %d more checks: %v", last, ctx.ChecksAfterEnd(), r.Data)
		}
	}
}

func BenchmarkPolar(b *testing.B) {
	c, r := correlated(1, 384, 384), matrix.New[float64](384, 384, nil)
	for i := range 384 {
		r.Set(i, i, 1)
	}
	for b.Loop() {
		if !polar(b.Context(), r, matrix.New(384, 384, append([]float64(nil), c.Data...))) {
			b.Fatal("no factor")
		}
	}
}
