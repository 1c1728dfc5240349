package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// csvSamples reads the samples of a CSV file.
type csvSamples struct {
	t       *tableReader
	names   [][]byte // names of all columns; nil without a header
	width   int      // number of fields in a record
	pending []record // records read ahead
	guessed int      // line of the first record if it was read as data but might be a header; otherwise 0
	decimal byte     // decimal separator; 0 for a point

	headerNote *Note // tells whether the first record was read as a header; nil if the decision was certain
	*plan
	targets []int // for each field, the index of its feature, or one of the constants below
}

// The element targets[i] is one of these constants if field i is not a numeric feature.
const (
	toLabel = -1 - iota
	toNothing
	toOther
)

// record is a copy of a CSV record.
type record struct {
	fields [][]byte
	quotes int // number of quotation marks in all fields
	line   int
	err    error
}

func newCSV(r *bufio.Reader, opt Options) (*csvSamples, error) {
	t, err := newTable(r, opt.Delimiter, opt.Comment)
	if err != nil {
		return nil, err
	}
	// The first two records usually decide whether there is a header.
	first := t.copyRecord()
	if first.err == io.EOF {
		return nil, newCause(errEmpty, "the file is empty")
	} else if first.err != nil {
		return nil, first.err
	}
	second := t.copyRecord()

	c := &csvSamples{t: t, width: len(first.fields), pending: []record{first, second}}
	if err := headerNames.Check(uint8(opt.Header)); err != nil {
		return nil, err
	}
	label, byName, err := labelColumn(first.fields, opt)
	if err != nil {
		return nil, err
	}
	present := byName
	if !present {
		if present, err = c.decideHeader(first, c.guessLabel(first.fields, opt), &opt); err != nil {
			return nil, cmp.Or(t.firstFieldHint(first), err)
		}
	}
	if present {
		c.names = first.fields
		c.pending = c.pending[1:]
		if opt.Labels.kind == labelsParsed && opt.Header == HeaderAuto && c.headerNote != nil {
			opt.Header = HeaderPresent
			if label, _, err = labelColumn(first.fields, opt); err != nil {
				return nil, err
			}
		}
	} else if opt.Header == HeaderAuto {
		c.guessed = first.line
	}
	in := fileColumns{fields: make([]field, c.width), named: c.names != nil, label: label, split: -1}
	for j, name := range c.names {
		in.fields[j].name = string(bytes.TrimSpace(name))
	}
	p, err := newPlan(in, &opt)
	if err != nil {
		if fe, ok := errors.AsType[*FileError](err); ok {
			fe.Row = first.line
		}
		return nil, cmp.Or(t.firstFieldHint(first), err)
	}
	if c.headerNote != nil {
		p.notes = append(p.notes, *c.headerNote)
	}
	c.applyPlan(p)
	if last := c.width - 1; last > 0 && c.uses[last].role == isLabel && opt.Labels.IsAuto() && len(bytes.TrimSpace(first.fields[0])) > 0 && len(bytes.TrimSpace(first.fields[last])) == 0 &&
		len(second.fields) == c.width && len(bytes.TrimSpace(second.fields[last])) == 0 {
		return nil, c.fieldError(first.line, last, c.t.emptyLastFieldError())
	}
	if c.cols == 0 {
		if err := t.firstFieldHint(first); err != nil {
			return nil, err
		}
		if c.plan.label >= 0 && c.width == 1 {
			return nil, newCause(errShape, "there is no feature column: the only column is the label")
		}
		return nil, newCause(errShape, "there is no feature column")
	}
	if opt.Decimal != 0 && opt.Decimal != '.' {
		if opt.Decimal > 127 {
			return nil, newCause(ErrSettings, fmt.Sprintf("the decimal separator cannot be %q", opt.Decimal))
		}
		c.decimal = byte(opt.Decimal)
		has := func(field []byte) bool { return bytes.IndexByte(field, c.decimal) >= 0 }
		if string(t.comma) == string(opt.Decimal) && !slices.ContainsFunc(first.fields, has) && !slices.ContainsFunc(second.fields, has) {
			return nil, newCause(ErrSettings, fmt.Sprintf("the decimal separator %q also separates the fields, and no number of the first row is in quotes: choose another delimiter", opt.Decimal))
		}
	}
	return c, nil
}

