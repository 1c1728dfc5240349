package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"
)

type cvFlags struct {
	trainFlags
	rows       rowFlags
	objective  objectiveFlags
	solver     solverFlags
	components []int
	lambda     []float64
	shrinkage  []string
	ks         []int
	folds      int
	csv        string
	model      string
}

func newCV(a *app) *cobra.Command {
	f := new(cvFlags)
	cmd := &cobra.Command{
		Use:   "cv --data FILE [flags]",
		Short: "Choose settings by cross-validation",
		Long: `Cv compares settings by cross-validation: it fits with each combination of -p,
--lambda, --shrinkage and --k, and counts how many rows that the fit did not see are
classified wrongly. It prints the settings from best to worst.`,
		Example: `  monge cv --data wine.csv --standardize
  monge cv --data wine.csv --whitening diagonal
  monge cv --data wine.csv -p 1,2 --lambda 0.1,1,10 --shrinkage 0,0.5 --model wine.wda
  monge cv --data mnist.npz --sample 1000 -p 10,20 --lambda 1 --shrinkage 0.5,1 --csv digits.csv`,
		Annotations: map[string]string{details: cvDetails},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.cv(cmd, f) },
	}
	fs := cmd.Flags()
	f.trainFlags.add(a, cmd)
	f.rows.add(cmd, "the training rows")
	fs.Lookup("seed").Usage = fitSeedUsage
	fs.IntSliceVarP(&f.components, "components", "p", []int{2}, "`p`: numbers of dimensions to project to")
	fs.Float64SliceVar(&f.lambda, "lambda", []float64{0.3, 1, 3}, lambdaUsage+"; several values are separated by commas")
	fs.Lookup("lambda").DefValue = "[0.3,1,3]" // pflag has zeros behind
	fs.StringSliceVar(&f.shrinkage, "shrinkage", []string{"0", "0.1", "0.5"}, "`ρ`: protection against overfitting: 0 for none, 1 to be cautious; several values are separated by commas")
	fs.IntSliceVar(&f.ks, "k", nil, "`K`: numbers of neighbors that vote (default 1,3,5,…,19)")
	fs.IntVar(&f.folds, "folds", 5, "`NUMBER`: parts to divide the rows into")
	fs.StringVar(&f.csv, "csv", "", "`FILE`: where to write the whole table, with the error of every fold")
	fs.StringVar(&f.model, "model", "", "`FILE`: where to write a model that is fitted to all rows with the best settings")
	f.objective.addShared(cmd)
	f.solver.add(cmd)
	for name, used := range map[string]string{"whitening": "none", "scale": "orthonormal"} {
		flag := fs.Lookup(name)
		flag.Usage = strings.Replace(flag.Usage, "; auto, chosen on held-out rows", "", 1) + " (default " + used + ")"
		flag.DefValue = ""
	}
	first(cmd, "data", "components", "lambda", "shrinkage", "k", "folds", "model", "csv", "standardize", "labels", "label-column")
	return cmd
}

const cvDetails = `
The rows are divided into --folds parts at random, every class evenly. Each part is
once the test set of a fit to the others. The error of a setting is the mean over the
parts, and "± sd" is the standard deviation from part to part. Of equally good
settings the one that is first on the command line is printed first.

--model fits the best setting to all rows, as monge fit would, and keeps the projected
rows in the model, so that monge predict can classify with the best K.

The other flags are those of monge fit, with one difference: cv chooses none of them.
Unless they are given, features are not whitened and components are orthonormal. If
the features have different units, give --standardize or --whitening diagonal.

The number of fits is the number of combinations of -p, --lambda and --shrinkage,
times the number of parts. One fit runs on each CPU. The result depends on --seed, not
on the number of CPUs.`

// settings checks the flags that need no data.
func (f *cvFlags) settings(cmd *cobra.Command) (*wda.CrossValidation, error) {
	if err := requireFlags(cmd, "data"); err != nil {
		return nil, err
	}
	if f.csv != "" {
		if _, err := extension("csv", f.csv, ".csv"); err != nil {
			return nil, err
		}
	}
	f.objective.lambda = 1 // of no use, but checked
	set, err := f.objective.settings(cmd)
	if err != nil {
		return nil, err
	}
	set.Seed = f.rows.seed
	if err := f.solver.apply(cmd, set); err != nil {
		return nil, err
	}
	cv := &wda.CrossValidation{Fit: *set, Folds: f.folds, Components: distinct(f.components)}
	for _, l := range distinct(f.lambda) {
		if err := checkPositive("lambda", l); err != nil {
			return nil, err
		}
		lambda := wda.RelativeLambda(l)
		if f.solver.absolute {
			lambda = wda.AbsoluteLambda(l)
		}
		cv.Lambda = append(cv.Lambda, lambda)
	}
	for _, text := range f.shrinkage {
		rho, err := parseShrinkage(text)
		if err != nil {
			return nil, err
		}
		cv.Shrinkage = append(cv.Shrinkage, rho)
	}
	cv.Shrinkage = distinct(cv.Shrinkage)
	if f.solver.paper {
		paper := wda.PaperSettings(2)
		if !cmd.Flags().Changed("lambda") {
			cv.Lambda = []wda.Lambda{paper.Objective.Lambda}
		}
		if !cmd.Flags().Changed("shrinkage") {
			cv.Shrinkage = []wda.Shrinkage{paper.Objective.Shrinkage}
		}
	}
	for _, c := range []struct {
		name   string
		values int
	}{{"components", len(cv.Components)}, {"lambda", len(cv.Lambda)}, {"shrinkage", len(cv.Shrinkage)}} {
		if c.values == 0 {
			return nil, usagef("--%s needs at least one value; leave it out for the default", c.name)
		}
	}
	for _, p := range cv.Components {
		if err := checkRange("components", p, 1, math.MaxInt32); err != nil {
			return nil, err
		}
	}
	if cmd.Flags().Changed("k") {
		if cv.Neighbors, err = checkNeighbors(f.ks); err != nil {
			return nil, err
		}
	}
	if err := checkRange("folds", f.folds, 2, math.MaxInt32); err != nil {
		return nil, err
	}
	return cv, f.rows.check()
}

