package main

import (
	"math"
	"slices"
	"strings"

	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// requireFlags returns an error unless all named flags have values.
func requireFlags(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f.Value.String() == "" || !f.Changed {
			return usagef("--%s is required; see monge help %s", name, cmd.Name())
		}
	}
	return nil
}

func checkPositive(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return usagef("--%s must be a positive number such as 0.5, not %v", name, v)
	}
	return nil
}

func checkRange(name string, v, low, high int) error {
	switch {
	case v >= low && v <= high:
		return nil
	case high == math.MaxInt32:
		return usagef("--%s must be at least %d, not %d", name, low, v)
	}
	return usagef("--%s must be between %d and %d, not %d", name, low, high, v)
}

// exclusiveFlagsError returns the error of flags that exclude each other.
func exclusiveFlagsError(flags ...string) error {
	return usagef("%s cannot be used together: leave out one of them", strings.Join(flags, " and "))
}

// objectiveFlags are the flags of fit, score and cv that define the objective J.
type objectiveFlags struct {
	lambda       float64
	lambdaMatrix string
	iterations   int
	proportional bool
	float32      bool
	workers      int
}

// maxIterations limits the number of Sinkhorn iterations, because a gradient needs all iterates in
// memory.
const maxIterations = 10000

func (f *objectiveFlags) add(cmd *cobra.Command) {
	defer groupFlags(cmd, objectiveGroup)()
	fs := cmd.Flags()
	fs.Float64Var(&f.lambda, "lambda", 1, lambdaUsage)
	fs.StringVar(&f.lambdaMatrix, "lambda-matrix", "", "`FILE`: file with λ for every pair of classes, instead of --lambda: C × C numbers, classes sorted, CSV without a header or NPY")
	f.addShared(cmd)
}

const lambdaUsage = "`λ`: how sharp the transport is: small values compare classes by their means, large ones by single rows"

// numberOrAuto is the value of a flag that is a number, or "auto" to let the library choose the
// number.
type numberOrAuto struct {
	pflag.Value
	auto bool
}

const auto = "auto"

func (v *numberOrAuto) Set(text string) error {
	if v.auto = text == auto; v.auto {
		return nil
	}
	return v.Value.Set(text)
}

func (v *numberOrAuto) String() string {
	if v.auto {
		return auto
	}
	return v.Value.String()
}

func (v *numberOrAuto) Type() string { return "auto or a number such as 0.5" }

// addShared adds all flags except --lambda and --lambda-matrix.
func (f *objectiveFlags) addShared(cmd *cobra.Command) {
	defer groupFlags(cmd, objectiveGroup)()
	fs := cmd.Flags()
	fs.IntVar(&f.iterations, "iterations", 10, "`L`: number of Sinkhorn iterations that define a transport cost")
	fs.BoolVar(&f.proportional, "proportional", false, "weight classes by their numbers of rows; without this all classes count the same")
	fs.BoolVar(&f.float32, "float32", false, "compute in float32, which is about twice as fast and less exact")
	addWorkers(cmd, &f.workers)
}

func addWorkers(cmd *cobra.Command, workers *int) {
	defer groupFlags(cmd, outputFlags)()
	cmd.Flags().IntVar(workers, "workers", 0, "`NUMBER`: CPUs to use; the result does not depend on it (default all)")
}

func checkWorkers(workers int) error { return checkRange("workers", workers, 0, 1024) }

// settings checks the flags and returns the settings without the λ matrix.
func (f *objectiveFlags) settings(cmd *cobra.Command) (*wda.Settings, error) {
	if err := checkPositive("lambda", f.lambda); err != nil {
		return nil, err
	}
	if f.lambdaMatrix != "" && cmd.Flags().Changed("lambda") {
		return nil, exclusiveFlagsError("--lambda", "--lambda-matrix")
	}
	if err := checkRange("iterations", f.iterations, 1, maxIterations); err != nil {
		return nil, err
	}
	if err := checkWorkers(f.workers); err != nil {
		return nil, err
	}
	s := &wda.Settings{Objective: wda.Objective{Iterations: f.iterations, Proportional: f.proportional, Float32: f.float32}, Workers: f.workers}
	if l := cmd.Flags().Lookup("lambda"); l != nil && l.Changed && l.Value.String() != auto {
		s.Objective.Lambda = wda.RelativeLambda(f.lambda)
	}
	return s, nil
}

// solverFlags are the flags that fit and cv share, apart from the flags of the objective.
type solverFlags struct {
	absolute           bool
	standard           bool
	whitening          string
	scale              string
	paper              bool
	method             string
	gradient           string
	batchSize          int
	maxSteps           int
	tolerance          float64
	starts             int
	validation         float64
	validationSettings wda.Validation // values of the fields Neighbors, Every and Patience
}

