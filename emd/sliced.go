package emd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/random"
)

const (
	defaultDirections  = 50
	directionsPerBlock = 16 // number of directions processed at a time
	directionStream    = 49 // random number stream for the directions
)

// SlicedOptions configures [Solver.Sliced]. The zero value works.
type SlicedOptions struct {
	// Directions is the number of random directions; 0 means 50.
	Directions int
	// Order is the order p ≥ 1 of the distances on lines; 0 means 2.
	Order float64
	// Seed selects the directions.
	Seed uint64
}

// sliced is the workspace of Sliced.
type sliced[T dist.Float] struct {
	directions, transposed []T // d × k and k × d elements
	projected, lines       [2][]T
	coefficients           [2][]T // n × k
	gradient               [2][]float64
}

// Sliced returns the sliced Wasserstein distance of the two point clouds of p,
//
//	SW_p = (mean_θ W_p(Xθ, Yθ)^p)^(1/p),
//
// where mean_θ is the mean over random unit vectors θ, and W_p is the distance of [Solver.Distance1D].
//
// Sliced sets dx (n × d) and dy (m × d) to the gradients of SW_p^p with respect to X and Y, unless dx or dy is empty. If two
// projected points are equal, the derivative of their distance is set to 0. dx and dy must not overlap each other, X or Y.
//
// If o is nil, the zero options are used. Cost and Mass of the problem must be zero. Errors wrap ErrShape, ErrNotFinite,
// ErrMarginals, ErrSettings or ErrRange. If the context ends, Sliced returns the context's cause. After an error, the contents
// of dx and dy are undefined.
func (s *Solver[T]) Sliced(ctx context.Context, dx, dy dist.Matrix[T], p *Problem[T], o *SlicedOptions) (float64, error) {
	s.markBusy()
	defer s.markIdle()
	options := SlicedOptions{}
	if o != nil {
		options = *o
	}
	if options.Directions == 0 {
		options.Directions = defaultDirections
	}
	if options.Order == 0 {
		options.Order = 2
	}
	ctx = s.timed.Of(ctx)
	if err := s.checkSliced(ctx, dx, dy, p, &options); err != nil {
		return 0, err
	}
	sumA, err := checkWeights(ctx, "A", p.A, p.X.Rows)
	if err != nil {
		return 0, err
	}
	sumB, err := checkWeights(ctx, "B", p.B, p.Y.Rows)
	if err != nil {
		return 0, err
	}
	if err := checkSums[T](sumA, sumB, 0); err != nil {
		return 0, err
	}
	for _, m := range [2]dist.Matrix[T]{dx, dy} {
		for i := range m.Rows {
			clear(m.Row(i))
		}
	}
	l := &s.line
	rng := random.New(options.Seed, directionStream)
	var sum preciseSum
	for done := 0; done < options.Directions; done += directionsPerBlock {
		k := min(directionsPerBlock, options.Directions-done)
		l.sliced.drawDirections(rng, p.X.Cols, k)
		for t := range 2 {
			if err := l.sliced.projectPoints(ctx, t, [2]dist.Matrix[T]{p.X, p.Y}[t], k); err != nil {
				return 0, err
			}
		}
		for r := range k {
			if ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			power, err := l.sliceDistance(ctx, p, sumA, sumB, &options, r, k, dx.Rows > 0 || dy.Rows > 0)
			if err != nil {
				return 0, err
			}
			sum.add(power)
		}
		for t, m := range [2]dist.Matrix[T]{dx, dy} {
			if m.Rows > 0 {
				if err := multiply(ctx, m, dist.Matrix[T]{Rows: m.Rows, Cols: k, Stride: k, Data: l.sliced.coefficients[t]},
					dist.Matrix[T]{Rows: k, Cols: m.Cols, Stride: m.Cols, Data: l.sliced.transposed}, true); err != nil {
					return 0, err
				}
			}
		}
	}
	mean := sum.value() / float64(options.Directions)
	switch {
	case options.Order == 2:
		mean = math.Sqrt(mean)
	case options.Order != 1 && mean > 0:
		mean = pow(mean, 1/options.Order)
	}
	if mean-mean != 0 {
		return 0, fmt.Errorf("%w: the power of a distance overflows", ErrRange)
	}
	return mean, nil
}

