package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/gomonge/monge/internal/tabular"
)

// array is an NPY or IDX array. Its header has been read and checked.
type array struct {
	stream  *stream
	shape   []int
	fortran bool
	elem    elem
	n       int // elements
	next    int // index of the next element to read
	place   arrayPosition
	decoded []float64
}

// elem is the element type of an array.
type elem struct {
	kind byte // NumPy's code: b, i, u or f for numbers, U or S for strings
	size int  // bytes
	big  bool // big-endian
}

// setShape checks the shape and sets the number of elements.
func (a *array) setShape(shape []int) (err error) {
	a.shape = shape
	if a.n, err = elementCount(shape); err == nil && a.n == 0 {
		err = newCause(errEmpty, fmt.Sprintf("an array of shape %v has no elements", shape))
	}
	return err
}

// capacity returns the number of elements to allocate.
func (a *array) capacity(opt *Options) (int, error) { return a.stream.capacity(a.n, a.elem.size, opt) }

// setVector checks that the shape is n or n × 1.
func (a *array) setVector() error {
	if len(a.shape) == 1 || len(a.shape) == 2 && a.shape[1] == 1 {
		return nil
	}
	return newCause(errShape, fmt.Sprintf("an array of shape %v is not a vector", a.shape))
}

// eachChunk reads the next n elements and calls the function use with successive chunks of their
// bytes. A chunk is a part of the buffer of the stream. After the last element of the array,
// eachChunk checks that the stream ends; gzip and zip then compare checksums.
func (a *array) eachChunk(n int, use func(chunk []byte) error) error {
	for n > 0 {
		k := min(n, max(1, a.stream.r.Buffered()/a.elem.size))
		chunk, err := a.stream.peek(k * a.elem.size)
		if err != nil {
			return err
		}
		a.elem.toLittleEndian(chunk)
		if err := use(chunk); err != nil {
			return err
		}
		a.stream.r.Discard(len(chunk)) // cannot fail, because the bytes are buffered
		a.next += k
		n -= k
	}
	if a.next == a.n {
		return a.stream.checkEnd()
	}
	return nil
}

// wordSize returns the number of bytes in one number, or in one character of a string. A change of
// byte order reverses these bytes.
func (e elem) wordSize() int {
	switch e.kind {
	case 'U':
		return 4
	case 'S':
		return 1
	}
	return e.size
}

// toLittleEndian converts the bytes of elements to little-endian order.
func (e elem) toLittleEndian(b []byte) {
	if !e.big {
		return
	}
	le, be := binary.LittleEndian, binary.BigEndian
	switch e.wordSize() {
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			le.PutUint16(b, be.Uint16(b))
		}
	case 4:
		for ; len(b) >= 8; b = b[8:] { // two words of 4 bytes at a time
			le.PutUint64(b, bits.RotateLeft64(be.Uint64(b), 32))
		}
		for ; len(b) >= 4; b = b[4:] {
			le.PutUint32(b, be.Uint32(b))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			le.PutUint64(b, be.Uint64(b))
		}
	}
}

// readFloats sets dst to the next elements and reports whether all elements of dst are finite.
func (a *array) readFloats(dst []float64) (finite bool, err error) {
	if a.elem.kind == 'U' || a.elem.kind == 'S' {
		return false, newCause(errType, "strings where numbers are expected")
	}
	finite = true
	err = a.eachChunk(len(dst), func(chunk []byte) error {
		n := len(chunk) / a.elem.size
		finite = a.elem.decode(dst[:n], chunk) && finite
		dst = dst[n:]
		return nil
	})
	return finite, err
}

