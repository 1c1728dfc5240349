package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

// textFlags say how to read any file of data.
type textFlags struct {
	delimiter    string
	comment      string
	maxExpansion int
}

func (f *textFlags) add(cmd *cobra.Command) {
	defer under(cmd, dataFlags)()
	fs := cmd.Flags()
	fs.StringVar(&f.delimiter, "delimiter", "", "`CHARACTER`: in CSV, the character between fields; a space means any number of spaces or tabs (default comma, or tab for .tsv)")
	fs.StringVar(&f.comment, "comment", "", "`CHARACTER`: in CSV, ignore lines that begin with this character (default none)")
	fs.IntVar(&f.maxExpansion, "max-expansion", 0, "`NUMBER`: limit on the bytes of memory for each byte of a compressed file (default 400)")
}

// options are those of the reader.
func (f *textFlags) options() (opt dataset.Options, err error) {
	if opt.Delimiter, err = character("delimiter", f.delimiter); err != nil {
		return opt, err
	}
	if opt.Comment, err = character("comment", f.comment); err != nil {
		return opt, err
	}
	opt.MaxExpansion = f.maxExpansion
	return opt, checkRange("max-expansion", f.maxExpansion, 0, math.MaxInt32)
}

// character returns the only character of a flag, or 0 if it is empty.
func character(flag, text string) (rune, error) {
	if text == "" {
		return 0, nil
	}
	r, size := utf8.DecodeRuneInString(text)
	if text == `\t` {
		r, size = '\t', len(text)
	}
	// What encoding/csv refuses.
	if size != len(text) || r == '"' || r == '\r' || r == '\n' || r == 0 || r == utf8.RuneError {
		return 0, usagef("--%s must be one character other than a quote or a line end, not %q", flag, text)
	}
	return r, nil
}

// readFlags say how to read a file of samples.
type readFlags struct {
	textFlags
	columnFlags
	labelColumn string
	header      string
	unlabelled  bool // the labels are not needed
}

// trainFlags name the file that a command learns from.
type trainFlags struct {
	readFlags
	missingFlags
	data, labels string
	warn         func(text string)
}

func (f *trainFlags) add(a *app, cmd *cobra.Command) {
	f.app, f.warn = a, a.advise
	defer under(cmd, dataFlags)()
	fs := cmd.Flags()
	fs.StringVar(&f.data, "data", "", "`FILE`: file with rows to learn from, and their labels (required)")
	fs.StringVar(&f.labels, "labels", "", "`FILE`: file with labels, if the data file has none; every column of a CSV file is then a feature")
	f.readFlags.add(cmd)
	f.missingFlags.add(cmd)
}

// train reads the rows to learn from: of the split, --holdout and --sample, of
// classes that can be told apart, none of more than largest rows unless that is 0.
func (f *trainFlags) train(rows *rowFlags, largest int) (*dataset.Dataset, error) {
	if err := f.missingFlags.check(); err != nil {
		return nil, err
	}
	if len(rows.unknown) > 0 && f.missing != "" && f.missing != "error" {
		return nil, together("--unknown", "--missing")
	}
	opt, err := f.labelledOptions(f.labels)
	if err != nil {
		return nil, err
	}
	if f.schema == nil {
		opt.OneHot, opt.KeepMissing = f.onehot, f.how != dataset.MissingError
	}
	all, err := f.readLabels(f.data, &opt, "labels")
	if err != nil {
		return nil, err
	}
	warnings := suspicious(all)
	d, err := rows.train(f.data, all)
	if err != nil {
		return nil, err
	}
	if f.schema == nil && f.how != dataset.MissingError {
		n := d.Len()
		if err := d.Impute(f.how); err != nil {
			return nil, inFile(f.data, err)
		}
		f.dropped(f.data, n-d.Len())
	}
	rows.remember(d)
	if err := checkClasses(f.data, d, rows.sample > 0, largest); err != nil {
		return nil, err
	}
	for _, w := range warnings {
		f.warn(f.data + ": " + w)
	}
	return d, nil
}

// recall takes the rows that a model was fitted to from the model, unless flags say otherwise.
func (f *rowFlags) recall(cmd *cobra.Command, m *wda.Model) {
	s := m.Schema()
	if s == nil || cmd.Flags().Changed("holdout") || cmd.Flags().Changed("sample") {
		return
	}
	f.holdout, f.sample = s.Rows.Holdout, s.Rows.Sample
	if !cmd.Flags().Changed("seed") && s.Rows != (dataset.Draw{}) {
		f.seed = s.Rows.Seed
	}
}

