package baselines

import (
	"context"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/projection"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// LSDR is least-squares dimension reduction (T. Suzuki and M. Sugiyama, "Sufficient dimension
// reduction via squared-loss mutual information estimation", Neural Computation 25, 2013; AISTATS
// 2010). The columns are orthonormal and maximize an estimate of the squared-loss mutual
// information of the projected samples z = Pᵀx and the labels,
//
//	SMI = ½ ∫ Σ_y p(z)p(y) (w(z, y) − 1)² dz,  w = p(z, y)/(p(z)p(y))
//
// The estimator fits the density ratio w by least squares. The model is a sum of b Gaussian
// kernels. Every kernel is centered at a sample and belongs to one class (section 2 of the AISTATS
// paper):
//
//	w(z, y) = Σ_b α_b ψ_b(z, y),  ψ_b(z, y) = exp(−‖z − u_b‖²/(2σ²)) for y = v_b, else 0
//	Ĥ = n⁻² Σ_ij ψ(z_i, y_j) ψ(z_i, y_j)ᵀ,  ĥ = n⁻¹ Σ_i ψ(z_i, y_i)
//	α = (Ĥ + λI)⁻¹ ĥ,  SMI = ĥᵀα − ½ αᵀĤα − ½
//	∂SMI = ∂ĥᵀ(2α − β) − αᵀ∂Ĥ(3/2·α − β),  β = (Ĥ + λI)⁻¹ Ĥα
//
// Ĥ is block diagonal by class. The minimizer is the conjugate gradient method on the Stiefel
// manifold. The minimizer runs for a few steps at a time. Before every run, cross-validation
// chooses the σ and λ with the least squared error. The paper's natural gradient on the Grassmann
// manifold has the same stationary points, because a rotation of z does not change SMI. The fit has
// several starting points and returns the result with the least cross-validation error. A step
// takes time n·b².
type LSDR struct {
	// Basis is the maximum number b of kernels. Default 200. There are at most as many kernels as
	// samples.
	Basis int
	// Starts is the number of starting points. The first starting point is PCA, and the other
	// starting points are random. Default 6.
	Starts int
	// MaxSteps bounds the number of steps from each starting point. Default 100.
	MaxSteps int
	// Seed is the seed of the random starting points, of the choice of kernels and of the
	// cross-validation folds.
	Seed uint64
}

// String returns "LSDR".
func (LSDR) String() string { return "LSDR" }

func (m LSDR) filled() (projection.Method, bool) {
	if m.Starts == 0 {
		m.Starts = 6
	}
	var ok bool
	m.Basis, m.MaxSteps, ok = filledKernels(m.Basis, m.MaxSteps)
	return projection.Method{Labeled: true, Pairs: true, Fit: m.fit}, ok && m.Starts > 0
}

func (m LSDR) fit(ctx context.Context, x *mat.Dense, labels []int, p int) (*mat.Dense, error) {
	f, err := newKernels(ctx, x, labels, m.Basis, m.Seed)
	if err != nil {
		return nil, err
	}
	return f.search(ctx, p, m.Starts, m.MaxSteps, m.Seed, func(start *mat.Dense, steps int) (*mat.Dense, float64, error) {
		const run = 20 // steps between two choices of σ and λ
		at := start
		var last smi
		for done := 0; ; done += run {
			s, score, err := f.selectSMI(ctx, at)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, 0, err
			}
			if done >= steps || s == last {
				return at, score, nil
			}
			if at, err = minimize(ctx, bound{&s, ctx}, at, min(run, steps-done)); err != nil {
				return nil, 0, err
			}
			last = s
		}
	})
}

// smi evaluates −SMI, the negative estimate of the mutual information, as a function of the
// projection.
type smi struct {
	*kernels
	width, lambda float64
}

