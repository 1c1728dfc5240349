package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// blocks are rows in blocks: of a *dataset.Reader, or of the columns of a Parquet or
// Arrow file, for which the library is too light.
type blocks interface {
	Dims() (rows, cols int) // −1 rows if only the end tells
	HasLabels() bool
	HasSplit() bool
	Next(most int) (*dataset.Block, error)
	Close() error
}

// once reports whether path is a pipe or a device, whose beginning can be read only
// once: it is none of the files that are told by it, unless it is "-".
func once(path string) bool {
	if path == standard {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// openBlocks opens a file of any format, or standard input.
func (f *readFlags) openBlocks(path string, opt *dataset.Options) (blocks, error) {
	if once(path) && f.columns == nil {
		return dataset.Open(path, opt)
	}
	in := os.Stdin
	if path != standard {
		var err error
		if in, err = os.Open(path); err != nil {
			return nil, inFile(path, cause(err))
		}
	}
	head, r := beginning(in)
	var open func(io.Reader) (columnar, error)
	switch head {
	case "PAR1":
		open = openParquet
	case "ARRO", "\xff\xff\xff\xff":
		open = openArrow
	default:
		if f.columns != nil {
			in.Close()
			return nil, usagef("--columns is for Parquet and Arrow files: %s is none", path)
		}
		if path == standard {
			return dataset.NewReader(r, opt)
		}
		in.Close()
		return dataset.Open(path, opt)
	}
	if strings.HasPrefix(opt.Labels.String(), "file ") {
		in.Close()
		return nil, usagef("%s has its labels in a column: --label-column names it", path)
	}
	t, err := newTable(open, r, f.columns, f.labelColumn)
	if err != nil {
		in.Close()
		if fe, ok := errors.AsType[*dataset.FileError](err); ok {
			fe.Path = path
			return nil, fe
		}
		return nil, &dataset.FileError{Path: path, Err: err}
	}
	t.path, t.file = path, in
	// The libraries leave every batch or page that they have read to the collector: at
	// 100 % a file of batches of 32 MiB takes 200 MB.
	t.percent = debug.SetGCPercent(25)
	return t, nil
}

// readAll reads a whole file.
func (f *readFlags) readAll(path string, opt *dataset.Options) (*dataset.Dataset, error) {
	if once(path) && f.columns == nil {
		d, err := dataset.ReadFile(path, opt)
		return d, readError(err)
	}
	b, err := f.openBlocks(path, opt)
	if err != nil {
		return nil, readError(err)
	}
	defer b.Close()
	if _, ok := b.(*table); !ok { // which makes room for all at once
		d, err := dataset.ReadFile(path, opt)
		return d, readError(err)
	}
	_, cols := b.Dims()
	most := blockRows(cols)
	d, err := dataset.Collect(func() (*dataset.Block, error) { return b.Next(most) }, opt)
	if _, ok := errors.AsType[*dataset.FileError](err); ok {
		return nil, err
	}
	return d, inFile(path, err)
}

// beginning returns the first four bytes of in, and what to read all of it from.
func beginning(in *os.File) (string, io.Reader) {
	var head [4]byte
	if info, err := in.Stat(); err == nil && info.Mode().IsRegular() {
		at, err := in.Seek(0, io.SeekCurrent)
		n, _ := in.ReadAt(head[:], at)
		if err == nil {
			return string(head[:n]), in
		}
	}
	r := bufio.NewReaderSize(in, 1<<16)
	h, _ := r.Peek(4)
	return string(h), r
}

// A columnar is a file that is stored by columns, read in batches of rows.
type columnar interface {
	fields() []field
	rows() int // −1 if only the end tells
	// width returns the length of the first list of a column, and 1 for any other.
	width(column int) (int, error)
	// use tells once, before the first batch, which columns are read as floats in every one.
	use(features []feature)
	// batch makes the next rows ready, at least one, or returns io.EOF.
	batch(most int) (rows int, err error)
	// floats sets dst[i·stride+k] to element k < width of row i of the batch. It is called
	// once a batch for every column in use, as texts is.
	floats(column int, dst []float64, width, stride int) error
	texts(column int, use func(text string)) error
	// close removes what has been kept for a time.
	close()
}

// A field is a column of a schema.
type field struct {
	name    string
	list    bool   // of numbers, all of one length
	number  bool   // or a list of them
	integer bool   // which text does not round
	text    bool   // can be a label
	kind    string // its type, for messages
}

// table yields the chosen columns of a columnar file as samples.
type table struct {
	columnar
	path     string
	file     io.Closer
	percent  int // of the collector, before
	features []feature
	cols     int
	label    int // a field, or −1
	split    int
	row      int
	splits   []float64
	blocks   [2]dataset.Block // Next returns them in turn
	x        [2][]float64
	turn     int
}

type feature struct{ column, width, at int }

// newTable chooses the columns: of features those named, else the lists if there are
// any, else all that are neither label nor split; the label is the column named, else
// one called label or y.
func newTable(open func(io.Reader) (columnar, error), r io.Reader, names []string, label string) (t *table, err error) {
	defer recovered(&err)
	file, err := open(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", dataset.ErrFormat, err)
	}
	t = &table{columnar: file, label: -1}
	fields := file.fields()
	find := func(name string) int {
		return slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	}
	if label != "" {
		if t.label = find(label); t.label < 0 {
			return nil, fmt.Errorf("%w: no column is called %q", wda.ErrLabels, label)
		}
	} else if t.label = find("label"); t.label < 0 {
		t.label = find("y")
	}
	if t.label >= 0 && !fields[t.label].text {
		return nil, &dataset.FileError{Column: t.label + 1, Name: fields[t.label].name, Err: fmt.Errorf("%w: %s cannot be labels", wda.ErrLabels, fields[t.label].kind)}
	}
	if t.split = find("split"); t.split >= 0 && !fields[t.split].integer {
		t.split = -1
	}
	var chosen []int
	for _, name := range names {
		at := find(name)
		if at < 0 {
			return nil, fmt.Errorf("%w: no column is called %q", dataset.ErrFormat, name)
		}
		chosen = append(chosen, at)
	}
	lists := slices.ContainsFunc(fields, func(f field) bool { return f.list && f.number })
	for at, f := range fields {
		if names == nil && at != t.label && at != t.split && (!lists || f.list && f.number) {
			chosen = append(chosen, at)
		}
	}
	for _, at := range chosen {
		if !fields[at].number {
			return nil, &dataset.FileError{Column: at + 1, Name: fields[at].name, Err: fmt.Errorf("%w: a column of %s; --columns names those to use", dataset.ErrFormat, fields[at].kind)}
		}
		w, err := t.width(at)
		if err != nil {
			return nil, err
		}
		t.features = append(t.features, feature{at, w, t.cols})
		t.cols += w
	}
	if t.cols == 0 {
		return nil, fmt.Errorf("%w: no columns of numbers", dataset.ErrFormat)
	}
	t.use(t.features)
	return t, nil
}

// recovered makes a panic an error: the libraries below panic now and then on a damaged file.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", dataset.ErrFormat, r)
	}
}

