package dataset

import (
	"io"
	"strconv"
	"strings"

	"github.com/gomonge/monge/internal/npy"
)

// openNPY reads the header.
func openNPY(s *stream) (*array, error) {
	head, err := s.r.Peek(8)
	if len(head) == 0 && err == io.EOF {
		return nil, newCause(errEmpty, "the file is empty")
	}
	if !strings.HasPrefix(npy.Magic, string(head[:min(6, len(head))])) {
		return nil, newCause(ErrFormat, "not an NPY file: wrong magic number")
	}
	begin, length := 0, 0
	if head, err = s.r.Peek(npy.PrefixSize); err == nil {
		if begin, length, err = npy.Prefix(head); err != nil {
			return nil, newCause(ErrFormat, err.Error())
		}
		if begin+length > streamBuffer {
			return nil, newCause(ErrFormat, "damaged NPY header: absurd length")
		}
		head, err = s.r.Peek(begin + length)
	}
	if err == io.EOF {
		return nil, newCause(errTruncated, "the NPY header is cut short")
	} else if err != nil {
		return nil, err
	}
	a := &array{stream: s, place: s.place}
	a.place.begin += int64(begin + length)
	header, err := npy.ParseHeader(string(head[begin:]))
	if err == npy.ErrTooLarge {
		return nil, newCause(ErrTooLarge, err.Error())
	} else if err != nil {
		return nil, newCause(ErrFormat, err.Error())
	}
	a.fortran = header.Fortran
	if err := a.setShape(header.Shape); err != nil {
		return nil, err
	}
	if err := a.setType(header.Type); err != nil {
		return nil, err
	}
	s.r.Discard(begin + length)
	return a, nil
}

// setType parses NumPy's name of an element type.
func (a *array) setType(descr string) error {
	unsupported := newCause(errType, "elements of type "+clip(descr)+" are not supported")
	if descr == "|O" {
		unsupported = newCause(errType, "Python objects are not supported: store numbers or texts, such as those of x.astype(str)")
	}
	name := descr
	if name != "" && strings.ContainsRune("<>|=", rune(name[0])) {
		a.elem.big = name[0] == '>'
		name = name[1:]
	}
	switch name {
	case "b1", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8":
		a.elem.kind, a.elem.size = name[0], int(name[1]-'0')
		return nil
	}
	if len(name) < 2 || name[0] != 'U' && name[0] != 'S' {
		return unsupported
	}
	const longest = 1 << 14 // characters
	n, err := strconv.Atoi(name[1:])
	if err != nil || n < 1 || n > longest {
		return unsupported
	}
	a.elem.kind, a.elem.size = name[0], n
	if a.elem.kind == 'U' {
		a.elem.size *= 4 // UCS-4
	}
	return nil
}
