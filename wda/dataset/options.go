package dataset

import (
	"cmp"
	"strconv"

	"github.com/gomonge/monge/internal/enum"
	"github.com/gomonge/monge/internal/fault"
)

// Options controls how a file is read. The zero value and a nil *Options use all defaults. The
// defaults read a CSV file whose last column is the label, an NPZ file with the arrays X, y and
// optionally split, an IDX file in the same folder as its labels, and an NPY file without labels.
// Readers copy Options but share the Schema and the slices; do not change the Schema or the slices
// while a Reader is in use.
type Options struct {
	// Format is the format of the file. FormatAuto, the default, detects it from the file name (see
	// FormatOf) or else from the first bytes.
	Format Format

	// Labels is the source of the labels. The default is
	//   - in CSV, the last column,
	//   - in NPZ, the array y or else target, if either exists,
	//   - in IDX, the label file that belongs to the sample file (see ReadFile), if it exists,
	//   - in Parquet, Arrow and JSON lines, the column label or else y, if either exists,
	//   - with a Schema, the label column of the Schema.
	Labels LabelSource

	// Columns selects the feature columns. Each element is the name of a column, its number (from
	// 0, or from the end if negative), or an inclusive range of names or numbers such as
	// "height..weight" or "0..9". An element may also be a pattern of names, in which * matches any
	// text and ? one character. By default, all columns are features except the label, Split, Drop
	// and ID columns and the index that pandas writes. In Parquet, Arrow and JSON lines, the
	// default also excludes columns called label, y or split. If a Parquet, Arrow or JSON lines
	// file contains lists of numbers, only the lists are features by default.
	Columns []string

	// Drop selects columns to ignore, with the syntax of Columns.
	Drop []string

	// ID selects columns that identify the rows, with the syntax of Columns. ID columns are not
	// features; Block.IDs and Dataset.IDs contain their text. For NPZ files, ID contains names of
	// arrays.
	ID []string

	// OneHot selects text columns, with the syntax of Columns. Each distinct value becomes a feature
	// that is 0 or 1. Only ReadFile and ReadAll support OneHot, because the values are known only after
	// the whole file has been read.
	OneHot []string

	// If Schema is not nil, it determines which columns become features, and how. OneHot and Schema
	// must not both be set. Columns are matched by name, or by number if the file or the Schema has
	// no names (see Reader.ByNumber).
	Schema *Schema

	// AllowExtra ignores columns that Schema does not contain. By default such columns are an
	// error.
	AllowExtra bool

	// KeepMissing reads missing values as NaN. In CSV, empty fields and the texts NA, N/A, #N/A, NaN, null and <NA> are
	// missing values; in columns of numbers, None, ? and - are also missing values. In an array, NaN is a missing
	// value. In Parquet, Arrow and JSON lines, null is a missing value. By default, a missing value is an error, unless
	// Schema contains a replacement.
	KeepMissing bool

	// KeepNA treats the texts NA, N/A, #N/A, NaN, null and <NA> in OneHot columns as categories. By
	// default they are missing values. An empty field is always a missing value.
	KeepNA bool

	// MissingLabels selects the treatment of rows without a label. By default, a missing label is
	// an error.
	MissingLabels MissingLabels

	// IgnoreLabels skips the labels. The label column still does not become a feature.
	IgnoreLabels bool

	// Decimal is the decimal separator of a CSV file. Default: a point. With another separator, a
	// number with a point is an error, because the point may separate thousands. If Decimal equals the
	// field separator, a number in the first row must be quoted.
	Decimal rune

	// Features is the name of the feature array in an NPZ file. Default: X, or data if there is no X.
	Features string

	// Split is the name of the array of an NPZ file, or of the column of a Parquet or Arrow file,
	// that becomes Dataset.Split. Default: split, if it exists.
	Split string

	// Header specifies whether the first row of a CSV file names the columns.
	Header Header

	// Delimiter separates the fields of a CSV file. A space means any number of spaces and
	// tabs. Default: a tab for .tsv and .tab files, a comma for others.
	Delimiter rune

	// Comment is the first character of comment lines in a CSV file. Comment lines are skipped.
	// Default: no comments.
	Comment rune

	// Dim is the number of features that the caller expects. A CSV file with exactly Dim columns is
	// read without labels, unless Labels is set. Default: any number.
	Dim int

	// Vector reads an NPY vector of n elements as an n × 1 matrix. By default, a vector is an
	// error.
	Vector bool

	// MaxElements is the largest number of matrix elements (rows × columns) that is read into
	// memory. Default: 2³⁰, which take 8 GiB. It does not limit Reader.Next.
	MaxElements int

	// MaxExpansion is the largest ratio of decoded bytes to bytes of a compressed file. It prevents a small file from
	// exhausting memory. A number counts as 8 bytes, and a text counts as its length. 64 MiB are always allowed. Default: 400.
	//
	// In most formats, the limit does not apply to Reader.Next, because Next holds only one block of rows. In Parquet
	// and Arrow files, a few bytes can encode any number of rows, so the limit applies to the sum of all bytes that
	// Next decodes.
	MaxExpansion int
}

