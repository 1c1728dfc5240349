package discriminant

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/subspace"
	"gonum.org/v1/gonum/mat"
)

const (
	// leastWithin is the least share of its variance that a feature has within classes
	// for DiagonalWhitening: one that is constant in every class would be stretched without
	// limit.
	leastWithin = 1e-4
	// leastSpread is the share of the largest variance of a feature below which another is
	// taken for constant, as rounding makes it.
	leastSpread = 1e-24
	// wholeFeatures is the number of features up to which DiagonalWhitening keeps all of
	// them: the span of fewer samples holds none by itself, and every direction of it has
	// the noise of all.
	wholeFeatures = 1500
	// leastIntensity keeps a covariance that Ledoit and Wolf find nothing wrong with
	// definite.
	leastIntensity = 1e-10
)

// LedoitWolf as the intensity of a WhiteningRule stands for the estimate of Ledoit and Wolf.
const LedoitWolf = -1

// WhiteningRule says how samples are whitened by their covariance within classes.
type WhiteningRule struct {
	Features  bool    // every feature is first divided by its standard deviation within classes
	Intensity float64 // of shrinkage, or LedoitWolf
}

// Whitened returns sp with its samples whitened, or sp if there is no rule. The samples of a span are
// those of a part of its classes' rows only if they are centred; these are.
func (sp *Span) Whitened(ctx context.Context, rule *WhiteningRule, limit float64, workers int) (*Span, error) {
	if rule == nil {
		return sp, nil
	}
	if err := CheckMemory(WhitenNeeds(sp.Samples.D)...); err != nil {
		return nil, err
	}
	from, factor := sp, []float64(nil)
	if rule.Features {
		scaled, by := sp.Full.scaledWithin(ctx)
		from, factor = WholeSpan(scaled), by
		if sp.rows != nil && scaled.D > wholeFeatures {
			from = NewSpan(ctx, scaled, limit, workers)
		}
	}
	s, within := from.Samples, from.within
	if within == nil {
		within = covarianceWithin(ctx, s, workers)
	}
	alpha := rule.Intensity
	if alpha == LedoitWolf {
		alpha = max(within.intensity, leastIntensity)
	}
	cov := matrix.New[float64](s.D, s.D, nil)
	for i := range s.D {
		row := cov.Row(i)
		for j, v := range within.s.Row(i)[:i+1] {
			row[j] = v * (1 - alpha)
		}
		row[i] += float64(alpha * within.mean)
	}
	chol, ok := algebra.NewCholesky(ctx, cov)
	if !ok {
		return nil, fault.Ended(ctx, fmt.Errorf("%w within classes", ErrNoSpread))
	}
	t, out := *s, *from
	if t.Scale = 1; rule.Features { // these samples are nobody else's
		if out.rows == nil && alpha >= leastShrunk {
			out.meanVariances = scatterOf(s.between(ctx))
		}
	} else {
		t.X = mat.DenseCopyOf(s.X)
	}
	if err := chol.SolveRows(ctx, dense.View(t.X)); err != nil {
		return nil, err
	}
	out.Samples, out.within, out.white, out.factor, out.alpha = &t, nil, chol, factor, alpha
	return &out, nil
}

// scatterOf returns the sum of the squares in every column of the means b of classes.
func scatterOf(b matrix.Matrix[float64]) []float64 {
	out := make([]float64, b.Cols)
	for c := range b.Rows {
		for j, v := range b.Row(c) {
			out[j] = math.FMA(v, v, out[j])
		}
	}
	return out
}

// leastShrunk is the intensity below which S_b is taken as it is, and fisherSteps bounds
// the iterations for its eigenvectors.
const leastShrunk, fisherSteps = 0.05, 40

// Fisher returns samples.fisher, but of features that were scaled one by one with S_b
// shrunk as S_w is, its correlations and not its variances:
//
//	(1 − α) S_b + α diag(S_b)  =  S_t,α − S_w,α
//
// which is what scikit-learn takes for S_b, with an α for S_t and one for each class. The
// means of few rows are noise in most directions; with α near 1 it is features that are
// chosen, one by one, by the ratio of their variances. In the span of fewer rows than
// features, which holds no feature by itself, S_b is as it is.
func (sp *Span) Fisher(ctx context.Context, p *mat.Dense, tolerance float64) *mat.Dense {
	plain := sp.Samples.fisher(ctx, p, tolerance)
	if sp.factor == nil || sp.rows != nil || sp.alpha < leastShrunk || plain == p {
		return plain
	}
	b := sp.Samples.between(ctx)
	times := func(dst, v *mat.Dense) {
		_, k := v.Dims()
		dst.Copy(v)
		sp.white.SolveTrans(ctx, dense.View(dst))
		for j, w := range sp.meanVariances {
			algebra.Scale(dst.RawRowView(j), sp.alpha*w)
		}
		// L⁻¹ = Lᵀ A⁻¹.
		sp.white.Solve(ctx, dense.View(dst))
		sp.white.MulTrans(ctx, dense.View(dst))
		y := matrix.New[float64](b.Rows, k, nil)
		product(ctx, 1, y, b, dense.View(v))
		for c := range y.Rows {
			algebra.Scale(y.Row(c), 1-sp.alpha)
		}
		matrix.TransMul(dense.View(dst), b, y, true)
	}
	d, k := plain.Dims()
	want := min(k, b.Rows-1)
	var v *mat.Dense
	var err error
	if block := want + extraPrincipal; 3*block <= d {
		v, _, err = leading(ctx, times, d, want, tolerance)
	} else {
		eye, a := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
		for i := range d {
			eye.Set(i, i, 1)
		}
		times(a, eye)
		v, _, err = subspace.Dense(ctx, a, eye, want)
	}
	if err != nil {
		return plain
	}
	out := mat.NewDense(d, k, nil)
	out.Slice(0, d, 0, want).(*mat.Dense).Copy(v.Slice(0, d, 0, want))
	if want < k {
		out.Slice(0, d, want, k).(*mat.Dense).Copy(p.Slice(0, d, 0, k-want))
	}
	if _, err := stiefel.New(d, k).Orthonormalize(ctx, out, out); err != nil {
		return plain
	}
	return out
}

