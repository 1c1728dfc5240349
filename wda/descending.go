package wda

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/descent"
	"gonum.org/v1/gonum/mat"
)

// descending is the solver of package descent, which minimizes: its problem is 1/J, or
// −J for Algorithm 1 of the paper, whose steps are those of the gradient as it is.
type descending[T dist.Float] struct {
	*fitter[T]
	problem problem
	method  descent.Method
}

// problem is a function of J to be minimized.
type problem interface {
	evaluate(ctx context.Context, p, grad *mat.Dense) (float64, error)
	// j returns J and the norm of its gradient where the function is value and the norm
	// of its gradient norm.
	j(value, norm float64) (ratio, gradientNorm float64)
}

// at is a problem for the length of one call of package descent.
type at struct {
	problem
	ctx context.Context
}

// Evaluate implements descent.Problem.
func (a at) Evaluate(p, grad *mat.Dense) (float64, error) { return a.evaluate(a.ctx, p, grad) }

func (f descending[T]) maximize(ctx context.Context, index int, p *mat.Dense) (*attempt, error) {
	set := f.set
	ds := descent.Settings{Method: f.method, MaxSteps: set.Optimizer.MaxSteps, GradientTolerance: set.Optimizer.Tolerance, GradientToValue: gradientNoise64, Noise: set.noise()}
	if set.Objective.Float32 {
		ds.GradientToValue = gradientNoise32
	}
	if f.method == descent.LBFGS && set.Optimizer.Tolerance >= defaultTolerance(set.Objective.Float32) {
		ds.FunctionTolerance = enough
	}
	step := func(d descent.Step) Step {
		value, norm := f.problem.j(d.Value, d.GradientNorm)
		return Step{Start: index, Index: d.Index, Objective: value, GradientNorm: norm, StepSize: d.StepSize}
	}
	var watch watcher
	if f.watch != nil {
		watch = f.watch(ctx)
	}
	ds.Progress = func(d descent.Step, p *mat.Dense) error {
		if err := set.report(step(d)); err != nil {
			return err
		}
		if watch != nil {
			return watch.see(step(d), p)
		}
		return nil
	}
	res, cause := descent.Minimize(ctx, at{f.problem, ctx}, f.manifold, p, &ds)
	if res == nil {
		return nil, cause
	}
	f.evaluations.Values += res.Evaluations.Values
	f.evaluations.Gradients += res.Evaluations.Gradients
	a := &attempt{index: index, point: res.Point, status: statusOf(res.Status), steps: res.Steps}
	a.value, a.norm = f.problem.j(res.Value, res.GradientNorm)
	for _, h := range res.History {
		a.history = append(a.history, step(h))
	}
	if watch != nil {
		if cause == nil {
			cause = watch.last(a)
		}
		watch.keepBest(a)
	}
	return a, cause
}

// inverse is the problem of minimizing 1/J = (σ_w² + ridge)/σ_b².
type inverse[T dist.Float] struct{ *objective[T] }

func (f inverse[T]) evaluate(ctx context.Context, p, grad *mat.Dense) (float64, error) {
	if err := f.objective.evaluate(ctx, p, grad != nil); err != nil {
		return math.NaN(), err
	}
	w := f.w + f.ridge
	if grad != nil {
		if err := f.pullBack(ctx, grad, -w/(f.b*f.b), 1/f.b); err != nil {
			return math.NaN(), err
		}
	}
	return w / f.b, nil
}

func (inverse[T]) j(value, norm float64) (float64, float64) { return 1 / value, norm / (value * value) }

// negative is the problem of minimizing −J, whose gradient Algorithm 1 uses as it is.
type negative[T dist.Float] struct{ *objective[T] }

func (f negative[T]) evaluate(ctx context.Context, p, grad *mat.Dense) (float64, error) {
	if err := f.objective.evaluate(ctx, p, grad != nil); err != nil {
		return math.NaN(), err
	}
	w := f.w + f.ridge
	if grad != nil {
		if err := f.pullBack(ctx, grad, -1/w, f.b/(w*w)); err != nil {
			return math.NaN(), err
		}
	}
	return -f.b / w, nil
}

func (negative[T]) j(value, norm float64) (float64, float64) { return -value, norm }

// enough is the relative gain of J in each of three steps below which Auto ends: J is then
// within some 10⁻⁶ of the maximum, which takes twice the steps (SOLVERS.md).
const enough = 1e-6

// gradientNoise is the norm of the gradient, relative to the value, that is rounding
// only: nothing is left to be gained. (Where p = d every projection has the same J.)
const (
	gradientNoise64 = 1e-14
	gradientNoise32 = 1e-7
)
