package baseline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/wda/descent"
	"github.com/gomonge/monge/wda/stiefel"
	"gonum.org/v1/gonum/mat"
)

// CEML is conditional entropy metric learning (L. G. Sanchez Giraldo and J. C.
// Príncipe, "Information theoretic learning with infinitely divisible kernels", ICLR
// 2013, arXiv:1301.3551): a local minimum of the conditional entropy of the labels
// given the projected samples
//
//	S_α(L | XP) = S_α(K ∘ L) − S_α(K)   subject to tr(PᵀP) = p
//	S_α(A) = log₂ tr(A^α) / (1−α)        A scaled to trace 1 (matrix-based Rényi entropy)
//
// where K_ij = exp(−‖Pᵀ(x_i − x_j)‖²/(2σ²)), L_ij = 1 for samples of one class and 0 for
// others, and ∘ is the element-wise product. σ = √p. P is on a sphere: its columns
// need be neither orthogonal nor of equal length, and the method may leave some to
// vanish.
//
// σ means samples whose features have unit variance; they are therefore divided by
// the root of the mean variance of their features first, all by the same number, to
// which P refers.
//
// The start is PCA, the minimiser conjugate gradients on the sphere. Time n³ for the
// eigenvalues of K in every evaluation.
type CEML struct {
	// Alpha is α > 0, α ≠ 1. Default 1.01, close to Shannon's entropy.
	Alpha float64
	// Width is σ. Default √p, as in the paper.
	Width float64
	// MaxSteps bounds the steps of the minimiser. Default 100.
	MaxSteps int
}

// Name returns "CEML".
func (CEML) Name() string { return "CEML" }

// Fit returns P with tr(PᵀP) = p.
func (m CEML) Fit(x *mat.Dense, labels []int, p int) (*mat.Dense, error) {
	if err := checkNeighbours(x, labels, p); err != nil {
		return nil, err
	}
	alpha, width, steps := m.Alpha, m.Width, m.MaxSteps
	if alpha == 0 {
		alpha = 1.01
	}
	if width == 0 {
		width = math.Sqrt(float64(p))
	}
	if steps == 0 {
		steps = 100
	}
	if !(alpha > 0 && alpha != 1 && !math.IsInf(alpha, 1) && width > 0) || steps < 0 {
		return nil, fmt.Errorf("%w: %+v", ErrSettings, m)
	}
	_, d := x.Dims()
	basis, c := span(unitVariance(x))
	_, r := c.Dims()
	q := min(p, r)
	start, err := PrincipalComponents(c, q)
	if err != nil {
		return nil, err
	}
	// The sphere of radius √p is St(r·q, 1) after scaling.
	radius := math.Sqrt(float64(p))
	f := &sphere{entropy: newEntropy(c, labels, alpha, width), radius: radius, rows: r, cols: q}
	point := mat.NewDense(r*q, 1, slices.Clone(start.RawMatrix().Data))
	point.Scale(1/math.Sqrt(float64(q)), point)
	v, err := minimize(f, point, steps)
	if err != nil {
		return nil, err
	}
	v = mat.NewDense(r, q, v.RawMatrix().Data)
	v.Scale(radius, v)
	if basis != nil {
		var out mat.Dense
		out.Mul(basis, v)
		v = &out
	}
	all := mat.NewDense(d, p, nil)
	all.Slice(0, d, 0, q).(*mat.Dense).Copy(v)
	fixSigns(all)
	return finished(all)
}

// minimize returns the local minimum of f on St(d, p) that conjugate gradients reach
// from start.
func minimize(f descent.Problem, start *mat.Dense, steps int) (*mat.Dense, error) {
	r, err := descent.Minimize(context.Background(), f, stiefel.New(start.Dims()), start, &descent.Settings{
		MaxSteps: steps, GradientTolerance: 1e-4, FunctionTolerance: 1e-9,
	})
	if r == nil {
		return nil, fmt.Errorf("%w: %w", ErrFactorize, err)
	}
	// What ends a minimisation from a good start leaves its best point.
	return r.Point, nil
}

// unitVariance returns x, centred, divided by the root of the mean variance of its
// features if there is any.
func unitVariance(x *mat.Dense) *mat.Dense {
	c := centred(x)
	if s := rms(c); s > 0 {
		c.Scale(1/s, c)
	}
	return c
}

// rms returns the root of the mean square of the elements of c. It divides by the
// largest first, so that nothing overflows.
func rms(c *mat.Dense) float64 {
	n, d := c.Dims()
	top := max(mat.Max(c), -mat.Min(c))
	if top == 0 {
		return 0
	}
	sum := 0.
	for i := range n {
		for _, v := range c.RawRowView(i) {
			sum += (v / top) * (v / top)
		}
	}
	return top * math.Sqrt(sum/float64(n*d))
}

// sphere is an entropy as a function on the unit sphere.
type sphere struct {
	*entropy
	radius     float64
	rows, cols int
}

