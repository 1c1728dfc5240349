package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gomonge/monge/internal/fault"
)

// A FileError wraps one of these errors or an error of the operating system, such as
// fs.ErrNotExist. Package wda exports the last three under the same names.
var (
	// ErrFormat means that the file is damaged, truncated or empty, or has a wrong shape or type.
	ErrFormat = errors.New("not a valid file of its format")
	// ErrTooLarge means that the data exceed Options.MaxElements or Options.MaxExpansion.
	ErrTooLarge = errors.New("too large")
	// ErrNotFinite means that a value is missing, is not a number, or is NaN or infinite.
	ErrNotFinite = fault.ErrNotFinite
	// ErrLabels means that labels are missing, or that there are more or fewer labels than rows.
	ErrLabels = fault.ErrLabels
	// ErrSettings means that options or arguments are invalid.
	ErrSettings = fault.ErrSettings
)

// Causes of errors.
var (
	errTruncated   = newCause(ErrFormat, "the file ends too early")
	errType        = newCause(ErrFormat, "unsupported element type")
	errShape       = newCause(ErrFormat, "wrong shape")
	errEmpty       = newCause(ErrFormat, "no data")
	errRagged      = newCause(ErrFormat, "wrong number of fields")
	errNoArray     = newCause(ErrFormat, "no such array")
	errNoFeatures  = newCause(errNoArray, "no array of features")
	errTextColumn  = newCause(errNoNumbers, "a column of text")
	errNoNumbers   = newCause(ErrFormat, "a column without numbers")
	errLabelColumn = newCause(fault.ErrSettings, "the labels are in a column")
	errDelimiter   = newCause(ErrFormat, "fields separated by another character")
	errComment     = newCause(ErrFormat, "a comment")
	errHeader      = errors.New("or is this row a header?")
	errUnclear     = newCause(ErrFormat, "a header, or data")
	errLastEmpty   = newCause(ErrFormat, "an empty last column")
	errThousands   = newCause(errNotNumber, "separators of thousands")
	errNoColumn    = newCause(ErrFormat, "no such column")
	errCategory    = newCause(ErrFormat, "an unknown category")
	errNotNumber   = newCause(fault.ErrNotFinite, "not a number")
	errText        = newCause(errNotNumber, "text where a number is expected")
	errMissing     = newCause(errNotNumber, "a missing value")
	errDecimal     = newCause(errNotNumber, "a decimal comma")
	errNaN         = newCause(fault.ErrNotFinite, "NaN")
	errInf         = newCause(fault.ErrNotFinite, "infinite value")
	errExpansion   = newCause(ErrTooLarge, "out of proportion to the compressed file")
	errNoLabels    = newCause(fault.ErrLabels, "no labels")
	errLabelEmpty  = newCause(errNoLabels, "the label is missing")
	errLabelCount  = newCause(fault.ErrLabels, "the number of labels is not the number of rows")
)

// suggestedOptions lists, for each cause of an error, the field of Options that may fix the error. value is the new
// value of the field, or "" if no single value always fixes the error. The first entry that matches the
// error is used.
var suggestedOptions = []struct {
	cause         error
	option, value string
}{
	{errHeader, "Header", "present"}, {errUnclear, "Header", ""}, {errLastEmpty, "Drop", ""}, {errTextColumn, "OneHot", ""}, {errNoNumbers, "Columns", ""}, {errLabelColumn, "Labels", ""}, {errLabelEmpty, "MissingLabels", ""}, {errDelimiter, "Delimiter", ""}, {errComment, "Comment", ""},
	{errNoFeatures, "Features", ""}, {errExpansion, "MaxExpansion", ""}, {errText, "OneHot", ""}, {errMissing, "KeepMissing", ""}, {errDecimal, "Decimal", ""}, {errNaN, "KeepMissing", ""},
}

// A FileError describes a problem with an input file and its position. All readers of this package
// return it.
type FileError struct {
	Path  string // the file, as the caller named it; "" for an io.Reader
	Array string // the array of an NPZ file; "" in other formats

	// Row is the number of the row, from 1. In a CSV file, it counts lines, including the header
	// and blank lines. In other formats, it counts samples. Row is 0 if the error does not concern
	// a row.
	Row int

	// Column is the number of the column, from 1, including the label column. It is 0 if the error
	// does not concern a column.
	Column int

	Name   string // name of the column; "" if it has none
	Option string // name of the field of Options that may fix the error, or ""
	Value  string // suggested value of the field Option, such as ";" for Delimiter, or ""
	Err    error  // the cause; wraps an error of this package or of the operating system
}

// Error returns the known parts of the position and the cause in one line, for example:
//
//	wine.csv: row 3, column 1 (alcohol): "abc" is not a number
//
// Control characters in names are escaped.
func (e *FileError) Error() string {
	var parts []string
	if e.Path != "" {
		parts = append(parts, printable(e.Path))
	}
	if e.Array != "" {
		parts = append(parts, "array "+printable(e.Array))
	}
	var at []string
	if e.Row > 0 {
		at = append(at, "row "+strconv.Itoa(e.Row))
	}
	if e.Column > 0 {
		c := "column " + strconv.Itoa(e.Column)
		if e.Name != "" {
			c += " (" + printable(truncate(e.Name, longestName)) + ")"
		}
		at = append(at, c)
	}
	if len(at) > 0 {
		parts = append(parts, strings.Join(at, ", "))
	}
	return strings.Join(append(parts, e.Err.Error()), ": ")
}

// printable escapes control characters, because a terminal might interpret them as commands.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	q := strconv.Quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// cause is an error that has its own text and matches a sentinel error.
type cause struct {
	sentinel error
	text     string
	value    string // for FileError.Value
}

func (c *cause) Error() string { return c.text }
func (c *cause) Unwrap() error { return c.sentinel }

func newCause(sentinel error, text string) error { return &cause{sentinel: sentinel, text: text} }

// fileError adds path to err, unless err already contains a path.
func fileError(path string, err error) error {
	if err == nil {
		return nil
	}
	fe, ok := errors.AsType[*FileError](err)
	if !ok {
		fe = &FileError{Err: withoutPath(err)}
	}
	fe.Path = cmp.Or(fe.Path, path)
	for _, h := range suggestedOptions {
		if fe.Option == "" && errors.Is(fe.Err, h.cause) {
			fe.Option, fe.Value = h.option, h.value
		}
	}
	if c, ok := errors.AsType[*cause](fe.Err); ok && fe.Value == "" {
		fe.Value = c.value
	}
	return fe
}

// withoutPath removes the path from a system error, because FileError.Path contains the path.
func withoutPath(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// unknownColumnText returns the message for an unknown column. The message also lists the known
// names.
func unknownColumnText(name string, names []string) string {
	text := fmt.Sprintf("no column is called %s; the columns are ", clip(name))
	for i, n := range names {
		if i == 8 {
			return text + ", …"
		}
		if i > 0 {
			text += ", "
		}
		text += clip(n)
	}
	return text
}

// longestName is the largest length of a column or class name in a message.
const longestName = 100

// clip shortens a field of a damaged file for a message.
func clip(s string) string { return strconv.Quote(truncate(s, 40)) }

// clipName shortens a name for a message.
func clipName(s string) string { return strconv.Quote(truncate(s, longestName)) }

// truncate returns s if s has at most the given number of bytes. Otherwise it returns the beginning
// of s and an ellipsis.
func truncate(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// A Note describes a decision of a reader that the caller might not expect.
type Note struct {
	Text   string // a sentence without a period
	Option string // field of Options that changes the decision, or ""
	Value  string // suggested value of the field that Option names, or ""
}
