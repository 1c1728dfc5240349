package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/tabular"
)

// tableSamples reads the samples of a file that is stored by columns.
type tableSamples struct {
	tabular.Table
	fields  []tabular.Field
	numbers []tabular.Feature // the columns that Floats reads as features
	*plan
	row       int
	splits    []float64 // values of the split column in the rows read last
	check     func(bytes int64) error
	dense     bool  // whether a few bytes of the file may encode any number of rows, or any number of copies of a text
	textBytes int64 // bytes of the texts read so far, including string headers
}

// openTable opens a file with the reader that is registered for its format.
func (r *Reader) openTable(src *source) error {
	open := tabular.For(src.format.String())
	if open == nil {
		return newCause(ErrFormat, fmt.Sprintf("this program cannot read %s files; import _ \"github.com/gomonge/monge/wda/dataset/columnar\", or save the data as CSV, NPY or NPZ", src.format.title()))
	}
	from := src.from
	switch {
	case src.at == nil || src.compressed:
		from = src.r
	case src.diskOffset > 0, src.file != nil: // a section does not change the offset of the file
		from = io.NewSectionReader(src.at, 0, src.size)
	default: // src.r has read ahead
		if _, err := from.(io.Seeker).Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	src.compressed = true // the data may be compressed
	err := r.openTableBy(src, func() (tabular.Table, error) { return open(from, src.checkExpansion) })
	if t, ok := r.features.(*tableSamples); ok {
		t.dense = true
	}
	return err
}

// openTableBy opens a file that is stored by columns.
func (r *Reader) openTableBy(src *source, open func() (tabular.Table, error)) (err error) {
	if r.opt.Labels.kind == labelsInFile {
		return newCause(errLabelColumn, src.format.title()+" files have their labels in a column: choose it by its name instead of a file of labels")
	}
	t := &tableSamples{check: src.checkExpansion}
	defer t.recoverError(&err)
	if t.Table, err = open(); err != nil {
		return t.formatError(err)
	}
	r.close = append(r.close, t.Table)
	t.fields = t.Fields()
	if err := t.chooseColumns(&r.opt); err != nil {
		return err
	}
	r.features = t
	if t.split >= 0 {
		r.split = t
	}
	return nil
}

// Usual names of label and split columns. These columns are not features unless Options.Columns
// selects them.
var reserved = []string{"label", "y", "split"}

// chooseColumns decides the role of each column.
func (t *tableSamples) chooseColumns(opt *Options) (err error) {
	in := fileColumns{named: true, label: -1, split: -1}
	switch l := opt.Labels; {
	case l.isChosen():
		if in.label, err = t.findColumn(l.name); err != nil {
			return newCause(ErrLabels, err.Error())
		}
	case l.IsAuto() && opt.Schema != nil && opt.Schema.hasNames():
		in.label = openLabel
	case l.IsAuto():
		for _, name := range reserved[:2] {
			if in.label, err = t.findColumn(name); err == nil {
				break
			} else if t.countNamed(name) > 1 {
				return newCause(ErrLabels, err.Error())
			}
		}
	}
	if in.label >= 0 && !t.fields[in.label].Text {
		return t.withColumn(in.label, newCause(ErrLabels, t.fields[in.label].Kind+" cannot be labels"))
	}
	if t.countNamed(opt.splitName()) > 0 || opt.Split != "" {
		if in.split, err = t.findColumn(opt.splitName()); err != nil {
			return newCause(ErrFormat, err.Error())
		}
		if f := t.fields[in.split]; !f.Number || f.List {
			return t.withColumn(in.split, newCause(errType, "a column of "+f.Kind+" cannot tell parts of the rows apart: use integers"))
		}
	}
	for _, name := range opt.Columns {
		if t.countNamed(name) > 1 {
			_, err := t.findColumn(name)
			return newCause(ErrFormat, err.Error())
		}
	}
	lists := slices.ContainsFunc(t.fields, func(f tabular.Field) bool { return f.List && f.Number && !slices.Contains(reserved, f.Name) })
	in.keep = func(at int) bool {
		f := t.fields[at]
		return !slices.Contains(reserved, f.Name) && (!lists || f.List && f.Number)
	}
	for at, f := range t.fields {
		w := 0
		if f.List && f.Number && at != in.label && at != in.split {
			if w, err = t.Width(at); err != nil {
				return t.withColumn(at, err)
			}
			if err := t.check(8 * int64(w)); err != nil { // a damaged list may be of any length
				return err
			}
		}
		in.fields = append(in.fields, field{f.Name, w})
	}
	if t.plan, err = newPlan(in, opt); err != nil {
		return err
	}
	t.noteNumbersLeftOut()
	var booleans []string
	for _, at := range t.plan.features {
		u, f := &t.uses[at], t.fields[at]
		switch {
		case u.role == isCategory && !f.Text:
			return t.withColumn(at, newCause(ErrFormat, "a column of "+f.Kind+" cannot be one-hot"))
		case u.role == isFeature && !f.Number:
			return t.withColumn(at, newCause(notNumericError(f), "the column holds "+f.Kind+", not numbers"))
		case u.role == isFeature:
			t.numbers = append(t.numbers, tabular.Feature{Column: at, Width: u.width, At: u.at})
			if f.Kind == "bool" || f.Kind == "boolean" {
				booleans = append(booleans, clip(f.Name))
			}
		}
		if t.lenient {
			t.AllowNulls(at)
		}
	}
	switch n := len(booleans); {
	case n == 1:
		t.notes = append(t.notes, Note{Text: "the booleans of column " + booleans[0] + " are used as numbers, 0 for false and 1 for true"})
	case n > 1:
		t.notes = append(t.notes, Note{Text: fmt.Sprintf("the booleans of %d columns, such as %s, are used as numbers, 0 for false and 1 for true", n, booleans[0])})
	}
	for _, at := range t.ids {
		if !t.fields[at].Text {
			return t.withColumn(at, newCause(ErrFormat, "a column of "+t.fields[at].Kind+" cannot identify rows"))
		}
		t.AllowNulls(at)
	}
	if t.label >= 0 {
		if !t.fields[t.label].Text {
			return t.withColumn(t.label, newCause(ErrLabels, t.fields[t.label].Kind+" cannot be labels"))
		}
		t.AllowNulls(t.label) // nulls are missing labels
	}
	if t.cols == 0 {
		return newCause(errShape, "no columns of numbers")
	}
	if err := t.check(8 * int64(t.cols)); err != nil {
		return err
	}
	t.Use(t.numbers)
	return nil
}

// noteNumbersLeftOut adds a note about columns of numbers that are not features because the file has
// lists of numbers.
func (t *tableSamples) noteNumbersLeftOut() {
	var names []string
	for _, at := range t.notKept {
		if f := t.fields[at]; f.Number && !slices.Contains(reserved, f.Name) {
			names = append(names, clip(f.Name))
		}
	}
	switch n := len(names); {
	case n == 1:
		t.notes = append(t.notes, Note{Text: "column " + names[0] + " is left out: beside lists of numbers, single numbers are features only if they are selected"})
	case n > 1:
		t.notes = append(t.notes, Note{Text: fmt.Sprintf("%d columns of single numbers, such as %s, are left out: beside lists of numbers, they are features only if they are selected", n, names[0])})
	}
}

// notNumericError returns the error for a column that is not numeric.
func notNumericError(f tabular.Field) error {
	if f.Text {
		return errTextColumn
	}
	return errNoNumbers
}

func (t *tableSamples) columnPlan() *plan { return t.plan }

func (t *tableSamples) countNamed(name string) (n int) {
	for _, f := range t.fields {
		if f.Name == name {
			n++
		}
	}
	return n
}

// findColumn returns the only column with this name.
func (t *tableSamples) findColumn(name string) (int, error) {
	if n := t.countNamed(name); n > 1 {
		return -1, fmt.Errorf("%d columns are called %s", n, clip(name))
	} else if n == 0 {
		var names []string
		for _, f := range t.fields {
			names = append(names, f.Name)
		}
		return -1, errors.New(unknownColumnText(name, names))
	}
	return slices.IndexFunc(t.fields, func(f tabular.Field) bool { return f.Name == name }), nil
}

func (t *tableSamples) dims() (rows, cols int) { return t.Rows(), t.cols }

func (t *tableSamples) labeled() bool { return t.label >= 0 }

func (t *tableSamples) rowError(row int, err error) error {
	return t.withColumn(t.label, &FileError{Row: row, Err: err})
}

// capacity returns the number of elements that the file declares, or 0 if it declares none. It checks
// the number against the limits.
func (t *tableSamples) capacity(opt *Options) (int, error) {
	rows, most := t.Rows(), opt.maxElements()
	if rows < 0 {
		return 0, nil
	}
	n, err := elementCount([]int{rows, t.cols})
	if err == nil && n > most {
		err = newCause(ErrTooLarge, fmt.Sprintf("%d elements, more than the allowed %d", n, most))
	}
	if err == nil {
		err = t.check(8 * int64(n))
	}
	return n, err
}

func (t *tableSamples) read(x []float64, label func(text []byte, place int)) (n int, err error) {
	defer func() {
		if err != nil && err != io.EOF {
			fe, ok := errors.AsType[*FileError](t.formatError(err))
			if !ok {
				fe = &FileError{Err: t.formatError(err)}
			}
			if fe.Row > 0 {
				fe.Row += t.row
			}
			n, err = 0, fe
		}
		t.row += n
	}()
	defer t.recoverError(&err)
	if err := t.checkRows(t.Rows()); err != nil {
		return 0, err
	}
	if n, err = t.Batch(max(1, len(x)/t.cols)); err != nil {
		return 0, err
	}
	if err := t.checkRows(t.row + n); err != nil {
		return 0, err
	}
	x = x[:n*t.cols]
	for _, f := range t.numbers {
		if err := t.Floats(f.Column, x[f.At:], f.Width, t.cols); err != nil {
			return 0, t.withColumn(f.Column, err)
		}
	}
	if err := t.readTexts(x); err != nil {
		return 0, err
	}
	if row, at, err := t.findNotFinite(x); err != nil {
		return 0, t.withColumn(at, &FileError{Row: row + 1, Err: err})
	}
	if t.label >= 0 {
		row := t.row
		err := t.Texts(t.label, func(text []byte) {
			row++
			label(t.checkText(text), row)
		})
		if err != nil {
			return 0, t.withColumn(t.label, err)
		}
	}
	if t.split >= 0 {
		t.splits = slices.Grow(t.splits[:0], n)[:n]
		if err := t.Floats(t.split, t.splits, 1, 1); err != nil {
			return 0, t.withColumn(t.split, err)
		}
		for i, v := range t.splits {
			if v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
				return 0, t.withColumn(t.split, &FileError{Row: i + 1, Err: newCause(errType, fmt.Sprintf("%v is not an integer of 32 bits", v))})
			}
		}
	}
	return n, nil
}

