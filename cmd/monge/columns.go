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

// columnFlags say what the columns of a table are for.
type columnFlags struct {
	columns, drop, ids []string
	extra              bool
	array              string
	decimal            string

	app    *app            // prints notes and the progress bar; nil for neither
	schema *dataset.Schema // of the model
	file   string          // of the model
	said   map[string]bool

	keepsLabels bool // the model has a class such as NA
}

func (f *columnFlags) add(cmd *cobra.Command) {
	defer under(cmd, dataFlags)()
	fs := cmd.Flags()
	fs.StringSliceVar(&f.columns, "columns", nil, "`NAMES`: the feature columns, separated by commas: names, patterns such as 'emb*', numbers from 0, or ranges such as height..weight and 0..9 (default all columns; in Parquet, Arrow and JSON lines all columns of lists, if there are any)")
	fs.StringSliceVar(&f.drop, "drop", nil, "`NAMES`: columns to leave out, named as for --columns")
	fs.StringSliceVar(&f.ids, "id", nil, "`NAMES`: columns that identify the rows, named as for --columns. They are no features; transform and predict copy them to their output")
	fs.StringVar(&f.array, "array", "", "`NAME`: in NPZ, the array of the features (default X, or data)")
	fs.StringVar(&f.decimal, "decimal", "", "`CHARACTER`: in CSV, the decimal separator, such as a comma (default a point)")
}

// addExtra adds the flag of commands that use a model.
func (f *columnFlags) addExtra(cmd *cobra.Command) {
	defer under(cmd, dataFlags)()
	cmd.Flags().BoolVar(&f.extra, "extra-columns", false, "leave out columns that the model does not know, instead of refusing the file")
}

// follow has files read as the one that a model was fitted to.
func (f *columnFlags) follow(path string, m *wda.Model) {
	f.file, f.schema = path, m.Schema()
	f.keepsLabels = slices.ContainsFunc(m.ClassNames(), dataset.MissingLabelsError.IsMissing)
}

// note prints a note, once.
func (f *columnFlags) note(text string) {
	if f.said == nil {
		f.said = map[string]bool{}
	}
	if f.app != nil && !f.said[text] {
		f.said[text] = true
		f.app.note(text)
	}
}

// apply sets what the flags say.
func (f *columnFlags) apply(opt *dataset.Options) (err error) {
	opt.Columns, opt.Drop, opt.ID, opt.Features = f.columns, f.drop, f.ids, f.array
	opt.Schema, opt.AllowExtra = f.schema, f.extra
	opt.Decimal, err = character("decimal", f.decimal)
	return err
}

// explain prints what a reader has decided about the columns.
func (f *columnFlags) explain(path string, r *dataset.Reader) {
	path = display(path)
	for _, n := range r.Notes() {
		f.note(path + ": " + noteText(n))
	}
	if f.file == "" {
		return
	}
	switch named := f.schema.Features() != nil; {
	case named && r.ByNumber():
		f.note(path + ": columns are matched by their numbers, because the file has no column names")
	case !named && r.Columns() != nil:
		f.note(path + ": columns are matched by their numbers, because the model has no column names")
	}
}

// noteText is a note of a reader, with the flag that changes the decision.
func noteText(n dataset.Note) string {
	if n.Option == "Header" {
		return n.Text + "; use --header " + n.Value + " if it is not"
	}
	return n.Text
}

// explainLabels prints which labels were found by their values.
func (f *columnFlags) explainLabels(path string, notes []dataset.Note) {
	for _, n := range notes {
		f.note(display(path) + ": " + noteText(n))
	}
}

// dropped says how many rows were left out because of missing values.
func (f *columnFlags) dropped(path string, rows int) {
	if rows > 0 {
		f.note(fmt.Sprintf("%s: %d %s with missing values or labels left out", path, rows, plural(rows, "row", "rows")))
	}
}

// reader is a file of samples that is open.
type reader struct {
	*dataset.Reader
	percent int // of the garbage collector, before; 0 if it was not changed
	end     func()
}

// open opens a file of any format, or standard input. The progress bar shows how much of it has
// been read.
func (f *columnFlags) open(path string, opt *dataset.Options) (*reader, error) {
	if path != standard {
		return f.opened(path, func() (*dataset.Reader, error) { return dataset.Open(path, opt) }, func() {})
	}
	in, end, err := openStandard(false)
	if err != nil {
		return nil, err
	}
	return f.opened(path, func() (*dataset.Reader, error) { return dataset.NewReader(in, opt) }, end)
}

func (f *columnFlags) opened(path string, open func() (*dataset.Reader, error), end func()) (*reader, error) {
	in, err := open()
	if err != nil {
		end()
		return nil, inInput(path, err)
	}
	r := &reader{Reader: in}
	if f := r.Format(); f == dataset.FormatParquet || f == dataset.FormatArrow {
		// The libraries leave every batch or page to the garbage collector: at 100 % a file of
		// batches of 32 MiB takes 200 MB.
		r.percent = debug.SetGCPercent(25)
	}
	b := f.app.shown()
	b.reads(display(path), in)
	r.end = func() {
		b.reads("", nil)
		end()
	}
	return r, nil
}

// Close closes the file.
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

