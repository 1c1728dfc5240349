// Package stiefel implements the geometry of the Stiefel manifold
//
//	St(d, p) = { P ∈ ℝ^{d×p} : PᵀP = I },  1 ≤ p ≤ d,
//
// the set of matrices with orthonormal columns, with the metric of ℝ^{d×p}: ⟨U, V⟩ = tr(UᵀV).
//
// The tangent space at P is { V : PᵀV + VᵀP = 0 }. Its orthogonal complement is { P S : S = Sᵀ }.
// Sources: Absil, Mahony and Sepulchre, Optimization Algorithms on Matrix Manifolds, Princeton
// 2008 (AMS below); Edelman, Arias and Smith, The geometry of algorithms with orthogonality
// constraints, SIAM J. Matrix Anal. Appl. 1998; the embedded Stiefel factory of Manopt.
//
// # Conventions
//
// Points and vectors are d×p *mat.Dense of any stride. The destination comes first, is overwritten
// completely, and may be one of the operands. Operands must not overlap partially. An empty
// destination is resized, as in gonum. A wrong shape causes a panic.
//
// Methods with a context check it between pieces of work. When the context ends, they leave the
// destination unfinished, and methods that return an error return context.Cause(ctx).
//
// Methods do not allocate. Their results have the same bits on every machine, because every sum has
// a fixed order and every product is rounded or fused explicitly. [Manifold.PrincipalAngles] is an
// exception, because it uses math.Atan2.
package stiefel

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/random"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const (
	badDims  = "stiefel: dimensions do not satisfy 1 ≤ p ≤ d"
	badShape = "stiefel: matrix is not d×p"
	badLen   = "stiefel: slice length is not p"
)

// ErrNotFinite is returned for a matrix that contains NaN or infinity, or if a computation
// overflows. The destination is then unchanged.
var ErrNotFinite = errors.New("stiefel: matrix with NaN or infinite element")

// Manifold is St(d, p) with the workspace of its operations, about (2d+7p)·p float64 values. A
// Manifold must not be used by two goroutines at once. Use [New] to create one.
type Manifold struct {
	d, p int

	// Workspace for the QR decomposition: cols contains the columns of the matrix, column j in
	// cols[j*d : (j+1)*d]; tau contains the scalars of the reflections; diag contains the diagonal
	// of R.
	cols, tau, diag []float64

	gram []float64 // p×p, for example PᵀG
	row  []float64 // p
	rows []float64 // d×p, row-major

	upper, inverse []float64 // p×p, for the QR decomposition by Cholesky

	svd decomposition
}

// New returns St(d, p) with its workspace. It panics unless 1 ≤ p ≤ d.
func New(d, p int) *Manifold {
	if p < 1 || d < p {
		panic(badDims)
	}
	m := &Manifold{
		d: d, p: p,
		cols: make([]float64, d*p), tau: make([]float64, p), diag: make([]float64, p),
		gram: make([]float64, p*p), row: make([]float64, p), rows: make([]float64, d*p),
		upper: make([]float64, p*p), inverse: make([]float64, p*p),
		svd: decomposition{algebra.NewSVD(p, p)},
	}
	return m
}

// Dims returns the number of rows d and of columns p of a point.
func (m *Manifold) Dims() (d, p int) { return m.d, m.p }

// Dimension returns the dimension of the manifold, dp − p(p+1)/2.
func (m *Manifold) Dimension() int { return m.d*m.p - m.p*(m.p+1)/2 }

// Tangent sets dst to the orthogonal projection of g onto the tangent space at the point p (AMS eq.
// 3.35, 4.23):
//
//	dst = G − P sym(PᵀG),  sym(A) = (A + Aᵀ)/2
//
// For the gradient of a function in ℝ^{d×p}, the result is the Riemannian gradient. Tangent takes
// 4dp² floating-point operations.
func (m *Manifold) Tangent(ctx context.Context, dst, p, g *mat.Dense) {
	rp, rg, out := m.operand(p), m.operand(g), m.destination(dst)
	m.productTN(ctx, m.gram, rp, rg)
	n := m.p
	for a := range n {
		for b := range a {
			s := 0.5 * (m.gram[a*n+b] + m.gram[b*n+a])
			m.gram[a*n+b], m.gram[b*n+a] = s, s
		}
	}
	m.subtractProduct(ctx, out, rg, rp, m.gram)
}

// Inner returns the inner product ⟨U, V⟩ = tr(UᵀV) of two tangent vectors. The metric is the same
// at every point, so Inner does not read the point, its first argument.
func (m *Manifold) Inner(_, u, v *mat.Dense) float64 {
	ru, rv := m.operand(u), m.operand(v)
	clear(m.row)
	i := 0
	for ; i+4 <= m.d; i += 4 { // four rows at a time save loads and stores
		x0, x1, x2, x3 := row(ru, i)[:m.p], row(ru, i+1)[:m.p], row(ru, i+2)[:m.p], row(ru, i+3)[:m.p]
		y0, y1, y2, y3 := row(rv, i)[:m.p], row(rv, i+1)[:m.p], row(rv, i+2)[:m.p], row(rv, i+3)[:m.p]
		for j, s := range m.row[:m.p] {
			s = math.FMA(x0[j], y0[j], s)
			s = math.FMA(x1[j], y1[j], s)
			s = math.FMA(x2[j], y2[j], s)
			m.row[j] = math.FMA(x3[j], y3[j], s)
		}
	}
	for ; i < m.d; i++ {
		y := row(rv, i)
		for j, x := range row(ru, i) {
			m.row[j] = math.FMA(x, y[j], m.row[j])
		}
	}
	var sum float64
	for _, s := range m.row {
		sum += s
	}
	return sum
}

