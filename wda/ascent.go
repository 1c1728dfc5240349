package wda

import (
	"context"
	"errors"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/descent"
	"gonum.org/v1/gonum/mat"
)

// errNotFinite: J or its gradient cannot be computed at a projection.
var errNotFinite = errors.New("wda: J or its gradient is not finite; use a smaller λ or a larger ρ, or check the scale of the features")

// measure returns J and the norm of its Riemannian gradient at p. g, of the shape of
// p, is overwritten.
func (f *fitter[T]) measure(ctx context.Context, p, g *mat.Dense) (value, norm float64, err error) {
	f.evaluations.Values++
	f.evaluations.Gradients++
	v, err := inverse[T]{f.objective}.evaluate(ctx, p, g)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	f.manifold.Tangent(ctx, g, p, g)
	value, norm = inverse[T]{}.j(v, math.Sqrt(f.manifold.Inner(p, g, g)))
	if value-value != 0 || norm-norm != 0 {
		err = errNotFinite
	}
	return value, norm, ended(ctx, err)
}

// ascent keeps the record of a solver that package descent has not: the steps that
// have raised J, of which the last is the best.
type ascent[T dist.Float] struct {
	f     *fitter[T]
	a     *attempt
	g     *mat.Dense
	noise float64 // relative rounding error of J
	watch watcher
	goal  float64 // norm of the gradient at which nothing is left to be gained
}

// newAscent begins at p, which it keeps. It fails if there is no J at p.
func (f *fitter[T]) newAscent(ctx context.Context, index int, p *mat.Dense) (*ascent[T], error) {
	s := &ascent[T]{f: f, a: &attempt{index: index, point: p}, g: mat.NewDense(f.s.d, f.p, nil), noise: f.set.noise()}
	relative := gradientNoise64
	if f.set.Objective.Float32 {
		relative = gradientNoise32
	}
	value, norm, err := f.measure(ctx, p, s.g)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &descent.StartError{Value: value, GradientNorm: norm, Infeasibility: f.manifold.Infeasibility(ctx, p), Err: err}
	}
	s.goal = relative * value
	s.a.value, s.a.norm = value, norm
	s.a.history = []Step{{Start: index, Objective: value, GradientNorm: norm}}
	if f.watch != nil {
		s.watch = f.watch(ctx)
	}
	return s, nil
}

// better reports whether value is more than rounding above the best so far.
func (s *ascent[T]) better(value float64) bool {
	return value > s.a.value+float64(s.noise*math.Abs(s.a.value))
}

// accept makes p, which it copies, the best projection so far.
func (s *ascent[T]) accept(p *mat.Dense, value, norm, size float64) {
	s.a.point, s.a.value, s.a.norm = mat.DenseCopyOf(p), value, norm
	s.a.steps++
	s.a.history = append(s.a.history, Step{Start: s.a.index, Index: s.a.steps, Objective: value, GradientNorm: norm, StepSize: size})
}

// report tells Progress and the validation of the latest step.
func (s *ascent[T]) report() error {
	step := s.a.history[s.a.steps]
	if err := s.f.set.report(step); err != nil {
		return err
	}
	if s.watch != nil {
		return s.watch.see(step, s.a.point)
	}
	return nil
}

// stationary reports whether the gradient has fallen to the tolerance.
func (s *ascent[T]) stationary() bool {
	return s.a.norm <= s.f.set.Optimizer.Tolerance*s.a.history[0].GradientNorm || s.a.norm <= s.goal
}

// end returns the attempt. A cause that is a planned stop is no error.
func (s *ascent[T]) end(status Status, cause error) (*attempt, error) {
	a := s.a
	a.status = status
	if errors.Is(cause, descent.ErrStop) {
		cause = nil
	}
	if s.watch != nil {
		if cause == nil {
			cause = s.watch.last(a)
		}
		s.watch.keepBest(a)
	}
	return a, cause
}