// checkSliced checks the problem, the options and the memory that Sliced needs.
func (s *Solver[T]) checkSliced(ctx context.Context, dx, dy dist.Matrix[T], p *Problem[T], o *SlicedOptions) error {
	if p.Cost.Rows > 0 || p.Cost.Cols > 0 || p.Mass != 0 {
		return fmt.Errorf("%w: a sliced distance needs points X and Y; Cost and Mass must be zero", ErrSettings)
	}
	if err := checkPoints(ctx, p.X, p.Y); err != nil {
		return err
	}
	if err := checkOrder(o.Order); err != nil {
		return err
	}
	if math.IsInf(o.Order, 1) || o.Directions < 0 {
		return fmt.Errorf("%w: Order is %v and Directions is %d; Order must be finite and Directions must not be negative", ErrSettings, o.Order, o.Directions)
	}
	for t, m := range [2]dist.Matrix[T]{dx, dy} {
		points := [2]dist.Matrix[T]{p.X, p.Y}[t]
		if err := checkMatrix([2]string{"dx", "dy"}[t], m); err != nil {
			return err
		}
		if m.Rows > 0 && (m.Rows != points.Rows || m.Cols != points.Cols) {
			return fmt.Errorf("%w: %s is %d × %d, the points are %d × %d", ErrShape, [2]string{"dx", "dy"}[t], m.Rows, m.Cols, points.Rows, points.Cols)
		}
	}
	points := float64(p.X.Rows) + float64(p.Y.Rows)
	return s.checkMemory(float64(points*(48+8)) + float64(3*directionsPerBlock*float64(elementSize[T]())*(points+float64(p.X.Cols))))
}

// drawDirections draws k random unit vectors of d elements.
func (c *sliced[T]) drawDirections(rng *rand.Rand, d, k int) {
	grow(&c.directions, d*k)
	grow(&c.transposed, d*k)
	for r := range k {
		row := c.transposed[r*d:][:d]
		var square float64
		for square == 0 {
			for i := range row {
				v := random.Normal(rng)
				row[i] = T(v)
				square = num.FMA(v, v, square)
			}
		}
		length := math.Sqrt(square)
		for i := range row {
			row[i] = T(float64(row[i]) / length)
			c.directions[i*k+r] = row[i]
		}
	}
}

// projectPoints projects the points of side t on k directions. Row r of c.lines[t] contains the projections on direction r.
func (c *sliced[T]) projectPoints(ctx context.Context, t int, points dist.Matrix[T], k int) error {
	n := points.Rows
	grow(&c.projected[t], n*k)
	grow(&c.lines[t], n*k)
	projected := dist.Matrix[T]{Rows: n, Cols: k, Stride: k, Data: c.projected[t]}
	if err := multiply(ctx, projected, points, dist.Matrix[T]{Rows: points.Cols, Cols: k, Stride: k, Data: c.directions}, false); err != nil {
		return err
	}
	return transpose(ctx, dist.Matrix[T]{Rows: k, Cols: n, Stride: n, Data: c.lines[t]}, projected)
}

// multiply sets dst = a·b, or adds a·b to dst. It returns the context's cause if the context ends first.
func multiply[T dist.Float](ctx context.Context, dst, a, b dist.Matrix[T], add bool) error {
	step := 1 + workPerCheck/(b.Rows*b.Cols)
	for i := 0; i < a.Rows; i += step {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		j := min(i+step, a.Rows)
		matrix.Mul(dst.RowRange(i, j), a.RowRange(i, j), b, add)
	}
	return nil
}

// sliceDistance returns the p-th power of the distance between the projections on direction r. If gradient is true,
// sliceDistance also sets column r of the gradient coefficients.
func (l *line[T]) sliceDistance(ctx context.Context, p *Problem[T], sumA, sumB float64, o *SlicedOptions, r, k int, gradient bool) (float64, error) {
	n, m := p.X.Rows, p.Y.Rows
	sides := [2]sortedSide{{uniformMass: float64(m)}, {uniformMass: float64(n)}}
	weights := [2][]T{p.A, p.B}
	for t, rows := range [2]int{n, m} {
		z := l.sliced.lines[t][r*rows:][:rows]
		if i := indexNotFinite(z); i >= 0 {
			return 0, fmt.Errorf("%w: the projection of point %d of %s overflows", ErrRange, i, [2]string{"X", "Y"}[t])
		}
		var err error
		if sides[t].keys, sides[t].indices, err = sortSamples(ctx, &l.sorters[t], z, gradient || weights[t] != nil); err != nil {
			return 0, err
		}
	}
	unit, err := l.setMasses(ctx, &sides, weights, sumA, sumB)
	if err != nil {
		return 0, err
	}
	_, power, err := l.distance(ctx, &sides, o.Order, unit)
	if err != nil || !gradient {
		return power, err
	}
	c := &l.sliced
	for t, rows := range [2]int{n, m} {
		grow(&c.gradient[t], rows)
		clear(c.gradient[t])
		grow(&c.coefficients[t], rows*k)
	}
	factor := float64(o.Order*unit) / float64(o.Directions)
	if err := l.forEachSegment(ctx, &sides, func() {
		var signs [segmentChunk]float64
		for i, d := range l.differences[:l.segments] {
			switch {
			case d > 0:
				signs[i] = factor
			case d < 0:
				signs[i] = -factor
			}
		}
		l.raiseDifferences(o.Order-1, 0)
		for i, d := range l.differences[:l.segments] {
			g := float64(float64(d*l.masses[i]) * signs[i])
			c.gradient[0][l.samples[i][0]] += g
			c.gradient[1][l.samples[i][1]] -= g
		}
	}); err != nil {
		return 0, err
	}
	for t, g := range c.gradient {
		for i, v := range g {
			c.coefficients[t][i*k+r] = T(v)
		}
	}
	return power, nil
}
