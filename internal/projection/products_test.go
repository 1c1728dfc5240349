package projection

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func randomDense(rng *rand.Rand, n, d int) *mat.Dense {
	// The matrix is a slice of a wider matrix, so that the test notices reads beyond its columns.
	m := mat.NewDense(n, d+3, nil)
	for i := range n {
		for j := range d + 3 {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m.Slice(0, n, 2, d+2).(*mat.Dense)
}

// TestProducts compares the products with gonum's.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{1, 1, 1}, {7, 3, 5}, {5, 3, 7}, {3, 9, 2}, {40, 130, 26}, {50, 26, 300}, {210, 197, 197}} {
		n, d, p := s[0], s[1], s[2]
		check := func(name string, got, want mat.Matrix) {
			t.Helper()
			if !mat.EqualApprox(got, want, 1e-12*float64(n+d+p)) {
				t.Errorf("%s %v: not gonum's", name, s)
			}
		}
		a, b, c := randomDense(rng, n, d), randomDense(rng, d, p), randomDense(rng, n, p)
		var want, wantTrans, wantGram mat.Dense
		want.Mul(a, b)
		check("product", Product(t.Context(), a, b), &want)
		wantTrans.Mul(a.T(), c)
		check("transProduct", TransProduct(t.Context(), a, c), &wantTrans)
		wantGram.Mul(a, a.T())
		check("gram", Gram(t.Context(), a), &wantGram)
		// The product of aᵀ and (aaᵀ)a is symmetric, although the two operands are different.
		ga := Product(t.Context(), &wantGram, a)
		var symmetric mat.Dense
		symmetric.Mul(a.T(), ga)
		got := SymmetricProduct(t.Context(), a, ga)
		symmetric.Scale(1/(1+mat.Norm(&symmetric, 2)), &symmetric)
		got.Scale(1/(1+mat.Norm(got, 2)), got)
		check("symmetricProduct", got, &symmetric)
	}
}
