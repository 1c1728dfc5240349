package wda

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// Settings configures Fit. The zero value works. If a field is zero, Fit uses the default in the
// comment of the field, or chooses a value from the data. Report.Settings contains the values that
// Fit used.
//
// Before it allocates memory, Fit computes from n, d, p, the classes, Iterations and Workers how
// much memory each of its phases takes. If the sum exceeds 16 GiB, not counting copies of the
// samples, Fit returns an ErrSettings that names the sum and the largest phase.
type Settings struct {
	// Components is p, the number of columns of the projection P. Default 2, or d if d < 2.
	Components int
	// Data selects the preparation of the features.
	Data Data
	// Objective defines J, the function that Fit maximizes.
	Objective Objective
	// Optimizer selects how Fit maximizes J.
	Optimizer Optimizer
	// Scale sets the lengths of the components. Default: chosen on held-out rows.
	Scale Scale
	// Leading is the number of informative components. The objective uses only the informative
	// components. All further components are principal components scaled by 2⁻¹⁰: large enough for
	// plots, too small to change a distance. Without this scaling, components that do not separate
	// classes would add noise to distances. Default: chosen on held-out rows if any other setting is
	// chosen on held-out rows, otherwise Components.
	Leading int
	// For is the kind of classifier that will use the projection. It affects only the comparison of
	// candidate settings. Default UseNeighbors.
	For Use
	// Mixture controls whether the projection may combine candidates whose errors on held-out rows
	// do not differ significantly. Default: up to three candidates, if they are compared on fewer
	// than 1000 rows.
	Mixture Mixture
	// Validation, if not nil, stops the fit when the projection no longer improves for samples that
	// were not used for the fit.
	Validation *Validation
	// Seed is the seed of all random choices: random starting points, mini-batches, folds, and the
	// samples that Validation holds out. The default 0 differs from the default 1 of the flag --seed
	// of the command.
	Seed uint64
	// Workers is the largest number of goroutines. Default GOMAXPROCS. The result does not
	// depend on it.
	Workers int
	// Executor, if not nil, runs parts of the fit in other processes. The result does not depend on
	// it.
	Executor Executor `json:"-"`
	// Progress, if not nil, is called after each step, while settings are compared, and between
	// mini-batches; Progress.Phase distinguishes these calls. Only one goroutine at a time calls
	// Progress. An error ends the fit in the same way as the end of the context.
	Progress func(Progress) error
}

// Data configures the preparation of the features before the fit. The preparation becomes part of
// the model.
type Data struct {
	// Standardize divides each feature by its standard deviation. Use it for features of different
	// kinds, but not for pixels. An absolute λ and Optimizer.Init then refer to the standardized
	// features. If a standard deviation is positive but below about 1e-308, the error is
	// ErrNotFinite, because the reciprocal overflows. Default false.
	Standardize bool
	// Whitening is the metric in which projections are orthonormal. An absolute λ (see AbsoluteLambda)
	// applies to the whitened features. Default: chosen on held-out rows.
	Whitening Whitening
}

// Objective defines J and how precisely it is evaluated. The package documentation has the formula.
type Objective struct {
	// Lambda is λ. Default: chosen on held-out rows. Score does not choose settings; its default is
	// RelativeLambda(1).
	Lambda Lambda
	// Iterations is L, the number of Sinkhorn iterations that define the transport cost W. The
	// default is 10, or 10000 with GradientImplicit. With GradientImplicit, W is the cost at
	// convergence, and Iterations is the maximum number of iterations. With GradientUnrolled, a
	// pair of classes of n and m samples takes memory for 3L(n + m) numbers.
	Iterations int
	// Shrinkage is ρ, which reduces overfitting: ridge = ρ·σ_w²(P⁰). Default: chosen on held-out
	// rows. Score does not choose settings; its default is FixedShrinkage(1).
	Shrinkage Shrinkage
	// Proportional means that the transport costs are multiplied by class frequencies π: by
	// π_c·π_c' between two classes c and c', and by π_c within class c. Default false: all factors
	// are 1, as in the paper.
	Proportional bool
	// Gradient selects how the gradient of each transport cost W is computed. The default,
	// sinkhorn.GradientUnrolled, is the derivative of W through all L iterations.
	//
	// sinkhorn.GradientImplicit replaces W after L iterations by W at convergence (appendix of the
	// paper). It iterates until the error ‖Tᵀ1 − b‖₁ is at most 1e-12, or 1e-5 in float32. Fit and
	// Score return ErrSettings if the error remains above 1e-4, or 1e-3 in float32. The memory for
	// this mode does not grow with the number of iterations.
	//
	// sinkhorn.GradientFrozen treats the transport plans T as constant: Σ_ij T_ij ∂M_ij. This mode is
	// the cheapest, but the result is not the gradient of J. The fit ends when the result vanishes, or
	// when it is no longer a direction of ascent (status StatusLineSearchFailed).
	Gradient sinkhorn.GradientMode
	// Float32 evaluates J in float32, which is about twice as fast. Default false.
	Float32 bool
	// Samples is the largest number of samples on which Fit evaluates J. If there are more samples,
	// Fit uses the same fraction of each class, evenly spaced, but at least two samples of each class.
	// Time grows with the square of Samples. The mean, the whitening, λ and mini-batches always come
	// from all samples. Default: all, or 4096 for MiniBatch and if Auto chooses settings on
	// held-out rows.
	Samples int
}

