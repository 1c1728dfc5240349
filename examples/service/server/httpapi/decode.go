package httpapi

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"

	"github.com/gomonge/monge/examples/service/server/budget"
	"github.com/gomonge/monge/examples/service/server/engine"
	"google.golang.org/grpc/codes"
)

// Media types. The binary types consist of little-endian IEEE 754 numbers in row-major order, like
// numpy's x.astype("<f4").tobytes().
const (
	typeJSON    = "application/json"
	typeFloat32 = "application/x-float32"
	typeFloat64 = "application/x-float64"
)

// numberBytes returns the size in bytes of a number in a binary media type, or 0 for other types.
func numberBytes(mediaType string) int {
	switch mediaType {
	case typeFloat32:
		return 4
	case typeFloat64:
		return 8
	}
	return 0
}

// decodeBinary sets x to the numbers in body. Each number has width bytes, and each row has the given
// number of columns.
func decodeBinary(ctx context.Context, x *engine.Matrix, body []byte, width, columns int) error {
	if len(body)%(width*columns) != 0 {
		return fmt.Errorf("%w: %d bytes cannot be split into rows of %d numbers of %d bytes", engine.ErrMalformed, len(body), columns, width)
	}
	if err := budget.Take(ctx, 8*int64(len(body)/width)); err != nil {
		return err
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

// appendNumber appends v to dst as a binary number of the given width in bytes.
func appendNumber(dst []byte, width int, v float64) []byte {
	if width == 4 {
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v)))
	}
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
}

// ignored is a type that accepts any JSON value. Decoding into a value of this type only checks the
// syntax and copies nothing.
type ignored struct{}

func (ignored) UnmarshalJSON([]byte) error { return nil }

// checkObject returns an error unless body is a JSON object.
func checkObject(body []byte) error {
	if err := json.Unmarshal(body, new(ignored)); err != nil {
		return fmt.Errorf("%w: %w", engine.ErrMalformed, err)
	}
	if first := trimLeft(body)[0]; first != '{' {
		return fmt.Errorf("%w: the body must be a JSON object, not %s", engine.ErrMalformed, kindOf(first))
	}
	return nil
}

// kindOf names the kind of the JSON value with the given first character.
func kindOf(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// cutValue splits text after its first JSON value. The text must be valid JSON, or a suffix of
// valid JSON that starts at a value.
func cutValue(text []byte) (value, rest []byte) {
	text = trimLeft(text)
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case depth == 0 && (c == ',' || c == ':' || c == '}' || c == ']'): // after a number or a literal
			return bytes.TrimRight(text[:i], space), text[i:]
		case c == '}' || c == ']':
			depth--
		}
		if depth == 0 && !inString && (text[i] == '"' || text[i] == '}' || text[i] == ']') {
			return text[:i+1], text[i+1:]
		}
	}
	return bytes.TrimRight(text, space), nil
}

// elements iterates over the indices and values of a JSON array. The text must be valid JSON.
func elements(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		rest := trimLeft(trimLeft(text)[1:])
		for i := 0; rest[0] != ']'; i++ {
			var value []byte
			value, rest = cutValue(rest)
			if !yield(i, value) {
				return
			}
			rest = afterComma(rest)
		}
	}
}

// members iterates over the keys and values of a JSON object. The text must be valid JSON.
func members(text []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		rest := trimLeft(trimLeft(text)[1:])
		for rest[0] != '}' {
			var key, value []byte
			key, rest = cutValue(rest)
			value, rest = cutValue(trimLeft(rest)[1:])
			if !yield(unquote(key), value) {
				return
			}
			rest = afterComma(rest)
		}
	}
}

// afterComma removes white space and a leading comma.
func afterComma(text []byte) []byte {
	return trimLeft(bytes.TrimPrefix(trimLeft(text), []byte{','}))
}

func countElements(text []byte) (n int) {
	for range elements(text) {
		n++
	}
	return n
}

func unquote(quoted []byte) (text string) {
	json.Unmarshal(quoted, &text) // valid JSON never fails
	return text
}

