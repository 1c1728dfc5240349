package columnar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/gomonge/monge/internal/tabular"
	"github.com/gomonge/monge/wda/dataset"
	flatbuffers "github.com/google/flatbuffers/go"
)

// recyclingAllocator reuses freed memory, so that a record batch reuses the memory of the previous batch.
type recyclingAllocator struct {
	mu   sync.Mutex
	free [][]byte
}

// mostReused is the maximum number of freed memory blocks that a recyclingAllocator keeps.
const mostReused = 8

func (r *recyclingAllocator) Allocate(size int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, b := range r.free {
		if cap(b) >= size && cap(b)/2 <= size {
			r.free = slices.Delete(r.free, i, i+1)
			b = b[:size]
			clear(b) // callers expect zeroed memory
			return b
		}
	}
	return memory.DefaultAllocator.Allocate(size)
}

func (r *recyclingAllocator) Reallocate(size int, b []byte) []byte {
	if cap(b) >= size {
		return b[:size]
	}
	c := r.Allocate(size)
	copy(c, b)
	r.Free(b)
	return c
}

func (r *recyclingAllocator) Free(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.free) == mostReused {
		r.free = slices.Delete(r.free, 0, 1)
	}
	r.free = append(r.free, b[:0])
}

// arrowFile reads an Arrow IPC file or stream, one record batch in memory at a time.
type arrowFile struct {
	schema []tabular.Field
	read   func() (arrow.RecordBatch, error) // io.EOF at the end
	record arrow.RecordBatch
	number int          // number of the record batch, from 1
	at     int          // number of rows of the record batch that have been read
	ready  int          // number of rows in the caller's batch
	nulls  map[int]bool // columns that may contain nulls
}

func openArrow(r io.Reader, check func(bytes int64) error) (tabular.Table, error) {
	a := new(arrowFile)
	var types *arrow.Schema
	// A footer may list a batch many times, so the total size of all batches is checked, too.
	var total atomic.Int64
	alloc := ipc.WithAllocator(boundedAllocator{new(recyclingAllocator), func(bytes int64) error { return check(total.Add(bytes)) }})
	anySize := ipc.WithBodySizeLimit(0) // the allocator checks sizes
	at, ok := r.(ipc.ReadAtSeeker)
	head := make([]byte, len(arrowMagic))
	if ok {
		if _, err := at.ReadAt(head, 0); err != nil && err != io.EOF {
			return nil, err
		}
	}
	if string(head) == arrowMagic {
		if err := checkFooter(at); err != nil {
			return nil, err
		}
		f, err := ipc.NewFileReader(at, alloc, anySize)
		if err != nil {
			return nil, err
		}
		types = f.Schema()
		a.read = func() (arrow.RecordBatch, error) { // f.Read would hold the previous batch in memory
			if a.number == f.NumRecords() {
				return nil, io.EOF
			}
			return f.RecordBatchAt(a.number)
		}
	} else {
		r, err := checkStreamSchema(r)
		if err != nil {
			return nil, err
		}
		s, err := ipc.NewReaderFromMessageReader(ipc.NewMessageReader(r, alloc, anySize), alloc, anySize) // ipc.NewReader would not limit the message size
		if err != nil {
			return nil, err
		}
		types = s.Schema()
		a.read = func() (arrow.RecordBatch, error) {
			r, err := s.Read()
			if err == nil {
				r.Retain()
			}
			return r, err
		}
	}
	for _, f := range types.Fields() {
		a.schema = append(a.schema, arrowField(f))
	}
	return a, nil
}

// boundedAllocator calls check before each allocation. If check returns an error, boundedAllocator panics with this
// error, and package dataset recovers it. A damaged file can declare any size, and Go ends a program that requests more
// memory than the machine has.
type boundedAllocator struct {
	memory.Allocator
	check func(bytes int64) error
}

func (b boundedAllocator) Allocate(size int) []byte {
	b.checkSize(size)
	return b.Allocator.Allocate(size)
}

func (b boundedAllocator) Reallocate(size int, old []byte) []byte {
	b.checkSize(size)
	return b.Allocator.Reallocate(size, old)
}

