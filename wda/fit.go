package wda

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/descent"
	"github.com/gomonge/monge/wda/stiefel"
	"gonum.org/v1/gonum/mat"
)

// Status says how a fit ended.
type Status = descent.Status

// Report is how a fit went.
type Report struct {
	Objective       float64 // J, with the ridge
	Between, Within float64 // σ_b² and σ_w², in the units of the data
	Ridge           float64
	GradientNorm    float64 // of J, Riemannian, at the result
	Status          Status
	Solver          Solver
	Steps           int
	Evaluations     descent.Evaluations
	History         []Step
	Elapsed         time.Duration
	// Lambda holds λ_cc', in the units of the data.
	Lambda *mat.SymDense
	// Settings are those of the fit, with the defaults filled in.
	Settings Settings
}

// Fit finds the projection that maximises J for samples x (n × d, rows are samples)
// and their labels, and returns it as a Model. settings may be nil. x is not
// changed.
//
// If the context ends, or Progress returns an error, Fit returns the best
// projection so far together with that error; the model is nil only if there is
// none yet. Errors of data and settings wrap the sentinel errors of this package.
func Fit(ctx context.Context, x mat.Matrix, labels []int, settings *Settings) (*Model, error) {
	s, err := newSamples(x, labels)
	if err != nil {
		return nil, err
	}
	set, err := settings.withDefaults(s.n, s.d, len(s.classes))
	if err != nil {
		return nil, err
	}
	if set.Float32 {
		return fit[float32](ctx, s, set)
	}
	return fit[float64](ctx, s, set)
}

func fit[T dist.Float](ctx context.Context, s *samples, set Settings) (*Model, error) {
	began := time.Now()
	o, err := newObjective[T](s, &set)
	if err != nil {
		return nil, err
	}
	manifold := stiefel.New(s.d, set.Components)
	start, err := startOf(s, &set, manifold)
	if err != nil {
		return nil, err
	}
	if err := o.prepare(ctx, &set, start); err != nil {
		return nil, err
	}
	if set.Solver == Auto {
		if start, err = o.autoStart(ctx, &set, start); err != nil {
			return nil, err
		}
	}
	var f descent.Problem = inverse[T]{o, ctx}
	ds := descent.Settings{MaxSteps: set.MaxSteps, GradientTolerance: set.Tolerance}
	objectiveOf, normOf := inverseToJ, inverseNormToJ
	switch set.Solver {
	case SteepestDescent:
		ds.Method = descent.SteepestDescent
	case ProjectedGradient:
		ds.Method = descent.ProjectedGradient
		f = negative[T]{o, ctx}
		objectiveOf, normOf = negativeToJ, negativeNormToJ
	}
	if set.Float32 {
		ds.Noise = 1e-6
	}
	step := func(d descent.Step) Step {
		return Step{Index: d.Index, Objective: objectiveOf(d.Value), GradientNorm: normOf(d.Value, d.GradientNorm), StepSize: d.StepSize}
	}
	if set.Progress != nil {
		ds.Progress = func(d descent.Step, _ *mat.Dense) error { return set.Progress(step(d)) }
	}
	res, cause := descent.Minimize(ctx, f, manifold, start, &ds)
	if res == nil {
		return nil, fitError(cause)
	}
	// The numbers reported are those of the result, not of the last trial.
	if err := o.evaluate(context.WithoutCancel(ctx), res.Point, false); err != nil {
		return nil, err
	}
	units := 1 / (s.scale * s.scale)
	rep := Report{
		Objective: o.ratio(), Between: o.b * units, Within: o.w * units, Ridge: o.ridge * units,
		GradientNorm: normOf(res.Value, res.GradientNorm),
		Status:       res.Status, Solver: set.Solver, Steps: res.Steps, Evaluations: res.Evaluations,
		Elapsed: time.Since(began), Lambda: o.lambdas(), Settings: set,
	}
	for _, h := range res.History {
		rep.History = append(rep.History, step(h))
	}
	return newModel(s, res.Point, rep), fitError(cause)
}

// fitError passes on what ended a fit; an error of the start means that the data
// have no ratio there.
func fitError(err error) error {
	var se *descent.StartError
	if errors.As(err, &se) {
		return fmt.Errorf("%w: the objective is not finite at the start: %w", ErrNoSpread, err)
	}
	return err
}

// prepare fixes λ and the ridge at the start p.
func (o *objective[T]) prepare(ctx context.Context, set *Settings, p *mat.Dense) error {
	if err := o.setLambdas(set, p); err != nil {
		return err
	}
	o.ridge = 0
	if err := o.evaluate(ctx, p, false); err != nil {
		return err
	}
	o.ridge = set.Shrinkage * o.w
	if !(o.b > 0) {
		return fmt.Errorf("%w between classes", ErrNoSpread)
	}
	if !(o.w+o.ridge > 0) {
		return fmt.Errorf("%w within classes", ErrNoSpread)
	}
	return nil
}

// lambdas returns λ_cc' in the units of the data.
func (o *objective[T]) lambdas() *mat.SymDense {
	l := mat.NewSymDense(len(o.s.classes), nil)
	for _, q := range o.pairs {
		l.SetSym(q.c, q.e, q.lambda*(o.s.scale*o.s.scale))
	}
	return l
}

// startOf returns P⁰, orthonormal.
func startOf(s *samples, set *Settings, m *stiefel.Manifold) (*mat.Dense, error) {
	if set.Init == nil {
		return baseline.PrincipalComponents(s.x, set.Components)
	}
	p := mat.DenseCopyOf(set.Init)
	if m.Infeasibility(p) > 1e-12*float64(set.Components) {
		if err := m.Project(p, p); err != nil {
			return nil, fmt.Errorf("%w: the start cannot be made orthonormal: %w", ErrSettings, err)
		}
	}
	return p, nil
}

func workerCount(n int) int {
	if n == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// J and the norm of its gradient, from the value f that the solver minimises and
// the norm of f's gradient: f = 1/J, or f = −J.
func inverseToJ(f float64) float64         { return 1 / f }
func inverseNormToJ(f, g float64) float64  { return g / (f * f) }
func negativeToJ(f float64) float64        { return -f }
func negativeNormToJ(_, g float64) float64 { return g }
