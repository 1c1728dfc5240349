package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// csvSamples are the samples of a CSV file.
type csvSamples struct {
	t       *table
	names   [][]byte // of all columns, nil without a header
	label   column
	width   int      // fields of a record
	pending []record // read ahead
	guessed int      // line of a first record that may be a header after all, 0 if not
}

// record is a copy of a record.
type record struct {
	fields [][]byte
	line   int
	err    error
}

func newCSV(r *bufio.Reader, opt Options) (*csvSamples, error) {
	t, err := newTable(r, opt.Delimiter, opt.Comment)
	if err != nil {
		return nil, err
	}
	// The first two records decide on the header.
	first := t.copy()
	if first.err == io.EOF {
		return nil, because(errEmpty, "the file is empty")
	} else if first.err != nil {
		return nil, first.err
	}
	second := t.copy()

	c := &csvSamples{t: t, width: len(first.fields), pending: []record{first, second}}
	if err := headerNames.Check(uint8(opt.Header)); err != nil {
		return nil, err
	}
	if c.label, err = labelColumn(first.fields, opt); err != nil {
		return nil, err
	}
	features := c.width
	if c.label.at >= 0 {
		features--
	}
	if features == 0 {
		if err := t.hint(first.fields[0], false); err != nil {
			return nil, &FileError{Row: first.line, Err: err}
		}
		return nil, because(errShape, "there is no feature column: the only column is the label")
	}
	switch {
	case c.label.byName, opt.Header == HeaderPresent,
		opt.Header == HeaderAuto && isHeader(first.fields, second.fields, c.label.at):
		c.names = first.fields
		c.pending = c.pending[1:]
	case opt.Header == HeaderAuto:
		c.guessed = first.line
	}
	return c, nil
}

// columns names the features.
func (c *csvSamples) columns() []string {
	var names []string
	for j, name := range c.names {
		if j != c.label.at {
			names = append(names, string(bytes.TrimSpace(name)))
		}
	}
	return names
}

func (c *csvSamples) dims() (rows, cols int) {
	if c.label.at >= 0 {
		return -1, c.width - 1
	}
	return -1, c.width
}

func (c *csvSamples) labelled() bool { return c.label.at >= 0 }

func (c *csvSamples) inRow(line int, err error) error { return c.at(line, c.label.at, err) }

func (c *csvSamples) room(*Options) (int, error) { return 0, nil }

// next returns the fields of the next record, valid until the call after.
func (c *csvSamples) next() ([][]byte, error) {
	if len(c.pending) == 0 {
		return c.t.next()
	}
	p := c.pending[0]
	c.pending = c.pending[1:]
	c.t.line = p.line
	return p.fields, p.err
}

func (c *csvSamples) read(x []float64, label func(text []byte, place int)) (rows int, err error) {
	_, cols := c.dims()
	for ; len(x) >= cols; x = x[cols:] {
		err := c.record(x[:cols], label)
		if err == io.EOF && rows > 0 {
			c.pending = []record{{err: err}}
			return rows, nil
		} else if err != nil {
			return 0, err
		}
		rows++
	}
	return rows, nil
}

// record sets x to the features of the next record.
func (c *csvSamples) record(x []float64, label func(text []byte, place int)) error {
	var fields [][]byte
	var err error
	if len(c.pending) > 0 {
		fields, err = c.next()
	} else {
		var text []byte
		if text, err = c.t.text(); err == nil {
			if c.plain(x, text, label) {
				return nil
			}
			fields, err = c.t.divide(text)
		}
	}
	if err != nil {
		return err
	}
	return c.parse(x, fields, label)
}

