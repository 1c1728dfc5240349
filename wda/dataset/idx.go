package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
)

// idxElem returns the big-endian type of an IDX code, and whether the code is known.
func idxElem(code byte) (e elem, ok bool) {
	e, ok = map[byte]elem{
		0x08: {'u', 1, true}, 0x09: {'i', 1, true}, 0x0b: {'i', 2, true}, 0x0c: {'i', 4, true}, 0x0d: {'f', 4, true}, 0x0e: {'f', 8, true},
	}[code]
	return e, ok
}

// openIDX reads the header.
func openIDX(s *stream) (*array, error) {
	var magic [4]byte
	n, err := io.ReadFull(s.r, magic[:])
	e, known := idxElem(magic[2])
	switch {
	case err == io.EOF:
		return nil, newCause(errEmpty, "the file is empty")
	case err != nil && err != io.ErrUnexpectedEOF:
		return nil, err
	case magic[0] != 0 || magic[1] != 0:
		return nil, newCause(ErrFormat, "not an IDX file: wrong magic number")
	case n < 4:
		return nil, newCause(errTruncated, "the IDX header is cut short")
	case !known:
		return nil, newCause(errType, fmt.Sprintf("IDX elements of type %#02x are not supported", magic[2]))
	case magic[3] == 0:
		return nil, newCause(errShape, "an IDX file without dimensions")
	}
	shape := make([]int, magic[3])
	for k := range shape {
		var b [4]byte
		if _, err := s.Read(b[:]); err != nil {
			return nil, err
		}
		v := binary.BigEndian.Uint32(b[:])
		if uint64(v) > uint64(maxInt) {
			return nil, newCause(ErrTooLarge, fmt.Sprintf("a dimension of %d", v))
		}
		shape[k] = int(v)
	}
	a := &array{stream: s, elem: e, place: s.place}
	a.place.begin += int64(4 + 4*len(shape))
	if err := a.setShape(shape); err != nil {
		return nil, err
	}
	return a, nil
}
