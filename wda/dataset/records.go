package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	// maxRecord bounds the bytes of one CSV record, which is held whole: an open quote
	// makes a record of the rest of the file.
	maxRecord = 32 << 20
	// maxFields bounds the fields of one: a file of commas alone has one a byte.
	maxFields = 1 << 20
)

// table reads records and knows their lines.
type table struct {
	r       *bufio.Reader
	comma   []byte // nil for any number of blanks and tabs
	comment []byte // begins lines to leave out; nil for none
	most    int    // bytes of a record
	line    int    // of the record last returned
	lines   int    // read so far
	long    []byte // a record longer than the buffer of r
	fields  [][]byte
	quotes  quotes

	quoteMarks int // in the record that divide has divided last
}

// jsonArray matches the beginning of an array of objects.
var jsonArray = regexp.MustCompile(`^\s*\[\s*\{`)

func newTable(r *bufio.Reader, comma, comment rune) (*table, error) {
	t := &table{r: r, most: maxRecord}
	head, err := r.Peek(sniffed)
	switch {
	case isUTF16(head):
		return nil, because(ErrFormat, "the text is UTF-16; save it as UTF-8")
	case bytes.IndexByte(head, 0) >= 0:
		return nil, because(ErrFormat, "the text has zero bytes: it is UTF-16, or no text at all")
	case jsonArray.Match(head):
		return nil, because(ErrFormat, "the file is one JSON array; write JSON lines: one object on each line, without brackets around them and commas between them")
	case len(head) == 0 && err != io.EOF:
		return nil, err
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		r.Discard(3)
	}
	if comma == 0 {
		comma = ','
	}
	if comma != ' ' {
		t.comma = utf8.AppendRune(nil, comma)
	}
	if comment != 0 {
		t.comment = utf8.AppendRune(nil, comment)
	}
	t.quotes.reader(comma)
	return t, nil
}

// next returns the next record that is not blank; it is valid until the call
// after.
func (t *table) next() ([][]byte, error) {
	text, err := t.text()
	if err != nil {
		return nil, err
	}
	return t.divide(text)
}

// text returns the line that the next record begins with.
func (t *table) text() ([]byte, error) {
	for {
		text, err := t.readLine()
		if err != nil {
			return nil, err
		}
		t.line = t.lines
		blank := bytes.TrimSpace(text)
		if len(blank) == 0 || t.comment != nil && bytes.HasPrefix(blank, t.comment) {
			continue
		}
		return text, nil
	}
}

// divide returns the fields of the record that begins with text.
func (t *table) divide(text []byte) ([][]byte, error) {
	t.quoteMarks = 0
	if t.comma != nil && bytes.IndexByte(text, '"') >= 0 {
		return t.quoted(text)
	}
	return t.cut(text)
}

// readLine returns the next line without its end, or io.EOF.
func (t *table) readLine() ([]byte, error) {
	text, err := t.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		t.long = append(t.long[:0], text...)
		commas := 0
		for err == bufio.ErrBufferFull {
			if len(t.long) > t.most {
				return nil, t.tooLong()
			}
			if commas += bytes.Count(text, t.comma); t.comma != nil && commas >= maxFields {
				return nil, tooManyFields(t.lines + 1)
			}
			text, err = t.r.ReadSlice('\n')
			t.long = append(t.long, text...)
		}
		text = t.long
	}
	if err != nil && (err != io.EOF || len(text) == 0) {
		return nil, err
	}
	t.lines++
	text = bytes.TrimSuffix(text, []byte("\n"))
	return bytes.TrimSuffix(text, []byte("\r")), nil
}

func (t *table) tooLong() error {
	return &FileError{Row: t.lines + 1, Err: because(ErrTooLarge, fmt.Sprintf("a record of more than %d bytes; is a quote open?", t.most))}
}

func tooManyFields(line int) error {
	return &FileError{Row: line, Err: because(ErrTooLarge, fmt.Sprintf("a record of more than %d fields", maxFields))}
}

// cut divides a record without quotes.
func (t *table) cut(text []byte) ([][]byte, error) {
	t.fields = t.fields[:0]
	for {
		var field []byte
		more := true
		if t.comma != nil {
			field, text, more = bytes.Cut(text, t.comma)
		} else {
			const blanks = " \t"
			text = bytes.TrimLeft(text, blanks)
			end := bytes.IndexAny(text, blanks)
			if end < 0 {
				end = len(text)
			}
			field, text = text[:end], bytes.TrimLeft(text[end:], blanks)
			more = len(text) > 0
		}
		if len(t.fields) == maxFields {
			return nil, tooManyFields(t.line)
		}
		t.fields = append(t.fields, field)
		if !more {
			return t.fields, nil
		}
	}
}

