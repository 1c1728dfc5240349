package algebra

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/matrix"
)

// oraclePrecision is the precision in bits of the calculation with big numbers.
const oraclePrecision = 300

type bigMatrix [][]*big.Float

func bigNumber(x float64) *big.Float { return new(big.Float).SetPrec(oraclePrecision).SetFloat64(x) }

// bigFMA returns x + y·z.
func bigFMA(x, y, z *big.Float) *big.Float {
	p := new(big.Float).SetPrec(oraclePrecision).Mul(y, z)
	return p.Add(x, p)
}

func enlarge(m matrix.Matrix[float64]) bigMatrix {
	out := make(bigMatrix, m.Rows)
	for i := range out {
		for _, v := range m.Row(i) {
			out[i] = append(out[i], bigNumber(v))
		}
	}
	return out
}

// transProduct returns aᵀ·b.
func transProduct(a, b bigMatrix) bigMatrix {
	out := make(bigMatrix, len(a[0]))
	for i := range out {
		for j := range b[0] {
			sum := bigNumber(0)
			for k := range a {
				sum = bigFMA(sum, a[k][i], b[k][j])
			}
			out[i] = append(out[i], sum)
		}
	}
	return out
}

// bigCholesky returns L with L·Lᵀ = a.
func bigCholesky(a bigMatrix) bigMatrix {
	l := make(bigMatrix, len(a))
	for i := range a {
		l[i] = slices.Repeat([]*big.Float{bigNumber(0)}, len(a))
		for j := range i + 1 {
			sum := a[i][j]
			for k := range j {
				sum = bigFMA(sum, new(big.Float).Neg(l[i][k]), l[j][k])
			}
			if i == j {
				l[i][i] = new(big.Float).Sqrt(sum)
			} else {
				l[i][j] = new(big.Float).Quo(sum, l[j][j])
			}
		}
	}
	return l
}

// solveLower returns L⁻¹·b.
func solveLower(l, b bigMatrix) bigMatrix {
	x := make(bigMatrix, len(b))
	for i := range b {
		for j := range b[0] {
			sum := b[i][j]
			for k := range i {
				sum = bigFMA(sum, new(big.Float).Neg(l[i][k]), x[k][j])
			}
			x[i] = append(x[i], sum.Quo(sum, l[i][i]))
		}
	}
	return x
}

func bigTranspose(a bigMatrix) bigMatrix {
	t := make(bigMatrix, len(a[0]))
	for i := range t {
		for k := range a {
			t[i] = append(t[i], new(big.Float).Copy(a[k][i]))
		}
	}
	return t
}

// bigEigenvalues returns the eigenvalues of the symmetric matrix a, largest first, by Jacobi's
// method with about 80 digits. It overwrites a.
func bigEigenvalues(a bigMatrix) []*big.Float {
	n := len(a)
	one := bigNumber(1)
	for range 20 {
		for p := range n {
			for q := p + 1; q < n; q++ {
				if a[p][q].Sign() == 0 {
					continue
				}
				// t = sgn θ / (|θ| + √(θ² + 1)), θ = (a_qq − a_pp) / 2a_pq
				theta := new(big.Float).Sub(a[q][q], a[p][p])
				theta.Quo(theta, new(big.Float).Add(a[p][q], a[p][q]))
				root := new(big.Float).Sqrt(bigFMA(one, theta, theta))
				t := new(big.Float).Quo(one, root.Add(root, new(big.Float).Abs(theta)))
				if theta.Sign() < 0 {
					t.Neg(t)
				}
				c := new(big.Float).Quo(one, new(big.Float).Sqrt(bigFMA(one, t, t)))
				s := new(big.Float).Mul(t, c)
				minus := new(big.Float).Neg(s)
				for k := range n {
					x, y := a[k][p], a[k][q]
					a[k][p], a[k][q] = bigFMA(new(big.Float).Mul(c, x), minus, y), bigFMA(new(big.Float).Mul(c, y), s, x)
				}
				for k := range n {
					x, y := a[p][k], a[q][k]
					a[p][k], a[q][k] = bigFMA(new(big.Float).Mul(c, x), minus, y), bigFMA(new(big.Float).Mul(c, y), s, x)
				}
			}
		}
	}
	var values []*big.Float
	for i := range a {
		values = append(values, a[i][i])
	}
	slices.SortFunc(values, func(x, y *big.Float) int { return y.Cmp(x) })
	return values
}

