package columnar

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/gomonge/monge/internal/tabular"
	"github.com/gomonge/monge/wda/dataset"
)

// parquetFile reads the columns of a Parquet file page by page.
type parquetFile struct {
	r      *file.Reader
	alloc  memory.Allocator
	check  func(bytes int64) error
	paged  atomic.Int64 // bytes of the pages read so far
	schema []tabular.Field
	leaves []*leaf // parallel to schema
	group  int     // number of the current row group, from 1
	begin  int     // index of the first row group to read
	groups int     // index after the last row group to read
	rows   int     // number of rows in the row groups to read
	left   int     // number of unread rows in the current row group
	ready  int     // number of rows in the current batch
	at     int     // index of the first row of the current batch within the row group

	features []tabular.Feature
	most     int64 // memory limit for reading all features of a row group at the same time
	spill    spill
	spilling bool // whether the current row group is in the temporary file
}

// leaf is a column of a row group that is being read.
type leaf struct {
	column *schema.Column
	chunk  file.ColumnChunkReader // nil until the column is first read in the row group
	pages  *pages                 // pages of the column chunk
	defs   []int16
	reps   []int16
	reader any       // the buffer of values
	floats []float64 // values converted to float64 for the temporary file

	spilled *spilled // nil unless the column is in the temporary file
	nulls   bool     // whether nulls are allowed
}

func openParquet(r io.Reader, check func(bytes int64) error) (tabular.Table, error) {
	at, ok := r.(parquet.ReaderAtSeeker)
	if !ok {
		return nil, errors.New("a Parquet file, whose index is at its end, cannot be read from a pipe: save it first, or convert it to an Arrow stream")
	}
	const encrypted = "PARE"
	magic := make([]byte, len(encrypted))
	if _, err := at.ReadAt(magic, 0); err == nil && string(magic) == encrypted {
		return nil, errors.New("the Parquet file is encrypted: save it without encryption")
	}
	alloc := boundedAllocator{memory.DefaultAllocator, check}
	props := parquet.NewReaderProperties(alloc)
	props.BufferedStreamEnabled, props.PageStreamingEnabled = true, true
	props.MaxCompressedPageSize, props.MaxUncompressedPageSize = math.MaxInt32, math.MaxInt32 // the allocator checks sizes
	f, err := file.NewParquetReader(at, file.WithReadProps(props))
	if err != nil {
		return nil, err
	}
	p := &parquetFile{r: f, alloc: alloc, check: check, most: heldBytes, groups: f.NumRowGroups()}
	if r, ok := r.(tabular.RowGroup); ok {
		g := r.RowGroup()
		if g < 0 || g >= p.groups {
			return nil, fmt.Errorf("no row group %d", g+1)
		}
		p.begin, p.group, p.groups = g, g, g+1
	}
	for g := p.begin; g < p.groups; g++ {
		p.rows += int(f.MetaData().RowGroup(g).NumRows())
	}
	durations := durationColumns(f.MetaData())
	s := f.MetaData().Schema
	for i := range s.NumColumns() {
		p.leaves = append(p.leaves, &leaf{column: s.Column(i)})
		field := parquetField(s, i)
		if kind, ok := durations[field.Name]; ok && field.Number {
			field.Kind, field.Number, field.Text = kind, false, false
		}
		p.schema = append(p.schema, field)
	}
	return p, nil
}

