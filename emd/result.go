package emd

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/price"
	"github.com/gomonge/monge/internal/enum"
	"github.com/gomonge/monge/internal/simplex"
)

// Result is the result of a solve. It belongs to its Solver and is valid until the next call of the Solver, which
// overwrites it.
type Result[T dist.Float] struct {
	// Cost is the transport cost ⟨T, M⟩ = Σ_ij T_ij M_ij.
	Cost float64
	// Plan contains the positive elements of the plan T, at most n + m − 1, in ascending order of rows and then of columns.
	// Row sums are equal to A, and column sums to B, up to rounding.
	Plan []Entry
	// U (length n) and V (length m) are the dual variables. They satisfy u_i + v_j + Price ≤ M_ij up to Certificate.Violation,
	// with equality where T_ij > 0. If Mass is set, U and V are not positive. If Status is StatusCanceled, U and V are NaN.
	U, V []float64
	// Price is the derivative of the cost with respect to Mass. Price is 0 if Mass is not set, and NaN if Status is
	// StatusCanceled.
	Price float64
	// Certificate bounds the difference between Cost and the optimum.
	Certificate Certificate
	// Status describes how the solve ended.
	Status Status
	// Pivots is the number of pivots of the simplex method.
	Pivots int

	n, m int
}

// Entry is an element of a plan.
type Entry struct {
	Row, Column int
	Mass        float64
}

// Certificate proves that a plan is optimal. You can recompute all fields from the plan, the dual variables and the problem. If
// the status is StatusCanceled, Violation, Dual and Gap are NaN.
type Certificate struct {
	// Violation is the largest violation of u_i + v_j + Price ≤ M_ij. If Mass is set, Violation also includes violations of the
	// bounds u_i ≤ 0 and v_j ≤ 0. Solve computes Violation in one pass over all costs.
	Violation float64
	// MarginalError is the largest absolute difference between a row or column sum of the plan and its weight, after B is
	// scaled to the sum of A. If Mass is set, MarginalError is the largest excess over a weight, or the error of the moved mass
	// if this error is larger.
	MarginalError float64
	// Primal is ⟨T, M⟩, and Dual is Σ_i a_i u_i + Σ_j b_j v_j + Mass·Price.
	Primal, Dual float64
	// Gap is an upper bound of Cost minus the optimum: (Σ_ij T_ij)·Violation + |Primal − Dual|. If Mass is set, the sum
	// Σ_ij T_ij is replaced by Σa + Σb − Mass, which includes the unmoved mass.
	Gap float64
}

// Status describes how a solve ended.
type Status uint8

const (
	// StatusOptimal means that the plan is optimal up to Certificate.Gap.
	StatusOptimal Status = iota
	// StatusCanceled means that the context ended first. The plan is feasible.
	StatusCanceled
)

var statusNames = enum.New("Status", ErrSettings, "optimal", "canceled")

func (s Status) String() string { return statusNames.Name(uint8(s)) }

// MarshalText returns the name of the status. It returns ErrSettings for an unknown status.
func (s Status) MarshalText() ([]byte, error) { return statusNames.Text(uint8(s)) }

// UnmarshalText sets s to the status with the given name. It returns ErrSettings for an unknown name.
func (s *Status) UnmarshalText(text []byte) error { return enum.Parse(s, text, statusNames) }

// PlanTo sets dst (k × m) to rows first … first+k−1 of the plan. For the whole plan, use an n × m matrix and first = 0.
// PlanTo returns the context's cause if the context ends first. It panics if dst does not have m columns, if it has no rows,
// or if the plan does not contain the rows.
func (r *Result[T]) PlanTo(ctx context.Context, dst dist.Matrix[T], first int) error {
	if dst.Cols != r.m || first < 0 || dst.Rows < 1 || dst.Rows > r.n-first || checkMatrix("", dst) != nil {
		panic("emd: PlanTo: dst must have m columns and at least one row, and the plan must contain its rows")
	}
	step := 1 + copiesPerCheck/dst.Cols
	for i := range dst.Rows {
		if i%step == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		clear(dst.Row(i))
	}
	for k, e := range r.Plan {
		if k%samplesPerCheck == samplesPerCheck-1 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if i := e.Row - first; i >= 0 && i < dst.Rows {
			dst.Set(i, e.Column, T(e.Mass))
		}
	}
	return nil
}

