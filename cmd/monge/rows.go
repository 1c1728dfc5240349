package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// part selects all rows, the training rows or the test rows of a file.
type part int

const (
	allRows part = iota
	trainRows
	testRows
)

func (p part) String() string { return [...]string{"all", "train", "test"}[p] }

// split returns the value that marks the rows of the part in the array split.
func (p part) split() int { return int(p - trainRows) }

func parsePart(text string) (part, error) {
	switch text {
	case "all":
		return allRows, nil
	case "train":
		return trainRows, nil
	case "test":
		return testRows, nil
	}
	return 0, usagef("--rows must be all, train or test, not %q", text)
}

// rowFlags are the flags that select rows of a file.
type rowFlags struct {
	sample      int
	seed        uint64
	holdout     float64
	unknown     []string         // classes whose rows are left out
	known       []string         // classes of a model; if the field unknown is empty, rows of other classes are left out
	unknownRows *dataset.Dataset // excluded training rows, or nil; set by trainingRows

	names []string     // class names of a model that was fitted to the rows, or nil
	read  *columnFlags // used to print notes about the classes; nil for no notes
}

func (f *rowFlags) add(cmd *cobra.Command, what string) {
	defer groupFlags(cmd, rowChoice)()
	fs := cmd.Flags()
	fs.IntVar(&f.sample, "sample", 0, "`NUMBER`: draw this many of "+what+" at random, each class in proportion to its size; the same --seed draws the same rows (default all rows)")
	fs.Float64Var(&f.holdout, "holdout", 0, "`FRACTION`: keep this fraction of every class for testing, at random; the same --seed keeps the same rows (default none, or the file's own split)")
	fs.Uint64Var(&f.seed, "seed", 1, "`NUMBER`: seed of the random choices of --sample and --holdout")
}

// fitSeedUsage describes --seed for commands that fit.
const fitSeedUsage = "`NUMBER`: seed of all random choices: --sample, --holdout, and those of the fit or the folds"

func (f *rowFlags) check() error {
	if f.sample < 0 {
		return usagef("--sample must be a positive number of rows, not %d", f.sample)
	}
	if !(f.holdout >= 0 && f.holdout < 1) {
		return usagef("--holdout must be a fraction from 0 to below 1, such as 0.5, not %v", f.holdout)
	}
	return nil
}

// checkPart checks the flags of a command that uses one part of a file.
func (f *rowFlags) checkPart(text string) (part, error) {
	p, err := parsePart(text)
	if err == nil {
		err = f.check()
	}
	if err == nil && f.holdout > 0 && p == allRows {
		err = usagef("--holdout says which rows are training rows: add --rows train or --rows test")
	}
	return p, err
}

// readPart reads the rows of a part of a file and applies --sample. The rows must have the given
// number of features.
func (f *rowFlags) readPart(read *readFlags, path, labels string, p part, features int) (*dataset.Dataset, error) {
	d, err := read.readFeatures(path, labels, features)
	if err != nil {
		return nil, err
	}
	return f.selectPart(path, d, p)
}

// selectPart returns the rows of a part of d and applies --sample.
func (f *rowFlags) selectPart(path string, d *dataset.Dataset, p part) (*dataset.Dataset, error) {
	if p != allRows && d.Split == nil && f.holdout == 0 {
		return nil, noSplitError(path, p)
	}
	d, err := f.splitPart(path, f.withModelClasses(path, d), p)
	if err != nil {
		return nil, err
	}
	return f.sampleRows(path, d)
}

func noSplitError(path string, p part) error {
	return fmt.Errorf("%s: --rows %v: the file has no array split; use --holdout to divide it", path, p)
}

