package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/projection"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// CEML is conditional entropy metric learning (L. G. Sanchez Giraldo and J. C. Príncipe, "Information
// theoretic learning with infinitely divisible kernels", ICLR 2013, arXiv:1301.3551). P is a local
// minimum of the conditional entropy of the labels, given the projected samples:
//
//	S_α(L | XP) = S_α(K ∘ L) − S_α(K)   subject to tr(PᵀP) = p
//	S_α(A) = log₂ tr(A^α) / (1−α)        matrix-based Rényi entropy of A scaled to trace 1
//
// where K_ij = exp(−‖Pᵀ(x_i − x_j)‖²/(2σ²)), L_ij is 1 for samples of one class and 0 for others,
// and ∘ is the element-wise product. The columns need not be orthogonal or of equal length, and
// some columns may be 0.
//
// Before the fit, all features are divided by the same number, so that their mean variance is 1. σ
// and P refer to the features after this division.
//
// The minimizer is the conjugate gradient method on a sphere, started at PCA. A step takes time n³.
// For α outside (1, 5/4], a step takes several times as long.
type CEML struct {
	// Alpha is the order α of the entropy, α > 0 and α ≠ 1. The limit α → 1 is Shannon's entropy.
	// Default 1.01.
	Alpha float64
	// Width is the width σ of the Gaussian kernel. Default √p, as in the paper.
	Width float64
	// MaxSteps bounds the steps of the minimizer. Default 100.
	MaxSteps int
}

// String returns "CEML".
func (CEML) String() string { return "CEML" }

func (m CEML) filled() (projection.Method, bool) {
	if m.Alpha == 0 {
		m.Alpha = 1.01
	}
	if m.MaxSteps == 0 {
		m.MaxSteps = 100
	}
	return projection.Method{Labeled: true, Pairs: true, Fit: m.fit}, m.Alpha > 0 && m.Alpha != 1 && !math.IsInf(m.Alpha, 1) && m.Width >= 0 && m.MaxSteps > 0
}

func (m CEML) fit(ctx context.Context, x *mat.Dense, labels []int, p int) (*mat.Dense, error) {
	_, d := x.Dims()
	width := m.Width
	if width == 0 {
		width = math.Sqrt(float64(p))
	}
	basis, c, err := sampleSpan(ctx, unitVariance(ctx, x))
	if err != nil {
		return nil, err
	}
	_, r := c.Dims()
	q := min(p, r)
	start, err := components(ctx, c, q)
	if err != nil {
		return nil, err
	}
	// The Stiefel manifold St(r·q, 1) is the unit sphere. The function f multiplies a point of this
	// sphere by the radius √p before it computes the entropy.
	radius := math.Sqrt(float64(p))
	f := &sphere{entropy: newEntropy(c, labels, m.Alpha, width), radius: radius, rows: r, cols: q}
	point := mat.NewDense(r*q, 1, slices.Clone(start.RawMatrix().Data))
	point.Scale(1/math.Sqrt(float64(q)), point)
	v, err := minimize(ctx, boundSphere{f, ctx}, point, m.MaxSteps)
	if err != nil {
		return nil, err
	}
	v = mat.NewDense(r, q, v.RawMatrix().Data)
	v.Scale(radius, v)
	return liftColumns(ctx, basis, v, d, p), nil
}

// minimize finds a local minimum of f on the Stiefel manifold by conjugate gradients. The first
// iterate is start.
func minimize(ctx context.Context, f descent.Problem, start *mat.Dense, steps int) (*mat.Dense, error) {
	r, err := descent.Minimize(ctx, f, stiefel.New(start.Dims()), start, &descent.Settings{
		MaxSteps: steps, GradientTolerance: 1e-4, FunctionTolerance: 1e-9,
	})
	if r == nil {
		return nil, fmt.Errorf("%w: %w", projection.ErrFactorize, err)
	}
	// If the minimization ends early, r still has the best point found.
	return r.Point, nil
}

// unitVariance returns the centered x, divided by a common factor so that the mean variance of its
// features is 1. If all variances are 0, unitVariance only centers x.
func unitVariance(ctx context.Context, x *mat.Dense) *mat.Dense {
	c := projection.Centered(ctx, x)
	if s := rms(c); s > 0 {
		c.Scale(1/s, c)
	}
	return c
}

// rms returns the root mean square of the elements of c. To avoid overflow, it first divides the
// elements by the largest absolute value.
func rms(c *mat.Dense) float64 {
	n, d := c.Dims()
	top := max(mat.Max(c), -mat.Min(c))
	if top == 0 {
		return 0
	}
	sum := 0.
	for i := range n {
		for _, v := range c.RawRowView(i) {
			sum = math.FMA(v/top, v/top, sum)
		}
	}
	return top * math.Sqrt(sum/float64(n*d))
}

// sphere is the entropy as a function on the unit sphere. Points are multiplied by radius before
// the entropy is evaluated.
type sphere struct {
	*entropy
	radius     float64
	rows, cols int
}

// boundSphere adds a context to a sphere, because the methods of descent.Problem have no context
// parameter.
type boundSphere struct {
	*sphere
	ctx context.Context
}

// Evaluate implements descent.Problem.
func (s boundSphere) Evaluate(p, grad *mat.Dense) (float64, error) {
	at := mat.NewDense(s.rows, s.cols, nil)
	for i := range s.rows * s.cols {
		at.RawMatrix().Data[i] = s.radius * p.At(i, 0)
	}
	v, err := s.forward(s.ctx, at)
	if err == nil && grad != nil {
		err = s.Gradient(grad)
	}
	return v, err
}

