package sinkhorn

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/gibbs"
	"github.com/gomonge/monge/internal/matrix"
)

// Divergence is a Sinkhorn divergence and a summary of its three solves.
type Divergence struct {
	// Value is the divergence S; see Solver.Divergence.
	Value float64
	// Status is the most serious status of the three solves. The most serious status is StatusLowPrecision, followed by
	// StatusIterationLimit.
	Status Status
	// Iterations is the total number of iterations of the three solves, without annealing.
	Iterations int
	// MarginalError is the largest marginal error of the three solves.
	MarginalError float64
}

// Divergence returns the Sinkhorn divergence of two weighted point clouds,
//
//	S = W(X, Y) − W(X, X)/2 − W(Y, Y)/2,
//
// where W is the regularized cost (Result.RegularizedCost). Divergence sets dx (n × p) and dy (m × p) to the gradients of S
// with respect to X and Y. If dx and dy are empty, no gradients are computed. X and Y may be the same cloud. Start is used for
// the first of the three solves.
//
// At convergence S ≥ 0, and S = 0 for equal clouds. The solver should therefore have a Tolerance. See J. Feydy et al.,
// "Interpolating between optimal transport and MMD using Sinkhorn divergences", AISTATS 2019. If PenaltyA and PenaltyB are
// equal and positive, Divergence adds (Σa − Σb)²/(2λ) to S. The sum is the divergence of T. Séjourné et al., "Sinkhorn
// divergences for unbalanced optimal transport", 2019.
//
// Errors are those of Solve, Result.RegularizedCost and Result.PointGradientTo. Divergence returns ErrShape for a cost matrix,
// and ErrSettings for different penalties or Mass. If the context ends, Divergence returns the zero Divergence and the
// context's cause. It panics if dx or dy has the wrong shape or if they overlap. Earlier results of the solver become invalid.
func (s *Solver[T]) Divergence(ctx context.Context, dx, dy dist.Matrix[T], p *Problem[T]) (Divergence, error) {
	return s.implementation().divergenceOf(ctx, dx, dy, *p)
}

func (s *solver[T]) divergenceOf(ctx context.Context, dx, dy dist.Matrix[T], p Problem[T]) (Divergence, error) {
	return s.Divergence(ctx, dx, dy, &p)
}

func (s *solver[T]) Divergence(ctx context.Context, dx, dy dist.Matrix[T], p *Problem[T]) (Divergence, error) {
	s.markBusy()
	defer s.markFree()
	if !p.Cost.IsEmpty() {
		return Divergence{}, fmt.Errorf("%w: a divergence needs points, not a cost matrix", ErrShape)
	}
	if p.Mass > 0 || p.PenaltyA != p.PenaltyB {
		return Divergence{}, fmt.Errorf("%w: a divergence needs PenaltyA = PenaltyB and no Mass", ErrSettings)
	}
	gradient := !dx.IsEmpty() || !dy.IsEmpty()
	if gradient && (dx.IsEmpty() || dy.IsEmpty() || !dx.Fits() || !dy.Fits() || matrix.Overlap(dx, dy)) {
		panic("sinkhorn: Divergence: dx must be n × p, dy m × p, and they must not overlap")
	}
	var d Divergence
	err := s.addTerm(ctx, &d, 1, p, func() error {
		if !gradient {
			return nil
		}
		return s.gradients.pointGradients(ctx, &s.own, dx, dy, GradientFrozen)
	})
	for i := 0; i < 2 && err == nil; i++ {
		x, w, to := p.X, p.A, dx
		if i == 1 {
			x, w, to = p.Y, p.B, dy
		}
		err = s.addTerm(ctx, &d, -0.5, &Problem[T]{X: x, Y: x, A: w, B: w, Lambda: p.Lambda, PenaltyA: p.PenaltyA, PenaltyB: p.PenaltyB}, func() error {
			if !gradient {
				return nil
			}
			return s.subtractHalf(ctx, to)
		})
	}
	if err == nil && s.own.unequal {
		m := weightSum(p.A) - weightSum(p.B)
		d.Value += float64(m*m) / (2 * s.own.lambda)
	}
	if err == nil && !finite(d.Value) {
		err = fmt.Errorf("%w: the divergence overflows", ErrRange)
	}
	if err != nil {
		return Divergence{}, err
	}
	return d, nil
}

// addTerm solves a problem and adds its regularized cost, multiplied by factor, to d.Value. Then it calls the function
// gradient.
func (s *solver[T]) addTerm(ctx context.Context, d *Divergence, factor float64, p *Problem[T], gradient func() error) error {
	r, err := s.solve(ctx, p)
	if err != nil {
		return err
	}
	w, err := s.regularizedCost(ctx, &s.own)
	if err != nil {
		return err
	}
	d.Value += float64(factor * w)
	d.Status = moreSerious(d.Status, r.Status)
	d.Iterations += r.Iterations
	d.MarginalError = max(d.MarginalError, r.MarginalError)
	return gradient()
}

// subtractHalf subtracts half of a gradient from dst. The gradient is that of the latest problem, which compares a cloud with
// itself.
func (s *solver[T]) subtractHalf(ctx context.Context, dst dist.Matrix[T]) error {
	gibbs.Grow(&s.half.g, dst.Rows*dst.Cols)
	gibbs.Grow(&s.half.h, dst.Rows*dst.Cols)
	g := dist.Matrix[T]{Rows: dst.Rows, Cols: dst.Cols, Stride: dst.Cols, Data: s.half.g}
	h := dist.Matrix[T]{Rows: dst.Rows, Cols: dst.Cols, Stride: dst.Cols, Data: s.half.h}
	if err := s.gradients.pointGradients(ctx, &s.own, g, h, GradientFrozen); err != nil {
		return err
	}
	for k := range dst.Rows {
		g, h, d := g.Row(k), h.Row(k), dst.Row(k)
		for l := range d {
			d[l] -= T((g[l] + h[l]) / 2)
		}
	}
	return nil
}

// moreSerious returns the more serious of two statuses.
func moreSerious(a, b Status) Status {
	rank := [...]int{StatusCompleted: 0, StatusConverged: 0, StatusIterationLimit: 1, StatusLowPrecision: 2, StatusCanceled: 3}
	if rank[b] > rank[a] || a == StatusCompleted {
		return b
	}
	return a
}

// weightSum returns the sum of the weights; nil means uniform weights.
func weightSum[T dist.Float](w []T) float64 {
	if w == nil {
		return 1
	}
	var sum float64
	for _, x := range w {
		sum += float64(x)
	}
	return sum
}