// orDefault returns *o, or the default options if o is nil.
func (o *Options) orDefault() Options {
	if o == nil {
		return Options{}
	}
	return *o
}

func (o *Options) maxElements() int {
	if o.MaxElements > 0 {
		return o.MaxElements
	}
	return 1 << 30
}

func (o *Options) maxExpansion() int64 {
	if o.MaxExpansion > 0 {
		return int64(o.MaxExpansion)
	}
	return 400
}

func (o *Options) splitName() string { return cmp.Or(o.Split, "split") }

// A Header specifies whether the first row of a CSV file contains the column names.
type Header uint8

const (
	// HeaderAuto treats the first row as a header if none of its feature fields is a number, at least one of these
	// fields is not empty, and the second row contains a number. If a field of the second row is a missing value, a
	// number below this field in the first 100 rows is sufficient. A first row that contains the names of
	// Options.Schema is also a header.
	//
	// Any other first row that contains numbers is data, unless there is evidence for a header: for example, the first
	// row contains only integers but the rows below have decimal places, or the last field is "label". Reader.Notes
	// reports a decision that is not certain. A first row 0, 1, 2, … without such evidence is an error, unless there is
	// only one column.
	HeaderAuto Header = iota
	// HeaderPresent means that the first row contains the column names.
	HeaderPresent
	// HeaderAbsent means that the first row is data.
	HeaderAbsent
)

var headerNames = enum.New("Header", fault.ErrSettings, "auto", "present", "absent")

// String returns the name: auto, present or absent.
func (h Header) String() string { return headerNames.Name(uint8(h)) }

// MarshalText implements encoding.TextMarshaler. It returns the name of h.
func (h Header) MarshalText() ([]byte, error) { return headerNames.Text(uint8(h)) }

// UnmarshalText implements encoding.TextUnmarshaler. An unknown name is an error that matches
// ErrSettings.
func (h *Header) UnmarshalText(text []byte) error { return enum.Parse(h, text, headerNames) }

// A LabelSource specifies where the labels of samples are. The zero value selects the default of
// Options.Labels. LabelName, LabelIndex, LabelFile, NoLabels and ParseLabels return other values.
type LabelSource struct {
	kind labelKind
	name string // name of a column, array or file
	at   int    // number of a column
}

type labelKind uint8

const (
	labelsAuto labelKind = iota
	labelsNamed
	labelsAt
	labelsParsed // an integer that is an index or a name
	labelsInFile
	labelsNone
)

// LabelName selects the column or array with this name. In a CSV file it implies a header.
func LabelName(name string) LabelSource { return LabelSource{kind: labelsNamed, name: name} }

// LabelIndex selects a column of a CSV file by number: 0 is the first column, −1 is the last.
func LabelIndex(i int) LabelSource {
	return LabelSource{kind: labelsAt, name: strconv.Itoa(i), at: i}
}

// ParseLabels returns the LabelSource for the text of a command-line flag. The text is the name of a column or array,
// or an integer. An integer is an index as in LabelIndex, unless Options.Header is HeaderPresent or the reader
// recognizes a first row of numbers as a header. In these two cases it is a name. An empty text is the zero LabelSource.
func ParseLabels(text string) LabelSource {
	if text == "" {
		return LabelSource{}
	}
	l := LabelSource{kind: labelsNamed, name: text}
	if i, err := strconv.Atoi(text); err == nil {
		l.kind, l.at = labelsParsed, i
	}
	return l
}

// LabelFile reads the labels from a separate file, in the order of the rows. The file is text with one
// label per line, NPY, NPZ (array y) or IDX, plain or gzip-compressed. All columns of the data file are
// then features. ReadFile and Open accept a LabelFile; NewReader returns an error.
func LabelFile(path string) LabelSource { return LabelSource{kind: labelsInFile, name: path} }

// NoLabels returns the LabelSource of samples without labels: every column of a CSV file is a
// feature.
func NoLabels() LabelSource { return LabelSource{kind: labelsNone} }

// IsAuto reports whether l is the zero LabelSource.
func (l LabelSource) IsAuto() bool { return l == LabelSource{} }

// isChosen reports whether l selects a column or array.
func (l LabelSource) isChosen() bool {
	return l.kind == labelsNamed || l.kind == labelsAt || l.kind == labelsParsed
}

// notInSamples reports whether l is a separate file of labels or means no labels.
func (l LabelSource) notInSamples() bool { return l.kind == labelsInFile || l.kind == labelsNone }

// String returns "auto", "none", the name or index of a column or array, or "file" and the file
// name.
func (l LabelSource) String() string {
	switch l.kind {
	case labelsAuto:
		return "auto"
	case labelsNone:
		return "none"
	case labelsInFile:
		return "file " + l.name
	}
	return l.name
}
