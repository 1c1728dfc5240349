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

// The arrays of a model file are NPY files (numpy.lib.format) in C order. Their elements are
// float64, int64, float32 or uint8, little-endian.

// number is the element type of an array.
type number interface {
	float64 | int64 | float32 | uint8
}

const (
	npyMagic = "\x93NUMPY"
	// npyAlign is what the data of an array begin at a multiple of.
	npyAlign = 64
)

var npyHeader = regexp.MustCompile(`^\{'descr': '([<|][fiu][148])', 'fortran_order': False, 'shape': \((\d+),(?: ?(\d+))?\),? ?\} *\n$`)

// typeName returns the name of an element type in a header, and the bytes of an element.
func typeName[E number]() (name string, size int) {
	switch any(E(0)).(type) {
	case float64:
		return "<f8", 8
	case int64:
		return "<i8", 8
	case float32:
		return "<f4", 4
	}
	return "|u1", 1
}

// bits returns v as a float64 or int64, in bits.
func bits[E number](v E) uint64 {
	switch v := any(v).(type) {
	case float64:
		return math.Float64bits(v)
	case float32:
		return math.Float64bits(float64(v))
	}
	return uint64(int64(v))
}

// appendElement appends what an element is in a file.
func appendElement[E number](b []byte, v E) []byte {
	switch v := any(v).(type) {
	case float32:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	case uint8:
		return append(b, v)
	}
	return binary.LittleEndian.AppendUint64(b, bits(v))
}

// element returns the element that b begins with.
func element[E number](b []byte) E {
	var v E
	switch p := any(&v).(type) {
	case *float64:
		*p = math.Float64frombits(binary.LittleEndian.Uint64(b))
	case *int64:
		*p = int64(binary.LittleEndian.Uint64(b))
	case *float32:
		*p = math.Float32frombits(binary.LittleEndian.Uint32(b))
	case *uint8:
		*p = b[0]
	}
	return v
}

// appendNPY appends the file of an array of one or two dimensions.
func appendNPY[E number](b []byte, v []E, shape ...int) []byte {
	size := fmt.Sprintf("%d,", shape[0])
	if len(shape) == 2 {
		size += fmt.Sprintf(" %d", shape[1])
	}
	name, _ := typeName[E]()
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", name, size)
	start := len(npyMagic) + 4
	header += strings.Repeat(" ", npyAlign-1-(start+len(header))%npyAlign) + "\n"
	b = append(b, npyMagic+"\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	b = append(b, header...)
	for _, x := range v {
		b = appendElement(b, x)
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
	name, size := typeName[E]()
	f := npyHeader.FindSubmatch(header)
	if f == nil || string(f[1]) != name {
		return nil, nil, fmt.Errorf("array header %.100q; want one of type %s in C order", header, name)
	}
	n := 1
	for _, text := range f[2:] {
		if text == nil {
			continue
		}
		s, err := strconv.Atoi(string(text))
		if err != nil || s > 0 && n > len(data)/size/s {
			return nil, nil, fmt.Errorf("array header %.100q for %d bytes", header, len(data))
		}
		shape, n = append(shape, s), n*s
	}
	if len(data) != size*n {
		return nil, nil, fmt.Errorf("array of shape %v in %d bytes", shape, len(data))
	}
	v = make([]E, n)
	for i := range v {
		v[i] = element[E](data[size*i:])
	}
	return shape, v, nil
}