// Optimizer configures how Fit maximizes J.
type Optimizer struct {
	// Method is the algorithm. Default Auto.
	Method Method
	// MaxSteps is the largest number of steps. A step of MiniBatch is a round of 20 mini-batches. For
	// MiniBatch and Eigen, steps that do not raise J also count. Default 200. If Auto chooses
	// settings on held-out rows and uses one starting point, the default is the number of steps
	// after which candidates are compared: 4 for more than 30 classes, and 8 otherwise.
	MaxSteps int
	// Tolerance ends the fit when the norm of the gradient has fallen to Tolerance times the norm
	// at the starting point. Eigen also ends when a step moves the subspace by less than Tolerance·√p
	// (chordal distance). Default 1e-6, or 1e-4 with Float32. If Tolerance is at least the default,
	// Auto also ends after three successive steps that each raise J by less than 1e-6 times J.
	Tolerance float64
	// Init is the starting point P⁰ (d × p). It must have full rank; Fit makes its columns
	// orthonormal. Default: the p leading principal components.
	Init mat.Matrix
	// Starts is the number of starting points. The first starting point is P⁰, and all further
	// starting points are random projections; λ and the ridge are always computed at P⁰. The result
	// has the largest J, or the lowest error if Validation is set. Default 1. If Auto chooses settings
	// on held-out rows, the default decreases from 8 to 1 with the number of samples n: 8 for 100
	// samples, and 1 for 300 samples or more. It is also 1 if n ≤ 5d + 1.
	Starts int
}

// Validation stops a fit early. During the fit, held-out samples are classified by their nearest
// neighbors among the projected training samples. The result is the projection with the lowest error,
// or the first such projection if several projections have the same error.
type Validation struct {
	// X and Labels are the held-out samples. If X is nil, Fit holds out some of the samples that it
	// was called with. Fraction is the fraction of each class to hold out, and Settings.Seed
	// determines the random choice. At least two samples of each class remain. The default Fraction
	// is 0.25.
	X        mat.Matrix
	Labels   []int
	Fraction float64
	// Hash is the expected hash of X and Labels, 64 hexadecimal digits. See Model.Hash for the
	// computation. A model file stores this hash instead of the validation data. If Hash is empty,
	// nothing is checked.
	Hash string
	// Neighbors is the number of neighbors that vote. Default 5, or the number of training samples
	// if it is smaller.
	Neighbors int
	// Every is the number of steps between two evaluations. Default 2.
	Every int
	// Patience is the number of evaluations in a row without improvement after which the fit ends,
	// with status StatusStopped. Default 10.
	Patience int
}

// PaperSettings returns the settings of the experiments in the paper (section 5): λ = 0.01
// relative to the data, 10 iterations, no shrinkage, equal weights, projected gradient from
// the principal components, no whitening, PᵀP = I. This objective overfits if samples are few;
// see Objective.Shrinkage.
func PaperSettings(components int) *Settings {
	return &Settings{
		Components: components,
		Data:       Data{Whitening: NoWhitening()},
		Objective:  Objective{Lambda: RelativeLambda(0.01), Iterations: 10, Shrinkage: FixedShrinkage(0)},
		Scale:      ScaleOrthonormal,
		Optimizer:  Optimizer{Method: ProjectedGradient{}},
	}
}