// remember notes in the schema of d which rows it has.
func (f *rowFlags) remember(d *dataset.Dataset) {
	if f.holdout == 0 && f.sample == 0 {
		return
	}
	s := d.Schema.Clone()
	if s == nil {
		s = &dataset.Schema{LabelNumber: -1, Total: columns(d)}
		for j := range s.Total {
			s.Columns = append(s.Columns, dataset.Column{Number: j})
		}
	}
	s.Rows = dataset.Draw{Holdout: f.holdout, Sample: f.sample, Seed: f.seed}
	d.Schema = s
}

func (f *readFlags) add(cmd *cobra.Command) {
	defer under(cmd, dataFlags)()
	fs := cmd.Flags()
	fs.StringVar(&f.labelColumn, "label-column", "", "`NAME`: where the labels are. CSV: name of a column, or its number from 0, from the end if negative (default the last). NPZ: name of an array (default y, or target). Parquet, Arrow, JSON lines: name of a column (default label or y)")
	f.columnFlags.add(cmd)
	fs.StringVar(&f.header, "header", "auto", "`NAME`: whether the first line of CSV holds names, one of auto, present, absent")
	oneOf(cmd, "header", "auto", "present", "absent")
	f.textFlags.add(cmd)
}

// options are those of the reader; labels is a file of labels or "".
func (f *readFlags) options(labels string) (dataset.Options, error) {
	opt, err := f.textFlags.options()
	if err != nil {
		return opt, err
	}
	if err := f.columnFlags.apply(&opt); err != nil {
		return opt, err
	}
	opt.Labels = dataset.ParseLabels(f.labelColumn)
	if labels != "" {
		if labels, err = labelFile(labels); err != nil {
			return opt, err
		}
		opt.Labels = dataset.LabelFile(labels)
	}
	if f.unlabelled && labels == "" && f.labelColumn == "" && f.schema.Features() != nil {
		opt.Labels = dataset.NoLabels()
	}
	if labels != "" && f.labelColumn != "" {
		return opt, usagef("a file of labels and --label-column cannot be used together: leave out one of them")
	}
	if err := opt.Header.UnmarshalText([]byte(f.header)); err != nil {
		return opt, usagef("--header must be auto, present or absent, not %q", f.header)
	}
	return opt, nil
}

// readLabelled reads samples that must have labels. flag is the flag that names the file labels.
func (f *readFlags) readLabelled(path, labels, flag string) (*dataset.Dataset, error) {
	opt, err := f.labelledOptions(labels)
	if err != nil {
		return nil, err
	}
	return f.readLabels(path, &opt, flag)
}

// labelledOptions are those of a reader of samples that must have labels.
func (f *readFlags) labelledOptions(labels string) (dataset.Options, error) {
	return f.options(labels)
}

// readLabels is readLabelled with options.
func (f *readFlags) readLabels(path string, opt *dataset.Options, flag string) (*dataset.Dataset, error) {
	d, err := f.readFile(path, opt)
	if err != nil {
		return nil, err
	}
	if d.Labels == nil {
		return nil, noLabels(path, flag)
	}
	return d, nil
}

func noLabels(path, flag string) error {
	return fmt.Errorf("%s: no labels; name a file of labels with --%s, or their array or column with --label-column", path, flag)
}

// readFeatures reads samples of which the first use is their features: a CSV file
// of exactly that many columns has no labels, one of one more has them last.
func (f *readFlags) readFeatures(path, labels string, features int) (*dataset.Dataset, error) {
	opt, err := f.options(labels)
	if err != nil {
		return nil, err
	}
	opt.Dim = features
	d, err := f.readFile(path, &opt)
	if err != nil {
		return nil, err
	}
	return d, checkFeatures(path, columns(d), features)
}

func checkFeatures(path string, got, want int) error {
	if got != want {
		return fmt.Errorf("%s: %d %s, but the model was fitted to %d; give a file with the same columns", path, got, plural(got, "feature", "features"), want)
	}
	return nil
}

func columns(d *dataset.Dataset) int {
	_, c := d.X.Dims()
	return c
}

// part is a part of the rows of a file.
type part int

const (
	allRows part = iota
	trainRows
	testRows
)

func (p part) String() string { return [...]string{"all", "train", "test"}[p] }

// split is the value of the array split in the rows of the part.
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

// rowFlags say which rows of a file to use.
type rowFlags struct {
	sample  int
	seed    uint64
	holdout float64
	unknown []string         // classes whose rows are left out
	left    *dataset.Dataset // the training rows of these, or nil
}

