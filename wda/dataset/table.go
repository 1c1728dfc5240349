package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/tabular"
)

// tableSamples are the samples of a file that is stored by columns.
type tableSamples struct {
	tabular.Table
	fields   []tabular.Field
	features []tabular.Feature
	cols     int
	label    int // a field, or −1
	split    int // a field, or −1
	row      int
	splits   []float64 // of the rows read last
	check    func(bytes int64) error
}

// openTable opens a file by the reader that is registered for its format.
func (r *Reader) openTable(src *source) (err error) {
	open := tabular.For(src.format.String())
	if open == nil {
		return because(ErrFormat, fmt.Sprintf("this program cannot read %s files; save the data as CSV, NPY or NPZ", src.format.title()))
	}
	if r.opt.Labels.kind == labelsInFile {
		return because(errLabelColumn, src.format.title()+" files have their labels in a column: choose it by its name instead of a file of labels")
	}
	from := src.from
	switch {
	case src.at == nil || src.compressed:
		from = src.r
	case src.begin > 0, src.file != nil: // the section has an offset of its own
		from = io.NewSectionReader(src.at, 0, src.size)
	}
	src.compressed = true // or at least it may be
	t := &tableSamples{check: src.checkExpansion}
	defer t.recovered(&err)
	if t.Table, err = open(from, src.checkExpansion); err != nil {
		return t.damaged(err)
	}
	r.close = append(r.close, t.Table)
	t.fields = t.Fields()
	if err := t.choose(&r.opt); err != nil {
		return err
	}
	r.features, r.columns = t, t.columns()
	if t.split >= 0 {
		r.split = t
	}
	return nil
}

// Names that columns of labels and parts usually have: such columns are no features unless
// Options.Features names them.
var reserved = []string{"label", "y", "split"}

// choose decides what each column is. This is the place for whatever else options say of columns.
func (t *tableSamples) choose(opt *Options) (err error) {
	t.label, t.split = -1, -1
	switch l := opt.Labels; {
	case l.chosen():
		if t.label, err = t.find(l.name); err != nil {
			return because(ErrLabels, err.Error())
		}
	case l.IsAuto():
		for _, name := range reserved[:2] {
			if t.label, err = t.find(name); err == nil {
				break
			} else if t.count(name) > 1 {
				return because(ErrLabels, err.Error())
			}
		}
	}
	if t.label >= 0 && !t.fields[t.label].Text {
		return t.named(t.label, because(ErrLabels, t.fields[t.label].Kind+" cannot be labels"))
	}
	if t.count(opt.splitName()) > 0 || opt.Split != "" {
		if t.split, err = t.find(opt.splitName()); err != nil {
			return because(ErrFormat, err.Error())
		}
		if f := t.fields[t.split]; !f.Number || f.List {
			return t.named(t.split, because(errType, "a column of "+f.Kind+" cannot tell parts of the rows apart: use integers"))
		}
	}
	var chosen []int
	for _, name := range opt.Columns {
		at, err := t.find(name)
		switch {
		case err != nil:
			return because(ErrFormat, err.Error())
		case slices.Contains(chosen, at):
			return because(ErrSettings, fmt.Sprintf("the column %s is chosen twice", clip(name)))
		}
		chosen = append(chosen, at)
	}
	lists := slices.ContainsFunc(t.fields, func(f tabular.Field) bool { return f.List && f.Number && !slices.Contains(reserved, f.Name) })
	for at, f := range t.fields {
		if opt.Columns == nil && at != t.label && at != t.split && !slices.Contains(reserved, f.Name) && (!lists || f.List && f.Number) {
			chosen = append(chosen, at)
		}
	}
	for _, at := range chosen {
		if !t.fields[at].Number {
			return t.named(at, because(errNoNumbers, "a column of "+t.fields[at].Kind+" has no numbers; choose the columns to use"))
		}
		w, err := t.Width(at)
		if err != nil {
			return t.named(at, err)
		}
		t.features = append(t.features, tabular.Feature{Column: at, Width: w, At: t.cols})
		t.cols += w
	}
	if t.cols == 0 {
		return because(errShape, "no columns of numbers")
	}
	if err := t.check(8 * int64(t.cols)); err != nil { // a damaged list may be of any length
		return err
	}
	t.Use(t.features)
	return nil
}

func (t *tableSamples) count(name string) (n int) {
	for _, f := range t.fields {
		if f.Name == name {
			n++
		}
	}
	return n
}