// applyPlan stores the plan p and sets the target of each field.
func (c *csvSamples) applyPlan(p *plan) {
	c.plan = p
	for _, u := range c.uses {
		switch u.role {
		case isFeature:
			c.targets = append(c.targets, u.at)
		case isLabel:
			c.targets = append(c.targets, toLabel)
		case unused:
			c.targets = append(c.targets, toNothing)
		default:
			c.targets = append(c.targets, toOther)
		}
	}
}

// guessLabel returns the column that is probably the label, or −1. The first row may be a header
// whose names look like numbers.
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

// namesColumns reports whether the first row must be a header because options choose one of its
// fields by name.
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
		if name := bytes.TrimSpace(name); len(name) > 0 && !isNumber(name) && slices.Contains(chosen, string(name)) {
			return true
		}
	}
	return false
}

func (c *csvSamples) columnPlan() *plan { return c.plan }

func (c *csvSamples) dims() (rows, cols int) { return -1, c.cols }

func (c *csvSamples) labeled() bool { return c.label >= 0 }

func (c *csvSamples) rowError(line int, err error) error { return c.fieldError(line, c.label, err) }

func (c *csvSamples) capacity(*Options) (int, error) { return 0, nil }

// next returns the fields of the next record, which are valid until the next call.
func (c *csvSamples) next() ([][]byte, error) {
	if len(c.pending) == 0 {
		return c.t.nextRecord()
	}
	p := c.pending[0]
	c.pending = c.pending[1:]
	c.t.line = p.line
	return p.fields, p.err
}