func (s *smi) evaluate(ctx context.Context, p, grad *mat.Dense) (float64, error) {
	y, u := s.project(ctx, p)
	n, b := len(s.class), len(s.centers)
	k := gaussian(ctx, y, u, precision(s.width))
	value := 0.5
	var weights *mat.Dense // ∂(−SMI)/∂K
	if grad != nil {
		weights = mat.NewDense(n, b, nil)
	}
	for c, columns := range s.columns {
		kc := k.Slice(0, n, columns.from, columns.to).(*mat.Dense)
		h, hh := s.momentsOf(ctx, kc, c, -1).meanMoments()
		alpha, chol, err := ridge(ctx, hh, s.lambda, h)
		if err != nil {
			return 0, err
		}
		beta := mulVec(hh, alpha)
		value -= algebra.Dot(h, alpha) - float64(algebra.Dot(alpha, beta)/2)
		if grad == nil {
			continue
		}
		if err := chol.Solve(ctx, matrix.New(len(beta), 1, beta)); err != nil {
			return 0, err
		}
		first, second := make([]float64, len(beta)), make([]float64, len(beta)) // coefficients 2α − β and 3/2·α − β
		for j, a := range alpha {
			first[j] = math.FMA(2, a, -beta[j])
			second[j] = math.FMA(1.5, a, -beta[j])
		}
		ka, ks := mulVec(kc, alpha), mulVec(kc, second)
		f := float64(len(s.rows[c])) / float64(n*n)
		for i := range n {
			row := weights.RawRowView(i)[columns.from:columns.to]
			for j := range row {
				row[j] = float64(f * math.FMA(alpha[j], ks[i], float64(second[j]*ka[i])))
				if s.class[i] == c {
					row[j] -= first[j] / float64(n)
				}
			}
		}
	}
	if grad != nil {
		weights.MulElem(weights, k)
		weights.Scale(-1/(2*s.width*s.width), weights)
		pullBack(ctx, grad, s.x, distanceGradient(ctx, weights, y, u, s.centers))
	}
	return value, nil
}

// mulVec returns a·x.
func mulVec(a *mat.Dense, x []float64) []float64 {
	out := make([]float64, a.RawMatrix().Rows)
	matrix.MulVec(out, dense.View(a), x)
	return out
}

// moments contains sums over a subset of the samples. The method meanMoments computes ĥ and Ĥ of one
// class from these sums.
type moments struct {
	h              []float64
	hh             *mat.Dense
	count, ofClass int
}

// momentsOf returns the moments of class c. The matrix kc (n × b_c) holds the values of the kernels
// of class c. The sums are over the samples of the given fold, or over all samples if fold is
// negative.
func (f *kernels) momentsOf(ctx context.Context, kc *mat.Dense, c, fold int) moments {
	n, b := kc.Dims()
	m := moments{h: make([]float64, b)}
	kept := make([]int, 0, n)
	for i := range n {
		if fold >= 0 && f.fold[i] != fold {
			continue
		}
		kept = append(kept, i)
		if f.class[i] == c {
			m.ofClass++
			algebra.Axpy(1, kc.RawRowView(i), m.h)
		}
	}
	if m.count = len(kept); m.count > 0 {
		g := projection.Gather(ctx, kc, kept)
		m.hh = projection.SymmetricProduct(ctx, g, g)
	} else {
		m.hh = mat.NewDense(b, b, nil)
	}
	return m
}

// subtract returns the moments over the samples that are in m but not in o.
func (m moments) subtract(o moments) moments {
	r := moments{make([]float64, len(m.h)), new(mat.Dense), m.count - o.count, m.ofClass - o.ofClass}
	floats.SubTo(r.h, m.h, o.h)
	r.hh.Sub(m.hh, o.hh)
	return r
}

// meanMoments returns the mean vector ĥ and the mean matrix Ĥ.
func (m moments) meanMoments() (h []float64, hh *mat.Dense) {
	h, hh = make([]float64, len(m.h)), mat.NewDense(len(m.h), len(m.h), nil)
	if m.count > 0 {
		algebra.Axpy(1/float64(m.count), m.h, h)
		hh.Scale(float64(m.ofClass)/float64(m.count)/float64(m.count), m.hh)
	}
	return h, hh
}

