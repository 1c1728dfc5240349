package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

type evalFlags struct {
	read        readFlags
	rows        rowFlags
	model       string
	data        string
	train       string
	test        string
	trainLabels string
	testLabels  string
	ks          []int
	baselines   bool
	picture     string
	workers     int
}

func newEval(a *app) *cobra.Command {
	f := new(evalFlags)
	cmd := &cobra.Command{
		Use:   "eval --model FILE (--data FILE | --train FILE --test FILE) [flags]",
		Short: "Classify projected test samples by their nearest neighbors",
		Long: `Eval measures how well a model separates classes: it projects training and test
rows, classifies each test row by its K nearest training rows, and prints the fraction
of wrong classes, the confusion matrix, and recall and precision of every class.`,
		Example: `  monge fit  --data wine.csv --holdout 0.5 --model half.wda
  monge eval --model half.wda --data wine.csv --baselines
  monge eval --model wine.wda --train wine.csv --test other.csv
  monge eval --model digits.wda --train mnist.npz --test mnist.npz --sample 1000 --k 1,3,5`,
		Annotations: map[string]string{details: evalDetails},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.eval(cmd, f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.model, "model", "", "`FILE`: the model (required)")
	fs.StringVar(&f.data, "data", "", "`FILE`: the file of the fit, or - for standard input. Its rows are divided as in monge fit, whose --holdout, --sample and --seed are in the model, or by the file's split")
	fs.StringVar(&f.train, "train", "", "`FILE`: file with training rows, and their labels")
	fs.StringVar(&f.test, "test", "", "`FILE`: file with test rows, and their labels; may be that of --train")
	fs.IntSliceVar(&f.ks, "k", []int{1, 3, 5}, "`K`: numbers of neighbors")
	fs.BoolVar(&f.baselines, "baselines", false, "also classify with all features, and after PCA and FDA; features are standardized if the model standardizes them")
	fs.StringVar(&f.picture, "picture", "", "`FILE`: where to draw the confusion matrix, .png or .svg")
	fs.StringVar(&f.trainLabels, "train-labels", "", "`FILE`: file with the labels of the training rows")
	fs.StringVar(&f.testLabels, "test-labels", "", "`FILE`: file with the labels of the test rows (default --train-labels if all rows are in one file)")
	addWorkers(cmd, &f.workers)
	f.rows.add(cmd, "the training rows")
	addUnknown(cmd, &f.rows.unknown, "classes that the model does not know, as monge fit --unknown leaves them out. Their test rows show how well the model rejects such rows (default none)")
	f.read.add(cmd)
	f.read.addExtra(cmd)
	f.read.app = a
	setMainFlags(cmd, "model", "data", "train", "test", "holdout", "sample", "seed", "k", "baselines", "picture", "label-column")
	setHeading(fs.Lookup("train-labels"), dataFlags)
	setHeading(fs.Lookup("test-labels"), dataFlags)
	return cmd
}

const evalDetails = `
--data is the file of the fit. Eval divides its rows like monge fit, with the --holdout,
--sample and --seed that the model stores, or by its array split. --train and --test
name other files.

In an NPZ file with an array split, --train uses the rows whose split is 0, and --test
the rows whose split is 1: both may name the same file. For other files, --holdout
divides the rows: the test rows are the rows that monge fit left out with the same
--holdout and --seed. --sample draws training rows like monge fit; all test rows are
used.

Of training rows at the same distance, the first counts as nearer. If several classes
have the same number of votes, the class of the nearest row wins.

If the model stores training rows (monge fit --k), eval also measures this classifier:
its error, the bytes of one row and of all rows, and the time of a query on one thread.

The confusion matrix is for the K of the model if --k contains it, and otherwise for the
first K.

--baselines adds the errors with all features, and in p dimensions found by PCA and FDA
from the training rows. They use standardized features if the model was fitted with
--standardize, and never whitened features. To compare with PCA or FDA of whitened
features, fit models with --method principal or --method fisher. With many features
--baselines is slow.`

// errorRates are the error rates for several numbers of neighbors K, in the order of the command
// line.
type errorRates struct {
	ks     []int
	errors []float64
}

// MarshalJSON implements json.Marshaler. The result has the form {"1":0.5,"3":0.25}.
func (r errorRates) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, k := range r.ks {
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:", strconv.Itoa(k))
		out = strconv.AppendFloat(out, r.errors[i], 'g', -1, 64)
	}
	return append(out, '}'), nil
}