// durationColumns maps the names of the duration columns to their types. Parquet stores durations as integers. The unit
// of the durations is only in the Arrow schema, which a Parquet file may contain.
func durationColumns(m *metadata.FileMetaData) (durations map[string]string) {
	defer func() {
		if recover() != nil { // the schema is damaged
			durations = nil
		}
	}()
	text := m.KeyValueMetadata().FindValue("ARROW:schema")
	if text == nil {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(*text)
	if err != nil {
		return nil
	}
	in, err := checkStreamSchema(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	r, err := ipc.NewReader(in)
	if err != nil {
		return nil
	}
	defer r.Release()
	durations = map[string]string{}
	for _, f := range r.Schema().Fields() {
		t := f.Type
		if l, ok := t.(arrow.ListLikeType); ok {
			t = l.Elem()
		}
		if t.ID() == arrow.DURATION {
			durations[f.Name] = t.String()
		}
	}
	return durations
}

func parquetField(s *schema.Schema, i int) tabular.Field {
	c := s.Column(i)
	f := tabular.Field{Name: c.ColumnPath().String(), Kind: strings.ToLower(c.PhysicalType().String())}
	if _, ok := c.LogicalType().(schema.StringLogicalType); ok {
		f.Kind = "text"
	}
	if c.MaxRepetitionLevel() > 0 {
		f.Name = c.ColumnPath()[0]
		if f.Kind, f.List = listKind(s.ColumnRoot(i), f.Kind); !f.List {
			return f
		}
	}
	switch c.LogicalType().(type) {
	case nil, schema.NoLogicalType, schema.UnknownLogicalType, *schema.IntLogicalType, schema.IntLogicalType, schema.StringLogicalType, schema.EnumLogicalType:
	case schema.Float16LogicalType:
		f.Kind, f.Number, f.Text = "float16", true, !f.List
		return f
	default:
		f.Kind = strings.ToLower(c.LogicalType().String())
		f.Text = !f.List && formattedType(c) != nil
		return f
	}
	switch c.PhysicalType() {
	case parquet.Types.Int32, parquet.Types.Int64, parquet.Types.Boolean, parquet.Types.Float, parquet.Types.Double:
		f.Number = true
	}
	f.Text = !f.List && (f.Number || c.PhysicalType() == parquet.Types.ByteArray)
	return f
}

// listKind reports whether a column is a list of single values. It returns valueKind for such a list, and otherwise
// the name of the nested type. The library splits maps and lists of structs into several columns.
func listKind(root schema.Node, valueKind string) (string, bool) {
	repeated := root
	if root.RepetitionType() != parquet.Repetitions.Repeated {
		g, ok := root.(*schema.GroupNode)
		switch {
		case !ok || root.ConvertedType() == schema.ConvertedTypes.Map || root.ConvertedType() == schema.ConvertedTypes.MapKeyValue:
			return "map", false
		case g.NumFields() != 1 || g.Field(0).RepetitionType() != parquet.Repetitions.Repeated:
			return "struct", false
		}
		repeated = g.Field(0)
	}
	if g, ok := repeated.(*schema.GroupNode); ok {
		if g.NumFields() != 1 {
			return "list of structs", false
		}
		element := g.Field(0)
		if element.RepetitionType() == parquet.Repetitions.Repeated {
			return "list of lists", false
		}
		if e, ok := element.(*schema.GroupNode); ok {
			if e.LogicalType() != nil && e.LogicalType().Equals(schema.NewListLogicalType()) || e.NumFields() == 1 && e.Field(0).RepetitionType() == parquet.Repetitions.Repeated {
				return "list of lists", false
			}
			return "list of structs", false
		}
	}
	return valueKind, true
}

func (p *parquetFile) Fields() []tabular.Field { return p.schema }

func (p *parquetFile) Rows() int { return p.rows }

func (p *parquetFile) Use(features []tabular.Feature) { p.features = features }

func (p *parquetFile) AllowNulls(column int) { p.leaves[column].nulls = true }

func (p *parquetFile) Close() error {
	p.spill.close()
	return nil
}

func (p *parquetFile) Batch(most int) (int, error) {
	p.at += p.ready
	for p.left == 0 {
		for _, l := range p.leaves {
			if err := l.checkChunkEnd(p.group); err != nil {
				return 0, err
			}
			l.chunk, l.spilled = nil, nil
		}
		if p.group == p.groups {
			return 0, io.EOF
		}
		n := p.r.RowGroup(p.group).NumRows()
		if n < 0 || int64(int(n)) != n {
			return 0, fmt.Errorf("row group %d: %d rows", p.group+1, n)
		}
		p.left, p.at, p.ready = int(n), 0, 0
		p.group++
		held, err := p.estimateMemory(p.group - 1)
		if p.spilling = held > p.most && len(p.features) > 1; p.spilling && err == nil {
			err = p.spillGroup(p.left)
		}
		if err != nil {
			return 0, err
		}
	}
	p.ready = min(most, p.left)
	p.left -= p.ready
	if p.spilling {
		return p.ready, p.spill.loadWindow(p.at, p.ready, p.at+p.ready+p.left)
	}
	return p.ready, nil
}

// checkChunkEnd returns an error if the column chunk has more rows than its row group.
func (l *leaf) checkChunkEnd(group int) error {
	if l.chunk != nil && l.chunk.HasNext() {
		return fmt.Errorf("row group %d: column %s has more than the rows of the group", group, l.column.Path())
	}
	return nil
}

// Width returns the length of the first list in a column, or 1 for a column without lists.
func (p *parquetFile) Width(column int) (int, error) {
	if !p.schema[column].List {
		return 1, nil
	}
	for g := p.begin; g < p.groups; g++ {
		l := &leaf{column: p.leaves[column].column}
		if err := p.openChunk(l, g, column); err != nil {
			return 0, err
		}
		n := 0
		for {
			total, err := l.readValues(1 << 12)
			if err = cmp.Or(err, l.chunk.Err()); err != nil {
				return 0, err
			}
			for k, rep := range l.reps[:total] {
				if rep == 0 && n+k > 0 {
					return n + k, nil
				}
			}
			if n += total; total == 0 {
				break
			}
			if err := p.check(8 * int64(n)); err != nil { // the list may be of any length
				return 0, err
			}
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, errors.New("no rows")
}

// currentLeaf returns the leaf of a column, with the chunk of the current row group open.
func (p *parquetFile) currentLeaf(column int) (l *leaf, err error) {
	if l = p.leaves[column]; l.chunk == nil {
		err = p.openChunk(l, p.group-1, column)
	}
	return l, err
}

// openChunk opens a column chunk in a row group and stores its reader in l.
func (p *parquetFile) openChunk(l *leaf, group, column int) error {
	r, err := p.r.RowGroup(group).GetColumnPageReader(column)
	if err == nil {
		l.pages = &pages{PageReader: r, p: p}
		//lint:ignore SA1019 RowGroupReader.Column opens pages of its own, and there is no other way to count them.
		l.chunk = file.NewColumnReader(l.column, l.pages, p.alloc, p.r.BufferPool())
	}
	return err
}

// pages reads the pages of a column chunk and checks the total size of all pages of the file. In a damaged file, row
// groups may share pages, and any number of pages may have no rows.
type pages struct {
	file.PageReader
	p      *parquetFile
	prefix bool // whether values are stored as differences from the previous value
	err    error
}

func (r *pages) Next() bool {
	if r.err != nil || !r.PageReader.Next() {
		return false
	}
	if page := r.Page(); page != nil {
		r.prefix = parquet.Encoding(page.Encoding()) == parquet.Encodings.DeltaByteArray
		r.err = r.p.check(r.p.paged.Add(int64(len(page.Data()))))
	}
	return r.err == nil
}

func (r *pages) Err() error { return cmp.Or(r.err, r.PageReader.Err()) }

func (p *parquetFile) Floats(column int, dst []float64, width, stride int) error {
	if c := p.leaves[column].spilled; c != nil {
		if c.wrong != nil && c.wrong.row < p.at+p.ready {
			return c.wrong.err(p.group, p.at)
		}
		p.spill.copyFromWindow(c, p.at, p.ready, dst, stride)
		return nil
	}
	l, err := p.currentLeaf(column)
	if err != nil {
		return err
	}
	w, err := l.readRows(p.ready, width, func(done, n int) error {
		l.copyFloats(dst, done, n, width, stride)
		return nil
	})
	if w != nil {
		return w.err(p.group, 0)
	}
	return err
}

func (p *parquetFile) Texts(column int, use func([]byte)) error {
	l, err := p.currentLeaf(column)
	if err != nil {
		return err
	}
	w, err := l.readRows(p.ready, 1, func(_, n int) error {
		k := 0
		l.formatTexts(n, func(text []byte) {
			if l.isNull(k) {
				text = nil
			}
			use(text)
			k++
		})
		return nil
	})
	if w != nil {
		if w.text != "" {
			w.cause = dataset.ErrLabels
		}
		return w.err(p.group, 0)
	}
	return err
}

// readRows reads rows that are lists of the given width and calls the function use after each piece. The arguments of
// use are the number of values before the piece and the number of values in the piece. readRows stops if use returns an
// error. If a row is invalid, readRows passes the earlier rows to the function use and then returns an error.
func (l *leaf) readRows(rows, width int, use func(done, n int) error) (*rowProblem, error) {
	const piece = 1 << 15
	for done, all := 0, rows*width; done < all; {
		n, err := l.readValues(min(all-done, piece))
		if err == nil && n == 0 {
			err = cmp.Or(l.chunk.Err(), io.ErrUnexpectedEOF)
		}
		if err != nil {
			return &rowProblem{row: done / width, cause: err}, nil
		}
		w := l.findProblem(done, n, width)
		if w != nil {
			n = max(0, w.row*width-done)
		}
		if err := use(done, n); err != nil || w != nil {
			return w, err
		}
		done += n
	}
	return nil, nil
}

// readValues reads up to n values with their definition and repetition levels. Byte slices are valid until the next
// call.
func (l *leaf) readValues(n int) (total int, err error) {
	if l.chunk.HasNext() && l.pages.prefix { // the library decodes all n values at once, and each value can be as long as a page
		n = min(n, l.safeReadCount())
	}
	l.defs = slices.Grow(l.defs[:0], n)[:n]
	l.reps = slices.Grow(l.reps[:0], n)[:n]
	switch c := l.chunk.(type) {
	case *file.Float32ColumnChunkReader:
		return readBatch(l, n, c.ReadBatch)
	case *file.Float64ColumnChunkReader:
		return readBatch(l, n, c.ReadBatch)
	case *file.Int32ColumnChunkReader:
		return readBatch(l, n, c.ReadBatch)
	case *file.Int64ColumnChunkReader:
		return readBatch(l, n, c.ReadBatch)
	case *file.BooleanColumnChunkReader:
		return readBatch(l, n, c.ReadBatch)
	case *file.ByteArrayColumnChunkReader: // ReadBatch would copy a text of the dictionary for every row
		return readBatch(l, n, c.ReadBatchInPage)
	case *file.FixedLenByteArrayColumnChunkReader:
		return readBatch(l, n, c.ReadBatchInPage)
	}
	return 0, fmt.Errorf("a column of type %T", l.chunk)
}

// safeReadCount returns how many values may be read at once if each value can be as long as a page.
func (l *leaf) safeReadCount() int {
	if l.column.PhysicalType() == parquet.Types.FixedLenByteArray {
		return max(1, (1<<20)/max(1, l.column.TypeLength()))
	}
	return 1
}

func readBatch[T any](l *leaf, n int, read func(int64, []T, []int16, []int16) (int64, int, error)) (int, error) {
	v, _ := l.reader.([]T)
	v = slices.Grow(v[:0], n)[:n]
	l.reader = v
	defs, reps := l.defs, l.reps
	if l.column.MaxDefinitionLevel() == 0 {
		defs = nil
	}
	if l.column.MaxRepetitionLevel() == 0 {
		reps = nil
	}
	total, present, err := read(int64(n), v, defs, reps)
	if err == nil && l.nulls && present < int(total) {
		l.insertNulls(v, int(total), present)
	}
	return int(total), err
}

// insertNulls moves the present values to their rows, and fills the rows of nulls with NaN or zero.
func (l *leaf) insertNulls(values any, total, present int) {
	switch v := values.(type) {
	case []float32:
		insertNullValues(l, v, total, present, float32(math.NaN()))
	case []float64:
		insertNullValues(l, v, total, present, math.NaN())
	case []int32:
		insertNullValues(l, v, total, present, 0)
	case []int64:
		insertNullValues(l, v, total, present, 0)
	case []bool:
		insertNullValues(l, v, total, present, false)
	case []parquet.ByteArray:
		insertNullValues(l, v, total, present, nil)
	case []parquet.FixedLenByteArray:
		insertNullValues(l, v, total, present, make([]byte, l.column.TypeLength()))
	}
}

func insertNullValues[T any](l *leaf, v []T, total, present int, null T) {
	for k := total - 1; k >= 0; k-- {
		if l.isNull(k) {
			v[k] = null
		} else {
			present--
			v[k] = v[present]
		}
	}
}

// isNull reports whether value number k is null. It returns false for columns without nulls.
func (l *leaf) isNull(k int) bool {
	most := l.column.MaxDefinitionLevel()
	return l.nulls && most > 0 && l.defs[k] != most
}

// rowProblem is an error in a row. If text is empty, a page could not be read.
type rowProblem struct {
	row   int
	cause error
	text  string
}

// err returns an error that contains the number of the row group. The error also contains the row number
// w.row − before, except if a page could not be read.
func (w *rowProblem) err(group, before int) error {
	if w.text == "" {
		return fmt.Errorf("row group %d: %w", group, w.cause)
	}
	return rowError("row group", group, w.row-before, w.cause, w.text)
}

// findProblem returns the first null, or the first list of a wrong length, among the last n values read. done is the number
// of values in the batch before these n values.
func (l *leaf) findProblem(done, n, width int) *rowProblem {
	if most := l.column.MaxDefinitionLevel(); most > 0 && !l.nulls {
		differ := int16(0) // a loop without branches is faster, because nulls are rare
		for _, d := range l.defs[:n] {
			differ |= d ^ most
		}
		if differ != 0 {
			k := slices.IndexFunc(l.defs[:n], func(d int16) bool { return d != most })
			return &rowProblem{(done + k) / width, tabular.ErrNull, "null"}
		}
	}
	if l.column.MaxRepetitionLevel() > 0 && !listsHaveWidth(l.reps[:n], done%width, width) {
		at := done % width
		for k, r := range l.reps[:n] {
			if (r == 0) != (at == 0) {
				row := (done + k) / width
				if r == 0 {
					return &rowProblem{row, dataset.ErrFormat, fmt.Sprintf("a list of %d elements where the first has %d", at, width)}
				}
				return &rowProblem{row - 1, dataset.ErrFormat, fmt.Sprintf("a list of more than the %d elements of the first", width)}
			}
			if at++; at == width {
				at = 0
			}
		}
	}
	return nil
}

// listsHaveWidth reports whether the repetition levels reps describe lists of the given width. The level is 0 for the
// first element of a list and 1 for all other elements. reps may begin inside a list. Its first element
// is element number first of this list, counted from 0.
func listsHaveWidth(reps []int16, first, width int) bool {
	differ := int16(0)
	for len(reps) > 0 {
		row := reps[:min(width-first, len(reps))]
		reps = reps[len(row):]
		if first == 0 {
			differ |= row[0]
			row = row[1:]
		}
		for _, r := range row {
			differ |= r ^ 1
		}
		first = 0
	}
	return differ == 0
}

// copyFloats copies the n most recently read values into dst, after the values that dst already contains. done is the
// number of values that dst already contains. Nulls become NaN.
func (l *leaf) copyFloats(dst []float64, done, n, width, stride int) {
	l.copyWithoutNulls(dst, done, n, width, stride)
	for k := 0; k < n && l.nulls; k++ {
		if l.isNull(k) {
			dst[(done+k)/width*stride+(done+k)%width] = math.NaN()
		}
	}
}

func (l *leaf) copyWithoutNulls(dst []float64, done, n, width, stride int) {
	switch v := l.reader.(type) {
	case []float32:
		copyConverted(dst, v[:n], done, width, stride, func(x float32) float64 { return float64(x) })
	case []float64:
		copyConverted(dst, v[:n], done, width, stride, func(x float64) float64 { return x })
	case []int32:
		unsigned := l.unsigned()
		copyConverted(dst, v[:n], done, width, stride, func(x int32) float64 {
			if unsigned {
				return float64(uint32(x))
			}
			return float64(x)
		})
	case []int64:
		unsigned := l.unsigned()
		copyConverted(dst, v[:n], done, width, stride, func(x int64) float64 {
			if unsigned {
				return float64(uint64(x))
			}
			return float64(x)
		})
	case []parquet.FixedLenByteArray:
		copyConverted(dst, v[:n], done, width, stride, func(x parquet.FixedLenByteArray) float64 {
			return tabular.Half(binary.LittleEndian.Uint16(x))
		})
	case []bool:
		copyConverted(dst, v[:n], done, width, stride, func(x bool) float64 {
			if x {
				return 1
			}
			return 0
		})
	}
}

func (l *leaf) unsigned() bool {
	switch t := l.column.LogicalType().(type) {
	case schema.IntLogicalType:
		return !t.IsSigned()
	case *schema.IntLogicalType:
		return !t.IsSigned()
	}
	return false
}

func copyConverted[T any](dst []float64, v []T, done, width, stride int, float func(T) float64) {
	if stride == width { // the values are contiguous in dst
		for k, x := range v {
			dst[done+k] = float(x)
		}
		return
	}
	at, k := done/width*stride, done%width
	for _, x := range v {
		dst[at+k] = float(x)
		if k++; k == width {
			at, k = at+stride, 0
		}
	}
}

// formatTexts calls use(text) for the text of each of the last n values read. Numbers are formatted in decimal, as in
// NPY files.
func (l *leaf) formatTexts(n int, use func([]byte)) {
	if formattedType(l.column) != nil {
		l.formatValues(n, use)
		return
	}
	var text []byte
	switch v := l.reader.(type) {
	case []parquet.ByteArray:
		for _, x := range v[:n] {
			use(x)
		}
	case []int64:
		unsigned := l.unsigned()
		for _, x := range v[:n] {
			if unsigned {
				text = strconv.AppendUint(text[:0], uint64(x), 10)
			} else {
				text = strconv.AppendInt(text[:0], x, 10)
			}
			use(text)
		}
	default:
		x := make([]float64, n)
		l.copyFloats(x, 0, n, 1, 1)
		for _, x := range x {
			text = tabular.AppendNumber(text[:0], x)
			use(text)
		}
	}
}