func (c *csvSamples) read(x []float64, label func(text []byte, place int)) (rows int, err error) {
	_, cols := c.dims()
	for ; len(x) >= cols; x = x[cols:] {
		err := c.readRecord(x[:cols], label)
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

// readRecord sets x to the features of the next record.
func (c *csvSamples) readRecord(x []float64, label func(text []byte, place int)) error {
	var fields [][]byte
	var err error
	if len(c.pending) > 0 {
		fields, err = c.next()
	} else {
		var text []byte
		if text, err = c.t.nextLine(); err == nil {
			if c.parsePlain(x, text, label) {
				return nil
			}
			fields, err = c.t.splitRecord(text)
		}
	}
	if err != nil {
		return err
	}
	return c.parse(x, fields, label)
}

// parsePlain sets x to the features of a record of plain decimals, and passes the label text to the
// callback. It returns false if the record has quotes, blanks, other numbers or errors. The caller
// then calls c.parse.
func (c *csvSamples) parsePlain(x []float64, text []byte, label func(text []byte, place int)) bool {
	if len(c.t.comma) != 1 || bytes.IndexByte([]byte("+-.0123456789Ee"), c.t.comma[0]) >= 0 {
		return false
	}
	comma := c.t.comma[0]
	if c.decimal != 0 {
		return false
	}
	var name []byte
	last := c.width - 1
	for j, at := range c.targets {
		var n int
		if at >= 0 {
			if x[at], n = parseDecimal(text); n == 0 {
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
				if name = field; len(name) == 0 { // rare
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
		err := c.t.fieldHint(fields[0], len(fields) > 1)
		for j := 1; j < len(fields) && err == nil; j++ { // 0,5;1,5
			err = c.t.delimiterHint(fields[j], true)
		}
		if err == nil {
			err = newCause(errRagged, fmt.Sprintf("%d fields instead of %d", len(fields), c.width))
		}
		return &FileError{Row: line, Err: err}
	}
	for j, field := range fields {
		field = bytes.TrimSpace(field)
		u := &c.uses[j]
		switch u.role {
		case isLabel:
			label(field, line)
		case isID:
			c.id(u.at, field)
		case isCategory:
			if err := c.setCategory(u, x[u.at:], field); err != nil {
				return c.fieldError(line, j, err)
			}
		case isFeature:
			v, err := c.parseNumber(field)
			if err != nil {
				separators := errors.Is(err, errDecimal) || errors.Is(err, errThousands)
				switch hint := c.t.fieldHint(field, true); {
				case len(field) == 0 && j == c.width-1:
					err = c.t.emptyLastFieldError()
				case separators && c.width > 1: // the error says so
				case hint != nil:
					err = hint
				case line == c.guessed && len(field) > 0:
					err = fmt.Errorf("%w (%w)", err, errHeader)
				}
				return c.fieldError(line, j, err)
			}
			x[u.at] = v
		}
	}
	return nil
}

// parseNumber parses the field of a feature. It returns NaN for a missing value if missing values
// are allowed.
func (c *csvSamples) parseNumber(field []byte) (float64, error) {
	if c.lenient && isMissingNumber(field) {
		return math.NaN(), nil
	}
	if c.decimal == 0 {
		return parseNumber(field)
	}
	if bytes.IndexByte(field, '.') < 0 {
		return c.parseSeparated(field)
	}
	if _, err := c.parseSeparated(bytes.ReplaceAll(field, []byte("."), nil)); err != nil {
		return 0, notNumber(field)
	}
	return 0, newCause(errThousands, fmt.Sprintf("%s has a point, but the decimal separator is %q; if points separate thousands, remove them from the file", clip(string(field)), c.decimal))
}

// parseSeparated parses a number with the decimal separator of the options.
func (c *csvSamples) parseSeparated(field []byte) (float64, error) {
	if at := bytes.IndexByte(field, c.decimal); at >= 0 {
		pointed := bytes.Clone(field)
		pointed[at] = '.'
		if v, err := parseNumber(pointed); err == nil {
			return v, nil
		}
	}
	return parseNumber(field)
}

// setCategory sets x to the features of the category with the given text.
func (p *plan) setCategory(u *columnUse, x []float64, text []byte) error {
	_, known := u.index[string(text)]
	if !isMissing(text) || len(text) > 0 && (p.keepNA || known && !u.learnsCategories) {
		return u.setCategory(x, text)
	}
	if !p.lenient {
		return newCause(errMissing, "the category is missing")
	}
	u.setMissing(x, p.drop)
	return nil
}

// fieldError adds the line and column numbers to err.
func (c *csvSamples) fieldError(line, j int, err error) error {
	fe := &FileError{Row: line, Column: j + 1, Err: err}
	if j < len(c.names) {
		fe.Name = string(bytes.TrimSpace(c.names[j]))
	}
	return fe
}

// labelColumn finds the label column. The first record may be a header.
func labelColumn(first [][]byte, opt Options) (label int, byName bool, err error) {
	d, l := len(first), opt.Labels
	switch {
	case l.notInSamples():
		return -1, false, nil
	case l.IsAuto():
		return openLabel, false, nil
	}
	// An integer from ParseLabels selects by name only with HeaderPresent. Without a header, the
	// first row may contain the integer as data.
	if l.kind == labelsNamed || l.kind == labelsParsed && opt.Header == HeaderPresent {
		same := -1
		for j, name := range first {
			if opt.Header == HeaderAbsent || string(bytes.TrimSpace(name)) != l.name {
				continue
			}
			if same >= 0 {
				return 0, false, newCause(errNoLabels, fmt.Sprintf("columns %d and %d are both called %q", same+1, j+1, l.name))
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
			return 0, false, newCause(errNoLabels, unknownColumnText(l.name, names))
		}
	}
	switch {
	case l.at < -d || l.at >= d:
		return 0, false, newCause(errNoLabels, fmt.Sprintf("there is no label column %d: the file has %d columns", l.at, d))
	case l.at < 0:
		return l.at + d, false, nil
	}
	return l.at, false, nil
}

// isHeader applies the rule of HeaderAuto. It may read more records ahead.
func (c *csvSamples) isHeader(first [][]byte, label int) bool {
	named := false
	missing := make([]bool, len(first)) // whether a column has a name in the first row and only missing values below
	for j, field := range first {
		if j == label {
			continue
		}
		field = bytes.TrimSpace(field)
		if isNumber(field) || commaNumber.Match(field) {
			return false
		}
		named = named || len(field) > 0
		missing[j] = !isMissing(field)
	}
	if !named || len(c.pending[1].fields) == 0 {
		return named
	}
	for i := 1; i <= headerRows; i++ {
		if i == len(c.pending) {
			c.pending = append(c.pending, c.t.copyRecord())
		}
		r := &c.pending[i]
		if r.err != nil {
			return false
		}
		for j, field := range r.fields[:min(len(r.fields), len(first))] {
			field = bytes.TrimSpace(field)
			if j != label && (i == 1 || missing[j]) && (isNumber(field) || commaNumber.Match(field)) {
				return true
			}
			missing[j] = missing[j] && isMissing(field)
		}
		if !slices.Contains(missing, true) {
			return false
		}
	}
	return false
}

// isNumber reports whether a field is a number, finite or not.
func isNumber(field []byte) bool {
	_, err := parseNumber(field)
	return !errors.Is(err, errNotNumber)
}

// parseNumber parses a finite decimal number.
func parseNumber(field []byte) (float64, error) {
	if v, n := parseDecimal(field); n == len(field) && n > 0 {
		return v, nil
	}
	v, err := strconv.ParseFloat(string(field), 64)
	switch {
	case err == nil && isGoLiteral(field):
		return 0, newCause(errNotNumber, clip(string(field))+" is not a number as files have it")
	case err == nil && v-v == 0:
		return v, nil
	case len(field) == 0:
		return 0, newCause(errMissing, "the field is empty, not a number")
	case err != nil && isMissingNumber(field):
		return 0, newCause(errMissing, clip(string(field))+" is not a number")
	case errors.Is(err, strconv.ErrRange):
		return 0, newCause(errInf, clip(string(field))+" is beyond the range of float64")
	case err != nil:
		return 0, notNumber(field)
	}
	return 0, notFiniteError(v)
}

// isGoLiteral reports whether a number is valid only in Go's syntax, such as 0x1p-2 and 1_000.
func isGoLiteral(field []byte) bool {
	digits := bytes.TrimLeft(field, "+-")
	return bytes.IndexByte(field, '_') >= 0 || len(digits) > 1 && (digits[1] == 'x' || digits[1] == 'X')
}

// textLabels contains all labels of a text file.
type textLabels struct {
	path    string
	enc     *encoder
	row     int
	decided bool // whether decideHeader has been called
}

// predictedHeader is the header of a file of labels that monge predict writes.
const predictedHeader = "label"

// decideHeader drops the first line of a file of labels if it is a header. The first line is a header
// if it equals predictedHeader, or if there is exactly one more line than rows of data. If rows is −1
// (not yet known), the first line is a header if it is the only line that is not a number. In this
// case, Reader.read checks the number of rows at the end.
func (l *textLabels) decideHeader(r *Reader, rows int) error {
	l.decided = true
	lines, first := len(l.enc.rows), l.enc.texts[0]
	switch {
	case first == predictedHeader:
		l.enc.dropFirst()
	case rows >= 0 && lines == rows+1, rows < 0 && lines > 1 && l.firstIsText():
		l.enc.dropFirst()
		r.notes = append(r.notes, Note{Text: fmt.Sprintf("the first line of the file of labels, %s, is a header, as there is one line more than there are rows", clip(first))})
	}
	if l.count() == 0 {
		return l.withName(newCause(errEmpty, "the file holds no labels"))
	}
	if rows >= 0 && rows != l.count() {
		return l.withName(labelCount(l.count(), rows))
	}
	return nil
}

// firstIsText reports whether the first line is the only line that is not a number.
func (l *textLabels) firstIsText() bool {
	for k, text := range l.enc.texts {
		if isNumber([]byte(text)) != (k > 0) {
			return false
		}
	}
	return true
}

func (l *textLabels) count() int { return len(l.enc.rows) }

func (l *textLabels) read(n int, use func(text []byte, place int)) error {
	for _, k := range l.enc.rows[l.row : l.row+n] {
		use([]byte(l.enc.texts[k]), l.enc.first[k])
	}
	l.row += n
	return nil
}

func (l *textLabels) withName(err error) error { return fileError(l.path, err) }

// readCSVLabels reads one label per line.
func readCSVLabels(r *bufio.Reader, most int) (*encoder, error) {
	t, err := newTable(r, ',', 0)
	if err != nil {
		return nil, err
	}
	var texts encoder
	for {
		rec, err := t.nextRecord()
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if len(rec) != 1 {
			return nil, &FileError{Row: t.line, Err: newCause(errShape, fmt.Sprintf("%d fields instead of one label", len(rec)))}
		}
		if len(texts.rows) > most { // one line may be a header
			return nil, newCause(ErrTooLarge, fmt.Sprintf("more than %d labels", most))
		}
		texts.add(rec[0], t.line)
	}
	if len(texts.rows) == 0 {
		return nil, newCause(errEmpty, "the file holds no labels")
	}
	return &texts, nil
}
