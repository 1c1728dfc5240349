package wda

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/enum"
	"gonum.org/v1/gonum/mat"
)

// Settings configure Fit: what is done with the data, what is maximized, and how.
// The zero value works. A field that is zero is left to Fit, which says in
// Report.Settings what it has taken; any other value is pinned.
type Settings struct {
	// Components is p, the number of columns of P. Default 2, or d if d < 2.
	Components int
	// Data says what becomes of the features first.
	Data Data
	// Objective is J.
	Objective Objective
	// Solver says how J is maximized.
	Solver Solver
	// Scale is the length of the components. Default chosen on rows held out.
	Scale Scale
	// Validation, if not nil, stops the solver when the projection no longer gets
	// better for samples that it has not seen.
	Validation *Validation
	// Seed determines what is random: further starts, mini-batches, and the samples
	// that Validation holds out.
	Seed uint64
	// Workers is the number of goroutines, at most; no more are started than there is
	// work for. Default GOMAXPROCS. The result does not depend on it.
	Workers int
	// Progress, if not nil, is called after every step. An error ends the fit, as the
	// end of the context does.
	Progress func(Progress) error

	level asm.Level // of the context
}

// Data says what is done with the features before the fit. It becomes part of the
// model.
type Data struct {
	// Standardize divides every feature by its standard deviation. For features of
	// different kinds; not for pixels. An absolute λ and Solver.Init are then those of
	// such features. Default false.
	Standardize bool
	// Whitening is the metric in which projections are orthonormal. Default chosen on
	// rows held out. An absolute λ is that of whitened features.
	Whitening Whitening
}

// Objective defines J, and how precisely it is evaluated.
type Objective struct {
	// Lambda is λ. Default chosen on rows held out; where nothing is chosen, as in Score,
	// RelativeLambda(1).
	Lambda Lambda
	// Iterations is L, the number of Sinkhorn iterations that define W. Default 10.
	// With Gradient Implicit W is that at convergence, and Iterations the largest
	// number that may be made to get there; default then 10000. With Gradient Unrolled
	// all iterates are kept, 3L(n + m) numbers for a pair of classes of n and m samples:
	// where that takes more than 16 GiB, ErrSettings says how much it would be.
	Iterations int
	// Shrinkage is ρ: ridge = ρ·σ_w²(P⁰). Without it the ratio overfits where samples
	// are few against features. Default chosen on rows held out; where nothing is chosen,
	// as in Score, 1.
	Shrinkage Shrinkage
	// Weights of class pairs. Default Uniform.
	Weights PairWeights
	// Gradient says what is taken for the gradient of J. Default Unrolled.
	Gradient GradientMode
	// Float32 evaluates J in float32, about twice as fast. Default false.
	Float32 bool
}

// Solver says how J is maximized.
type Solver struct {
	// Method. Default Auto.
	Method Method
	// MaxSteps bounds the steps. Default 200. For MiniBatch they are rounds of 20
	// mini-batches; with that, Eigen and EigenTraceRatio, those that do not raise J
	// count, too.
	MaxSteps int
	// Tolerance ends the fit when the norm of the gradient has fallen to Tolerance
	// times that at the start; with Eigen and EigenTraceRatio, when a step moves the
	// subspace by less than Tolerance·√p (chordal distance). Default 1e-6 (1e-4 in
	// float32).
	Tolerance float64
	// BatchSize is the number of samples of a class in a step of MiniBatch; a class
	// that has fewer is taken whole. Default 64.
	BatchSize int
	// Init is P⁰ (d × p), of full rank. Columns that are not orthonormal are made so.
	// Default the p leading principal components.
	Init mat.Matrix
	// Starts is the number of starts: the first is P⁰, every further one a random
	// projection. λ and the ridge stay those of P⁰. The best result is returned: of the
	// largest J, or of the lowest error with Validation. Default 1.
	Starts int
}

// Progress is where a work stands that takes a while.
type Progress struct {
	// Done counts what is done, of Total at most: steps of Fit, fits of CrossValidate.
	Done, Total int
	// Step is the latest step of Fit.
	Step Step
}

