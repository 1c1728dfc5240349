package discriminant

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/wda/baseline"
	"gonum.org/v1/gonum/mat"
)

// J depends only on the subspace that P spans, so a fit may choose the basis of this subspace.
//
// Let T_ij be the elements of the transport plan between two classes c and c', and let y_i and z_j be
// the projected samples of these classes. The transport scatter is the p × p matrix
//
//	S = Σ_cc' w_cc' Σ_ij T_ij (y_i − z_j)(y_i − z_j)ᵀ.
//
// S_b is the sum over pairs of different classes, and tr S_b = σ_b². S_w is the sum over pairs of a
// class with itself, and tr S_w = σ_w². Let V contain the generalized eigenvectors of
// S_b v = μ (S_w + ridge/p·I) v. In the basis V, the matrices S_b and S_w are diagonal. The columns
// of P·V are the canonical components, in order of descending ratio μ.

// The weighted transport plans are the edges of a graph. Let L be the Laplacian of this graph, and
// let Y be the projected samples. Then S = YᵀLY, and 2LY is the gradient of the costs with respect to
// Y for constant transport plans. The code sums the gradients of all pairs of classes and computes S
// by one matrix product.

// scatters returns the transport scatters S_b and S_w at p. It sets the costs of o to σ_b² and σ_w²
// at p.
func (o *Objective[T]) scatters(ctx context.Context, p *mat.Dense) (between, within matrix.Matrix[float64], err error) {
	gb, gw := o.gradBetween, o.gradWithin // save these gradients, which may be up to date and needed later
	if o.frozenBetween.Data == nil {
		o.frozenBetween, o.frozenWithin = dist.NewMatrix[T](o.Samples.N, o.p, nil), dist.NewMatrix[T](o.Samples.N, o.p, nil)
	}
	o.setProjection(p)
	gradient := o.evaluated && o.gradient
	o.evaluated = false
	o.gradBetween, o.gradWithin, o.job.Frozen = o.frozenBetween, o.frozenWithin, true
	err = o.Evaluate(ctx, p, true)
	o.gradBetween, o.gradWithin, o.job.Frozen, o.gradient = gb, gw, false, gradient
	if err != nil {
		return between, within, err
	}
	y := toFloat64(ctx, o.y)
	between = o.laplacianScatter(ctx, y, o.frozenBetween)
	// Subtract the class mean to avoid cancellation if a class is far from 0.
	mean := make([]float64, o.p)
	for c := range o.Samples.Classes {
		of := classRows(o.Samples, y, c)
		clear(mean)
		dense.Pass(ctx, of.Rows, o.p, func(i, j int) {
			for ; i < j; i++ {
				for l, v := range of.Row(i) {
					mean[l] += v / float64(of.Rows)
				}
			}
		})
		dense.Pass(ctx, of.Rows, o.p, func(i, j int) {
			for ; i < j; i++ {
				row := of.Row(i)
				for l, v := range mean {
					row[l] -= v
				}
			}
		})
	}
	return between, o.laplacianScatter(ctx, y, o.frozenWithin), fault.Ended(ctx, nil)
}

// toFloat64 returns a converted to float64.
func toFloat64[T dist.Float](ctx context.Context, a dist.Matrix[T]) matrix.Matrix[float64] {
	out := matrix.New[float64](a.Rows, a.Cols, nil)
	dense.Pass(ctx, a.Rows, a.Cols, func(i, j int) {
		for ; i < j; i++ {
			row := out.Row(i)
			for l, v := range a.Row(i) {
				row[l] = float64(v)
			}
		}
	})
	return out
}

// laplacianScatter returns YᵀLY, given Y and g = 2LY.
func (o *Objective[T]) laplacianScatter(ctx context.Context, y matrix.Matrix[float64], g dist.Matrix[T]) matrix.Matrix[float64] {
	out := matrix.New[float64](o.p, o.p, nil)
	if transProduct(ctx, o.workers, out, y, toFloat64(ctx, g)) != nil {
		return out // the context has ended
	}
	for k := range o.p {
		for l := range k + 1 {
			v := (out.At(k, l) + out.At(l, k)) / 4
			out.Set(k, l, v)
			out.Set(l, k, v)
		}
	}
	return out
}

// Components is the result of a fit in the coordinates of the span: the scaled projection, and
// properties of its columns.
type Components struct {
	P              *mat.Dense // d × p
	Scales, Ratios []float64
	Rank           float64 // (tr S_w)²/‖S_w‖² at the orthonormal projection
	// For canonical components, P is the product base·rotation.
	base            *mat.Dense
	rotation        matrix.Matrix[float64]
	between, within matrix.Matrix[float64] // S_b and S_w of the samples projected by base
}

