package wda

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// Settings configure Fit: what is done with the data, what is maximized, and how.
// The zero value works. A field that is zero is left to Fit, which says in
// Report.Settings what it has taken; any other value is pinned.
//
// Where data and settings imply more than 16 GiB for a phase of the fit, besides copies of
// the samples, ErrSettings says how much it would be and what for. That is computed before
// any of it is allocated, from n, d, p, the classes, Iterations and Workers.
type Settings struct {
	// Components is p, the number of columns of P. Default 2, or d if d < 2.
	Components int
	// Data says what becomes of the features first.
	Data Data
	// Objective is J.
	Objective Objective
	// Optimizer says how J is maximized.
	Optimizer Optimizer
	// Scale is the length of the components. Default chosen on rows held out.
	Scale Scale
	// Leading is the number of components that J is of and that count: columns that the
	// data do not need would be noise of the same length as the others. Those behind are
	// principal ones, times 2⁻¹⁰: enough to draw them, too little for a distance. Default
	// chosen on rows held out; where nothing else is left open, Components.
	Leading int
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
	// 1, relative.
	Lambda Lambda
	// Iterations is L, the number of Sinkhorn iterations that define W. Default 10.
	// With Gradient Implicit W is that at convergence, and Iterations the largest
	// number that may be made to get there; default then 10000. With Gradient Unrolled
	// all iterates are kept, 3L(n + m) numbers for a pair of classes of n and m samples.
	Iterations int
	// Shrinkage is ρ: ridge = ρ·σ_w²(P⁰). Without it the ratio overfits where samples
	// are few against features. Default chosen on rows held out; where nothing is chosen,
	// as in Score, 1.
	Shrinkage Shrinkage
	// Proportional weighs classes by their frequencies π: w_cc' = π_c π_c' for two classes
	// and w_cc = π_c for one. Default false: every pair has the weight 1, as in the paper.
	Proportional bool
	// Gradient says what is taken for the gradient of J, that is of every transport cost
	// W = ⟨T, M⟩ with respect to the projected samples. Default sinkhorn.GradientUnrolled, the
	// derivative of W as it is defined, through all L iterations.
	//
	// sinkhorn.GradientImplicit takes W at convergence in the place of W after L iterations (the
	// appendix of the paper; there in O(n⁶), here by conjugate gradients on an (n + m)
	// system). Iterations are made until ‖Tᵀ1 − b‖₁ ≤ 1e-12 (1e-5 in float32). Where they
	// end before an error of 1e-4 (1e-3), Fit and Score fail with ErrSettings. No iterate
	// is kept, so that memory does not grow with the iterations.
	//
	// sinkhorn.GradientFrozen holds the plans T after L iterations fixed, Σ_ij T_ij ∂M_ij: the
	// cheapest, without a reverse pass, but no gradient of J. Solvers that use it end where
	// it vanishes, which is a fixed point of EigenTraceRatio, or where it is no ascent
	// direction any more (status LineSearchFailed).
	Gradient sinkhorn.GradientMode
	// Float32 evaluates J in float32, about twice as fast. Default false.
	Float32 bool
}

// Optimizer says how J is maximized.
type Optimizer struct {
	// Method. Default Auto.
	Method Method
	// MaxSteps bounds the steps. Default 200; for one start of Auto with settings chosen on
	// rows held out the 8 (4 beyond 30 classes) that these were compared with. For MiniBatch they are rounds of 20
	// mini-batches; with that, Eigen and EigenTraceRatio, those that do not raise J
	// count, too.
	MaxSteps int
	// Tolerance ends the fit when the norm of the gradient has fallen to Tolerance
	// times that at the start; with Eigen and EigenTraceRatio, when a step moves the
	// subspace by less than Tolerance·√p (chordal distance). Default 1e-6 (1e-4 in
	// float32). With that, or more, Auto also ends when J has risen by less than 10⁻⁶ of
	// it in each of three steps.
	Tolerance float64
	// BatchSize is the number of samples of a class in a step of MiniBatch; a class
	// that has fewer is taken whole. Default 64.
	BatchSize int
	// Init is P⁰ (d × p), of full rank. Columns that are not orthonormal are made so.
	// Default the p leading principal components.
	Init mat.Matrix
	// Starts is the number of starts: the first is P⁰, every further one a random
	// projection. λ and the ridge stay those of P⁰. The best result is returned: of the
	// largest J, or of the lowest error with Validation. Default 1; where settings
	// are chosen on rows held out, for Auto, by sizes alone: 8 of 100 samples, 1 from 300
	// on or with n ≤ d + 1.
	Starts int
}

// Validation judges projections on the way by the error of a classifier, K nearest
// neighbors among the projected training samples, on samples held out. The best is
// kept, the earlier of two that are as good.
type Validation struct {
	// X and Labels are the samples held out. If X is nil, a share of the training
	// samples is: Fraction of every class, but so that two at least are left,
	// drawn with Settings.Seed. Default 0.25.
	X        mat.Matrix
	Labels   []int
	Fraction float64
	// Hash, unless empty, is what X and Labels must have, as they do not stand in a model
	// file: it is in the settings of a loaded model of a fit that was given X, which are
	// those of another fit once X and Labels are there again. 64 hexadecimal digits, made
	// as Model.Hash says, of X (n × d, by rows) and Labels.
	Hash string
	// Neighbors is K. Default 5, or the number of training samples if less.
	Neighbors int
	// Every is the number of steps from one judgement to the next. Default 2.
	Every int
	// Patience is the number of judgements in a row without improvement that ends
	// the fit, with status Stopped. Default 10.
	Patience int
}