func (b boundedAllocator) checkSize(size int) {
	if err := b.check(int64(size)); err != nil {
		panic(err)
	}
}

// arrowMagic begins and ends an Arrow file.
const arrowMagic = "ARROW1"

// checkFooter checks the schema in the footer of an Arrow file. Without this check, the library would allocate memory
// for any number of fields that the schema declares.
func checkFooter(at ipc.ReadAtSeeker) error {
	size, err := at.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := at.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var tail [4 + len(arrowMagic)]byte
	if size < int64(len(tail)) {
		return nil // the library reports the error
	}
	if _, err := at.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return err
	}
	length := int64(int32(binary.LittleEndian.Uint32(tail[:])))
	if string(tail[4:]) != arrowMagic || length < 4 || length > size-int64(len(tail)) {
		return nil
	}
	footer := make([]byte, length)
	if _, err := at.ReadAt(footer, size-int64(len(tail))-length); err != nil {
		return err
	}
	const schemaSlot = 1
	return checkSchema(footer, schemaSlot)
}

// checkStreamSchema checks the first message of an Arrow stream, which is the schema. The returned reader reads the
// whole stream from its beginning.
func checkStreamSchema(r io.Reader) (io.Reader, error) {
	const most = 64 << 20 // the library's limit
	var head [8]byte
	n, err := io.ReadFull(r, head[:])
	if n < 4 || binary.LittleEndian.Uint32(head[:]) != math.MaxUint32 {
		return nil, errors.New("not an Arrow stream (a file, which begins with ARROW1, cannot be read from a pipe)")
	}
	length := int64(int32(binary.LittleEndian.Uint32(head[4:])))
	if err != nil || length < 4 || length > most {
		return nil, fmt.Errorf("a schema of %d bytes", length)
	}
	message, err := io.ReadAll(io.LimitReader(r, length))
	if err != nil {
		return nil, err
	}
	const headerSlot = 2
	if int64(len(message)) == length {
		err = checkSchema(message, headerSlot)
	}
	return io.MultiReader(bytes.NewReader(head[:]), bytes.NewReader(message), r), err
}

// checkSchema returns an error if a list in a schema is too long for the size of the flat buffer b. The schema is in
// the given slot of the root table of b. checkSchema panics if an offset points outside of b.
func checkSchema(b []byte, slot flatbuffers.VOffsetT) error {
	root := flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
	schema, ok := subtable(root, slot)
	if !ok {
		return nil
	}
	// These slots of the schema table and of a field table contain lists.
	const schemaFields, schemaMetadata, schemaFeatures, fieldChildren, fieldMetadata = 1, 2, 3, 5, 6
	left := len(b) / 4 // limit on the number of fields: in a damaged schema, a field may contain itself
	var check func(t flatbuffers.Table, depth int, children flatbuffers.VOffsetT, lists ...flatbuffers.VOffsetT) error
	check = func(t flatbuffers.Table, depth int, children flatbuffers.VOffsetT, lists ...flatbuffers.VOffsetT) error {
		for _, slot := range append(lists, children) {
			if o := flatbuffers.UOffsetT(t.Offset(4 + 2*slot)); o != 0 && t.VectorLen(o) > len(b)/4 {
				return fmt.Errorf("a list of %d elements in a schema of %d bytes", t.VectorLen(o), len(b))
			}
		}
		o := flatbuffers.UOffsetT(t.Offset(4 + 2*children))
		if o == 0 {
			return nil
		}
		for i := range t.VectorLen(o) {
			if left--; left < 0 || depth == 100 {
				return fmt.Errorf("more fields, or fields in fields, than a schema of %d bytes has room for", len(b))
			}
			at := t.Indirect(t.Vector(o) + flatbuffers.UOffsetT(4*i))
			if err := check(flatbuffers.Table{Bytes: b, Pos: at}, depth+1, fieldChildren, fieldMetadata); err != nil {
				return err
			}
		}
		return nil
	}
	return check(schema, 0, schemaFields, schemaMetadata, schemaFeatures)
}

