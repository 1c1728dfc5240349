package discriminant

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/descent"
	"gonum.org/v1/gonum/mat"
)

// Descend is the solver of package descent, which minimizes: its problem is 1/J, or −J for
// Algorithm 1 of the paper, whose steps are those of the gradient as it is.
type Descend[T dist.Float] struct{ Method descent.Method }

// Maximize implements Solver.
func (s Descend[T]) Maximize(ctx context.Context, a *Ascent[T]) (descent.Status, error) {
	d, o := a.driver, a.driver.Objective
	problem, ratio := minimized{ctx, o.inverse}, ofInverse
	if s.Method == descent.ProjectedGradient {
		problem, ratio = minimized{ctx, o.Negative}, ofNegative
	}
	settings := descent.Settings{
		Method: s.Method, MaxSteps: d.Limits.MaxSteps, GradientTolerance: d.Limits.Tolerance, FunctionTolerance: d.Limits.FunctionTolerance,
		GradientToValue: gradientNoise[T](), Noise: d.Limits.Noise,
	}
	step := func(of descent.Step) Step {
		value, norm := ratio(of.Value, of.GradientNorm)
		return Step{Start: a.attempt.Index, Index: of.Index, Objective: value, GradientNorm: norm, StepSize: of.StepSize}
	}
	settings.Progress = func(of descent.Step, p *mat.Dense) error { return a.report(step(of), p) }
	res, err := descent.Minimize(ctx, problem, o.Manifold(), a.attempt.Point, &settings)
	if res == nil {
		return descent.NotTerminated, err
	}
	d.Values += res.Evaluations.Values
	d.Gradients += res.Evaluations.Gradients
	a.attempt.Point, a.attempt.Steps = res.Point, res.Steps
	a.attempt.Value, a.attempt.Norm = ratio(res.Value, res.GradientNorm)
	for _, h := range res.History {
		a.attempt.History = append(a.attempt.History, step(h))
	}
	return res.Status, err
}

// minimized is a problem for the length of one call of package descent.
type minimized struct {
	ctx      context.Context
	evaluate func(ctx context.Context, p, grad *mat.Dense) (float64, error)
}

// Evaluate implements descent.Problem.
func (m minimized) Evaluate(p, grad *mat.Dense) (float64, error) { return m.evaluate(m.ctx, p, grad) }

// inverse returns 1/J = (σ_w² + ridge)/σ_b² at p, and its gradient if grad is not nil.
func (o *Objective[T]) inverse(ctx context.Context, p, grad *mat.Dense) (float64, error) {
	if err := o.Evaluate(ctx, p, grad != nil); err != nil {
		return math.NaN(), err
	}
	w := o.w + o.Ridge
	if grad != nil {
		if err := o.pullBack(ctx, grad, -w/(o.b*o.b), 1/o.b); err != nil {
			return math.NaN(), err
		}
	}
	return w / o.b, nil
}

// ofInverse returns J and the norm of its gradient where 1/J is value and the norm of its gradient norm.
func ofInverse(value, norm float64) (ratio, gradientNorm float64) {
	return 1 / value, norm / (value * value)
}

// Negative returns −J at p, and its gradient if grad is not nil.
func (o *Objective[T]) Negative(ctx context.Context, p, grad *mat.Dense) (float64, error) {
	if err := o.Evaluate(ctx, p, grad != nil); err != nil {
		return math.NaN(), err
	}
	w := o.w + o.Ridge
	if grad != nil {
		if err := o.pullBack(ctx, grad, -1/w, o.b/(w*w)); err != nil {
			return math.NaN(), err
		}
	}
	return -o.b / w, nil
}

// ofNegative returns J and the norm of its gradient where −J is value and the norm of its gradient norm.
func ofNegative(value, norm float64) (ratio, gradientNorm float64) { return -value, norm }
