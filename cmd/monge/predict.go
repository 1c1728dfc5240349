package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/gomonge/monge/cmd/internal/table"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

type predictFlags struct {
	read        readFlags
	rows        rowFlags
	part        string
	model       string
	data        string
	train       string
	trainLabels string
	k           int
	proba       bool
	reject      string
	neighbors   int
	out         string
	workers     int
}

func newPredict(a *app) *cobra.Command {
	f := new(predictFlags)
	cmd := &cobra.Command{
		Use:   "predict --model FILE --data FILE [flags]",
		Short: "Classify samples by their nearest neighbors in the projection",
		Long: `Predict classifies rows: each row gets the most frequent class among its K
nearest training rows, with distances measured after the projection. A model that was
fitted with --k contains the training rows.`,
		Example: `  monge predict --model wine.wda --data new.csv
  monge predict --model wine.wda --data new.csv --proba --neighbors 3 --out predicted.csv
  monge predict --model strict.wda --data new.csv --reject --out predicted.csv
  monge predict --model digits.wda --train mnist.npz --data mnist.npz --rows test --out digits.csv`,
		Annotations: map[string]string{details: predictDetails},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.predict(cmd, f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.model, "model", "", "`FILE`: the model (required)")
	fs.StringVar(&f.data, "data", "", "`FILE`: file with rows to classify, or - for standard input (required)")
	fs.StringVar(&f.out, "out", "", "`FILE`: where to write, .csv, .parquet, .arrow, .jsonl, .npz, or .npy or .idx if all columns are numbers (default CSV on standard output)")
	fs.IntVar(&f.k, "k", 0, "`K`: number of neighbors that vote (default that of the model, or 5)")
	fs.BoolVar(&f.proba, "proba", false, "also write the fraction of every class among the neighbors")
	fs.StringVar(&f.reject, "reject", "", "`RATE`: also write the score of every row, which is high if the row is unlike the training rows, and whether the row is rejected. --reject uses the rate of monge fit, and --reject=0.01 another rate")
	fs.Lookup("reject").NoOptDefVal = fromModel
	fs.IntVar(&f.neighbors, "neighbors", 0, "`NUMBER`: also list this many of the nearest training rows, with their numbers and squared distances, independently of --k. A large distance means that a row is unlike all training rows")
	fs.StringVar(&f.part, "rows", "all", "`PART`: classify all, train or test rows, by the file's split or --holdout")
	completeValues(cmd, "rows", "all", "train", "test")
	fs.StringVar(&f.train, "train", "", "`FILE`: file with training rows (default those in the model)")
	fs.StringVar(&f.trainLabels, "train-labels", "", "`FILE`: file with the labels of the training rows")
	addWorkers(cmd, &f.workers)
	f.rows.add(cmd, "the training rows")
	f.read.add(cmd)
	f.read.addExtra(cmd)
	f.read.app = a
	return cmd
}

const predictDetails = `
If several classes have the same number of votes, the class of the nearest row wins.
--train names a file with training rows, if the model contains none or to use others. In
an NPZ file with an array split, the training rows are those whose split is 0. --holdout
and --sample work as in monge fit.

The extension of --out determines the format. CSV has a header. The first column is
label. --reject adds score and rejected (1 or 0; label is then the class that the row
would have). --proba adds the fraction of the K neighbors for every class. --neighbors
adds the numbers (from 0, in the order of the training rows) and the squared distances
of the nearest rows. In NPZ the labels are the array y, and the other columns are the
array X.

Columns are found by their names, in any order: see monge help tables. A CSV file
without names has no labels if it has as many columns as the model has features. If it
has one more column, the last column contains the labels. --id copies columns that
identify the rows to the output.

Predict classifies all rows of an NPZ file, regardless of its array split, unless --rows
selects a part.

Rows are read, classified and written in blocks, so the memory does not grow with their
number, unless --json prints all of them or --holdout selects rows at random.`

// predictions contains the results of predict. With --json and without --out, predict prints all
// fields.
type predictions struct {
	Rows          int            `json:"rows"`
	Train         int            `json:"train"`
	K             int            `json:"k"`
	Classes       []string       `json:"classes"`
	Counts        map[string]int `json:"counts"`
	Out           string         `json:"out,omitempty"`
	IDs           [][]string     `json:"ids,omitempty"` // identifiers of every column of --id
	Labels        []string       `json:"labels,omitempty"`
	Rejected      *int           `json:"rejected_rows,omitempty"` // their number
	Scores        []number       `json:"scores,omitempty"`
	RejectedRows  []bool         `json:"rejected,omitempty"`
	Probabilities [][]float64    `json:"probabilities,omitempty"` // of Classes
	Neighbors     [][]neighbor   `json:"neighbors,omitempty"`
}

type neighbor struct {
	Row        int    `json:"row"`
	Label      string `json:"label"`
	SqDistance number `json:"sq_distance"`
}

func (a *app) predict(cmd *cobra.Command, f *predictFlags) error {
	if err := requireFlags(cmd, "model", "data"); err != nil {
		return err
	}
	if err := f.check(cmd); err != nil {
		return err
	}
	out := f.out
	if out == "" && !a.json {
		out = stdinArgument
	}
	kind, err := "", error(nil)
	if out != "" {
		if kind, err = a.checkTarget(out, "", []string{f.model, f.data, f.train, f.trainLabels}, tableExtensions...); err != nil {
			return err
		}
	}
	c, names, err := f.openClassifier(cmd.Context())
	if err != nil {
		return err
	}
	rows, err := f.openRows(c.Model())
	if err != nil {
		return err
	}
	defer rows.close()
	found, err := a.classifyRows(cmd, f, c, names, rows, out, kind)
	if err != nil || out == stdinArgument {
		return err
	}
	return a.report(found, func(w io.Writer) {
		fmt.Fprintf(w, "%d rows, each classified by the %d nearest of %d training rows, written to %s\n\n", found.Rows, found.K, found.Train, found.Out)
		if found.Rejected != nil {
			fmt.Fprintf(w, "%d rows are rejected: they seem to belong to no known class\n\n", *found.Rejected)
		}
		fmt.Fprintln(w, "class\trows")
		for _, name := range found.Classes {
			fmt.Fprintf(w, "%s\t%d\n", clipName(name, 30), found.Counts[name])
		}
	})
}

// check checks the flags that can be checked without the data.
func (f *predictFlags) check(cmd *cobra.Command) error {
	for _, c := range []struct {
		name  string
		value int
	}{{"k", f.k}, {"neighbors", f.neighbors}} {
		low := 0
		if cmd.Flags().Changed(c.name) {
			low = 1
		}
		if err := checkRange(c.name, c.value, low, math.MaxInt32); err != nil {
			return err
		}
	}
	if err := errors.Join(checkWorkers(f.workers), f.checkReject()); err != nil {
		return err
	}
	if f.train == "" {
		for _, name := range []string{"train-labels", "sample"} {
			if cmd.Flags().Changed(name) {
				if name == "sample" {
					return usagef("--sample draws training rows from the file of --train; all rows of --data are classified")
				}
				return usagef("--%s needs --train, the file that it is about", name)
			}
		}
	}
	part, err := parsePart(f.part)
	if err != nil {
		return err
	}
	if f.rows.holdout > 0 && part == allRows && f.train == "" {
		return usagef("--holdout needs --train, or --rows train, or --rows test")
	}
	return f.rows.check()
}

// openClassifier returns the classifier in the model file, or, if the flag --train names a file, a
// classifier built from the rows of that file. It also returns the names of the labels.
func (f *predictFlags) openClassifier(ctx context.Context) (*wda.Classifier, []string, error) {
	m, c, err := readClassifier(f.model)
	if err != nil {
		return nil, nil, err
	}
	f.read.useSchemaOf(f.model, m)
	if f.train != "" {
		return f.classifierFromTraining(ctx, m)
	}
	if c == nil {
		return nil, nil, fmt.Errorf("%s: the model holds no training rows to classify by; name a file of them with --train, or fit with --k", f.model)
	}
	if err := f.checkCounts(f.model, c.Len()); err != nil {
		return nil, nil, err
	}
	if f.k > 0 {
		if c, err = c.WithK(f.k); err != nil {
			return nil, nil, err
		}
	}
	if c, err = f.withRejection(c); err != nil {
		return nil, nil, err
	}
	var names []string
	for _, l := range c.Labels() {
		names = append(names, m.ClassName(l))
	}
	return c, names, nil
}

// checkCounts checks --k and --neighbors against the number of training rows.
func (f *predictFlags) checkCounts(path string, rows int) error {
	if f.k > rows {
		return fmt.Errorf("%s: --k %d exceeds the %d training rows; use fewer neighbors", path, f.k, rows)
	}
	if f.neighbors > rows {
		return fmt.Errorf("%s: --neighbors %d exceeds the %d training rows; use fewer", path, f.neighbors, rows)
	}
	return nil
}

// classifierFromTraining returns a classifier built from the rows of the file that the flag --train
// names. It also returns the names of the labels.
func (f *predictFlags) classifierFromTraining(ctx context.Context, m *wda.Model) (*wda.Classifier, []string, error) {
	all, err := f.read.readLabeled(f.train, f.trainLabels, "train-labels")
	if err != nil {
		return nil, nil, err
	}
	d, err := f.rows.trainingRows(f.train, all)
	if err != nil {
		return nil, nil, err
	}
	features, _ := m.Dims()
	if err := checkFeatures(f.train, columnCount(d), features); err != nil {
		return nil, nil, err
	}
	if err := f.checkCounts(f.train, d.Len()); err != nil {
		return nil, nil, err
	}
	c, err := wda.NewClassifier(ctx, m, d.X, d.Labels, f.k)
	return c, classNames(d), withPath(f.train, err)
}

// openRows opens the rows to classify. It ignores --sample, which selects rows of --train.
func (f *predictFlags) openRows(m *wda.Model) (*stream, error) {
	part, err := parsePart(f.part)
	if err != nil {
		return nil, err
	}
	chosen := f.rows
	chosen.sample = 0
	if part == allRows {
		chosen.holdout = 0
	}
	features, _ := m.Dims()
	f.read.unlabeled = true
	chosen.names, chosen.read = m.ClassNames(), &f.read.columnFlags
	return chosen.open(&f.read, f.data, "", part, features)
}

// classifyRows classifies all rows with the classifier c, whose labels have the given names. If out
// is empty, it returns the results. Otherwise it writes them block by block to the file out. kind is
// the extension of the output format, such as ".csv".
func (a *app) classifyRows(cmd *cobra.Command, f *predictFlags, c *wda.Classifier, names []string, rows *stream, out, kind string) (*predictions, error) {
	all := &predictions{Train: c.Len(), K: c.K(), Classes: names, Counts: map[string]int{}, Out: out}
	for _, n := range names {
		all.Counts[n] = 0
	}
	if f.reject != "" {
		all.Rejected = new(int)
	}
	var written table.Writer
	var file target
	number := (kind == ".npy" || kind == ".idx") && !slices.ContainsFunc(names, func(name string) bool { return !isNumber(name) })
	if out != "" {
		var err error
		if file, err = a.createOutput(out); err != nil {
			return nil, err
		}
		defer file.Abort()
		if written, err = newTableWriter(file, kind, rows.rows, f.columns(rows.ids, names, number)); err != nil {
			return nil, err
		}
	}
	err := rows.forEachBlock(a, cmd, "predict", func(b *dataset.Block) error {
		found, err := f.classify(cmd.Context(), c, names, b.X)
		if err != nil {
			return withPath(rows.path, err)
		}
		found.IDs = b.IDs
		all.Rows += len(found.Labels)
		for _, l := range found.Labels {
			all.Counts[l]++
		}
		for _, r := range found.RejectedRows {
			if r {
				*all.Rejected++
			}
		}
		if written != nil {
			return found.write(written, number)
		}
		for k := range b.IDs {
			if all.IDs == nil {
				all.IDs = make([][]string, len(b.IDs))
			}
			all.IDs[k] = append(all.IDs[k], b.IDs[k]...)
		}
		all.Labels = append(all.Labels, found.Labels...)
		all.Scores, all.RejectedRows = append(all.Scores, found.Scores...), append(all.RejectedRows, found.RejectedRows...)
		all.Probabilities = append(all.Probabilities, found.Probabilities...)
		all.Neighbors = append(all.Neighbors, found.Neighbors...)
		return nil
	})
	if err != nil || written == nil {
		return all, err
	}
	if err := written.Close(); err != nil {
		return nil, err
	}
	return all, file.Commit()
}

// isNumber reports whether a class name is a finite number.
func isNumber(name string) bool {
	v, err := strconv.ParseFloat(name, 64)
	return err == nil && v-v == 0
}

// classify returns the predictions for the rows of x.
func (f *predictFlags) classify(ctx context.Context, c *wda.Classifier, names []string, x *mat.Dense) (*predictions, error) {
	var proba mat.Dense
	labels, err := c.PredictLabels(ctx, &proba, x, f.workers)
	if err != nil {
		return nil, err
	}
	out := new(predictions)
	own := c.Labels()
	name := func(label int) string {
		at, _ := slices.BinarySearch(own, label)
		return names[at]
	}
	for i, l := range labels {
		out.Labels = append(out.Labels, name(l))
		if f.proba {
			out.Probabilities = append(out.Probabilities, proba.RawRowView(i))
		}
	}
	if f.reject != "" {
		classes, err := c.PredictAll(ctx, x, f.workers)
		if err != nil {
			return nil, err
		}
		for _, class := range classes {
			out.Scores, out.RejectedRows = append(out.Scores, number(class.Score)), append(out.RejectedRows, class.Rejected)
		}
	}
	if f.neighbors == 0 {
		return out, nil
	}
	near, err := c.Neighbors(ctx, x, f.neighbors, f.workers)
	if err != nil {
		return nil, err
	}
	for _, row := range near {
		var n []neighbor
		for _, v := range row {
			n = append(n, neighbor{v.Row, name(v.Label), number(v.SqDistance)})
		}
		out.Neighbors = append(out.Neighbors, n)
	}
	return out, nil
}

// columns returns the columns of the output. If number is true, labels are written as numbers.
func (f *predictFlags) columns(ids, classes []string, number bool) (of []table.Column) {
	for _, name := range ids {
		of = append(of, table.Column{Name: name, Text: true})
	}
	of = append(of, table.Column{Name: "label", Text: !number})
	names := func(names ...string) {
		for _, name := range names {
			of = append(of, table.Column{Name: name})
		}
	}
	if f.reject != "" {
		names("score", "rejected")
	}
	if f.proba {
		names(classes...)
	}
	for i := range f.neighbors {
		names(fmt.Sprintf("row%d", i+1), fmt.Sprintf("sq_distance%d", i+1))
	}
	return of
}

// write writes the predictions. It writes the labels as numbers if number is set, and otherwise as
// texts.
func (p *predictions) write(out table.Writer, number bool) error {
	var row []float64
	for i, l := range p.Labels {
		row = row[:0]
		texts := rowTexts(p.IDs, i)
		if number {
			v, _ := strconv.ParseFloat(l, 64)
			row = append(row, v)
		} else {
			texts = append(texts, l)
		}
		if p.Scores != nil {
			rejected := 0.
			if p.RejectedRows[i] {
				rejected = 1
			}
			row = append(row, float64(p.Scores[i]), rejected)
		}
		if p.Probabilities != nil {
			row = append(row, p.Probabilities[i]...)
		}
		if p.Neighbors != nil {
			for _, n := range p.Neighbors[i] {
				row = append(row, float64(n.Row), float64(n.SqDistance))
			}
		}
		if err := out.Write(row, texts); err != nil {
			return err
		}
	}
	return nil
}
