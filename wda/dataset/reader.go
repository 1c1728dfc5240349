package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A Reader reads the samples of a file in blocks of rows. Its memory does not grow with the number of rows,
// with two exceptions. A Reader holds a complete NPY array in Fortran order, because the rows of such an
// array are spread over the file. A Reader also holds the labels of a separate text file, 8 bytes each.
//
// A Reader must not be used by several goroutines at the same time, except for the method Bytes.
type Reader struct {
	path     string
	features samples
	labels   labels
	split    splits
	ids      []labels // arrays of identifiers
	columns  []string

	plan  *plan
	src   *source
	close []io.Closer
	opt   Options
	row   int // rows read so far

	dropped int // number of rows dropped

	missing missingLabelState
	notes   []Note // notes about the labels

	blocks      [2]Block // Next returns the two blocks alternately
	x           [2][]float64
	turn        int
	keep        func(text []byte, place int) // keepLabel, allocated once
	knownLabels map[string]string            // recent labels, so that equal labels share one string
}

// A Block contains consecutive rows of a Reader. A block remains valid during the next call of
// Next, and becomes invalid when the call after that begins. One goroutine can thus read the next
// block while another uses the current block.
type Block struct {
	First  int        // number of rows before this block
	X      *mat.Dense // rows are samples
	Labels []string   // text of the labels, without surrounding spaces; nil if the data have no labels
	Split  []int      // nil if the file has no split array or column
	IDs    [][]string // IDs[i] contains the texts of column i of Options.ID; nil without such columns
}

// samples decodes the rows of a file from the first to the last.
type samples interface {
	// dims returns the shape. rows is −1 if the number of rows is known only at the end.
	dims() (rows, cols int)
	// capacity returns the number of elements to allocate at once. It is 0 if the source cannot
	// verify the number that the file declares.
	capacity(opt *Options) (int, error)
	// columnPlan returns the use of each column.
	columnPlan() *plan
	// labeled reports whether the labels are in the same file as the features.
	labeled() bool
	// rowError adds the position of a label to err. The argument place must be the value that read
	// passed to its callback for this label.
	rowError(place int, err error) error
	// read sets the first rows of x to the next rows of the file. It calls label(text, place) for
	// each label that is in the same file. It returns 0 and io.EOF at the end, after all checks have
	// passed.
	read(x []float64, label func(text []byte, place int)) (rows int, err error)
}

// splits is a source of the split numbers of the rows, such as 0 for training rows and 1 for test
// rows.
type splits interface {
	// appendInts appends the values of the next n rows.
	appendInts(n int, dst *[]int) error
}

// labels is a source of labels that is separate from the features.
type labels interface {
	// count returns the number of labels.
	count() int
	// read calls use(text, place) for each of the next n labels. place is the position that an
	// error names. The source must have at least n more labels.
	read(n int, use func(text []byte, place int)) error
	// withName adds the name of the file or array to err.
	withName(err error) error
}