func (t *table) Dims() (rows, cols int) { return t.rows(), t.cols }

func (t *table) HasLabels() bool { return t.label >= 0 }

func (t *table) HasSplit() bool { return t.split >= 0 }

func (t *table) Close() error {
	debug.SetGCPercent(t.percent)
	t.close()
	return t.file.Close()
}

// Next is as that of a dataset.Reader.
func (t *table) Next(most int) (b *dataset.Block, err error) {
	defer func() {
		if err == nil || err == io.EOF {
			return
		}
		fe, ok := errors.AsType[*dataset.FileError](err)
		if !ok {
			fe = &dataset.FileError{Err: fmt.Errorf("%w: %w", dataset.ErrFormat, err)}
		}
		fe.Path = t.path
		if fe.Row > 0 {
			fe.Row += t.row
		}
		b, err = nil, fe
	}()
	defer recovered(&err)
	const largest = 1 << 22 // elements of a block: 32 MiB
	if t.cols > largest {
		return nil, fmt.Errorf("rows of %d numbers", t.cols)
	}
	n, err := t.batch(max(1, min(most, largest/t.cols)))
	if err != nil {
		return nil, err
	}
	t.turn ^= 1
	x := slices.Grow(t.x[t.turn][:0], n*t.cols)[:n*t.cols]
	t.x[t.turn] = x
	for _, f := range t.features {
		if err := t.floats(f.column, x[f.at:], f.width, t.cols); err != nil {
			return nil, t.named(f.column, err)
		}
	}
	for k, v := range x {
		if v-v != 0 {
			at := slices.IndexFunc(t.features, func(f feature) bool { return k%t.cols < f.at+f.width })
			return nil, t.named(t.features[at].column, &dataset.FileError{Row: k/t.cols + 1, Err: fmt.Errorf("%w: %v", wda.ErrNotFinite, v)})
		}
	}
	b = &t.blocks[t.turn]
	b.First, b.Labels, b.Split = t.row, b.Labels[:0], b.Split[:0]
	if t.label >= 0 {
		if err := t.texts(t.label, func(text string) { b.Labels = append(b.Labels, text) }); err != nil {
			return nil, t.named(t.label, err)
		}
	}
	if t.split >= 0 {
		t.splits = slices.Grow(t.splits[:0], n)[:n]
		if err := t.floats(t.split, t.splits, 1, 1); err != nil {
			return nil, t.named(t.split, err)
		}
		for _, v := range t.splits {
			b.Split = append(b.Split, int(v))
		}
	}
	if b.X == nil {
		b.X = new(mat.Dense)
	}
	b.X.SetRawMatrix(blas64.General{Rows: n, Cols: t.cols, Stride: t.cols, Data: x})
	t.row += n
	return b, nil
}

// named gives an error the name of a column.
func (t *table) named(column int, err error) error {
	fe, ok := errors.AsType[*dataset.FileError](err)
	if !ok {
		fe = &dataset.FileError{Err: fmt.Errorf("%w: %w", dataset.ErrFormat, err)}
	}
	fe.Column, fe.Name = column+1, t.fields()[column].name
	return fe
}

// in is an error of an element of a row group or batch, whose rows count from 0.
func in(part string, number, row int, cause error, what string) error {
	return &dataset.FileError{Row: row + 1, Err: fmt.Errorf("%s %d: %s: %w", part, number, what, cause)}
}
