package baselines

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/projection"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// LSQMI maximizes the quadratic mutual information of the projected samples z = Pᵀx and the labels,
//
//	QMI = ½ ∫ Σ_y f(z, y)² dz,  f(z, y) = p(z, y) − p(z)p(y)
//
// subject to orthonormal columns, with direct estimates of the derivative of QMI (V. Tangkaratt, H.
// Sasaki and M. Sugiyama, "Direct estimation of the derivative of quadratic mutual information with
// application in supervised dimension reduction", Neural Computation 29, 2017, arXiv:1508.01019,
// where the method is called LSQMID). Let g_k be an estimate of ∂f/∂z_k. Then
//
//	∂QMI/∂P_jk = n⁻¹ Σ_i x_ij g_k(z_i, y_i) − n⁻² Σ_ii' x_ij g_k(z_i, y_i')
//
// g_k is a sum of kernels φ_b(z, y) = exp(−‖z − u_b‖²/(2σ²)) for y = v_b, else 0. The sum is fitted
// to ∂f/∂z_k by least squares. Integration by parts removes the unknown derivative:
//
//	g_k = Σ_b θ_b φ_b,  θ = (U + λI)⁻¹ w,  U_bb' = (πσ²)^{p/2} exp(−‖u_b − u_b'‖²/(4σ²)) for v_b = v_b', else 0
//	w_b = −n⁻¹ Σ_i ∂_kφ_b(z_i, y_i) + n⁻² Σ_ii' ∂_kφ_b(z_i, y_i')
//
// Cross-validation chooses one σ and one λ for all k, with the least squared error. The estimated
// derivative gives the direction of a step. A separate least-squares estimate of QMI, with its own
// σ and λ, determines the length of the step and the best of several starting points (J. Sainui and
// M. Sugiyama, "Direct approximation of quadratic mutual information and its application to
// dependence-maximization clustering", IEICE Trans. E96-D, 2013). A step that does not increase the
// estimated QMI is halved. A step takes time n·b for b kernels.
type LSQMI struct {
	// Basis is the maximum number b of kernels. Default 200. There are at most as many kernels as
	// samples.
	Basis int
	// Starts is the number of starting points. The first starting point is PCA, and the other
	// starting points are random. Default 11, because QMI has more local maxima than the criteria
	// of the other methods.
	Starts int
	// MaxSteps bounds the steps from each starting point. Default 100.
	MaxSteps int
	// Seed is the seed of the random starting points, of the choice of kernels and of the
	// cross-validation folds.
	Seed uint64
}

// String returns "LSQMI".
func (LSQMI) String() string { return "LSQMI" }

func (m LSQMI) filled() (projection.Method, bool) {
	if m.Starts == 0 {
		m.Starts = 11
	}
	var ok bool
	m.Basis, m.MaxSteps, ok = filledKernels(m.Basis, m.MaxSteps)
	return projection.Method{Labeled: true, Pairs: true, Fit: m.fit}, ok && m.Starts > 0
}

func (m LSQMI) fit(ctx context.Context, x *mat.Dense, labels []int, p int) (*mat.Dense, error) {
	f, err := newKernels(ctx, x, labels, m.Basis, m.Seed)
	if err != nil {
		return nil, err
	}
	return f.search(ctx, p, m.Starts, m.MaxSteps, m.Seed, func(start *mat.Dense, steps int) (*mat.Dense, float64, error) {
		return f.climbQMI(ctx, start, steps)
	})
}

