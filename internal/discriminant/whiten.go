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
	// leastWithin is the minimum variance within classes of a feature for DiagonalWhitening,
	// relative to the total variance of the feature. It limits the scale of features that are
	// constant in every class.
	leastWithin = 1e-4
	// A feature is constant up to rounding if its variance is below leastSpread times the largest
	// variance.
	leastSpread = 1e-24
	// If there are at most wholeFeatures features, DiagonalWhitening uses all features instead of
	// the span. If there are fewer samples than features, the span contains no feature axis, so every
	// direction in the span has the noise of all features.
	wholeFeatures = 1500
	// leastIntensity keeps a covariance positive definite if the Ledoit–Wolf intensity is 0.
	leastIntensity = 1e-10
)

// LedoitWolf is the value of WhiteningRule.Intensity that selects the estimate of Ledoit and Wolf.
const LedoitWolf = -1

// WhiteningRule selects how samples are whitened by their covariance within classes.
type WhiteningRule struct {
	Features  bool    // first divide each feature by its standard deviation within classes
	Intensity float64 // shrinkage intensity, or LedoitWolf
}

// Whitened returns a copy of sp with whitened samples, or sp if rule is nil. Centered samples
// remain centered.
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
		if sp.spanningRows != nil && scaled.D > wholeFeatures {
			from = NewSpan(ctx, scaled, limit, workers)
		}
	}
	s, within := from.Samples, from.withinCovariance
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
	if t.Scale = 1; rule.Features { // scaledWithin returned a copy, which SolveRows may overwrite
		if out.spanningRows == nil && alpha >= minFisherShrinkage {
			out.meanVariances = columnSquares(s.betweenFactor(ctx))
		}
	} else {
		t.X = mat.DenseCopyOf(s.X)
	}
	if err := chol.SolveRows(ctx, dense.View(t.X)); err != nil {
		return nil, err
	}
	out.Samples, out.withinCovariance, out.whitening, out.featureScales, out.shrinkage = &t, nil, chol, factor, alpha
	return &out, nil
}

// columnSquares returns the sum of squares of every column of the class means b.
func columnSquares(b matrix.Matrix[float64]) []float64 {
	out := make([]float64, b.Cols)
	for c := range b.Rows {
		for j, v := range b.Row(c) {
			out[j] = math.FMA(v, v, out[j])
		}
	}
	return out
}

// FisherDirections does not shrink the between-class covariance S_b if the shrinkage intensity is
// below minFisherShrinkage. fisherSteps is the maximum number of block iterations for the leading
// eigenvectors.
const minFisherShrinkage, fisherSteps = 0.05, 40

