package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gomonge/monge/internal/enum"
	"github.com/gomonge/monge/internal/fault"
)

// A Schema describes how the columns of a table become the features of a model. ReadFile returns a
// Schema in Dataset.Schema, and wda.Model stores it. With Options.Schema, another file is read in
// the same way: its columns are matched by name, in any order, or by number if either file has no
// names. A Schema may be shared by several goroutines, but must not be changed while it is in use.
type Schema struct {
	// Columns are the columns that become features, in the order of the features.
	Columns []Column `json:"columns"`

	// Label is the name of the label column, or "" if it has no name. LabelNumber is its number in
	// the file, from 0, or −1 if there was no label column.
	Label       string `json:"label,omitempty"`
	LabelNumber int    `json:"label_number"`

	// LeftOut contains the names of the columns that are neither features nor the label. Total is
	// the number of all columns.
	LeftOut []string `json:"left_out,omitempty"`
	Total   int      `json:"total"`

	// Missing is the treatment of missing values; see Dataset.Impute.
	Missing Missing `json:"missing,omitempty"`

	// Rows describes which rows of the file were used.
	Rows Draw `json:"rows,omitzero"`
}

// A Draw describes which rows of a file were used. If Holdout is 0, all rows are used. Otherwise, the training set of
// TrainTest(Holdout, Seed) is used. If the field Sample is n > 0, the rows are further reduced by the method call
// Sample(n, Seed). Programs that draw rows fill in a Draw; this package only stores it.
type Draw struct {
	Holdout float64 `json:"holdout,omitempty"`
	Sample  int     `json:"sample,omitempty"`
	Seed    uint64  `json:"seed,omitempty"`
}

// A Column is a table column that becomes one or more features.
type Column struct {
	// Name is the name of the column, or "" if the file has no names. Number is its number in the
	// file, from 0.
	Name   string `json:"name,omitempty"`
	Number int    `json:"number"`

	// Width is the length of the lists in a column of lists. Each position becomes a feature. Width
	// is 0 for other columns.
	Width int `json:"width,omitempty"`

	// Categories contains the values of a text column. Each value becomes a feature, which is 1 in
	// rows with this value and 0 in all other rows. If all values are booleans, then True, true and
	// 1 are the same value, because file formats spell booleans differently. Categories is nil for
	// other columns.
	Categories []string `json:"categories,omitempty"`

	// Fill contains the replacement of a missing value for each feature of a numeric column. It is
	// nil if a missing value is an error. A missing category is 0 in all features of its column.
	Fill []float64 `json:"fill,omitempty"`
}

// featureCount returns the number of features of the column.
func (c *Column) featureCount() int {
	if c.Categories != nil {
		return len(c.Categories)
	}
	return max(1, c.Width)
}

// fills returns the replacement of a missing value of each feature: 0 for a category, and NaN for a
// number without a replacement.
func (s *Schema) fills() (fills []float64) {
	for i := range s.Columns {
		c := &s.Columns[i]
		for k := range c.featureCount() {
			switch {
			case c.Categories != nil:
				fills = append(fills, 0)
			case c.Fill != nil:
				fills = append(fills, c.Fill[k])
			default:
				fills = append(fills, math.NaN())
			}
		}
	}
	return fills
}

// Features returns the names of the features: the name of a column of numbers, "name[0]", "name[1]", …
// for lists, and "name=category" for categories. It returns nil if the columns have no names.
func (s *Schema) Features() []string {
	if s == nil || !s.hasNames() {
		return nil
	}
	var names []string
	for i := range s.Columns {
		c := &s.Columns[i]
		switch {
		case c.Categories != nil:
			for _, v := range c.Categories {
				names = append(names, c.Name+"="+v)
			}
		case c.Width > 0:
			for k := range c.Width {
				names = append(names, c.Name+"["+strconv.Itoa(k)+"]")
			}
		default:
			names = append(names, c.Name)
		}
	}
	return names
}

// Dim returns the number of features.
func (s *Schema) Dim() (d int) {
	for i := range s.Columns {
		d += s.Columns[i].featureCount()
	}
	return d
}

func (s *Schema) hasNames() bool { return len(s.Columns) > 0 && s.Columns[0].Name != "" }

