package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gomonge/monge/internal/tabular"
)

const (
	// jsonLookahead is the number of rows that are read before the first batch to determine the
	// columns.
	jsonLookahead = 100
	// jsonBatch is the largest number of rows in memory at a time.
	jsonBatch = 1024
	// maxJSONLine is the largest length of a line.
	maxJSONLine = 64 << 20
)

// jsonTable is a file of JSON lines: one object for each row. The keys of the objects are the
// column names. A missing key is null.
type jsonTable struct {
	r      *bufio.Reader
	check  func(bytes int64) error
	fields []tabular.Field
	index  map[string]int
	widths []int
	nulls  []bool // the columns that may have nulls
	ahead  [][]any
	ended  error   // error of the last call of readRow; io.EOF at the end of the file
	rows   [][]any // rows of the batch; elements are nil, bool, json.Number, string, []any or map[string]any
}

func isJSONLines(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t"), []byte("{"))
}

func (r *Reader) openJSONLines(src *source) error {
	return r.openTableBy(src, func() (tabular.Table, error) { return newJSONTable(src.r, src.checkExpansion) })
}

func newJSONTable(r *bufio.Reader, check func(bytes int64) error) (*jsonTable, error) {
	t := &jsonTable{r: r, check: check, index: map[string]int{}}
	if mark, _ := r.Peek(3); string(mark) == "\ufeff" {
		r.Discard(len(mark))
	}
	for len(t.ahead) < jsonLookahead && t.ended == nil {
		var row []any
		if row, t.ended = t.readRow(true); t.ended == nil {
			t.ahead = append(t.ahead, row)
		}
	}
	switch {
	case len(t.ahead) > 0:
	case t.ended == io.EOF:
		return nil, newCause(errEmpty, "the file is empty")
	default:
		return nil, &FileError{Row: 1, Err: t.ended}
	}
	for at := range t.fields {
		t.describeColumn(at)
	}
	t.nulls = make([]bool, len(t.fields))
	return t, nil
}

// describeColumn determines the type of a column from the rows of the lookahead.
func (t *jsonTable) describeColumn(at int) {
	var numbers, bools, texts, lists, others int
	for _, row := range t.ahead {
		switch v := cellAt(row, at).(type) {
		case nil:
		case json.Number:
			numbers++
		case bool:
			bools++
		case string:
			texts++
		case []any:
			if lists++; lists == 1 {
				t.widths[at] = len(v)
			}
			for _, e := range v {
				switch e.(type) {
				case nil, json.Number, bool:
				default:
					others++
				}
			}
		default:
			others++
		}
	}
	f := &t.fields[at]
	switch scalars := numbers + bools + texts; {
	case others > 0 || lists > 0 && scalars > 0:
		f.Kind = "objects"
	case lists > 0:
		f.Kind, f.List, f.Number = "lists", true, true
	case texts > 0:
		f.Kind, f.Text = "text", true
	case bools > 0 && numbers == 0:
		f.Kind, f.Number, f.Text = "boolean", true, true
	default:
		f.Kind, f.Number, f.Text = "numbers", true, true
	}
}

// cellAt returns an element of a row. It returns nil if the row is too short, because the row was
// read before the column was known.
func cellAt(row []any, at int) any {
	if at < len(row) {
		return row[at]
	}
	return nil
}

// readRow reads the next object. If grow is true, a new key adds a column.
func (t *jsonTable) readRow(grow bool) ([]any, error) {
	line, err := t.readLine()
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, newCause(ErrFormat, "the line is not a JSON object")
	}
	row := make([]any, len(t.fields))
	seen := make([]bool, len(t.fields))
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, notJSON(err)
		}
		name := key.(string)
		at, known := t.index[name]
		switch {
		case !known && !grow:
			return nil, newCause(ErrFormat, fmt.Sprintf("the key %s is not in the first %d lines", clip(name), jsonLookahead))
		case !known:
			at = len(t.fields)
			t.index[name] = at
			t.fields, t.widths = append(t.fields, tabular.Field{Name: name}), append(t.widths, 1)
			row, seen = append(row, nil), append(seen, false)
		case seen[at]:
			return nil, newCause(ErrFormat, fmt.Sprintf("the key %s occurs twice", clip(name)))
		}
		if seen[at] = true; d.Decode(&row[at]) != nil {
			return nil, newCause(ErrFormat, fmt.Sprintf("the value of %s is not JSON; write a missing value as null", clip(name)))
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, newCause(ErrFormat, "more than one JSON value in a line")
	}
	return row, nil
}

func notJSON(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return newCause(ErrFormat, "the object has no end in its line")
	}
	return newCause(ErrFormat, "the line is not JSON: "+err.Error())
}