func (f *rowFlags) add(cmd *cobra.Command, what string) {
	defer under(cmd, rowChoice)()
	fs := cmd.Flags()
	fs.IntVar(&f.sample, "sample", 0, "`NUMBER`: draw this many of "+what+" at random, each class in proportion to its size; the same --seed draws the same rows (default all rows)")
	fs.Float64Var(&f.holdout, "holdout", 0, "`FRACTION`: keep this fraction of every class for testing, at random; the same --seed keeps the same rows (default none, or the file's own split)")
	fs.Uint64Var(&f.seed, "seed", 1, "`NUMBER`: seed of the random choices of --sample and --holdout")
}

// fitSeedUsage describes --seed where a fit is made.
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

// checkPart checks the flags of a command that uses a part of a file as it is.
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

// readPart reads the rows of a part of a file with so many features, and draws of them
// as --sample says.
func (f *rowFlags) readPart(read *readFlags, path, labels string, p part, features int) (*dataset.Dataset, error) {
	d, err := read.readFeatures(path, labels, features)
	if err != nil {
		return nil, err
	}
	if p != allRows && d.Split == nil && f.holdout == 0 {
		return nil, noSplit(path, p)
	}
	if d, err = f.choose(path, d, p); err != nil {
		return nil, err
	}
	return f.draw(path, d)
}

func noSplit(path string, p part) error {
	return fmt.Errorf("%s: --rows %v: the file has no array split; use --holdout to divide it", path, p)
}

// choose returns the part of d that was read from path, before any sample is drawn.
// Without a split, of the file or by --holdout, every part is all rows.
func (f *rowFlags) choose(path string, d *dataset.Dataset, p part) (*dataset.Dataset, error) {
	switch {
	case p == allRows:
		return d, nil
	case f.holdout > 0:
		if d.Split != nil {
			return nil, fmt.Errorf("%s: the file has a split of its own; leave out --holdout", path)
		}
		train, test, err := d.TrainTest(f.holdout, f.seed)
		if p == testRows {
			train = test
		}
		return train, inFile(path, err)
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
		return nil, noRows(path, p, d.Split)
	}
	return pick(d, rows), nil
}

// noRows is the error of a part without rows, whose values of the array split are these.
func noRows(path string, p part, splits []int) error {
	values := slices.Compact(slices.Sorted(slices.Values(splits)))
	return fmt.Errorf("%s: array split: no row has the value %d (0 for training rows, 1 for test rows); its values are %v", path, p.split(), values[:min(10, len(values))])
}

// draw samples d as --sample says.
func (f *rowFlags) draw(path string, d *dataset.Dataset) (*dataset.Dataset, error) {
	if f.sample == 0 {
		return d, nil
	}
	s, err := d.Sample(f.sample, f.seed)
	return s, inFile(path, err)
}

// train returns the training rows of d: those of its split, then the sample.
func (f *rowFlags) train(path string, d *dataset.Dataset) (*dataset.Dataset, error) {
	t, err := f.choose(path, d, trainRows)
	if err != nil {
		return nil, err
	}
	if t, f.left, err = f.leaveOut(path, t); err != nil {
		return nil, err
	}
	return f.draw(path, t)
}

// pick returns ascending rows of d, without copying them if they are neighbors, as
// those of MNIST are: its matrix takes half a gigabyte.
func pick(d *dataset.Dataset, rows []int) *dataset.Dataset {
	i, j := rows[0], rows[len(rows)-1]+1
	if j-i != len(rows) {
		return d.Subset(rows)
	}
	s := &dataset.Dataset{X: d.X.Slice(i, j, 0, columns(d)).(*mat.Dense), Classes: d.Classes, Columns: d.Columns, Split: d.Split[i:j], IDNames: d.IDNames, Schema: d.Schema}
	for _, ids := range d.IDs {
		s.IDs = append(s.IDs, ids[i:j])
	}
	if d.Labels != nil {
		s.Labels = d.Labels[i:j]
	}
	return s
}

// maxClass bounds the rows of a class: transport within it takes memory by the square of
// their number.
const maxClass = 1 << 15

// checkClasses refuses what no discriminant can be fitted to, by the classes' names.
func checkClasses(path string, d *dataset.Dataset, sampled bool, largest int) error {
	among, advice := "", "is another column the label? --label-column chooses it"
	if sampled {
		among, advice = " in the sample", "draw more rows with --sample"
	}
	present := 0
	for c, n := range d.Counts() {
		if n > largest && largest > 0 {
			return fmt.Errorf("%s: class %q has %d rows, too many for memory that grows with their square; draw at most %d a class with --sample, or fit with --method minibatch", path, d.Classes[c], n, largest)
		}
		if n == 1 {
			return fmt.Errorf("%s: class %q has only one row%s; at least two are needed: %s", path, d.Classes[c], among, advice)
		}
		if n > 0 {
			present++
		}
	}
	if present < 2 {
		return fmt.Errorf("%s: all %d rows%s have the label %q; at least two classes are needed: %s", path, d.Len(), among, d.Classes[d.Labels[0]], advice)
	}
	return nil
}