// Plain reports whether s contains only a number of features. The columns of such a Schema have no
// names, all columns except possibly a last label column are features, and there are no categories,
// replacements of missing values or choices of rows.
func (s *Schema) Plain() bool {
	if s.hasNames() || s.Missing != MissingError || s.Rows != (Draw{}) {
		return false
	}
	for i, c := range s.Columns {
		if c.Number != i || c.Categories != nil || c.Fill != nil || c.Width > 0 {
			return false
		}
	}
	d := len(s.Columns)
	return s.LabelNumber < 0 && s.Total == d || s.LabelNumber == d && s.Total == d+1
}

// isPlainExceptRows reports whether s would be Plain if all rows were used.
func (s *Schema) isPlainExceptRows() bool {
	t := *s
	t.Rows = Draw{}
	return t.Plain()
}

// flattened returns a Schema with one column for each element of a list, for files that have no
// lists. It returns s if s has no lists.
func (s *Schema) flattened() *Schema {
	if !slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Width > 0 }) {
		return s
	}
	f := *s
	f.Columns = nil
	for i := range s.Columns {
		c := s.Columns[i]
		if c.Width == 0 {
			f.Columns = append(f.Columns, c)
			continue
		}
		for k := range c.Width {
			e := Column{Name: c.Name}
			if c.Fill != nil {
				e.Fill = c.Fill[k : k+1]
			}
			f.Columns = append(f.Columns, e)
		}
	}
	for i := range f.Columns {
		f.Columns[i].Number = i
	}
	f.LabelNumber, f.Total = -1, len(f.Columns)
	return &f
}

// Check returns an error that matches ErrSettings if s is incomplete or inconsistent.
func (s *Schema) Check() error {
	bad := func(format string, args ...any) error {
		return newCause(ErrSettings, "the schema is not valid: "+fmt.Sprintf(format, args...))
	}
	if len(s.Columns) == 0 {
		return bad("it has no columns")
	}
	if err := missingNames.Check(uint8(s.Missing)); err != nil {
		return err
	}
	if !(s.Rows.Holdout >= 0 && s.Rows.Holdout < 1) || s.Rows.Sample < 0 || s.LabelNumber < -1 || s.LabelNumber >= max(1, s.Total) || !utf8.ValidString(s.Label) {
		return bad("its label, or its rows")
	}
	names, numbers := map[string]bool{}, map[int]bool{}
	for i := range s.Columns {
		c := &s.Columns[i]
		seen := map[string]bool{}
		for _, v := range c.Categories {
			if seen[v] || !utf8.ValidString(v) {
				return bad("category %s of column %d", clip(v), i+1)
			}
			seen[v] = true
		}
		switch {
		case c.Name == "" == s.hasNames() || names[c.Name] && c.Name != "" || !utf8.ValidString(c.Name):
			return bad("the name %s of column %d", clip(c.Name), i+1)
		case c.Number < 0 || c.Number >= s.Total || numbers[c.Number]:
			return bad("the number %d of column %d of %d", c.Number, i+1, s.Total)
		case c.Width < 0 || c.Width > largestBlock || c.Width > 0 && c.Categories != nil || c.Categories != nil && len(c.Categories) == 0:
			return bad("the width or the categories of column %d", i+1)
		case c.Fill != nil && (c.Categories != nil || len(c.Fill) != c.featureCount() || slices.ContainsFunc(c.Fill, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })):
			return bad("the fill of column %d", i+1)
		case c.Fill == nil && c.Categories == nil && (s.Missing == MissingMean || s.Missing == MissingMedian):
			return bad("column %d has no fill for missing values", i+1)
		}
		names[c.Name], numbers[c.Number] = true, true
	}
	return nil
}

// Clone returns a deep copy of s.
func (s *Schema) Clone() *Schema {
	if s == nil {
		return nil
	}
	c := *s
	c.LeftOut = slices.Clone(s.LeftOut)
	c.Columns = slices.Clone(s.Columns)
	for i := range c.Columns {
		c.Columns[i].Categories = slices.Clone(c.Columns[i].Categories)
		c.Columns[i].Fill = slices.Clone(c.Columns[i].Fill)
	}
	return &c
}

