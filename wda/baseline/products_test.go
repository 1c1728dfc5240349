package baseline

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func random(rng *rand.Rand, n, d int) *mat.Dense {
	// A part of a wider matrix: elements beside it are not the operand's.
	m := mat.NewDense(n, d+3, nil)
	for i := range n {
		for j := range d + 3 {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m.Slice(0, n, 2, d+2).(*mat.Dense)
}

// TestProducts compares with gonum's.
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
		a, b, c := random(rng, n, d), random(rng, d, p), random(rng, n, p)
		var want, wantTrans, wantGram mat.Dense
		want.Mul(a, b)
		check("product", product(ctx, a, b), &want)
		wantTrans.Mul(a.T(), c)
		check("transProduct", transProduct(ctx, a, c), &wantTrans)
		wantGram.Mul(a, a.T())
		check("gram", gram(ctx, a), &wantGram)
		// aᵀ(aaᵀ)a is a symmetric product of two different operands.
		ga := product(ctx, &wantGram, a)
		var symmetric mat.Dense
		symmetric.Mul(a.T(), ga)
		got := symmetricProduct(ctx, a, ga)
		symmetric.Scale(1/(1+mat.Norm(&symmetric, 2)), &symmetric)
		got.Scale(1/(1+mat.Norm(got, 2)), got)
		check("symmetricProduct", got, &symmetric)
	}
}

// TestSpan: the basis is orthonormal, holds the rows, and has no more vectors than they
// span.
func TestSpan(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ n, d, distinct, rank int }{
		{6, 6, 6, 5}, {8, 30, 8, 7}, {8, 30, 5, 4}, {60, 300, 60, 59}, {4, 50, 1, 0}, {2, 9, 2, 1},
	} {
		x := mat.DenseCopyOf(random(rng, c.n, c.d))
		for i := c.distinct; i < c.n; i++ {
			copy(x.RawRowView(i), x.RawRowView(i%c.distinct))
		}
		x = centred(t.Context(), x)
		basis, y, _ := span(ctx, x)
		if basis == nil {
			t.Fatalf("%+v: no basis", c)
		}
		if _, r := basis.Dims(); r != max(1, c.rank) {
			t.Errorf("%+v: %d vectors", c, r)
			continue
		}
		_, r := basis.Dims()
		identity := mat.NewDiagDense(r, nil)
		for i := range r {
			identity.SetDiag(i, 1)
		}
		var of, back mat.Dense
		of.Mul(basis.T(), basis)
		if !mat.EqualApprox(&of, identity, 1e-13) {
			t.Errorf("%+v: the basis is not orthonormal", c)
		}
		back.Mul(y, basis.T())
		if !mat.EqualApprox(&back, x, 1e-12) {
			t.Errorf("%+v: the rows are not in it", c)
		}
	}
	x := centred(ctx, random(rng, 9, 8))
	if basis, y, _ := span(ctx, x); basis != nil || y != x {
		t.Error("fewer features than samples are taken as they are")
	}
}