// Evaluate implements descent.Problem.
func (s *sphere) Evaluate(p, grad *mat.Dense) (float64, error) {
	at := mat.NewDense(s.rows, s.cols, nil)
	for i := range s.rows * s.cols {
		at.RawMatrix().Data[i] = s.radius * p.At(i, 0)
	}
	g := mat.NewDense(s.rows, s.cols, nil)
	if grad == nil {
		return s.value(nil, at)
	}
	v, err := s.value(g, at)
	for i, e := range g.RawMatrix().Data {
		grad.Set(i, 0, s.radius*e)
	}
	return v, err
}

// entropy is the conditional entropy of labels given projected samples.
type entropy struct {
	x            *mat.Dense
	classes      [][]int
	alpha, width float64
}

func newEntropy(x *mat.Dense, labels []int, alpha, width float64) *entropy {
	return &entropy{x: x, classes: classRows(labels), alpha: alpha, width: width}
}

// value returns the conditional entropy at p and sets grad to its gradient unless it
// is nil.
//
// ∂S_α(A)/∂A = α/((1−α) ln 2) · A^(α−1) / tr(A^α). K ∘ L is block diagonal by class, and
// so are its powers.
func (e *entropy) value(grad, p *mat.Dense) (float64, error) {
	n, _ := e.x.Dims()
	_, q := p.Dims()
	y := mat.NewDense(n, q, nil)
	dist.Project(view(y), view(e.x), view(p))
	k := mat.NewDense(n, n, nil)
	dist.Gibbs(view(k), view(y), view(y), 1/(2*e.width*e.width))
	var weights *mat.Dense // ∂S/∂K
	if grad != nil {
		weights = mat.NewDense(n, n, nil)
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	total, err := e.entropyOf(k, [][]int{all}, -1, weights)
	if err != nil {
		return 0, err
	}
	joint, err := e.entropyOf(k, e.classes, 1, weights)
	if err != nil {
		return 0, err
	}
	if grad != nil {
		// ∂K_ij/∂‖y_i − y_j‖² = −K_ij/(2σ²)
		weights.MulElem(weights, k)
		weights.Scale(-1/(2*e.width*e.width), weights)
		pullBack(grad, e.x, distanceGradient(weights, y, y, nil))
	}
	return joint - total, nil
}

// entropyOf returns S_α of the block diagonal part of k, which has a unit diagonal,
// and adds sign times its derivative to weights unless that is nil.
func (e *entropy) entropyOf(k *mat.Dense, blocks [][]int, sign float64, weights *mat.Dense) (float64, error) {
	n, _ := k.Dims()
	trace := 0.
	vectors := make([]*mat.Dense, len(blocks))
	for b, rows := range blocks {
		a := mat.NewSymDense(len(rows), nil)
		for i, r := range rows {
			for j, s := range rows[:i+1] {
				a.SetSym(i, j, k.At(r, s)/float64(n))
			}
		}
		var eig mat.EigenSym
		if !eig.Factorize(a, weights != nil) {
			return 0, ErrFactorize
		}
		values := eig.Values(nil)
		for _, l := range values {
			trace += math.Pow(max(l, 0), e.alpha)
		}
		if weights == nil {
			continue
		}
		// A^(α−1) = VVᵀ with the columns scaled.
		var v mat.Dense
		eig.VectorsTo(&v)
		for c, l := range values {
			// Below rounding an eigenvalue is as good as this one; for α < 1 its
			// power would be without bound.
			s := math.Pow(max(l, 1e-17), (e.alpha-1)/2)
			for i := range rows {
				v.Set(i, c, v.At(i, c)*s)
			}
		}
		vectors[b] = &v
	}
	if weights != nil {
		f := sign * e.alpha / ((1 - e.alpha) * math.Ln2 * trace * float64(n))
		for b, rows := range blocks {
			var power mat.SymDense
			power.SymOuterK(f, vectors[b])
			for i, r := range rows {
				for j, s := range rows {
					weights.Set(r, s, weights.At(r, s)+power.At(i, j))
				}
			}
		}
	}
	return math.Log2(trace) / (1 - e.alpha), nil
}

// distanceGradient returns the gradient by the rows of y (n × p) of a function whose
// derivatives by the squared distances ‖y_i − u_j‖² are w (n × m). If centres is nil
// u is y, else row j of u is row centres[j] of y; both ends of a distance count.
func distanceGradient(w, y, u *mat.Dense, centres []int) *mat.Dense {
	n, p := y.Dims()
	m, _ := u.Dims()
	var wu, wy mat.Dense
	wu.Mul(w, u)
	wy.Mul(w.T(), y)
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
			gi[k] = 2 * (sum*yi[k] - wi[k])
		}
	}
	for j := range m {
		at := j
		if centres != nil {
			at = centres[j]
		}
		gj, uj, wj := g.RawRowView(at), u.RawRowView(j), wy.RawRowView(j)
		for k := range gj {
			gj[k] += 2 * (columns[j]*uj[k] - wj[k])
		}
	}
	return g
}
