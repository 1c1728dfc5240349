package subspace

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// symmetric returns a symmetric matrix with the given eigenvalues, and its eigenvectors.
func symmetric(rng *rand.Rand, values []float64) (*mat.SymDense, *mat.Dense) {
	d := len(values)
	g := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			g.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(g)
	var q mat.Dense
	qr.QTo(&q)
	a := mat.NewSymDense(d, nil)
	for k, l := range values {
		a.SymRankOne(a, l, q.ColView(k))
	}
	return a, &q
}

func operator(a mat.Matrix) Operator {
	return func(dst, v *mat.Dense) { dst.Mul(a, v) }
}

func start(rng *rand.Rand, d, k int) *mat.Dense {
	v := mat.NewDense(d, k, nil)
	for i := range d {
		for j := range k {
			v.Set(i, j, rng.NormFloat64())
		}
	}
	return v
}

// TestLeadingMatchesDense compares Leading and Dense on a pencil with a known spectrum.
func TestLeadingMatchesDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const d, k, want = 120, 8, 5
	va, vb := make([]float64, d), make([]float64, d)
	for i := range d {
		va[i], vb[i] = math.Pow(0.9, float64(i)), 0.5+rng.Float64()
	}
	a, _ := symmetric(rng, va)
	b, _ := symmetric(rng, vb)
	for _, pencil := range []struct {
		name string
		b    *mat.SymDense
	}{{"identity", nil}, {"pencil", b}} {
		v := start(rng, d, k)
		var ob Operator
		ref := mat.NewSymDense(d, nil)
		for i := range d {
			ref.SetSym(i, i, 1)
		}
		if pencil.b != nil {
			ob, ref = operator(pencil.b), pencil.b
		}
		mu, err := Leading(context.Background(), operator(a), ob, v, want, nil)
		if err != nil {
			t.Fatal(err)
		}
		wv, wmu, err := Dense(ctx, a, ref, want)
		if err != nil {
			t.Fatal(err)
		}
		for j := range want {
			if e := math.Abs(mu[j]-wmu[j]) / wmu[0]; !(e <= 1e-12) {
				t.Errorf("%s: value %d is %v, want %v", pencil.name, j, mu[j], wmu[j])
			}
			var bv mat.VecDense
			bv.MulVec(ref, v.ColView(j))
			if e := math.Abs(mat.Dot(v.ColView(j), &bv) - 1); !(e <= 1e-12) {
				t.Errorf("%s: vᵀB v of vector %d is off 1 by %g", pencil.name, j, e)
			}
			if c := math.Abs(mat.Dot(wv.ColView(j), &bv)); !(math.Abs(c-1) <= 1e-8) {
				t.Errorf("%s: vector %d has cosine %v with the dense one", pencil.name, j, c)
			}
		}
	}
}

// TestLeadingFromEigenvectors checks that Leading does not change v if its columns are already the
// eigenvectors.
func TestLeadingFromEigenvectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	values := make([]float64, 60)
	for i := range values {
		values[i] = float64(60 - i)
	}
	a, q := symmetric(rng, values)
	v := mat.DenseCopyOf(q.Slice(0, 60, 0, 4))
	mu, err := Leading(context.Background(), operator(a), nil, v, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	for j, m := range mu {
		if math.Abs(m-values[j]) > 1e-11 || math.Abs(math.Abs(mat.Dot(v.ColView(j), q.ColView(j)))-1) > 1e-12 {
			t.Errorf("vector %d moved: μ = %v", j, m)
		}
	}
}

// TestLowRank checks Leading for an operator with fewer positive eigenvalues than the number of
// wanted eigenvectors.
func TestLowRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	values := make([]float64, 100)
	values[0], values[1] = 3, 2
	a, _ := symmetric(rng, values)
	v := start(rng, 100, 5)
	mu, err := Leading(context.Background(), operator(a), nil, v, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{3, 2, 0, 0} {
		if math.Abs(mu[j]-want) > 1e-12 {
			t.Errorf("value %d is %v, want %v", j, mu[j], want)
		}
	}
}

func TestLeadingErrors(t *testing.T) {
	a := mat.NewSymDense(30, nil)
	if _, err := Leading(context.Background(), operator(a), nil, mat.NewDense(30, 2, nil), 3, nil); err == nil {
		t.Error("more vectors wanted than given: no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rng := rand.New(rand.NewPCG(7, 8))
	values := make([]float64, 90)
	for i := range values {
		values[i] = 1 / float64(i+1)
	}
	b, _ := symmetric(rng, values)
	if _, err := Leading(ctx, operator(b), nil, start(rng, 90, 2), 2, nil); err == nil {
		t.Error("canceled context: no error")
	}
	values[89] = -1
	neg, _ := symmetric(rng, values)
	if _, _, err := Dense(ctx, b, neg, 2); err == nil {
		t.Error("B with a negative eigenvalue: no error")
	}
}
