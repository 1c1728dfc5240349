package httpapi

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/gomonge/monge/examples/service/server/engine"
)

// Media types. The binary types consist of little-endian IEEE 754 numbers, row after row, as
// numpy's x.astype("<f4").tobytes() makes them.
const (
	typeJSON    = "application/json"
	typeFloat32 = "application/x-float32"
	typeFloat64 = "application/x-float64"
)

// width returns the bytes of a number of a binary media type, and 0 for another type.
func width(mediaType string) int {
	switch mediaType {
	case typeFloat32:
		return 4
	case typeFloat64:
		return 8
	}
	return 0
}

// decodeBinary sets x to the numbers of body. Each has width bytes; a row has columns numbers.
func decodeBinary(x *engine.Matrix, body []byte, width, columns int) error {
	if len(body)%(width*columns) != 0 {
		return fmt.Errorf("%w: %d bytes cannot be split into rows of %d numbers of %d bytes", engine.ErrMalformed, len(body), columns, width)
	}
	x.Columns, x.Data = columns, x.Data[:0]
	for ; len(body) > 0; body = body[width:] {
		if width == 4 {
			x.Data = append(x.Data, float64(math.Float32frombits(binary.LittleEndian.Uint32(body))))
		} else {
			x.Data = append(x.Data, math.Float64frombits(binary.LittleEndian.Uint64(body)))
		}
	}
	return nil
}

// appendNumber appends v in width bytes.
func appendNumber(dst []byte, width int, v float64) []byte {
	if width == 4 {
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v)))
	}
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
}

// decodeJSON sets v to the one JSON value that body is.
func decodeJSON(v any, body []byte) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field == "" {
			return fmt.Errorf("%w: the body must be a JSON object, not %s", engine.ErrMalformed, e.Value)
		} else if ok {
			return fmt.Errorf("%w: %s cannot be %s", engine.ErrMalformed, e.Field, e.Value)
		}
		return fmt.Errorf("%w: %w", engine.ErrMalformed, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%w: more than one JSON value", engine.ErrMalformed)
	}
	return nil
}

// jsonMatrix is a matrix as JSON, an array of rows. It refuses null and rows of different
// lengths, which encoding/json accepts.
type jsonMatrix struct{ *engine.Matrix }

// UnmarshalJSON takes text that encoding/json has found to be one JSON value.
func (m jsonMatrix) UnmarshalJSON(text []byte) error {
	rest, ok := open(text)
	if !ok {
		return errors.New("a matrix is an array of rows")
	}
	m.Columns, m.Data = 0, m.Data[:0]
	if first := trimLeft(rest); first[0] == ']' {
		return errors.New("there are no rows")
	}
	for row := 0; ; row++ {
		before := len(m.Data)
		var err error
		if m.Data, rest, err = appendNumbers(m.Data, rest); err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		columns := len(m.Data) - before
		if row == 0 {
			m.Columns = columns
		}
		if columns == 0 || columns != m.Columns {
			return fmt.Errorf("row %d has %d numbers, row 0 has %d", row, columns, m.Columns)
		}
		if rest = trimLeft(rest); rest[0] == ']' {
			return nil
		}
		rest = rest[1:] // a comma
	}
}

// jsonVector is an array of numbers, none of them null.
type jsonVector []float64

// UnmarshalJSON takes text that encoding/json has found to be one JSON value.
func (v *jsonVector) UnmarshalJSON(text []byte) (err error) {
	*v, _, err = appendNumbers(nil, text)
	return err
}

// appendNumbers appends the numbers of the array that text, which is JSON, begins with, and
// returns what follows it.
func appendNumbers(dst []float64, text []byte) ([]float64, []byte, error) {
	list, ok := open(text)
	if !ok {
		return dst, nil, errors.New("expected an array of numbers")
	}
	list, rest, _ := bytes.Cut(list, []byte{']'})
	for i := 0; len(trimLeft(list)) > 0; i++ {
		var number []byte
		number, list, _ = bytes.Cut(list, []byte{','})
		v, err := strconv.ParseFloat(string(bytes.TrimSpace(number)), 64)
		if err != nil {
			if n := bytes.TrimSpace(number); len(n) > 0 && bytes.IndexByte([]byte(`"tfn`), n[0]) >= 0 {
				return dst, nil, fmt.Errorf("element %d is not a number; rows with text, true, false or null need names of columns", i)
			}
			return dst, nil, fmt.Errorf("element %d is not a number in the range of float64", i)
		}
		dst = append(dst, v)
	}
	return dst, rest, nil
}

// open returns what follows the bracket that an array begins with.
func open(text []byte) ([]byte, bool) {
	text = trimLeft(text)
	if len(text) == 0 || text[0] != '[' {
		return nil, false
	}
	return text[1:], true
}

func trimLeft(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }

// MarshalJSON writes an array of rows.
func (m jsonMatrix) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i := range m.Rows() {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, '[')
		for j, v := range m.Data[i*m.Columns:][:m.Columns] {
			if j > 0 {
				out = append(out, ',')
			}
			out = strconv.AppendFloat(out, v, 'g', -1, 64)
		}
		out = append(out, ']')
	}
	return append(out, ']'), nil
}
