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
	lambda     []string
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
--lambda, --shrinkage and --k, and counts the held-out rows that are classified wrongly.
It prints the settings from best to worst. Settings that are not given are chosen in
every fit, as monge fit chooses them.`,
		Example: `  monge cv --data wine.csv                        # the error of monge fit, for every K
  monge cv --data wine.csv -p 1,2 --model wine.wda
  monge cv --data wine.csv --whitening diagonal --lambda 0.1,1,10 --shrinkage auto,0,0.5
  monge cv --data mnist.npz --sample 1000 -p 10,20 --lambda 1 --shrinkage 0.5,1 --csv digits.csv`,
		Annotations: map[string]string{details: cvDetails},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.cv(cmd, f) },
	}
	fs := cmd.Flags()
	f.trainFlags.add(a, cmd)
	f.rows.add(cmd, "the training rows")
	fs.Lookup("seed").Usage = fitSeedUsage
	fs.IntSliceVarP(&f.components, "components", "p", []int{2}, "`p`: numbers of dimensions to project to")
	fs.StringSliceVar(&f.lambda, "lambda", []string{auto}, lambdaUsage+"; auto, chosen on held-out rows; several values are separated by commas")
	fs.StringSliceVar(&f.shrinkage, "shrinkage", []string{auto}, "`ρ`: protection against overfitting: 0 for none, 1 to be cautious; auto, chosen on held-out rows; several values are separated by commas")
	fs.IntSliceVar(&f.ks, "k", nil, "`K`: numbers of neighbors that vote (default 1,3,5,…,19)")
	fs.IntVar(&f.folds, "folds", 5, "`NUMBER`: parts to divide the rows into")
	fs.StringVar(&f.csv, "csv", "", "`FILE`: where to write the whole table, with the error of every fold")
	fs.StringVar(&f.model, "model", "", "`FILE`: where to write a model that is fitted to all rows with the best settings")
	f.objective.addShared(cmd)
	f.solver.add(cmd)
	setMainFlags(cmd, "data", "components", "lambda", "shrinkage", "k", "folds", "model", "csv", "standardize", "labels", "label-column")
	return cmd
}

const cvDetails = `
The rows are divided into --folds parts at random, every class evenly. Each part is once
the test set of a fit to the other parts. The error of a setting is the mean over the
parts, and "± sd" is the standard deviation over the parts. Equally good settings are
printed in the order of the command line.

--model fits the best setting to all rows, like monge fit, and stores the projected rows
in the model, so that monge predict can classify with the best K.

The other flags are those of monge fit. Settings that are not given are chosen in every
fit, from the rows of that fit alone: whitening, λ, ρ, the length of the components, how
many components are informative, and whether candidates are mixed. The errors therefore
include the choices of monge fit. Below the table cv prints the choices for the best
setting. The fit of --model chooses again, from all rows.