// checkFolds refuses what cannot be divided as cv says.
func (f *cvFlags) checkFolds(d *dataset.Dataset, cv *wda.CrossValidation) error {
	if f.folds > d.Len() {
		return fmt.Errorf("%s: --folds %d exceeds the %d rows; use fewer", f.data, f.folds, d.Len())
	}
	for c, n := range d.Counts() {
		// The largest part of a class, and the rest, of which a fit needs two.
		if part := (n + f.folds - 1) / f.folds; n > 0 && n-part < 2 {
			return fmt.Errorf("%s: class %s has too few rows for so many folds: of %d, --folds %d leaves %d to fit to, and two are needed; use fewer folds", f.data, quoteShort(d.Classes[c]), n, f.folds, n-part)
		}
	}
	if p := slices.Max(cv.Components); p > columns(d) {
		return fmt.Errorf("%s: --components %d exceeds the %d features; use fewer", f.data, p, columns(d))
	}
	left := d.Len() - (d.Len()+f.folds-1)/f.folds
	for _, k := range cv.Neighbors {
		if k > left {
			return fmt.Errorf("%s: --k %d exceeds the %d rows outside the largest fold; use fewer neighbors or more folds", f.data, k, left)
		}
	}
	return nil
}

// shrinkage is ρ as JSON has it: a number, or "auto".
type shrinkage struct{ wda.Shrinkage }

// MarshalJSON implements json.Marshaler.
func (r shrinkage) MarshalJSON() ([]byte, error) {
	if r.IsAuto() {
		return json.Marshal(r.String())
	}
	return json.Marshal(r.Value())
}

// cvRow is one setting and its errors.
type cvRow struct {
	Components int       `json:"components"`
	Lambda     float64   `json:"lambda"`
	Shrinkage  shrinkage `json:"shrinkage"`
	K          int       `json:"k"`
	Error      float64   `json:"error"`
	StdDev     float64   `json:"std_dev"` // from fold to fold
	Errors     []float64 `json:"errors"`  // of the folds
}

type cvResult struct {
	Best cvRow `json:"best"`
	// All settings, by their errors.
	Candidates []cvRow  `json:"candidates"`
	Folds      int      `json:"folds"`
	Fits       int      `json:"fits"`
	Seconds    number   `json:"seconds"`
	Samples    int      `json:"samples"`
	Features   int      `json:"features"`
	Classes    []string `json:"classes"`
	Warnings   []string `json:"warnings,omitempty"`
	CSV        string   `json:"csv,omitempty"`
	Model      string   `json:"model,omitempty"`
	Hash       string   `json:"hash,omitempty"` // of what predictions with the model depend on
}

