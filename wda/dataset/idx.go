package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// ReadIDX reads an array of the MNIST format as unlabelled data. The first
// dimension counts the samples; the others become one row each, in the order of
// the file: images of 28 × 28 pixels give 784 columns. LabelFile is for
// ReadFile.
//
// Every error is a *FileError; its Row is the sample, from 1.
func ReadIDX(r io.Reader, opt Options) (*Dataset, error) {
	d, err := readIDX(newStream(r), opt)
	return d, fileError("", err)
}

func readIDX(s *stream, opt Options) (*Dataset, error) {
	if opt.Label != "" && !opt.Unlabelled {
		return nil, because(ErrNoLabels, "an IDX file has no label column; name a label file")
	}
	a, err := openIDX(s, opt.maxElements())
	if err != nil {
		return nil, err
	}
	if len(a.dims) < 2 {
		return nil, because(ErrShape, fmt.Sprintf("%d dimension: these are labels, not samples", len(a.dims)))
	}
	cols := a.n / a.dims[0]
	data, err := a.floats()
	if err != nil {
		return nil, err
	}
	if k := notFinite(data); k >= 0 {
		return nil, &FileError{Row: k/cols + 1, Column: k%cols + 1, Err: why(data[k])}
	}
	return &Dataset{X: mat.NewDense(a.dims[0], cols, data)}, nil
}

func readIDXLabels(s *stream, most int) (*encoder, error) {
	a, err := openIDX(s, most)
	if err != nil {
		return nil, err
	}
	if len(a.dims) != 1 {
		return nil, because(ErrShape, fmt.Sprintf("%d dimensions: these are not labels", len(a.dims)))
	}
	data, err := a.floats()
	if err != nil {
		return nil, err
	}
	e := new(encoder)
	for i, v := range data {
		e.add(strconv.FormatFloat(v, 'g', -1, 64), i+1)
	}
	return e, nil
}

type idxArray struct {
	s    *stream
	kind byte
	dims []int
	n    int // elements
	room int // how many to make room for at once
}

// idxSize returns the bytes of an element of a type code, 0 for no such type.
func idxSize(kind byte) int {
	switch kind {
	case 0x08, 0x09: // uint8, int8
		return 1
	case 0x0b: // int16
		return 2
	case 0x0c, 0x0d: // int32, float32
		return 4
	case 0x0e: // float64
		return 8
	}
	return 0
}

func openIDX(s *stream, most int) (*idxArray, error) {
	var magic [4]byte
	n, err := io.ReadFull(s.r, magic[:])
	switch {
	case err == io.EOF:
		return nil, because(ErrEmpty, "the file is empty")
	case err != nil && err != io.ErrUnexpectedEOF:
		return nil, err
	case magic[0] != 0 || magic[1] != 0:
		return nil, because(ErrFormat, "not an IDX file: wrong magic number")
	case n < 4:
		return nil, because(ErrTruncated, "the IDX header is cut short")
	case idxSize(magic[2]) == 0:
		return nil, because(ErrType, fmt.Sprintf("IDX elements of type %#02x are not supported", magic[2]))
	case magic[3] == 0:
		return nil, because(ErrShape, "an IDX file without dimensions")
	}
	a := &idxArray{s: s, kind: magic[2], dims: make([]int, magic[3])}
	for k := range a.dims {
		var b [4]byte
		if _, err := s.Read(b[:]); err != nil {
			return nil, err
		}
		v := binary.BigEndian.Uint32(b[:])
		if uint64(v) > uint64(maxInt) {
			return nil, because(ErrTooLarge, fmt.Sprintf("a dimension of %d", v))
		}
		a.dims[k] = int(v)
	}
	if a.n, err = product(a.dims); err != nil {
		return nil, err
	}
	if a.n == 0 {
		return nil, because(ErrEmpty, "the file has a dimension of 0")
	}
	a.room, err = s.check(a.n, idxSize(a.kind), most)
	return a, err
}

// floats reads all elements in the order of the file.
func (a *idxArray) floats() ([]float64, error) {
	size := idxSize(a.kind)
	data := make([]float64, 0, a.room)
	buf := make([]byte, size*min(a.n, 8192))
	for left := a.n; left > 0; left -= len(buf) / size {
		buf = buf[:size*min(left, len(buf)/size)]
		if _, err := a.s.Read(buf); err != nil {
			return nil, err
		}
		data = appendIDX(data, buf, a.kind)
	}
	return data, a.s.end()
}

func appendIDX(dst []float64, src []byte, kind byte) []float64 {
	switch kind {
	case 0x08:
		for _, b := range src {
			dst = append(dst, float64(b))
		}
	case 0x09:
		for _, b := range src {
			dst = append(dst, float64(int8(b)))
		}
	case 0x0b:
		for ; len(src) > 0; src = src[2:] {
			dst = append(dst, float64(int16(binary.BigEndian.Uint16(src))))
		}
	case 0x0c:
		for ; len(src) > 0; src = src[4:] {
			dst = append(dst, float64(int32(binary.BigEndian.Uint32(src))))
		}
	case 0x0d:
		for ; len(src) > 0; src = src[4:] {
			dst = append(dst, float64(math.Float32frombits(binary.BigEndian.Uint32(src))))
		}
	case 0x0e:
		for ; len(src) > 0; src = src[8:] {
			dst = append(dst, math.Float64frombits(binary.BigEndian.Uint64(src)))
		}
	}
	return dst
}
