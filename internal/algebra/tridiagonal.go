package algebra

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
)

// Tridiagonal is a symmetric matrix A (n × n) reduced to A = Q·T·Qᵀ. T is tridiagonal, and Q is an
// orthogonal product of n − 1 reflections.
type Tridiagonal struct {
	Diagonal    []float64 // diagonal of T, n elements
	OffDiagonal []float64 // off-diagonal of T, n − 1 elements
	vectors     matrix.Matrix[float64]
	tau         []float64
}

const (
	// panelSize is the number of reflections that are applied at once.
	panelSize = 32
	// stripRows is the number of rows of dst that addTransMul computes in one kernel call.
	stripRows = 96
)

// Tridiagonalize reduces the symmetric matrix a to tridiagonal form. It reads the lower triangle,
// overwrites the whole matrix, and retains it. The squares of the elements must not overflow or
// underflow. NaN and infinity propagate. It returns nil if the context ends.
//
// It is the blocked Householder reduction (J. J. Dongarra, D. C. Sorensen and S. J. Hammarling,
// "Block reduction of matrices to condensed forms for eigenvalue computations", J. Comput. Appl.
// Math. 27, 1989; LAPACK's dsytrd). Half of the work is matrix-vector products. The other half is
// products of panels.
func Tridiagonalize(ctx context.Context, a matrix.Matrix[float64]) *Tridiagonal {
	n := a.Rows
	symmetrize(a)
	t := &Tridiagonal{
		Diagonal: make([]float64, n), OffDiagonal: make([]float64, max(0, n-1)),
		vectors: a, tau: make([]float64, max(0, n-1)),
	}
	// The matrices pairs and turned contain the reflections that have not been applied yet. Rows 2i
	// and 2i+1 of pairs are −v_i and −w_i, and rows 2i and 2i+1 of turned are w_i and v_i. The
	// remaining matrix is A − Σ (v wᵀ + w vᵀ).
	most := 2 * min(panelSize, n)
	pairs, turned := matrix.New[float64](most, n, nil), matrix.New[float64](most, n, nil)
	c, w := make([]float64, most), make([]float64, n)
	for k0 := 0; k0 < n; k0 += panelSize {
		k1 := min(k0+panelSize, n)
		for k := k0; k < k1; k++ {
			if ctx.Err() != nil {
				return nil
			}
			row := a.Row(k)[k:]
			m := 2 * (k - k0)
			old := pairs.RowRange(0, m).ColRange(k, n)
			for i := range m {
				c[i] = turned.Row(i)[k]
			}
			addCombination(row, c[:m], old)
			t.Diagonal[k] = row[0]
			if k == n-1 {
				break
			}
			x := row[1:]
			t.OffDiagonal[k], t.tau[k] = Reflector(x)
			x[0] = 1
			// w = τ(A v − ½ τ (vᵀA v) v)
			to := w[k+1:]
			matrix.MulVec(to, a.RowRange(k+1, n).ColRange(k+1, n), x)
			old = pairs.RowRange(0, m).ColRange(k+1, n)
			matrix.MulVec(c[:m], turned.RowRange(0, m).ColRange(k+1, n), x)
			addCombination(to, c[:m], old)
			Scale(to, t.tau[k])
			half := -float64(0.5 * t.tau[k] * Dot(to, x))
			for i, v := range x {
				u := math.FMA(half, v, to[i])
				pairs.Row(m)[k+1+i], pairs.Row(m + 1)[k+1+i] = -v, -u
				turned.Row(m)[k+1+i], turned.Row(m + 1)[k+1+i] = u, v
			}
		}
		rest := a.RowRange(k1, n).ColRange(k1, n)
		p, q := pairs.RowRange(0, 2*(k1-k0)).ColRange(k1, n), turned.RowRange(0, 2*(k1-k0)).ColRange(k1, n)
		addTransMul(ctx, rest, q, p)
	}
	return t
}

// symmetrize copies the lower triangle of a square matrix to the upper triangle.
func symmetrize(a matrix.Matrix[float64]) {
	if a.Cols != a.Rows {
		panic("algebra: a matrix to diagonalize is not square")
	}
	for i := range a.Rows {
		for j, v := range a.Row(i)[:i] {
			a.Set(j, i, v)
		}
	}
}