// subtable returns the table in a slot of t.
func subtable(t flatbuffers.Table, slot flatbuffers.VOffsetT) (flatbuffers.Table, bool) {
	o := flatbuffers.UOffsetT(t.Offset(4 + 2*slot))
	if o == 0 {
		return t, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(o + t.Pos)}, true
}

func arrowField(f arrow.Field) tabular.Field {
	t := f.Type
	out := tabular.Field{Name: f.Name, Kind: t.String()}
	if t.ID() == arrow.MAP { // the library treats a map as a list of structs
		return out
	}
	if l, ok := t.(arrow.ListLikeType); ok {
		t, out.List = l.Elem(), true
	}
	out.Number = isNumber(t)
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	out.Text = !out.List && (isNumber(t) || isText(t) || hasFormattedText(t))
	if out.Text && isText(t) {
		out.Kind = "text"
	}
	return out
}

func isNumber(t arrow.DataType) bool {
	return arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) || t.ID() == arrow.BOOL
}

func isText(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return true
	}
	return false
}

func (a *arrowFile) Fields() []tabular.Field { return a.schema }

func (a *arrowFile) Rows() int { return -1 }

func (a *arrowFile) Use([]tabular.Feature) {}

func (a *arrowFile) AllowNulls(column int) {
	if a.nulls == nil {
		a.nulls = map[int]bool{}
	}
	a.nulls[column] = true
}

func (a *arrowFile) Close() error {
	if a.record != nil {
		a.record.Release()
		a.record = nil
	}
	return nil
}

// loadBatch reads the next record batch if all rows of the current batch have been read.
func (a *arrowFile) loadBatch() error {
	for a.record == nil || a.at == int(a.record.NumRows()) {
		if a.record != nil {
			a.record.Release()
			a.record = nil
		}
		r, err := a.read()
		if err != nil {
			return err
		}
		a.record, a.at = r, 0
		a.number++
	}
	return nil
}

func (a *arrowFile) Batch(most int) (int, error) {
	a.at += a.ready
	a.ready = 0
	if err := a.loadBatch(); err != nil {
		return 0, err
	}
	a.ready = min(most, int(a.record.NumRows())-a.at)
	return a.ready, nil
}

func (a *arrowFile) Width(column int) (int, error) {
	if !a.schema[column].List {
		return 1, nil
	}
	if err := a.loadBatch(); err == io.EOF {
		return 0, errors.New("no rows")
	} else if err != nil {
		return 0, err
	}
	begin, end := a.record.Column(column).(array.ListLike).ValueOffsets(a.at)
	return int(end - begin), nil
}

func (a *arrowFile) Floats(column int, dst []float64, width, stride int) error {
	values := a.record.Column(column)
	list, ok := values.(array.ListLike)
	if ok {
		values = list.ListValues()
	}
	get, err := numberCopier(values)
	if err != nil {
		return err
	}
	if list == nil && values.NullN() == 0 {
		get(dst, stride, a.at, a.ready)
		return nil
	}
	for i := range a.ready {
		begin, end := int64(a.at+i), int64(a.at+i+1)
		null := false
		if list != nil {
			null = list.IsNull(a.at + i)
			begin, end = list.ValueOffsets(a.at + i)
		}
		if !null && end-begin != int64(width) {
			return rowError("batch", a.number, i, dataset.ErrFormat, fmt.Sprintf("a list of %d elements where the first has %d", end-begin, width))
		}
		allowed := a.nulls[column]
		if null && allowed {
			fillNaN(dst[i*stride:][:width])
			continue
		}
		for k := begin; k < end && !null && !allowed && values.NullN() > 0; k++ {
			null = values.IsNull(int(k))
		}
		if null {
			return rowError("batch", a.number, i, tabular.ErrNull, "null")
		}
		get(dst[i*stride:], 1, int(begin), width)
		for k := 0; k < width && allowed && values.NullN() > 0; k++ {
			if values.IsNull(int(begin) + k) {
				dst[i*stride+k] = math.NaN()
			}
		}
	}
	return nil
}

func fillNaN(x []float64) {
	for k := range x {
		x[k] = math.NaN()
	}
}

