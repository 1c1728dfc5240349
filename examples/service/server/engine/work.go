package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/emd"
	"github.com/gomonge/monge/examples/service/server/budget"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda"
)

// Matrix holds samples or points in row-major order.
type Matrix struct {
	Columns int
	Data    []float64

	model *served // model of the Table that read the samples, or nil
}

// Rows returns the number of rows.
func (m *Matrix) Rows() int { return len(m.Data) / max(1, m.Columns) }

// Projected is the answer to Project. It can be reused for another answer.
type Projected struct {
	Model string // hash
	Matrix
}

// Classified is the answer to Classify. It can be reused for another answer.
type Classified struct {
	Model   string   // hash
	Classes []string // must not be modified
	Rows    []Class
	Shares  []float64 // for each row, the share of every class among the K neighbors

	workspace wda.Workspace
}

// Class is the answer for one row.
type Class struct {
	wda.Class
	Index    int  // in Classes
	Rejected bool // whether a calibrated model or Check rejects the answer
}

// Problem is a transport problem.
type Problem struct {
	X, Y   Matrix
	A, B   []float64 // weights of the points; nil means uniform weights
	Lambda float64   // 0 if Exact
	Plan   bool      // return the plan
	Exact  bool      // solve without entropic regularization
}

// Solution is the answer to a Problem.
type Solution struct {
	Cost, MarginalError float64
	Gap                 *float64 // upper bound of Cost minus the optimum; nil if Problem.Exact is not set
	Iterations          int      // number of pivots if Problem.Exact is set
	Status              string
	Plan                Matrix
}

// modelFor returns the model to use for x.
func (e *Engine) modelFor(x *Matrix) *served {
	if x.model != nil {
		return x.model
	}
	return e.current.Load()
}

// checkSamples checks the shape of x.
func (e *Engine) checkSamples(s *served, x *Matrix) error {
	rows := x.Rows()
	switch {
	case rows == 0:
		return fmt.Errorf("%w: the request has no rows", wda.ErrShape)
	case x.Columns != s.info.Features:
		return fmt.Errorf("%w: each row of the request has %d features, the model takes %d features", wda.ErrShape, x.Columns, s.info.Features)
	case rows*x.Columns != len(x.Data):
		return fmt.Errorf("%w: %d values cannot be split into rows of %d", wda.ErrShape, len(x.Data), x.Columns)
	case rows > e.config.Limits.Rows:
		return fmt.Errorf("%w: the request has %d rows, %d are allowed", ErrTooLarge, rows, e.config.Limits.Rows)
	}
	return nil
}

// rowError adds the row number to an error in a single row.
func rowError(i int, err error) error {
	if pe, ok := errors.AsType[*wda.PositionError](err); ok {
		pe.Row = i
		return err
	}
	return fmt.Errorf("row %d: %w", i, err)
}

// eachRow calls f for every row. It stops when the context ends.
func eachRow(ctx context.Context, x *Matrix, f func(i int, row []float64) error) error {
	for i := range x.Rows() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := f(i, x.Data[i*x.Columns:][:x.Columns]); err != nil {
			return rowError(i, err)
		}
	}
	return nil
}

// Project stores the projections of the rows of x in out. Project does not allocate if out has
// already held as many rows.
func (e *Engine) Project(ctx context.Context, x *Matrix, out *Projected) error {
	s := e.modelFor(x)
	if err := e.checkSamples(s, x); err != nil {
		return err
	}
	p := s.info.Components
	if err := budget.Take(ctx, 8*int64(x.Rows()*p)); err != nil {
		return err
	}
	out.Model, out.Columns, out.Data = s.info.Hash, p, resizeSlice(out.Data, x.Rows()*p)
	return eachRow(ctx, x, func(i int, row []float64) error { return s.model.TransformVec(out.Data[i*p:][:p], row) })
}

// Classify stores the classes of the rows of x in out. Classify does not allocate if out has
// already held as many rows.
func (e *Engine) Classify(ctx context.Context, x *Matrix, out *Classified) error {
	s := e.modelFor(x)
	if s.classifier == nil {
		return ErrNoClassifier
	}
	if err := e.checkSamples(s, x); err != nil {
		return err
	}
	classes := len(s.info.Classes)
	if err := budget.Take(ctx, int64(x.Rows())*(8*int64(classes)+int64(unsafe.Sizeof(Class{})))); err != nil {
		return err
	}
	out.Model, out.Classes = s.info.Hash, s.info.Classes
	out.Rows, out.Shares = resizeSlice(out.Rows, x.Rows()), resizeSlice(out.Shares, x.Rows()*classes)
	return eachRow(ctx, x, func(i int, row []float64) error {
		class, err := s.classifier.Predict(row, &out.workspace)
		if err != nil {
			return err
		}
		out.workspace.Shares(out.Shares[i*classes:][:classes])
		at, _ := slices.BinarySearch(s.labels, class.Label)
		out.Rows[i] = Class{class, at, class.Rejected || class.Share < e.config.Check.RejectShare || class.SqDistance > s.reject}
		return nil
	})
}