// decode sets dst to the elements of src and reports whether all elements are finite. The bytes of
// src are in little-endian order.
func (e elem) decode(dst []float64, src []byte) (finite bool) {
	le := binary.LittleEndian
	finite = true
	switch e.kind {
	case 'b':
		for i, b := range src {
			dst[i] = 0
			if b != 0 {
				dst[i] = 1
			}
		}
	case 'u':
		switch e.size {
		case 1:
			for i, b := range src[:len(dst)] {
				dst[i] = bytesAsNumbers[b]
			}
		case 2:
			for i := range dst {
				dst[i] = float64(le.Uint16(src[2*i:]))
			}
		case 4:
			for i := range dst {
				dst[i] = float64(le.Uint32(src[4*i:]))
			}
		case 8:
			for i := range dst {
				dst[i] = float64(le.Uint64(src[8*i:]))
			}
		}
	case 'i':
		switch e.size {
		case 1:
			for i := range dst {
				dst[i] = float64(int8(src[i]))
			}
		case 2:
			for i := range dst {
				dst[i] = float64(int16(le.Uint16(src[2*i:])))
			}
		case 4:
			for i := range dst {
				dst[i] = float64(int32(le.Uint32(src[4*i:])))
			}
		case 8:
			for i := range dst {
				dst[i] = float64(int64(le.Uint64(src[8*i:])))
			}
		}
	case 'f':
		switch e.size {
		case 2:
			for i := range dst {
				dst[i] = tabular.Half(le.Uint16(src[2*i:]))
				finite = finite && dst[i]-dst[i] == 0
			}
		case 4:
			return decodeFloat32(dst, src)
		case 8:
			return decodeFloat64(dst, src)
		}
	}
	return finite
}

// decodeFloat32 decodes float32 elements. All elements are finite if and only if their sum is
// finite, because the float64 sum cannot overflow.
func decodeFloat32(dst []float64, src []byte) (finite bool) {
	var a, b, c, d float64 // sums
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" {
		// amd64 and arm64 are little-endian and allow unaligned loads, so the bytes can be read as
		// float32 directly. This is faster than assembling each number from its bytes.
		for ; len(dst) >= 8 && len(src) >= 32; dst, src = dst[8:], src[32:] {
			v := (*[8]float32)(unsafe.Pointer(unsafe.SliceData(src)))
			to := (*[8]float64)(dst)
			e, f, g, h := float64(v[0]), float64(v[1]), float64(v[2]), float64(v[3])
			to[0], to[1], to[2], to[3] = e, f, g, h
			a, b, c, d = a+e, b+f, c+g, d+h
			e, f, g, h = float64(v[4]), float64(v[5]), float64(v[6]), float64(v[7])
			to[4], to[5], to[6], to[7] = e, f, g, h
			a, b, c, d = a+e, b+f, c+g, d+h
		}
	}
	for i := range dst {
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:])))
		a += v
		dst[i] = v
	}
	a += b + c + d
	return a-a == 0
}

// decodeFloat64 decodes float64 elements. To detect infinities and NaNs, it adds 1 to each
// exponent: only the exponent of an infinity or NaN carries into the sign bit.
func decodeFloat64(dst []float64, src []byte) (finite bool) {
	const sign, one = 1 << 63, 1 << 52
	seen, le := uint64(0), binary.LittleEndian
	for ; len(dst) >= 4 && len(src) >= 32; dst, src = dst[4:], src[32:] {
		a, b, c, d := le.Uint64(src), le.Uint64(src[8:]), le.Uint64(src[16:]), le.Uint64(src[24:])
		seen |= (a&^sign + one) | (b&^sign + one) | (c&^sign + one) | (d&^sign + one)
		dst[0], dst[1] = math.Float64frombits(a), math.Float64frombits(b)
		dst[2], dst[3] = math.Float64frombits(c), math.Float64frombits(d)
	}
	for i := range dst {
		v := le.Uint64(src[8*i:])
		seen |= v&^sign + one
		dst[i] = math.Float64frombits(v)
	}
	return seen&sign == 0
}

// bytesAsNumbers contains the float64 value of each byte. A table lookup is faster than a
// conversion.
var bytesAsNumbers = func() (t [256]float64) {
	for i := range t {
		t[i] = float64(i)
	}
	return t
}()

