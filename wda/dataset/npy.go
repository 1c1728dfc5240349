package dataset

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"
)

// ReadNPY reads one NumPy array of two dimensions as unlabelled data; one of
// more dimensions must be reshaped before it is saved. Elements may be boolean,
// integer or float32 and float64, of either byte order, in C or Fortran order;
// integers beyond 2⁵³ are rounded to float64. LabelFile is for ReadFile.
//
// Every error is a *FileError; its Row is that of the array, from 1.
func ReadNPY(r io.Reader, opt Options) (*Dataset, error) {
	d, err := readNPY(newStream(r), opt)
	return d, fileError("", err)
}

// ReadNPZ reads a zip file of size bytes with arrays as ReadNPY takes them: X,
// n × d; y, the labels, n numbers or strings; and split, n integers. y and
// split may be absent. See Options for other names; LabelFile is for ReadFile.
//
// Every error is a *FileError; its Row is that of the array, from 1.
func ReadNPZ(r io.ReaderAt, size int64, opt Options) (*Dataset, error) {
	d, err := readNPZ(r, size, opt)
	return d, fileError("", err)
}

func readNPY(s *stream, opt Options) (*Dataset, error) {
	if opt.Label != "" && !opt.Unlabelled {
		return nil, because(ErrNoLabels, "an NPY file has no label column; name a label file")
	}
	x, err := readNPYMatrix(s, opt.maxElements())
	if err != nil {
		return nil, err
	}
	return &Dataset{X: x}, nil
}