// Step is one accepted step of the solver.
type Step struct {
	Start        int     // 0 is P⁰, others are random
	Index        int     // 0 is the start
	Objective    float64 // J
	GradientNorm float64 // of J, Riemannian
	StepSize     float64
}

// PaperSettings returns the settings of the paper's experiments (section 5: λ = 0.01
// relative to the data, L = 10, no shrinkage, every pair of classes with the same
// weight, projected gradient from the principal components, no whitening, PᵀP = I). Its objective
// overfits where samples are few; see Objective.Shrinkage.
func PaperSettings(components int) *Settings {
	return &Settings{
		Components: components,
		Data:       Data{Whitening: NoWhitening()},
		Objective:  Objective{Lambda: RelativeLambda(0.01), Iterations: 10, Shrinkage: FixedShrinkage(0), Weights: Uniform},
		Scale:      Orthonormal,
		Solver:     Solver{Method: ProjectedGradient},
	}
}

// Lambda is the choice of λ_cc' for every pair of classes: RelativeLambda,
// AbsoluteLambda or LambdaMatrix. The zero value leaves it to Fit.
type Lambda struct {
	kind   lambdaKind
	value  float64
	matrix mat.Matrix
}

type lambdaKind uint8

const (
	chosenLambda lambdaKind = iota
	relativeLambda
	absoluteLambda
	matrixLambda
)

// RelativeLambda is λ relative to the data:
//
//	λ_cc' = λ / mean_ij ‖P⁰ᵀ(x_i − x_j)‖²   with i in class c and j in c',
//
// fixed at the start P⁰.
func RelativeLambda(lambda float64) Lambda { return Lambda{kind: relativeLambda, value: lambda} }

// AbsoluteLambda is λ_cc' = λ for every pair of classes, in the inverse square of the
// units of the data.
func AbsoluteLambda(lambda float64) Lambda { return Lambda{kind: absoluteLambda, value: lambda} }

// LambdaMatrix is λ_cc' element by element: C × C, symmetric, positive, in the order of
// the sorted labels.
func LambdaMatrix(m mat.Matrix) Lambda { return Lambda{kind: matrixLambda, matrix: m} }

// Value returns the number that λ was made with, and whether it is relative to the
// data; 0 for the zero value and a matrix.
func (l Lambda) Value() (lambda float64, relative bool) { return l.value, l.kind == relativeLambda }

// lambdaTexts stand before, or for, the number in a text. A relative λ is the number.
const (
	chosenText   = "auto"
	matrixText   = "matrix"
	absoluteText = "absolute:"
)

// String returns the text that UnmarshalText reads.
func (l Lambda) String() string {
	switch number := strconv.FormatFloat(l.value, 'g', -1, 64); l.kind {
	case relativeLambda:
		return number
	case absoluteLambda:
		return absoluteText + number
	case matrixLambda:
		return matrixText
	}
	return chosenText
}

// MarshalText implements encoding.TextMarshaler. The elements of a matrix are not in
// the text.
func (l Lambda) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler: "auto" is the zero value, a number
// a relative λ, "absolute:" before it an absolute one.
func (l *Lambda) UnmarshalText(text []byte) error {
	if string(text) == chosenText {
		*l = Lambda{}
		return nil
	}
	number, absolute := strings.CutPrefix(string(text), absoluteText)
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return fmt.Errorf("%w: λ %q is neither %s, a number, nor %s and a number", ErrSettings, text, chosenText, absoluteText)
	}
	*l = RelativeLambda(v)
	if absolute {
		*l = AbsoluteLambda(v)
	}
	return nil
}

// check looks at λ for so many classes.
func (l Lambda) check(classes int) error {
	switch {
	case l.kind == matrixLambda:
		return checkLambdas(l.matrix, classes)
	case l.kind != chosenLambda && (!(l.value > 0) || math.IsInf(l.value, 1)):
		return fmt.Errorf("%w: λ = %v; it must be positive and finite", ErrSettings, l.value)
	}
	return nil
}

// Shrinkage is the choice of ρ. The zero value leaves it to Fit.
type Shrinkage struct {
	fixed bool
	rho   float64
}

// FixedShrinkage is ρ as it is, 0 included: the objective of the paper. It is at most
// 1e12, beyond which nothing would be left of σ_w² in J.
func FixedShrinkage(rho float64) Shrinkage { return Shrinkage{true, rho} }