The number of fits is the number of combinations of -p, --lambda and --shrinkage,
times the number of parts. One fit runs on each CPU. A fit that chooses settings takes
about ten times as long as one with fixed settings. The result depends on --seed, not
on the number of CPUs.`

// settings checks the flags that can be checked without the data, and returns the settings.
func (f *cvFlags) settings(cmd *cobra.Command) (*wda.CrossValidation, error) {
	if err := requireFlags(cmd, "data"); err != nil {
		return nil, err
	}
	if f.csv != "" {
		if _, err := checkExtension("csv", f.csv, ".csv"); err != nil {
			return nil, err
		}
	}
	f.objective.lambda = 1 // unused, but the method settings checks the value
	set, err := f.objective.settings(cmd)
	if err != nil {
		return nil, err
	}
	set.Seed = f.rows.seed
	if err := f.solver.apply(cmd, set); err != nil {
		return nil, err
	}
	cv := &wda.CrossValidation{Fit: *set, Folds: f.folds, Components: withoutDuplicates(f.components)}
	for _, text := range f.lambda {
		lambda, err := f.parseLambda(text)
		if err != nil {
			return nil, err
		}
		cv.Lambda = append(cv.Lambda, lambda)
	}
	cv.Lambda = withoutDuplicates(cv.Lambda)
	for _, text := range f.shrinkage {
		rho, err := parseShrinkage(text)
		if err != nil {
			return nil, err
		}
		cv.Shrinkage = append(cv.Shrinkage, rho)
	}
	cv.Shrinkage = withoutDuplicates(cv.Shrinkage)
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

// parseLambda returns λ for one value of --lambda.
func (f *cvFlags) parseLambda(text string) (wda.Lambda, error) {
	if text == auto {
		if f.solver.absolute && !f.solver.paper {
			return wda.Lambda{}, usagef("--absolute needs numbers for --lambda")
		}
		return wda.Lambda{}, nil
	}
	l, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return wda.Lambda{}, usagef("--lambda must be auto or numbers separated by commas, not %q; see monge help cv", text)
	}
	if err := checkPositive("lambda", l); err != nil {
		return wda.Lambda{}, err
	}
	if f.solver.absolute {
		return wda.AbsoluteLambda(l), nil
	}
	return wda.RelativeLambda(l), nil
}

// checkFolds returns an error if d has too few rows for the folds, or too few features or rows for
// the settings of cv.
func (f *cvFlags) checkFolds(d *dataset.Dataset, cv *wda.CrossValidation) error {
	if f.folds > d.Len() {
		return fmt.Errorf("%s: --folds %d exceeds the %d rows; use fewer", f.data, f.folds, d.Len())
	}
	for c, n := range d.Counts() {
		// part is the size of the largest fold of the class. A fit needs two rows outside the fold.
		if part := (n + f.folds - 1) / f.folds; n > 0 && n-part < 2 {
			return fmt.Errorf("%s: class %s has too few rows for so many folds: of %d, --folds %d leaves %d to fit to, and two are needed; use fewer folds", f.data, quoteShort(d.Classes[c]), n, f.folds, n-part)
		}
	}
	if p := slices.Max(cv.Components); p > columnCount(d) {
		return fmt.Errorf("%s: --components %d exceeds the %d features; use fewer", f.data, p, columnCount(d))
	}
	left := d.Len() - (d.Len()+f.folds-1)/f.folds
	for _, k := range cv.Neighbors {
		if k > left {
			return fmt.Errorf("%s: --k %d exceeds the %d rows outside the largest fold; use fewer neighbors or more folds", f.data, k, left)
		}
	}
	return nil
}

// openNumber is a value of λ or ρ in the table: a number, or "auto" if the library chooses the
// value.
type openNumber struct {
	value  float64
	isAuto bool
}

func (n openNumber) String() string {
	if n.isAuto {
		return auto
	}
	return formatShortest(n.value)
}

// MarshalJSON implements json.Marshaler.
func (n openNumber) MarshalJSON() ([]byte, error) {
	if n.isAuto {
		return json.Marshal(auto)
	}
	return json.Marshal(n.value)
}

// cvRow is one setting and its errors.
type cvRow struct {
	Components int        `json:"components"`
	Lambda     openNumber `json:"lambda"`
	Shrinkage  openNumber `json:"shrinkage"`
	K          int        `json:"k"`
	Error      float64    `json:"error"`
	StdDev     float64    `json:"std_dev"` // from fold to fold
	Errors     []float64  `json:"errors"`  // of the folds
	// Chosen has one element for each fold, if the library chooses settings. The element contains
	// the candidate that the fit chose, or all candidates that the fit mixed.
	Chosen [][]choice `json:"chosen,omitempty"`
}

type cvResult struct {
	Best cvRow `json:"best"`
	// Candidates contains all settings, sorted by their errors.
	Candidates []cvRow   `json:"candidates"`
	Folds      int       `json:"folds"`
	Fits       int       `json:"fits"`
	Seconds    number    `json:"seconds"`
	Samples    int       `json:"samples"`
	Features   int       `json:"features"`
	Classes    []string  `json:"classes"`
	Warnings   []warning `json:"warnings,omitempty"`
	CSV        string    `json:"csv,omitempty"`
	Model      string    `json:"model,omitempty"`
	Hash       string    `json:"hash,omitempty"` // hash of everything that predictions with the model depend on
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
	a.currentBar().plan(step{"the fits to folds", 0})
	d, err := f.readTraining(&f.rows, maxClass)
	if err != nil {
		return err
	}
	if err := f.checkFolds(d, cv); err != nil {
		return err
	}
	began := time.Now()
	found, err := a.crossValidate(ctx, d, cv, f.model != "")
	if err != nil {
		return withPath(f.data, explainNoSpread(err))
	}
	out := cvResult{
		Folds: f.folds, Fits: f.folds * len(cv.Components) * len(cv.Lambda) * len(cv.Shrinkage), Seconds: number(time.Since(began).Seconds()),
		Samples: d.Len(), Features: columnCount(d), Classes: classNames(d), CSV: f.csv, Model: f.model,
	}
	for _, c := range found.Candidates {
		row := cvRow{
			Components: c.Components, Lambda: openNumber{c.Lambda.Value(), c.Lambda.IsAuto()}, Shrinkage: openNumber{c.Shrinkage.Value(), c.Shrinkage.IsAuto()}, K: c.Neighbors,
			Error: c.Error, StdDev: stat.StdDev(c.Errors, nil), Errors: c.Errors,
		}
		for _, members := range c.Chosen {
			var fold []choice
			for _, m := range members {
				fold = append(fold, newChoice(m))
			}
			row.Chosen = append(row.Chosen, fold)
		}
		out.Candidates = append(out.Candidates, row)
	}
	// A stable sort keeps candidates with equal errors in the library's order. The first candidate
	// is therefore also the library's best candidate.
	slices.SortStableFunc(out.Candidates, func(a, b cvRow) int { return cmp.Compare(a.Error, b.Error) })
	out.Best = out.Candidates[0]
	var m *wda.Model
	if f.model != "" {
		if m, err = a.fitModel(ctx, d.X, d.Labels, &found.Settings); err != nil {
			return withPath(f.data, explainNoSpread(err))
		}
		if m, err = m.WithClassNames(out.Classes); err != nil {
			return withPath(f.data, err)
		}
		if m, err = m.WithSchema(d.Schema); err != nil {
			return withPath(f.data, err)
		}
		out.Warnings = a.warn(m, d.Classes)
	}
	if err := out.writeFiles(ctx, m, d); err != nil {
		return err
	}
	return a.report(out, func(w io.Writer) {
		fmt.Fprintf(w, "%d rows, %d features, %d classes (%s)\n", out.Samples, out.Features, len(out.Classes), joinNames(out.Classes, 60))
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

// writeFiles writes the table and the model, or neither. It sets r.Hash.
func (r *cvResult) writeFiles(ctx context.Context, m *wda.Model, d *dataset.Dataset) error {
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
		file, c, err := encodeModel(ctx, m, d, rowStorage{k: r.Best.K})
		if err != nil {
			return err
		}
		if err := add(r.Model, writeBytes(file)); err != nil {
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

// crossValidate calls wda.CrossValidate with a progress bar. If model is true, the time estimate of
// the bar includes the fit to all rows that follows the cross-validation.
func (a *app) crossValidate(ctx context.Context, d *dataset.Dataset, cv *wda.CrossValidation, model bool) (*wda.CrossValidated, error) {
	fits := cv.Folds * len(cv.Components) * len(cv.Lambda) * len(cv.Shrinkage)
	b := a.startPhase(fittingFolds, fits)
	defer b.finished()
	b.plan(step{fittingFolds, float64(fits)})
	if model { // the time of a fit to all rows grows with the square of the number of rows
		all := float64(cv.Folds) / float64(cv.Folds-1)
		b.plan(step{fittingFolds, float64(fits)}, step{fitting, all * all})
	}
	cv.Progress = func(p wda.Progress) error {
		b.setDone(p.Done, "")
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
		fmt.Fprintf(w, "%s\t%d\t%v\t%v\t%d\t%s\t%s\n", mark, c.Components, c.Lambda, c.Shrinkage, c.K, percent(c.Error), percent(c.StdDev))
	}
	if n := len(r.Candidates) - most; n > 0 {
		fmt.Fprintf(w, "(%d more: --csv writes all)\n", n)
	}
	fmt.Fprintf(w, "\n* is the best setting: the lowest mean error over %d parts. ± sd is the standard deviation from part to part.\n", r.Folds)
	if r.Best.Chosen != nil {
		r.Best.printChosen(w)
	}
}

// printChosen writes the candidates that the fits to the folds chose, the most frequent first.
func (r *cvRow) printChosen(w io.Writer) {
	var texts []string
	times := map[string]int{}
	for _, members := range r.Chosen {
		text := members[0].text()
		if len(members) > 1 {
			text = "mixed from " + numberWord(len(members)) + ", the first: " + text
		}
		if times[text]++; times[text] == 1 {
			texts = append(texts, text)
		}
	}
	slices.SortStableFunc(texts, func(a, b string) int { return times[b] - times[a] })
	fmt.Fprintf(w, "\nChosen for it in the fits to the parts:\n\n")
	for _, text := range texts {
		fmt.Fprintf(w, "  %d of %d\t%s\n", times[text], len(r.Chosen), text)
	}
}

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
		row := []string{strconv.Itoa(c.Components), c.Lambda.String(), c.Shrinkage.String(), strconv.Itoa(c.K), formatShortest(c.Error), formatShortest(c.StdDev)}
		for _, e := range c.Errors {
			row = append(row, formatShortest(e))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