// numberCopier returns a function that copies n elements of an array to every stride-th element of dst. from is the index of
// the first element to copy.
func numberCopier(values arrow.Array) (func(dst []float64, stride, from, n int), error) {
	switch v := values.(type) {
	case *array.Float32:
		return sliceCopier(v.Float32Values()), nil
	case *array.Float64:
		return sliceCopier(v.Float64Values()), nil
	case *array.Int8:
		return sliceCopier(v.Int8Values()), nil
	case *array.Int16:
		return sliceCopier(v.Int16Values()), nil
	case *array.Int32:
		return sliceCopier(v.Int32Values()), nil
	case *array.Int64:
		return sliceCopier(v.Int64Values()), nil
	case *array.Uint8:
		return sliceCopier(v.Uint8Values()), nil
	case *array.Uint16:
		return sliceCopier(v.Uint16Values()), nil
	case *array.Uint32:
		return sliceCopier(v.Uint32Values()), nil
	case *array.Uint64:
		return sliceCopier(v.Uint64Values()), nil
	case *array.Float16:
		return func(dst []float64, stride, from, n int) {
			for k := range n {
				dst[k*stride] = tabular.Half(v.Value(from + k).Uint16())
			}
		}, nil
	case *array.Boolean:
		return func(dst []float64, stride, from, n int) {
			for k := range n {
				dst[k*stride] = 0
				if v.Value(from + k) {
					dst[k*stride] = 1
				}
			}
		}, nil
	}
	return nil, fmt.Errorf("a column of %s", values.DataType())
}

func sliceCopier[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](v []T) func([]float64, int, int, int) {
	return func(dst []float64, stride, from, n int) {
		v := v[from : from+n]
		if stride == 1 {
			for k, x := range v {
				dst[k] = float64(x)
			}
			return
		}
		for k, x := range v {
			dst[k*stride] = float64(x)
		}
	}
}

// hasFormattedText reports whether t is a date, time or decimal, whose text the library formats.
func hasFormattedText(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP:
		return true
	}
	return arrow.IsDecimal(t.ID())
}

// Texts calls the given function with the text of each value of a column in the current batch. The text formats are
// the same as for Parquet.
func (a *arrowFile) Texts(column int, use func([]byte)) error {
	values := a.record.Column(column)
	at := func(i int) int { return i }
	if d, ok := values.(*array.Dictionary); ok {
		indices := d
		values = d.Dictionary()
		at = func(i int) int {
			if indices.IsNull(i) {
				return -1
			}
			return indices.GetValueIndex(i)
		}
	}
	appendText, err := textAppender(values)
	if err != nil {
		return err
	}
	var text []byte
	for i := range a.ready {
		k := at(a.at + i)
		if null := k < 0 || values.IsNull(k); null && a.nulls[column] { // an entry of the dictionary may be null, too
			use(nil)
			continue
		} else if null {
			return rowError("batch", a.number, i, dataset.ErrLabels, "null")
		}
		text = appendText(text[:0], k)
		use(text)
	}
	return nil
}

// textAppender returns a function that appends element i of an array as text. The function writes integers in decimal
// and other numbers like tabular.AppendNumber.
func textAppender(values arrow.Array) (func(dst []byte, i int) []byte, error) {
	switch v := values.(type) {
	case *array.Int64:
		return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, v.Value(i), 10) }, nil
	case *array.Uint64:
		return func(dst []byte, i int) []byte { return strconv.AppendUint(dst, v.Value(i), 10) }, nil
	case array.StringLike:
		return func(dst []byte, i int) []byte { return append(dst, v.Value(i)...) }, nil
	case interface{ Value(i int) []byte }: // binary, of any size
		return func(dst []byte, i int) []byte { return append(dst, v.Value(i)...) }, nil
	}
	if hasFormattedText(values.DataType()) {
		return func(dst []byte, i int) []byte { return append(dst, values.ValueStr(i)...) }, nil
	}
	get, err := numberCopier(values)
	if err != nil {
		return nil, err
	}
	var x [1]float64
	return func(dst []byte, i int) []byte {
		get(x[:], 1, i, 1)
		return tabular.AppendNumber(dst, x[0])
	}, nil
}
