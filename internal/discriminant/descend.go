package discriminant

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/descent"
	"gonum.org/v1/gonum/mat"
)

// DescentSolver uses package descent. It minimizes 1/J, except for the method ProjectedGradient. For
// ProjectedGradient, it minimizes −J, because the steps of this method depend on the scale of the
// gradient.
type DescentSolver[T dist.Float] struct{ Method descent.Method }

// Maximize implements Solver.
func (s DescentSolver[T]) Maximize(ctx context.Context, a *Ascent[T]) (descent.Status, error) {
	d, o := a.driver, a.driver.Objective
	problem, ratio := descentProblem{ctx, o.inverseRatio}, ratioOfInverse
	if s.Method == descent.ProjectedGradient {
		problem, ratio = descentProblem{ctx, o.Negative}, ratioOfNegative
	}
	settings := descent.Settings{
		Method: s.Method, MaxSteps: d.Limits.MaxSteps, GradientTolerance: d.Limits.Tolerance, FunctionTolerance: d.Limits.FunctionTolerance,
		GradientToValue: gradientNoise[T](), Noise: d.Limits.RoundingError,
	}
	step := func(of descent.Step) Step {
		value, norm := ratio(of.Value, of.GradientNorm)
		return Step{Start: a.attempt.Index, Index: of.Index, Objective: value, GradientNorm: norm, StepSize: of.StepSize}
	}
	settings.Progress = func(of descent.Step, p *mat.Dense) error { return a.reportStep(step(of), p) }
	res, err := descent.Minimize(ctx, problem, o.Manifold(), a.attempt.Projection, &settings)
	if res == nil {
		return descent.NotTerminated, err
	}
	d.Values += res.Evaluations.Values
	d.Gradients += res.Evaluations.Gradients
	a.attempt.Projection, a.attempt.Steps = res.Point, res.Steps
	a.attempt.Objective, a.attempt.GradientNorm = ratio(res.Value, res.GradientNorm)
	for _, h := range res.History {
		a.attempt.History = append(a.attempt.History, step(h))
	}
	return res.Status, err
}

// descentProblem adapts a function to descent.Problem for one call of descent.Minimize.
type descentProblem struct {
	ctx      context.Context
	evaluate func(ctx context.Context, p, grad *mat.Dense) (float64, error)
}

// Evaluate implements descent.Problem.
func (m descentProblem) Evaluate(p, grad *mat.Dense) (float64, error) {
	return m.evaluate(m.ctx, p, grad)
}

// inverseRatio returns 1/J = (σ_w² + ridge)/σ_b² at p. If grad is not nil, it also computes the
// gradient.
func (o *Objective[T]) inverseRatio(ctx context.Context, p, grad *mat.Dense) (float64, error) {
	if err := o.Evaluate(ctx, p, grad != nil); err != nil {
		return math.NaN(), err
	}
	w := o.withinCost + o.Ridge
	if grad != nil {
		if err := o.pullBack(ctx, grad, -w/(o.betweenCost*o.betweenCost), 1/o.betweenCost); err != nil {
			return math.NaN(), err
		}
	}
	return w / o.betweenCost, nil
}

// ratioOfInverse converts the value 1/J and the norm of its gradient to J and the norm of the
// gradient of J.
func ratioOfInverse(value, norm float64) (ratio, gradientNorm float64) {
	return 1 / value, norm / (value * value)
}

// Negative returns −J at p. If grad is not nil, it also computes the gradient.
func (o *Objective[T]) Negative(ctx context.Context, p, grad *mat.Dense) (float64, error) {
	if err := o.Evaluate(ctx, p, grad != nil); err != nil {
		return math.NaN(), err
	}
	w := o.withinCost + o.Ridge
	if grad != nil {
		if err := o.pullBack(ctx, grad, -1/w, o.betweenCost/(w*w)); err != nil {
			return math.NaN(), err
		}
	}
	return -o.betweenCost / w, nil
}

// ratioOfNegative converts a value of −J to J. The norm of the gradient stays the same.
func ratioOfNegative(value, norm float64) (ratio, gradientNorm float64) { return -value, norm }
