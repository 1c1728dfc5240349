package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/mat"
)

// maxRecord bounds the bytes of one CSV record: encoding/csv holds a whole one,
// and an open quote makes a record of the rest of the file.
const maxRecord = 64 << 20

// ReadCSV reads comma-separated text as described by RFC 4180, one sample per
// record: spaces around fields, blank lines and a byte order mark are dropped.
// Every field but the label must be a finite number. See Options for the label
// column, the header and the delimiter; LabelFile is for ReadFile.
//
// Every error is a *FileError; its Row is the line of the file.
func ReadCSV(r io.Reader, opt Options) (*Dataset, error) {
	d, err := readCSV(r, opt)
	return d, fileError("", err)
}

func readCSV(r io.Reader, opt Options) (*Dataset, error) {
	t := newTable(r, opt.Delimiter)
	// The first two records decide on the header.
	first, err := t.next()
	if err == io.EOF {
		return nil, because(ErrEmpty, "the file is empty")
	} else if err != nil {
		return nil, err
	}
	first, firstLine := slices.Clone(first), t.line()
	second, secondErr := t.next()
	second = slices.Clone(second)

	var names []string
	label, err := labelColumn(first, opt)
	switch {
	case err != nil:
		return nil, err
	case label.byName, opt.Header == HeaderPresent,
		opt.Header == HeaderAuto && isHeader(first, second, label.at):
		names = first
	}
	t.names = names
	features := len(first)
	if label.at >= 0 {
		features--
	}
	if features == 0 {
		return nil, because(ErrShape, "there is no feature column: the only column is the label")
	}

	var (
		data []float64
		enc  encoder
		rows int
	)
	add := func(rec []string, line int) error {
		if len(rec) != len(first) {
			return &FileError{Row: line, Err: because(ErrRagged, fmt.Sprintf("%d fields instead of %d", len(rec), len(first)))}
		}
		if len(data)+features > opt.maxElements() {
			return &FileError{Row: line, Err: because(ErrTooLarge, fmt.Sprintf("more than the allowed %d elements", opt.maxElements()))}
		}
		for j, field := range rec {
			field = strings.TrimSpace(field)
			if j == label.at {
				if field == "" {
					return t.at(line, j, because(ErrNoLabels, "the label is missing"))
				}
				enc.add(field, line)
				continue
			}
			v, err := finite(field)
			if err != nil {
				if line == firstLine && opt.Header == HeaderAuto {
					err = fmt.Errorf("%w (if this row is a header, say so)", err)
				}
				return t.at(line, j, err)
			}
			data = append(data, v)
		}
		rows++
		return nil
	}

	if names == nil {
		if err := add(first, firstLine); err != nil {
			return nil, err
		}
	}
	for rec, err := second, secondErr; err != io.EOF; rec, err = t.next() {
		if err != nil {
			return nil, err
		}
		if err := add(rec, t.line()); err != nil {
			return nil, err
		}
	}
	if rows == 0 {
		return nil, because(ErrEmpty, "the file holds only a header")
	}

	d := &Dataset{X: mat.NewDense(rows, features, data)}
	for j, name := range names {
		if j != label.at {
			d.Columns = append(d.Columns, strings.TrimSpace(name))
		}
	}
	if label.at >= 0 {
		if err := d.setLabels(&enc); err != nil {
			if fe, ok := errors.AsType[*FileError](err); ok {
				return nil, t.at(fe.Row, label.at, fe.Err)
			}
			return nil, err
		}
	}
	return d, nil
}

// table reads records and knows their lines.
type table struct {
	csv    *csv.Reader
	budget *budget
	names  []string
}

func newTable(r io.Reader, comma rune) *table {
	if comma == 0 {
		comma = ','
	}
	b := &budget{r: r, most: maxRecord, left: maxRecord}
	buf := bufio.NewReaderSize(b, streamBuffer)
	if head, _ := buf.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		buf.Discard(3)
	}
	c := csv.NewReader(buf)
	c.Comma = comma
	c.ReuseRecord = true
	c.FieldsPerRecord = -1
	c.TrimLeadingSpace = !unicode.IsSpace(comma) // or empty fields between tabs vanish
	return &table{csv: c, budget: b}
}

