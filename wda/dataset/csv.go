package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// csvSamples are the samples of a CSV file.
type csvSamples struct {
	t       *table
	names   [][]byte // of all columns, nil without a header
	width   int      // fields of a record
	pending []record // read ahead
	guessed int      // line of a first record that may be a header after all, 0 if not
	decimal byte     // 0 for a point
	*plan
	to []int // of each field: its feature, or one of the below
}

// What a field is that is not a number.
const (
	toLabel = -1 - iota
	toNothing
	toOther
)

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
	label, byName, err := labelColumn(first.fields, opt)
	if err != nil {
		return nil, err
	}
	at := c.guessLabel(first.fields, opt)
	switch {
	case byName, opt.Header == HeaderPresent,
		opt.Header == HeaderAuto && (namesColumns(first.fields, &opt) || isHeader(first.fields, second.fields, at)):
		c.names = first.fields
		c.pending = c.pending[1:]
	case opt.Header == HeaderAuto:
		c.guessed = first.line
	}
	in := found{fields: make([]field, c.width), named: c.names != nil, label: label, split: -1}
	for j, name := range c.names {
		in.fields[j].name = string(bytes.TrimSpace(name))
	}
	p, err := newPlan(in, &opt)
	if err != nil {
		if hint := t.hint(first.fields[0], false); hint != nil {
			return nil, &FileError{Row: first.line, Err: hint}
		}
		return nil, err
	}
	c.follow(p)
	if c.cols == 0 {
		if err := t.hint(first.fields[0], false); err != nil {
			return nil, &FileError{Row: first.line, Err: err}
		}
		if c.plan.label >= 0 && c.width == 1 {
			return nil, because(errShape, "there is no feature column: the only column is the label")
		}
		return nil, because(errShape, "there is no feature column")
	}
	if opt.Decimal != 0 && opt.Decimal != '.' {
		if opt.Decimal > 127 {
			return nil, because(ErrSettings, fmt.Sprintf("the decimal separator cannot be %q", opt.Decimal))
		}
		c.decimal = byte(opt.Decimal)
		has := func(field []byte) bool { return bytes.IndexByte(field, c.decimal) >= 0 }
		if string(t.comma) == string(opt.Decimal) && !slices.ContainsFunc(first.fields, has) && !slices.ContainsFunc(second.fields, has) {
			return nil, because(ErrSettings, fmt.Sprintf("the decimal separator %q also separates the fields, and no number of the first row is in quotes: choose another delimiter", opt.Decimal))
		}
	}
	return c, nil
}

// follow has fields read as a plan says.
func (c *csvSamples) follow(p *plan) {
	c.plan = p
	for _, u := range c.uses {
		switch u.role {
		case isFeature:
			c.to = append(c.to, u.at)
		case isLabel:
			c.to = append(c.to, toLabel)
		case unused:
			c.to = append(c.to, toNothing)
		default:
			c.to = append(c.to, toOther)
		}
	}
}

// guessLabel returns the column that is probably the label, or −1: that of a header may look like
// a number.
func (c *csvSamples) guessLabel(first [][]byte, opt Options) int {
	label, _, err := labelColumn(first, opt)
	if err == nil && label == openLabel {
		if label = c.width - 1; opt.Dim == c.width || opt.Schema != nil && opt.Schema.LabelNumber < c.width {
			label = -1
			if opt.Schema != nil {
				label = opt.Schema.LabelNumber
			}
		}
	}
	return label
}

// namesColumns reports whether a first row must hold names: options choose one of its fields by name.
func namesColumns(first [][]byte, opt *Options) bool {
	var chosen []string
	for _, c := range slices.Concat(opt.Columns, opt.Drop, opt.ID, opt.OneHot) {
		a, b, _ := strings.Cut(c, "..")
		chosen = append(chosen, c, a, b)
	}
	if opt.Schema != nil {
		for _, c := range opt.Schema.Columns {
			chosen = append(chosen, c.Name)
		}
	}
	for _, name := range first {
		if name := bytes.TrimSpace(name); len(name) > 0 && !numeric(name) && slices.Contains(chosen, string(name)) {
			return true
		}
	}
	return false
}

func (c *csvSamples) planned() *plan { return c.plan }

func (c *csvSamples) dims() (rows, cols int) { return -1, c.cols }

func (c *csvSamples) labelled() bool { return c.label >= 0 }

