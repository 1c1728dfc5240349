package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
)

// columnFlags are the flags that select columns of a table and describe their contents.
type columnFlags struct {
	columns, drop, ids []string
	extra              bool
	array              string
	decimal            string

	app       *app            // prints notes and the progress bar; nil to print nothing
	schema    *dataset.Schema // schema of the model, or nil
	modelFile string          // path of the model, or ""
	said      map[string]bool

	keepsLabels bool // the model has a class whose name usually marks a missing label, such as NA
}

func (f *columnFlags) add(cmd *cobra.Command) {
	defer groupFlags(cmd, dataFlags)()
	fs := cmd.Flags()
	fs.StringSliceVar(&f.columns, "columns", nil, "`NAMES`: the feature columns, separated by commas: names, patterns such as 'emb*', numbers from 0, or ranges such as height..weight and 0..9 (default all columns; in Parquet, Arrow and JSON lines all columns of lists, if there are any)")
	fs.StringSliceVar(&f.drop, "drop", nil, "`NAMES`: columns to leave out, named as for --columns")
	fs.StringSliceVar(&f.ids, "id", nil, "`NAMES`: columns that identify the rows, named as for --columns. They are not features; transform and predict copy them to their output")
	fs.StringVar(&f.array, "array", "", "`NAME`: in NPZ, the array of the features (default X, or data)")
	fs.StringVar(&f.decimal, "decimal", "", "`CHARACTER`: in CSV, the decimal separator, such as a comma (default a point)")
}

// addExtra adds --extra-columns, a flag of commands that use a model.
func (f *columnFlags) addExtra(cmd *cobra.Command) {
	defer groupFlags(cmd, dataFlags)()
	cmd.Flags().BoolVar(&f.extra, "extra-columns", false, "ignore columns that the model does not know, instead of rejecting the file")
}

// useSchemaOf stores the schema of the model m and the path of its file in f. The columns of a data
// file are then interpreted like the columns of the training file.
func (f *columnFlags) useSchemaOf(path string, m *wda.Model) {
	f.modelFile, f.schema = path, m.Schema()
	f.keepsLabels = slices.ContainsFunc(m.ClassNames(), dataset.MissingLabelsError.IsMissing)
}

// noteOnce prints a note unless it was printed before.
func (f *columnFlags) noteOnce(text string) {
	if f.said == nil {
		f.said = map[string]bool{}
	}
	if f.app != nil && !f.said[text] {
		f.said[text] = true
		f.app.note(text)
	}
}

// apply sets the fields of opt from the flags.
func (f *columnFlags) apply(opt *dataset.Options) (err error) {
	opt.Columns, opt.Drop, opt.ID, opt.Features = f.columns, f.drop, f.ids, f.array
	opt.Schema, opt.AllowExtra = f.schema, f.extra
	opt.Decimal, err = singleCharacter("decimal", f.decimal)
	return err
}

// explain prints the decisions of a reader about columns.
func (f *columnFlags) explain(path string, r *dataset.Reader) {
	path = displayName(path)
	for _, n := range r.Notes() {
		f.noteOnce(path + ": " + noteText(n))
	}
	if f.modelFile == "" {
		return
	}
	switch named := f.schema.Features() != nil; {
	case named && r.ByNumber():
		f.noteOnce(path + ": columns are matched by their numbers, because the file has no column names")
	case !named && r.Columns() != nil:
		f.noteOnce(path + ": columns are matched by their numbers, because the model has no column names")
	}
}

// noteText returns the text of a note. If --header can change the reader's decision, the text
// suggests this flag.
func noteText(n dataset.Note) string {
	if n.Option == "Header" {
		return n.Text + "; use --header " + n.Value + " if it is not"
	}
	return n.Text
}

// explainLabels prints the notes about labels that match a class only by numeric value.
func (f *columnFlags) explainLabels(path string, notes []dataset.Note) {
	for _, n := range notes {
		f.noteOnce(displayName(path) + ": " + noteText(n))
	}
}

// noteDropped prints how many rows were left out because of missing values.
func (f *columnFlags) noteDropped(path string, rows int) {
	if rows > 0 {
		f.noteOnce(fmt.Sprintf("%s: %d %s with missing values or labels left out", path, rows, plural(rows, "row", "rows")))
	}
}

// reader is an open file of samples.
type reader struct {
	*dataset.Reader
	percent int // the previous setting of the garbage collector, or 0 if it was not changed
	end     func()
}

