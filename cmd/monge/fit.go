package main

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

type fitFlags struct {
	trainFlags
	rows       rowFlags
	objective  objectiveFlags
	solver     solverFlags
	components int
	leading    int
	mixture    int
	use        string
	shrinkage  string
	init       string
	k          int
	reject     rejectFlags
	store      storeFlag
	model      string
	outOfCore  bool
}

func newFit(a *app) *cobra.Command {
	f := new(fitFlags)
	cmd := &cobra.Command{
		Use:   "fit --data FILE --model FILE [flags]",
		Short: "Fit a projection that separates classes",
		Long: `Fit learns a projection from labeled rows and writes it to a model file. The
projection maps rows to a few dimensions that keep the classes apart. Fit chooses
settings that are not given by comparing candidates on held-out rows.`,
		Example: `  monge fit --data wine.csv --model wine.wda
  monge fit --data wine.csv --holdout 0.5 --k 5 --model wine.wda    # then: monge eval
  monge fit --data wine.csv --k 5 --reject 0.1 --model strict.wda   # then: monge predict --reject
  monge fit --data mnist.npz --sample 1000 -p 16 --k 5 --store pq:8 --model small.wda
  monge fit --data mnist.npz --sample 1000 -p 10 --model digits.wda`,
		Annotations: map[string]string{details: fitDetails},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.fit(cmd, f) },
	}
	fs := cmd.Flags()
	f.trainFlags.add(a, cmd)
	f.rows.add(cmd, "the training rows")
	fs.StringVar(&f.model, "model", "", "`FILE`: where to write the model (required)")
	fs.IntVarP(&f.components, "components", "p", 2, "`p`: number of dimensions to project to")
	fs.IntVar(&f.k, "k", 0, "store the projected training rows in the model, so that monge predict can classify by the `K` nearest rows (default store none)")
	f.store.add(cmd)
	f.reject.add(cmd)
	addUnknown(cmd, &f.rows.unknown, "leave the rows of these classes out of the fit. With --reject they are examples of rows to reject, and the score is chosen to tell them apart (default none)")
	f.addFitFlags(cmd)
	f.objective.add(cmd)
	lambda := fs.Lookup("lambda")
	lambda.Value, lambda.DefValue = &numberOrAuto{lambda.Value, true}, auto
	f.solver.add(cmd)
	fs.Lookup("seed").Usage = fitSeedUsage
	setMainFlags(cmd, "data", "model", "components", "k", "store", "reject", "labels", "label-column", "standardize", "holdout", "sample", "seed")
	return cmd
}

// addFitFlags adds the flags that the command cv does not have, and those for which cv accepts
// several values.
func (f *fitFlags) addFitFlags(cmd *cobra.Command) {
	fs := cmd.Flags()
	func() {
		defer groupFlags(cmd, methodFlags)()
		fs.StringVar(&f.shrinkage, "shrinkage", "auto", "`ρ`: protection against overfitting: 0 for none, 1 to be cautious, or auto, chosen on held-out rows")
		fs.IntVar(&f.leading, "leading", 0, "`NUMBER`: how many components are informative. J uses only these, and the others are scaled to almost zero (default chosen on held-out rows)")
		fs.IntVar(&f.mixture, "mixture", 0, "`NUMBER`: combine the projections of at most this many candidates whose errors on held-out rows do not differ significantly; 1 uses only the best candidate (default 3 for fewer than 1000 rows, else 1)")
		fs.StringVar(&f.use, "for", wda.UseNeighbors.String(), "`NAME`: the classifier that will use the projection. Settings that are not given are compared by its loss. One of neighbors; linear, such as logistic regression; centroid, the nearest class mean")
		completeValues(cmd, "for", "neighbors", "linear", "centroid")
	}()
	defer groupFlags(cmd, optimizerFlags)()
	fs.StringVar(&f.init, "init", "", "`FILE`: file with the projection to start from: d × p numbers, CSV without a header or NPY (default the principal components)")
	addOutOfCore(cmd, &f.outOfCore)
}