// checkRows returns an error if the given number of rows is too large for the size of the file.
// Without this check, a few bytes could keep a caller of Next busy for hours.
func (t *tableSamples) checkRows(rows int) error {
	if !t.dense || rows < 0 {
		return nil
	}
	bytes, err := elementCount([]int{8, rows, t.cols})
	if err == nil {
		err = t.check(int64(bytes))
	}
	if errors.Is(err, ErrTooLarge) {
		return newCause(errExpansion, fmt.Sprintf("%d rows of %d numbers: %v", rows, t.cols, err))
	}
	return err
}

// checkText adds the length of text to the memory used by texts, and returns text. It panics with an
// error if the sum is too large for the size of the file. This can happen in a small file, because a
// dictionary stores a text once for all rows.
func (t *tableSamples) checkText(text []byte) []byte {
	const header = 16
	if t.textBytes += header + int64(len(text)); t.dense {
		if err := t.check(t.textBytes); err != nil {
			panic(err)
		}
	}
	return text
}

// readTexts reads categories and identifiers.
func (t *tableSamples) readTexts(x []float64) error {
	for _, at := range t.plan.features {
		u, i := &t.uses[at], 0
		if u.role != isCategory {
			continue
		}
		var bad error
		err := t.Texts(at, func(text []byte) {
			if bad == nil {
				if err := t.setCategory(u, x[i*t.cols+u.at:], bytes.TrimSpace(t.checkText(text))); err != nil {
					bad = &FileError{Row: i + 1, Err: err}
				}
			}
			i++
		})
		if err = cmp.Or(err, bad); err != nil {
			return t.withColumn(at, err)
		}
	}
	for k, at := range t.ids {
		if err := t.Texts(at, func(text []byte) { t.id(k, t.checkText(text)) }); err != nil {
			return t.withColumn(at, err)
		}
	}
	return nil
}