// Open opens a file of any format for reading in blocks. It detects the format and finds labels
// like ReadFile. options may be nil. Every error is a *FileError.
func Open(path string, options *Options) (*Reader, error) {
	r, err := openReader(path, options.orDefault())
	if err != nil {
		return nil, fileError(path, err)
	}
	if err := r.openLabels(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func openReader(path string, opt Options) (_ *Reader, err error) {
	src, err := openSource(path, opt)
	if err != nil {
		return nil, err
	}
	if src.format == FormatCSV && opt.Delimiter == 0 {
		opt.Delimiter = defaultDelimiter(path)
	}
	opt.Format = src.format
	r, err := newReader(src, opt)
	if err != nil {
		src.Close()
		return nil, err
	}
	r.path, r.close = path, append(r.close, src)
	return r, nil
}

// openLabels opens the labels that are in a separate file.
func (r *Reader) openLabels() error {
	if r.opt.IgnoreLabels {
		return nil
	}
	path := ""
	switch {
	case r.opt.Labels.kind == labelsInFile:
		path = r.opt.Labels.name
	case r.opt.Labels.IsAuto() && r.opt.Format == FormatIDX:
		path = labelFileOfIDX(r.path)
	}
	if path == "" {
		return nil
	}
	l, err := openLabelFile(path, r.opt)
	if err != nil {
		return fileError(path, err)
	}
	if c, ok := l.(io.Closer); ok {
		r.close = append(r.close, c)
	}
	r.labels = l
	return r.checkLabels()
}

// checkLabels compares the number of labels with the number of rows, if both numbers are known before
// the data are read.
func (r *Reader) checkLabels() error {
	rows, _ := r.features.dims()
	if l, ok := r.labels.(*textLabels); ok && rows >= 0 {
		return l.decideHeader(r, rows)
	}
	if rows >= 0 && r.labels.count() != rows {
		return r.labels.withName(labelCount(r.labels.count(), rows))
	}
	return nil
}

func labelCount(labels, rows int) error {
	return newCause(errLabelCount, fmt.Sprintf("%d labels for %d rows", labels, rows))
}

// NewReader returns a Reader of r, which may be a pipe. If options does not set a format, the first
// bytes determine it. options may be nil. An NPZ file requires that r implements io.ReaderAt and
// io.Seeker, as an *os.File does. Close does not close r. Every error is a *FileError.
func NewReader(r io.Reader, options *Options) (*Reader, error) {
	opt := options.orDefault()
	if opt.Labels.kind == labelsInFile {
		return nil, fileError("", newCause(ErrSettings, "labels in a file of their own need Open or ReadFile, not NewReader"))
	}
	src, err := newSource(r, opt)
	if err == nil {
		opt.Format = src.format
		var out *Reader
		if out, err = newReader(src, opt); err == nil {
			return out, nil
		}
	}
	return nil, fileError("", err)
}

func newReader(src *source, opt Options) (_ *Reader, err error) {
	r := &Reader{src: src, opt: opt}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	if opt.Schema != nil && opt.OneHot != nil {
		return nil, newCause(ErrSettings, "a schema and one-hot columns: a schema has the categories")
	}
	if (opt.OneHot != nil || opt.ID != nil && src.format != FormatNPZ) && (src.format == FormatNPY || src.format == FormatNPZ || src.format == FormatIDX) {
		return nil, newCause(ErrSettings, fmt.Sprintf("%s files have no columns of text", src.format.title()))
	}
	if err = formats()[src.format].open(r, src); err != nil {
		return nil, err
	}
	r.plan = r.features.columnPlan()
	r.columns = r.plan.featureNames()
	return r, nil
}

func (r *Reader) openCSV(src *source) error {
	t, err := newCSV(src.r, r.opt)
	if err == nil {
		r.features = t
	}
	return err
}

func (r *Reader) openNPY(src *source) error { return r.openMatrix(src, openNPY) }

func (r *Reader) openIDX(src *source) error { return r.openMatrix(src, openIDX) }

// openMatrix opens a file that contains a single array, in NPY or IDX format.
func (r *Reader) openMatrix(src *source, open func(*stream) (*array, error)) error {
	if r.opt.Labels.isChosen() {
		return newCause(errNoLabels, fmt.Sprintf("%s files have no label column; name a file of labels", src.format.title()))
	}
	a, err := open(src.stream())
	if err != nil {
		return err
	}
	r.features, err = newMatrix(a, &r.opt)
	return err
}

// Dims returns the shape of the data. rows is −1 if the number of rows is known only at the end. With
// OneHot, cols counts each text column once, because the categories are not yet known.
func (r *Reader) Dims() (rows, cols int) {
	if rows, cols = r.features.dims(); r.plan.drop {
		rows = -1
	}
	return rows, cols
}

// IDNames returns the names of the columns of Block.IDs, or their numbers if they have no names.
func (r *Reader) IDNames() []string { return r.plan.idNames }

// ByNumber reports whether the columns of Options.Schema were matched by number, because either the
// file or the Schema has names, but not both.
func (r *Reader) ByNumber() bool { return r.plan.byNumber }

// Schema returns a description of how the columns of the file become the columns of Block.X. It is a copy of
// Options.Schema if that option is set. It is nil if the file is an array and all of its columns are features.
func (r *Reader) Schema() *Schema { return r.plan.schema.Clone() }

// Notes returns decisions that the caller might not expect, for example that a column was ignored.
// Notes about labels are available after ReadAll or Rows.
func (r *Reader) Notes() []Note { return slices.Concat(r.plan.notes, r.notes) }

// Dropped returns the number of rows dropped so far because of a missing value (see Schema.Missing)
// or a missing label (see Options.MissingLabels).
func (r *Reader) Dropped() int { return r.dropped }

// HasLabels reports whether the rows have labels, that is, whether Block.Labels is not nil.
func (r *Reader) HasLabels() bool { return r.labeled() }

// HasSplit reports whether the file has an array or column for Options.Split, that is, whether
// Block.Split is not nil.
func (r *Reader) HasSplit() bool { return r.split != nil }

// Format returns the format of the file.
func (r *Reader) Format() Format { return r.opt.Format }

// Bytes returns the number of bytes of a text file (CSV, JSON lines) that have been read, and the size of the file. The
// size is −1 for a pipe, and for formats in which Dims returns the number of rows. Another goroutine may call Bytes at
// any time.
func (r *Reader) Bytes() (read, size int64) {
	if rows, _ := r.features.dims(); rows >= 0 || r.opt.Format.columnar() {
		return 0, -1
	}
	return r.src.raw.Load(), r.src.size
}

// Columns returns the names of the columns of Block.X, or nil if the file does not name them.
func (r *Reader) Columns() []string { return r.columns }

func (r *Reader) labeled() bool {
	return r.labels != nil || r.features.labeled()
}

// Close closes the files.
func (r *Reader) Close() error {
	var err error
	for _, c := range r.close {
		err = errors.Join(err, c.Close())
	}
	return err
}

const (
	// maxKnownLabels is the largest number of labels in knownLabels.
	maxKnownLabels = 1 << 12
	// largestBlock is the maximum number of float64 elements in a block, which take 32 MiB.
	largestBlock = 1 << 22
)

// Next returns the next block, which has 1 to maxRows rows. After the last row it returns io.EOF. Any
// other error is a *FileError. Next does not allocate if the block is no larger than the two blocks
// before, unless there are thousands of different labels. Rows of more than 2²² numbers are an error.
//
// Next does not take a context, because the total time is proportional to the size of the file. To
// interrupt a call that waits for data, let the io.Reader passed to NewReader return an error,
// which Next then returns.
func (r *Reader) Next(maxRows int) (*Block, error) {
	_, cols := r.features.dims()
	if cols > largestBlock {
		return nil, fileError(r.path, newCause(ErrTooLarge, fmt.Sprintf("rows of %d elements, more than the %d that can be read in blocks", cols, largestBlock)))
	}
	maxRows = max(1, min(maxRows, largestBlock/cols))
	r.turn ^= 1
	b, x := &r.blocks[r.turn], slices.Grow(r.x[r.turn][:0], maxRows*cols)
	r.x[r.turn] = x
	if r.opt.OneHot != nil {
		return nil, fileError(r.path, newCause(ErrSettings, "the categories are known at the end of the file: read it with ReadAll, or with a schema"))
	}
	if r.keep == nil {
		if l, ok := r.labels.(*textLabels); ok && !l.decided {
			if err := l.decideHeader(r, -1); err != nil {
				return nil, err
			}
		}
		r.keep = r.keepLabel
		r.plan.id = func(k int, text []byte) {
			ids := r.blocks[r.turn].IDs
			ids[k] = append(ids[k], string(text))
		}
	}
	n := 0
	for n == 0 {
		b.First, b.Labels, b.Split = r.row, b.Labels[:0], b.Split[:0]
		b.IDs = emptyLists(b.IDs, len(r.plan.idNames))
		var err error
		if n, err = r.read(x[:maxRows*cols], r.keep, &b.Split); err == nil || err == io.EOF {
			err = cmp.Or(r.missing.pendingError(r, err == io.EOF), err)
		}
		if err != nil {
			return nil, err
		}
		if r.plan.drop || r.missing.drops {
			n = b.dropRows(x[:n*cols], n, cols, r.plan.drop)
			r.dropped += r.row - b.First - n
		}
	}
	if b.X == nil {
		b.X = new(mat.Dense)
	}
	b.X.SetRawMatrix(blas64.General{Rows: n, Cols: cols, Stride: cols, Data: x[:n*cols]})
	if !r.labeled() {
		b.Labels = nil
	}
	if r.split == nil {
		b.Split = nil
	}
	return b, nil
}

// emptyLists returns n empty lists. It reuses the memory of lists.
func emptyLists(lists [][]string, n int) [][]string {
	if lists == nil && n > 0 {
		lists = make([][]string, n)
	}
	for k := range lists {
		lists[k] = lists[k][:0]
	}
	return lists
}

// dropRows removes rows with missing labels and, if values is true, rows with missing values. It
// returns the number of remaining rows.
func (b *Block) dropRows(x []float64, n, cols int, values bool) int {
	kept := 0
	for i := range n {
		row := x[i*cols:][:cols]
		if len(b.Labels) > 0 && b.Labels[i] == "" || values && slices.ContainsFunc(row, math.IsNaN) {
			continue
		}
		copy(x[kept*cols:], row)
		if len(b.Labels) > 0 {
			b.Labels[kept] = b.Labels[i]
		}
		if len(b.Split) > 0 {
			b.Split[kept] = b.Split[i]
		}
		for _, ids := range b.IDs {
			ids[kept] = ids[i]
		}
		kept++
	}
	b.Labels, b.Split = b.Labels[:min(kept, len(b.Labels))], b.Split[:min(kept, len(b.Split))]
	for k := range b.IDs {
		b.IDs[k] = b.IDs[k][:kept]
	}
	return kept
}

// keepLabel adds a label to the block, or "" if it is missing.
func (r *Reader) keepLabel(text []byte, place int) {
	s, ok := r.knownLabels[string(text)]
	if !ok {
		if r.knownLabels == nil || len(r.knownLabels) == maxKnownLabels {
			r.knownLabels = map[string]string{}
		}
		s = string(bytes.TrimSpace(text))
		if s = r.missing.checkLabel(s, r.opt.MissingLabels, place); s != "" {
			r.knownLabels[string(text)] = s
		}
	}
	b := &r.blocks[r.turn]
	b.Labels = append(b.Labels, s)
}

// missingLabelState records the missing and unreadable labels that Next has seen.
type missingLabelState struct {
	drops bool
	first int    // the position of the first label that is an error, or 0
	text  string // text of the label at position first
	dash  int    // the position of the first label that is a dash
	plus  bool   // whether a label is a plus sign
}

// checkLabel returns the label, or "" if it is missing.
func (m *missingLabelState) checkLabel(label string, how MissingLabels, place int) string {
	switch {
	case label == plusLabel:
		m.plus = true
	case label == dashLabel && how != MissingLabelsKeep:
		if m.dash == 0 {
			m.dash = place
		}
	case utf8.ValidString(label) && !how.IsMissing(label):
	case utf8.ValidString(label) && how == MissingLabelsDrop:
		m.drops = true
		return ""
	case m.first == 0:
		m.first, m.text = place, label
	}
	return label
}

// pendingError returns the error of the first missing or unreadable label. Whether the label "-" is
// missing is known only at the end of the file.
func (m *missingLabelState) pendingError(r *Reader, end bool) error {
	if m.first == 0 && (!end || m.dash == 0 || m.plus) {
		return nil
	}
	err := &FileError{Row: cmp.Or(m.first, m.dash), Err: labelTextError(m.text)}
	if m.first == 0 {
		err.Err = newCause(errLabelEmpty, `the label "-" is missing, as no label of the file is "+"`)
	}
	return r.labelError(err)
}

// labelError adds the name of the file, array or column to an error of a label.
func (r *Reader) labelError(err error) error {
	if r.labels != nil {
		return r.labels.withName(err)
	}
	fe, ok := errors.AsType[*FileError](err)
	if !ok {
		return fileError(r.path, err)
	}
	return fileError(r.path, r.features.rowError(fe.Row, fe.Err))
}

// read reads rows with their labels, splits and identifiers. Every error except io.EOF is a
// *FileError.
func (r *Reader) read(x []float64, label func(text []byte, place int), split *[]int) (rows int, err error) {
	rows, err = r.features.read(x, label)
	switch {
	case err == io.EOF && r.labels != nil && r.row != r.labels.count():
		return 0, r.labels.withName(labelCount(r.labels.count(), r.row))
	case err == io.EOF:
		return 0, err
	case err != nil:
		return 0, fileError(r.path, err)
	}
	r.plan.fillMissing(x[:rows*r.plan.cols])
	for k, ids := range r.ids {
		if err := ids.read(rows, func(text []byte, _ int) { r.plan.id(k, text) }); err != nil {
			return 0, ids.withName(err)
		}
	}
	if r.labels != nil {
		if left := r.labels.count() - r.row; rows > left {
			return 0, r.labels.withName(r.tooFewLabelsError(x, r.row+rows))
		}
		if err := r.labels.read(rows, label); err != nil {
			return 0, r.labels.withName(err)
		}
	}
	if r.split != nil {
		if err := r.split.appendInts(rows, split); err != nil {
			return 0, fileError(r.path, arrayError(r.opt.splitName(), err))
		}
	}
	r.row += rows
	return rows, nil
}

// tooFewLabelsError reads the remaining rows to count them. It returns the error for too few
// labels.
func (r *Reader) tooFewLabelsError(x []float64, rows int) error {
	for {
		n, err := r.features.read(x, func([]byte, int) {})
		if err != nil {
			return labelCount(r.labels.count(), rows)
		}
		rows += n
	}
}

// ReadAll reads all rows into memory, within Options.MaxElements and MaxExpansion, like ReadFile.
// Do not call it after Next. Every error is a *FileError.
func (r *Reader) ReadAll() (*Dataset, error) {
	if r.row > 0 {
		return nil, fileError(r.path, newCause(ErrSettings, "rows have been read already"))
	}
	_, cols := r.features.dims()
	room, err := r.features.capacity(&r.opt)
	if err != nil {
		return nil, fileError(r.path, err)
	}
	if l, ok := r.labels.(*arrayLabels); ok {
		if _, err := l.array.capacity(&r.opt); err != nil {
			return nil, l.withName(err)
		}
	}
	r.src.bounded.Store(true)
	d := &Dataset{Columns: r.columns, Schema: r.plan.schema, IDs: emptyLists(nil, len(r.plan.idNames)), IDNames: r.plan.idNames}
	r.plan.id = func(k int, text []byte) { d.IDs[k] = append(d.IDs[k], string(text)) }
	// The number of rows decides whether a text file of labels has a header.
	late, _ := r.labels.(*textLabels)
	if rows, _ := r.features.dims(); late != nil && rows < 0 {
		r.labels = nil
	} else {
		late = nil
	}
	var (
		enc    encoder
		pieces [][]float64 // pieces of a matrix of unknown size
	)
	const smallest, largest = 1 << 13, 1 << 20
	size := max(cols, smallest)
	x := make([]float64, 0, max(room, size))
	for {
		if room == 0 && cap(x)-len(x) < cols {
			pieces = append(pieces, x)
			size = max(cols, min(2*size, largest))
			x = make([]float64, 0, size)
		}
		// Reading one row more than allowed shows whether the file has too many rows.
		to := x[len(x):cap(x)]
		to = to[:min(len(to), r.opt.maxElements()-r.row*cols+cols)]
		n, err := r.read(to, enc.add, &d.Split)
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		x = x[:len(x)+n*cols]
		if err := r.checkSize(); err != nil {
			return nil, fileError(r.path, err)
		}
	}
	if r.row == 0 {
		what := "the file has no rows"
		if c, ok := r.features.(*csvSamples); ok && c.names != nil {
			what = "the file holds only a header"
		}
		return nil, fileError(r.path, newCause(errEmpty, what))
	}
	if pieces != nil {
		whole := make([]float64, 0, r.row*cols)
		for _, p := range pieces {
			whole = append(whole, p...)
		}
		x = append(whole, x...)
	}
	d.X = mat.NewDense(r.row, cols, x)
	if r.opt.OneHot != nil {
		if err := r.expandCategories(d); err != nil {
			return nil, fileError(r.path, err)
		}
	}
	if late != nil {
		r.labels = late
		if err := late.decideHeader(r, r.row); err != nil {
			return nil, err
		}
		late.read(r.row, enc.add)
	}
	if r.labeled() {
		var notes []Note
		if d.Labels, d.Classes, notes, err = enc.encode(r.opt.MissingLabels); err != nil {
			return nil, r.labelError(err)
		}
		r.notes = append(r.notes, notes...)
		d.dropUnlabeled()
	}
	if r.plan.drop {
		if err = d.Impute(MissingDrop); err != nil {
			return nil, fileError(r.path, err)
		}
		d.Schema = r.plan.schema
	}
	r.dropped = r.row - d.Len()
	return d, nil
}

// dropUnlabeled removes the rows with the label −1.
func (d *Dataset) dropUnlabeled() {
	if !slices.Contains(d.Labels, -1) {
		return
	}
	kept := 0
	for i, c := range d.Labels {
		if c < 0 {
			continue
		}
		copy(d.X.RawRowView(kept), d.X.RawRowView(i))
		d.Labels[kept] = c
		if d.Split != nil {
			d.Split[kept] = d.Split[i]
		}
		for _, ids := range d.IDs {
			ids[kept] = ids[i]
		}
		kept++
	}
	_, cols := d.X.Dims()
	d.X, d.Labels = d.X.Slice(0, kept, 0, cols).(*mat.Dense), d.Labels[:kept]
	if d.Split != nil {
		d.Split = d.Split[:kept]
	}
	for k := range d.IDs {
		d.IDs[k] = d.IDs[k][:kept]
	}
}

// checkSize checks the size of the data read so far against the limits.
func (r *Reader) checkSize() error {
	_, cols := r.features.dims()
	bytes := 8 * int64(r.row) * int64(cols)
	if r.labeled() {
		bytes += 12 * int64(r.row) // labels and their encoder
	}
	var err error
	if most := r.opt.maxElements(); r.row*cols > most {
		err = newCause(ErrTooLarge, fmt.Sprintf("more than the allowed %d elements", most))
	} else if err = r.src.checkExpansion(bytes); err == nil {
		return nil
	}
	if c, ok := r.features.(*csvSamples); ok {
		return &FileError{Row: c.t.line, Err: err}
	}
	return err
}

// Collect calls next until it returns io.EOF, and copies all blocks into one Dataset. Use it for
// sources that this package does not support, such as a database. Collect ignores Block.First and
// all options except MaxElements and MissingLabels. options may be nil. Collect numbers the classes
// like ReadFile.
//
// The error matches ErrTooLarge if there are more than MaxElements numbers. It matches ErrFormat if
// there is no block, if blocks differ in their columns, or if only some blocks have labels or
// splits.
func Collect(next func() (*Block, error), options *Options) (*Dataset, error) {
	opt := options.orDefault()
	d := new(Dataset)
	var (
		enc encoder
		x   []float64
	)
	rows, cols := 0, 0
	for {
		b, err := next()
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		n, c := b.X.Dims()
		if rows == 0 {
			cols = c
		}
		for i := range n {
			x = append(x, b.X.RawRowView(i)...)
			if b.Labels != nil {
				enc.add([]byte(b.Labels[i]), rows+i+1)
			}
		}
		d.Split = append(d.Split, b.Split...)
		rows += n
		if most := opt.maxElements(); len(x) > most {
			return nil, newCause(ErrTooLarge, fmt.Sprintf("more than the allowed %d elements", most))
		}
		if c != cols || b.Labels != nil != (len(enc.rows) == rows) || b.Split != nil != (len(d.Split) == rows) {
			return nil, newCause(errRagged, "blocks that do not agree")
		}
	}
	if rows == 0 {
		return nil, newCause(errEmpty, "no rows")
	}
	d.X = mat.NewDense(rows, cols, x)
	if len(enc.rows) == 0 {
		return d, nil
	}
	var err error
	if d.Labels, d.Classes, _, err = enc.encode(opt.MissingLabels); err != nil {
		return nil, err
	}
	d.dropUnlabeled()
	return d, nil
}
