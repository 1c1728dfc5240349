// Package npy reads and writes arrays in NumPy's format (numpy.lib.format).
package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Number is the element type of an array.
type Number interface {
	float64 | int64 | float32 | uint8
}

const (
	// Magic is the beginning of a file.
	Magic = "\x93NUMPY"
	// PrefixSize is the number of bytes that Prefix reads.
	PrefixSize = 12
	// The file offset of the first element is a multiple of alignment.
	alignment = 64
)

// ErrTooLarge means that a dimension does not fit in an int of this machine.
var ErrTooLarge = errors.New("a dimension is too large for this machine")

// Header describes an array.
type Header struct {
	Type    string // element type, such as "<f8"
	Fortran bool   // the first index varies fastest
	Shape   []int
}

// Prefix returns the offset and the length of the header text in a file that begins with the bytes
// head. There must be at least PrefixSize bytes.
func Prefix(head []byte) (begin, length int, err error) {
	switch head[6] {
	case 1:
		return 10, int(binary.LittleEndian.Uint16(head[8:])), nil
	case 2:
		return 12, int(min(binary.LittleEndian.Uint32(head[8:]), 1<<30)), nil
	}
	return 0, 0, fmt.Errorf("NPY version %d is not supported", head[6])
}

// The header is a Python dictionary that NumPy evaluates, so spaces, quotes, order and the last
// comma may vary.
var (
	dictionary = regexp.MustCompile(`^\s*\{((?s).*)\}\s*\n$`)
	entry      = regexp.MustCompile(`^\s*(?:'(\w+)'|"(\w+)")\s*:\s*('[^']*'|"[^"]*"|True|False|\([^()]*\))\s*(?:,|$)`)
	structured = regexp.MustCompile(`^\s*['"]descr['"]\s*:\s*\[`)
	integer    = regexp.MustCompile(`^\s*(-?\d+)[lL]?\s*$`)
)

// ParseHeader parses the text of a header. It returns ErrTooLarge if a dimension is too large.
func ParseHeader(text string) (h Header, err error) {
	damaged := func(what string) (Header, error) { return Header{}, errors.New("damaged NPY header: " + what) }
	dict := dictionary.FindStringSubmatch(text)
	if dict == nil {
		return damaged("no dictionary on a line")
	}
	entries := map[string]string{}
	for rest := dict[1]; strings.TrimSpace(rest) != ""; {
		m := entry.FindStringSubmatch(rest)
		if m == nil && structured.MatchString(rest) {
			return Header{}, errors.New("structured arrays are not supported: save the fields as columns of one array, or as several arrays")
		} else if m == nil {
			return damaged(fmt.Sprintf("%.40q", strings.TrimSpace(rest)))
		}
		name := m[1] + m[2]
		if entries[name] != "" {
			return damaged(name + " occurs twice")
		}
		entries[name] = m[3]
		rest = rest[len(m[0]):]
	}
	for _, name := range []string{"descr", "fortran_order", "shape"} {
		if entries[name] == "" {
			return damaged("no " + name)
		}
	}
	if len(entries) > 3 {
		return damaged("more entries than descr, fortran_order and shape")
	}
	switch entries["fortran_order"] {
	case "True":
		h.Fortran = true
	case "False":
	default:
		return damaged("fortran_order is neither True nor False")
	}
	list := entries["shape"]
	if list[0] != '(' {
		return damaged("shape is not a tuple")
	}
	list = strings.TrimSpace(list[1 : len(list)-1])
	h.Shape = []int{}
	if list != "" {
		for n := range strings.SplitSeq(strings.TrimSuffix(list, ","), ",") {
			m := integer.FindStringSubmatch(n)
			if m == nil {
				return damaged(fmt.Sprintf("shape %.40q", list))
			}
			v, err := strconv.Atoi(m[1])
			if err != nil {
				return Header{}, ErrTooLarge
			}
			h.Shape = append(h.Shape, v)
		}
	}
	h.Type = entries["descr"]
	if h.Type[0] != '\'' && h.Type[0] != '"' {
		return damaged("descr is not a string")
	}
	h.Type = h.Type[1 : len(h.Type)-1]
	return h, nil
}