type evalResult struct {
	// Stored is not nil if the model keeps training rows. Rejection is not nil if the model rejects
	// rows.
	Stored    *storageResult        `json:"classifier,omitempty"`
	Rejection *rejections           `json:"rejection,omitempty"`
	Error     errorRates            `json:"knn_error"`
	Confusion confusion             `json:"confusion"`
	Classes   []classRates          `json:"classes"`
	Picture   string                `json:"picture,omitempty"`
	Train     int                   `json:"train"`
	Test      int                   `json:"test"`
	Baselines map[string]errorRates `json:"baselines,omitempty"`
	// Standardized is true if the features of the baselines are standardized.
	Standardized bool `json:"baselines_standardized,omitempty"`
}

func (a *app) eval(cmd *cobra.Command, f *evalFlags) error {
	ctx := cmd.Context()
	if err := requireFlags(cmd, "model"); err != nil {
		return err
	}
	switch {
	case f.data != "" && (f.train != "" || f.test != ""):
		return usagef("--data takes the place of --train and --test: leave out one or the other")
	case f.data != "":
		f.train, f.test = f.data, f.data
	case f.train == "" || f.test == "":
		return usagef("either --data, or --train and --test are required: --train names the file of the fit, and --test another file; see monge help eval")
	}
	ks, ext, err := f.check()
	if err != nil {
		return err
	}
	m, c, err := readClassifier(f.model)
	if err != nil {
		return err
	}
	f.read.useSchemaOf(f.model, m)
	if f.data != "" {
		f.rows.useRowsOf(cmd, m, &f.read.columnFlags)
	}
	if err := f.checkUnknown(m, c); err != nil {
		return err
	}
	a.currentBar().plan(step{"the classification of test rows", 0})
	train, test, unknown, err := a.readTrainTest(f)
	if err != nil {
		return err
	}
	d, p := m.Dims()
	for _, c := range []struct {
		path string
		data *dataset.Dataset
	}{{f.train, train}, {f.test, test}} {
		if err := checkFeatures(c.path, columnCount(c.data), d); err != nil {
			return err
		}
	}
	for _, k := range ks {
		if k > train.Len() {
			return fmt.Errorf("%s: --k %d exceeds the %d training rows; use fewer neighbors", f.train, k, train.Len())
		}
	}
	if f.data != "" && !cmd.Flags().Changed("holdout") && !cmd.Flags().Changed("sample") && !hasMeanOf(m, c, train, f.rows.seed) {
		a.warnText(displayName(f.data) + ": these are not the rows of the fit, and the training rows are from this file, too; to test the model with all rows of this file, name it with --test, and the file of the fit with --train")
	}
	by := &classification{a: a, ctx: ctx, train: train, test: test, ks: ks, workers: f.workers}
	a.currentBar().plan(evalSteps(p, d, f.baselines)...)
	var y, z mat.Dense
	if err := errors.Join(m.Transform(&y, train.X), m.Transform(&z, test.X)); err != nil {
		return err
	}
	own, predicted, err := by.classifyAll("projected", &y, &z)
	if err != nil {
		return err
	}
	shown := 0
	if c != nil {
		shown = max(0, slices.Index(ks, c.K()))
	}
	out := evalResult{
		Error:     own,
		Confusion: confusion{ks[shown], train.Classes, knn.Confusion(predicted[shown], test.Labels, len(train.Classes))},
		Train:     train.Len(), Test: test.Len(),
	}
	out.Classes = out.Confusion.classRates()
	if c != nil {
		if out.Stored, err = f.evalStorage(ctx, c, test); err != nil {
			return err
		}
	}
	if c != nil && c.Rejection().Samples > 0 {
		if out.Rejection, err = f.evalRejection(ctx, c, test, unknown); err != nil {
			return err
		}
	}
	names := []string{"model"}
	table := []errorRates{own}
	if f.baselines {
		if out.Standardized = m.Report().Settings.Data.Standardize; out.Standardized {
			by.standardize()
		}
		found, err := by.baselines(p)
		if err != nil {
			return err
		}
		out.Baselines = map[string]errorRates{}
		for _, b := range found {
			out.Baselines[strings.ToLower(b.name)] = b.rates
			names, table = append(names, b.name), append(table, b.rates)
		}
	}
	if f.picture != "" {
		if err := ctx.Err(); err != nil {
			return err
		}
		const most = 500
		if n := len(out.Confusion.Classes); n > most {
			return fmt.Errorf("%s: --picture cannot show %d classes, only up to %d; leave it out and use --json", f.test, n, most)
		}
		if err := out.Confusion.draw(f.picture, ext); err != nil {
			return err
		}
		out.Picture = f.picture
	}
	return a.report(out, func(w io.Writer) { out.print(w, names, table, d, p) })
}