const fitDetails = `
The projection P maximizes

    J(P) = σ_b² / (σ_w² + ρ·σ_w²(P⁰)).

σ_b² is the sum of the entropic transport costs between the classes, and σ_w² the
sum within the classes, of the projected rows after exactly L Sinkhorn iterations.
P⁰ is the start, and ρ the shrinkage. λ is relative to the data: for two classes it
is --lambda divided by the mean squared distance of their rows at the start, unless
--absolute or --lambda-matrix says otherwise.

Methods: auto looks for a good start and continues with limited-memory BFGS; cg is
conjugate gradient, sd steepest descent, and pg the projected gradient of the paper.
eigen and eigen-trace repeat an eigenvalue problem. minibatch is for many rows.
principal gives the principal components (PCA), fisher gives discriminant analysis;
both need no optimizer.

Features are used in their own units. If the units differ, the feature with the
largest numbers decides the result: --standardize divides each feature by its
standard deviation, and the model remembers it.

In an NPZ file with an array split, fit uses the rows whose split is 0. --holdout and
--sample select rows of any file.

With few rows, the projection that fits them best may be bad for other rows. --shrinkage
prevents this. --validation holds out some rows of every class and keeps the projection
of the step that classifies these rows best. monge cv compares settings.

If fit chooses settings, it computes J on at most 4096 rows. If all settings are given,
the time grows with the square of the number of rows: use --method minibatch from a few
thousand rows on. It needs twice the memory of the data, and computes J on at most 4096
rows. With --out-of-core the rows of an uncompressed NPY, NPZ or IDX file stay in the
file; this is the default if they need more than 2 GiB. Fit then reads all rows once to
check them, and draws mini-batches from the file. It needs a few hundred megabytes and
40 bytes for each row, and --k stores a sample of at most 65536 rows
and 8388608 numbers.

With --k the model stores projected training rows. --store makes them smaller: int8
rounds each component, and pq replaces parts of a row by learned vectors. Queries are
not rounded. monge eval prints the loss of accuracy, the size of the rows and the time
of a query.

numpy.load can also read the model file (arrays projection, mean, labels). An interrupt
(Ctrl-C) ends the fit with exit code 130; no model is written.`

// settings checks the flags that can be checked without the data, and returns the settings.
func (f *fitFlags) settings(cmd *cobra.Command) (*wda.Settings, error) {
	if err := requireFlags(cmd, "data", "model"); err != nil {
		return nil, err
	}
	s, err := f.objective.settings(cmd)
	if err != nil {
		return nil, err
	}
	if f.solver.absolute && f.objective.lambdaMatrix != "" {
		return nil, exclusiveFlagsError("--absolute", "--lambda-matrix")
	}
	if f.solver.absolute && s.Objective.Lambda.IsAuto() && !f.solver.paper {
		return nil, usagef("--absolute needs a number for --lambda")
	}
	if err := checkRange("components", f.components, 1, math.MaxInt32); err != nil {
		return nil, err
	}
	if err := checkRange("leading", f.leading, 0, f.components); err != nil {
		return nil, err
	}
	if err := checkRange("mixture", f.mixture, 0, math.MaxInt32); err != nil {
		return nil, err
	}
	if err := s.For.UnmarshalText([]byte(f.use)); err != nil || s.For == wda.UseAuto {
		return nil, usagef("--for must be neighbors, linear or centroid, not %q", f.use)
	}
	s.Components, s.Leading, s.Mixture, s.Seed = f.components, f.leading, wda.MixtureOf(f.mixture), f.rows.seed
	if f.mixture == 0 {
		s.Mixture = wda.Mixture{}
	}
	if s.Objective.Shrinkage, err = parseShrinkage(f.shrinkage); err != nil {
		return nil, err
	}
	if f.solver.paper {
		paper := wda.PaperSettings(f.components)
		if !cmd.Flags().Changed("lambda") {
			s.Objective.Lambda = paper.Objective.Lambda
		}
		if !cmd.Flags().Changed("shrinkage") {
			s.Objective.Shrinkage = paper.Objective.Shrinkage
		}
	}
	if err := f.solver.apply(cmd, s); err != nil {
		return nil, err
	}
	if err := checkRange("k", f.k, 0, math.MaxInt32); err != nil {
		return nil, err
	}
	if err := f.store.check(cmd, f.k); err != nil {
		return nil, err
	}
	if err := f.reject.check(cmd, f.k, f.outOfCore); err != nil {
		return nil, err
	}
	return s, f.rows.check()
}