// Canonical returns P·V, the canonical components of the span of p. It sets the costs of o to σ_b²
// and σ_w² at p.
func (o *Objective[T]) Canonical(ctx context.Context, p *mat.Dense) (*Components, error) {
	between, within, err := o.scatters(ctx, p)
	if err != nil {
		return nil, err
	}
	ratios, v, err := o.scatterEigenvectors(ctx, between, within)
	if err != nil {
		return nil, err
	}
	c := &Components{P: mat.NewDense(o.Samples.D, o.p, nil), Ratios: ratios, Scales: make([]float64, o.p), base: p, rotation: v, between: between, within: within, Rank: effectiveRank(within)}
	if dense.Product(ctx, dense.View(c.P), dense.View(p), v, false); ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for k, mu := range ratios {
		ratios[k] = max(mu, 0)
	}
	return c, nil
}

// effectiveRank returns (tr S)²/‖S‖² of a symmetric S. It is p if all directions have the same
// variance, and 1 if only one direction has variance.
func effectiveRank(s matrix.Matrix[float64]) float64 {
	var trace float64
	for k := range s.Rows {
		trace += s.At(k, k)
	}
	if !(trace > 0) {
		return 0
	}
	var square float64
	for _, v := range s.Data {
		v /= trace
		square += float64(v * v)
	}
	return 1 / square
}

// scatterFloors contains the factors f that scatterEigenvectors tries in turn, until the sum of S_w
// and a multiple of the identity is positive definite. The multiple has the trace
// f·(tr S_w + ridge + scatterNoise·tr S_b). The last term is needed if tr S_w is only rounding error,
// because the samples of each class coincide or every sample is transported to itself.
var scatterFloors = []float64{1e-9, 1e-6, 1e-3}

const scatterNoise = 1e-6

// scatterEigenvectors returns the generalized eigenvalues μ and eigenvectors v of
// S_b v = μ (S_w + ridge/p·I) v.
func (o *Objective[T]) scatterEigenvectors(ctx context.Context, between, within matrix.Matrix[float64]) ([]float64, matrix.Matrix[float64], error) {
	trace := o.Ridge
	for k := range o.p {
		trace += within.At(k, k) + float64(scatterNoise*between.At(k, k))
	}
	for _, floor := range scatterFloors {
		a, b := matrix.New[float64](o.p, o.p, nil), matrix.New[float64](o.p, o.p, nil)
		copy(a.Data, between.Data)
		copy(b.Data, within.Data)
		add := (o.Ridge + float64(floor*trace)) / float64(o.p)
		for k := range o.p {
			b.Set(k, k, b.At(k, k)+add)
		}
		if ratios, v, ok := algebra.Pencil(ctx, a, b); ok {
			return ratios, v, nil
		}
	}
	return nil, within, fault.Ended(ctx, fmt.Errorf("%w: the transport scatters within classes are singular", ErrNoSpread))
}

// almostZero is the factor that shrinks all columns of a projection except the leading columns.
const almostZero = 0x1p-10

// Lengths selects the lengths of the columns of a projection.
type Lengths struct {
	Orthonormal bool // orthogonal columns of equal length; otherwise every column has the same transport cost within classes
	ByRatio     bool // additionally multiply each column by √(μ/(1 + μ))
	Leading     int  // number of columns that keep their length; 0 means all
}

// WithLengths returns a copy of c whose columns have the given lengths. If the context ends, the
// result is unfinished.
func (c *Components) WithLengths(ctx context.Context, by Lengths) *Components {
	d, p := c.P.Dims()
	out := &Components{P: mat.DenseCopyOf(c.P), Scales: make([]float64, p), Ratios: c.Ratios, Rank: c.Rank}
	if by.Orthonormal {
		dense.Product(ctx, dense.View(out.P), dense.View(c.base), gramSchmidt(ctx, c.rotation), false)
	}
	for k, mu := range c.Ratios {
		out.Scales[k] = 1
		if by.ByRatio {
			out.Scales[k] = math.Sqrt(mu / (1 + mu))
		}
		if by.Leading > 0 && k >= by.Leading {
			out.Scales[k] *= almostZero
		}
	}
	for i := range d {
		row := out.P.RawRowView(i)
		for k := range row {
			row[k] *= out.Scales[k]
		}
	}
	return out
}

// WithColumns returns a copy of c with as many columns as base (d × p, orthonormal). The additional
// columns are columns of base, orthonormalized against the span of c and multiplied by almostZero.
// The ratio of an additional column is 0, because J does not depend on additional columns.
func (c *Components) WithColumns(ctx context.Context, span, base *mat.Dense) (*Components, error) {
	d, p := base.Dims()
	_, q := c.P.Dims()
	both := mat.NewDense(d, p, nil)
	both.Slice(0, d, 0, q).(*mat.Dense).Copy(span)
	both.Slice(0, d, q, p).(*mat.Dense).Copy(base.Slice(0, d, 0, p-q))
	if _, err := stiefel.New(d, p).Orthonormalize(ctx, both, both); err != nil {
		return nil, err
	}
	out := &Components{P: both, Rank: c.Rank}
	if c.Ratios != nil {
		out.Scales, out.Ratios = append(slices.Clone(c.Scales), slices.Repeat([]float64{almostZero}, p-q)...), append(slices.Clone(c.Ratios), make([]float64, p-q)...)
	}
	both.Slice(0, d, 0, q).(*mat.Dense).Copy(c.P)
	shrinkColumns(both, q)
	return out, nil
}