// appendInts appends the next n elements to dst.
func (a *array) appendInts(n int, dst *[]int) error {
	first := a.next
	a.decoded = slices.Grow(a.decoded[:0], n)[:n]
	if _, err := a.readFloats(a.decoded); err != nil {
		return err
	}
	for i, v := range a.decoded {
		if v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
			return &FileError{Row: first + i + 1, Err: newCause(errType, fmt.Sprintf("%v is not an integer of 32 bits", v))}
		}
		*dst = append(*dst, int(v))
	}
	return nil
}

// eachText calls visit with the text of each of the next n elements. The text is a decimal
// number, or a string without trailing zero bytes.
func (a *array) eachText(n int, visit func(text []byte, place int)) error {
	place := a.next
	var text []byte
	return a.eachChunk(n, func(chunk []byte) error {
		for e := chunk; len(e) > 0; e = e[a.elem.size:] {
			place++
			text = a.elem.appendText(text[:0], e[:a.elem.size])
			visit(text, place)
		}
		return nil
	})
}

func (e elem) appendText(dst, src []byte) []byte {
	switch {
	case e.kind == 'S':
		dst = append(dst, src...)
	case e.kind == 'U': // UCS-4
		for ; len(src) > 0; src = src[4:] {
			dst = utf8.AppendRune(dst, rune(binary.LittleEndian.Uint32(src)))
		}
	case e.size == 8 && e.kind == 'u': // not converted to float64, because identifiers may need all 64 bits
		return strconv.AppendUint(dst, binary.LittleEndian.Uint64(src), 10)
	case e.size == 8 && e.kind == 'i':
		return strconv.AppendInt(dst, int64(binary.LittleEndian.Uint64(src)), 10)
	default:
		var v [1]float64
		e.decode(v[:], src)
		return tabular.AppendNumber(dst, v[0])
	}
	return bytes.TrimRight(dst, "\x00")
}

// arrayLabels are labels stored in an array.
type arrayLabels struct {
	array *array
	name  func(error) error
	src   io.Closer // source that Close closes, or nil
}

// newArrayLabels returns the labels of an array of n or n × 1 elements.
func newArrayLabels(a *array, name func(error) error) (*arrayLabels, error) {
	if err := a.setVector(); err != nil {
		return nil, err
	}
	return &arrayLabels{array: a, name: name}, nil
}

func (l *arrayLabels) count() int { return l.array.n }

func (l *arrayLabels) read(n int, use func(text []byte, place int)) error {
	return l.array.eachText(n, use)
}

func (l *arrayLabels) withName(err error) error { return l.name(err) }

func (l *arrayLabels) Close() error {
	if l.src == nil {
		return nil
	}
	return l.src.Close()
}

// matrix contains the samples of an array. The first dimension of the array is the number of samples.
type matrix struct {
	*plan
	a              *array
	rows           int
	width          int   // columns of the array
	featureColumns []int // columns that are features; nil if all columns are features
	row            int
	wholeRows      []float64   // rows with all columns; used if only some columns are features
	stored         [][]float64 // all elements of an array in Fortran order; allocated in pieces, because the header may declare a wrong size
}

// newMatrix returns the samples of a two-dimensional NPY array, or of an IDX array with two or more
// dimensions.
func newMatrix(a *array, opt *Options) (*matrix, error) {
	m := &matrix{a: a}
	switch {
	case opt.Vector && len(a.shape) == 1:
		m.rows, m.width = a.shape[0], 1
	case opt.Format == FormatIDX && len(a.shape) == 1:
		return nil, newCause(errShape, "1 dimension: these are labels, not samples")
	case opt.Format == FormatIDX || len(a.shape) == 2:
		m.rows = a.shape[0]
		m.width = a.n / m.rows
	default:
		return nil, newCause(errShape, fmt.Sprintf("an array of shape %v is not a matrix", a.shape))
	}
	return m, m.chooseColumns(opt)
}