// typeName returns the name of an element type in a header and its size in bytes.
func typeName[E Number]() (name string, size int) {
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

// Bits converts v to float64 or int64 and returns the bits of the result.
func Bits[E Number](v E) uint64 {
	switch v := any(v).(type) {
	case float64:
		return math.Float64bits(v)
	case float32:
		return math.Float64bits(float64(v))
	}
	return uint64(int64(v))
}

// appendElement appends the bytes of v as stored in a file.
func appendElement[E Number](b []byte, v E) []byte {
	switch v := any(v).(type) {
	case float32:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	case uint8:
		return append(b, v)
	}
	return binary.LittleEndian.AppendUint64(b, Bits(v))
}

// element decodes the first element of b.
func element[E Number](b []byte) E {
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

// AppendHeader appends the beginning of a file with an array of one or two dimensions in C order.
// All headers of matrices have the same length.
func AppendHeader(b []byte, elementType string, shape ...int) []byte {
	size := fmt.Sprintf("%d,", shape[0])
	if len(shape) == 2 {
		size += fmt.Sprintf(" %d", shape[1])
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", elementType, size)
	text += strings.Repeat(" ", alignment-1-(10+len(text))%alignment) + "\n"
	b = append(b, Magic+"\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}

// Append appends to b the bytes of an NPY file that contains the elements v as an array of the given
// shape, with one or two dimensions.
func Append[E Number](b []byte, v []E, shape ...int) []byte {
	name, _ := typeName[E]()
	b = AppendHeader(b, name, shape...)
	for _, x := range v {
		b = appendElement(b, x)
	}
	return b
}

// AppendTexts appends texts as an array of NumPy's Unicode strings. Each string takes the space of
// the longest string. AppendTexts returns nil if there are no texts or if the array is larger than
// 64 MiB.
func AppendTexts(b []byte, texts []string) []byte {
	const most = 64 << 20
	longest := 1
	for _, t := range texts {
		longest = max(longest, utf8.RuneCountInString(t))
	}
	if len(texts) == 0 || 4*longest > most/len(texts) {
		return nil
	}
	b = AppendHeader(b, fmt.Sprintf("<U%d", longest), len(texts))
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

// Parse parses a file written by Append. It compares the header with len(b) before it allocates.
func Parse[E Number](b []byte) (shape []int, v []E, err error) {
	if len(b) < PrefixSize || string(b[:6]) != Magic {
		return nil, nil, fmt.Errorf("%d bytes are not an NPY array", len(b))
	}
	begin, length, err := Prefix(b)
	if err != nil {
		return nil, nil, err
	}
	if length > len(b)-begin {
		return nil, nil, fmt.Errorf("a header of %d bytes in an array of %d bytes", length, len(b))
	}
	h, err := ParseHeader(string(b[begin:][:length]))
	if err != nil {
		return nil, nil, err
	}
	name, size := typeName[E]()
	if h.Type != name || h.Fortran || len(h.Shape) < 1 || len(h.Shape) > 2 {
		return nil, nil, fmt.Errorf("array header %.100q, want type %s in C order", b[begin:][:length], name)
	}
	data, n := b[begin+length:], 1
	for _, s := range h.Shape {
		if s < 0 || s > 0 && n > len(data)/size/s {
			return nil, nil, fmt.Errorf("shape %v does not match %d bytes of data", h.Shape, len(data))
		}
		n *= s
	}
	if len(data) != size*n {
		return nil, nil, fmt.Errorf("shape %v does not match %d bytes of data", h.Shape, len(data))
	}
	v = make([]E, n)
	for i := range v {
		v[i] = element[E](data[size*i:])
	}
	return h.Shape, v, nil
}
