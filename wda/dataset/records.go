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
	// maxRecord is the largest size of a CSV record in bytes. A record is held in memory, and a
	// missing closing quote makes the rest of the file one record.
	maxRecord = 32 << 20
	// maxFields is the largest number of fields of a record. Without a limit, a record of commas
	// would have a field for each byte.
	maxFields = 1 << 20
)

// tableReader reads CSV records and counts lines.
type tableReader struct {
	r          *bufio.Reader
	comma      []byte // nil for any number of blanks and tabs
	comment    []byte // begins lines that are skipped; nil for none
	maxBytes   int    // largest size of a record in bytes
	line       int    // line number of the latest record
	lines      int    // number of lines read so far
	longRecord []byte // a record longer than the buffer of r
	fields     [][]byte
	quotes     quotes

	quoteMarks int // number of quotes in the latest record
}

// jsonArray matches the beginning of an array of objects.
var jsonArray = regexp.MustCompile(`^\s*\[\s*\{`)

func newTable(r *bufio.Reader, comma, comment rune) (*tableReader, error) {
	t := &tableReader{r: r, maxBytes: maxRecord}
	head, err := r.Peek(sniffBytes)
	switch {
	case isUTF16(head):
		return nil, newCause(ErrFormat, "the text is UTF-16; save it as UTF-8")
	case bytes.IndexByte(head, 0) >= 0:
		return nil, newCause(ErrFormat, "the text has zero bytes: it is UTF-16, or no text at all")
	case jsonArray.Match(head):
		return nil, newCause(ErrFormat, "the file is one JSON array; write JSON lines: one object on each line, without brackets around them and commas between them")
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
	t.quotes.reset(comma)
	return t, nil
}

// nextRecord returns the next record that is not blank. The record is valid until the next call.
func (t *tableReader) nextRecord() ([][]byte, error) {
	text, err := t.nextLine()
	if err != nil {
		return nil, err
	}
	return t.splitRecord(text)
}

// nextLine returns the first line of the next record.
func (t *tableReader) nextLine() ([]byte, error) {
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

// splitRecord returns the fields of the record that begins with text.
func (t *tableReader) splitRecord(text []byte) ([][]byte, error) {
	t.quoteMarks = 0
	if t.comma != nil && bytes.IndexByte(text, '"') >= 0 {
		return t.splitQuoted(text)
	}
	return t.splitPlain(text)
}

// readLine returns the next line without its end, or io.EOF.
func (t *tableReader) readLine() ([]byte, error) {
	text, err := t.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		t.longRecord = append(t.longRecord[:0], text...)
		commas := 0
		for err == bufio.ErrBufferFull {
			if len(t.longRecord) > t.maxBytes {
				return nil, t.tooLong()
			}
			if commas += bytes.Count(text, t.comma); t.comma != nil && commas >= maxFields {
				return nil, tooManyFields(t.lines + 1)
			}
			text, err = t.r.ReadSlice('\n')
			t.longRecord = append(t.longRecord, text...)
		}
		text = t.longRecord
	}
	if err != nil && (err != io.EOF || len(text) == 0) {
		return nil, err
	}
	t.lines++
	text = bytes.TrimSuffix(text, []byte("\n"))
	return bytes.TrimSuffix(text, []byte("\r")), nil
}

func (t *tableReader) tooLong() error {
	return &FileError{Row: t.lines + 1, Err: newCause(ErrTooLarge, fmt.Sprintf("a record of more than %d bytes; is a quote open?", t.maxBytes))}
}

func tooManyFields(line int) error {
	return &FileError{Row: line, Err: newCause(ErrTooLarge, fmt.Sprintf("a record of more than %d fields", maxFields))}
}

// splitPlain splits a record without quotes.
func (t *tableReader) splitPlain(text []byte) ([][]byte, error) {
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

// splitQuoted uses encoding/csv to split a record with quotes. A quoted field may continue in the
// next lines.
func (t *tableReader) splitQuoted(text []byte) ([][]byte, error) {
	q := &t.quotes
	q.text = append(append(q.text[:0], text...), '\n')
	odd := func(text []byte) bool { return bytes.Count(text, []byte{'"'})%2 == 1 }
	open := odd(text)
	for ; open; open = open != odd(text) {
		var err error
		if text, err = t.readLine(); err == io.EOF {
			break // encoding/csv reports the error
		} else if err != nil {
			return nil, err
		}
		if q.text = append(append(q.text, text...), '\n'); len(q.text) > t.maxBytes {
			return nil, t.tooLong()
		}
	}
	if bytes.Count(q.text, t.comma) >= maxFields {
		return nil, tooManyFields(t.line)
	}
	t.quoteMarks = bytes.Count(q.text, []byte{'"'})
	fields, err := q.csv.Read()
	if open && errors.Is(err, csv.ErrQuote) {
		return nil, &FileError{Row: t.line, Err: newCause(ErrFormat, "a quote in this row is not closed")}
	}
	if pe, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, &FileError{Row: t.line + pe.Line - pe.StartLine, Err: newCause(ErrFormat, pe.Err.Error())}
	} else if err != nil {
		return nil, err
	}
	t.fields = t.fields[:0]
	for _, f := range fields {
		t.fields = append(t.fields, []byte(f))
	}
	return t.fields, nil
}

// quotes is the parser for records with quotes. It passes one record at a time to encoding/csv.
type quotes struct {
	csv  *csv.Reader
	text []byte
}

func (q *quotes) reset(comma rune) {
	q.csv = csv.NewReader(q)
	q.csv.Comma = comma
	q.csv.ReuseRecord = true
	q.csv.FieldsPerRecord = -1
	q.csv.TrimLeadingSpace = comma != '\t' // otherwise empty fields between tabs would vanish
}

func (q *quotes) Read(p []byte) (int, error) {
	if len(q.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p, q.text)
	q.text = q.text[n:]
	return n, nil
}

// copyRecord returns a copy of the next record.
func (t *tableReader) copyRecord() record {
	fields, err := t.nextRecord()
	r := record{line: t.line, err: err}
	for _, f := range fields {
		r.fields = append(r.fields, bytes.Clone(f))
	}
	r.quotes = t.quoteMarks
	return r
}

// firstFieldHint is like fieldHint for the first field of the first record.
func (t *tableReader) firstFieldHint(first record) error {
	if err := t.fieldHint(first.fields[0], false); err != nil {
		return &FileError{Row: first.line, Err: err}
	}
	return nil
}

// emptyLastFieldError returns the error for a row whose last field is empty.
func (t *tableReader) emptyLastFieldError() error {
	return &cause{errLastEmpty, fmt.Sprintf("the last column is empty: do all lines end with %q?", t.separator()), "-1"}
}

// fieldHint returns an error if an invalid field looks like a comment, or like several fields with
// another separator. numbers is true if the fields should be numbers.
func (t *tableReader) fieldHint(field []byte, numbers bool) error {
	field = bytes.TrimSpace(field)
	if t.comment == nil && (bytes.HasPrefix(field, []byte("#")) || bytes.HasPrefix(field, []byte("%"))) {
		return newCause(errComment, fmt.Sprintf("the line begins with %q, as a comment does", field[:1]))
	}
	return t.delimiterHint(field, numbers)
}

// delimiterHint returns an error if a field looks like several fields with another separator.
func (t *tableReader) delimiterHint(field []byte, numbers bool) error {
	for _, other := range []string{";", "\t", "|", ",", " "} {
		if string(t.comma) == other || t.comma == nil && other == " " {
			continue
		}
		parts := strings.FieldsFunc(string(field[:min(len(field), 1000)]), func(r rune) bool { return string(r) == other })
		if len(parts) < 2 {
			continue
		}
		_, first := parseNumber([]byte(strings.TrimSpace(parts[0])))
		_, second := parseNumber([]byte(strings.TrimSpace(parts[1])))
		if !numbers && other != " " || first == nil && second == nil {
			return &cause{errDelimiter, fmt.Sprintf("%s looks like fields separated by %q, not %q", clip(string(field)), other, t.separator()), other}
		}
	}
	return nil
}

func (t *tableReader) separator() string {
	if t.comma == nil {
		return " "
	}
	return string(t.comma)
}