// FisherDirections is like Samples.fisherDirections, but if the features were scaled separately, it
// shrinks the covariance S_b between classes. Without shrinkage, the mean of a class with few rows is
// noise in most directions. Shrinkage by α reduces the correlations and keeps the variances, as in
// the covariance S_w within classes. S_t is the total covariance, and S_t,α and S_w,α are shrunk:
//
//	(1 − α) S_b + α diag(S_b)  =  S_t,α − S_w,α
//
// Scikit-learn uses the right-hand side as S_b, with one α for S_t and one α for each class. If α is
// near 1, FisherDirections selects single features by the ratio of their variances. FisherDirections
// does not shrink S_b in a reduced span, because such a span contains no axis of a feature.
func (sp *Span) FisherDirections(ctx context.Context, p *mat.Dense, tolerance float64) *mat.Dense {
	plain := sp.Samples.fisherDirections(ctx, p, tolerance)
	if sp.featureScales == nil || sp.spanningRows != nil || sp.shrinkage < minFisherShrinkage || plain == p {
		return plain
	}
	b := sp.Samples.betweenFactor(ctx)
	times := func(dst, v *mat.Dense) {
		_, k := v.Dims()
		dst.Copy(v)
		sp.whitening.SolveTrans(ctx, dense.View(dst))
		for j, w := range sp.meanVariances {
			algebra.Scale(dst.RawRowView(j), sp.shrinkage*w)
		}
		// Multiply by L⁻¹ = Lᵀ A⁻¹, where A is the covariance.
		sp.whitening.Solve(ctx, dense.View(dst))
		sp.whitening.MulTrans(ctx, dense.View(dst))
		y := matrix.New[float64](b.Rows, k, nil)
		product(ctx, 1, y, b, dense.View(v))
		for c := range y.Rows {
			algebra.Scale(y.Row(c), 1-sp.shrinkage)
		}
		matrix.TransMul(dense.View(dst), b, y, true)
	}
	d, k := plain.Dims()
	want := min(k, b.Rows-1)
	var v *mat.Dense
	var err error
	if block := want + extraPrincipal; 3*block <= d {
		v, _, err = leadingEigenvectors(ctx, times, d, want, tolerance)
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

// ToFeatures converts the projection p of the span to a projection of the features from which the
// span was made.
func (sp *Span) ToFeatures(ctx context.Context, p *mat.Dense, how Polish) (*mat.Dense, error) {
	out, err := sp.lift(ctx, p, how)
	if err != nil || sp.featureScales == nil {
		return out, err
	}
	for j, f := range sp.featureScales {
		row := out.RawRowView(j)
		for k := range row {
			row[k] *= f
		}
	}
	return out, nil
}

// StartInSpan converts an orthonormal start p (d × k) to a start in the space of sp. It keeps only
// the component of p in the space of the samples and orthonormalizes the component.
func (sp *Span) StartInSpan(ctx context.Context, p *mat.Dense) (*mat.Dense, error) {
	p, err := sp.FromFeatures(ctx, p)
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

// FromFeatures converts the projection p of the features to a projection of the samples of sp. The
// samples may be whitened. FromFeatures keeps only the component of p in the space of the samples.
func (sp *Span) FromFeatures(ctx context.Context, p *mat.Dense) (*mat.Dense, error) {
	p = mat.DenseCopyOf(p)
	for j, f := range sp.featureScales {
		row := p.RawRowView(j)
		for k := range row {
			row[k] /= f
		}
	}
	if sp.spanningRows != nil {
		p = sp.coordinates(ctx, p)
	}
	if sp.whitening == nil {
		return p, fault.Ended(ctx, nil)
	}
	return p, sp.whitening.MulTrans(ctx, dense.View(p))
}

// PrepareWhitening computes the covariance within classes once for several whitenings of the span.
func (sp *Span) PrepareWhitening(ctx context.Context, workers int) {
	sp.withinCovariance = covarianceWithin(ctx, sp.Samples, workers)
}

// WhitenRows whitens the rows of x in place. The span must not be reduced. The rows must have the
// features of the samples from which the span was made.
func (sp *Span) WhitenRows(ctx context.Context, x *mat.Dense) error {
	if sp.featureScales != nil {
		dense.ScaleColumns(ctx, x, sp.featureScales)
	}
	if sp.whitening == nil {
		return fault.Ended(ctx, nil)
	}
	return sp.whitening.SolveRows(ctx, dense.View(x))
}

// WhitenedRows returns whitened rows. features contains the rows with all features, and coordinates
// contains the coordinates of the rows before whitening.
func (sp *Span) WhitenedRows(ctx context.Context, features, coordinates *mat.Dense) *mat.Dense {
	x := coordinates
	if sp.featureScales != nil {
		x = mat.DenseCopyOf(features)
		dense.ScaleColumns(ctx, x, sp.featureScales)
		x = sp.Coordinates(ctx, x)
	}
	if sp.whitening != nil {
		x = mat.DenseCopyOf(x)
		sp.whitening.SolveRows(ctx, dense.View(x))
	}
	return x
}

var ErrRankDeficient = errors.New("its columns are linearly dependent for these samples")

// covariance contains the lower triangle of the covariance S, the mean of its diagonal, and the
// Ledoit–Wolf intensity.
type covariance struct {
	s               matrix.Matrix[float64]
	mean, intensity float64
}

// covarianceWithin returns the covariance S = RᵀR/n of the residuals R (samples minus class means),
// and its Ledoit–Wolf intensity.
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

// ledoitWolf returns the shrinkage intensity of algebra.LedoitWolf for n centered rows r_i. The
// matrix cov is their covariance Σ_i r_iᵀr_i/n, and fourth is Σ_i ‖r_i‖⁴. Only the lower triangle of
// cov is read.
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
