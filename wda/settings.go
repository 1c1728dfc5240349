package wda

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Solver is the method that maximizes J.
type Solver uint8

const (
	// Auto looks for a good start first: of P⁰, the principal components, and what
	// a few steps of the eigenvalue iteration of the ratio trace problem make of
	// these, at three ridges, it takes the best and goes on as ConjugateGradient.
	Auto Solver = iota
	// ConjugateGradient is Riemannian conjugate gradient with the exact gradient.
	ConjugateGradient
	// SteepestDescent is Riemannian steepest descent.
	SteepestDescent
	// ProjectedGradient is Algorithm 1 of the paper.
	ProjectedGradient
	// Eigen improves plans and projection in turn, without a derivative: for fixed
	// plans J's ratio trace is maximized by generalized eigenvectors (H. Liu, Y. Cai,
	// Y.-L. Chen and P. Li, NeurIPS 2020). The best iterate is the result. It is not
	// stationary for J, which further steps lower: SOLVERS.md says by how much.
	Eigen
	// EigenTraceRatio is Eigen with the trace ratio in the place of the ratio trace,
	// that is J itself for fixed plans (D. M. Roh, Z. Bai and R.-C. Li,
	// arXiv:2211.11891).
	EigenTraceRatio
	// MiniBatch is Riemannian stochastic gradient ascent with momentum, from the
	// start of Auto, for data that are too many for the exact methods: each step sees
	// BatchSize samples of some classes, and nothing ever takes time or memory in the
	// square of the number of samples. The transport of mini-batches is biased: see
	// SOLVERS.md for by how much.
	MiniBatch

	numSolvers
)

var solverNames = [numSolvers]string{"auto", "cg", "sd", "pg", "eigen", "eigen-trace", "minibatch"}

// String returns the short name that ParseSolver reads: auto, cg, sd, pg, eigen,
// eigen-trace or minibatch.
func (s Solver) String() string {
	if s < numSolvers {
		return solverNames[s]
	}
	return fmt.Sprintf("Solver(%d)", uint8(s))
}

// ParseSolver returns the solver of that name.
func ParseSolver(name string) (Solver, error) {
	for s, n := range solverNames {
		if n == name {
			return Solver(s), nil
		}
	}
	return 0, fmt.Errorf("%w: unknown solver %q (want one of %v)", ErrSettings, name, solverNames)
}

// Weights are the weights w_cc' of class pairs.
type Weights uint8

const (
	// Uniform gives every pair of classes the weight 1, as the paper does.
	Uniform Weights = iota
	// Proportional gives the pair c ≠ c' the weight π_c π_c' and class c itself π_c,
	// with π the class frequencies.
	Proportional

	numWeights
)

var weightNames = [numWeights]string{"uniform", "proportional"}

func (w Weights) String() string {
	if w < numWeights {
		return weightNames[w]
	}
	return fmt.Sprintf("Weights(%d)", uint8(w))
}

// ParseWeights returns the weights of that name: uniform or proportional.
func ParseWeights(name string) (Weights, error) {
	for w, n := range weightNames {
		if n == name {
			return Weights(w), nil
		}
	}
	return 0, fmt.Errorf("%w: unknown weights %q (want one of %v)", ErrSettings, name, weightNames)
}

// NoShrinkage, as Settings.Shrinkage, is the paper's objective whatever the data.
const NoShrinkage = -1

