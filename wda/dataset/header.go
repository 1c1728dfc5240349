package dataset

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// If the first row contains numbers, up to headerRows rows below it are examined to decide whether it is
// a header.
const headerRows = 100

// firstRow is the first row of a CSV file, which may be a header.
type firstRow struct {
	fields  []string
	quoted  bool // whether all fields are in quotes
	numbers []int
	texts   []int
	label   int // the column that is probably the label, or −1
	below   []record
	decimal byte // the decimal separator
}

// headerVerdict says whether a first row with numbers is a header.
type headerVerdict uint8

const (
	rowIsData headerVerdict = iota
	rowIsDataProbably
	rowIsHeader
	rowIsUnclear
)

// decideHeader reports whether the first record names the columns. It may read more records ahead.
func (c *csvSamples) decideHeader(first record, label int, opt *Options) (present bool, err error) {
	switch {
	case opt.Header != HeaderAuto:
		return opt.Header == HeaderPresent, nil
	case namesColumns(first.fields, opt), c.isHeader(first.fields, label):
		return true, nil
	}
	row := c.newFirstRow(first, label, opt)
	if opt.Schema != nil && opt.Schema.hasNames() && row.hasNames(opt.Schema) {
		c.noteHeader(row, rowIsHeader)
		return true, nil
	}
	verdict := row.sequenceVerdict()
	if verdict == rowIsUnclear || row.mayBeNames() {
		for len(c.pending) <= headerRows && c.pending[len(c.pending)-1].err == nil {
			c.pending = append(c.pending, c.t.copyRecord())
		}
		for _, r := range c.pending[1:] {
			if r.err == nil && len(r.fields) == len(row.fields) {
				row.below = append(row.below, r)
			}
		}
		verdict = row.verdictFromRows()
	}
	if verdict == rowIsUnclear {
		return false, &FileError{Row: first.line, Err: newCause(errUnclear, fmt.Sprintf("the row %s may be data, or a header of names that are numbers", row.clipped()))}
	}
	c.noteHeader(row, verdict)
	return verdict == rowIsHeader, nil
}

func (c *csvSamples) newFirstRow(first record, label int, opt *Options) *firstRow {
	row := &firstRow{quoted: first.quotes >= 2*len(first.fields), label: label, decimal: '.'}
	if opt.Decimal != 0 {
		row.decimal = byte(opt.Decimal)
	}
	for j, field := range first.fields {
		field = bytes.TrimSpace(field)
		row.fields = append(row.fields, string(field))
		if isNumber(field) || commaNumber.Match(field) {
			row.numbers = append(row.numbers, j)
		} else {
			row.texts = append(row.texts, j)
		}
	}
	return row
}

// noteHeader records a Note about a decision that is not certain.
func (c *csvSamples) noteHeader(row *firstRow, verdict headerVerdict) {
	switch verdict {
	case rowIsHeader:
		c.headerNote = &Note{Text: fmt.Sprintf("the first row, %s, is taken for a header", row.clipped()), Option: "Header", Value: HeaderAbsent.String()}
	case rowIsDataProbably:
		c.headerNote = &Note{Text: fmt.Sprintf("the first row, %s, is taken for data", row.clipped()), Option: "Header", Value: HeaderPresent.String()}
	}
}

func (row *firstRow) clipped() string { return clip(strings.Join(row.fields, ", ")) }

// hasNames reports whether the row contains the names of all columns of a Schema.
func (row *firstRow) hasNames(s *Schema) bool {
	for i := range s.Columns {
		if !slices.Contains(row.fields, s.Columns[i].Name) {
			return false
		}
	}
	return true
}

// isSequence reports whether the numbers of the row are 0, 1, 2, … and at least one is a feature.
func (row *firstRow) isSequence() bool {
	for i, j := range row.numbers {
		if row.fields[j] != strconv.Itoa(i) {
			return false
		}
	}
	return len(row.features()) > 0
}

// sequenceVerdict returns a verdict on the first row alone, before other rows are examined. A row
// with the numbers 0, 1, 2, … may be a header. Any other row is data.
func (row *firstRow) sequenceVerdict() headerVerdict {
	switch {
	case !row.isSequence():
		return rowIsData
	case len(row.fields) == 1:
		return rowIsDataProbably
	}
	return rowIsUnclear
}

// mayBeNames reports whether a row of numbers other than 0, 1, 2, … may be a header.
func (row *firstRow) mayBeNames() bool {
	return len(row.numbers) > 0 && (row.namesLabel() || len(row.features()) > 1 && row.increases())
}

// features returns the indices of the columns with numbers, without the label column.
func (row *firstRow) features() []int {
	return slices.DeleteFunc(slices.Clone(row.numbers), func(j int) bool { return j == row.label })
}

// increases reports whether the feature fields are integers in strictly increasing order.
func (row *firstRow) increases() bool {
	last := -1
	for _, j := range row.features() {
		v, err := strconv.Atoi(row.fields[j])
		if err != nil || v <= last {
			return false
		}
		last = v
	}
	return true
}