// plain sets x to a record of decimals alone, as nearly every one is, and its label. What has
// quotes, blanks, other numbers or faults it leaves to parse, which would come to the same.
func (c *csvSamples) plain(x []float64, text []byte, label func(text []byte, place int)) bool {
	if len(c.t.comma) != 1 || bytes.IndexByte([]byte("+-.0123456789Ee"), c.t.comma[0]) >= 0 {
		return false
	}
	comma := c.t.comma[0]
	var name []byte
	k := 0
	for j := range c.width {
		var n int
		if j == c.label.at {
			if n = bytes.IndexByte(text, comma); n < 0 {
				n = len(text)
			}
			if name = bytes.TrimSpace(text[:n]); len(name) == 0 || bytes.IndexByte(name, '"') >= 0 {
				return false
			}
		} else {
			if x[k], n = decimal(text); n == 0 {
				return false
			}
			k++
		}
		if last := n == len(text); last != (j == c.width-1) || !last && text[n] != comma {
			return false
		}
		text = text[min(n+1, len(text)):]
	}
	if name != nil {
		label(name, c.t.line)
	}
	return true
}

// parse sets x to the features of a record.
func (c *csvSamples) parse(x []float64, fields [][]byte, label func(text []byte, place int)) error {
	line := c.t.line
	if len(fields) != c.width {
		err := c.t.hint(fields[0], len(fields) > 1)
		if err == nil {
			err = because(errRagged, fmt.Sprintf("%d fields instead of %d", len(fields), c.width))
		}
		return &FileError{Row: line, Err: err}
	}
	k := 0
	for j, field := range fields {
		field = bytes.TrimSpace(field)
		if j == c.label.at {
			if len(field) == 0 {
				return c.at(line, j, because(errNoLabels, "the label is missing"))
			}
			label(field, line)
			continue
		}
		v, err := number(field)
		if err != nil {
			if hint := c.t.hint(field, true); hint != nil {
				err = hint
			} else if line == c.guessed {
				err = fmt.Errorf("%w (%w)", err, errHeader)
			}
			return c.at(line, j, err)
		}
		x[k] = v
		k++
	}
	return nil
}

// at places err in a field.
func (c *csvSamples) at(line, j int, err error) error {
	fe := &FileError{Row: line, Column: j + 1, Err: err}
	if j < len(c.names) {
		fe.Name = string(bytes.TrimSpace(c.names[j]))
	}
	return fe
}

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
}