// Effective returns what the projection p of the span is, lifted, for the samples that the
// span was made of.
func (sp *Span) Effective(ctx context.Context, p *mat.Dense, how Polish) (*mat.Dense, error) {
	out, err := sp.lift(ctx, p, how)
	if err != nil || sp.factor == nil {
		return out, err
	}
	for j, f := range sp.factor {
		row := out.RawRowView(j)
		for k := range row {
			row[k] *= f
		}
	}
	return out, nil
}

// WhitenedInit returns the start p (d × k), orthonormal, of the caller: its part in the
// space of the samples, which is all that they see, orthonormal in whitened features.
func (sp *Span) WhitenedInit(ctx context.Context, p *mat.Dense) (*mat.Dense, error) {
	p, err := sp.Inside(ctx, p)
	if err != nil {
		return nil, err
	}
	_, k := p.Dims()
	rank, err := stiefel.New(sp.Samples.D, k).Orthonormalize(ctx, p, p)
	if err == nil && rank < k {
		err = ErrRankDeficient
	}
	if err != nil {
		return nil, fault.Ended(ctx, fmt.Errorf("%w: the start cannot be made orthonormal: %w", fault.ErrSettings, err))
	}
	return p, nil
}

// Inside returns what the projection p of the features is for the samples of sp, whitened or not: its
// part in the space of the samples.
func (sp *Span) Inside(ctx context.Context, p *mat.Dense) (*mat.Dense, error) {
	p = mat.DenseCopyOf(p)
	for j, f := range sp.factor {
		row := p.RawRowView(j)
		for k := range row {
			row[k] /= f
		}
	}
	if sp.rows != nil {
		p = sp.coordinates(ctx, p)
	}
	if sp.white == nil {
		return p, fault.Ended(ctx, nil)
	}
	return p, sp.white.MulTrans(ctx, dense.View(p))
}

// LearnWithin computes the covariance within classes that the span is whitened by, once for several
// whitenings.
func (sp *Span) LearnWithin(ctx context.Context, workers int) {
	sp.within = covarianceWithin(ctx, sp.Samples, workers)
}

// Enter brings rows x, features as in the samples that the span was made of, or coordinates if only
// these are whitened, into the whitened space, in place. The span is not reduced.
func (sp *Span) Enter(ctx context.Context, x *mat.Dense) error {
	if sp.factor != nil {
		dense.ScaleColumns(ctx, x, sp.factor)
	}
	if sp.white == nil {
		return fault.Ended(ctx, nil)
	}
	return sp.white.SolveRows(ctx, dense.View(x))
}

// Entered returns rows in the whitened space: features, whose coordinates before whitening are
// coordinates.
func (sp *Span) Entered(ctx context.Context, features, coordinates *mat.Dense) *mat.Dense {
	x := coordinates
	if sp.factor != nil {
		x = mat.DenseCopyOf(features)
		dense.ScaleColumns(ctx, x, sp.factor)
		x = sp.RowsIn(ctx, x)
	}
	if sp.white != nil {
		x = mat.DenseCopyOf(x)
		sp.white.SolveRows(ctx, dense.View(x))
	}
	return x
}

var ErrRankDeficient = errors.New("its columns are linearly dependent for these samples")

// covariance is S, of which the lower triangle is defined, the mean μ of its diagonal and
// the intensity of Ledoit and Wolf.
type covariance struct {
	s               matrix.Matrix[float64]
	mean, intensity float64
}

// covarianceWithin returns S = RᵀR/n of the residuals R.
func covarianceWithin(ctx context.Context, s *Samples, workers int) *covariance {
	c := &covariance{s: matrix.New[float64](s.D, s.D, nil)}
	var fourth float64
	var buffer []float64
	s.eachResiduals(ctx, func(_ int, block matrix.Matrix[float64]) {
		size := s.D * block.Rows
		buffer = slices.Grow(buffer[:0], size)[:size]
		trans := matrix.New(s.D, block.Rows, buffer)
		dense.Transpose(ctx, trans, block)
		addGram(ctx, c.s, trans, workers)
		fourth = algebra.AddFourth(ctx, fourth, block)
	})
	var trace float64
	for i := 0; i < s.D && ctx.Err() == nil; i++ {
		row := c.s.Row(i)[:i+1]
		for j := range row {
			row[j] /= float64(s.N)
		}
		trace += row[i]
	}
	c.mean, c.intensity = trace/float64(s.D), ledoitWolf(ctx, c.s, s.N, fourth)
	return c
}

// ledoitWolf returns algebra.LedoitWolf of the covariance S = RᵀR/n of n centred rows R, of
// which the lower triangle is read. fourth is Σ_i ‖r_i‖⁴.
func ledoitWolf(ctx context.Context, cov matrix.Matrix[float64], n int, fourth float64) float64 {
	var trace, square float64
	for i := 0; i < cov.Rows && ctx.Err() == nil; i++ {
		row := cov.Row(i)[:i+1]
		trace += row[i]
		below := algebra.Dot(row[:i], row[:i])
		square += float64(row[i]*row[i]) + float64(2*below)
	}
	return algebra.LedoitWolfOf(n, cov.Rows, fourth, trace, square)
}