func (a *app) cv(cmd *cobra.Command, f *cvFlags) error {
	cv, err := f.settings(cmd)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	for _, out := range []string{f.csv, f.model} {
		if out == "" {
			continue
		}
		if err := checkOutput(out, f.data, f.labels); err != nil {
			return err
		}
	}
	if f.csv != "" && f.csv == f.model {
		return usagef("--csv and --model name the same file; give each its own")
	}
	a.shown().plan(step{"the fits to folds", 0})
	d, err := f.train(&f.rows, maxClass)
	if err != nil {
		return err
	}
	if err := f.checkFolds(d, cv); err != nil {
		return err
	}
	began := time.Now()
	found, err := a.crossValidate(ctx, d, cv, f.model != "")
	if err != nil {
		return inFile(f.data, explain(err))
	}
	out := cvResult{
		Folds: f.folds, Fits: f.folds * len(cv.Components) * len(cv.Lambda) * len(cv.Shrinkage), Seconds: number(time.Since(began).Seconds()),
		Samples: d.Len(), Features: columns(d), Classes: classNames(d), CSV: f.csv, Model: f.model,
	}
	for _, c := range found.Candidates {
		out.Candidates = append(out.Candidates, cvRow{
			Components: c.Components, Lambda: c.Lambda.Value(), Shrinkage: shrinkage{c.Shrinkage}, K: c.Neighbors,
			Error: c.Error, StdDev: stat.StdDev(c.Errors, nil), Errors: c.Errors,
		})
	}
	// Equally good ones stay in their order: the first is the best of the library, too.
	slices.SortStableFunc(out.Candidates, func(a, b cvRow) int { return cmp.Compare(a.Error, b.Error) })
	out.Best = out.Candidates[0]
	var m *wda.Model
	if f.model != "" {
		if m, err = a.fitModel(ctx, d.X, d.Labels, &found.Settings); err != nil {
			return inFile(f.data, explain(err))
		}
		if m, err = m.WithClassNames(out.Classes); err != nil {
			return inFile(f.data, err)
		}
		if m, err = m.WithSchema(d.Schema); err != nil {
			return inFile(f.data, err)
		}
		out.Warnings = a.warn(m.Report().Warnings, d.Classes)
	}
	if err := out.save(ctx, m, d); err != nil {
		return err
	}
	return a.report(out, func(w io.Writer) {
		fmt.Fprintf(w, "%d rows, %d features, %d classes (%s)\n", out.Samples, out.Features, len(out.Classes), list(out.Classes, 60))
		fmt.Fprintf(w, "%d settings compared on %d parts of the rows: %d fits in %.3g s\n\n", len(out.Candidates), out.Folds, out.Fits, float64(out.Seconds))
		out.print(w)
		if out.CSV != "" || out.Model != "" {
			fmt.Fprintln(w)
		}
		if out.CSV != "" {
			fmt.Fprintf(w, "all settings\t%s\n", out.CSV)
		}
		if out.Model != "" {
			fmt.Fprintf(w, "model of the best setting\t%s\n", out.Model)
		}
	})
}

// save writes the table and the model, both or none.
func (r *cvResult) save(ctx context.Context, m *wda.Model, d *dataset.Dataset) error {
	var files []*outfile.File
	add := func(path string, write func(io.Writer) error) error {
		file, err := outfile.Create(path)
		if err != nil {
			return err
		}
		files = append(files, file)
		return write(file)
	}
	defer func() {
		for _, f := range files {
			f.Abort()
		}
	}()
	if r.CSV != "" {
		if err := add(r.CSV, r.writeCSV); err != nil {
			return err
		}
	}
	if m != nil {
		file, c, err := modelFile(ctx, m, d, keeping{k: r.Best.K})
		if err != nil {
			return err
		}
		if err := add(r.Model, bytesOf(file)); err != nil {
			return err
		}
		r.Hash = contentHash(m, c)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return outfile.Commit(files...)
}

const fittingFolds = "fitting to folds"

// crossValidate does so with a progress bar. model says that a fit to all rows follows.
func (a *app) crossValidate(ctx context.Context, d *dataset.Dataset, cv *wda.CrossValidation, model bool) (*wda.CrossValidated, error) {
	fits := cv.Folds * len(cv.Components) * len(cv.Lambda) * len(cv.Shrinkage)
	b := a.bar(fittingFolds, fits)
	defer b.finished()
	b.plan(step{fittingFolds, float64(fits)})
	if model { // a fit to all rows; its time grows with the square of these
		all := float64(cv.Folds) / float64(cv.Folds-1)
		b.plan(step{fittingFolds, float64(fits)}, step{fitting, all * all})
	}
	cv.Progress = func(p wda.Progress) error {
		b.set(p.Done, "")
		return nil
	}
	return wda.CrossValidate(ctx, d.X, d.Labels, cv)
}

// print writes the best settings as a table.
func (r *cvResult) print(w io.Writer) {
	const most = 20
	fmt.Fprint(w, "\tp\tλ\tρ\tK\terror\t± sd\n")
	for i, c := range r.Candidates[:min(most, len(r.Candidates))] {
		mark := " "
		if i == 0 {
			mark = "*"
		}
		fmt.Fprintf(w, "%s\t%d\t%g\t%v\t%d\t%s\t%s\n", mark, c.Components, c.Lambda, c.Shrinkage, c.K, percent(c.Error), percent(c.StdDev))
	}
	if n := len(r.Candidates) - most; n > 0 {
		fmt.Fprintf(w, "(%d more: --csv writes all)\n", n)
	}
	fmt.Fprintf(w, "\n* is the best setting: the lowest mean error over %d parts. ± sd is the standard deviation from part to part.\n", r.Folds)
}

// writeCSV writes all settings.
func (r *cvResult) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := []string{"components", "lambda", "shrinkage", "k", "error", "std_dev"}
	for i := range r.Folds {
		head = append(head, fmt.Sprintf("fold%d", i+1))
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, c := range r.Candidates {
		row := []string{strconv.Itoa(c.Components), shortest(c.Lambda), c.Shrinkage.String(), strconv.Itoa(c.K), shortest(c.Error), shortest(c.StdDev)}
		for _, e := range c.Errors {
			row = append(row, shortest(e))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