// check checks the flags that can be checked without the data. It returns the numbers of neighbors
// and the extension of --picture.
func (f *evalFlags) check() (ks []int, ext string, err error) {
	if ks, err = checkNeighbors(f.ks); err != nil {
		return nil, "", err
	}
	if err := f.rows.check(); err != nil {
		return nil, "", err
	}
	if err := checkWorkers(f.workers); err != nil || f.picture == "" {
		return ks, "", err
	}
	if ext, err = checkExtension("picture", f.picture, ".png", ".svg"); err != nil {
		return nil, "", err
	}
	return ks, ext, checkOutput(f.picture, f.model, f.train, f.test, f.trainLabels, f.testLabels)
}

// print writes the result as text. table[i] has the error rates of the projection names[i]. The
// model projects from d to p dimensions.
func (out *evalResult) print(w io.Writer, names []string, table []errorRates, d, p int) {
	fmt.Fprintf(w, "%d test rows, classified by the nearest of %d training rows after projection from %d to %d dimensions.\n", out.Test, out.Train, d, p)
	fmt.Fprintf(w, "Share of test rows that K neighbors classify wrongly:\n\n")
	fmt.Fprintf(w, "K\t%s\n", strings.Join(names, "\t"))
	for i, k := range table[0].ks {
		fmt.Fprintf(w, "%d", k)
		for _, r := range table {
			fmt.Fprintf(w, "\t%s", percent(r.errors[i]))
		}
		fmt.Fprintln(w)
	}
	switch {
	case out.Standardized:
		fmt.Fprintf(w, "\nThe model standardizes features. Those of %s are standardized, too.\n", strings.Join(names[1:], ", "))
	case len(names) > 1:
		fmt.Fprintf(w, "\nFeatures of %s keep the units of the file. If these differ, fit with --standardize.\n", strings.Join(names[1:], ", "))
	}
	if out.Stored != nil {
		out.Stored.print(w)
	}
	if out.Rejection != nil {
		out.Rejection.print(w)
	}
	out.Confusion.print(w)
	fmt.Fprintf(w, "\nclass\trows\trecall\tprecision\tF1\n")
	const most = 100
	for _, r := range out.Classes[:min(most, len(out.Classes))] {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", clipName(r.Class, 30), r.Rows, percent(float64(r.Recall)), percent(float64(r.Precision)), percent(float64(r.F1)))
	}
	if n := len(out.Classes) - most; n > 0 {
		fmt.Fprintf(w, "(%d more classes: --json prints all)\n", n)
	}
}