// namesLabel reports whether a field of the row is a usual name for a label column.
func (row *firstRow) namesLabel() bool {
	return slices.ContainsFunc(row.texts, func(j int) bool { return isLabelName(row.fields[j]) })
}

func isLabelName(text string) bool {
	return slices.Contains([]string{"label", "labels", "class", "target", "species", "y"}, strings.ToLower(text))
}

// verdictFromRows compares the row with the rows below and returns the verdict.
func (row *firstRow) verdictFromRows() headerVerdict {
	sequence, features := row.isSequence(), row.features()
	if row.occursBelow() {
		return rowIsData
	}
	if len(row.texts) == 0 {
		switch decimals := row.countDecimalsDiffer(features); {
		case sequence && len(row.fields) == 1:
			return rowIsDataProbably
		case sequence && row.unquotedBelow(), sequence && len(row.fields) > 2 && decimals > 1:
			return rowIsHeader
		case sequence:
			return rowIsUnclear
		case len(features) > 2 && decimals == len(features) && len(row.below) >= 5 && row.increases():
			return rowIsHeader
		}
		return rowIsData
	}
	named := false
	for _, j := range row.texts {
		switch text := row.fields[j]; {
		case row.fieldOccursBelow(j):
			return rowIsData
		case text == "" && j > 0: // a missing value
			return rowIsData
		case text == "", row.numbersBelow(j):
			named = true
		case isLabelName(text):
			// A field "y" may be a column name or the label "yes". It is a label if a later field of
			// the column begins with n, as in "no".
			named = named || len(text) > 1 || !slices.ContainsFunc(row.below, func(r record) bool { return strings.HasPrefix(strings.ToLower(row.cell(r, j)), "n") })
		}
	}
	all := len(features) > 0 && row.countDecimalsDiffer(features) == len(features) && len(row.below) > 0
	switch {
	case named && (sequence || row.increases() || row.namesLabel()):
		return rowIsHeader
	case sequence && len(row.fields) > 2 && (all || row.unquotedBelow()):
		return rowIsHeader
	case sequence && (len(row.fields) > 2 || slices.ContainsFunc(row.texts, row.repeatsBelow)):
		return rowIsUnclear
	case all && len(features) > 1 && len(row.below) >= 5 && (slices.ContainsFunc(row.texts, row.repeatsBelow) || row.increases()):
		return rowIsHeader
	}
	return rowIsData
}

// occursBelow reports whether a later row equals the first row. If so, the first row is not a
// header.
func (row *firstRow) occursBelow() bool {
	return slices.ContainsFunc(row.below, func(r record) bool {
		for j, text := range row.fields {
			if row.cell(r, j) != text {
				return false
			}
		}
		return true
	})
}

func (row *firstRow) cell(r record, j int) string { return string(bytes.TrimSpace(r.fields[j])) }

// fieldOccursBelow reports whether field j also occurs in column j of a row below.
func (row *firstRow) fieldOccursBelow(j int) bool {
	return row.fields[j] != "" && slices.ContainsFunc(row.below, func(r record) bool { return row.cell(r, j) == row.fields[j] })
}

// repeatsBelow reports whether two of the rows below the first row have the same text in column j.
func (row *firstRow) repeatsBelow(j int) bool {
	seen := map[string]bool{}
	for _, r := range row.below {
		if text := row.cell(r, j); seen[text] {
			return true
		} else {
			seen[text] = true
		}
	}
	return false
}

// numbersBelow reports whether there are rows below the first row, and all their fields in column j
// are numbers.
func (row *firstRow) numbersBelow(j int) bool {
	return len(row.below) > 0 && !slices.ContainsFunc(row.below, func(r record) bool { return !isNumber(bytes.TrimSpace(r.fields[j])) })
}

// unquotedBelow reports whether the first row is in quotes and the second row is not.
func (row *firstRow) unquotedBelow() bool {
	return row.quoted && len(row.below) > 0 && row.below[0].quotes < 2*len(row.fields)
}

// countDecimalsDiffer counts the columns in which the first field is an integer and the numbers
// below are not, and the columns in which the first field is not an integer and the numbers below are.
func (row *firstRow) countDecimalsDiffer(columns []int) (n int) {
	for _, j := range columns {
		integer, decimals, integers := isInteger(row.fields[j], row.decimal), 0, 0
		for _, r := range row.below {
			switch text := row.cell(r, j); {
			case isMissingNumber([]byte(text)):
			case isInteger(text, row.decimal):
				integers++
			default:
				decimals++
			}
		}
		if integer && decimals > 0 && integers == 0 || !integer && integers > 0 && decimals == 0 {
			n++
		}
	}
	return n
}

// isInteger reports whether a number has neither decimal places nor an exponent.
func isInteger(text string, decimal byte) bool {
	return text != "" && !strings.ContainsAny(text, string(rune(decimal))+"eE")
}