// ridge returns (A + λI)⁻¹ b and the Cholesky factor of A + λI.
func ridge(ctx context.Context, a *mat.Dense, lambda float64, b []float64) ([]float64, *algebra.Cholesky, error) {
	chol, err := ridgeFactor(ctx, a, lambda)
	if err != nil {
		return nil, nil, err
	}
	x := slices.Clone(b)
	return x, chol, chol.Solve(ctx, matrix.New(len(x), 1, x))
}

// ridgeFactor returns the Cholesky factor of A + λI.
func ridgeFactor(ctx context.Context, a *mat.Dense, lambda float64) (*algebra.Cholesky, error) {
	r := mat.DenseCopyOf(a)
	for i := range r.RawMatrix().Rows {
		r.Set(i, i, r.At(i, i)+lambda)
	}
	chol, ok := algebra.NewCholesky(ctx, dense.View(r))
	if !ok {
		return nil, projection.ErrFactorize
	}
	return chol, nil
}

// selectSMI returns the kernel width σ and the ridge λ for which the estimated density ratio at the
// projection p has the smallest cross-validation error. It also returns the cross-validation error
// without its constant term. This value is an estimate of −SMI − ½.
func (f *kernels) selectSMI(ctx context.Context, p *mat.Dense) (smi, float64, error) {
	y, u := f.project(ctx, p)
	n, b := len(f.class), len(f.centers)
	d := sqDistances(ctx, y, u)
	scale := medianDistance(d)
	best, least := smi{kernels: f}, math.Inf(1)
	k := mat.NewDense(n, b, nil)
	for _, factor := range widthFactors {
		width := factor * scale
		gaussianOf(ctx, k, d, width)
		scores := make([]float64, len(lambdas))
		for c, columns := range f.columns {
			kc := k.Slice(0, n, columns.from, columns.to).(*mat.Dense)
			all := f.momentsOf(ctx, kc, c, -1)
			for fold := range folds {
				part := f.momentsOf(ctx, kc, c, fold)
				h, hh := all.subtract(part).meanMoments()
				ht, hht := part.meanMoments()
				for l, lambda := range lambdas {
					alpha, _, err := ridge(ctx, hh, lambda, h)
					if err != nil {
						return best, 0, err
					}
					scores[l] += float64((float64(algebra.Dot(alpha, mulVec(hht, alpha))/2) - algebra.Dot(ht, alpha)) / folds)
				}
			}
		}
		for l, s := range scores {
			if s < least {
				least, best.width, best.lambda = s, width, lambdas[l]
			}
		}
	}
	if math.IsInf(least, 1) {
		return best, 0, projection.ErrFactorize
	}
	return best, least, nil
}

// lambdas are the candidate values of the ridge λ, as in the program of the paper's authors.
var lambdas = []float64{1e-3, 1e-2, 1e-1, 1, 10}

// widthFactors are the candidate values of σ, relative to the median distance of the projected
// samples.
var widthFactors = []float64{0.1, 0.2, 0.35, 0.6, 1, 1.7}

const folds = 5

// gaussianOf sets k to the Gaussian kernel exp(−d/(2·width²)), where d contains squared distances.
func gaussianOf(ctx context.Context, k, d *mat.Dense, width float64) {
	k.Scale(-precision(width), d)
	n, _ := k.Dims()
	for i := range n {
		if ctx.Err() != nil {
			return
		}
		row := k.RawRowView(i)
		matrix.Exp(row, row)
	}
}

// medianDistance returns the median of the positive distances, or 1 if no distance is positive. The
// matrix d holds the squared distances.
func medianDistance(d *mat.Dense) float64 {
	n, _ := d.Dims()
	var all []float64
	for i := range n {
		for _, v := range d.RawRowView(i) {
			if v > 0 {
				all = append(all, v)
			}
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	return math.Sqrt(all[len(all)/2])
}