func (f *solverFlags) add(cmd *cobra.Command) {
	f.addObjective(cmd)
	f.addMethod(cmd)
	f.addOptimizer(cmd)
	f.addValidation(cmd)
}

func (f *solverFlags) addObjective(cmd *cobra.Command) {
	defer groupFlags(cmd, objectiveGroup)()
	fs := cmd.Flags()
	fs.BoolVar(&f.absolute, "absolute", false, "take --lambda in the units of the data, not relative to the mean squared distance of the classes")
	fs.StringVar(&f.gradient, "gradient", sinkhorn.GradientUnrolled.String(), "`NAME`: derivative of the transport cost. One of unrolled, through the iterations; implicit, of the converged transport, which --iterations then limits (to 10000 if not given); frozen, with the plans held fixed")
	completeValues(cmd, "gradient", "unrolled", "implicit", "frozen")
}

func (f *solverFlags) addMethod(cmd *cobra.Command) {
	defer groupFlags(cmd, methodFlags)()
	fs := cmd.Flags()
	fs.StringVar(&f.method, "method", wda.Auto{}.String(), "`NAME`: how the projection is found, one of "+methodNames())
	completeValues(cmd, "method", strings.Split(methodNames(), ", ")...)
	fs.StringVar(&f.whitening, "whitening", wda.Whitening{}.String(), "`NAME`: rescaling of the features. One of none; diagonal or spherical, by the covariance within classes, shrunken toward its diagonal or toward a multiple of the identity; auto, chosen on held-out rows. A number after a colon sets the intensity, above 0 and at most 1, as in spherical:0.5; without it the formula of Ledoit and Wolf sets it")
	completeValues(cmd, "whitening", "auto", "none", "diagonal", "spherical")
	fs.StringVar(&f.scale, "scale", wda.Scale(0).String(), "`NAME`: length of the components. One of orthonormal, as in the paper; equal, orthonormal up to one factor; unit, the same spread within classes on every axis; ratio, unit but shorter where a component hardly tells classes apart; auto, equal or unit, chosen on held-out rows. All but orthonormal make the mean variance within classes 1")
	completeValues(cmd, "scale", "auto", "equal", "orthonormal", "unit", "ratio")
	fs.BoolVar(&f.standard, "standardize", false, "divide every feature by its standard deviation first; use it for features in different units")
	fs.BoolVar(&f.paper, "paper", false, "use the settings of the paper's experiments for all flags that are not given: --lambda 0.01 --shrinkage 0 --method pg --whitening none --scale orthonormal")
}

func (f *solverFlags) addOptimizer(cmd *cobra.Command) {
	defer groupFlags(cmd, optimizerFlags)()
	fs := cmd.Flags()
	fs.IntVar(&f.maxSteps, "max-steps", 0, "`NUMBER`: limit on the steps of the optimizer; with --method minibatch, on rounds of 20 mini-batches (default 200; if settings are chosen and there is one start, 8, or 4 for more than 30 classes)")
	fs.Float64Var(&f.tolerance, "tolerance", 0, "`FRACTION`: stop when the norm of the gradient has fallen to this fraction of its norm at the start; at the default or above, auto also stops when J no longer rises (default 1e-6, or 1e-4 with --float32)")
	fs.IntVar(&f.starts, "starts", 0, "`NUMBER`: how often to run the optimizer, each time from another start; the best result is kept. All starts but the first are random, by --seed (default 1; up to 8 if settings are chosen and rows are few)")
	fs.IntVar(&f.batchSize, "batch-size", 64, "`NUMBER`: rows drawn from each class for a step of --method minibatch")
}

func (f *solverFlags) addValidation(cmd *cobra.Command) {
	defer groupFlags(cmd, validationFlags)()
	fs := cmd.Flags()
	fs.Float64Var(&f.validation, "validation", 0, "`FRACTION`: hold out this fraction of every class, and keep the step whose projection classifies these rows best (default none)")
	fs.IntVar(&f.validationSettings.Neighbors, "validation-neighbors", 5, "`K`: number of neighbors of the classifier")
	fs.IntVar(&f.validationSettings.Every, "validation-every", 2, "`NUMBER`: steps between two checks of these rows")
	fs.IntVar(&f.validationSettings.Patience, "validation-patience", 10, "`NUMBER`: checks without improvement, in a row, that end the fit")
}

