package descent

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Method is a way to choose the search direction. The zero value is
// [ConjugateGradient].
type Method int

const (
	// ConjugateGradient is the Riemannian nonlinear conjugate gradient method. It is the
	// recommended method, and uses
	//
	//	D ← −grad f(P) + β T(D),  β = max(0, min(β_HS, β_DY))
	//
	// T is the vector transport. β is the Hestenes–Stiefel value, limited by the Dai–Yuan value.
	// The method restarts if D is almost orthogonal to the gradient or if the line search fails.
	// The line search uses the weak Wolfe conditions.
	ConjugateGradient Method = iota

	// SteepestDescent uses D = −grad f(P), the negative Riemannian gradient. A line search first
	// tries the step of Barzilai and Borwein. The line search requires only sufficient decrease.
	SteepestDescent

	// ProjectedGradient is algorithm 1 of Flamary, Cuturi, Courty and Rakotomamonjy (Machine
	// Learning 2018), for minimization:
	//
	//	D = Π(P − G) − P,  P ← Π(P + αD)
	//
	// Π is the projection onto the manifold and G = ∂f/∂P. The line search first tries α = 1. If G
	// has a large component orthogonal to the tangent space, D may make an angle above 84° with the
	// direction of steepest descent. In this case the Riemannian gradient replaces G, so that D is
	// always a descent direction. ProjectedGradient is the only method that depends on the scale of
	// f.
	ProjectedGradient

	// LBFGS is limited-memory BFGS with ten correction pairs (Nocedal, Mathematics of Computation
	// 1980). The pairs are transported from iterate to iterate. LBFGS discards the pairs if its
	// direction is almost orthogonal to the gradient or if the line search fails. The line search
	// uses the weak Wolfe conditions, which also suit nonsmooth functions (Lewis and Overton,
	// Mathematical Programming 2013). LBFGS is meant for many steps of a cheap function, usually on
	// [Euclidean].
	LBFGS
)

// String returns the name of the method as a Go identifier.
func (m Method) String() string {
	switch m {
	case ConjugateGradient:
		return "ConjugateGradient"
	case SteepestDescent:
		return "SteepestDescent"
	case ProjectedGradient:
		return "ProjectedGradient"
	case LBFGS:
		return "LBFGS"
	}
	return fmt.Sprintf("Method(%d)", int(m))
}

// Settings selects a method and the stopping criteria. The zero value and a nil pointer select the
// defaults. A negative tolerance disables its criterion.
//
// Norms use the manifold's metric at the iterate. A point of the Stiefel manifold St(d, p) has
// Frobenius norm √p.
type Settings struct {
	// Method chooses the search direction. Default ConjugateGradient.
	Method Method

	// MaxSteps limits the number of accepted steps. Default 200; negative means no limit.
	MaxSteps int

	// GradientTolerance stops when ‖grad f(P)‖ is at most GradientTolerance times the norm of the
	// gradient at the start. Default 1e-6.
	GradientTolerance float64

	// GradientAbsolute stops when ‖grad f(P)‖ ≤ GradientAbsolute. With the default 0, only a
	// gradient of exactly zero meets this criterion.
	GradientAbsolute float64

	// GradientToValue stops when ‖grad f(P)‖ ≤ GradientToValue·|f(P)|. Unlike GradientTolerance, it
	// does not depend on the start, so it suits warm starts. It is meant for functions such as
	// ratios, for which the value 0 is meaningful. The default 0 disables this criterion.
	GradientToValue float64

	// StepTolerance stops after a step with ‖αD‖ < StepTolerance. Default 1e-13.
	StepTolerance float64

	// FunctionTolerance stops after three successive steps that each decrease f by at most
	// FunctionTolerance·|f(P)|. A single small decrease may occur far from a minimum. The default 0
	// disables this criterion.
	FunctionTolerance float64

	// Noise is the relative rounding error of a value of f. The value after a step may exceed the
	// lowest value so far by Noise·|f| if the slope satisfies the approximate Wolfe condition of
	// Hager and Zhang. Near a minimum, f changes by less than its rounding error while the gradient
	// is still accurate. The default is 1e-12. About 1e-6 suits a function summed in float32.
	Noise float64

	// InitialStep is the length ‖αD‖ of the first trial step. ProjectedGradient does not use it. A
	// poor choice costs a few evaluations. Default 0.1.
	InitialStep float64

	// MaxTrials limits the number of points tried in one line search. Default 30.
	MaxTrials int

	// Progress, if not nil, is called at the starting point (Index 0) and after every accepted
	// step. p is the current iterate. Progress must not modify or retain p. If Progress returns an
	// error, Minimize ends with status Stopped. Minimize returns this error unless it wraps
	// ErrStop.
	Progress func(step Step, p *mat.Dense) error
}

// ErrStop makes Minimize stop without an error. Settings.Progress may return ErrStop or an error
// that wraps it.
var ErrStop = errors.New("descent: stopped by Progress")

const (
	badMethod   = "descent: unknown method"
	badSettings = "descent: NaN in Settings"
)

// withDefaults returns a copy of s with defaults for zero values. It replaces the tolerances of
// disabled criteria with values that are never met.
func (s *Settings) withDefaults() Settings {
	var t Settings
	if s != nil {
		t = *s
	}
	if t.Method < ConjugateGradient || t.Method > LBFGS {
		panic(badMethod)
	}
	fill := func(field *float64, value float64) {
		if math.IsNaN(*field) {
			panic(badSettings)
		}
		if *field == 0 {
			*field = value
		}
	}
	fill(&t.GradientTolerance, 1e-6)
	fill(&t.GradientAbsolute, 0)
	fill(&t.GradientToValue, -1)
	fill(&t.StepTolerance, 1e-13)
	fill(&t.FunctionTolerance, -1)
	fill(&t.Noise, 1e-12)
	fill(&t.InitialStep, 0.1)
	t.Noise = max(t.Noise, 0)
	if t.InitialStep < 0 {
		t.InitialStep = 0.1
	}
	if t.MaxSteps == 0 {
		t.MaxSteps = 200
	}
	if t.MaxTrials <= 0 {
		t.MaxTrials = 30
	}
	return t
}