// readLine returns the next line, or io.EOF. It skips empty lines at the end of the file; any other
// empty line is an error.
func (t *jsonTable) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := t.r.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxJSONLine {
			return nil, newCause(ErrTooLarge, fmt.Sprintf("a line of more than %d bytes", maxJSONLine))
		}
		if err == bufio.ErrBufferFull {
			if err := t.check(int64(len(line))); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		empty := len(bytes.TrimSpace(line)) == 0
		switch {
		case empty && err == io.EOF:
			return nil, io.EOF
		case empty:
			if rest, err := t.r.Peek(1); err == nil && !bytes.ContainsAny(rest, "\r\n") {
				return nil, newCause(ErrFormat, "an empty line")
			}
			line = line[:0]
			continue
		}
		if !utf8.Valid(line) { // the decoder replaces invalid bytes, so different names could become equal
			return nil, newCause(ErrFormat, "the line is not UTF-8; save the file as UTF-8")
		}
		return line, nil
	}
}

func (t *jsonTable) Fields() []tabular.Field { return t.fields }

func (t *jsonTable) Rows() int { return -1 }

func (t *jsonTable) Width(column int) (int, error) { return t.widths[column], nil }

func (t *jsonTable) Use([]tabular.Feature) {}

func (t *jsonTable) AllowNulls(column int) { t.nulls[column] = true }

func (t *jsonTable) Close() error { return nil }

func (t *jsonTable) Batch(most int) (int, error) {
	if len(t.ahead) > 0 {
		n := min(most, len(t.ahead))
		t.rows, t.ahead = t.ahead[:n], t.ahead[n:]
		return n, nil
	}
	t.rows = t.rows[:0:0]
	for len(t.rows) < min(most, jsonBatch) && t.ended == nil {
		row, err := t.readRow(false)
		if t.ended = err; err == nil {
			t.rows = append(t.rows, row)
		}
	}
	switch {
	case len(t.rows) > 0:
		return len(t.rows), nil
	case t.ended == io.EOF:
		return 0, io.EOF
	}
	return 0, &FileError{Row: 1, Err: t.ended}
}

func (t *jsonTable) Floats(column int, dst []float64, width, stride int) error {
	for i, row := range t.rows {
		v, list := cellAt(row, column), t.fields[column].List
		elements, isList := v.([]any)
		if v != nil && list != isList {
			return &FileError{Row: i + 1, Err: newCause(errNotNumber, fmt.Sprintf("%s, where the first rows have %s", kindName(v), t.fields[column].Kind))}
		}
		if isList && len(elements) != width {
			return &FileError{Row: i + 1, Err: newCause(ErrFormat, fmt.Sprintf("a list of %d elements where the first has %d", len(elements), width))}
		}
		for k := range width {
			if isList {
				v = elements[k]
			}
			x, err := t.parseNumber(v, column)
			if err != nil {
				return &FileError{Row: i + 1, Err: err}
			}
			dst[i*stride+k] = x
		}
	}
	return nil
}

func (t *jsonTable) parseNumber(v any, column int) (float64, error) {
	switch v := v.(type) {
	case nil:
		if !t.nulls[column] {
			return 0, newCause(errMissing, "null")
		}
		return math.NaN(), nil
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case json.Number:
		x, err := v.Float64()
		if err != nil { // the number overflows float64
			return 0, newCause(ErrNotFinite, clip(string(v)))
		}
		return x, nil
	}
	return 0, newCause(errNotNumber, kindName(v)+" is not a number")
}

func kindName(v any) string {
	switch v := v.(type) {
	case string:
		return clip(v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "a value"
}

func (t *jsonTable) Texts(column int, use func(text []byte)) error {
	for i, row := range t.rows {
		switch v := cellAt(row, column).(type) {
		case nil:
			if !t.nulls[column] {
				return &FileError{Row: i + 1, Err: newCause(ErrLabels, "null")}
			}
			use(nil)
		case string:
			use([]byte(v))
		case bool:
			use([]byte(strconv.FormatBool(v)))
		case json.Number:
			use(shortestNumber(v))
		default:
			return &FileError{Row: i + 1, Err: newCause(ErrFormat, kindName(v)+" is neither text nor a number")}
		}
	}
	return nil
}

// shortestNumber formats a number like an element of a float64 array: 1.0 and 1e0 become 1.
// Integers of any size are unchanged.
func shortestNumber(v json.Number) []byte {
	x, err := v.Float64()
	if err != nil || !strings.ContainsAny(string(v), ".eE") && v != "-0" {
		return []byte(v)
	}
	return tabular.AppendNumber(nil, x)
}

var _ tabular.Table = (*jsonTable)(nil)