// fitResult is the output of fit --json.
type fitResult struct {
	Objective    number `json:"objective"`
	Steps        int    `json:"steps"`
	Evaluations  int    `json:"evaluations"`
	Gradients    int    `json:"gradients"`
	Seconds      number `json:"seconds"`
	Solver       string `json:"method"`
	Status       string `json:"status"`
	Converged    bool   `json:"converged"`
	Between      number `json:"between"`
	Within       number `json:"within"`
	Ridge        number `json:"ridge"`
	GradientNorm number `json:"gradient_norm"`
	Shrinkage    number `json:"shrinkage"`
	Lambda       string `json:"lambda"`
	Whitening    string `json:"whitening"`
	Scale        string `json:"scale"`
	For          string `json:"for"`
	// Ratios has the ratio between/within of each component. Choice has the candidates that were
	// compared to choose settings, the best candidate first. If Mixed is not 0, the projection is a
	// mixture of the first Mixed candidates.
	Ratios  []number `json:"ratios"`
	Choice  []choice `json:"choice,omitempty"`
	Mixed   int      `json:"mixed,omitempty"`
	Samples int      `json:"samples"`
	// FileRows is the number of rows of the file, if it is more than Samples. The other rows were
	// held out, dropped, or not in the sample.
	FileRows int `json:"file_rows,omitempty"`
	// ObjectiveSamples is the number of samples in an evaluation of the objective.
	ObjectiveSamples int      `json:"objective_samples"`
	Features         int      `json:"features"`
	Components       int      `json:"components"`
	Leading          int      `json:"leading"` // the components that count
	Classes          []string `json:"classes"`
	// StartObjectives has the final objective of each start of the optimizer, with --starts.
	StartObjectives []number `json:"start_objectives,omitempty"`
	// Maxima has the distinct values of StartObjectives, the largest value first, and the number of
	// starts that reached each value.
	Maxima []maximum `json:"maxima,omitempty"`
	// ValidationError is the error of the result on the held-out rows, with --validation.
	ValidationError *number `json:"validation_error,omitempty"`
	K               int     `json:"k,omitempty"`
	// With --k, Storage describes how rows are stored, RowBytes is the size of one row, and Bytes
	// is the size of all rows and codebooks.
	Storage  string `json:"storage,omitempty"`
	RowBytes int    `json:"row_bytes,omitempty"`
	Bytes    int    `json:"bytes,omitempty"`
	// With --reject, RejectRate is the rejection rate, and Calibration is the number of calibration
	// rows.
	RejectRate  number    `json:"reject_rate,omitempty"`
	Calibration int       `json:"calibration_rows,omitempty"`
	Warnings    []warning `json:"warnings,omitempty"`
	Model       string    `json:"model"`
	Hash        string    `json:"hash"` // hash of everything that predictions depend on
}

// maximum is a final value of the objective, and the number of starts of the optimizer that reached
// it.
type maximum struct {
	Objective number `json:"objective"`
	Starts    int    `json:"starts"`
}

// choice is a candidate that was compared with others to choose the settings.
type choice struct {
	Method    string  `json:"method"`
	Whitening string  `json:"whitening"`
	Shrinkage float64 `json:"shrinkage"`
	Lambda    string  `json:"lambda"`
	Scale     string  `json:"scale"`
	Loss      number  `json:"loss"`
	Error     number  `json:"error"`
	Folds     int     `json:"folds"`
}

