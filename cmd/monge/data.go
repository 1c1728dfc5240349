package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"unicode/utf8"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	_ "github.com/gomonge/monge/wda/dataset/columnar" // reads Parquet and Arrow
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

// textFlags are the flags that describe the text format of a data file.
type textFlags struct {
	delimiter    string
	comment      string
	maxExpansion int
	named        bool // whether CSV files that readMatrix reads have a header
}

func (f *textFlags) add(cmd *cobra.Command) {
	defer groupFlags(cmd, dataFlags)()
	fs := cmd.Flags()
	fs.StringVar(&f.delimiter, "delimiter", "", "`CHARACTER`: in CSV, the character between fields; a space means any number of spaces or tabs (default comma, or tab for .tsv)")
	fs.StringVar(&f.comment, "comment", "", "`CHARACTER`: in CSV, ignore lines that begin with this character (default none)")
	fs.IntVar(&f.maxExpansion, "max-expansion", 0, "`NUMBER`: limit on the bytes of memory for each byte of a compressed file (default 400)")
}

// options returns the options of the reader.
func (f *textFlags) options() (opt dataset.Options, err error) {
	if opt.Delimiter, err = singleCharacter("delimiter", f.delimiter); err != nil {
		return opt, err
	}
	if opt.Comment, err = singleCharacter("comment", f.comment); err != nil {
		return opt, err
	}
	opt.MaxExpansion = f.maxExpansion
	return opt, checkRange("max-expansion", f.maxExpansion, 0, math.MaxInt32)
}