// find returns the only column of a name.
func (t *tableSamples) find(name string) (int, error) {
	if n := t.count(name); n > 1 {
		return -1, fmt.Errorf("%d columns are called %s", n, clip(name))
	} else if n == 0 {
		return -1, fmt.Errorf("no column is called %s", clip(name))
	}
	return slices.IndexFunc(t.fields, func(f tabular.Field) bool { return f.Name == name }), nil
}

// columns returns the names of the features, if each has one of its own.
func (t *tableSamples) columns() []string {
	var names []string
	for _, f := range t.features {
		if t.fields[f.Column].List {
			return nil
		}
		names = append(names, t.fields[f.Column].Name)
	}
	return names
}

func (t *tableSamples) dims() (rows, cols int) { return t.Rows(), t.cols }

func (t *tableSamples) labelled() bool { return t.label >= 0 }

func (t *tableSamples) inRow(row int, err error) error {
	return t.named(t.label, &FileError{Row: row, Err: err})
}

// room makes room for the rows that the file declares, if so many can be.
func (t *tableSamples) room(opt *Options) (int, error) {
	rows, most := t.Rows(), opt.maxElements()
	if rows < 0 {
		return 0, nil
	}
	n, err := product([]int{rows, t.cols})
	if err == nil && n > most {
		err = because(ErrTooLarge, fmt.Sprintf("%d elements, more than the allowed %d", n, most))
	}
	if err == nil {
		err = t.check(8 * int64(n))
	}
	return n, err
}

func (t *tableSamples) read(x []float64, label func(text []byte, place int)) (n int, err error) {
	defer func() {
		if err != nil && err != io.EOF {
			fe, ok := errors.AsType[*FileError](t.damaged(err))
			if !ok {
				fe = &FileError{Err: t.damaged(err)}
			}
			if fe.Row > 0 {
				fe.Row += t.row
			}
			n, err = 0, fe
		}
		t.row += n
	}()
	defer t.recovered(&err)
	if n, err = t.Batch(max(1, len(x)/t.cols)); err != nil {
		return 0, err
	}
	x = x[:n*t.cols]
	for _, f := range t.features {
		if err := t.Floats(f.Column, x[f.At:], f.Width, t.cols); err != nil {
			return 0, t.named(f.Column, err)
		}
	}
	for k, v := range x {
		if v-v != 0 {
			at := slices.IndexFunc(t.features, func(f tabular.Feature) bool { return k%t.cols < f.At+f.Width })
			return 0, t.named(t.features[at].Column, &FileError{Row: k/t.cols + 1, Err: why(v)})
		}
	}
	if t.label >= 0 {
		row := t.row
		err := t.Texts(t.label, func(text []byte) {
			row++
			label(text, row)
		})
		if err != nil {
			return 0, t.named(t.label, err)
		}
	}
	if t.split >= 0 {
		t.splits = slices.Grow(t.splits[:0], n)[:n]
		if err := t.Floats(t.split, t.splits, 1, 1); err != nil {
			return 0, t.named(t.split, err)
		}
		for i, v := range t.splits {
			if v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
				return 0, t.named(t.split, &FileError{Row: i + 1, Err: because(errType, fmt.Sprintf("%v is not an integer of 32 bits", v))})
			}
		}
	}
	return n, nil
}

// ints appends the split of the rows read last.
func (t *tableSamples) ints(_ int, dst *[]int) error {
	for _, v := range t.splits {
		*dst = append(*dst, int(v))
	}
	return nil
}

// damaged makes an error of a library one of this package.
func (t *tableSamples) damaged(err error) error {
	if _, ok := errors.AsType[*FileError](err); ok || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrSettings) || errors.Is(err, ErrFormat) || errors.Is(err, ErrLabels) || errors.Is(err, ErrNotFinite) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

// named gives an error the name of a column.
func (t *tableSamples) named(column int, err error) error {
	fe, ok := errors.AsType[*FileError](err)
	if !ok {
		fe = &FileError{Err: t.damaged(err)}
	}
	fe.Column, fe.Name = column+1, t.fields[column].Name
	return fe
}

// recovered makes a panic an error: libraries panic on some damaged files, and where check
// refuses them memory.
func (t *tableSamples) recovered(err *error) {
	if r := recover(); r != nil {
		if e, ok := r.(error); ok && errors.Is(e, ErrTooLarge) {
			*err = e
			return
		}
		*err = fmt.Errorf("%w: %v", ErrFormat, r)
	}
}