// withFixedDefaults returns o with RelativeLambda(1) if λ is automatic, and ρ = 1 if ρ is automatic.
func (o Objective) withFixedDefaults() Objective {
	if o.Lambda.IsAuto() {
		o.Lambda = RelativeLambda(1)
	}
	if o.Shrinkage.IsAuto() {
		o.Shrinkage = FixedShrinkage(1)
	}
	return o
}

// objectiveComponents returns the number of components in the objective. For most methods, this is
// Leading. Fisher and Principal use all components, because their first components do not depend on
// the number of components. If Scale gives the components different lengths, Fisher uses at most C − 1
// components for C classes, because the class means differ in at most C − 1 directions.
func (s *Settings) objectiveComponents(classes int) int {
	switch t := s.Optimizer.Method.traits(); {
	case t.startsAtFisher && !s.Scale.equalLengths():
		return min(s.Components, classes-1)
	case t.stepless:
		return s.Components
	}
	return s.Leading
}

// hasOpenChoices reports whether Fit must choose the value of a setting. It does not check Leading.
func (s *Settings) hasOpenChoices() bool {
	return s.Data.Whitening.IsAuto() || s.Objective.Lambda.IsAuto() || s.Objective.Shrinkage.IsAuto() || s.Scale == ScaleAuto
}

// leavesOpen reports whether Fit must choose the value of a setting.
func (s *Settings) leavesOpen() bool {
	return s.Mixture.members == nil && (s.Leading == 0 || s.hasOpenChoices())
}

// withDefaults checks s and returns it with the defaults for n samples of d features.
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
		return t, fmt.Errorf("%w: Leading is %d; it must be between 0 and the number of components, %d", ErrSettings, t.Leading, t.Components)
	}
	if err := t.Mixture.check(); err != nil {
		return t, err
	}
	if of := t.Mixture.members; of != nil {
		if t.Optimizer.Init != nil || t.Validation != nil {
			return t, fmt.Errorf("%w: Init and Validation cannot be used with the members of a mixture", ErrSettings)
		}
		for i, c := range of {
			if c.Leading > t.Components {
				return t, fmt.Errorf("%w: member %d of the mixture has %d informative components, but Components is %d", ErrSettings, i, c.Leading, t.Components)
			}
		}
	}
	if t.Leading == 0 && !(t.hasOpenChoices() && t.Optimizer.Init == nil) {
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
	if err := useNames.Check(uint8(t.For)); err != nil {
		return t, err
	}
	if t.For == UseAuto {
		t.For = UseNeighbors
	}
	if t.Optimizer, err = t.Optimizer.withDefaults(ctx, d, t.Components, t.Objective.Float32); err != nil {
		return t, err
	}
	return t, checkWorkers(t.Workers)
}

// reportStep calls Progress after a step.
func (s *Settings) reportStep(step discriminant.Step) error {
	each := s.Optimizer.MaxSteps
	return s.reportProgress(Progress{Done: step.Start*each + step.Index, Total: s.Optimizer.Starts * each, Step: Step(step)})
}

// reportBatch calls Progress after a mini-batch.
func (s *Settings) reportBatch(done, total int, latest discriminant.Step) error {
	return s.reportProgress(Progress{Phase: PhaseBatches, Done: done, Total: total, Step: Step(latest)})
}

// reportProgress calls Progress, if it is set.
func (s *Settings) reportProgress(p Progress) error {
	if s.Progress == nil {
		return nil
	}
	return s.Progress(p)
}

// implicitIterations is the default of Iterations with GradientImplicit.
const implicitIterations = 10000

// withDefaults checks o and returns it with the defaults for n samples of d features.
func (o Objective) withDefaults(n, d, classes int) (Objective, error) {
	if err := o.Lambda.check(classes); err != nil {
		return o, err
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
		return o, fmt.Errorf("%w: Iterations is %d; at least 1 Sinkhorn iteration is needed", ErrSettings, o.Iterations)
	}
	if o.Samples < 0 {
		return o, fmt.Errorf("%w: Samples is %d; it must not be negative", ErrSettings, o.Samples)
	}
	return o, o.Shrinkage.check()
}