// singleCharacter returns the only character of a flag value, or 0 if the value is empty.
func singleCharacter(flag, text string) (rune, error) {
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

// readFlags are the flags for reading a file of samples.
type readFlags struct {
	textFlags
	columnFlags
	labelColumn   string
	header        string
	missingLabels string
	unlabeled     bool // the labels are not needed
}

// trainFlags are the flags for the training file of a command.
type trainFlags struct {
	readFlags
	missingFlags
	data, labels string
	fileRows     int // number of rows that readTraining has read
	warn         func(text string)
}

func (f *trainFlags) add(a *app, cmd *cobra.Command) {
	f.app, f.warn = a, a.warnText
	defer groupFlags(cmd, dataFlags)()
	fs := cmd.Flags()
	fs.StringVar(&f.data, "data", "", "`FILE`: file with rows to learn from, and their labels (required)")
	fs.StringVar(&f.labels, "labels", "", "`FILE`: file with labels, if the data file has none; every column of a CSV file is then a feature")
	f.readFlags.add(cmd)
	f.missingFlags.add(cmd)
}

// readTraining reads the training rows that the row flags select, and imputes or drops missing
// values. It returns an error if the classes cannot be fitted, or if a class has more than the given
// number of rows. The number 0 means no limit.
func (f *trainFlags) readTraining(rows *rowFlags, largest int) (*dataset.Dataset, error) {
	if err := f.missingFlags.parse(); err != nil {
		return nil, err
	}
	if len(rows.unknown) > 0 && f.missing != "" && f.missing != "error" {
		return nil, usagef("--unknown and --missing cannot be used together, because missing values of unknown classes are not replaced: leave out one of them")
	}
	opt, err := f.options(f.labels)
	if err != nil {
		return nil, err
	}
	if f.schema == nil {
		opt.OneHot, opt.KeepNA, opt.KeepMissing = f.onehot, f.keepNA, f.how != dataset.MissingError
	}
	all, err := f.readLabels(f.data, &opt, "labels")
	if err != nil {
		return nil, err
	}
	f.fileRows = all.Len()
	warnings := suspiciousColumns(all)
	imputes := f.schema == nil && f.how != dataset.MissingError
	if imputes && f.how == dataset.MissingDrop {
		// Drop rows with missing values before the rows are divided. With a schema, the reader has already dropped
		// such rows.
		if err := all.Impute(f.how); err != nil {
			return nil, withPath(f.data, err)
		}
		f.noteDropped(f.data, f.fileRows-all.Len())
	}
	d, err := rows.trainingRows(f.data, all)
	if err != nil {
		return nil, err
	}
	if imputes && f.how != dataset.MissingDrop {
		missing, categories := countMissing(d)
		if err := d.Impute(f.how); err != nil {
			return nil, withPath(f.data, err)
		}
		if missing > 0 {
			f.noteOnce(fmt.Sprintf("%s: %d missing %s of the training rows replaced by the %v of the column", f.data, missing, plural(missing, "value", "values"), f.how))
		}
		if categories > 0 {
			f.noteOnce(fmt.Sprintf("%s: %d missing %s of columns of text: all features of such a column are 0; if NA is a value of it, use --keep-na", f.data, categories, plural(categories, "value", "values")))
		}
	}
	rows.recordDraw(d)
	if err := checkClasses(f.data, d, rows.sample > 0, countsBeforeHoldout(rows, all), largest); err != nil {
		return nil, err
	}
	for _, w := range append(warnings, similarNames(d.Classes)...) {
		f.warn(f.data + ": " + w)
	}
	return d, nil
}

// countsBeforeHoldout returns the number of rows in each class before --holdout removes rows.
// Without --holdout, or if the classes may change, it returns nil.
func countsBeforeHoldout(rows *rowFlags, all *dataset.Dataset) []int {
	if rows.holdout == 0 || len(rows.unknown) > 0 || rows.names != nil {
		return nil
	}
	return all.Counts()
}

// countMissing returns the number of missing numbers in d, and the number of missing values in text
// columns.
func countMissing(d *dataset.Dataset) (numbers, categories int) {
	// categoryCount[j] is the number of categories if feature j is the first feature of a text column, −1 if it
	// is a later feature of a text column, and 0 otherwise.
	categoryCount := make([]int, columnCount(d))
	if d.Schema != nil {
		at := 0
		for _, c := range d.Schema.Columns {
			if n := len(c.Categories); n > 0 {
				for k := range n {
					categoryCount[at+k] = -1
				}
				categoryCount[at] = n
			}
			at += max(1, c.Width, len(c.Categories))
		}
	}
	for i := range d.Len() {
		for j, v := range d.X.RawRowView(i) {
			switch {
			case !math.IsNaN(v) || categoryCount[j] < 0:
			case categoryCount[j] > 0:
				categories++
			default:
				numbers++
			}
		}
	}
	return numbers, categories
}

// useRowsOf selects the rows that m was fitted to, unless flags select other rows. If m has all
// classes of the file, the labels get the class indices of m.
func (f *rowFlags) useRowsOf(cmd *cobra.Command, m *wda.Model, read *columnFlags) {
	f.names, f.read = m.ClassNames(), read
	s := m.Schema()
	if s == nil || cmd.Flags().Changed("holdout") || cmd.Flags().Changed("sample") {
		return
	}
	f.holdout, f.sample = s.Rows.Holdout, s.Rows.Sample
	if !cmd.Flags().Changed("seed") && s.Rows != (dataset.Draw{}) {
		f.seed = s.Rows.Seed
	}
}

// recordDraw records in the schema of d how the flags --sample and --holdout selected the rows.
func (f *rowFlags) recordDraw(d *dataset.Dataset) {
	if f.holdout == 0 && f.sample == 0 {
		return
	}
	s := d.Schema.Clone()
	if s == nil {
		s = &dataset.Schema{LabelNumber: -1, Total: columnCount(d)}
		for j := range s.Total {
			s.Columns = append(s.Columns, dataset.Column{Number: j})
		}
	}
	s.Rows = dataset.Draw{Holdout: f.holdout, Sample: f.sample, Seed: f.seed}
	d.Schema = s
}

func (f *readFlags) add(cmd *cobra.Command) {
	defer groupFlags(cmd, dataFlags)()
	fs := cmd.Flags()
	fs.StringVar(&f.labelColumn, "label-column", "", "`NAME`: where the labels are. CSV: name of a column, or its number from 0, from the end if negative (default the last). NPZ: name of an array (default y, or target). Parquet, Arrow, JSON lines: name of a column (default label or y)")
	f.columnFlags.add(cmd)
	fs.StringVar(&f.header, "header", "auto", "`NAME`: whether the first line of CSV contains column names, one of auto, present, absent")
	completeValues(cmd, "header", "auto", "present", "absent")
	fs.StringVar(&f.missingLabels, "missing-labels", "", "`NAME`: what to do with rows whose label is empty, null, NA, N/A, NaN, None or ?: error; drop, to leave them out; keep, to make a class of each such text (default error, or keep if the model has such a class)")
	completeValues(cmd, "missing-labels", "error", "drop", "keep")
	f.textFlags.add(cmd)
}

// options returns the options of the reader. If labels is not empty, it is the path of a label file.
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
		if labels, err = labelFilePath(labels); err != nil {
			return opt, err
		}
		opt.Labels = dataset.LabelFile(labels)
	}
	if f.unlabeled && labels == "" && f.labelColumn == "" && f.schema.Features() != nil {
		opt.Labels = dataset.NoLabels()
	}
	if labels != "" && f.labelColumn != "" {
		return opt, usagef("a file of labels and --label-column cannot be used together: leave out one of them")
	}
	if err := opt.Header.UnmarshalText([]byte(f.header)); err != nil {
		return opt, usagef("--header must be auto, present or absent, not %q", f.header)
	}
	missing := "error"
	if f.keepsLabels {
		missing = "keep"
	}
	if err := opt.MissingLabels.UnmarshalText([]byte(cmp.Or(f.missingLabels, missing))); err != nil {
		return opt, usagef("--missing-labels must be error, drop or keep, not %q", f.missingLabels)
	}
	return opt, nil
}