func newChoice(m wda.Member) choice {
	return choice{m.Method.String(), m.Whitening.String(), m.Shrinkage.Value(), m.Lambda.String(), m.Scale.String(), number(m.Loss), number(m.Error), m.Folds}
}

func (a *app) fit(cmd *cobra.Command, f *fitFlags) error {
	set, err := f.settings(cmd)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if err := checkOutput(f.model, f.data, f.labels, f.init, f.objective.lambdaMatrix); err != nil {
		return err
	}
	a.currentBar().plan(fitStep)
	all, err := f.openTraining(&f.rows, set, f.outOfCore)
	if err != nil {
		return err
	}
	defer all.close()
	d := all.kept
	var reject *rejectionData
	if f.reject.rate > 0 {
		reject = &rejectionData{rate: f.reject.rate, unknown: f.rows.unknownRows}
		if all, err = reject.split(f.data, all, f.rows.seed); err != nil {
			return err
		}
		d = all.kept
	}
	if !cmd.Flags().Changed("components") {
		set.Components = min(set.Components, columnCount(d))
	}
	if set.Components > columnCount(d) {
		return fmt.Errorf("%s: --components %d exceeds the %d features; use fewer", f.data, set.Components, columnCount(d))
	}
	if err := f.store.checkComponents(set.Components); err != nil {
		return err
	}
	if f.k > d.Len() {
		return fmt.Errorf("%s: --k %d exceeds the %d training rows; use fewer neighbors", f.data, f.k, d.Len())
	}
	names := classNames(d)
	if f.objective.lambdaMatrix != "" {
		l, err := f.readLambdas(f.objective.lambdaMatrix, len(names))
		if err != nil {
			return err
		}
		set.Objective.Lambda = wda.LambdaMatrix(l)
	}
	if f.init != "" {
		if set.Optimizer.Init, err = f.readStart(f.init, columnCount(d), set.Components); err != nil {
			return err
		}
	}
	m, err := a.fitModel(ctx, all.x, all.labels, set)
	if err != nil {
		return withPath(f.data, explainNoSpread(err))
	}
	if m, err = m.WithClassNames(names); err != nil {
		return withPath(f.data, err)
	}
	if m, err = m.WithSchema(d.Schema); err != nil {
		return withPath(f.data, err)
	}
	c, err := saveModel(ctx, f.model, m, d, rowStorage{f.k, f.store.is, reject})
	if err != nil {
		return err
	}
	r := m.Report()
	out := f.newResult(&r, d, len(all.labels))
	if f.fileRows > out.Samples {
		out.FileRows = f.fileRows
	}
	if reject != nil {
		out.RejectRate, out.Calibration = number(reject.rate), reject.held.Len()
	}
	if c != nil {
		s := newStorageResult(c)
		out.Storage, out.RowBytes, out.Bytes = s.Storage, s.RowBytes, s.Bytes
	}
	out.Warnings, out.Model, out.Hash = a.warn(m, d.Classes), f.model, contentHash(m, c)
	return a.report(out, func(w io.Writer) { out.print(w, &r, !cmd.Flags().Changed("max-steps")) })
}

