package sinkhorn

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/matrix"
)

// Divergence is a Sinkhorn divergence, and how the three solves that it takes ended.
type Divergence struct {
	// Value is S.
	Value float64
	// Status is the one that says most: Cancelled before LowPrecision, IterationLimit,
	// and Completed or Converged.
	Status Status
	// Iterations is the sum, annealing not counted.
	Iterations int
	// MarginalError is the largest.
	MarginalError float64
}

// Divergence returns the Sinkhorn divergence of two weighted point clouds,
//
//	S = W(X, Y) − W(X, X)/2 − W(Y, Y)/2,
//
// W the regularized cost (Result.RegularizedCost), and, unless dx and dy are zero
// matrices, sets dx (n × p) and dy (m × p) to its gradients. S and the gradients are
// those of the definition at convergence, where S ≥ 0 and S = 0 for equal clouds:
// the solver should have a Tolerance. X and Y may be the same cloud. Errors are those of
// Solve, RegularizedCost and PointGradientTo; a context that ends leaves no
// result. It panics if dx and dy have another shape or overlap. See J. Feydy et al.,
// "Interpolating between optimal transport and MMD using Sinkhorn divergences", AISTATS
// 2019.
//
// With prices PenaltyA = PenaltyB for unequal mass, (Σa − Σb)²/(2λ) is added, and S is that of T.
// Séjourné et al., "Sinkhorn divergences for unbalanced optimal transport", 2019.
//
// Start serves the first of the three solves. A result of this solver before is
// overwritten.
func (s *Solver[T]) Divergence(ctx context.Context, dx, dy dist.Matrix[T], p *Problem[T]) (Divergence, error) {
	s.enter()
	defer s.leave()
	if !p.Cost.IsEmpty() {
		return Divergence{}, fmt.Errorf("%w: a divergence is one of points", ErrShape)
	}
	if p.Mass > 0 || p.PenaltyA != p.PenaltyB {
		return Divergence{}, fmt.Errorf("%w: a divergence wants one price for both marginals, and all of the mass", ErrSettings)
	}
	gradient := !dx.IsEmpty() || !dy.IsEmpty()
	if gradient && (dx.IsEmpty() || dy.IsEmpty() || !dx.Fits() || !dy.Fits() || matrix.Overlap(dx, dy)) {
		panic("sinkhorn: gradients of another shape, or that overlap")
	}
	var d Divergence
	err := s.addTerm(ctx, &d, 1, p, func() error {
		if !gradient {
			return nil
		}
		return s.pointGradient(ctx, GradientFrozen, dx, dy)
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
	if err == nil && s.unequal.on {
		m := total(p.A) - total(p.B)
		d.Value += float64(m*m) / (2 * s.lambda)
	}
	if err == nil && !finite(d.Value) {
		err = fmt.Errorf("%w: the divergence overflows", ErrRange)
	}
	if err != nil {
		return Divergence{}, err
	}
	return d, nil
}

// addTerm solves a problem, adds its share to d, and calls gradient.
func (s *Solver[T]) addTerm(ctx context.Context, d *Divergence, factor float64, p *Problem[T], gradient func() error) error {
	r, err := s.solve(ctx, p)
	if err != nil {
		return err
	}
	w, err := s.regularizedCost(ctx)
	if err != nil {
		return err
	}
	d.Value += float64(factor * w)
	d.Status = worse(d.Status, r.Status)
	d.Iterations += r.Iterations
	d.MarginalError = max(d.MarginalError, r.MarginalError)
	return gradient()
}

// subtractHalf subtracts from dst half of the gradient of the problem that has been
// solved, that of a cloud with itself.
func (s *Solver[T]) subtractHalf(ctx context.Context, dst dist.Matrix[T]) error {
	grow(&s.div.g, dst.Rows*dst.Cols)
	grow(&s.div.h, dst.Rows*dst.Cols)
	g := dist.Matrix[T]{Rows: dst.Rows, Cols: dst.Cols, Stride: dst.Cols, Data: s.div.g}
	h := dist.Matrix[T]{Rows: dst.Rows, Cols: dst.Cols, Stride: dst.Cols, Data: s.div.h}
	if err := s.pointGradient(ctx, GradientFrozen, g, h); err != nil {
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

// worse returns the status that says more.
func worse(a, b Status) Status {
	rank := [...]int{Completed: 0, Converged: 0, IterationLimit: 1, LowPrecision: 2, Cancelled: 3}
	if rank[b] > rank[a] || a == Completed {
		return b
	}
	return a
}

// total returns the sum of weights, of which nil are uniform.
func total[T dist.Float](w []T) float64 {
	if w == nil {
		return 1
	}
	var sum float64
	for _, x := range w {
		sum += float64(x)
	}
	return sum
}
