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
	// ConjugateGradient is the Riemannian nonlinear conjugate gradient method:
	// D ← −grad f(P) + β T(D), with T the vector transport and
	// β = max(0, min(β_HS, β_DY)), Hestenes–Stiefel kept below Dai–Yuan, which
	// restarts by itself where progress is poor. It also restarts where D is
	// almost orthogonal to the gradient and where the line search fails. The line
	// search asks for the weak Wolfe conditions. Recommended.
	ConjugateGradient Method = iota

	// SteepestDescent goes along −grad f(P), the Riemannian gradient. The first
	// step length tried is that of Barzilai and Borwein; the line search asks for
	// sufficient decrease only.
	SteepestDescent

	// ProjectedGradient is algorithm 1 of Flamary, Cuturi, Courty and
	// Rakotomamonjy (Machine Learning 2018), for minimization:
	//
	//	D = Π(P − G) − P,  P ← Π(P + αD)
	//
	// with Π the projection onto the manifold, G = ∂f/∂P and α from the line
	// search, first tried at 1. Where the part of G orthogonal to the manifold is
	// so large that D is no descent direction (an angle above 84° with the
	// steepest) G is replaced by the Riemannian gradient, for which it always is.
	// Unlike the others it depends on the scale of f.
	ProjectedGradient

	// LBFGS is limited-memory BFGS with ten pairs (Nocedal, Mathematics of Computation
	// 1980), pairs being transported along; where its direction is almost orthogonal
	// to the gradient, or its line search fails, it forgets them. The line search
	// asks for the weak Wolfe conditions, which suits functions with kinks, too (Lewis
	// and Overton, Mathematical Programming 2013). For many steps of a cheap
	// function: on [Euclidean], above all.
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

// Settings says how to minimize and when to stop. The zero value, and a nil
// pointer, mean the defaults. A tolerance that is negative is switched off.
//
// Norms are those of the manifold's metric at the iterate; a point of the
// Stiefel manifold St(d, p) has Frobenius norm √p.
type Settings struct {
	// Method chooses the search direction. Default ConjugateGradient.
	Method Method

	// MaxSteps bounds the number of accepted steps. Default 200; negative: no
	// bound.
	MaxSteps int

	// GradientTolerance stops when ‖grad f(P)‖ ≤ GradientTolerance·‖grad f(P⁰)‖.
	// Default 1e-6.
	GradientTolerance float64

	// GradientAbsolute stops when ‖grad f(P)‖ ≤ GradientAbsolute. Default 0: only
	// a gradient of exactly zero.
	GradientAbsolute float64

	// GradientToValue stops when ‖grad f(P)‖ ≤ GradientToValue·|f(P)|. Unlike
	// GradientTolerance it does not depend on how good the start was, so it suits
	// warm starts; it presumes that the value 0 has a meaning, as for a ratio.
	// Default 0, off.
	GradientToValue float64

	// StepTolerance stops after a step shorter than StepTolerance, in Frobenius
	// norm ‖αD‖. Default 1e-13.
	StepTolerance float64

	// FunctionTolerance stops when f has decreased by no more than
	// FunctionTolerance·|f(P)| in each of three successive steps; one alone
	// happens far from a minimum. Default 0, off.
	FunctionTolerance float64

	// Noise is the relative rounding error of a value of f. A step may raise the
	// lowest value so far by Noise·|f| if the slope along the line says that it
	// is a good one (the approximate Wolfe condition of Hager and Zhang): near a
	// minimum f changes by less than its rounding error while the gradient still
	// has digits. Default 1e-12; for a function summed in float32 about 1e-6.
	Noise float64

	// InitialStep is the length ‖αD‖ of the first step tried by all methods but
	// ProjectedGradient. Default 0.1. Too short or too long costs a few
	// evaluations.
	InitialStep float64

	// MaxTrials bounds the points tried in one line search. Default 30.
	MaxTrials int

	// Progress, if not nil, is called with the start (Index 0) and after every
	// accepted step, with the iterate, which it must neither modify nor keep. An
	// error ends Minimize with status Stopped; ErrStop does so without making
	// Minimize return an error.
	Progress func(step Step, p *mat.Dense) error
}

// ErrStop, or an error that wraps it, is returned by Settings.Progress to stop
// as planned.
var ErrStop = errors.New("descent: stopped by Progress")

const (
	badMethod   = "descent: unknown method"
	badSettings = "descent: NaN in Settings"
)

// withDefaults returns s with zero values replaced and what is off made
// impossible to meet.
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