// A ColumnsError lists the differences between the columns of a file and the columns of a Schema. It
// matches ErrFormat.
type ColumnsError struct {
	Missing []string // columns of the Schema that the file does not contain
	Extra   []string // columns of the file that the Schema does not contain
	// Renamed maps elements of Missing to elements of Extra that differ only in case, spaces or
	// punctuation.
	Renamed map[string]string
}

// Error names the columns, at most ten of each kind.
func (e *ColumnsError) Error() string {
	var parts []string
	if len(e.Missing) > 0 {
		var names []string
		for _, n := range e.Missing {
			q := clipName(n)
			if is, ok := e.Renamed[n]; ok {
				q += " (renamed to " + clipName(is) + "?)"
			}
			names = append(names, q)
		}
		parts = append(parts, "missing "+columnList(names))
	}
	var extra []string
	for _, n := range e.Extra {
		if !e.renamed(n) {
			extra = append(extra, clipName(n))
		}
	}
	if len(extra) > 0 {
		parts = append(parts, "unknown "+columnList(extra))
	}
	return "the columns are not those of the model: " + strings.Join(parts, "; ")
}

func (e *ColumnsError) renamed(name string) bool {
	for _, to := range e.Renamed {
		if to == name {
			return true
		}
	}
	return false
}

// columnList returns "column a" or "columns a, b, …".
func columnList(names []string) string {
	const most = 10
	if len(names) == 1 {
		return "column " + names[0]
	}
	if n := len(names); n > most {
		return fmt.Sprintf("%d columns %s, …", n, strings.Join(names[:most], ", "))
	}
	return "columns " + strings.Join(names, ", ")
}

// Unwrap returns ErrFormat.
func (e *ColumnsError) Unwrap() error { return ErrFormat }

// Match finds the columns of s in a table with the given column names, in any order. order[i] is the index of
// s.Columns[i] in names. Match ignores the label column and the columns in s.LeftOut. If extra is true, it ignores all
// other columns, too. If columns are missing or unknown, the error is a *ColumnsError.
func (s *Schema) Match(names []string, extra bool) (order []int, err error) {
	at := map[string]int{}
	for i, n := range names {
		if _, twice := at[n]; !twice {
			at[n] = i
		}
	}
	var e ColumnsError
	own := map[string]bool{s.Label: true}
	for _, n := range s.LeftOut {
		own[n] = true
	}
	for i := range s.Columns {
		name := s.Columns[i].Name
		own[name] = true
		j, ok := at[name]
		if !ok {
			e.Missing = append(e.Missing, name)
		}
		order = append(order, j)
	}
	for _, n := range names {
		if !own[n] {
			e.Extra = append(e.Extra, n)
		}
	}
	if e.Missing == nil && (extra || e.Extra == nil) {
		return order, nil
	}
	e.Renamed = map[string]string{}
	for _, m := range e.Missing {
		for _, x := range e.Extra {
			if foldName(m) == foldName(x) && !e.renamed(x) {
				e.Renamed[m] = x
				break
			}
		}
	}
	if extra {
		e.Extra = nil
	}
	return nil, &e
}

// foldName returns a name in lower case, without spaces and punctuation.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// Missing selects the treatment of missing values.
type Missing uint8

const (
	// MissingError makes a missing value an error.
	MissingError Missing = iota
	// MissingMean replaces a missing value by the mean of the column.
	MissingMean
	// MissingMedian replaces a missing value by the median of the column.
	MissingMedian
	// MissingDrop drops the rows with missing values.
	MissingDrop
)

var missingNames = enum.New("Missing", fault.ErrSettings, "error", "mean", "median", "drop")

// String returns the name: error, mean, median or drop.
func (m Missing) String() string { return missingNames.Name(uint8(m)) }

// MarshalText implements encoding.TextMarshaler. It returns the name of m.
func (m Missing) MarshalText() ([]byte, error) { return missingNames.Text(uint8(m)) }

// UnmarshalText implements encoding.TextUnmarshaler. An unknown name is an error that matches
// ErrSettings.
func (m *Missing) UnmarshalText(text []byte) error { return enum.Parse(m, text, missingNames) }