// Transport stores the solution of the problem p in out. It reuses the memory of the transport plan
// in out if this memory is large enough for the new plan.
func (e *Engine) Transport(ctx context.Context, p *Problem, out *Solution) error {
	n, m := p.X.Rows(), p.Y.Rows()
	l := &e.config.Limits
	switch {
	case n == 0 || m == 0 || p.X.Columns != p.Y.Columns || n*p.X.Columns != len(p.X.Data) || m*p.Y.Columns != len(p.Y.Data):
		return fmt.Errorf("%w: x has %d and y has %d points, of %d and %d columns; both need points of the same dimension", sinkhorn.ErrShape, n, m, p.X.Columns, p.Y.Columns)
	case p.X.Columns > l.Columns:
		return fmt.Errorf("%w: the points have %d columns, %d are allowed", ErrTooLarge, p.X.Columns, l.Columns)
	case n > l.Pairs/m:
		return fmt.Errorf("%w: %d × %d points; their product may be %d", ErrTooLarge, n, m, l.Pairs)
	case p.Exact && p.Lambda != 0:
		return fmt.Errorf("%w: lambda is %v; with exact it must be absent or 0", ErrMalformed, p.Lambda)
	case !p.Exact && !(p.Lambda > 0 && p.Lambda <= math.MaxFloat64):
		return fmt.Errorf("%w: lambda is %v; without exact it must be a positive number", ErrMalformed, p.Lambda)
	}
	a, err := checkWeights("a", p.A, n)
	if err != nil {
		return err
	}
	b, err := checkWeights("b", p.B, m)
	if err != nil {
		return err
	}
	err = e.solve(ctx, p, out)
	if a != b && (errors.Is(err, sinkhorn.ErrMarginals) || errors.Is(err, emd.ErrMarginals)) {
		return fmt.Errorf("%w: a sums to %v and b to %v, but both must have the same sum", sinkhorn.ErrMarginals, a, b)
	}
	return err
}

// checkWeights checks the weights w of n points and returns their sum, or 1 if w is empty. Error
// messages contain the field name.
func checkWeights(name string, w []float64, n int) (sum float64, err error) {
	if len(w) == 0 {
		return 1, nil
	}
	if len(w) != n {
		return 0, fmt.Errorf("%w: the length of %s is %d, but there are %d points", sinkhorn.ErrShape, name, len(w), n)
	}
	for i, x := range w {
		if !(x >= 0 && x <= math.MaxFloat64) {
			return 0, fmt.Errorf("%w: %s[%d] is %v, but weights must be finite and not negative", sinkhorn.ErrMarginals, name, i, x)
		}
		sum += x
	}
	return sum, nil
}

// solve solves a problem whose shape has been checked.
func (e *Engine) solve(ctx context.Context, p *Problem, out *Solution) error {
	n, m := p.X.Rows(), p.Y.Rows()
	x, y := dist.NewMatrix(n, p.X.Columns, p.X.Data), dist.NewMatrix(m, p.Y.Columns, p.Y.Data)
	if p.Exact {
		// A new solver holds no data of an earlier request. The queue limits the number of solvers.
		solver, err := emd.NewSolver[float64](&emd.Settings{Workers: 1, MaxMemory: e.exactMemory})
		if err != nil {
			return err
		}
		r, err := solver.Solve(ctx, &emd.Problem[float64]{X: x, Y: y, A: p.A, B: p.B})
		if err != nil {
			return err
		}
		gap := r.Certificate.Gap
		*out = Solution{Cost: r.Cost, MarginalError: r.Certificate.MarginalError, Gap: &gap, Iterations: r.Pivots, Status: r.Status.String(), Plan: out.Plan}
		return out.setPlan(ctx, p, r)
	}
	return e.pool.Solve(ctx, &sinkhorn.Problem[float64]{X: x, Y: y, A: p.A, B: p.B, Lambda: p.Lambda}, func(r *sinkhorn.Result[float64]) error {
		*out = Solution{Cost: r.Cost, MarginalError: r.MarginalError, Iterations: r.Iterations, Status: r.Status.String(), Plan: out.Plan}
		return out.setPlan(ctx, p, r)
	})
}

// planner is a result of package emd or sinkhorn.
type planner interface {
	PlanTo(ctx context.Context, dst dist.Matrix[float64], first int) error
}

// setPlan sets out.Plan to the transport plan of r if p requests the plan.
func (out *Solution) setPlan(ctx context.Context, p *Problem, r planner) error {
	n, m := p.X.Rows(), p.Y.Rows()
	out.Plan.Columns, out.Plan.Data = m, out.Plan.Data[:0]
	if !p.Plan {
		return nil
	}
	if err := budget.Take(ctx, 8*int64(n)*int64(m)); err != nil {
		return err
	}
	out.Plan.Data = resizeSlice(out.Plan.Data, n*m)
	return r.PlanTo(ctx, dist.NewMatrix(n, m, out.Plan.Data), 0)
}

// resizeSlice returns a slice of n elements. It reuses the memory of s if s has enough capacity.
func resizeSlice[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}