// splitPart returns the rows of a part of d, without applying --sample. If neither the file nor
// --holdout divides the rows, each part has all rows.
func (f *rowFlags) splitPart(path string, d *dataset.Dataset, p part) (*dataset.Dataset, error) {
	switch {
	case p == allRows:
		return d, nil
	case f.holdout > 0:
		if d.Split != nil {
			return nil, fmt.Errorf("%s: the file has a split of its own; leave out --holdout", path)
		}
		if d.Labels == nil {
			return nil, fmt.Errorf("%s: --holdout divides the rows of every class, but the file has no labels; name their array or column with --label-column, or use eval or transform, which read a file of labels", path)
		}
		train, test, err := d.TrainTest(f.holdout, f.seed)
		if p == testRows {
			train = test
		}
		return train, withPath(path, err)
	case d.Split == nil:
		return d, nil
	}
	var rows []int
	for i, v := range d.Split {
		if v == p.split() {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return nil, noRowsError(path, p, d.Split)
	}
	return selectRows(d, rows), nil
}

// noRowsError returns the error of a part without rows. splits are the values of the array named
// split.
func noRowsError(path string, p part, splits []int) error {
	if p == allRows {
		return fmt.Errorf("%s: the file has no rows; a header alone is none", path)
	}
	values := slices.Compact(slices.Sorted(slices.Values(splits)))
	return fmt.Errorf("%s: array split: no row has the value %d (0 for training rows, 1 for test rows); its values are %v", path, p.split(), values[:min(10, len(values))])
}

// sampleRows returns a random sample of d if --sample is set, and d otherwise.
func (f *rowFlags) sampleRows(path string, d *dataset.Dataset) (*dataset.Dataset, error) {
	if f.sample == 0 {
		return d, nil
	}
	s, err := d.Sample(f.sample, f.seed)
	return s, withPath(path, err)
}

// trainingRows returns a sample of the training rows of d, without the rows of unknown classes. It
// sets f.unknownRows.
func (f *rowFlags) trainingRows(path string, d *dataset.Dataset) (*dataset.Dataset, error) {
	d = f.withModelClasses(path, d)
	t, err := f.splitPart(path, d, trainRows)
	if err != nil {
		return nil, err
	}
	if t, f.unknownRows, err = f.splitUnknown(path, t); err != nil {
		return nil, err
	}
	return f.sampleRows(path, t)
}

// withModelClasses returns d with the class names of the model, so that the seed selects the same
// rows as in the fit. If the model lacks a class of d, it returns d unchanged.
func (f *rowFlags) withModelClasses(path string, d *dataset.Dataset) *dataset.Dataset {
	if f.names == nil || d.Labels == nil {
		return d
	}
	as := *d
	notes, err := as.Relabel(f.names)
	if err != nil {
		return d
	}
	if f.read != nil {
		f.read.explainLabels(path, notes)
	}
	return &as
}

// hasMeanOf reports whether the mean of the training rows is the mean of the rows that m was fitted
// to. It leaves out the rows that a fit with this seed sets aside for rejection.
func hasMeanOf(m *wda.Model, c *wda.Classifier, train *dataset.Dataset, seed uint64) bool {
	if c != nil && c.Rejection().Samples > 0 {
		var err error
		if train, _, err = train.TrainTest(calibrationShare, seed); err != nil {
			return false
		}
	}
	column := make([]float64, train.Len())
	for j, v := range m.Mean() {
		mean, deviation := stat.MeanStdDev(mat.Col(column, j, train.X), nil)
		if !(math.Abs(mean-v) <= 1e-6*deviation+1e-12*math.Abs(v)) {
			return false
		}
	}
	return true
}

// selectRows returns the given rows of d, in ascending order. If the rows are consecutive, the
// result shares memory with d, because a matrix such as MNIST takes half a gigabyte.
func selectRows(d *dataset.Dataset, rows []int) *dataset.Dataset {
	i, j := rows[0], rows[len(rows)-1]+1
	if j-i != len(rows) {
		return d.Subset(rows)
	}
	s := &dataset.Dataset{X: d.X.Slice(i, j, 0, columnCount(d)).(*mat.Dense), Classes: d.Classes, Columns: d.Columns, Split: d.Split[i:j], IDNames: d.IDNames, Schema: d.Schema}
	for _, ids := range d.IDs {
		s.IDs = append(s.IDs, ids[i:j])
	}
	if d.Labels != nil {
		s.Labels = d.Labels[i:j]
	}
	return s
}