// climbQMI maximizes QMI by gradient ascent from the given point. It returns the last point and the
// negative QMI at this point.
func (f *kernels) climbQMI(ctx context.Context, start *mat.Dense, steps int) (*mat.Dense, float64, error) {
	const run = 20 // σ and λ are chosen again after this many steps
	r, q := start.Dims()
	manifold := stiefel.New(r, q)
	at, next := mat.DenseCopyOf(start), mat.NewDense(r, q, nil)
	grad := mat.NewDense(r, q, nil)
	// The variable unit is the unit of length for the projected samples. Densities depend on the unit,
	// and QMI depends on the densities. Therefore the unit must stay the same.
	unit := f.medianOf(ctx, at)
	length := 0.3
	var value, slope fit
	for done := 0; ; done++ {
		if ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		fresh := done%run == 0
		if fresh || done == steps {
			var score float64
			var err error
			if value, score, err = f.selectQMI(ctx, at, unit, false); err != nil {
				return nil, 0, err
			}
			if done >= steps {
				return at, score, nil
			}
			if slope, _, err = f.selectQMI(ctx, at, unit, true); err != nil {
				return nil, 0, err
			}
		}
		here, err := f.qmi(ctx, at, value)
		if err != nil {
			return nil, 0, err
		}
		if err := f.qmiDerivative(ctx, grad, at, slope); err != nil {
			return nil, 0, err
		}
		manifold.Tangent(ctx, grad, at, grad)
		moved := false
		if norm := math.Sqrt(manifold.Inner(at, grad, grad)); norm > 0 && !math.IsInf(norm, 1) {
			for length *= 2; length > 1e-4; length /= 2 {
				if manifold.Retract(ctx, next, at, grad, length/norm) != nil {
					continue
				}
				there, err := f.qmi(ctx, next, value)
				if err != nil {
					return nil, 0, err
				}
				if there > here {
					at.Copy(next)
					moved = true
					break
				}
			}
		}
		if moved {
			continue
		}
		if fresh { // the loop has already chosen σ and λ at this point
			_, score, err := f.selectQMI(ctx, at, unit, false)
			return at, score, err
		}
		done += run - 1 - done%run // choose them now
		done = min(done, steps-1)
		length = 0.1
	}
}

// fit holds the settings of a least-squares estimate.
type fit struct{ width, lambda, unit float64 }

func (f *kernels) medianOf(ctx context.Context, p *mat.Dense) float64 {
	y, u := f.project(ctx, p)
	return medianDistance(sqDistances(ctx, y, u))
}

// overlapMatrix returns the matrix U/c of one class, and log c. The factor c is (πσ²)^{p/2}, where
// σ is the kernel width s.width divided by s.unit. The rows of u are the kernel centers of the class.
func overlapMatrix(ctx context.Context, u *mat.Dense, s fit) (*mat.Dense, float64) {
	_, q := u.Dims()
	k := gaussian(ctx, u, u, precision(s.width)/2)
	w := s.width / s.unit
	return k, float64(q) / 2 * num.Log(math.Pi*w*w)
}

// signedMeans returns a weighted sum Σ_i s_i φ(z_i) over the samples z_i. The vector φ(z_i) holds
// the values of the kernels of class c at z_i. Let n be the number of samples, and n_c the number of
// samples of class c. The weight s_i is 1/n − n_c/n² for samples of class c, and −n_c/n² for others.
// If use is not nil, samples for which use(i) is false do not count. If derivative is true, column k
// of the result is −Σ_i s_i ∂_kφ(z_i), where ∂_k is the derivative with respect to component k of z_i.
func (f *kernels) signedMeans(ctx context.Context, y, u, k *mat.Dense, c int, width float64, derivative bool, use func(i int) bool) *mat.Dense {
	n, q := y.Dims()
	b, _ := u.Dims()
	count, ofClass := 0, 0
	for i := range n {
		if use == nil || use(i) {
			count++
			if f.class[i] == c {
				ofClass++
			}
		}
	}
	// A product with the kernel matrix computes the sums of s_i φ and of s_i z_k φ over the samples.
	// These two sums determine the sum of −s_i ∂_kφ, because −∂_kφ = (z_k − u_k)/σ²·φ and u_k is
	// constant.
	columns := 1
	if derivative {
		columns = 1 + q
	}
	signed := mat.NewDense(n, columns, nil)
	for i := range n {
		if use != nil && !use(i) {
			continue
		}
		s := f.sign(i, c, count, ofClass)
		row, yi := signed.RawRowView(i), y.RawRowView(i)
		row[0] = s
		for l := range row[1:] {
			row[1+l] = s * yi[l]
		}
	}
	sums := projection.TransProduct(ctx, k, signed)
	if !derivative {
		return sums
	}
	out := mat.NewDense(b, q, nil)
	for j := range b {
		row, sj, uj := out.RawRowView(j), sums.RawRowView(j), u.RawRowView(j)
		for l := range row {
			row[l] = math.FMA(-uj[l], sj[0], sj[1+l]) / (width * width)
		}
	}
	return out
}

func (f *kernels) sign(i, c, count, ofClass int) float64 {
	s := -float64(ofClass) / float64(count) / float64(count)
	if f.class[i] == c {
		s += 1 / float64(count)
	}
	return s
}