// open opens a file of any format, or standard input. The progress bar shows how much of the file
// has been read.
func (f *columnFlags) open(path string, opt *dataset.Options) (*reader, error) {
	if path != stdinArgument {
		return f.wrapReader(path, func() (*dataset.Reader, error) { return dataset.Open(path, opt) }, func() {})
	}
	in, end, err := openStdin(false)
	if err != nil {
		return nil, err
	}
	return f.wrapReader(path, func() (*dataset.Reader, error) { return dataset.NewReader(in, opt) }, end)
}

func (f *columnFlags) wrapReader(path string, open func() (*dataset.Reader, error), end func()) (*reader, error) {
	in, err := open()
	if err != nil {
		end()
		return nil, withInputName(path, err)
	}
	r := &reader{Reader: in}
	if f := r.Format(); f == dataset.FormatParquet || f == dataset.FormatArrow {
		// The libraries allocate memory for every batch or page. With GOGC=100, a file with batches
		// of 32 MiB takes 200 MB.
		r.percent = debug.SetGCPercent(25)
	}
	b := f.app.currentBar()
	b.setReader(displayName(path), in)
	r.end = func() {
		b.setReader("", nil)
		end()
	}
	return r, nil
}

func (r *reader) Close() error {
	if r.percent != 0 {
		debug.SetGCPercent(r.percent)
	}
	err := r.Reader.Close()
	r.end()
	return err
}

// readFile reads a whole file of any format.
func (f *columnFlags) readFile(path string, opt *dataset.Options) (*dataset.Dataset, error) {
	d, err := f.readNumbers(path, opt)
	if err != nil {
		return nil, f.readError(err)
	}
	return d, nil
}

// readNumbers is like readFile, but its errors suggest no flags.
func (f *columnFlags) readNumbers(path string, opt *dataset.Options) (*dataset.Dataset, error) {
	r, err := f.open(path, opt)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	d, err := r.ReadAll()
	if err != nil {
		return nil, withInputName(path, err)
	}
	f.explain(path, r.Reader)
	f.noteDropped(path, r.Dropped())
	return d, nil
}