// Gradient implements descent.Reverser.
func (s boundSphere) Gradient(grad *mat.Dense) error {
	g := mat.NewDense(s.rows, s.cols, nil)
	if err := s.backward(s.ctx, g); err != nil {
		return err
	}
	for i, e := range g.RawMatrix().Data {
		grad.Set(i, 0, s.radius*e)
	}
	return nil
}

// entropy is the conditional entropy of labels given projected samples.
type entropy struct {
	x            *mat.Dense
	classes      [][]int
	alpha, width float64

	// Results of the latest forward pass:
	y, k         *mat.Dense
	total, joint *spectrum // spectra of K and of K ∘ L
}

func newEntropy(x *mat.Dense, labels []int, alpha, width float64) *entropy {
	return &entropy{x: x, classes: projection.ClassRows(labels), alpha: alpha, width: width}
}

// forward returns the conditional entropy at the projection matrix p.
func (e *entropy) forward(ctx context.Context, p *mat.Dense) (float64, error) {
	n, _ := e.x.Dims()
	e.y = projection.Product(ctx, e.x, p)
	e.k = gaussian(ctx, e.y, e.y, precision(e.width))
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	var err error
	if e.total, err = newSpectrum(ctx, e.k, [][]int{all}, e.alpha); err != nil {
		return 0, err
	}
	// K ∘ L is block diagonal by class.
	if e.joint, err = newSpectrum(ctx, e.k, e.classes, e.alpha); err != nil {
		return 0, err
	}
	return e.joint.entropy() - e.total.entropy(), nil
}

// backward sets grad to the gradient at the point of the latest forward pass.
func (e *entropy) backward(ctx context.Context, grad *mat.Dense) error {
	n, _ := e.x.Dims()
	weights := mat.NewDense(n, n, nil) // ∂S/∂K
	if err := e.total.derivative(ctx, weights, -1); err != nil {
		return err
	}
	if err := e.joint.derivative(ctx, weights, 1); err != nil {
		return err
	}
	// ∂K_ij/∂‖y_i − y_j‖² = −K_ij/(2σ²)
	weights.MulElem(weights, e.k)
	weights.Scale(-1/(2*e.width*e.width), weights)
	pullBack(ctx, grad, e.x, distanceGradient(ctx, weights, e.y, e.y, nil))
	return nil
}

// spectrum holds the diagonal blocks of the matrix A = K/n, reduced to tridiagonal form. The trace
// of A is 1.
type spectrum struct {
	alpha  float64
	n      int
	blocks [][]int
	parts  []*tridiagonal
	trace  float64 // tr(A^α)
}

func newSpectrum(ctx context.Context, k *mat.Dense, blocks [][]int, alpha float64) (*spectrum, error) {
	n, _ := k.Dims()
	s := &spectrum{alpha: alpha, n: n, blocks: blocks}
	for _, rows := range blocks {
		m := len(rows)
		a := make([]float64, m*m)
		for i, r := range rows {
			from := k.RawRowView(r)
			for j, c := range rows[:i+1] {
				a[i*m+j] = from[c] / float64(n)
			}
		}
		t := tridiagonalize(ctx, m, a)
		if t.Tridiagonal == nil {
			return nil, projection.ErrFactorize
		}
		values, err := t.values(ctx)
		if err != nil {
			return nil, err
		}
		for _, l := range values {
			s.trace += power(max(l, 0), alpha)
		}
		s.parts = append(s.parts, t)
	}
	return s, nil
}

// entropy returns S_α.
func (s *spectrum) entropy() float64 { return num.Log2(s.trace) / (1 - s.alpha) }

// derivative adds sign·∂S_α/∂K to the matrix weights, where S_α is the entropy and K is the kernel
// matrix. The derivative with respect to A = K/n is
//
//	∂S_α(A)/∂A = α/((1−α) ln 2) · A^(α−1) / tr(A^α)
func (s *spectrum) derivative(ctx context.Context, weights *mat.Dense, sign float64) error {
	f := sign * s.alpha / ((1 - s.alpha) * math.Ln2 * s.trace * float64(s.n))
	for b, rows := range s.blocks {
		power, err := s.parts[b].power(ctx, s.alpha-1)
		if err != nil {
			return err
		}
		for i, r := range rows {
			to, from := weights.RawRowView(r), power.RawRowView(i)
			for j, c := range rows {
				to[c] += float64(f * from[j])
			}
		}
	}
	return nil
}

// distanceGradient returns the gradient, with respect to the rows of y (n × p), of a function of
// the squared distances ‖y_i − u_j‖². The matrix w (n × m) holds the derivatives of the function
// with respect to these distances. If centers is nil, u must be y. Otherwise row j of u is row
// centers[j] of y, and the derivative with respect to u_j is added to that row.
func distanceGradient(ctx context.Context, w, y, u *mat.Dense, centers []int) *mat.Dense {
	n, p := y.Dims()
	m, _ := u.Dims()
	wu, wy := projection.Product(ctx, w, u), projection.TransProduct(ctx, w, y)
	g := mat.NewDense(n, p, nil)
	columns := make([]float64, m)
	for i := range n {
		sum := 0.
		for j, v := range w.RawRowView(i) {
			sum += v
			columns[j] += v
		}
		gi, yi, wi := g.RawRowView(i), y.RawRowView(i), wu.RawRowView(i)
		for k := range gi {
			gi[k] = 2 * math.FMA(sum, yi[k], -wi[k])
		}
	}
	for j := range m {
		at := j
		if centers != nil {
			at = centers[j]
		}
		gj, uj, wj := g.RawRowView(at), u.RawRowView(j), wy.RawRowView(j)
		for k := range gj {
			gj[k] = math.FMA(2, math.FMA(columns[j], uj[k], -wj[k]), gj[k])
		}
	}
	return g
}
