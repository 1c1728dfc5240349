package sinkhorn

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
)

// divergence has the gradients of the two terms that are subtracted.
type divergence[T dist.Float] struct {
	g, h []T
}

// Divergence returns the Sinkhorn divergence of two weighted point clouds,
//
//	S = W(X, Y) − W(X, X)/2 − W(Y, Y)/2,
//
// W the regularized cost (Result.RegularizedCost), and, unless dx and dy are zero
// matrices, sets dx (n × p) and dy (m × p) to its gradients. S and the gradients are
// those of the definition at convergence, where S ≥ 0 and S = 0 for equal clouds:
// the solver should have a Tolerance. The status is the worst of the three solves.
// X and Y may be the same cloud. Errors are those of Solve; a cancelled context
// gives no result. See J. Feydy et al., "Interpolating between optimal transport and
// MMD using Sinkhorn divergences", AISTATS 2019.
//
// Start serves the first of the three solves. A result of this solver before is
// overwritten.
func (s *Solver[T]) Divergence(ctx context.Context, p *Problem[T], dx, dy dist.Matrix[T]) (float64, Status, error) {
	gradient := !dx.IsEmpty() || !dy.IsEmpty()
	if !p.Cost.IsEmpty() {
		return 0, 0, fmt.Errorf("%w: a divergence is one of points", ErrShape)
	}
	r, err := s.Solve(ctx, p)
	if err != nil {
		return 0, 0, err
	}
	value, status := r.RegularizedCost(), r.Status
	if gradient {
		if err := r.RegularizedPointGradientTo(dx, dy); err != nil {
			return 0, 0, err
		}
	}
	for i := range 2 {
		x, w, d := p.X, p.A, dx
		if i == 1 {
			x, w, d = p.Y, p.B, dy
		}
		r, err := s.Solve(ctx, &Problem[T]{X: x, Y: x, A: w, B: w, Lambda: p.Lambda})
		if err != nil {
			return 0, 0, err
		}
		value -= r.RegularizedCost() / 2
		status = worse(status, r.Status)
		if !gradient {
			continue
		}
		grow(&s.div.g, x.Rows*x.Cols)
		grow(&s.div.h, x.Rows*x.Cols)
		g := dist.Matrix[T]{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols, Data: s.div.g}
		h := dist.Matrix[T]{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols, Data: s.div.h}
		if err := r.RegularizedPointGradientTo(g, h); err != nil {
			return 0, 0, err
		}
		for k := range x.Rows {
			g, h, d := g.Row(k), h.Row(k), d.Row(k)
			for l := range d {
				d[l] -= T((g[l] + h[l]) / 2)
			}
		}
	}
	return value, status, nil
}

// worse returns the status that says more.
func worse(a, b Status) Status {
	rank := [...]int{Completed: 0, Converged: 0, IterationLimit: 1, LowPrecision: 2, Cancelled: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
