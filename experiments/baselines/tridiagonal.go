package baselines

import (
	"context"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/projection"
	"gonum.org/v1/gonum/mat"
)

// tridiagonal is a symmetric matrix A = Q T Qᵀ, reduced to the tridiagonal matrix T. Callers first
// compute the eigenvalues of A, and later a function of A.
type tridiagonal struct {
	*algebra.Tridiagonal
	n int
}

// tridiagonalize reduces a symmetric n × n matrix to tridiagonal form. The slice a holds the lower
// triangle row by row, and the result uses the memory of a. If the context ends, the embedded
// Tridiagonal is nil.
func tridiagonalize(ctx context.Context, n int, a []float64) *tridiagonal {
	return &tridiagonal{algebra.Tridiagonalize(ctx, matrix.New(n, n, a)), n}
}

// values returns the eigenvalues. It takes time n².
func (t *tridiagonal) values(ctx context.Context) ([]float64, error) {
	values, ok := t.Diagonalize(ctx, matrix.New[float64](t.n, 0, nil))
	if !ok {
		return nil, projection.ErrFactorize
	}
	return values, nil
}

// power returns A^β for a positive semidefinite A. Eigenvalues below n·2⁻⁵² times the largest
// eigenvalue are rounding errors. Such eigenvalues are replaced by about this bound.
func (t *tridiagonal) power(ctx context.Context, beta float64) (*mat.Dense, error) {
	n := t.n
	z := t.Rows(ctx)
	if beta > 0 && beta <= maxQuadraturePower {
		return congruence(ctx, mat.DenseCopyOf(mat.NewDense(n, n, z.Data).T()), t.smallPower(ctx, beta)), nil
	}
	values, ok := t.Diagonalize(ctx, z)
	if !ok {
		return nil, projection.ErrFactorize
	}
	f := mat.NewDense(n, n, nil)
	least := float64(n) * epsilon * slices.Max(values)
	for i, l := range values {
		f.Set(i, i, power(max(l, least), beta))
	}
	return congruence(ctx, mat.DenseCopyOf(mat.NewDense(n, n, z.Data).T()), f), nil
}

const (
	epsilon = 0x1p-52
	// maxQuadraturePower is the largest power β for which smallPower is accurate. The rounding
	// errors of smallPower grow as 1e12^β.
	maxQuadraturePower = 0.25
)

// smallPower returns T^β for 0 < β ≤ ¼ without computing eigenvectors. Eigenvectors take most of
// the time of an eigenvalue decomposition. smallPower applies the trapezoidal rule with step h to
//
//	T^β = sin(πβ)/π ∫ e^{βs} (I − e^s (T + e^s I)⁻¹) ds
//
// For every eigenvalue, the error is of the order of exp(−2π²/h). If e^s is large compared with the
// eigenvalues, the terms of the sum decay as e^{(β−1)s}, so the sum ends early. If e^s is small, the
// inverse is almost constant. Then the parts of the terms without and with the inverse form two
// geometric series, which are summed in closed form.
//
// The inverse G of a tridiagonal matrix A is computed in time n². Let d⁺ and d⁻ be the pivots of the
// eliminations from above and from below. Then
//
//	G_jj = 1/(d⁺_j + d⁻_j − A_jj)   G_ij = −A_{i,i+1}/d⁺_i · G_{i+1,j}   i < j
//
// (G. Meurant, "A review on the inverse of symmetric tridiagonal and block tridiagonal
// matrices", SIAM J. Matrix Anal. Appl. 13, 1992).
func (t *tridiagonal) smallPower(ctx context.Context, beta float64) *mat.Dense {
	const h = 0.65
	n := t.n
	f := mat.NewDense(n, n, nil)
	top := 0. // ≥ all eigenvalues
	for i, d := range t.Diagonal {
		r := d
		if i > 0 {
			r += math.Abs(t.OffDiagonal[i-1])
		}
		if i < n-1 {
			r += math.Abs(t.OffDiagonal[i])
		}
		top = max(top, r)
	}
	if top == 0 {
		return f
	}
	factor := sine(math.Pi*beta) / math.Pi * h * power(top, beta)
	first := num.Log(float64(n) * epsilon)
	identity := factor * exponential(beta*first) / expm1(beta*h)
	above, ratio, below, g := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for s := first; s < 31/(1-beta) && ctx.Err() == nil; s += h {
		w, shift := float64(factor*exponential(beta*s)), exponential(s)
		identity += w
		ws := float64(w * shift)
		if s == first {
			ws += float64(ws / expm1((1+beta)*h)) // add the terms for all smaller s, which form a geometric series
		}
		// T/top + shift·I.
		at := func(i int) float64 { return t.Diagonal[i]/top + shift }
		off := func(i int) float64 { return t.OffDiagonal[i] / top }
		above[0], below[n-1] = at(0), at(n-1)
		for i := 1; i < n; i++ {
			ratio[i-1] = -off(i-1) / above[i-1]
			above[i] = at(i) + float64(off(i-1)*ratio[i-1])
			j := n - 1 - i
			below[j] = at(j) - float64(off(j)*off(j))/below[j+1]
		}
		// Let G be the inverse of T/top + shift·I. The slice g holds the elements of row i of the
		// matrix ws·G to the right of the diagonal. If shift ≥ 1, every ratio is below 1 in
		// magnitude, so negligible elements remain negligible.
		end := n
		for i := n - 1; i >= 0; i-- {
			row, m := f.RawRowView(i), ratio[i]
			part := g[i+1 : max(end, i+1)]
			out := row[i+1:][:len(part)]
			for j, v := range part {
				v = float64(v * m)
				part[j] = v
				out[j] -= v
			}
			g[i] = ws / (above[i] + below[i] - at(i))
			row[i] -= g[i]
			if shift >= 1 {
				for end > i+1 && math.Abs(g[end-1]) < 1e-20*factor {
					end--
				}
			}
		}
	}
	for i := range n {
		row := f.RawRowView(i)
		row[i] += identity
		for j := i + 1; j < n; j++ {
			f.Set(j, i, row[j])
		}
	}
	return f
}

// sine returns sin x for 0 ≤ x ≤ π/4, computed from the Taylor series. The error is a few ulp.
func sine(x float64) float64 {
	sum, square := 1., float64(x*x)
	for k := 17; k > 1; k -= 2 {
		sum = math.FMA(-square/float64(k*(k-1)), sum, 1)
	}
	return float64(x * sum)
}

// expm1 returns eˣ − 1 for 0 ≤ x ≤ 1, computed from the Taylor series. The error is a few ulp.
func expm1(x float64) float64 {
	sum := 1.
	for k := 20; k > 1; k-- {
		sum = math.FMA(x/float64(k), sum, 1)
	}
	return float64(x * sum)
}

// congruence returns q f qᵀ for square q and symmetric f. The result is exactly symmetric.
func congruence(ctx context.Context, q, f *mat.Dense) *mat.Dense {
	n, _ := q.Dims()
	out := mat.NewDense(n, n, nil)
	c, y, qt := dense.View(out), dense.View(projection.Product(ctx, q, f)), dense.View(projection.Transposed(ctx, q))
	const block = 64
	for i := 0; i < n; i += block { // the lower triangle
		j := min(i+block, n)
		dense.Product(ctx, c.RowRange(i, j).ColRange(0, j), y.RowRange(i, j), qt.ColRange(0, j), false)
	}
	projection.Mirror(ctx, c)
	return out
}