// Value returns ρ, and whether it is fixed.
func (s Shrinkage) Value() (rho float64, fixed bool) { return s.rho, s.fixed }

// String returns the text that UnmarshalText reads: a number, or auto for the zero value.
func (s Shrinkage) String() string {
	if !s.fixed {
		return chosenText
	}
	return strconv.FormatFloat(s.rho, 'g', -1, 64)
}

// MarshalText implements encoding.TextMarshaler.
func (s Shrinkage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Shrinkage) UnmarshalText(text []byte) error {
	if string(text) == chosenText {
		*s = Shrinkage{}
		return nil
	}
	v := FixedShrinkage(0)
	var err error
	if v.rho, err = strconv.ParseFloat(string(text), 64); err != nil {
		return fmt.Errorf("%w: shrinkage %q is neither %s nor a number", ErrSettings, text, chosenText)
	}
	if err := v.check(); err != nil {
		return err
	}
	*s = v
	return nil
}

// maxShrinkage is the largest ρ.
const maxShrinkage = 1e12

func (s Shrinkage) check() error {
	if !(s.rho >= 0 && s.rho <= maxShrinkage) {
		return fmt.Errorf("%w: shrinkage %v; it must be between 0 and %g", ErrSettings, s.rho, float64(maxShrinkage))
	}
	return nil
}

// Method is a way to maximize J.
type Method uint8

const (
	// Auto looks for a good start first: of P⁰, the principal components, and what
	// a few steps of the eigenvalue iteration of the ratio trace problem make of
	// these, at three ridges, it takes the best and goes on as ConjugateGradient.
	Auto Method = iota
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
	// Principal is the end ρ → ∞ of the family, P⁰ itself: the principal components of
	// the (whitened) features, without a step.
	Principal
	// Fisher is the end λ → 0: the leading directions in which the means of the classes
	// differ, with whitened features those of regularized discriminant analysis. Beyond the
	// first C − 1 components follow principal ones, with next to no weight.
	Fisher

	numMethods
)

var methodNames = enum.New("Method", ErrSettings, "auto", "cg", "sd", "pg", "eigen", "eigen-trace", "minibatch", "principal", "fisher")

// String returns the name that UnmarshalText reads: auto, cg, sd, pg, eigen,
// eigen-trace, minibatch, principal or fisher.
func (m Method) String() string { return methodNames.Name(uint8(m)) }