// chooseColumns chooses the columns that are features.
func (m *matrix) chooseColumns(opt *Options) (err error) {
	if opt.Columns == nil && opt.Drop == nil && opt.Schema == nil {
		m.plan = &plan{label: -1, split: -1, cols: m.width, lenient: opt.KeepMissing}
		return nil
	}
	if m.width > maxFields {
		return newCause(ErrTooLarge, fmt.Sprintf("more than %d columns to choose from", maxFields))
	}
	columns := *opt
	columns.ID = nil // which are arrays
	if m.plan, err = newPlan(fileColumns{fields: make([]field, m.width), label: -1, split: -1}, &columns); err != nil {
		return err
	}
	if m.cols == 0 {
		return newCause(errShape, "there is no feature column")
	}
	for i, at := range m.features {
		if m.uses[at].role == isCategory {
			return newCause(ErrFormat, "the model has columns of text, which an array of numbers does not have")
		}
		if at != i || m.cols < m.width {
			m.featureColumns = m.features
		}
	}
	return nil
}

func (m *matrix) columnPlan() *plan { return m.plan }

func (m *matrix) dims() (rows, cols int) { return m.rows, m.cols }

func (m *matrix) labeled() bool { return false }

func (m *matrix) rowError(row int, err error) error { return &FileError{Row: row, Err: err} }

func (m *matrix) capacity(opt *Options) (int, error) {
	n, err := m.a.capacity(opt)
	return n / m.width * m.cols, err
}

func (m *matrix) read(x []float64, _ func([]byte, int)) (rows int, err error) {
	if rows = min(len(x)/m.cols, m.rows-m.row); rows == 0 {
		return 0, io.EOF
	}
	x = x[:rows*m.cols]
	all := x
	if m.featureColumns != nil {
		m.wholeRows = slices.Grow(m.wholeRows[:0], rows*m.width)[:rows*m.width]
		all = m.wholeRows
	}
	finite := false
	if m.a.fortran {
		err = m.readTransposed(all)
	} else {
		finite, err = m.a.readFloats(all)
	}
	m.copyFeatures(x, all)
	if err == nil && !finite {
		err = m.findNotFinite(x, m.row)
	}
	if err != nil {
		return 0, err
	}
	m.row += rows
	return rows, nil
}

// copyFeatures copies the feature columns of rows to x. It does nothing if all columns are features.
func (m *matrix) copyFeatures(x, rows []float64) {
	if m.featureColumns == nil {
		return
	}
	for ; len(x) > 0; x, rows = x[m.cols:], rows[m.width:] {
		for k, at := range m.featureColumns {
			x[k] = rows[at]
		}
	}
}

// readTransposed sets x to the next rows of an array in Fortran order.
func (m *matrix) readTransposed(x []float64) error {
	const piece = 1 << 16
	for left := m.a.n - m.a.next; left > 0; left = m.a.n - m.a.next {
		p := make([]float64, min(left, piece))
		if _, err := m.a.readFloats(p); err != nil {
			return err
		}
		m.stored = append(m.stored, p)
	}
	for k := range x {
		i, j := m.row+k/m.width, k%m.width
		at := j*m.rows + i
		x[k] = m.stored[at/piece][at%piece]
	}
	return nil
}

// findNotFinite returns an error for the first element of x that is not finite, or nil. rowsBefore is the number of
// rows of the file before x. A missing value is not an error if missing values are allowed.
func (m *matrix) findNotFinite(x []float64, rowsBefore int) error {
	for k, v := range x {
		if v-v == 0 || v != v && m.lenient {
			continue
		}
		at := k % m.cols
		if m.featureColumns != nil {
			at = m.featureColumns[at]
		}
		return &FileError{Row: rowsBefore + k/m.cols + 1, Column: at + 1, Err: notFiniteError(v)}
	}
	return nil
}

func notFiniteError(v float64) error {
	if math.IsNaN(v) {
		return newCause(errNaN, "the value is NaN")
	}
	return newCause(errInf, "the value is infinite")
}