// Settings configure Fit. The zero value works.
type Settings struct {
	// Components is p, the number of columns of P. Default 2, or d if d < 2.
	Components int
	// Lambda is λ, relative to the data: λ_cc' = λ / mean_ij ‖P⁰ᵀ(x_i − x_j)‖² with
	// i in class c and j in c', fixed at the start P⁰. Default 1.
	Lambda float64
	// Absolute takes Lambda itself for every λ_cc'.
	Absolute bool
	// LambdaMatrix, if not nil, holds λ_cc' (C × C, symmetric, positive), in the
	// order of the sorted labels. Lambda is then ignored.
	LambdaMatrix mat.Matrix
	// Iterations is L, the number of Sinkhorn iterations that define W. Default 10.
	// With Gradient Implicit W is that at convergence, and Iterations the largest
	// number that may be made to get there. Default then 10000.
	Iterations int
	// Shrinkage is ρ: ridge = ρ·σ_w²(P⁰). Without it the ratio overfits where
	// samples are few against features. 0 is automatic: 0.5 if there are fewer than
	// five samples a feature, none otherwise. NoShrinkage is none.
	Shrinkage float64
	// Standardize divides every feature by its standard deviation first, and makes
	// that part of the model. For features of different kinds; not for pixels.
	// LambdaMatrix, an absolute Lambda and Init are then those of such features.
	// Default false.
	Standardize bool
	// Weights of class pairs. Default Uniform.
	Weights Weights
	// Solver. Default Auto.
	Solver Solver
	// Gradient says what is taken for the gradient of J. Default Unrolled.
	Gradient GradientMode
	// BatchSize is the number of samples of a class in a step of MiniBatch; a class
	// that has fewer is taken whole. Default 64.
	BatchSize int
	// MaxSteps bounds the steps of the solver. Default 200. For MiniBatch they are
	// rounds of 20 mini-batches; with that, Eigen and EigenTraceRatio, those that do not
	// raise J count, too.
	MaxSteps int
	// Tolerance ends the fit when the norm of the gradient has fallen to Tolerance
	// times that at the start; with Eigen and EigenTraceRatio, when a step moves the
	// subspace by less than Tolerance·√p (chordal distance). Default 1e-6 (1e-4 in
	// float32).
	Tolerance float64
	// Init is P⁰ (d × p). Columns that are not orthonormal are made so. Default the
	// p leading principal components.
	Init mat.Matrix
	// Float32 evaluates the objective in float32, about twice as fast.
	Float32 bool
	// Level names the instruction set, "" the best of the machine. The result is
	// the same bits whatever it is.
	Level string
	// Workers is the number of goroutines. Default GOMAXPROCS. The result does not
	// depend on it.
	Workers int
	// Starts is the number of starts: the first is as described above, every further
	// one begins at a random projection instead of P⁰. λ and the ridge stay those of
	// P⁰. The best result is returned: of the largest J, or of the lowest error with
	// Validation. Default 1.
	Starts int
	// Seed determines what is random: further starts, and the samples that
	// Validation holds out.
	Seed uint64
	// Validation, if not nil, stops the solver when the projection no longer gets
	// better for samples that it has not seen.
	Validation *Validation
	// Progress, if not nil, is called after every step. An error ends the fit.
	Progress func(Step) error
}

// PaperSettings returns the settings of the paper's experiments (section 5: λ = 0.01
// relative to the data, L = 10, no shrinkage, every pair of classes with the same
// weight, projected gradient from the principal components). Its objective
// overfits where samples are few; see Settings.Shrinkage.
func PaperSettings(components int) *Settings {
	return &Settings{
		Components: components, Lambda: 0.01, Iterations: 10, Shrinkage: NoShrinkage,
		Weights: Uniform, Solver: ProjectedGradient,
	}
}

// Step is one accepted step of the solver.
type Step struct {
	Start        int     // 0 is P⁰, others are random
	Index        int     // 0 is the start
	Objective    float64 // J
	GradientNorm float64 // of J, Riemannian
	StepSize     float64
}

// autoShrinkage is ρ where samples are few against features, measured on MNIST and
// the UCI data; see Settings.Shrinkage.
const (
	autoShrinkage       = 0.5
	autoSamplesPerShare = 5
)