// decodeObject calls the function in fields for each member of the JSON object body. Every key of
// the object must be a key of fields with the exact spelling, and must occur at most once.
func decodeObject(body []byte, fields map[string]func(value []byte) error) error {
	if err := checkObject(body); err != nil {
		return err
	}
	seen := map[string]bool{}
	for key, value := range members(body) {
		set := fields[key]
		switch {
		case set == nil:
			return fmt.Errorf("%w: unknown field %s", engine.ErrMalformed, engine.Clip(key))
		case seen[key]:
			return fmt.Errorf("%w: the field %q occurs twice", engine.ErrMalformed, key)
		}
		seen[key] = true
		if err := set(value); err != nil {
			return malformedError(fmt.Errorf("%s: %w", key, err))
		}
	}
	return nil
}

// malformedError wraps err in engine.ErrMalformed unless err already has a code other than
// Internal.
func malformedError(err error) error {
	if err == nil || engine.Code(err) != codes.Internal {
		return err
	}
	return fmt.Errorf("%w: %w", engine.ErrMalformed, err)
}

// decodeValue returns a function that decodes a JSON value into v. The argument kind, such as "a
// number", is used in the error message.
func decodeValue(v any, kind string) func(value []byte) error {
	return func(value []byte) error {
		if got := kindOf(value[0]); got != kind {
			return fmt.Errorf("it must be %s, not %s", kind, got)
		}
		if json.Unmarshal(value, v) != nil {
			return errors.New("a number outside the range of float64")
		}
		return nil
	}
}

// decodeMatrix sets m to an array of rows of numbers. It refuses null, rows of different lengths,
// and more than limit rows.
func decodeMatrix(ctx context.Context, m *engine.Matrix, text []byte, limit int) error {
	if text[0] != '[' {
		return errors.New("a matrix is an array of rows")
	}
	if err := budget.Take(ctx, 8*int64(bytes.Count(text, []byte{','})+1)); err != nil {
		return err
	}
	m.Columns, m.Data = 0, m.Data[:0]
	for row, value := range elements(text) {
		if row == limit {
			return fmt.Errorf("%w: the request has more than the allowed %d rows", engine.ErrTooLarge, limit)
		}
		before := len(m.Data)
		var err error
		if m.Data, err = appendNumbers(ctx, m.Data, value); err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		columns := len(m.Data) - before
		if row == 0 {
			m.Columns = columns
		}
		if columns == 0 || columns != m.Columns {
			return fmt.Errorf("row %d has %d numbers, row 0 has %d", row, columns, m.Columns)
		}
	}
	if m.Columns == 0 {
		return errors.New("there are no rows")
	}
	return nil
}

// checkEvery is the number of values between two checks of the context.
const checkEvery = 4096

// appendNumbers appends the numbers of a JSON array. It stops when the context ends.
func appendNumbers(ctx context.Context, dst []float64, array []byte) ([]float64, error) {
	if array[0] != '[' {
		return dst, errors.New("expected an array of numbers")
	}
	list, _, _ := bytes.Cut(array[1:], []byte{']'})
	if dst == nil {
		dst = make([]float64, 0, bytes.Count(list, []byte{','})+1)
	}
	for i := 0; len(trimLeft(list)) > 0; i++ {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return dst, context.Cause(ctx)
		}
		var number []byte
		number, list, _ = bytes.Cut(list, []byte{','})
		v, err := strconv.ParseFloat(string(bytes.TrimSpace(number)), 64)
		if err != nil {
			if n := bytes.TrimSpace(number); len(n) > 0 && bytes.IndexByte([]byte(`"tfn`), n[0]) >= 0 {
				return dst, fmt.Errorf("element %d is not a number; rows with text, true, false or null need names of columns", i)
			}
			return dst, fmt.Errorf("element %d is not a number in the range of float64", i)
		}
		dst = append(dst, v)
	}
	return dst, nil
}

const space = " \t\r\n"

func trimLeft(text []byte) []byte { return bytes.TrimLeft(text, space) }

// appendMatrix appends m as an array of rows. It stops when the context ends.
func appendMatrix(ctx context.Context, dst []byte, m *engine.Matrix) ([]byte, error) {
	dst = append(dst, '[')
	for i := range m.Rows() {
		if ctx.Err() != nil {
			return dst, context.Cause(ctx)
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '[')
		for j, v := range m.Data[i*m.Columns:][:m.Columns] {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendFloat(dst, v, 'g', -1, 64)
		}
		dst = append(dst, ']')
	}
	return append(dst, ']'), nil
}