// quoted has encoding/csv divide a record with quotes, which may go on in the next
// lines: up to the one that closes the last of them.
func (t *table) quoted(text []byte) ([][]byte, error) {
	q := &t.quotes
	q.text = append(append(q.text[:0], text...), '\n')
	odd := func(text []byte) bool { return bytes.Count(text, []byte{'"'})%2 == 1 }
	for open := odd(text); open; open = open != odd(text) {
		var err error
		if text, err = t.readLine(); err == io.EOF {
			break // which encoding/csv will find
		} else if err != nil {
			return nil, err
		}
		if q.text = append(append(q.text, text...), '\n'); len(q.text) > t.most {
			return nil, t.tooLong()
		}
	}
	if bytes.Count(q.text, t.comma) >= maxFields {
		return nil, tooManyFields(t.line)
	}
	t.quoteMarks = bytes.Count(q.text, []byte{'"'})
	fields, err := q.csv.Read()
	if pe, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, &FileError{Row: t.line + pe.Line - pe.StartLine, Err: because(ErrFormat, pe.Err.Error())}
	} else if err != nil {
		return nil, err
	}
	t.fields = t.fields[:0]
	for _, f := range fields {
		t.fields = append(t.fields, []byte(f))
	}
	return t.fields, nil
}

// quotes feeds encoding/csv one record at a time.
type quotes struct {
	csv  *csv.Reader
	text []byte
}

func (q *quotes) reader(comma rune) {
	q.csv = csv.NewReader(q)
	q.csv.Comma = comma
	q.csv.ReuseRecord = true
	q.csv.FieldsPerRecord = -1
	q.csv.TrimLeadingSpace = comma != '\t' // or empty fields between tabs vanish
}

func (q *quotes) Read(p []byte) (int, error) {
	if len(q.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p, q.text)
	q.text = q.text[n:]
	return n, nil
}

// copy returns a copy of the next record.
func (t *table) copy() record {
	fields, err := t.next()
	r := record{line: t.line, err: err}
	for _, f := range fields {
		r.fields = append(r.fields, bytes.Clone(f))
	}
	r.quotes = t.quoteMarks
	return r
}

// hintAt is hint for the first field of the first record.
func (t *table) hintAt(first record) error {
	if err := t.hint(first.fields[0], false); err != nil {
		return &FileError{Row: first.line, Err: err}
	}
	return nil
}

// lastEmpty is the error of a last field that is empty in the first rows.
func (t *table) lastEmpty() error {
	return &cause{errLastEmpty, fmt.Sprintf("the last column is empty: do all lines end with %q?", t.separator()), "-1"}
}

// hint returns an error if a field that cannot be what is expected is, by its looks, a
// comment, or several fields separated by something else. numbers asks that they be numbers.
func (t *table) hint(field []byte, numbers bool) error {
	field = bytes.TrimSpace(field)
	if t.comment == nil && (bytes.HasPrefix(field, []byte("#")) || bytes.HasPrefix(field, []byte("%"))) {
		return because(errComment, fmt.Sprintf("the line begins with %q, as a comment does", field[:1]))
	}
	return t.otherwise(field, numbers)
}

// otherwise returns an error if a field looks like several that are separated by something else.
func (t *table) otherwise(field []byte, numbers bool) error {
	for _, other := range []string{";", "\t", "|", ",", " "} {
		if string(t.comma) == other || t.comma == nil && other == " " {
			continue
		}
		parts := strings.FieldsFunc(string(field[:min(len(field), 1000)]), func(r rune) bool { return string(r) == other })
		if len(parts) < 2 {
			continue
		}
		_, first := number([]byte(strings.TrimSpace(parts[0])))
		_, second := number([]byte(strings.TrimSpace(parts[1])))
		if !numbers && other != " " || first == nil && second == nil {
			return &cause{errDelimiter, fmt.Sprintf("%s looks like fields separated by %q, not %q", clip(string(field)), other, t.separator()), other}
		}
	}
	return nil
}

func (t *table) separator() string {
	if t.comma == nil {
		return " "
	}
	return string(t.comma)
}