// withDefaults returns s with its defaults for n samples of d features, checked.
func (s *Settings) withDefaults(n, d, classes int) (Settings, error) {
	var t Settings
	if s != nil {
		t = *s
	}
	if t.Components == 0 {
		t.Components = min(2, d)
	}
	if t.Components < 1 || t.Components > d {
		return t, fmt.Errorf("%w: %d components of %d features", ErrComponents, t.Components, d)
	}
	if t.Lambda == 0 {
		t.Lambda = 1
	}
	if !(t.Lambda > 0) || math.IsInf(t.Lambda, 1) {
		return t, fmt.Errorf("%w: λ = %v; it must be positive and finite", ErrSettings, t.Lambda)
	}
	if t.LambdaMatrix != nil {
		if err := checkLambdas(t.LambdaMatrix, classes); err != nil {
			return t, err
		}
	}
	if t.Gradient >= numGradientModes {
		return t, fmt.Errorf("%w: %v", ErrSettings, t.Gradient)
	}
	if t.Iterations == 0 {
		t.Iterations = 10
		if t.Gradient == Implicit {
			t.Iterations = implicitIterations
		}
	}
	if t.Iterations < 1 {
		return t, fmt.Errorf("%w: %d Sinkhorn iterations", ErrSettings, t.Iterations)
	}
	switch {
	case t.Shrinkage == 0 && n < autoSamplesPerShare*d:
		t.Shrinkage = autoShrinkage
	case t.Shrinkage == NoShrinkage:
		t.Shrinkage = 0
	case !(t.Shrinkage >= 0) || math.IsInf(t.Shrinkage, 1):
		return t, fmt.Errorf("%w: shrinkage %v", ErrSettings, t.Shrinkage)
	}
	if t.Weights >= numWeights {
		return t, fmt.Errorf("%w: %v", ErrSettings, t.Weights)
	}
	if t.Solver >= numSolvers {
		return t, fmt.Errorf("%w: %v", ErrSettings, t.Solver)
	}
	if t.BatchSize == 0 {
		t.BatchSize = 64
	}
	if t.BatchSize < 2 {
		return t, fmt.Errorf("%w: mini-batches of %d samples of a class; it takes two", ErrSettings, t.BatchSize)
	}
	if t.MaxSteps == 0 {
		t.MaxSteps = 200
	}
	if t.MaxSteps < 0 {
		return t, fmt.Errorf("%w: %d steps", ErrSettings, t.MaxSteps)
	}
	if t.Tolerance == 0 {
		t.Tolerance = 1e-6
		if t.Float32 {
			t.Tolerance = 1e-4
		}
	}
	if !(t.Tolerance > 0) {
		return t, fmt.Errorf("%w: tolerance %v", ErrSettings, t.Tolerance)
	}
	if t.Init != nil {
		if r, c := t.Init.Dims(); r != d || c != t.Components {
			return t, fmt.Errorf("%w: the start is %d × %d, the projection %d × %d", ErrShape, r, c, d, t.Components)
		}
		if err := checkFinite(t.Init); err != nil {
			return t, fmt.Errorf("start: %w", err)
		}
	}
	if t.Starts == 0 {
		t.Starts = 1
	}
	if t.Starts < 0 {
		return t, fmt.Errorf("%w: %d starts", ErrSettings, t.Starts)
	}
	if t.Workers < 0 {
		return t, fmt.Errorf("%w: %d workers", ErrSettings, t.Workers)
	}
	return t, nil
}

func checkLambdas(l mat.Matrix, classes int) error {
	if r, c := l.Dims(); r != classes || c != classes {
		return fmt.Errorf("%w: λ matrix is %d × %d for %d classes", ErrShape, r, c, classes)
	}
	for i := range classes {
		for j := range classes {
			switch v := l.At(i, j); {
			case !(v > 0) || math.IsInf(v, 1):
				return fmt.Errorf("λ matrix: %w", &PositionError{i, j, v, fmt.Errorf("%w: λ must be positive and finite", ErrSettings)})
			case v != l.At(j, i):
				return fmt.Errorf("%w: λ matrix is not symmetric at (%d, %d)", ErrSettings, i, j)
			}
		}
	}
	return nil
}

// checkFinite names the first element of m that is not finite.
func checkFinite(m mat.Matrix) error {
	r, _ := m.Dims()
	rows := rowsOf(m)
	for i := range r {
		for j, v := range rows(i) {
			if v-v != 0 {
				return &PositionError{i, j, v, ErrNotFinite}
			}
		}
	}
	return nil
}
