package wda

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// J does not change when P is turned within its span, so the basis is free. With the
// plans T of the result the transport scatters of the projected samples,
//
//	S = Σ w_cc' Σ_ij T_ij (y_i − z_j)(y_i − z_j)ᵀ    p × p,   tr S_b = σ_b², tr S_w = σ_w²,
//
// between classes and within them, are diagonal in the same basis V, the generalized
// eigenvectors of S_b v = μ (S_w + ridge/p·I) v. The columns of P·V are the canonical
// components, the largest ratio μ first.

// With Y the samples and L the Laplacian of the graph whose edges are the weighted plans, S = YᵀLY, and
// 2LY is the gradient of the costs with respect to Y, the plans being constant. So the pairs of classes
// give n × p matrices, as they do for any gradient, and there is one product for all of them.

// scatters returns S_b and S_w at p, and leaves σ_b² and σ_w² at p in o.
func (o *objective[T]) scatters(ctx context.Context, p *mat.Dense) (between, within matrix.Matrix[float64], err error) {
	gb, gw := o.gb, o.gw // which may be known, and needed again
	if o.sb.Data == nil {
		o.sb, o.sw = dist.NewMatrix[T](o.s.n, o.p, nil), dist.NewMatrix[T](o.s.n, o.p, nil)
	}
	o.setProjection(p)
	gradient := o.known && o.gradient
	o.known = false
	o.gb, o.gw, o.frozen = o.sb, o.sw, true
	err = o.evaluate(ctx, p, true)
	o.gb, o.gw, o.frozen, o.gradient = gb, gw, false, gradient
	if err != nil {
		return between, within, err
	}
	y := widened(ctx, o.y)
	between = o.symmetric(ctx, y, o.sb)
	// From the mean of the class, so that little cancels where a class is far from 0.
	mean := make([]float64, o.p)
	for c := range o.s.classes {
		of := class(o.s, y, c)
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
	return between, o.symmetric(ctx, y, o.sw), ended(ctx, nil)
}

// widened returns a in float64.
func widened[T dist.Float](ctx context.Context, a dist.Matrix[T]) matrix.Matrix[float64] {
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

// symmetric returns yᵀLy, with g = 2Ly.
func (o *objective[T]) symmetric(ctx context.Context, y matrix.Matrix[float64], g dist.Matrix[T]) matrix.Matrix[float64] {
	out := matrix.New[float64](o.p, o.p, nil)
	if transProduct(ctx, o.width, out, y, widened(ctx, g)) != nil {
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

// components are the result of a fit in the space of the span: the projection as it is
// scaled, and what is known of its columns.
type components struct {
	p              *mat.Dense // d × p
	scales, ratios []float64
	rank           float64 // (tr S_w)²/‖S_w‖² at the orthonormal projection
	// Of canonical components: p is base·turn.
	base            *mat.Dense
	turn            matrix.Matrix[float64]
	between, within matrix.Matrix[float64] // S_b and S_w at base
}

// canonical returns the canonical components of the span of p: P·V. It leaves σ_b² and σ_w² at p in o.
func (o *objective[T]) canonical(ctx context.Context, p *mat.Dense) (*components, error) {
	between, within, err := o.scatters(ctx, p)
	if err != nil {
		return nil, err
	}
	ratios, v, err := o.pencil(ctx, between, within)
	if err != nil {
		return nil, err
	}
	c := &components{p: mat.NewDense(o.s.d, o.p, nil), ratios: ratios, scales: make([]float64, o.p), base: p, turn: v, between: between, within: within, rank: effectiveRank(within)}
	if dense.Product(ctx, dense.View(c.p), dense.View(p), v, false); ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for k, mu := range ratios {
		ratios[k] = max(mu, 0)
	}
	return c, nil
}

// effectiveRank returns (tr S)²/‖S‖² of a symmetric S: p if all directions vary alike, 1 if
// one varies alone.
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

// scatterFloors are shares of the scatter within classes that every direction is given,
// the first with which S_w is definite: where classes coincide in some direction, or every
// sample is transported to itself, rounding decides what is left of it: scatterNoise of
// that between classes.
var scatterFloors = []float64{1e-9, 1e-6, 1e-3}

const scatterNoise = 1e-6

// pencil returns the generalized eigenvectors of S_b v = μ (S_w + ridge/p·I) v.
func (o *objective[T]) pencil(ctx context.Context, between, within matrix.Matrix[float64]) ([]float64, matrix.Matrix[float64], error) {
	trace := o.ridge
	for k := range o.p {
		trace += within.At(k, k) + float64(scatterNoise*between.At(k, k))
	}
	for _, floor := range scatterFloors {
		a, b := matrix.New[float64](o.p, o.p, nil), matrix.New[float64](o.p, o.p, nil)
		copy(a.Data, between.Data)
		copy(b.Data, within.Data)
		add := (o.ridge + float64(floor*trace)) / float64(o.p)
		for k := range o.p {
			b.Set(k, k, b.At(k, k)+add)
		}
		if ratios, v, ok := algebra.Pencil(ctx, a, b); ok {
			return ratios, v, nil
		}
	}
	return nil, within, ended(ctx, fmt.Errorf("%w: the transport scatters within classes are singular", ErrNoSpread))
}

// muted is what columns are multiplied by that do not lead.
const muted = 0x1p-10

// scaled returns the columns of the model: c scaled as set says, c being left as it is. They
// are unfinished if the context ends.
func (c *components) scaled(ctx context.Context, set *Settings) *components {
	d, p := c.p.Dims()
	out := &components{p: mat.DenseCopyOf(c.p), scales: make([]float64, p), ratios: c.ratios, rank: c.rank}
	if set.Scale.straight() {
		dense.Product(ctx, dense.View(out.p), dense.View(c.base), gramSchmidt(ctx, c.turn), false)
	}
	for k, mu := range c.ratios {
		out.scales[k] = 1
		if set.Scale == ScaleRatio {
			out.scales[k] = math.Sqrt(mu / (1 + mu))
		}
		if set.Leading > 0 && k >= set.Leading {
			out.scales[k] *= muted
		}
	}
	for i := range d {
		row := out.p.RawRowView(i)
		for k := range row {
			row[k] *= out.scales[k]
		}
	}
	return out
}

// completed returns c with as many columns as base (d × p, orthonormal) has: behind its own
// come those of base, orthonormal to the span of c and muted, in which classes are not
// compared: their ratio is 0.
func (c *components) completed(ctx context.Context, span, base *mat.Dense) (*components, error) {
	d, p := base.Dims()
	_, q := c.p.Dims()
	both := mat.NewDense(d, p, nil)
	both.Slice(0, d, 0, q).(*mat.Dense).Copy(span)
	both.Slice(0, d, q, p).(*mat.Dense).Copy(base.Slice(0, d, 0, p-q))
	if _, err := stiefel.New(d, p).Orthonormalize(ctx, both, both); err != nil {
		return nil, err
	}
	out := &components{p: both, rank: c.rank}
	if c.ratios != nil {
		out.scales, out.ratios = append(slices.Clone(c.scales), slices.Repeat([]float64{muted}, p-q)...), append(slices.Clone(c.ratios), make([]float64, p-q)...)
	}
	both.Slice(0, d, 0, q).(*mat.Dense).Copy(c.p)
	for k := q; k < p; k++ {
		for i := range d {
			both.Set(i, k, muted*both.At(i, k))
		}
	}
	return out, nil
}

// unitOfLength returns the factor that makes the mean variance within classes of the samples s,
// projected, 1 in the first q columns. unit is what the model's features were multiplied by in s.
func (c *components) unitOfLength(ctx context.Context, s *samples, q int, unit float64, workers int) (float64, error) {
	d, _ := c.p.Dims()
	within, total := s.variances(ctx, mat.DenseCopyOf(c.p.Slice(0, d, 0, q)), workers)
	variance := max(within, float64(scatterNoise*total)) / float64(q)
	largest := largestElement(ctx, c.p)
	if ctx.Err() != nil || !(variance > 0) {
		return 1, ended(ctx, nil)
	}
	// The elements stay in range where features are near the ends of that of float64.
	return min(max(unit/math.Sqrt(variance), 0x1p-1000/largest), 0x1p1000/largest), nil
}

// gramSchmidt returns the columns of v (p × p, regular), made orthonormal one after the
// other, each twice (W. Kahan: twice is enough).
func gramSchmidt(ctx context.Context, v matrix.Matrix[float64]) matrix.Matrix[float64] {
	p := v.Rows
	q := matrix.New[float64](p, p, nil) // its transpose
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