// next returns the next record that is not blank; it is valid until the call
// after.
func (t *table) next() ([]string, error) {
	for {
		t.budget.left = t.budget.most
		rec, err := t.csv.Read()
		if err == io.EOF {
			return nil, err
		}
		if pe, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, &FileError{Row: pe.Line, Err: because(ErrFormat, pe.Err.Error())}
		}
		if err != nil {
			return nil, err
		}
		if len(rec) > 1 || strings.TrimSpace(rec[0]) != "" {
			return rec, nil
		}
	}
}

// line is that of the record last returned.
func (t *table) line() int {
	line, _ := t.csv.FieldPos(0)
	return line
}

// at places err in a field.
func (t *table) at(line, j int, err error) error {
	fe := &FileError{Row: line, Column: j + 1, Err: err}
	if j < len(t.names) {
		fe.Name = strings.TrimSpace(t.names[j])
	}
	return fe
}

// budget fails when too much is read before left is renewed.
type budget struct {
	r          io.Reader
	most, left int
}

func (b *budget) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= n; b.left < 0 {
		return n, because(ErrTooLarge, fmt.Sprintf("a record of more than %d bytes; is a quote open?", b.most))
	}
	return n, err
}

type column struct {
	at     int // from 0, −1 for none
	byName bool
}

// labelColumn finds the label in a first row that may be a header.
func labelColumn(first []string, opt Options) (column, error) {
	d := len(first)
	if opt.Unlabelled {
		return column{at: -1}, nil
	}
	if opt.Label == "" {
		return column{at: d - 1}, nil
	}
	if opt.Header != HeaderAbsent {
		same := -1
		for j, name := range first {
			if strings.TrimSpace(name) != opt.Label {
				continue
			}
			if same >= 0 {
				return column{}, because(ErrNoLabels, fmt.Sprintf("columns %d and %d are both called %q", same+1, j+1, opt.Label))
			}
			same = j
		}
		// Without a declared header "3" may well be a number of the first row.
		_, err := strconv.Atoi(opt.Label)
		if same >= 0 && (err != nil || opt.Header == HeaderPresent) {
			return column{at: same, byName: true}, nil
		}
	}
	k, err := strconv.Atoi(opt.Label)
	switch {
	case err != nil:
		return column{}, because(ErrNoLabels, fmt.Sprintf("no column is called %q", opt.Label))
	case k < -d || k >= d:
		return column{}, because(ErrNoLabels, fmt.Sprintf("there is no label column %d: the file has %d columns", k, d))
	case k < 0:
		k += d
	}
	return column{at: k}, nil
}

// isHeader applies the rule of HeaderAuto.
func isHeader(first, second []string, label int) bool {
	named := false
	for j, field := range first {
		if j == label {
			continue
		}
		field = strings.TrimSpace(field)
		if _, err := strconv.ParseFloat(field, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return false
		}
		named = named || field != ""
	}
	if !named {
		return false
	}
	for j, field := range second {
		if j == label {
			continue
		}
		if _, err := strconv.ParseFloat(strings.TrimSpace(field), 64); err == nil {
			return true
		}
	}
	return len(second) == 0
}

// finite reads a finite number.
func finite(field string) (float64, error) {
	v, err := strconv.ParseFloat(field, 64)
	switch {
	case err == nil && v-v == 0:
		return v, nil
	case field == "":
		return 0, because(ErrNotNumber, "the field is empty, not a number")
	case errors.Is(err, strconv.ErrRange):
		return 0, because(ErrInf, clip(field)+" is beyond the range of float64")
	case err != nil:
		return 0, because(ErrNotNumber, clip(field)+" is not a number")
	}
	return 0, why(v)
}

// readCSVLabels reads one label per line. The first is a header if it is the
// only one that is not a number.
func readCSVLabels(r io.Reader, most int) (*encoder, error) {
	t := newTable(r, ',')
	var (
		texts   encoder
		header  string
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
			return nil, &FileError{Row: t.line(), Err: because(ErrShape, fmt.Sprintf("%d fields instead of one label", len(rec)))}
		}
		if records == most {
			return nil, because(ErrTooLarge, fmt.Sprintf("more than %d labels", most))
		}
		text := strings.TrimSpace(rec[0])
		_, notNumber := strconv.ParseFloat(text, 64)
		if records == 0 && notNumber != nil {
			header = text
		} else {
			rest = rest && notNumber == nil
		}
		texts.add(text, t.line())
		records++
	}
	if header != "" && rest && records > 1 {
		texts.dropFirst()
		records--
	}
	if records == 0 {
		return nil, because(ErrEmpty, "the file holds no labels")
	}
	return &texts, nil
}
