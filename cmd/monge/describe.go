package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gomonge/monge/wda/dataset"
)

// shownRows and shownColumns are the numbers of rows and columns of a file that are printed.
const shownRows, shownColumns = 5, 8

// dataInfo describes a file of samples.
type dataInfo struct {
	Path     string       `json:"path"`
	Format   string       `json:"format"`
	Rows     int          `json:"rows"`
	Features int          `json:"features"`
	Columns  []columnInfo `json:"columns,omitempty"` // the features, where they have names
	Text     []string     `json:"text,omitempty"`    // names of the text columns
	Missing  int          `json:"missing"`
	Label    string       `json:"label_column,omitempty"`
	Classes  []classInfo  `json:"classes,omitempty"`
	Training int          `json:"training_rows,omitempty"` // by the file's own split
	Notes    []string     `json:"notes,omitempty"`
	First    [][]string   `json:"first_rows"` // text, numbers, label

	missing []int         // number of missing values in each feature
	text    []*textColumn // the text columns
}

// textColumn describes a column with at least one value that is not a number.
type textColumn struct {
	name                    string
	reason                  string // position of the first value that is not a number, and why it cannot be read
	numbers, texts, missing int    // numbers of values
}

type columnInfo struct {
	Name    string `json:"name"`
	Missing int    `json:"missing"`
}

type classInfo struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// describe describes the samples of a file, or the samples of a reader if the reader is not nil. It
// keeps a bounded number of rows in memory, and accepts columns of text.
func (f *readFlags) describe(path string, in io.ReadSeeker) (*dataInfo, error) {
	opt, err := f.options("")
	if err != nil {
		return nil, err
	}
	opt.KeepMissing = true
	if opt.MissingLabels == dataset.MissingLabelsError { // the command describe counts rows without a label
		opt.MissingLabels = dataset.MissingLabelsDrop
	}
	open := func() (*dataset.Reader, error) { return dataset.Open(path, &opt) }
	if in != nil {
		open = func() (*dataset.Reader, error) {
			in.Seek(0, io.SeekStart) // has no error
			return dataset.NewReader(in, &opt)
		}
	}
	var text []*textColumn
	for {
		for _, c := range text {
			c.numbers, c.texts, c.missing = 0, 0, 0
		}
		d, err := f.describeBlocks(path, opt.MissingLabels, text, open)
		if fe, ok := errors.AsType[*dataset.FileError](err); ok && fe.Option == "OneHot" && fe.Column > 0 && len(text) < 1000 {
			known := func(name string) bool {
				return slices.ContainsFunc(text, func(c *textColumn) bool { return c.name == name })
			}
			name := fe.Name
			if name == "" || known(name) {
				name = strconv.Itoa(fe.Column - 1)
			}
			if known(name) {
				return nil, err
			}
			reason := *fe
			reason.Path = ""
			text = append(text, &textColumn{name: name, reason: reason.Error()})
			opt.ID = append(slices.Clip(opt.ID), name)
			continue
		}
		if err != nil {
			return nil, withTextColumns(err, text)
		}
		return d, nil
	}
}

// withTextColumns adds to err why the columns in text are not columns of numbers. Only an error for a
// file without columns of numbers changes.
func withTextColumns(err error, text []*textColumn) error {
	fe, ok := errors.AsType[*dataset.FileError](err)
	if len(text) == 0 || !ok || fe.Row > 0 || fe.Column > 0 || !errors.Is(err, dataset.ErrFormat) {
		return err
	}
	var reasons []string
	for _, c := range text[:min(len(text), shownColumns)] {
		reasons = append(reasons, c.reason)
	}
	if len(text) > shownColumns {
		reasons = append(reasons, "…")
	}
	return fmt.Errorf("%w: %s; write missing values as NA, or use --one-hot to make features of text columns", err, strings.Join(reasons, "; "))
}

func (f *readFlags) describeBlocks(path string, how dataset.MissingLabels, text []*textColumn, open func() (*dataset.Reader, error)) (_ *dataInfo, err error) {
	r, err := f.wrapReader(path, open, func() {})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	_, cols := r.Dims()
	d := &dataInfo{Path: displayName(path), Format: r.Format().String(), Features: cols, missing: make([]int, cols), text: text}
	if s := r.Schema(); s != nil && r.HasLabels() {
		d.Label = s.Label
	}
	counts := map[string]int{}
	for {
		b, err := r.Next(1024)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, withInputName(path, err)
		}
		d.addBlock(b, counts)
	}
	for _, n := range r.Notes() {
		d.Notes = append(d.Notes, noteText(n))
	}
	if n := r.Dropped(); n > 0 {
		d.Rows += n
		d.Notes = append(d.Notes, fmt.Sprintf("%d %s no label: monge fit needs --missing-labels", n, plural(n, "row has", "rows have")))
	}
	if len(counts) > 0 {
		names, of, notes, err := dataset.CountClasses(counts, how)
		if err != nil {
			return nil, withPath(displayName(path), err)
		}
		for c, name := range names {
			d.Classes = append(d.Classes, classInfo{name, of[c]})
		}
		for _, n := range notes {
			d.Notes = append(d.Notes, noteText(n))
		}
	}
	for j, name := range r.Columns() {
		d.Columns = append(d.Columns, columnInfo{name, d.missing[j]})
	}
	for _, c := range text {
		d.Text = append(d.Text, c.name)
		d.Missing += c.missing
		if c.numbers > c.texts {
			d.Notes = append(d.Notes, fmt.Sprintf("column %s has %d numbers and %d other %s (%s); write missing values as NA", c.name, c.numbers, c.texts, plural(c.texts, "value", "values"), c.reason))
		}
	}
	return d, nil
}