// classNames returns the names of the classes that have rows, in their order.
func classNames(d *dataset.Dataset) []string {
	var names []string
	for c, n := range d.Counts() {
		if n > 0 {
			names = append(names, d.Classes[c])
		}
	}
	return names
}

// inFile names the file in an error that does not.
func inFile(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", display(path), err)
}

// readMatrix reads a matrix of numbers, CSV without a header or NPY. A vector, which
// NPY knows, is one column.
func (f *textFlags) readMatrix(path string) (*mat.Dense, error) {
	opt, err := f.options()
	if err != nil {
		return nil, err
	}
	opt.Labels, opt.Header, opt.Vector = dataset.NoLabels(), dataset.HeaderAbsent, true
	d, err := new(columnFlags).readNumbers(path, &opt)
	if fe, ok := errors.AsType[*dataset.FileError](err); ok {
		switch fe.Option {
		case "OneHot", "KeepMissing", "Decimal":
			return nil, fmt.Errorf("%w; this file must hold numbers only, with decimal points and without a header", err)
		}
	}
	if err != nil {
		return nil, readError(err)
	}
	return d.X, nil
}

// readMatrixOf reads a matrix of a given shape.
func (f *textFlags) readMatrixOf(path, what string, rows, cols int) (*mat.Dense, error) {
	m, err := f.readMatrix(path)
	if err != nil {
		return nil, err
	}
	if r, c := m.Dims(); r != rows || c != cols {
		return nil, fmt.Errorf("%s: %s must be %d × %d, not %d × %d", path, what, rows, cols, r, c)
	}
	return m, nil
}

// readStart reads P⁰. Its columns need not be orthonormal, but must span p dimensions:
// the nearest orthonormal matrix of any other is arbitrary.
func (f *textFlags) readStart(path string, d, p int) (*mat.Dense, error) {
	m, err := f.readMatrixOf(path, "the start", d, p)
	if err != nil {
		return nil, err
	}
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDNone) {
		return nil, fmt.Errorf("%s: the start has no singular value decomposition; give other numbers", path)
	}
	if s := svd.Values(nil); !(s[p-1] > 1e-8*s[0]) {
		return nil, fmt.Errorf("%s: the columns of the start are linearly dependent; they must span p dimensions", path)
	}
	return m, nil
}

// readVector reads n numbers, in one column or one row.
func (f *textFlags) readVector(path, what string, n int) ([]float64, error) {
	m, err := f.readMatrix(path)
	if err != nil {
		return nil, err
	}
	r, c := m.Dims()
	if r*c != n || r != 1 && c != 1 {
		return nil, fmt.Errorf("%s: %s must have %d numbers in one column, not %d × %d", path, what, n, r, c)
	}
	return m.RawMatrix().Data, nil
}

// readLambdas reads the λ matrix of so many classes.
func (f *textFlags) readLambdas(path string, classes int) (*mat.Dense, error) {
	m, err := f.readMatrixOf(path, fmt.Sprintf("λ of %d classes", classes), classes, classes)
	if err != nil {
		return nil, err
	}
	for i := range classes {
		for j := range classes {
			if v := m.At(i, j); !(v > 0) {
				return nil, fmt.Errorf("%s: row %d, column %d: λ must be positive, not %v", path, i+1, j+1, v)
			}
			if m.At(i, j) != m.At(j, i) {
				return nil, fmt.Errorf("%s: row %d, column %d: λ is not symmetric: it is %v here, and %v in row %d, column %d", path, i+1, j+1, m.At(i, j), m.At(j, i), j+1, i+1)
			}
		}
	}
	return m, nil
}

// readClassifier reads a model file, once, and the classifier in it, which is nil if the
// file holds a model only.
func readClassifier(path string) (*wda.Model, *wda.Classifier, error) {
	f := os.Stdin
	if path != standard {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, nil, inFile(path, cause(err))
		}
		defer f.Close()
	}
	m, c, err := wda.Load(f)
	return m, c, inFile(path, cause(err))
}

// readModel reads a model file.
func readModel(path string) (*wda.Model, error) {
	m, _, err := readClassifier(path)
	return m, err
}

// contentHash names what predictions with a model, or with the classifier that a file
// holds beside it, depend on.
func contentHash(m *wda.Model, c *wda.Classifier) string {
	if c != nil {
		return c.Hash()
	}
	return m.Hash()
}
