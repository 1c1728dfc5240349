package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// openNPY reads the header.
func openNPY(s *stream) (*array, error) {
	head, err := s.r.Peek(8)
	if len(head) == 0 && err == io.EOF {
		return nil, because(errEmpty, "the file is empty")
	}
	const magic = "\x93NUMPY"
	if !strings.HasPrefix(magic, string(head[:min(6, len(head))])) {
		return nil, because(ErrFormat, "not an NPY file: wrong magic number")
	}
	begin, length := 10, 0
	if head, err = s.r.Peek(12); err == nil {
		switch head[6] {
		case 1:
			length = int(binary.LittleEndian.Uint16(head[8:]))
		case 2:
			begin, length = 12, int(min(binary.LittleEndian.Uint32(head[8:]), streamBuffer))
		default:
			return nil, because(ErrFormat, fmt.Sprintf("NPY version %d is not supported", head[6]))
		}
		if begin+length > streamBuffer {
			return nil, because(ErrFormat, "damaged NPY header: absurd length")
		}
		head, err = s.r.Peek(begin + length)
	}
	if err == io.EOF {
		return nil, because(errTruncated, "the NPY header is cut short")
	} else if err != nil {
		return nil, err
	}
	a := &array{s: s, place: s.place}
	a.place.begin += int64(begin + length)
	if err := a.parseHeader(string(head[begin:])); err != nil {
		return nil, err
	}
	s.r.Discard(begin + length)
	return a, nil
}

// The header is a Python dictionary. NumPy evaluates it, so that its spaces, quotes,
// order and last comma may be as anyone likes.
var (
	npyDict  = regexp.MustCompile(`^\s*\{((?s).*)\}\s*\n$`)
	npyEntry = regexp.MustCompile(`^\s*(?:'(\w+)'|"(\w+)")\s*:\s*('[^']*'|"[^"]*"|True|False|\([^()]*\))\s*(?:,|$)`)
	npyInt   = regexp.MustCompile(`^\s*(-?\d+)[lL]?\s*$`)
)

// parseHeader reads the header after its length.
func (a *array) parseHeader(text string) error {
	damaged := func(what string) error { return because(ErrFormat, "damaged NPY header: "+what) }
	dict := npyDict.FindStringSubmatch(text)
	if dict == nil {
		return damaged("no dictionary on a line")
	}
	entries := map[string]string{}
	for rest := dict[1]; strings.TrimSpace(rest) != ""; {
		m := npyEntry.FindStringSubmatch(rest)
		if m == nil {
			return damaged(clip(strings.TrimSpace(rest)))
		}
		name := m[1] + m[2]
		if entries[name] != "" {
			return damaged(name + " is there twice")
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
		a.fortran = true
	case "False":
	default:
		return damaged("fortran_order is neither True nor False")
	}
	list := entries["shape"]
	if list[0] != '(' {
		return damaged("shape is no tuple")
	}
	list = strings.TrimSpace(list[1 : len(list)-1])
	shape := []int{}
	if list != "" {
		for n := range strings.SplitSeq(strings.TrimSuffix(list, ","), ",") {
			m := npyInt.FindStringSubmatch(n)
			if m == nil {
				return damaged("shape " + clip(list))
			}
			v, err := strconv.Atoi(m[1])
			if err != nil {
				return because(ErrTooLarge, "a dimension of "+clip(m[1]))
			}
			shape = append(shape, v)
		}
	}
	if err := a.setShape(shape); err != nil {
		return err
	}
	descr := entries["descr"]
	if descr[0] != '\'' && descr[0] != '"' {
		return damaged("descr is no string")
	}
	return a.setType(descr[1 : len(descr)-1])
}

// setType understands NumPy's names of the types that we can read.
func (a *array) setType(descr string) error {
	unsupported := because(errType, "elements of type "+clip(descr)+" are not supported")
	if descr == "|O" {
		unsupported = because(errType, "Python objects are not supported: store numbers or texts, such as those of x.astype(str)")
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
