package algebra

import (
	"context"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/matrix"
)

// Jacobi returns the eigenvalues of the symmetric matrix a (n × n), largest first, and the
// eigenvectors as the columns of v (n × n, orthonormal): A = V·diag(λ)·Vᵀ. It overwrites a. In each
// eigenvector, the element with the largest magnitude (the first, if there are several) is positive.
// Jacobi reports false if a is not finite or the context ends.
//
// It is the cyclic Jacobi method (H. Rutishauser, "The Jacobi method for real symmetric matrices",
// Numer. Math. 9, 1966) for small matrices; it takes about 10·n³ operations. For well-scaled
// definite matrices, small eigenvalues have a small relative error (J. Demmel and K. Veselić, SIAM
// J. Matrix Anal. Appl. 13, 1992).
func Jacobi(ctx context.Context, a matrix.Matrix[float64]) (values []float64, v matrix.Matrix[float64], ok bool) {
	n := a.Rows
	symmetrize(a)
	// the rows of w converge to the eigenvectors
	w := matrix.New[float64](n, n, nil)
	for i := range n {
		w.Set(i, i, 1)
	}
	for range maxSweeps {
		rotated := false
		for p := range n {
			if ctx.Err() != nil {
				return nil, w, false
			}
			for q := p + 1; q < n; q++ {
				x, apq := a.At(p, p), a.At(p, q)
				y := a.At(q, q)
				if apq-apq != 0 || x-x != 0 || y-y != 0 {
					return nil, w, false
				}
				// Skip an element so small that a rotation would not change the diagonal.
				if math.Abs(apq) <= 0x1p-54*math.Sqrt(math.Abs(x))*math.Sqrt(math.Abs(y)) || apq == 0 {
					continue
				}
				rotated = true
				rotate(a, w, p, q)
			}
		}
		if !rotated {
			ok = true
			break
		}
	}
	values = make([]float64, n)
	for i := range values {
		values[i] = a.At(i, i)
	}
	values, v = sortEigenpairs(values, w)
	return values, v, ok
}

// sortEigenpairs sorts eigenvalues in descending order. Row i of w is the eigenvector of unsorted[i].
// The eigenvectors become the columns of v, in the order of values. Each is multiplied by its [Sign].
func sortEigenpairs(unsorted []float64, w matrix.Matrix[float64]) (values []float64, v matrix.Matrix[float64]) {
	n := len(unsorted)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch x, y := unsorted[i], unsorted[j]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	values, v = make([]float64, n), matrix.New[float64](n, n, nil)
	for k, i := range order {
		values[k] = unsorted[i]
		sign := Sign(w.Row(i))
		for j, x := range w.Row(i) {
			v.Set(j, k, sign*x)
		}
	}
	return values, v
}

// maxSweeps is never reached: convergence is quadratic and takes 6 to 10 sweeps.
const maxSweeps = 60

// rotate zeroes a_pq by a rotation of rows and columns p and q. It applies the same rotation to
// rows p and q of w.
func rotate(a, w matrix.Matrix[float64], p, q int) {
	c, s := rotationFor(a.At(p, p), a.At(p, q), a.At(q, q))
	n := a.Rows
	rotatePair(a.Row(p), a.Row(q), c, s)
	for i := range n {
		x, y := a.At(i, p), a.At(i, q)
		a.Set(i, p, math.FMA(c, x, -float64(s*y)))
		a.Set(i, q, math.FMA(s, x, float64(c*y)))
	}
	a.Set(p, q, 0)
	a.Set(q, p, 0)
	rotatePair(w.Row(p), w.Row(q), c, s)
}

// rotationFor returns the rotation that diagonalizes the symmetric 2 × 2 matrix (x, xy; xy, y).
func rotationFor(x, xy, y float64) (c, s float64) {
	theta := (y - x) / xy / 2
	// t = sign(θ) / (|θ| + √(θ² + 1)), the smaller root of t² + 2θt − 1
	t := 1 / (math.Abs(theta) + math.Sqrt(math.FMA(theta, theta, 1)))
	if theta < 0 {
		t = -t
	}
	c = 1 / math.Sqrt(math.FMA(t, t, 1))
	return c, float64(t * c)
}

// rotatePair sets (x, y) = (cx − sy, sx + cy).
func rotatePair(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for i, u := range x {
		v := y[i]
		x[i] = math.FMA(c, u, -float64(s*v))
		y[i] = math.FMA(s, u, float64(c*v))
	}
}

// Sign returns the sign, 1 or −1, of the element of x with the largest magnitude. If several elements
// have this magnitude, Sign uses the first one. Multiplication by Sign makes the sign of an
// eigenvector unique.
func Sign(x []float64) float64 {
	var top float64
	sign := 1.
	for _, v := range x {
		if math.Abs(v) > top {
			top, sign = math.Abs(v), math.Copysign(1, v)
		}
	}
	return sign
}

// Pencil solves A·v = μ·B·v for symmetric A and positive definite B (n × n). It returns the
// eigenvalues μ, largest first, and the eigenvectors as the columns of v, normalized to VᵀBV = I.
// The signs are chosen as in [Eigen]. Pencil overwrites a and b. It reports false if B is not
// positive definite up to rounding errors, if a or b is not finite, or if the context ends.
func Pencil(ctx context.Context, a, b matrix.Matrix[float64]) (values []float64, v matrix.Matrix[float64], ok bool) {
	n := a.Rows
	if a.Cols != n || b.Rows != n || b.Cols != n {
		panic("algebra: the matrices of a pencil are not square, or not of one size")
	}
	l, ok := NewCholesky(ctx, b)
	if !ok {
		return nil, v, false
	}
	symmetrize(a)
	// The first call of SolveRows turns A into A·L⁻ᵀ. The transpose of A·L⁻ᵀ is L⁻¹·A, because A is
	// symmetric. The second call turns L⁻¹·A into L⁻¹·A·L⁻ᵀ.
	if l.SolveRows(ctx, a) != nil {
		return nil, v, false
	}
	t := matrix.New[float64](n, n, nil)
	matrix.Transpose(t, a)
	if l.SolveRows(ctx, t) != nil {
		return nil, v, false
	}
	if values, v, ok = Eigen(ctx, t); !ok {
		return nil, v, false
	}
	if l.SolveTrans(ctx, v) != nil {
		return nil, v, false
	}
	for k := range n {
		column := make([]float64, n)
		for i := range n {
			column[i] = v.At(i, k)
		}
		if Sign(column) < 0 {
			for i := range n {
				v.Set(i, k, -v.At(i, k))
			}
		}
	}
	return values, v, true
}