// newResult returns the output of the command fit. r is the report of the fit, and samples is the
// number of samples. newResult takes the features and the classes from d.
func (f *fitFlags) newResult(r *wda.Report, d *dataset.Dataset, samples int) *fitResult {
	out := &fitResult{
		Objective: number(r.Objective), Steps: r.Steps, Evaluations: r.Evaluations.Values, Gradients: r.Evaluations.Gradients,
		Seconds: number(r.Elapsed.Seconds()), Solver: r.Settings.Optimizer.Method.String(), Status: r.Status.String(), Converged: r.Status.Converged(),
		Between: number(r.Between), Within: number(r.Within), Ridge: number(r.Ridge), GradientNorm: number(r.GradientNorm),
		Shrinkage: number(r.Settings.Objective.Shrinkage.Value()), Lambda: r.Settings.Objective.Lambda.String(), Whitening: r.Settings.Data.Whitening.String(), Scale: r.Settings.Scale.String(), For: r.Settings.For.String(),
		Samples: samples, ObjectiveSamples: r.ObjectiveSamples, Features: columnCount(d), Components: r.Settings.Components, Leading: r.Settings.Leading,
		Classes: classNames(d), K: f.k,
	}
	for _, v := range r.Ratios {
		out.Ratios = append(out.Ratios, number(v))
	}
	if r.Choice != nil {
		out.Mixed = r.Choice.Mixed
		for _, m := range r.Choice.Members {
			out.Choice = append(out.Choice, newChoice(m))
		}
	}
	if r.Settings.Optimizer.Starts > 1 {
		for _, j := range r.StartObjectives {
			out.StartObjectives = append(out.StartObjectives, number(j))
		}
		for i, j := range r.Maxima {
			out.Maxima = append(out.Maxima, maximum{number(j), r.LedTo[i]})
		}
	}
	if f.solver.validation > 0 {
		e := number(r.ValidationError)
		out.ValidationError = &e
	}
	return out
}

const (
	comparing, fitting = "comparing settings on held-out rows", "fitting"

	// fitShare is the time of the final fit, divided by the time to choose its settings. Measured
	// values on seven data sets of 178 to 3000 rows are between 0 and 0.27.
	fitShare = 0.1
)

// fitStep is the phase that begins after the training rows have been read.
var fitStep = step{"the fit", 0}

// fitModel fits with a progress bar.
func (a *app) fitModel(ctx context.Context, x mat.Matrix, labels []int, set *wda.Settings) (*wda.Model, error) {
	b := a.startPhase("preparing the rows", -1)
	defer b.finished()
	set.Progress = func(p wda.Progress) error {
		switch p.Phase {
		case wda.PhaseChoice:
			b.plan(step{comparing, 1}, step{fitting, fitShare})
			b.phase(comparing, p.Total, false)
			b.setDone(p.Done, "")
			return nil
		case wda.PhaseBatches:
			b.phase("fitting to mini-batches", p.Total, true)
		default:
			b.phase(fitting, p.Total, true)
		}
		b.setDone(p.Done, fmt.Sprintf("J = %.6g", p.Step.Objective))
		return nil
	}
	m, err := wda.Fit(ctx, x, labels, set)
	if err != nil {
		// wda.Fit may return a model together with an error. Drop the model.
		return nil, err
	}
	return m, nil
}

// explainNoSpread adds advice to wda.ErrNoSpread.
func explainNoSpread(err error) error {
	if errors.Is(err, wda.ErrNoSpread) {
		return fmt.Errorf("%w: rows coincide, or --lambda is so large that every row is transported to itself", err)
	}
	return err
}

// encodeModel returns the contents of a model file and the classifier in the file. The classifier
// is nil if the model keeps no rows.
func encodeModel(ctx context.Context, m *wda.Model, d *dataset.Dataset, keep rowStorage) ([]byte, *wda.Classifier, error) {
	c, err := keep.classifier(ctx, m, d)
	if err != nil {
		return nil, nil, err
	}
	var what encoding.BinaryMarshaler = m
	if c != nil {
		what = c
	}
	file, err := what.MarshalBinary()
	return file, c, err
}

// saveModel writes the model file that encodeModel returns, and returns the classifier. It writes
// nothing if ctx is done.
func saveModel(ctx context.Context, path string, m *wda.Model, d *dataset.Dataset, keep rowStorage) (*wda.Classifier, error) {
	file, c, err := encodeModel(ctx, m, d, keep)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return c, outfile.WriteFile(path, writeBytes(file))
}

// writeBytes returns a function that writes b.
func writeBytes(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}