// addCombination adds Σ c_i·(row i of m) to x.
func addCombination(x, c []float64, m matrix.Matrix[float64]) {
	if len(c) > 0 && len(x) > 0 {
		matrix.Mul(matrix.OfRow(x), matrix.OfRow(c), m, true)
	}
}

// addTransMul adds aᵀ·b to dst, stripRows rows at a time. It stops early if the context ends.
func addTransMul(ctx context.Context, dst, a, b matrix.Matrix[float64]) {
	for i := 0; i < dst.Rows && ctx.Err() == nil; i += stripRows {
		j := min(i+stripRows, dst.Rows)
		matrix.TransMul(dst.RowRange(i, j), a.ColRange(i, j), b, true)
	}
}

// Rows returns Qᵀ (n × n). If the context ends, the result is unfinished.
//
// Rows applies one panel of reflections at a time as I − VᵀSV. The rows of V are the vectors of the
// reflections, and S is triangular (R. Schreiber and C. Van Loan, "A storage-efficient WY
// representation for products of Householder transformations", SIAM J. Sci. Stat. Comput. 10,
// 1989).
func (t *Tridiagonal) Rows(ctx context.Context) matrix.Matrix[float64] {
	n := len(t.Diagonal)
	z := matrix.New[float64](n, n, nil)
	for i := range n {
		z.Set(i, i, 1)
	}
	most := min(panelSize, n)
	v := matrix.New[float64](most, n, nil)
	y, sy := matrix.New[float64](most, n, nil), matrix.New[float64](most, n, nil)
	s, negative := matrix.New[float64](most, most, nil), matrix.New[float64](most, most, nil)
	for k0 := max(n-2, 0) / panelSize * panelSize; k0 >= 0; k0 -= panelSize {
		k1 := min(k0+panelSize, n-1)
		b := k1 - k0
		if b <= 0 {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		// This loop builds Q. The last loop of the method transposes Q.
		from := k0 + 1
		vb := v.RowRange(0, b).ColRange(from, n)
		for i := range b {
			row := vb.Row(i)
			clear(row[:i])
			copy(row[i:], t.vectors.Row(k0 + i)[k0+i+1:])
		}
		// The product of the b reflections is I − VᵀSV, where row i of V is v_i. S is upper
		// triangular, and its diagonal is τ. Above the diagonal, column i of S is −τ_i S' V' v_i,
		// where S' is the leading i × i block of S, and V' contains the first i rows of V.
		sb := s.RowRange(0, b).ColRange(0, b)
		for i := range b {
			for r := range b {
				sb.Set(r, i, 0)
			}
			sb.Set(i, i, t.tau[k0+i])
			dots := sy.Row(0)[:i]
			for r := range i {
				dots[r] = Dot(vb.Row(r)[i:], vb.Row(i)[i:])
			}
			for r := range i {
				sum := 0.
				for q := r; q < i; q++ {
					sum = math.FMA(sb.At(r, q), dots[q], sum)
				}
				sb.Set(r, i, -float64(t.tau[k0+i]*sum))
			}
		}
		// Set Z −= Vᵀ S V Z in the rows and columns that the reflections change.
		zb := z.RowRange(from, n).ColRange(from, n)
		yb, syb := y.RowRange(0, b).ColRange(from, n), sy.RowRange(0, b).ColRange(from, n)
		dense.Product(ctx, yb, vb, zb, false)
		negative := negative.RowRange(0, b).ColRange(0, b)
		for i := range b {
			for j := range b {
				negative.Set(i, j, -sb.At(i, j))
			}
		}
		matrix.Mul(syb, negative, yb, false)
		addTransMul(ctx, zb, vb, syb)
	}
	for i := range n {
		for j := range i {
			x, y := z.At(i, j), z.At(j, i)
			z.Set(i, j, y)
			z.Set(j, i, x)
		}
	}
	return z
}

// Diagonalize returns the eigenvalues of T in no particular order. It applies the rotations that
// diagonalize T to the rows of z (n rows). The rotations turn z = I into the eigenvectors of T, and
// z = Qᵀ into the eigenvectors of A. Diagonalize reports false if the iteration does not converge,
// for example because of NaN, or if the context ends.
//
// It is the implicit QL algorithm (A. Dubrulle, R. S. Martin and J. H. Wilkinson, "The implicit QL
// algorithm", Numer. Math. 12, 1968) with Wilkinson's shift. Diagonalize collects rotations and
// applies them to a few columns of z at a time, so that these columns stay in the cache.
func (t *Tridiagonal) Diagonalize(ctx context.Context, z matrix.Matrix[float64]) (values []float64, ok bool) {
	n := len(t.Diagonal)
	d, e := make([]float64, n), make([]float64, n)
	copy(d, t.Diagonal)
	copy(e, t.OffDiagonal)
	var turns rotations
	for l, left := 0, maxShifts*n; l < n; {
		m := l
		for m < n-1 && !(math.Abs(e[m]) <= 0x1p-53*(math.Abs(d[m])+math.Abs(d[m+1])) || math.Abs(e[m]) < 0x1p-500) {
			m++
		}
		if m == l {
			l++
			continue
		}
		if left--; left < 0 {
			return nil, false
		}
		g := float64((d[l+1] - d[l]) / e[l] / 2)
		g = d[m] - d[l] + e[l]/(g+math.Copysign(hypot(g, 1), g))
		s, c, p := 1., 1., 0.
		i := m - 1
		for ; i >= l; i-- {
			f, b := float64(s*e[i]), float64(c*e[i])
			r := hypot(f, g)
			e[i+1] = r
			if r == 0 {
				d[i+1] -= p
				break
			}
			s, c = f/r, g/r
			g = d[i+1] - p
			r = math.FMA(d[i]-g, s, 2*float64(c*b))
			p = float64(s * r)
			d[i+1] = g + p
			g = math.FMA(c, r, -b)
			turns = append(turns, planeRotation{i, c, s})
		}
		if i < l {
			d[l] -= p
			e[l] = g
		}
		e[m] = 0
		if len(turns) >= 8*n {
			if ctx.Err() != nil {
				return nil, false
			}
			turns.applyToRows(ctx, z)
			turns = turns[:0]
		}
	}
	turns.applyToRows(ctx, z)
	return d, ctx.Err() == nil
}

// maxShifts limits the average number of shifts for a row. Finite input usually needs two.
const maxShifts = 60

// hypot returns √(x² + y²) without overflow or underflow of the squares.
func hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	if x < y {
		x, y = y, x
	}
	if y == 0 {
		return x
	}
	q := y / x
	return float64(x * math.Sqrt(math.FMA(q, q, 1)))
}