// withDefaults checks s and returns it with the defaults for p components of d features.
func (s Optimizer) withDefaults(ctx context.Context, d, p int, single bool) (Optimizer, error) {
	var err error
	if s.Method, err = methodWithDefaults(s.Method); err != nil {
		return s, err
	}
	if s.MaxSteps == 0 {
		s.MaxSteps = 200
	}
	if s.MaxSteps < 0 {
		return s, fmt.Errorf("%w: MaxSteps is %d; it must not be negative", ErrSettings, s.MaxSteps)
	}
	if s.Tolerance == 0 {
		s.Tolerance = defaultTolerance(single)
	}
	if !(s.Tolerance > 0) {
		return s, fmt.Errorf("%w: Tolerance is %v; it must be positive", ErrSettings, s.Tolerance)
	}
	if s.Init != nil {
		if r, c := s.Init.Dims(); r != d || c != p {
			return s, fmt.Errorf("%w: the start Init is %d × %d; for %d features and %d components it must be %d × %d", ErrShape, r, c, d, p, d, p)
		}
		if err := checkFinite(ctx, s.Init); err != nil {
			return s, fmt.Errorf("start: %w", err)
		}
	}
	if s.Starts == 0 {
		s.Starts = 1
	}
	if s.Starts < 0 {
		return s, fmt.Errorf("%w: Starts is %d; it must not be negative", ErrSettings, s.Starts)
	}
	return s, nil
}

func defaultTolerance(single bool) float64 {
	if single {
		return 1e-4
	}
	return 1e-6
}

// Each stream constant selects a separate sequence of random numbers from the same seed.
const (
	streamHoldOut = 1 << 32
	streamFolds   = 2 << 32
	streamStarts  = 3 << 32
	streamBatches = 4 << 32
	streamChoice  = 5 << 32
	streamPairs   = 6 << 32
)

func defaultComponents(p, d int) (int, error) {
	if p == 0 {
		p = min(2, d)
	}
	if p < 1 || p > d {
		return p, fmt.Errorf("%w: Components is %d; with %d features it must be from 1 to %d", ErrSettings, p, d, d)
	}
	return p, nil
}

func checkWorkers(workers int) error {
	if workers < 0 {
		return fmt.Errorf("%w: %d workers", ErrSettings, workers)
	}
	return nil
}

// Auto ends after three successive steps that each raise J by less than the fraction
// functionTolerance. J is then within about 10⁻⁶ of the maximum. To reach the maximum, Auto would
// need twice as many steps (SOLVERS.md).
const functionTolerance = 1e-6

// limits returns the limits of the fit from one starting point.
func limits[T dist.Float](s *Settings) discriminant.Limits {
	o := &s.Optimizer
	l := discriminant.Limits{MaxSteps: o.MaxSteps, Tolerance: o.Tolerance, RoundingError: discriminant.RoundingError[T](s.Objective.Gradient)}
	if o.Method == (Auto{}) && o.Tolerance >= defaultTolerance(s.Objective.Float32) {
		l.FunctionTolerance = functionTolerance
	}
	return l
}

// objectiveConfig returns the configuration of J for d features.
func objectiveConfig[T dist.Float](s *Settings, d int) *discriminant.Config[T] {
	o, starts, p := &s.Objective, float64(s.Optimizer.Starts), float64(s.Components)
	c := &discriminant.Config[T]{
		Components: s.Components, Iterations: o.Iterations, Gradient: o.Gradient, Proportional: o.Proportional, Workers: s.Workers,
		OtherNeeds: []discriminant.Need{{Purpose: fmt.Sprintf("the results of %d starts", s.Optimizer.Starts), Bytes: 2 * 8 * starts}},
	}
	if s.Executor != nil {
		c.PairSolver = remotePairSolver[T]{s.Executor}
	}
	if k := s.Optimizer.Method.traits().stepMatrices; k > 0 {
		c.OtherNeeds = append(c.OtherNeeds, discriminant.Need{
			Purpose: fmt.Sprintf("the steps of %v in %d × %d", s.Optimizer.Method, d, s.Components), Bytes: 8 * (float64(float64(k)*float64(d)) + float64(7*p)) * p,
		})
	}
	return c
}

// fitConfig returns objectiveConfig with the limits of a fit. classes is the
// maximum number of classes on which MiniBatch, Principal and Fisher evaluate J. Objective.Samples
// limits the samples for all methods. If it is 0, MiniBatch is limited to the number in samples.
func fitConfig[T dist.Float](s *Settings, d, samples, classes int) *discriminant.Config[T] {
	c, method := objectiveConfig[T](s, d), s.Optimizer.Method.traits()
	c.MaxSamples = s.Objective.Samples
	if method.samplesRows || method.stepless {
		c.MaxClasses = classes
	}
	if method.samplesRows && c.MaxSamples == 0 {
		c.MaxSamples = samples
	}
	return c
}