func (c *csvSamples) inRow(line int, err error) error { return c.at(line, c.label, err) }

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
	if c.decimal != 0 {
		return false
	}
	var name []byte
	last := c.width - 1
	for j, at := range c.to {
		var n int
		if at >= 0 {
			if x[at], n = decimal(text); n == 0 {
				return false
			}
		} else if at == toOther {
			return false
		} else {
			if n = bytes.IndexByte(text, comma); n < 0 {
				n = len(text)
			}
			field := bytes.TrimSpace(text[:n])
			if bytes.IndexByte(field, '"') >= 0 {
				return false
			}
			if at == toLabel {
				if name = field; len(name) == 0 {
					return false
				}
			}
		}
		if ends := n == len(text); ends != (j == last) || !ends && text[n] != comma {
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
		for j := 1; j < len(fields) && err == nil; j++ { // 0,5;1,5
			err = c.t.otherwise(fields[j], true)
		}
		if err == nil {
			err = because(errRagged, fmt.Sprintf("%d fields instead of %d", len(fields), c.width))
		}
		return &FileError{Row: line, Err: err}
	}
	for j, field := range fields {
		field = bytes.TrimSpace(field)
		u := &c.uses[j]
		switch u.role {
		case isLabel:
			if len(field) == 0 {
				return c.at(line, j, errLabelEmpty)
			}
			label(field, line)
		case isID:
			c.id(u.at, field)
		case isCategory:
			if err := c.category(u, x[u.at:], field); err != nil {
				return c.at(line, j, err)
			}
		case isFeature:
			v, err := c.number(field)
			if err != nil {
				if hint := c.t.hint(field, true); hint != nil && !(errors.Is(err, errDecimal) && c.width > 1) {
					err = hint
				} else if line == c.guessed {
					err = fmt.Errorf("%w (%w)", err, errHeader)
				}
				return c.at(line, j, err)
			}
			x[u.at] = v
		}
	}
	return nil
}

// number reads the field of a feature. A missing value is NaN where it is allowed.
func (c *csvSamples) number(field []byte) (float64, error) {
	if c.lenient && missingNumber(field) {
		return math.NaN(), nil
	}
	if c.decimal != 0 {
		if at := bytes.IndexByte(field, c.decimal); at >= 0 && bytes.IndexByte(field, '.') < 0 {
			pointed := bytes.Clone(field)
			pointed[at] = '.'
			if v, err := number(pointed); err == nil {
				return v, nil
			}
		}
	}
	return number(field)
}

// category sets the features of a field of text.
func (p *plan) category(u *use, x []float64, text []byte) error {
	if !missing(text) {
		return u.encode(x, text)
	}
	if !p.lenient {
		return because(errMissing, "the category is missing")
	}
	u.none(x, p.drop)
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

// labelColumn finds the label in a first row that may be a header.
func labelColumn(first [][]byte, opt Options) (label int, byName bool, err error) {
	d, l := len(first), opt.Labels
	switch {
	case l.elsewhere():
		return -1, false, nil
	case l.IsAuto():
		return openLabel, false, nil
	}
	// Without a declared header "3" may well be a number of the first row.
	if l.kind == labelsNamed || l.kind == labelsParsed && opt.Header == HeaderPresent {
		same := -1
		for j, name := range first {
			if opt.Header == HeaderAbsent || string(bytes.TrimSpace(name)) != l.name {
				continue
			}
			if same >= 0 {
				return 0, false, because(errNoLabels, fmt.Sprintf("columns %d and %d are both called %q", same+1, j+1, l.name))
			}
			same = j
		}
		if same >= 0 {
			return same, true, nil
		}
		if l.kind == labelsNamed {
			var names []string
			for _, name := range first {
				names = append(names, string(bytes.TrimSpace(name)))
			}
			return 0, false, because(errNoLabels, noColumn(l.name, names))
		}
	}
	switch {
	case l.at < -d || l.at >= d:
		return 0, false, because(errNoLabels, fmt.Sprintf("there is no label column %d: the file has %d columns", l.at, d))
	case l.at < 0:
		return l.at + d, false, nil
	}
	return l.at, false, nil
}

// isHeader applies the rule of Options.Header.
func isHeader(first, second [][]byte, label int) bool {
	named := false
	for j, field := range first {
		if j == label {
			continue
		}
		field = bytes.TrimSpace(field)
		if numeric(field) || commaNumber.Match(field) {
			return false
		}
		named = named || len(field) > 0
	}
	if !named {
		return false
	}
	for j, field := range second {
		if field = bytes.TrimSpace(field); j != label && (numeric(field) || commaNumber.Match(field)) {
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
		return 0, because(errMissing, "the field is empty, not a number")
	case err != nil && missingNumber(field):
		return 0, because(errMissing, clip(string(field))+" is not a number")
	case errors.Is(err, strconv.ErrRange):
		return 0, because(errInf, clip(string(field))+" is beyond the range of float64")
	case err != nil:
		return 0, notNumber(field)
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