// planeRotation is a rotation of rows r and r+1.
type planeRotation struct {
	r    int
	c, s float64
}

type rotations []planeRotation

// applyToRows rotates the rows of z. It processes blocks of columns that stay in the second-level
// cache and stops when the context ends.
func (t rotations) applyToRows(ctx context.Context, z matrix.Matrix[float64]) {
	const columns = 64
	for j := 0; j < z.Cols && ctx.Err() == nil; j += columns {
		k := min(j+columns, z.Cols)
		for _, o := range t {
			rotatePair(z.Row(o.r)[j:k], z.Row(o.r + 1)[j:k], o.c, o.s)
		}
	}
}

// Eigen returns the eigenvalues of the symmetric matrix a (n × n), largest first, and the
// eigenvectors as the columns of v (n × n, orthonormal): A = V·diag(λ)·Vᵀ. It overwrites a. In each
// eigenvector, the element with the largest magnitude (the first, if there are several) is positive.
// Errors are of order n·2⁻⁵² times the largest eigenvalue. Jacobi is more accurate for small
// eigenvalues and several times slower. Eigen reports false if a is not finite or the context ends.
func Eigen(ctx context.Context, a matrix.Matrix[float64]) (values []float64, v matrix.Matrix[float64], ok bool) {
	n := a.Rows
	top := 0.
	for i := range n {
		for _, x := range a.Row(i)[:i+1] {
			if x-x != 0 {
				return nil, v, false
			}
			top = max(top, math.Abs(x))
		}
	}
	scale := PowerOfTwo(top)
	for i := range n {
		Scale(a.Row(i)[:i+1], scale)
	}
	t := Tridiagonalize(ctx, a)
	if t == nil {
		return nil, v, false
	}
	z := t.Rows(ctx)
	if values, ok = t.Diagonalize(ctx, z); !ok {
		return nil, v, false
	}
	values, v = sortEigenpairs(values, z)
	for k := range values {
		values[k] /= scale
	}
	return values, v, true
}