func readNPZ(r io.ReaderAt, size int64, opt Options) (*Dataset, error) {
	z, err := openNPZ(r, size)
	if err != nil {
		return nil, err
	}
	d := new(Dataset)
	name := opt.Features
	if name == "" {
		name = "X"
	}
	err = z.with(name, func(s *stream) error {
		d.X, err = readNPYMatrix(s, opt.maxElements())
		return err
	})
	if err != nil {
		return nil, err
	}

	// An absent default is fine, an absent array that was asked for is not.
	if name = opt.Label; name == "" && z.has("y") {
		name = "y"
	}
	if name != "" && !opt.Unlabelled {
		e, err := z.labels(name, opt.maxElements())
		if err == nil {
			err = d.setLabels(e)
		}
		if err != nil {
			return nil, inArray(name, err)
		}
	}

	if name = opt.Split; name == "" && z.has("split") {
		name = "split"
	}
	if name != "" {
		err := z.with(name, func(s *stream) error {
			d.Split, err = readNPYInts(s, opt.maxElements())
			if err == nil && len(d.Split) != d.Len() {
				err = because(ErrShape, fmt.Sprintf("%d elements for %d rows", len(d.Split), d.Len()))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// archive is an NPZ file.
type archive struct {
	zip  *zip.Reader
	size int64
}

func openNPZ(r io.ReaderAt, size int64) (*archive, error) {
	z, err := zip.NewReader(r, size)
	if err == nil {
		return &archive{z, size}, nil
	}
	// A zip file has its directory at the end: what a short one lacks.
	var magic [4]byte
	if n, _ := r.ReadAt(magic[:], 0); n == 0 {
		return nil, because(ErrEmpty, "the file is empty")
	}
	if string(magic[:]) == "PK\x03\x04" {
		return nil, because(ErrTruncated, "the zip directory at the end is missing or damaged: "+err.Error())
	}
	return nil, because(ErrFormat, "not an NPZ file: "+err.Error())
}

func (z *archive) find(name string) *zip.File {
	for _, f := range z.zip.File {
		if f.Name == name+".npy" || f.Name == name {
			return f
		}
	}
	return nil
}

func (z *archive) has(name string) bool { return z.find(name) != nil }

// with hands an array to f and checks that f read all of it.
func (z *archive) with(name string, f func(*stream) error) error {
	return inArray(name, z.open(name, f))
}

func (z *archive) open(name string, f func(*stream) error) error {
	file := z.find(name)
	if file == nil {
		var names []string
		for _, f := range z.zip.File {
			names = append(names, strings.TrimSuffix(f.Name, ".npy"))
		}
		return because(ErrNoArray, "no such array; the file has "+clip(strings.Join(names, " ")))
	}
	r, err := file.Open()
	if err != nil {
		return because(ErrFormat, "damaged zip entry: "+err.Error())
	}
	defer r.Close()
	s := newStream(inflate{r})
	// The header's sizes are claims; the file's size is not.
	limit := uint64(z.size)
	if file.Method != zip.Store {
		limit *= maxRatio
	}
	s.limit = int64(min(limit, file.UncompressedSize64, math.MaxInt64))
	return f(s)
}

// inflate reports damage in a zip entry as an error of this package.
type inflate struct{ r io.Reader }

func (f inflate) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && err != io.EOF {
		err = damaged(err)
	}
	return n, err
}

func (z *archive) labels(name string, most int) (e *encoder, err error) {
	err = z.with(name, func(s *stream) error {
		e, err = readNPYLabels(s, most)
		return err
	})
	return e, err
}

// inArray names the array in an error.
func inArray(name string, err error) error {
	if err == nil {
		return nil
	}
	if fe, ok := errors.AsType[*FileError](err); ok {
		fe.Array = name
		return fe
	}
	return &FileError{Array: name, Err: err}
}

func readNPYMatrix(s *stream, most int) (*mat.Dense, error) {
	a, err := openNPY(s)
	if err != nil {
		return nil, err
	}
	if len(a.shape) != 2 {
		return nil, because(ErrShape, fmt.Sprintf("an array of shape %v is not a matrix", a.shape))
	}
	rows, cols := a.shape[0], a.shape[1]
	data, err := a.floats(most)
	if err != nil {
		return nil, err
	}
	fortran := a.Header.Descr.Fortran
	if k := notFinite(data); k >= 0 {
		i, j := k/cols, k%cols
		if fortran {
			i, j = k%rows, k/rows
		}
		return nil, &FileError{Row: i + 1, Column: j + 1, Err: why(data[k])}
	}
	if fortran {
		return mat.DenseCopyOf(mat.NewDense(cols, rows, data).T()), nil
	}
	return mat.NewDense(rows, cols, data), nil
}

// notFinite returns the index of the first NaN or infinity, or −1.
func notFinite(data []float64) int {
	for k, v := range data {
		if v-v != 0 {
			return k
		}
	}
	return -1
}

func why(v float64) error {
	if math.IsNaN(v) {
		return because(ErrNaN, "the value is NaN")
	}
	return because(ErrInf, "the value is infinite")
}

// readNPYInts reads a vector of integers.
func readNPYInts(s *stream, most int) ([]int, error) {
	a, err := openNPY(s)
	if err != nil {
		return nil, err
	}
	if err := a.vector(); err != nil {
		return nil, err
	}
	values, err := a.floats(most)
	if err != nil {
		return nil, err
	}
	ints := make([]int, len(values))
	for i, v := range values {
		if v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
			return nil, &FileError{Row: i + 1, Err: because(ErrType, fmt.Sprintf("%v is not an integer of 32 bits", v))}
		}
		ints[i] = int(v)
	}
	return ints, nil
}

// readNPYLabels reads a vector of numbers or strings.
func readNPYLabels(s *stream, most int) (*encoder, error) {
	a, err := openNPY(s)
	if err != nil {
		return nil, err
	}
	if err := a.vector(); err != nil {
		return nil, err
	}
	e := new(encoder)
	text := func(t string) { e.add(t, len(e.rows)+1) }
	switch a.elem[0] {
	case 'U', 'S':
		err = a.strings(most, text)
	case 'f':
		var values []float64
		values, err = a.floats(most)
		for _, v := range values {
			text(strconv.FormatFloat(v, 'g', -1, 64))
		}
	default:
		// Not through float64: identifiers may need all 64 bits.
		err = a.integers(most, text)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// array is an NPY array whose header has been read and judged.
type array struct {
	*npy.Reader
	s     *stream
	shape []int
	elem  string // type without byte order: b1 u1 … f8, or U and S with a length
	size  int    // bytes of an element
	n     int    // elements
	order binary.ByteOrder
}

// openNPY reads the header. npyio trusts it: it allocates what the header
// claims and panics on damaged ones, so its length is checked first and its
// contents after.
func openNPY(s *stream) (*array, error) {
	head, err := s.r.Peek(8)
	if len(head) == 0 && err == io.EOF {
		return nil, because(ErrEmpty, "the file is empty")
	}
	if !strings.HasPrefix(string(npy.Magic[:]), string(head[:min(6, len(head))])) {
		return nil, because(ErrFormat, "not an NPY file: wrong magic number")
	}
	length := 0
	if head, err = s.r.Peek(12); err == nil {
		switch head[6] {
		case 1:
			length = 10 + int(binary.LittleEndian.Uint16(head[8:]))
		case 2:
			length = 12 + int(min(binary.LittleEndian.Uint32(head[8:]), streamBuffer))
		default:
			return nil, because(ErrFormat, fmt.Sprintf("NPY version %d is not supported", head[6]))
		}
		if length > streamBuffer {
			return nil, because(ErrFormat, "damaged NPY header: absurd length")
		}
		_, err = s.r.Peek(length)
	}
	if err == io.EOF {
		return nil, because(ErrTruncated, "the NPY header is cut short")
	} else if err != nil {
		return nil, err
	}

	a := &array{s: s}
	err = guard(func() (err error) {
		a.Reader, err = npy.NewReader(s)
		return err
	})
	if err != nil {
		return nil, because(ErrFormat, "damaged NPY header: "+err.Error())
	}
	a.shape = a.Header.Descr.Shape
	if a.n, err = product(a.shape); err != nil {
		return nil, err
	}
	if a.n == 0 {
		return nil, because(ErrEmpty, fmt.Sprintf("an array of shape %v has no elements", a.shape))
	}
	return a, a.setType(a.Header.Descr.Type)
}

// setType understands NumPy's names of the types that we and npyio can read.
func (a *array) setType(descr string) error {
	unsupported := because(ErrType, "elements of type "+clip(descr)+" are not supported")
	a.order = binary.LittleEndian
	if descr != "" && strings.ContainsRune("<>|", rune(descr[0])) {
		if descr[0] == '>' {
			a.order = binary.BigEndian
		}
		descr = descr[1:]
	}
	switch descr {
	case "b1", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8":
		a.elem, a.size = descr, int(descr[1]-'0')
		return nil
	}
	if len(descr) < 2 || descr[0] != 'U' && descr[0] != 'S' {
		return unsupported
	}
	const longest = 1 << 14 // characters
	n, err := strconv.Atoi(descr[1:])
	if err != nil || n < 1 || n > longest {
		return unsupported
	}
	a.elem, a.size = descr, n
	if a.elem[0] == 'U' {
		a.size *= 4 // UCS-4
	}
	return nil
}

// vector checks for n or n × 1 elements.
func (a *array) vector() error {
	if len(a.shape) == 1 || len(a.shape) == 2 && a.shape[1] == 1 {
		return nil
	}
	return because(ErrShape, fmt.Sprintf("an array of shape %v is not a vector", a.shape))
}

// floats reads all elements in the order of the file.
func (a *array) floats(most int) ([]float64, error) {
	room, err := a.s.check(a.n, a.size, most)
	if err != nil {
		return nil, err
	}
	data := make([]float64, 0, room)
	switch a.elem {
	case "b1":
		err = elements(a, func(chunk []bool) {
			for _, v := range chunk {
				if v {
					data = append(data, 1)
				} else {
					data = append(data, 0)
				}
			}
		})
	case "u1":
		err = elements(a, appendTo[uint8](&data))
	case "u2":
		err = elements(a, appendTo[uint16](&data))
	case "u4":
		err = elements(a, appendTo[uint32](&data))
	case "u8":
		err = elements(a, appendTo[uint64](&data))
	case "i1":
		err = elements(a, appendTo[int8](&data))
	case "i2":
		err = elements(a, appendTo[int16](&data))
	case "i4":
		err = elements(a, appendTo[int32](&data))
	case "i8":
		err = elements(a, appendTo[int64](&data))
	case "f4":
		err = elements(a, appendTo[float32](&data))
	case "f8":
		err = elements(a, appendTo[float64](&data))
	default:
		err = because(ErrType, "strings where numbers are expected")
	}
	return data, err
}

type number interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | float32 | float64
}

func appendTo[T number](data *[]float64) func([]T) {
	return func(chunk []T) {
		d := *data
		for _, v := range chunk {
			d = append(d, float64(v))
		}
		*data = d
	}
}

// integers reads all elements as decimal texts.
func (a *array) integers(most int, text func(string)) error {
	if _, err := a.s.check(a.n, a.size, most); err != nil {
		return err
	}
	switch a.elem {
	case "b1":
		return elements(a, func(chunk []bool) {
			for _, v := range chunk {
				text(map[bool]string{false: "0", true: "1"}[v])
			}
		})
	case "u1":
		return elements(a, format[uint8](text))
	case "u2":
		return elements(a, format[uint16](text))
	case "u4":
		return elements(a, format[uint32](text))
	case "u8":
		return elements(a, func(chunk []uint64) {
			for _, v := range chunk {
				text(strconv.FormatUint(v, 10))
			}
		})
	case "i1":
		return elements(a, format[int8](text))
	case "i2":
		return elements(a, format[int16](text))
	case "i4":
		return elements(a, format[int32](text))
	default:
		return elements(a, format[int64](text))
	}
}

func format[T uint8 | uint16 | uint32 | int8 | int16 | int32 | int64](text func(string)) func([]T) {
	return func(chunk []T) {
		for _, v := range chunk {
			text(strconv.FormatInt(int64(v), 10))
		}
	}
}

// elements reads all elements through npyio, by chunks: one call for the whole
// array would take another copy of it.
func elements[T any](a *array, use func(chunk []T)) error {
	buf := make([]T, min(a.n, 8192))
	for left := a.n; left > 0; left -= len(buf) {
		buf = buf[:min(left, len(buf))]
		clear(buf) // npyio leaves a bool alone that is neither 0 nor 1
		if err := guard(func() error { return a.Read(&buf) }); err != nil {
			return err
		}
		use(buf)
	}
	return a.s.end()
}

// strings reads all elements as texts, without the zeros that pad them. npyio
// takes NumPy's UCS-4 for UTF-8, so this is our own.
func (a *array) strings(most int, text func(string)) error {
	if _, err := a.s.check(a.n, a.size, most); err != nil {
		return err
	}
	buf := make([]byte, a.size)
	runes := make([]rune, 0, a.size/4)
	for range a.n {
		if _, err := a.s.Read(buf); err != nil {
			return err
		}
		if a.elem[0] == 'S' {
			text(strings.TrimRight(string(buf), "\x00"))
			continue
		}
		runes = runes[:0]
		for k := 0; k < len(buf); k += 4 {
			runes = append(runes, rune(a.order.Uint32(buf[k:])))
		}
		for len(runes) > 0 && runes[len(runes)-1] == 0 {
			runes = runes[:len(runes)-1]
		}
		text(string(runes))
	}
	return a.s.end()
}

// guard turns a panic of npyio on damaged input into an error.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = because(ErrFormat, fmt.Sprint(p))
		}
	}()
	return f()
}