// qmi returns αᵀv − ½ αᵀUα, the least-squares estimate of QMI. The vector v holds the signed means
// of the kernels φ_b, and α = (U + λI)⁻¹v.
func (f *kernels) qmi(ctx context.Context, p *mat.Dense, s fit) (float64, error) {
	y, u := f.project(ctx, p)
	sum := 0.
	for c, columns := range f.columns {
		uc := mat.DenseCopyOf(u.Slice(columns.from, columns.to, 0, u.RawMatrix().Cols))
		k := gaussian(ctx, y, uc, precision(s.width))
		v := f.signedMeans(ctx, y, uc, k, c, s.width, false, nil)
		over, factor := overlapMatrix(ctx, uc, s)
		vv := v.RawMatrix().Data
		alpha, _, err := ridge(ctx, over, s.lambda, vv)
		if err != nil {
			return 0, err
		}
		sum = math.FMA(exponential(-factor), algebra.Dot(alpha, vv)-algebra.Dot(alpha, mulVec(over, alpha))/2, sum)
	}
	return sum, nil
}

// qmiDerivative sets grad to the estimate of ∂QMI/∂P, up to a positive factor that only depends on s.
func (f *kernels) qmiDerivative(ctx context.Context, grad, p *mat.Dense, s fit) error {
	y, u := f.project(ctx, p)
	n, q := y.Dims()
	weights := mat.NewDense(n, q, nil)
	for c, columns := range f.columns {
		uc := mat.DenseCopyOf(u.Slice(columns.from, columns.to, 0, q))
		k := gaussian(ctx, y, uc, precision(s.width))
		w := f.signedMeans(ctx, y, uc, k, c, s.width, true, nil)
		over, _ := overlapMatrix(ctx, uc, s)
		chol, err := ridgeFactor(ctx, over, s.lambda)
		if err != nil {
			return err
		}
		if err := chol.Solve(ctx, dense.View(w)); err != nil {
			return err
		}
		g := projection.Product(ctx, k, w)
		for i := range n {
			sign := f.sign(i, c, n, len(f.rows[c]))
			row, gi := weights.RawRowView(i), g.RawRowView(i)
			for l := range row {
				row[l] = math.FMA(sign, gi[l], row[l])
			}
		}
	}
	pullBack(ctx, grad, f.x, weights)
	return nil
}

// selectQMI cross-validates the estimate of p(z, y) − p(z)p(y), or of its derivatives, in the given
// projection. It returns the kernel width σ and the ridge λ with the smallest squared error, and this
// error without its constant term.
func (f *kernels) selectQMI(ctx context.Context, p *mat.Dense, unit float64, derivative bool) (fit, float64, error) {
	y, u := f.project(ctx, p)
	_, q := y.Dims()
	scale := f.medianOf(ctx, p)
	best, least := fit{}, math.Inf(1)
	for _, width := range widthFactors {
		s := fit{width: width * scale, unit: unit}
		scores := make([]float64, len(lambdas))
		for c, columns := range f.columns {
			uc := mat.DenseCopyOf(u.Slice(columns.from, columns.to, 0, q))
			k := gaussian(ctx, y, uc, precision(s.width))
			over, factor := overlapMatrix(ctx, uc, s)
			chols := make([]*algebra.Cholesky, len(lambdas))
			for l, lambda := range lambdas {
				var err error
				if chols[l], err = ridgeFactor(ctx, over, lambda); err != nil {
					return best, 0, err
				}
			}
			for fold := range folds {
				w := f.signedMeans(ctx, y, uc, k, c, s.width, derivative, func(i int) bool { return f.fold[i] != fold })
				wt := f.signedMeans(ctx, y, uc, k, c, s.width, derivative, func(i int) bool { return f.fold[i] == fold })
				for l := range lambdas {
					theta := mat.DenseCopyOf(w)
					if err := chols[l].Solve(ctx, dense.View(theta)); err != nil {
						return best, 0, err
					}
					// The squared error is Σ_j θ_jᵀ(Uθ_j − 2w_j) plus a constant.
					ut := projection.Product(ctx, over, theta)
					sum := 0.
					for i := range theta.RawMatrix().Rows {
						ti, ui, wi := theta.RawRowView(i), ut.RawRowView(i), wt.RawRowView(i)
						for j, t := range ti {
							sum = math.FMA(t, math.FMA(-2, wi[j], ui[j]), sum)
						}
					}
					scores[l] = math.FMA(exponential(-factor), sum/folds, scores[l])
				}
			}
		}
		for l, e := range scores {
			if e < least {
				s.lambda = lambdas[l]
				best, least = s, e
			}
		}
	}
	if math.IsInf(least, 1) {
		return best, 0, projection.ErrFactorize
	}
	return best, least, nil
}