// readOnce reports whether path is a pipe or a device, which can be read only once.
func readOnce(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// readError adds a suggestion, such as a flag, to the text of an error. It does not suggest dropping
// a column that the model needs.
func (f *columnFlags) readError(err error) error {
	if fe, ok := errors.AsType[*dataset.FileError](err); ok && fe.Option == "OneHot" && f.schema != nil {
		return fmt.Errorf("%w; the model was fitted to numbers in this column: write a number, or NA if it is missing, or fit the model with --drop %s or --one-hot %[2]s", err, quoteForShell(flagColumn(fe)))
	}
	return readError(err)
}

// flagColumn returns the column of an error in the syntax of a flag: the column's name, or its
// number if the name is empty or long.
func flagColumn(fe *dataset.FileError) string {
	if fe.Name == "" || len(fe.Name) > 100 {
		return strconv.Itoa(fe.Column - 1)
	}
	return fe.Name
}

// readError adds a suggestion, such as a flag, to the text of a reader's error.
func readError(err error) error {
	fe, ok := errors.AsType[*dataset.FileError](err)
	if !ok {
		return err
	}
	name := flagColumn(fe)
	if ce, ok := errors.AsType[*dataset.ColumnsError](err); ok {
		advice := "give a file with the same columns"
		if ce.Missing == nil {
			advice = "use --id if they identify the rows, --drop to leave them out, or --extra-columns to leave out all columns that the model does not know"
		}
		return fmt.Errorf("%w; %s", err, advice)
	}
	switch fe.Option {
	case "MissingLabels":
		return fmt.Errorf("%w; use --missing-labels drop to leave out such rows, --missing-labels keep to make a class of texts such as NA, or --label-column if another column holds the labels", err)
	case "Drop":
		return fmt.Errorf("%w; use --drop %s to leave it out", err, fe.Value)
	case "Labels":
		return usagef("%v; use --label-column", err)
	case "Columns":
		return fmt.Errorf("%w; use --columns", err)
	case "Features":
		return fmt.Errorf("%w; use --array to name the array of the features", err)
	case "Delimiter":
		return fmt.Errorf("%w; if they are, use --delimiter '%s'", err, fe.Value)
	case "Header":
		if fe.Value == "" {
			return fmt.Errorf("%w; use --header present if it is a header, or --header absent if it is data", err)
		}
		return fmt.Errorf("%w; if it is, use --header present; if it is data, use --header absent", err)
	case "Comment":
		return fmt.Errorf("%w; use --comment if it is one", err)
	case "MaxExpansion":
		return fmt.Errorf("%w; use --max-expansion to allow more", err)
	case "OneHot":
		return fmt.Errorf("%w; if the value is missing, write NA in the file; otherwise use --drop %s to leave the column out, --id %[2]s if it only identifies the rows, --one-hot %[2]s to make a feature of each of its values, or --label-column %[2]s if it holds the labels. monge info lists all columns of text", err, quoteForShell(name))
	case "KeepMissing":
		err = fmt.Errorf("%w; missing values need --missing mean, median or drop when the model is fitted", err)
		if strings.HasPrefix(fe.Err.Error(), `"`) { // a text file, in which the column may hold text
			err = fmt.Errorf("%w; if the column holds text, use --one-hot %s, too", err, quoteForShell(name))
		}
		return err
	case "Decimal":
		return fmt.Errorf("%w; for decimal commas use --decimal ,", err)
	}
	if errors.Is(err, dataset.ErrSettings) {
		return usagef("%v", err)
	}
	return err
}

// quoteForShell quotes a name, if necessary, so that a user can copy it into a shell as the value of
// a flag.
func quoteForShell(name string) string {
	if q := strconv.Quote(name); strings.Contains(name, ",") && len(q) == len(name)+2 {
		return "'" + q + "'" // the flag takes names that commas separate
	}
	if strings.ContainsAny(name, " \t'\"*?$&|;<>()#!`\\") {
		return strconv.Quote(name)
	}
	return name
}

// missingFlags are the flags for training on missing values and text.
type missingFlags struct {
	missing string
	onehot  []string
	keepNA  bool
	how     dataset.Missing
}

func (f *missingFlags) add(cmd *cobra.Command) {
	defer groupFlags(cmd, dataFlags)()
	fs := cmd.Flags()
	fs.StringVar(&f.missing, "missing", "error", "`NAME`: what to do with missing values: error; mean or median, to replace them by the mean or median of the column; drop, to drop their rows. The model stores this setting")
	completeValues(cmd, "missing", "error", "mean", "median", "drop")
	fs.StringSliceVar(&f.onehot, "one-hot", nil, "`NAMES`: columns of text, named as for --columns. Each value becomes a feature that is 0 or 1. The model stores the values")
	fs.BoolVar(&f.keepNA, "keep-na", false, "in columns of --one-hot, treat the texts NA, N/A, NaN and null as values; only an empty field is missing")
}

// parse parses --missing.
func (f *missingFlags) parse() error {
	if f.missing == "" {
		return nil
	}
	if err := f.how.UnmarshalText([]byte(f.missing)); err != nil {
		return usagef("--missing must be error, mean, median or drop, not %q", f.missing)
	}
	return nil
}

// suspiciousColumns returns warnings about columns that should probably not be features.
func suspiciousColumns(d *dataset.Dataset) []string {
	var out []string
	n, cols := d.X.Dims()
	names := d.Columns
	name := func(j int) string {
		if names != nil && len(names[j]) <= 100 {
			return quoteForShell(names[j])
		}
		if d.Schema != nil && len(d.Schema.Columns) == cols {
			j = d.Schema.Columns[j].Number
		}
		return strconv.Itoa(j)
	}
	for j := range cols {
		drop := cmp.Or(quoteForShell(categoryColumn(d.Schema, j)), name(j))
		if n >= 10 && isRowNumber(d, j) {
			out = append(out, fmt.Sprintf("column %s numbers the rows, so it is probably not a feature; --drop %s leaves it out", name(j), drop))
		} else if determinesLabels(d, j) {
			out = append(out, fmt.Sprintf("column %s is used as a feature, but it alone determines the label of every row; if it is another form of the label, leave it out with --drop %s", name(j), drop))
		}
	}
	return out
}

// categoryColumn returns the name of the text column from which a one-hot feature was made, or "".
func categoryColumn(s *dataset.Schema, feature int) string {
	if s == nil {
		return ""
	}
	for _, c := range s.Columns {
		width := max(1, c.Width, len(c.Categories))
		if feature < width && len(c.Categories) > 0 {
			return c.Name
		} else if feature < width {
			return ""
		}
		feature -= width
	}
	return ""
}

// isRowNumber reports whether column j has the row numbers.
func isRowNumber(d *dataset.Dataset, j int) bool {
	n, _ := d.X.Dims()
	first := d.X.At(0, j)
	for i := range n {
		if d.X.At(i, j) != first+float64(i) {
			return false
		}
	}
	return true
}

// determinesLabels reports whether all rows with the same value in column j have the same label. It
// returns false if the column has many distinct values.
func determinesLabels(d *dataset.Dataset, j int) bool {
	n, _ := d.X.Dims()
	most := min(n/2, max(64, 2*len(d.Classes)))
	label := map[float64]int{}
	for i := range n {
		v := d.X.At(i, j)
		l, ok := label[v]
		if ok && l != d.Labels[i] {
			return false
		}
		if label[v] = d.Labels[i]; len(label) > most {
			return false
		}
	}
	return len(label) > 1
}