// appendInts appends the values of the split column in the rows read last.
func (t *tableSamples) appendInts(_ int, dst *[]int) error {
	for _, v := range t.splits {
		*dst = append(*dst, int(v))
	}
	return nil
}

// formatError converts an error of a library to an error of this package.
func (t *tableSamples) formatError(err error) error {
	if _, ok := errors.AsType[*FileError](err); ok || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrSettings) || errors.Is(err, ErrFormat) || errors.Is(err, ErrLabels) || errors.Is(err, ErrNotFinite) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

// withColumn adds the name of the column to err.
func (t *tableSamples) withColumn(column int, err error) error {
	fe, ok := errors.AsType[*FileError](err)
	if !ok {
		fe = &FileError{Err: t.formatError(err)}
	}
	if errors.Is(fe.Err, tabular.ErrNull) {
		fe.Err = newCause(errMissing, fe.Err.Error())
	}
	fe.Column, fe.Name = column+1, t.fields[column].Name
	return fe
}

// recoverError converts a panic to an error. Libraries panic on some damaged files. The allocators
// panic if a file needs too much memory.
func (t *tableSamples) recoverError(err *error) {
	if r := recover(); r != nil {
		if e, ok := r.(error); ok && errors.Is(e, ErrTooLarge) {
			*err = e
			return
		}
		*err = fmt.Errorf("%w: %v", ErrFormat, r)
	}
}