// UnitOfLength returns a factor for c.P. Multiplying c.P by the factor gives the first q columns of
// the projected samples a mean variance of 1 within classes. The features of s are the model's
// features multiplied by unit.
func (c *Components) UnitOfLength(ctx context.Context, s *Samples, q int, unit float64, workers int) (float64, error) {
	d, _ := c.P.Dims()
	within, total := s.projectedVariances(ctx, mat.DenseCopyOf(c.P.Slice(0, d, 0, q)), workers)
	variance := max(within, float64(scatterNoise*total)) / float64(q)
	largest := dense.MaxAbs(ctx, c.P)
	if ctx.Err() != nil || !(variance > 0) {
		return 1, fault.Ended(ctx, nil)
	}
	// Keep the elements in range if features are near the ends of the float64 range.
	return min(max(unit/math.Sqrt(variance), 0x1p-1000/largest), 0x1p1000/largest), nil
}

// RatiosOf returns a ratio μ for each column of base·rotation. The numerator is the transport scatter
// between classes in the direction of the column. The denominator is the transport scatter within
// classes plus the ridge. The columns may have any length. Negative ratios become 0.
func (c *Components) RatiosOf(rotation *mat.Dense, ridge float64) []float64 {
	k, columns := rotation.Dims()
	ratios := make([]float64, columns)
	for j := range ratios {
		column := rotation.ColView(j)
		var b, w, largest float64
		for i := range k {
			largest = max(largest, math.Abs(column.AtVec(i)))
		}
		unit := powerOfTwo(largest) // prevents overflow of squares
		at := func(i int) float64 { return column.AtVec(i) * unit }
		for i := range k {
			for l := range k {
				v := at(i) * at(l)
				b += float64(v * c.between.At(i, l))
				w += float64(v * c.within.At(i, l))
			}
			w += float64(at(i) * at(i) * (ridge / float64(k)))
		}
		if b > 0 && w > 0 {
			ratios[j] = b / w
		}
	}
	return ratios
}

// shrinkColumns multiplies columns first, first+1, … of p by almostZero.
func shrinkColumns(p *mat.Dense, first int) {
	d, columns := p.Dims()
	for i := range d {
		row := p.RawRowView(i)
		for j := first; j < columns; j++ {
			row[j] *= almostZero
		}
	}
}

// MixProjections combines several projections of s into one projection with the same number of
// columns. It joins the columns of all projections, projects the samples onto these columns, and
// computes the principal components of the projected samples. The leading columns of the result are
// scaled to a mean variance of 1 within classes. All later columns are multiplied by almostZero.
func MixProjections(ctx context.Context, s *Samples, all []*mat.Dense, leading, workers int) (*mat.Dense, error) {
	d, p := all[0].Dims()
	side := mat.NewDense(d, len(all)*p, nil)
	for i, of := range all {
		side.Slice(0, d, i*p, (i+1)*p).(*mat.Dense).Copy(of)
	}
	side.Scale(powerOfTwo(dense.MaxAbs(ctx, side)), side)
	v, err := baseline.Fit(ctx, s.projected(ctx, side, workers), nil, p, baseline.PCA{Workers: workers})
	if err != nil {
		return nil, err
	}
	c := &Components{P: mat.NewDense(d, p, nil)}
	if dense.Product(ctx, dense.View(c.P), dense.View(side), dense.View(v), false); ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	shrinkColumns(c.P, leading)
	length, err := c.UnitOfLength(ctx, s, leading, s.Scale, workers)
	if err != nil {
		return nil, err
	}
	c.P.Scale(length, c.P)
	return c.P, nil
}

// gramSchmidt returns an orthonormal basis of the columns of a nonsingular matrix v (p × p) by the
// Gram–Schmidt process. It orthogonalizes every column twice to reach full precision (W. Kahan).
func gramSchmidt(ctx context.Context, v matrix.Matrix[float64]) matrix.Matrix[float64] {
	p := v.Rows
	q := matrix.New[float64](p, p, nil) // transposed
	matrix.Transpose(q, v)
	for k := 0; k < p && ctx.Err() == nil; k++ {
		x := q.Row(k)
		for range 2 {
			for j := range k {
				y, dot := q.Row(j), 0.
				for i := range x {
					dot = math.FMA(x[i], y[i], dot)
				}
				for i := range x {
					x[i] = math.FMA(-dot, y[i], x[i])
				}
			}
			var top, sum float64
			for _, a := range x {
				top = max(top, math.Abs(a))
			}
			for i := range x {
				x[i] /= top
				sum = math.FMA(x[i], x[i], sum)
			}
			norm := math.Sqrt(sum)
			for i := range x {
				x[i] /= norm
			}
		}
	}
	out := matrix.New[float64](p, p, nil)
	matrix.Transpose(out, q)
	return out
}