// largestError returns the largest |got − want|, divided by the largest |want|. If elementwise is
// true, it divides every error by the |want| of the same element instead.
func largestError(got []float64, want []*big.Float, elementwise bool) float64 {
	size := new(big.Float)
	for _, w := range want {
		if a := new(big.Float).Abs(w); a.Cmp(size) > 0 {
			size = a
		}
	}
	worst := 0.
	for k, w := range want {
		d := new(big.Float).Sub(bigNumber(got[k]), w)
		if elementwise {
			size = w
		}
		e, _ := d.Quo(d, size).Float64()
		worst = max(worst, math.Abs(e))
	}
	return worst
}

// graded returns a matrix whose singular values decrease from 1 to 10^−digits.
func graded(rng *rand.Rand, m, n int, digits float64) matrix.Matrix[float64] {
	a := randomMatrix(rng, m, n)
	for j := range n {
		for i := range m {
			a.Set(i, j, a.At(i, j)*math.Pow(10, -digits*float64(j)/float64(n)))
		}
	}
	return a
}

// TestOracle compares Jacobi, Eigen, Pencil, SVD and Cholesky with a calculation in 80 digits, for
// condition numbers up to 10²⁰.
func TestOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	const n, u = 9, 0x1p-53
	check := func(what string, digits, got, limit float64) {
		t.Helper()
		t.Logf("%s, condition 1e%g: off by %.2g u", what, digits, got/u)
		if !(got <= limit*u) {
			t.Errorf("%s, condition 1e%g: off by %.3g u, want at most %g", what, digits, got/u, limit)
		}
	}
	for _, digits := range []float64{0, 4, 10} {
		g := graded(rng, n+3, n, digits)
		square := matrix.New[float64](n, n, nil)
		gonum(square).Mul(gonum(g).T(), gonum(g))
		exact := bigEigenvalues(enlarge(square))
		values, _, ok := Eigen(ctx, clone(square))
		if !ok {
			t.Fatal("no eigenvalues")
		}
		check("Eigen", digits, largestError(values, exact, false), 10)
		if values, _, ok = Jacobi(ctx, clone(square)); !ok {
			t.Fatal("no eigenvalues")
		}
		// Jacobi's error grows with the condition number of the matrix scaled to a unit diagonal.
		check("Jacobi", digits, largestError(values, exact, true), 300)

		// If B = L·Lᵀ, the pencil A·v = μ·B·v has the eigenvalues of L⁻¹·A·L⁻ᵀ.
		b := definite(rng, n, 0.1)
		l := bigCholesky(enlarge(b))
		exact = bigEigenvalues(solveLower(l, bigTranspose(solveLower(l, enlarge(square)))))
		if values, _, ok = Pencil(ctx, clone(square), clone(b)); !ok {
			t.Fatal("no eigenvalues")
		}
		check("Pencil", digits, largestError(values, exact, false), 30)

		c, ok := NewCholesky(ctx, clone(b))
		if !ok {
			t.Fatal("not definite")
		}
		worst := 0.
		for i := range n {
			worst = max(worst, largestError(c.l.Row(i)[:i+1], l[i][:i+1], false))
		}
		check("Cholesky", digits, worst, 10)

		s := NewSVD(n+3, n)
		gonum(s.U).Copy(gonum(g).T())
		if !s.Factorize(ctx) {
			t.Fatal("no singular values")
		}
		exact = bigEigenvalues(transProduct(enlarge(g), enlarge(g)))
		for _, v := range exact {
			v.Sqrt(v)
		}
		check("SVD", digits, largestError(s.Values, exact, true), 50)
	}
}