// apply checks the flags and sets the fields of s.
func (f *solverFlags) apply(cmd *cobra.Command, s *wda.Settings) error {
	if l := &s.Objective.Lambda; f.absolute && l.Value() != 0 {
		*l = wda.AbsoluteLambda(l.Value())
	}
	s.Data.Standardize = f.standard
	if err := s.Data.Whitening.UnmarshalText([]byte(f.whitening)); err != nil {
		return usagef("--whitening: %v", err)
	}
	if err := s.Scale.UnmarshalText([]byte(f.scale)); err != nil {
		return usagef("--scale: %v", err)
	}
	if paper := wda.PaperSettings(s.Components); f.paper {
		if !cmd.Flags().Changed("whitening") {
			s.Data.Whitening = paper.Data.Whitening
		}
		if !cmd.Flags().Changed("scale") {
			s.Scale = paper.Scale
		}
	}
	var err error
	if s.Optimizer.Method, err = wda.ParseMethod(f.method); err != nil {
		return usagef("--method must be one of %s, not %q%s", methodNames(), f.method, methodHint(f.method))
	}
	if f.paper && !cmd.Flags().Changed("method") {
		s.Optimizer.Method = wda.PaperSettings(s.Components).Optimizer.Method
	}
	if err := s.Objective.Gradient.UnmarshalText([]byte(f.gradient)); err != nil {
		return usagef("--gradient must be unrolled, implicit or frozen, not %q", f.gradient)
	}
	if s.Objective.Gradient == sinkhorn.GradientImplicit && !cmd.Flags().Changed("iterations") {
		s.Objective.Iterations = 0
	}
	if cmd.Flags().Changed("batch-size") {
		if _, ok := s.Optimizer.Method.(wda.MiniBatch); !ok {
			return usagef("--batch-size needs --method minibatch; leave it out or choose that method")
		}
		if err := checkRange("batch-size", f.batchSize, 2, math.MaxInt32); err != nil {
			return err
		}
		s.Optimizer.Method = wda.MiniBatch{BatchSize: f.batchSize}
	}
	for _, c := range []struct {
		name  string
		value int
		into  *int
	}{{"max-steps", f.maxSteps, &s.Optimizer.MaxSteps}, {"starts", f.starts, &s.Optimizer.Starts}} {
		if !cmd.Flags().Changed(c.name) {
			continue
		}
		if err := checkRange(c.name, c.value, 1, math.MaxInt32); err != nil {
			return err
		}
		*c.into = c.value
	}
	if cmd.Flags().Changed("tolerance") {
		if err := checkPositive("tolerance", f.tolerance); err != nil {
			return err
		}
		s.Optimizer.Tolerance = f.tolerance
	}
	return f.applyValidation(cmd, s)
}

// applyValidation checks the validation flags and sets the fields of s.
func (f *solverFlags) applyValidation(cmd *cobra.Command, s *wda.Settings) error {
	if !cmd.Flags().Changed("validation") {
		for _, name := range []string{"validation-neighbors", "validation-every", "validation-patience"} {
			if cmd.Flags().Changed(name) {
				return usagef("--%s needs --validation with a fraction of rows to hold out", name)
			}
		}
		return nil
	}
	if !(f.validation > 0 && f.validation < 1) {
		return usagef("--validation must be a fraction between 0 and 1, not %v", f.validation)
	}
	for _, c := range []struct {
		name  string
		value int
	}{{"validation-neighbors", f.validationSettings.Neighbors}, {"validation-every", f.validationSettings.Every}, {"validation-patience", f.validationSettings.Patience}} {
		if err := checkRange(c.name, c.value, 1, math.MaxInt32); err != nil {
			return err
		}
	}
	v := f.validationSettings
	v.Fraction = f.validation
	s.Validation = &v
	return nil
}

// withoutDuplicates returns the distinct values in the order in which they first occur.
func withoutDuplicates[E comparable](values []E) []E {
	var out []E
	for _, v := range values {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// parseShrinkage parses the value of --shrinkage.
func parseShrinkage(text string) (wda.Shrinkage, error) {
	var s wda.Shrinkage
	if s.UnmarshalText([]byte(text)) != nil {
		return s, usagef("--shrinkage must be auto or a number from 0 to 1e12, such as 0.5, not %q", text)
	}
	return s, nil
}

// methodNames lists the methods of the library.
func methodNames() string {
	var names []string
	for _, m := range wda.Methods() {
		names = append(names, m.String())
	}
	return strings.Join(names, ", ")
}

// methodHint suggests a method for a method name from other programs. It returns "" for an unknown
// name.
func methodHint(name string) string {
	switch strings.ToLower(name) {
	case "lda", "fda":
		return "; discriminant analysis is --method fisher"
	case "pca":
		return "; principal component analysis is --method principal"
	case "wda", "lbfgs", "l-bfgs":
		return "; leave the flag out to fit WDA by limited-memory BFGS"
	}
	return ""
}

// checkNeighbors checks the values of --k and returns them without duplicates.
func checkNeighbors(ks []int) ([]int, error) {
	for _, k := range ks {
		if err := checkRange("k", k, 1, math.MaxInt32); err != nil {
			return nil, err
		}
	}
	if len(ks) == 0 {
		return nil, usagef("--k needs at least one number of neighbors, such as 5")
	}
	return withoutDuplicates(ks), nil
}