// readNumbers is readFile for commands that lack some of the flags that readError names.
func (f *columnFlags) readNumbers(path string, opt *dataset.Options) (*dataset.Dataset, error) {
	r, err := f.open(path, opt)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	d, err := r.ReadAll()
	if err != nil {
		return nil, inInput(path, err)
	}
	f.explain(path, r.Reader)
	f.dropped(path, r.Dropped())
	return d, nil
}

// once reports whether path is a pipe or a device, which can be read only once.
func once(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// readError names the flag that may help. Columns that a model expects cannot be left out.
func (f *columnFlags) readError(err error) error {
	if fe, ok := errors.AsType[*dataset.FileError](err); ok && fe.Option == "OneHot" && f.schema != nil {
		return fmt.Errorf("%w; the model was fitted to numbers there: write it as a number, or fit the model with --drop %s or --one-hot %[2]s", err, quoted(columnForFlag(fe)))
	}
	return readError(err)
}

// columnForFlag is how a flag may name the column of an error: by its number if it has no name or a long one.
func columnForFlag(fe *dataset.FileError) string {
	if fe.Name == "" || len(fe.Name) > 100 {
		return strconv.Itoa(fe.Column - 1)
	}
	return fe.Name
}

// readError is for files without a model.
func readError(err error) error {
	fe, ok := errors.AsType[*dataset.FileError](err)
	if !ok {
		return err
	}
	name := columnForFlag(fe)
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
		return fmt.Errorf("%w; if it is, use --header present", err)
	case "Comment":
		return fmt.Errorf("%w; use --comment if it is one", err)
	case "MaxExpansion":
		return fmt.Errorf("%w; use --max-expansion to allow more", err)
	case "OneHot":
		return fmt.Errorf("%w; use --drop %s to leave the column out, --id %[2]s if it only identifies the rows, --one-hot %[2]s to make a feature of each of its values, or --label-column %[2]s if it holds the labels. monge info lists all columns of text", err, quoted(name))
	case "KeepMissing":
		return fmt.Errorf("%w; missing values need --missing mean, median or drop when the model is fitted", err)
	case "Decimal":
		return fmt.Errorf("%w; for decimal commas use --decimal ,", err)
	}
	if errors.Is(err, dataset.ErrSettings) {
		return usagef("%v", err)
	}
	return err
}

// quoted returns a name as it is given to a flag in a shell.
func quoted(name string) string {
	if q := strconv.Quote(name); strings.Contains(name, ",") && len(q) == len(name)+2 {
		return "'" + q + "'" // the flag takes names that commas separate
	}
	if strings.ContainsAny(name, " \t'\"*?$&|;<>()#!`\\") {
		return strconv.Quote(name)
	}
	return name
}

// missingFlags say how to learn from values that are no numbers.
type missingFlags struct {
	missing string
	onehot  []string
	keepNA  bool
	how     dataset.Missing
}

func (f *missingFlags) add(cmd *cobra.Command) {
	defer under(cmd, dataFlags)()
	fs := cmd.Flags()
	fs.StringVar(&f.missing, "missing", "error", "`NAME`: what to do with missing values: error; mean or median, to put that of the column in their place; drop, to leave out their rows. The model remembers it")
	oneOf(cmd, "missing", "error", "mean", "median", "drop")
	fs.StringSliceVar(&f.onehot, "one-hot", nil, "`NAMES`: columns of text, named as for --columns. Each of their values becomes a feature that is 0 or 1. The model remembers the values")
	fs.BoolVar(&f.keepNA, "keep-na", false, "in columns of --one-hot, the texts NA, N/A, NaN and null are values; only an empty field is missing")
}

// check parses --missing.
func (f *missingFlags) check() error {
	if f.missing == "" {
		return nil
	}
	if err := f.how.UnmarshalText([]byte(f.missing)); err != nil {
		return usagef("--missing must be error, mean, median or drop, not %q", f.missing)
	}
	return nil
}

// suspicious warns of columns that should probably not be features.
func suspicious(d *dataset.Dataset) []string {
	var out []string
	n, cols := d.X.Dims()
	names := d.Columns
	name := func(j int) string {
		if names != nil && len(names[j]) <= 100 {
			return quoted(names[j])
		}
		if d.Schema != nil && len(d.Schema.Columns) == cols {
			j = d.Schema.Columns[j].Number
		}
		return strconv.Itoa(j)
	}
	for j := range cols {
		drop := cmp.Or(quoted(categorical(d.Schema, j)), name(j))
		if n >= 10 && counts(d, j) {
			out = append(out, fmt.Sprintf("column %s numbers the rows, so it is probably not a feature; --drop %s leaves it out", name(j), drop))
		} else if determines(d, j) {
			out = append(out, fmt.Sprintf("column %s is used as a feature, but it alone determines the label of every row; if it is another form of the label, leave it out with --drop %s", name(j), drop))
		}
	}
	return out
}

// categorical returns the name of the text column that a feature is a value of, or "" for other features.
func categorical(s *dataset.Schema, feature int) string {
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

// counts reports whether a column is the number of the row.
func counts(d *dataset.Dataset, j int) bool {
	n, _ := d.X.Dims()
	first := d.X.At(0, j)
	for i := range n {
		if d.X.At(i, j) != first+float64(i) {
			return false
		}
	}
	return true
}

// determines reports whether rows with the same value have the same label. There must be few values.
func determines(d *dataset.Dataset, j int) bool {
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