// readTrainTest reads the training rows and the test rows. It reads a file with both kinds of rows
// only once. unknown contains the test rows of the classes that the flag --unknown lists, or is nil.
func (a *app) readTrainTest(f *evalFlags) (train, test, unknown *dataset.Dataset, err error) {
	same := f.train == f.test || sameFile(f.train, f.test)
	if same && f.testLabels == "" {
		f.testLabels = f.trainLabels
	}
	if f.rows.holdout > 0 && !same {
		return nil, nil, nil, usagef("--holdout divides one file: --train and --test must name the same file, or leave out --holdout")
	}
	all, err := f.read.readLabeled(f.train, f.trainLabels, "train-labels")
	if err != nil {
		return nil, nil, nil, err
	}
	all = f.rows.withModelClasses(f.train, all)
	rest := all
	if !same || f.testLabels != f.trainLabels {
		if rest, err = f.read.readLabeled(f.test, f.testLabels, "test-labels"); err != nil {
			return nil, nil, nil, err
		}
	}
	if same && all.Split == nil && f.rows.holdout == 0 {
		a.warnText("the test rows are the training rows; --holdout keeps some apart")
	}
	if train, err = f.rows.trainingRows(f.train, all); err != nil {
		return nil, nil, nil, err
	}
	if test, err = f.rows.splitPart(f.test, rest, testRows); err != nil {
		return nil, nil, nil, err
	}
	if test, unknown, err = f.rows.splitUnknown(f.test, test); err != nil {
		return nil, nil, nil, err
	}
	if len(f.rows.unknown) > 0 && unknown == nil {
		return nil, nil, nil, fmt.Errorf("%s: --unknown: no test row has one of these classes", f.test)
	}
	notes, err := test.Relabel(train.Classes)
	if err != nil {
		return nil, nil, nil, withPath(f.test, err)
	}
	f.read.explainLabels(f.test, notes)
	return train, test, unknown, nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// classification classifies test rows by their nearest training rows, in several projections.
type classification struct {
	a           *app
	ctx         context.Context
	train, test *dataset.Dataset
	ks          []int
	workers     int
}

// classifyAll classifies the test rows z by the training rows y, with each number of neighbors. It
// returns the error rates and the predictions.
func (c *classification) classifyAll(what string, y, z *mat.Dense) (errorRates, [][]int, error) {
	b := c.a.startPhase(classifying+what, c.test.Len())
	defer b.finished()
	predicted, err := knn.Predict(c.ctx, matrixOf(y), c.train.Labels, matrixOf(z), c.ks, &knn.Settings{
		Workers:  c.workers,
		Progress: func(done, _ int) { b.setDone(done, "") },
	})
	if err != nil {
		return errorRates{}, nil, err
	}
	r := errorRates{ks: c.ks}
	for _, labels := range predicted {
		r.errors = append(r.errors, knn.ErrorRate(labels, c.test.Labels))
	}
	return r, predicted, nil
}

const classifying = "classifying test rows: "

// evalSteps returns the phases of eval that follow the reading of files. The costs of the phases
// are estimates in arbitrary units for d features and p components.
func evalSteps(p, d int, baselines bool) []step {
	const constant = 8
	low, all := float64(p+constant), float64(d+constant)
	steps := []step{{classifying + "projected", low}}
	if baselines {
		steps = append(steps, step{classifying + "original", all}, step{classifying + baseline.PCA{}.String(), low}, step{classifying + baseline.FDA{}.String(), low})
	}
	return steps
}

// namedRates has the projected rows and the error rates of one projection.
type namedRates struct {
	name  string
	rates errorRates
	y, z  *mat.Dense
}

// standardize divides each feature by its standard deviation in the training rows, as a fit does.
// It leaves a constant feature unchanged.
func (c *classification) standardize() {
	train, test := *c.train, *c.test
	train.X, test.X = mat.DenseCopyOf(train.X), mat.DenseCopyOf(test.X)
	n, d := train.X.Dims()
	column := make([]float64, n)
	for j := range d {
		if sigma := stat.PopStdDev(mat.Col(column, j, train.X), nil); sigma > 0 {
			for _, x := range []*mat.Dense{train.X, test.X} {
				for i := range x.RawMatrix().Rows {
					x.Set(i, j, x.At(i, j)/sigma)
				}
			}
		}
	}
	c.train, c.test = &train, &test
}

// baselines classifies the rows with all features, and after projections to p components by PCA and
// FDA. The projections are fitted to the training rows.
func (c *classification) baselines(p int) ([]namedRates, error) {
	out := []namedRates{{name: "original", y: c.train.X, z: c.test.X}}
	for _, method := range []baseline.Method{baseline.PCA{}, baseline.FDA{}} {
		projection, err := baseline.Fit(c.ctx, c.train.X, c.train.Labels, p, method)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", method, err)
		}
		y, z := new(mat.Dense), new(mat.Dense)
		y.Mul(c.train.X, projection)
		z.Mul(c.test.X, projection)
		out = append(out, namedRates{name: method.String(), y: y, z: z})
	}
	for i := range out {
		var err error
		if out[i].rates, _, err = c.classifyAll(out[i].name, out[i].y, out[i].z); err != nil {
			return nil, fmt.Errorf("%s: %w", out[i].name, err)
		}
	}
	return out, nil
}

// matrixOf returns m as a dist.Matrix that shares its elements.
func matrixOf(m *mat.Dense) dist.Matrix[float64] {
	r := m.RawMatrix()
	return dist.Matrix[float64]{Rows: r.Rows, Cols: r.Cols, Stride: r.Stride, Data: r.Data}
}