// setPlan sets the plan of the result in row order by a counting sort.
func (w *workspace[T]) setPlan(n, m int) {
	r := &w.result
	grow(&w.entryCounts, n+1)
	clear(w.entryCounts)
	var sum preciseSum
	w.simplex.Arcs(n, m, func(_, i, _ int, mass, cost float64) {
		w.entryCounts[i+1]++
		sum.addProduct(mass, cost)
	})
	for i := range n {
		w.entryCounts[i+1] += w.entryCounts[i]
	}
	grow(&r.Plan, int(w.entryCounts[n]))
	clear(r.Plan)
	w.simplex.Arcs(n, m, func(_, i, j int, mass, _ float64) {
		// The simplex solver lists the columns of a row in ascending order, except that the first column may be out of order.
		k := w.entryCounts[i]
		w.entryCounts[i]++
		if k > 0 && r.Plan[k-1].Row == i && r.Plan[k-1].Column > j {
			r.Plan[k] = r.Plan[k-1]
			k--
		}
		r.Plan[k] = Entry{i, j, mass}
	})
	r.Certificate.Primal = sum.value()
	r.Pivots = w.simplex.Pivots
}

// setDuals sets Price and the dual variables of points with positive weights.
func (w *workspace[T]) setDuals(a, b []T) {
	r, x := &w.result, &w.simplex
	r.Price = x.DualTo(r.U, r.V)
	for i, a := range a {
		if a == 0 {
			r.U[i] = 0
		}
	}
	for j, b := range b {
		if b == 0 {
			r.V[j] = 0
		}
	}
}

// findViolation sets the dual variables of points with zero weights and returns the largest violation of a dual constraint.
func (w *workspace[T]) findViolation(ctx context.Context, p *Problem[T], a, b []T) (float64, error) {
	r := &w.result
	most := math.Inf(1)
	if p.Mass > 0 {
		most = 0
	}
	free := false
	for j, b := range b {
		if b == 0 {
			r.V[j], free = most, true
		}
	}
	if free {
		grow(&w.columnScratch, len(b))
		grow(&w.rowScratch, len(b))
		clear(w.columnScratch)
		copy(w.rowScratch, r.V)
		for i, a := range a {
			if a > 0 {
				if ctx.Err() != nil {
					return math.NaN(), context.Cause(ctx)
				}
				price.Relax(w.rowScratch, w.costs.row(i), r.U[i]+r.Price, w.columnScratch)
			}
		}
		for j, b := range b {
			if b == 0 {
				r.V[j] = w.rowScratch[j]
			}
		}
	}
	var worst float64
	step := 1 + int(workPerCheck/(float64(len(b))*w.costs.rowWork()*16))
	for i, a := range a {
		if i%step == 0 && ctx.Err() != nil {
			return math.NaN(), context.Cause(ctx)
		}
		row := w.costs.row(i)
		if a == 0 {
			if err := simplex.CheckFinite(row, i); err != nil {
				return math.NaN(), explainError(p, err)
			}
			least, _ := price.Least(row, r.Price, r.V)
			r.U[i] = min(most, least)
		}
		least, _ := price.Least(row, r.U[i]+r.Price, r.V)
		worst = max(worst, -least)
	}
	if p.Mass > 0 {
		for _, u := range r.U {
			worst = max(worst, u)
		}
		for _, v := range r.V {
			worst = max(worst, v)
		}
	}
	return worst, nil
}

// setCertificate sets the fields of the certificate except Violation and Primal.
func (w *workspace[T]) setCertificate(p *Problem[T], a, b []T) {
	r, c := &w.result, &w.result.Certificate
	grow(&w.rowScratch, len(a))
	grow(&w.columnScratch, len(b))
	clear(w.rowScratch)
	clear(w.columnScratch)
	var moved, sumA, sumB, dual preciseSum
	for _, e := range r.Plan {
		w.rowScratch[e.Row] += e.Mass
		w.columnScratch[e.Column] += e.Mass
		moved.add(e.Mass)
	}
	for _, a := range a {
		sumA.add(float64(a))
	}
	for _, b := range b {
		sumB.add(float64(b))
	}
	scale := 1.
	if p.Mass == 0 {
		scale = sumA.value() / sumB.value()
	}
	check := func(got, want float64) {
		if over := got - want; over > 0 || p.Mass == 0 {
			c.MarginalError = max(c.MarginalError, math.Abs(over))
		}
	}
	for i, a := range a {
		check(w.rowScratch[i], float64(a))
		dual.addProduct(float64(a), r.U[i])
	}
	for j, b := range b {
		check(w.columnScratch[j], float64(float64(b)*scale))
		dual.addProduct(float64(float64(b)*scale), r.V[j])
	}
	mass := sumA.value()
	if p.Mass > 0 {
		c.MarginalError = max(c.MarginalError, math.Abs(moved.value()-p.Mass))
		dual.addProduct(p.Mass, r.Price)
		mass += sumB.value() - p.Mass
	}
	c.Dual = dual.value()
	c.Gap = float64(mass*c.Violation) + math.Abs(c.Primal-c.Dual)
}