// PaperSettings returns the settings of the paper's experiments (section 5: λ = 0.01
// relative to the data, L = 10, no shrinkage, every pair of classes with the same
// weight, projected gradient from the principal components, no whitening, PᵀP = I). Its objective
// overfits where samples are few; see Objective.Shrinkage.
func PaperSettings(components int) *Settings {
	return &Settings{
		Components: components,
		Data:       Data{Whitening: NoWhitening()},
		Objective:  Objective{Lambda: Lambda{Value: 0.01}, Iterations: 10, Shrinkage: Shrinkage{None: true}},
		Scale:      Orthonormal,
		Optimizer:  Optimizer{Method: ProjectedGradient},
	}
}

// pinned returns o with λ = 1, relative, and ρ = 1 for what is left open: where nothing
// is chosen from the data.
func (o Objective) pinned() Objective {
	if o.Lambda.open() {
		o.Lambda = Lambda{Value: 1}
	}
	if o.Shrinkage.open() {
		o.Shrinkage = Shrinkage{Value: 1}
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
	if s.Scale == chosenScale {
		s.Scale = Orthonormal
	}
	return s
}

// fitted returns the number of components that J is of: those that lead, of Fisher those
// that the means of so many classes can tell apart, unless all are to be as long. Those of
// Principal are the first of all anyway.
func (s *Settings) fitted(classes int) int {
	switch s.Optimizer.Method {
	case Principal:
		return s.Components
	case Fisher:
		if s.Scale == Orthonormal {
			return s.Components
		}
		return min(s.Components, classes-1)
	}
	return s.Leading
}

// free reports whether the settings leave more open than the number of leading components.
func (s *Settings) free() bool {
	return s.Data.Whitening.kind == chosenWhitening || s.Objective.Lambda.open() ||
		s.Objective.Shrinkage.open() || s.Scale == chosenScale
}

// withDefaults returns s with its defaults for n samples of d features, checked.
func (s *Settings) withDefaults(ctx context.Context, n, d, classes int) (Settings, error) {
	var t Settings
	if s != nil {
		t = *s
	}
	var err error
	if t.Components, err = defaultComponents(t.Components, d); err != nil {
		return t, err
	}
	if t.Leading < 0 || t.Leading > t.Components {
		return t, fmt.Errorf("%w: %d leading components of %d", ErrSettings, t.Leading, t.Components)
	}
	if t.Leading == 0 && !(t.free() && t.Optimizer.Init == nil) {
		t.Leading = t.Components
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
	if t.Optimizer, err = t.Optimizer.withDefaults(ctx, d, t.Components, t.Objective.Float32); err != nil {
		return t, err
	}
	return t, checkWorkers(t.Workers)
}

// report tells Progress of a step.
func (s *Settings) report(step Step) error {
	if s.Progress == nil {
		return nil
	}
	each := s.Optimizer.MaxSteps
	return s.Progress(Progress{Done: step.Start*each + step.Index, Total: s.Optimizer.Starts * each, Step: step})
}

// implicitIterations bounds the iterations of Implicit by default.
const implicitIterations = 10000

// withDefaults returns o with its defaults for n samples of d features, checked.
func (o Objective) withDefaults(n, d, classes int) (Objective, error) {
	if err := o.Lambda.check(classes); err != nil {
		return o, err
	}
	if o.Lambda.Matrix != nil {
		// Settings are compared with ==, which types of others may not allow.
		o.Lambda.Matrix = mat.DenseCopyOf(o.Lambda.Matrix)
	}
	if _, err := o.Gradient.MarshalText(); err != nil {
		return o, err
	}
	if o.Iterations == 0 {
		o.Iterations = 10
		if o.Gradient == sinkhorn.GradientImplicit {
			o.Iterations = implicitIterations
		}
	}
	if o.Iterations < 1 {
		return o, fmt.Errorf("%w: %d Sinkhorn iterations", ErrSettings, o.Iterations)
	}
	if err := o.Shrinkage.check(); err != nil {
		return o, err
	}
	return o, nil
}

// withDefaults returns s with its defaults for p components of d features, checked.
func (s Optimizer) withDefaults(ctx context.Context, d, p int, single bool) (Optimizer, error) {
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
		s.Tolerance = defaultTolerance(single)
	}
	if !(s.Tolerance > 0) {
		return s, fmt.Errorf("%w: tolerance %v", ErrSettings, s.Tolerance)
	}
	if s.Init != nil {
		if r, c := s.Init.Dims(); r != d || c != p {
			return s, fmt.Errorf("%w: the start is %d × %d, the projection %d × %d", ErrShape, r, c, d, p)
		}
		if err := checkFinite(ctx, s.Init); err != nil {
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

func defaultTolerance(single bool) float64 {
	if single {
		return 1e-4
	}
	return 1e-6
}

// Streams of random numbers from one seed.
const (
	streamHoldOut = 1 << 32
	streamFolds   = 2 << 32
	streamStarts  = 3 << 32
	streamBatches = 4 << 32
	streamChoice  = 5 << 32
)