// readLabeled reads samples that must have labels. If labels are missing, the error suggests the given flag,
// which selects a label file.
func (f *readFlags) readLabeled(path, labels, flag string) (*dataset.Dataset, error) {
	opt, err := f.options(labels)
	if err != nil {
		return nil, err
	}
	return f.readLabels(path, &opt, flag)
}

// readLabels is like readLabeled, but takes the options of the reader.
func (f *readFlags) readLabels(path string, opt *dataset.Options, flag string) (*dataset.Dataset, error) {
	d, err := f.readFile(path, opt)
	if err != nil {
		return nil, err
	}
	if d.Labels == nil {
		return nil, noLabelsError(path, flag)
	}
	return d, nil
}

func noLabelsError(path, flag string) error {
	return fmt.Errorf("%s: no labels; name a file of labels with --%s, or their array or column with --label-column", path, flag)
}

// readFeatures reads samples with the given number of features. A CSV file with exactly this number
// of columns has no labels. If a CSV file has one more column, the last column has the labels.
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
	return d, checkFeatures(path, columnCount(d), features)
}

func checkFeatures(path string, got, want int) error {
	if got != want {
		return fmt.Errorf("%s: %d %s, but the model was fitted to %d; give a file with the same columns", path, got, plural(got, "feature", "features"), want)
	}
	return nil
}

func columnCount(d *dataset.Dataset) int {
	_, c := d.X.Dims()
	return c
}

// withPath adds the path to an error that does not name the file. It returns nil for a nil error.
func withPath(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", displayName(path), err)
}

// readMatrix reads a matrix of numbers from a CSV or NPY file. A CSV file has a header only if
// f.named is set. An NPY vector becomes a matrix with one column.
func (f *textFlags) readMatrix(path string) (*mat.Dense, error) {
	opt, err := f.options()
	if err != nil {
		return nil, err
	}
	opt.Labels, opt.Header, opt.Vector = dataset.NoLabels(), dataset.HeaderAbsent, true
	if f.named {
		opt.Header = dataset.HeaderPresent
	}
	d, err := new(columnFlags).readNumbers(path, &opt)
	if fe, ok := errors.AsType[*dataset.FileError](err); ok {
		switch fe.Option {
		case "OneHot", "KeepMissing", "Decimal":
			return nil, fmt.Errorf("%w; this file must hold numbers only, with decimal points; if it has a header, remove it, or use --header present if all CSV files of the command have one", err)
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

// readStart reads the d × p initial projection of an optimizer. Its columns need not be
// orthonormal, but they must be linearly independent. Otherwise the nearest orthonormal matrix is
// not unique.
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

// readLambdas reads the symmetric λ matrix, which has one row and one column for each class.
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

// readClassifier reads a model file. The classifier is nil if the file contains none.
func readClassifier(path string) (*wda.Model, *wda.Classifier, error) {
	f := os.Stdin
	if path != stdinArgument {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, nil, withPath(path, withoutPath(err))
		}
		defer f.Close()
	}
	m, c, err := wda.Load(f, nil)
	return m, c, withPath(path, withoutPath(err))
}

func readModel(path string) (*wda.Model, error) {
	m, _, err := readClassifier(path)
	return m, err
}

// contentHash returns the hash of the classifier, or of the model if c is nil.
func contentHash(m *wda.Model, c *wda.Classifier) string {
	if c != nil {
		return c.Hash()
	}
	return m.Hash()
}