func newTable(r *bufio.Reader, comma, comment rune) (*table, error) {
	t := &table{r: r, most: maxRecord}
	head, err := r.Peek(sniffed)
	switch {
	case isUTF16(head):
		return nil, because(ErrFormat, "the text is UTF-16; save it as UTF-8")
	case bytes.IndexByte(head, 0) >= 0:
		return nil, because(ErrFormat, "the text has zero bytes: it is UTF-16, or no text at all")
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
	return r
}

// hint returns an error if a field that cannot be what is expected is, by its looks, a
// comment, or several fields separated by something else. numbers asks that they be numbers.
func (t *table) hint(field []byte, numbers bool) error {
	field = bytes.TrimSpace(field)
	if t.comment == nil && (bytes.HasPrefix(field, []byte("#")) || bytes.HasPrefix(field, []byte("%"))) {
		return because(errComment, fmt.Sprintf("the line begins with %q, as a comment does", field[:1]))
	}
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
			return because(errDelimiter, fmt.Sprintf("%s looks like fields separated by %q, not %q", clip(string(field)), other, t.separator()))
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

type column struct {
	at     int // from 0, −1 for none
	byName bool
}

// labelColumn finds the label in a first row that may be a header.
func labelColumn(first [][]byte, opt Options) (column, error) {
	d, l := len(first), opt.Labels
	switch {
	case l.elsewhere(), l.IsAuto() && d == opt.Dim:
		return column{at: -1}, nil
	case l.IsAuto():
		return column{at: d - 1}, nil
	}
	// Without a declared header "3" may well be a number of the first row.
	if l.kind == labelsNamed || l.kind == labelsParsed && opt.Header == HeaderPresent {
		same := -1
		for j, name := range first {
			if opt.Header == HeaderAbsent || string(bytes.TrimSpace(name)) != l.name {
				continue
			}
			if same >= 0 {
				return column{}, because(errNoLabels, fmt.Sprintf("columns %d and %d are both called %q", same+1, j+1, l.name))
			}
			same = j
		}
		if same >= 0 {
			return column{at: same, byName: true}, nil
		}
		if l.kind == labelsNamed {
			return column{}, because(errNoLabels, fmt.Sprintf("no column is called %q", l.name))
		}
	}
	switch {
	case l.at < -d || l.at >= d:
		return column{}, because(errNoLabels, fmt.Sprintf("there is no label column %d: the file has %d columns", l.at, d))
	case l.at < 0:
		return column{at: l.at + d}, nil
	}
	return column{at: l.at}, nil
}

// isHeader applies the rule of Options.Header.
func isHeader(first, second [][]byte, label int) bool {
	named := false
	for j, field := range first {
		if j == label {
			continue
		}
		field = bytes.TrimSpace(field)
		if numeric(field) {
			return false
		}
		named = named || len(field) > 0
	}
	if !named {
		return false
	}
	for j, field := range second {
		if j != label && numeric(bytes.TrimSpace(field)) {
			return true
		}
	}
	return len(second) == 0
}

// numeric reports whether a field is a number, finite or not.
func numeric(field []byte) bool {
	_, err := number(field)
	return !errors.Is(err, errNotNumber)
}

// number reads a finite decimal number.
func number(field []byte) (float64, error) {
	if v, n := decimal(field); n == len(field) && n > 0 {
		return v, nil
	}
	v, err := strconv.ParseFloat(string(field), 64)
	switch {
	case err == nil && literal(field):
		return 0, because(errNotNumber, clip(string(field))+" is not a number as files have it")
	case err == nil && v-v == 0:
		return v, nil
	case len(field) == 0:
		return 0, because(errNotNumber, "the field is empty, not a number")
	case errors.Is(err, strconv.ErrRange):
		return 0, because(errInf, clip(string(field))+" is beyond the range of float64")
	case err != nil:
		return 0, because(errNotNumber, clip(string(field))+" is not a number")
	}
	return 0, why(v)
}

// literal tells numbers of Go's syntax that strconv knows, 0x1p-2 and 1_000, from those
// that other programs know, too.
func literal(field []byte) bool {
	digits := bytes.TrimLeft(field, "+-")
	return bytes.IndexByte(field, '_') >= 0 || len(digits) > 1 && (digits[1] == 'x' || digits[1] == 'X')
}

// textLabels are the labels of a text file, all of them.
type textLabels struct {
	path string
	enc  *encoder
	row  int
}

func (l *textLabels) count() int { return len(l.enc.rows) }

func (l *textLabels) read(n int, use func(text []byte, place int)) error {
	for _, k := range l.enc.rows[l.row : l.row+n] {
		use([]byte(l.enc.texts[k]), l.enc.first[k])
	}
	l.row += n
	return nil
}

func (l *textLabels) named(err error) error { return fileError(l.path, err) }

// readCSVLabels reads one label per line. The first is a header if it is the
// only one that is not a number.
func readCSVLabels(r *bufio.Reader, most int) (*encoder, error) {
	t, err := newTable(r, ',', 0)
	if err != nil {
		return nil, err
	}
	var (
		texts   encoder
		header  bool
		rest    = true // every label but the first is a number
		records int
	)
	for {
		rec, err := t.next()
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if len(rec) != 1 {
			return nil, &FileError{Row: t.line, Err: because(errShape, fmt.Sprintf("%d fields instead of one label", len(rec)))}
		}
		if records == most {
			return nil, because(ErrTooLarge, fmt.Sprintf("more than %d labels", most))
		}
		text := bytes.TrimSpace(rec[0])
		if records == 0 && !numeric(text) {
			header = true
		} else {
			rest = rest && numeric(text)
		}
		texts.add(text, t.line)
		records++
	}
	if header && rest && records > 1 {
		texts.dropFirst()
		records--
	}
	if records == 0 {
		return nil, because(errEmpty, "the file holds no labels")
	}
	return &texts, nil
}
