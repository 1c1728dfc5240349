package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
)

type fitFlags struct {
	read       readFlags
	rows       rowFlags
	objective  objectiveFlags
	data       string
	labels     string
	components int
	absolute   bool
	standard   bool
	shrinkage  string
	solver     string
	maxSteps   int
	tolerance  float64
	init       string
	model      string
}

func newFit(a *app) *cobra.Command {
	f := new(fitFlags)
	cmd := &cobra.Command{
		Use:   "fit --data FILE --model FILE [flags]",
		Short: "Fit a projection that separates classes",
		Long: `Fit finds the projection P (d × p, orthonormal columns) that maximises

    J(P) = σ_b² / (σ_w² + ρ·σ_w²(P⁰))

where σ_b² and σ_w² sum the entropic transport costs between and within the classes
of the projected samples after exactly L Sinkhorn iterations, P⁰ is the start and ρ
the shrinkage. λ is relative to the data: that of two classes is --lambda divided by
the mean squared distance of their samples in the start, unless --absolute or
--lambda-matrix says otherwise.

Features are used in their own units. Where these are of different kinds the largest
decides: --standardize divides each by its standard deviation, and keeps that in the
model.

Of an NPZ file with an array split the rows where it is 0 are used; --holdout and
--sample choose among the rows of any file.

The model is a file that numpy.load reads, too (arrays projection, mean, labels). An
interrupt (Ctrl-C) ends the fit with exit code 130 and writes no model.`,
		Example: `  monge fit --data wine.csv --model wine.wda
  monge fit --data wine.csv --label-column class -p 1 --model wine.wda
  monge fit --data X.csv --labels y.csv --shrinkage 0.5 --model x.wda
  monge fit --data mnist.npz --sample 1000 --seed 1 -p 10 --model digits.wda
  monge fit --data train-images-idx3-ubyte.gz --sample 1000 -p 20 --model digits.wda`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.fit(cmd, f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.data, "data", "", "file of samples (required)")
	fs.StringVar(&f.labels, "labels", "", "file of labels, if they are not in the data file; every column of a CSV file is then a feature")
	f.read.add(cmd)
	f.rows.add(cmd, "training rows")
	fs.StringVar(&f.model, "model", "", "file to write the model to (required)")
	fs.IntVarP(&f.components, "components", "p", 2, "p, the dimension to project to")
	f.objective.add(cmd)
	fs.BoolVar(&f.absolute, "absolute", false, "take --lambda as it is, not relative to the data")
	fs.BoolVar(&f.standard, "standardize", false, "divide every feature by its standard deviation first")
	fs.StringVar(&f.shrinkage, "shrinkage", "auto", "ρ ≥ 0, against overfitting; auto is 0.5 for fewer than five samples a feature, else 0")
	fs.StringVar(&f.solver, "solver", wda.Solver(0).String(), "one of "+solverNames())
	fs.IntVar(&f.maxSteps, "max-steps", 200, "most steps of the solver")
	fs.Float64Var(&f.tolerance, "tolerance", 0, "stop when the gradient's norm is this fraction of that at the start (default 1e-6, or 1e-4 with --float32)")
	fs.StringVar(&f.init, "init", "", "file of the start P⁰ (d × p, CSV without header or NPY; default the principal components)")
	return cmd
}

// settings checks the flags that need no data.
func (f *fitFlags) settings(cmd *cobra.Command) (*wda.Settings, error) {
	if err := requireFlags(cmd, "data", "model"); err != nil {
		return nil, err
	}
	s, err := f.objective.settings(cmd)
	if err != nil {
		return nil, err
	}
	if f.absolute && f.objective.lambdaMatrix != "" {
		return nil, usagef("--absolute and --lambda-matrix exclude each other")
	}
	s.Absolute, s.Standardize = f.absolute, f.standard
	if err := checkRange("components", f.components, 1, math.MaxInt32); err != nil {
		return nil, err
	}
	s.Components = f.components
	if s.Shrinkage, err = parseShrinkage(f.shrinkage); err != nil {
		return nil, err
	}
	if s.Solver, err = wda.ParseSolver(f.solver); err != nil {
		return nil, usagef("--solver must be one of %s, not %q", solverNames(), f.solver)
	}
	if err := checkRange("max-steps", f.maxSteps, 1, math.MaxInt32); err != nil {
		return nil, err
	}
	s.MaxSteps = f.maxSteps
	if cmd.Flags().Changed("tolerance") {
		if err := checkPositive("tolerance", f.tolerance); err != nil {
			return nil, err
		}
		s.Tolerance = f.tolerance
	}
	return s, f.rows.check()
}

// fitResult is what fit --json prints.
type fitResult struct {
	Objective    number   `json:"objective"`
	Steps        int      `json:"steps"`
	Evaluations  int      `json:"evaluations"`
	Gradients    int      `json:"gradients"`
	Seconds      number   `json:"seconds"`
	Solver       string   `json:"solver"`
	Status       string   `json:"status"`
	Converged    bool     `json:"converged"`
	Between      number   `json:"between"`
	Within       number   `json:"within"`
	Ridge        number   `json:"ridge"`
	GradientNorm number   `json:"gradient_norm"`
	Shrinkage    number   `json:"shrinkage"`
	Samples      int      `json:"samples"`
	Features     int      `json:"features"`
	Components   int      `json:"components"`
	Classes      []string `json:"classes"`
	Model        string   `json:"model"`
}

func (a *app) fit(cmd *cobra.Command, f *fitFlags) error {
	ctx := cmd.Context()
	set, err := f.settings(cmd)
	if err != nil {
		return err
	}
	if err := checkOutput(f.model, f.data, f.labels, f.init, f.objective.lambdaMatrix); err != nil {
		return err
	}
	all, err := f.read.readLabelled(f.data, f.labels)
	if err != nil {
		return err
	}
	d, err := f.rows.train(f.data, all)
	if err != nil {
		return err
	}
	if err := checkClasses(f.data, d, f.rows.sample > 0); err != nil {
		return err
	}
	if set.Components > columns(d) {
		return fmt.Errorf("%s: --components %d exceeds the %d features", f.data, set.Components, columns(d))
	}
	names := classNames(d)
	if f.objective.lambdaMatrix != "" {
		if set.LambdaMatrix, err = readLambdas(f.objective.lambdaMatrix, len(names)); err != nil {
			return err
		}
	}
	if f.init != "" {
		if set.Init, err = readStart(f.init, columns(d), set.Components); err != nil {
			return err
		}
	}
	m, err := a.fitModel(ctx, d, set)
	if err != nil {
		return inFile(f.data, explain(err))
	}
	if err := m.SetClassNames(names); err != nil {
		return err
	}
	if err := saveModel(ctx, f.model, m); err != nil {
		return err
	}
	r := m.Report()
	out := fitResult{
		Objective: number(r.Objective), Steps: r.Steps, Evaluations: r.Evaluations.Values, Gradients: r.Evaluations.Gradients,
		Seconds: number(r.Elapsed.Seconds()), Solver: r.Solver.String(), Status: r.Status.String(), Converged: r.Status.Converged(),
		Between: number(r.Between), Within: number(r.Within), Ridge: number(r.Ridge), GradientNorm: number(r.GradientNorm),
		Shrinkage: number(r.Settings.Shrinkage), Samples: d.Len(), Features: columns(d), Components: r.Settings.Components,
		Classes: names, Model: f.model,
	}
	return a.report(out, func(w io.Writer) {
		fmt.Fprintf(w, "samples\t%d of %d features, %d classes (%s)\n", out.Samples, out.Features, len(names), list(names, 60))
		fmt.Fprintf(w, "projection\t%d → %d dimensions\n", out.Features, out.Components)
		fmt.Fprintf(w, "J\t%.10g\n", r.Objective)
		fmt.Fprintf(w, "between, within\t%.6g, %.6g\n", r.Between, r.Within)
		fmt.Fprintf(w, "ridge\t%.6g (shrinkage %g)\n", r.Ridge, r.Settings.Shrinkage)
		fmt.Fprintf(w, "solver\t%s: %s after %d steps, %d evaluations, %.3g s\n", out.Solver, out.Status, out.Steps, out.Evaluations, r.Elapsed.Seconds())
		fmt.Fprintf(w, "model\t%s\n", f.model)
	})
}

// fitModel fits with a progress bar.
func (a *app) fitModel(ctx context.Context, d *dataset.Dataset, set *wda.Settings) (*wda.Model, error) {
	b := a.bar("fit", set.MaxSteps)
	defer b.done()
	set.Progress = func(s wda.Step) error {
		b.set(s.Index, fmt.Sprintf("J = %-12.8g", s.Objective))
		return nil
	}
	m, err := wda.Fit(ctx, d.X, d.Labels, set)
	if err != nil {
		// The best projection so far is no result that anyone asked for.
		return nil, err
	}
	return m, nil
}

// explain adds what to look at when the ratio has no value.
func explain(err error) error {
	if errors.Is(err, wda.ErrNoSpread) {
		return fmt.Errorf("%w (rows coincide, or λ is so large that every sample is transported to itself)", err)
	}
	return err
}

// saveModel writes a model unless an interrupt came in the meantime.
func saveModel(ctx context.Context, path string, m *wda.Model) error {
	b, err := m.MarshalBinary()
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return dataset.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// list joins names up to about so many characters.
func list(names []string, most int) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > most {
			b.WriteString("…")
			break
		}
		b.WriteString(n)
	}
	return b.String()
}
