package wda

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The arrays of a model file are NPY files (numpy.lib.format) of two element types:
// little-endian float64 and int64, in C order.

// number is the element type of an array.
type number interface{ float64 | int64 }

const (
	npyMagic = "\x93NUMPY"
	// npyAlign is what the data of an array begin at a multiple of.
	npyAlign = 64
)

var npyHeader = regexp.MustCompile(`^\{'descr': '<(f8|i8)', 'fortran_order': False, 'shape': \((\d+),(?: ?(\d+))?\),? ?\} *\n$`)

func typeName[E number]() string {
	if _, ok := any(E(0)).(float64); ok {
		return "f8"
	}
	return "i8"
}

// bits returns what an element is in a file.
func bits[E number](v E) uint64 {
	if f, ok := any(v).(float64); ok {
		return math.Float64bits(f)
	}
	return uint64(int64(v))
}

func fromBits[E number](b uint64) E {
	var v E
	switch p := any(&v).(type) {
	case *float64:
		*p = math.Float64frombits(b)
	case *int64:
		*p = int64(b)
	}
	return v
}

// appendNPY appends the file of an array of one or two dimensions.
func appendNPY[E number](b []byte, v []E, shape ...int) []byte {
	size := fmt.Sprintf("%d,", shape[0])
	if len(shape) == 2 {
		size += fmt.Sprintf(" %d", shape[1])
	}
	header := fmt.Sprintf("{'descr': '<%s', 'fortran_order': False, 'shape': (%s), }", typeName[E](), size)
	start := len(npyMagic) + 4
	header += strings.Repeat(" ", npyAlign-1-(start+len(header))%npyAlign) + "\n"
	b = append(b, npyMagic+"\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	b = append(b, header...)
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, bits(x))
	}
	return b
}

// appendTextNPY appends texts as an array of NumPy's Unicode strings, which all take the room of the
// longest. It returns nil if there are no texts, or if this is too much room.
func appendTextNPY(b []byte, texts []string) []byte {
	const most = 64 << 20
	longest := 1
	for _, t := range texts {
		longest = max(longest, utf8.RuneCountInString(t))
	}
	if len(texts) == 0 || 4*longest > most/len(texts) {
		return nil
	}
	header := fmt.Sprintf("{'descr': '<U%d', 'fortran_order': False, 'shape': (%d,), }", longest, len(texts))
	start := len(npyMagic) + 4
	header += strings.Repeat(" ", npyAlign-1-(start+len(header))%npyAlign) + "\n"
	b = append(b, npyMagic+"\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	b = append(b, header...)
	for _, t := range texts {
		left := longest
		for _, r := range t {
			b = binary.LittleEndian.AppendUint32(b, uint32(r))
			left--
		}
		b = append(b, make([]byte, 4*left)...)
	}
	return b
}

// parseNPY is the inverse of appendNPY. Nothing is allocated before the header has been
// compared with the length of b.
func parseNPY[E number](b []byte) (shape []int, v []E, err error) {
	if len(b) < 12 || string(b[:6]) != npyMagic {
		return nil, nil, fmt.Errorf("%d bytes that are no array", len(b))
	}
	// The length of the header has 2 bytes in version 1 of the format, 4 in version 2.
	start, length := uint64(10), uint64(binary.LittleEndian.Uint16(b[8:]))
	if b[6] == 2 {
		start, length = 12, uint64(binary.LittleEndian.Uint32(b[8:]))
	}
	if b[6] != 1 && b[6] != 2 || start+length > uint64(len(b)) {
		return nil, nil, fmt.Errorf("array of format %d with a header of %d bytes in %d", b[6], length, len(b))
	}
	header, data := b[start:start+length], b[start+length:]
	f := npyHeader.FindSubmatch(header)
	if f == nil || string(f[1]) != typeName[E]() {
		return nil, nil, fmt.Errorf("array header %.100q; want one of type <%s in C order", header, typeName[E]())
	}
	n := 1
	for _, text := range f[2:] {
		if text == nil {
			continue
		}
		s, err := strconv.Atoi(string(text))
		if err != nil || s > 0 && n > len(data)/8/s {
			return nil, nil, fmt.Errorf("array header %.100q for %d bytes", header, len(data))
		}
		shape, n = append(shape, s), n*s
	}
	if len(data) != 8*n {
		return nil, nil, fmt.Errorf("array of shape %v in %d bytes", shape, len(data))
	}
	v = make([]E, n)
	for i := range v {
		v[i] = fromBits[E](binary.LittleEndian.Uint64(data[8*i:]))
	}
	return shape, v, nil
}