// MarshalText implements encoding.TextMarshaler.
func (m Method) MarshalText() ([]byte, error) { return methodNames.Text(uint8(m)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Method) UnmarshalText(text []byte) error { return enum.Parse(m, text, methodNames) }

// PairWeights are the weights w_cc' of class pairs.
type PairWeights uint8

const (
	// Uniform gives every pair of classes the weight 1, as the paper does.
	Uniform PairWeights = iota
	// Proportional gives the pair c ≠ c' the weight π_c π_c' and class c itself π_c,
	// with π the class frequencies.
	Proportional

	numPairWeights
)

var pairWeightNames = enum.New("PairWeights", ErrSettings, "uniform", "proportional")

// String returns the name that UnmarshalText reads: uniform or proportional.
func (w PairWeights) String() string { return pairWeightNames.Name(uint8(w)) }

// MarshalText implements encoding.TextMarshaler.
func (w PairWeights) MarshalText() ([]byte, error) { return pairWeightNames.Text(uint8(w)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (w *PairWeights) UnmarshalText(text []byte) error { return enum.Parse(w, text, pairWeightNames) }

// pinned returns o with λ = 1, relative, and ρ = 1 for what is left open: where nothing
// is chosen from the data.
func (o Objective) pinned() Objective {
	if o.Lambda.kind == chosenLambda {
		o.Lambda = RelativeLambda(1)
	}
	if !o.Shrinkage.fixed {
		o.Shrinkage = FixedShrinkage(1)
	}
	return o
}

// pinned returns s with the features as they are and orthonormal components, as the paper
// has them, and λ and ρ of Objective.pinned, for what is left open.
func (s Settings) pinned() Settings {
	s.Objective = s.Objective.pinned()
	if s.Data.Whitening.kind == chosenWhitening {
		s.Data.Whitening = NoWhitening()
	}
	if s.Scale == ChosenScale {
		s.Scale = Orthonormal
	}
	return s
}

// withDefaults returns s with its defaults for n samples of d features, checked.
func (s *Settings) withDefaults(n, d, classes int) (Settings, error) {
	var t Settings
	if s != nil {
		t = *s
	}
	var err error
	if t.Components, err = defaultComponents(t.Components, d); err != nil {
		return t, err
	}
	if t.Objective, err = t.Objective.withDefaults(n, d, classes); err != nil {
		return t, err
	}
	if err := t.Data.Whitening.check(); err != nil {
		return t, err
	}
	if err := scaleNames.Check(uint8(t.Scale)); err != nil {
		return t, err
	}
	if t.Solver, err = t.Solver.withDefaults(d, t.Components, t.Objective.Float32); err != nil {
		return t, err
	}
	return t, checkWorkers(t.Workers)
}

// report tells Progress of a step.
func (s *Settings) report(step Step) error {
	if s.Progress == nil {
		return nil
	}
	each := s.Solver.MaxSteps
	return s.Progress(Progress{Done: step.Start*each + step.Index, Total: s.Solver.Starts * each, Step: step})
}

func defaultComponents(p, d int) (int, error) {
	if p == 0 {
		p = min(2, d)
	}
	if p < 1 || p > d {
		return p, fmt.Errorf("%w: %d components of %d features", ErrComponents, p, d)
	}
	return p, nil
}

func checkWorkers(workers int) error {
	if workers < 0 {
		return fmt.Errorf("%w: %d workers", ErrSettings, workers)
	}
	return nil
}

// withDefaults returns o with its defaults for n samples of d features, checked.
func (o Objective) withDefaults(n, d, classes int) (Objective, error) {
	if err := o.Lambda.check(classes); err != nil {
		return o, err
	}
	if err := gradientModeNames.Check(uint8(o.Gradient)); err != nil {
		return o, err
	}
	if o.Iterations == 0 {
		o.Iterations = 10
		if o.Gradient == Implicit {
			o.Iterations = implicitIterations
		}
	}
	if o.Iterations < 1 {
		return o, fmt.Errorf("%w: %d Sinkhorn iterations", ErrSettings, o.Iterations)
	}
	if err := o.Shrinkage.check(); err != nil {
		return o, err
	}
	return o, pairWeightNames.Check(uint8(o.Weights))
}

// withDefaults returns s with its defaults for p components of d features, checked.
func (s Solver) withDefaults(d, p int, single bool) (Solver, error) {
	if err := methodNames.Check(uint8(s.Method)); err != nil {
		return s, err
	}
	if s.BatchSize == 0 {
		s.BatchSize = 64
	}
	if s.BatchSize < 2 {
		return s, fmt.Errorf("%w: mini-batches of %d samples of a class; it takes two", ErrSettings, s.BatchSize)
	}
	if s.MaxSteps == 0 {
		s.MaxSteps = 200
	}
	if s.MaxSteps < 0 {
		return s, fmt.Errorf("%w: %d steps", ErrSettings, s.MaxSteps)
	}
	if s.Tolerance == 0 {
		s.Tolerance = 1e-6
		if single {
			s.Tolerance = 1e-4
		}
	}
	if !(s.Tolerance > 0) {
		return s, fmt.Errorf("%w: tolerance %v", ErrSettings, s.Tolerance)
	}
	if s.Init != nil {
		if r, c := s.Init.Dims(); r != d || c != p {
			return s, fmt.Errorf("%w: the start is %d × %d, the projection %d × %d", ErrShape, r, c, d, p)
		}
		if err := checkFinite(s.Init); err != nil {
			return s, fmt.Errorf("start: %w", err)
		}
	}
	if s.Starts == 0 {
		s.Starts = 1
	}
	if s.Starts < 0 {
		return s, fmt.Errorf("%w: %d starts", ErrSettings, s.Starts)
	}
	return s, nil
}

func checkLambdas(l mat.Matrix, classes int) error {
	if l == nil {
		return fmt.Errorf("%w: there is no λ matrix", ErrSettings)
	}
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
