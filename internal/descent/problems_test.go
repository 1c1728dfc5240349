package descent_test

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/stiefel"
)

// brockett is Brockett's cost f(P) = tr(PᵀAPN) for a diagonal matrix N. The gradient of f is 2APN.
// For N = I, the minimization of f is trace minimization.
type brockett struct {
	a *mat.SymDense
	n []float64

	ap mat.Dense // the product A·P, stored by the forward pass
}

func (f *brockett) Evaluate(p, grad *mat.Dense) (float64, error) {
	f.ap.Mul(f.a, p)
	var value float64
	rows, cols := p.Dims()
	for i := range rows {
		for j := range cols {
			value += p.At(i, j) * f.ap.At(i, j) * f.n[j]
		}
	}
	if grad != nil {
		if err := f.Gradient(grad); err != nil {
			return 0, err
		}
	}
	return value, nil
}

func (f *brockett) Gradient(grad *mat.Dense) error {
	rows, cols := f.ap.Dims()
	for i := range rows {
		for j := range cols {
			grad.Set(i, j, 2*f.ap.At(i, j)*f.n[j])
		}
	}
	return nil
}

// ratio is the trace ratio f(P) = tr(PᵀWP)/tr(PᵀBP).
type ratio struct {
	w, b *mat.SymDense

	wp, bp mat.Dense
	tw, tb float64
}

func (f *ratio) Evaluate(p, grad *mat.Dense) (float64, error) {
	f.wp.Mul(f.w, p)
	f.bp.Mul(f.b, p)
	f.tw, f.tb = inner(p, &f.wp), inner(p, &f.bp)
	if grad != nil {
		if err := f.Gradient(grad); err != nil {
			return 0, err
		}
	}
	return f.tw / f.tb, nil
}

func (f *ratio) Gradient(grad *mat.Dense) error {
	var t mat.Dense
	grad.Scale(2/f.tb, &f.wp)
	t.Scale(2*f.tw/(f.tb*f.tb), &f.bp)
	grad.Sub(grad, &t)
	return nil
}

func inner(a, b *mat.Dense) float64 {
	var sum float64
	rows, cols := a.Dims()
	for i := range rows {
		for j := range cols {
			sum += a.At(i, j) * b.At(i, j)
		}
	}
	return sum
}

// linear is f(P) = −⟨C, P⟩. Its minimizer is the polar factor of C (orthogonal Procrustes).
type linear struct{ c *mat.Dense }

func (f *linear) Evaluate(p, grad *mat.Dense) (float64, error) {
	if grad != nil {
		grad.Scale(-1, f.c)
	}
	return -inner(f.c, p), nil
}

// plain hides the Gradient method of a problem, so that the problem is not a Reverser.
type plain struct{ descent.Problem }

// counter is a Reverser that checks its calls. Evaluate must be called without a gradient, and
// Gradient at most once after each call of Evaluate.
type counter struct {
	brockett
	values, gradients int
	fresh             bool
	misuse            string
}

func (f *counter) Evaluate(p, grad *mat.Dense) (float64, error) {
	f.values++
	f.fresh = true
	if grad != nil {
		f.misuse = "Evaluate of a Reverser with a gradient"
	}
	return f.brockett.Evaluate(p, grad)
}

func (f *counter) Gradient(grad *mat.Dense) error {
	f.gradients++
	if !f.fresh {
		f.misuse = "Gradient twice"
	}
	f.fresh = false
	return f.brockett.Gradient(grad)
}

// failing is a problem that fails where isBad reports true.
type failing struct {
	descent.Problem
	isBad    func(p *mat.Dense) bool
	respond  func(grad *mat.Dense) (float64, error)
	failures int
}

func (f *failing) Evaluate(p, grad *mat.Dense) (float64, error) {
	if f.isBad(p) {
		f.failures++
		return f.respond(grad)
	}
	return f.Problem.Evaluate(p, grad)
}

func gaussianMatrix(r, c int, rnd *rand.Rand) *mat.Dense {
	a := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			a.Set(i, j, rnd.NormFloat64())
		}
	}
	return a
}

// spectrum returns a symmetric matrix with the given eigenvalues.
func spectrum(values []float64, rnd *rand.Rand) *mat.SymDense {
	d := len(values)
	var q, a mat.Dense
	stiefel.New(d, d).Random(ctx, &q, rnd)
	a.Mul(&q, mat.NewDiagDense(d, values))
	a.Mul(&a, q.T())
	s := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			s.SetSym(i, j, 0.5*(a.At(i, j)+a.At(j, i)))
		}
	}
	return s
}

func linspace(lo, hi float64, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = lo + (hi-lo)*float64(i)/float64(max(n-1, 1))
	}
	return x
}

func logspace(lo, hi float64, n int) []float64 {
	x := linspace(math.Log(lo), math.Log(hi), n)
	for i, v := range x {
		x[i] = math.Exp(v)
	}
	return x
}

func ones(n int) []float64 { return linspace(1, 1, n) }

func start(m *stiefel.Manifold, seed uint64) *mat.Dense {
	var p mat.Dense
	m.Random(ctx, &p, rand.New(rand.NewPCG(seed, 99)))
	return &p
}

// eigenvectors returns the eigenvectors of the matrix a for its len(n) smallest eigenvalues, in
// ascending order of the eigenvalues. It also returns the sum of these eigenvalues weighted by n.
func eigenvectors(a *mat.SymDense, n []float64) (*mat.Dense, float64) {
	var eig mat.EigenSym
	eig.Factorize(a, true)
	var v mat.Dense
	eig.VectorsTo(&v)
	d, _ := v.Dims()
	var sum float64
	for j, w := range n {
		sum += w * eig.Values(nil)[j]
	}
	return mat.DenseCopyOf(v.Slice(0, d, 0, len(n))), sum
}

// bestRatio minimizes the trace ratio tr(VᵀWV)/tr(VᵀBV). It returns a minimizer V and the minimum.
// It uses Newton's iteration on the eigenvalues of W − ρB (Guo et al. 2003; Ngo, Bellalij and Saad,
// SIAM Review 2012).
func bestRatio(w, b *mat.SymDense, p int) (*mat.Dense, float64) {
	rho := 0.
	var v *mat.Dense
	for range 60 {
		var c mat.SymDense
		c.ScaleSym(-rho, b)
		c.AddSym(w, &c)
		v, _ = eigenvectors(&c, ones(p))
		var x, y mat.Dense
		x.Mul(w, v)
		y.Mul(b, v)
		rho = inner(v, &x) / inner(v, &y)
	}
	return v, rho
}

// diagonal is Brockett's cost for a diagonal matrix. It rounds every product explicitly and does
// not allocate.
type diagonal struct{ a, n []float64 }

func (f *diagonal) Evaluate(p, grad *mat.Dense) (float64, error) {
	var value float64
	for i, a := range f.a {
		for j, n := range f.n {
			x := p.At(i, j)
			ax := float64(float64(a*n) * x)
			value += float64(ax * x)
			if grad != nil {
				grad.Set(i, j, float64(2*ax))
			}
		}
	}
	return value, nil
}
