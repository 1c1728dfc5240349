package baselines

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/projection/projectiontest"
	"gonum.org/v1/gonum/mat"
)

// withSpectrum returns a symmetric matrix a with the given eigenvalues, and the matrix power
// a^beta.
func withSpectrum(seed uint64, values []float64, beta float64) (a, power *mat.Dense) {
	n := len(values)
	q := projectiontest.Random(seed, n, n, 1)
	var qr mat.QR
	qr.Factorize(q)
	qr.QTo(q)
	compose := func(f func(float64) float64) *mat.Dense {
		s := mat.DenseCopyOf(q)
		for i := range n {
			for j, l := range values {
				s.Set(i, j, s.At(i, j)*f(l))
			}
		}
		out := mat.NewDense(n, n, nil)
		out.Mul(s, q.T())
		return out
	}
	return compose(func(l float64) float64 { return l }), compose(func(l float64) float64 { return math.Pow(l, beta) })
}

// TestTridiagonalPower tests powers of matrices with known eigenvectors. The eigenvalues lie
// between 0.5 and 1.5, decay to exp(−25), or are repeated. Every spectrum is tested at two scales.
func TestTridiagonalPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, n := range []int{1, 2, 3, 8, 65} {
		even, steep, twice := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			even[i] = 0.5 + rng.Float64()
			steep[i] = math.Exp(-25 * float64(i) / float64(n))
			twice[i] = float64(1 + i%3)
		}
		for name, values := range map[string][]float64{"even": even, "steep": steep, "repeated": twice} {
			for _, scale := range []float64{1, 1e-6} {
				scaled := make([]float64, n)
				for i, v := range values {
					scaled[i] = scale * v
				}
				for _, beta := range []float64{0.01, 0.25, 0.3, 2.5} {
					a, want := withSpectrum(uint64(n), scaled, beta)
					sym := mat.DenseCopyOf(a)
					r := tridiagonalize(ctx, n, sym.RawMatrix().Data)
					got, err := r.power(ctx, beta)
					if err != nil {
						t.Fatal(err)
					}
					var diff mat.Dense
					diff.Sub(got, want)
					size := math.Pow(scale*3, beta)
					// The rounding errors of the matrix a are about 1e-16 times its largest eigenvalue. These errors
					// limit the accuracy for powers of small eigenvalues.
					if e := mat.Norm(&diff, 2) / size / math.Sqrt(float64(n)); !(e < 3e-6) || name != "steep" && !(e < 1e-11) {
						t.Errorf("n = %d, %s × %g, β = %v: off by %.3g", n, name, scale, beta, e)
					}
				}
			}
		}
	}
}

// TestSmallPower compares smallPower with the power computed from the eigenvectors of the same
// tridiagonal matrix.
func TestSmallPower(t *testing.T) {
	for _, n := range []int{1, 2, 17, 100} {
		x := projectiontest.Random(4, n, 3, 1)
		k := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				s := 0.
				for l := range 3 {
					s += (x.At(i, l) - x.At(j, l)) * (x.At(i, l) - x.At(j, l))
				}
				k.SetSym(i, j, math.Exp(-s/6)/float64(n))
			}
			k.SetSym(i, i, (1+1e-9)/float64(n)) // lifts all eigenvalues above the rounding level
		}
		a := make([]float64, n*n)
		for i := range n {
			for j := range n {
				a[i*n+j] = k.At(i, j)
			}
		}
		r := tridiagonalize(ctx, n, a)
		var eig mat.EigenSym
		tri := mat.NewSymDense(n, nil)
		for i, d := range r.Diagonal {
			tri.SetSym(i, i, d)
			if i < n-1 {
				tri.SetSym(i, i+1, r.OffDiagonal[i])
			}
		}
		if !eig.Factorize(tri, true) {
			t.Fatal("eigenvalues")
		}
		var v mat.Dense
		eig.VectorsTo(&v)
		for _, beta := range []float64{1e-3, 0.01, 0.25} {
			d := eig.Values(nil)
			for i, l := range d {
				d[i] = math.Pow(l, beta)
			}
			var want, diff mat.Dense
			want.Mul(&v, mat.NewDiagDense(n, d))
			want.Mul(&want, v.T())
			diff.Sub(r.smallPower(ctx, beta), &want)
			if e := mat.Max(&diff) - mat.Min(&diff); !(e < 1e-8) {
				t.Errorf("n = %d, β = %v: off by %.3g", n, beta, e)
			}
		}
	}
}