// addBlock adds the rows of a block to the counts of d.
func (d *dataInfo) addBlock(b *dataset.Block, classes map[string]int) {
	rows, cols := b.X.Dims()
	for i := range rows {
		for j, v := range b.X.RawRowView(i) {
			if math.IsNaN(v) {
				d.missing[j]++
				d.Missing++
			}
		}
		for k, c := range d.text {
			c.count(b.IDs[len(b.IDs)-len(d.text)+k][i])
		}
		if b.Labels != nil {
			classes[strings.Clone(b.Labels[i])]++
		}
		if b.Split != nil && b.Split[i] == trainRows.split() {
			d.Training++
		}
		if d.Rows++; d.Rows > shownRows {
			continue
		}
		var row []string
		for _, id := range b.IDs {
			row = append(row, strings.Clone(id[i]))
		}
		for j := range min(cols, shownColumns) {
			v := b.X.At(i, j)
			text := strconv.FormatFloat(v, 'g', 6, 64)
			if math.IsNaN(v) {
				text = "-"
			}
			row = append(row, text)
		}
		if cols > shownColumns {
			row = append(row, "…")
		}
		if b.Labels != nil {
			row = append(row, strings.Clone(b.Labels[i]))
		}
		d.First = append(d.First, row)
	}
}

// count counts a value of the column as a number, a text or a missing value.
func (c *textColumn) count(value string) {
	switch _, err := strconv.ParseFloat(strings.Replace(value, ",", ".", 1), 64); {
	case dataset.IsMissing(value):
		c.missing++
	case err == nil:
		c.numbers++
	default:
		c.texts++
	}
}

// print writes the description as text.
func (d *dataInfo) print(w io.Writer, ids []string) {
	fmt.Fprintf(w, "\ndata\t%s (%s)\n", d.Path, d.Format)
	fmt.Fprintf(w, "rows\t%d\n", d.Rows)
	names := make([]string, len(d.Columns))
	for j, c := range d.Columns {
		names[j] = c.Name
	}
	fmt.Fprintf(w, "features\t%d", d.Features)
	if len(names) > 0 {
		fmt.Fprintf(w, " (%s)", joinNames(names, 60))
	}
	fmt.Fprintln(w)
	if d.Label != "" {
		fmt.Fprintf(w, "labels\tcolumn %s; --label-column names another\n", clipName(d.Label, 60))
	}
	if d.Classes != nil {
		counts := make([]string, len(d.Classes))
		for i, c := range d.Classes {
			counts[i] = fmt.Sprintf("%s: %d", c.Name, c.Rows)
		}
		fmt.Fprintf(w, "classes\t%d (%s)\n", len(d.Classes), joinNames(counts, 60))
	}
	if d.Classes == nil && d.Rows > 0 {
		fmt.Fprintln(w, "classes\tnone found: --label-column names their array or column, and monge fit --labels a file of labels")
	}
	if d.Training > 0 {
		fmt.Fprintf(w, "split\t%d rows for training, %d others\n", d.Training, d.Rows-d.Training)
	}
	if d.Text != nil {
		fmt.Fprintf(w, "text\t%s: use --drop, --id, --one-hot or --label-column\n", joinNames(d.Text, 60))
	}
	if d.Missing > 0 {
		var where []string
		for j, n := range d.missing {
			if n > 0 {
				name := fmt.Sprintf("feature %d", j)
				if j < len(names) {
					name = names[j]
				}
				where = append(where, fmt.Sprintf("%s: %d", name, n))
			}
		}
		for _, c := range d.text {
			if c.missing > 0 {
				where = append(where, fmt.Sprintf("%s: %d", c.name, c.missing))
			}
		}
		fmt.Fprintf(w, "missing\t%d %s (%s): monge fit needs --missing\n", d.Missing, plural(d.Missing, "value", "values"), joinNames(where, 60))
	}
	for _, n := range d.Notes {
		fmt.Fprintf(w, "note\t%s\n", n)
	}
	head := slices.Concat(ids, d.Text, names[:min(len(names), shownColumns)])
	cells := func(row []string) string {
		clipped := make([]string, len(row))
		for i, text := range row {
			clipped[i] = clipName(text, 40)
		}
		return strings.Join(clipped, "\t")
	}
	if len(names) > 0 {
		if d.Features > shownColumns {
			head = append(head, "…")
		}
		if d.Classes != nil {
			head = append(head, cmp.Or(d.Label, "label"))
		}
		fmt.Fprintf(w, "\n%s\n", cells(head))
	} else {
		fmt.Fprintln(w)
	}
	for _, row := range d.First {
		fmt.Fprintln(w, cells(row))
	}
}
