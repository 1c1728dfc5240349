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
	"github.com/gomonge/monge/sinkhorn"
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

// scatters returns S_b and S_w at p.
func (o *objective[T]) scatters(ctx context.Context, p *mat.Dense) (between, within matrix.Matrix[float64], err error) {
	o.load(ctx, p)
	between, within = matrix.New[float64](o.p, o.p, nil), matrix.New[float64](o.p, o.p, nil)
	size := o.p * o.p
	sums := make([]float64, min(batch, len(o.pairs))*size)
	for first := 0; first < len(o.pairs); first += batch {
		todo := o.pairs[first:min(first+batch, len(o.pairs))]
		err = o.pool.Run(ctx, len(o.workers), len(todo), func(ctx context.Context, w, i int) error {
			q := todo[i]
			x, y := class(o.s, o.y, q.c), class(o.s, o.y, q.e)
			res, err := o.workers[w].solver.Solve(ctx, &sinkhorn.Problem[T]{X: x, Y: y, Lambda: q.lambda})
			if err != nil {
				return o.pairError(ctx, q, err)
			}
			o.workers[w].scatterer.pair(ctx, sums[i*size:][:size], res, x, y)
			return ended(ctx, nil)
		})
		if err != nil {
			return between, within, err
		}
		for i, q := range todo {
			to := between
			if q.within() {
				to = within
			}
			for k, v := range sums[i*size:][:size] {
				to.Data[k] += float64(q.weight * v)
			}
		}
	}
	return between, within, nil
}

// planRows is the number of rows of a plan that are looked at at a time.
const planRows = 64

// scatterer is the memory of one goroutine for scatters of pairs.
type scatterer[T dist.Float] struct {
	x, y, ty, weighed, plan, columns, ones, gram, sum []T
	center                                            []float64
}

// shaped returns *v as a rows × cols matrix, of which any elements are to be expected.
func shaped[T dist.Float](v *[]T, rows, cols int) dist.Matrix[T] {
	resize(v, rows*cols)
	return dist.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: *v}
}

// pair sets dst (p × p) to Σ_ij T_ij (x_i − y_j)(x_i − y_j)ᵀ:
//
//	Σ_i r_i x_i x_iᵀ + Σ_j c_j y_j y_jᵀ − G − Gᵀ    r = T1, c = Tᵀ1, G = Σ_i x_i (TY)_iᵀ
//
// with x and y taken from the mean of y, so that little cancels where both are far from 0.
func (s *scatterer[T]) pair(ctx context.Context, dst []float64, res *sinkhorn.Result[T], x, y dist.Matrix[T]) {
	p, n, m := x.Cols, x.Rows, y.Rows
	s.center = slices.Grow(s.center[:0], p)[:p]
	clear(s.center)
	for j := range m {
		for l, v := range y.Row(j) {
			s.center[l] += float64(v)
		}
	}
	for l := range s.center {
		s.center[l] /= float64(m)
	}
	xs, ys := s.moved(&s.x, x), s.moved(&s.y, y)
	plan := shaped(&s.plan, min(planRows, n), m)
	ty, columns, ones := shaped(&s.ty, n, p+1), shaped(&s.columns, 1, m), shaped(&s.ones, plan.Rows, 1)
	clear(columns.Data)
	for i := range ones.Data {
		ones.Data[i] = 1
	}
	for first := 0; first < n && ctx.Err() == nil; first += planRows {
		last := min(first+planRows, n)
		part := plan.RowRange(0, last-first)
		if res.PlanTo(ctx, part, first) != nil {
			break
		}
		matrix.Mul(ty.RowRange(first, last), part, ys, false)
		matrix.TransMul(columns, ones.RowRange(0, part.Rows), part, true)
	}
	// (Σ_i x_i (TY)_iᵀ, Σ_i r_i x_i …): one product each.
	xp, yp := xs.ColRange(0, p), ys.ColRange(0, p)
	g, sum := shaped(&s.gram, p, p), shaped(&s.sum, p, p)
	matrix.TransMul(g, xp, ty.ColRange(0, p), false)
	matrix.TransMul(sum, xp, s.weigh(xs, ty.Data[p:], p+1), false)
	matrix.TransMul(sum, yp, s.weigh(ys, columns.Data, 1), true)
	for k := range p {
		for l := range p {
			dst[k*p+l] = float64(sum.At(k, l)) - float64(g.At(k, l)) - float64(g.At(l, k))
		}
	}
}

// moved returns a, less the center, in *v. A last column of ones makes T1 and Tᵀ1 columns of the
// products.
func (s *scatterer[T]) moved(v *[]T, a dist.Matrix[T]) dist.Matrix[T] {
	p := a.Cols
	out := shaped(v, a.Rows, p+1)
	for i := range a.Rows {
		row := out.Row(i)
		for l, v := range a.Row(i) {
			row[l] = T(float64(v) - s.center[l])
		}
		row[p] = 1
	}
	return out
}

// weigh returns the rows of a, without the last column, times weights that are a stride apart,
// until the next call.
func (s *scatterer[T]) weigh(a dist.Matrix[T], weights []T, stride int) dist.Matrix[T] {
	p := a.Cols - 1
	out := shaped(&s.weighed, a.Rows, p)
	for i := range a.Rows {
		w, row := weights[i*stride], out.Row(i)
		for l, v := range a.Row(i)[:p] {
			row[l] = w * v
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
	base *mat.Dense
	turn matrix.Matrix[float64]
}

// canonical returns the canonical components of the span of p: P·V.
func (o *objective[T]) canonical(ctx context.Context, p *mat.Dense) (*components, error) {
	between, within, err := o.scatters(ctx, p)
	if err != nil {
		return nil, err
	}
	ratios, v, err := o.pencil(ctx, between, within)
	if err != nil {
		return nil, err
	}
	c := &components{p: mat.NewDense(o.s.d, o.p, nil), ratios: ratios, scales: make([]float64, o.p), base: p, turn: v, rank: effectiveRank(within)}
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
		if set.Scale == ScaleByRatio {
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