// Transport sets dst to the orthogonal projection of v onto the tangent space at the point q, the
// vector transport of an embedded manifold (AMS section 8.1.3). The result does not depend on the
// retraction that led to q and is never longer than v. If G is tangent at q, then
// ⟨G, dst⟩ = ⟨G, v⟩.
func (m *Manifold) Transport(ctx context.Context, dst, q, v *mat.Dense) { m.Tangent(ctx, dst, q, v) }

// Random sets dst to a random point with the uniform (Haar) distribution on the manifold. It draws
// a matrix of d·p standard normal numbers row by row. The point is the Q factor of the QR
// decomposition of this matrix in which R has a positive diagonal (Mezzadri, Notices of the AMS
// 2007).
func (m *Manifold) Random(ctx context.Context, dst *mat.Dense, rnd *rand.Rand) {
	out := m.destination(dst)
	for i := range m.rows {
		m.rows[i] = random.Normal(rnd)
	}
	_, _ = m.orthonormalize(ctx, out) // cannot fail, because the random numbers are finite
}

// Infeasibility returns ‖PᵀP − I‖_F, or NaN if p contains NaN.
func (m *Manifold) Infeasibility(ctx context.Context, p *mat.Dense) float64 {
	rp := m.operand(p)
	m.productTN(ctx, m.gram, rp, rp)
	for j := range m.p {
		m.gram[j*m.p+j]--
	}
	return math.Sqrt(algebra.Dot(m.gram, m.gram))
}

// Distance returns the distance between the subspaces spanned by the points p and q in the chordal
// (projection F-) metric:
//
//	‖(I − PPᵀ)Q‖_F = ‖PPᵀ − QQᵀ‖_F/√2 = (Σ_k sin²θ_k)^{1/2}
//
// where θ_k are the principal angles. The distance is 0 for equal subspaces and at most
// √min(p, d−p). Small distances are accurate to the rounding errors of p and q.
func (m *Manifold) Distance(ctx context.Context, p, q *mat.Dense) float64 {
	m.residual(ctx, m.operand(p), m.operand(q))
	return math.Sqrt(algebra.Dot(m.cols, m.cols))
}

// PrincipalAngles sets dst (length p) to the principal (canonical) angles between the subspaces
// spanned by the points p and q. The angles are in [0, π/2] and in ascending order. The cosines are
// the singular values of PᵀQ, and the sines are the singular values of (I − PPᵀ)Q. Each angle is
// computed from its sine and its cosine, because arccos loses half the digits of a small angle and
// arcsin loses half the digits of a large angle (Björck and Golub, Math. Comp. 1973). The error is
// a few ulp of 1. If PrincipalAngles returns an error, dst is unchanged.
func (m *Manifold) PrincipalAngles(ctx context.Context, dst []float64, p, q *mat.Dense) error {
	if len(dst) != m.p {
		panic(badLen)
	}
	m.residual(ctx, m.operand(p), m.operand(q))
	m.svd.setSquare(m.gram) // cosines, from PᵀQ
	if !m.svd.Factorize(ctx) {
		return causeOr(ctx, ErrNotFinite)
	}
	copy(m.row, m.svd.Values)
	algebra.Factor(ctx, m.columnMatrix(), m.tau, m.diag)
	m.copyTriangle(m.gram)
	m.svd.setSquare(m.gram)
	if !m.svd.Factorize(ctx) {
		return causeOr(ctx, ErrNotFinite)
	}
	for k := range dst { // the cosines in m.row descend, so the angles ascend; the sines also descend, so they are read backward
		dst[k] = math.Atan2(m.svd.Values[m.p-1-k], m.row[k])
	}
	return nil
}

// residual sets m.gram to PᵀQ and m.cols to the columns of (I − PPᵀ)Q.
func (m *Manifold) residual(ctx context.Context, p, q blas64.General) {
	m.productTN(ctx, m.gram, p, q)
	m.subtractProduct(ctx, blas64.General{Rows: m.d, Cols: m.p, Stride: m.p, Data: m.rows}, q, p, m.gram)
	dense.Transpose(ctx, m.columnMatrix(), matrix.New(m.d, m.p, m.rows))
}

// causeOr returns the context's cause if ctx has ended, and err otherwise.
func causeOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// operand checks the shape of the matrix a and returns the blas64.General of a.
func (m *Manifold) operand(a *mat.Dense) blas64.General {
	raw := a.RawMatrix()
	if raw.Rows != m.d || raw.Cols != m.p {
		panic(badShape)
	}
	return raw
}

// destination returns the blas64.General of the output matrix a. It allocates a if a is empty, and
// otherwise checks the shape.
func (m *Manifold) destination(a *mat.Dense) blas64.General {
	if a.IsEmpty() {
		a.ReuseAs(m.d, m.p)
	}
	return m.operand(a)
}

// row returns row i of a.
func row(a blas64.General, i int) []float64 {
	return a.Data[i*a.Stride : i*a.Stride+a.Cols]
}

// decomposition is the SVD of a p×p matrix.
type decomposition struct{ *algebra.SVD }

// setSquare stores the matrix a (p×p, row-major) for Factorize.
func (s decomposition) setSquare(a []float64) {
	n := len(s.Values)
	for i := range n {
		for j, x := range a[i*n:][:n] {
			s.U.Row(j)[i] = x
		}
	}
}
