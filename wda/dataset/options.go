package dataset

import (
	"cmp"
	"strconv"

	"github.com/gomonge/monge/internal/enum"
	"github.com/gomonge/monge/internal/fault"
)

// Options says how a file is to be read. The zero value, and a nil *Options, leave everything
// open. This suits a CSV file whose last column is the label, an NPZ file with the arrays X,
// y and perhaps split, an IDX file beside its labels, and an NPY file without labels.
type Options struct {
	// Format is the format of the file. FormatAuto, the default, goes by the name of the file,
	// else by its first bytes.
	Format Format

	// Labels says where the labels are. By default they are
	//   - in CSV, the last column,
	//   - in NPZ, the array y or else target, if there is one,
	//   - in IDX, the file that belongs to the samples (see ReadFile), if there is one,
	//   - in Parquet, Arrow and JSON lines, the column label or, if there is none, y,
	//   - with a Schema, its column of labels.
	Labels LabelSource

	// Columns chooses the columns that are features. Each element is the name of a column, its number
	// from 0 or, if negative, from the end, a range of names or numbers such as "height..weight" or
	// "0..9", both ends included, or a pattern of names, where * stands for any text and ? for one
	// character. By default all columns are features, except those of labels, of Split, Drop and ID,
	// and the index that pandas writes. Of Parquet, Arrow and JSON lines these are the columns of lists
	// of numbers, if there are any, and columns called label, y or split are no features.
	Columns []string

	// Drop chooses columns that are left out, as Columns does.
	Drop []string

	// ID chooses columns that identify the rows, as Columns does. They are not features. Block.IDs and
	// Dataset.IDs hold their texts. In NPZ files it names arrays.
	ID []string

	// OneHot chooses columns of text, as Columns does. Each value becomes a feature that is 0 or 1. The
	// values are known at the end of a file: only ReadFile and ReadAll accept OneHot.
	OneHot []string

	// Schema, unless it is nil, says which columns become features, and how. OneHot must then be nil. The
	// columns are found by their names. If the file or the Schema has no names, they are found by
	// their numbers; see Reader.ByNumber.
	Schema *Schema

	// AllowExtra allows columns that Schema does not know. They are left out.
	AllowExtra bool

	// KeepMissing reads missing values as NaN. In CSV these are empty fields and the texts NA, N/A, NaN,
	// null, None, ? and -; in arrays NaN; in Parquet, Arrow and JSON lines null. By default a missing value
	// is an error, unless Schema has something to put in its place.
	KeepMissing bool

	// KeepNA makes categories of the texts NA, N/A, #N/A, NaN, null and <NA> in columns of OneHot, which
	// otherwise are missing values. An empty field is always one.
	KeepNA bool

	// MissingLabels says what is done with rows whose label is missing. Default: the first is an error.
	MissingLabels MissingLabels

	// IgnoreLabels does not read the labels. Their column is still no feature.
	IgnoreLabels bool

	// Decimal is the decimal separator of a CSV file. If it also separates the fields, a number of the
	// first row must be in quotes. A number with a point is an error if the separator is another
	// character: the point may separate thousands. Default: a point.
	Decimal rune

	// Features names the array of the features in an NPZ file. Default: X or, if there is none, data.
	Features string

	// Split names the array of an NPZ file, or the column of a Parquet or Arrow file, for
	// Dataset.Split. Default: split, if there is one.
	Split string

	// Header says whether the first row of a CSV file names the columns.
	Header Header

	// Delimiter separates the fields of a CSV file. A blank stands for any number of blanks
	// and tabs. Default: a tab for .tsv and .tab files, a comma for others.
	Delimiter rune

	// Comment begins lines of a CSV file that are left out. Default: no line is a comment.
	Comment rune

	// Dim is the number of features that the caller needs. A CSV file with exactly so many
	// columns then has no labels by default. Default: any number.
	Dim int

	// Vector reads an NPY vector of n elements as a matrix of n × 1.
	Vector bool

	// MaxElements bounds rows × columns of what is read into memory. Default: 2³⁰, which
	// take 8 GiB. Reader.Next does not need it.
	MaxElements int

	// MaxExpansion bounds how many bytes of memory each byte of a compressed file may take,
	// so that a small file cannot fill the memory. Text counts as it is, numbers count 8
	// bytes. 64 MiB are always allowed. Default: 400.
	//
	// Reader.Next holds only one block of rows and does not need this limit, except in Parquet and
	// Arrow files: a small one may hold any number of rows, or a text, page or batch for many rows. There the
	// limit applies to the sum of what Next reads.
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

// A Header says whether the first row of a CSV file names the columns.
type Header uint8

const (
	// HeaderAuto takes the first row for names if none of its feature fields is a number, not
	// all of them are empty, and the second row has a number. A first row that has the names of
	// Options.Schema is a header, too, whatever the names look like.
	//
	// Other first rows with numbers are data, unless the rows below show that they are names: for
	// example, the row has only integers, but the numbers below have decimal places, or its last field
	// is called label. Reader.Notes then says so. A first row 0, 1, 2, … without such evidence is an
	// error, unless there is only one column.
	HeaderAuto Header = iota
	// HeaderPresent: the first row names the columns.
	HeaderPresent
	// HeaderAbsent: the first row is data.
	HeaderAbsent
)

var headerNames = enum.New("Header", fault.ErrSettings, "auto", "present", "absent")

// String returns the name: auto, present or absent.
func (h Header) String() string { return headerNames.Name(uint8(h)) }

// MarshalText implements encoding.TextMarshaler with the name.
func (h Header) MarshalText() ([]byte, error) { return headerNames.Text(uint8(h)) }

// UnmarshalText implements encoding.TextUnmarshaler. An unknown name is an error that matches
// ErrSettings.
func (h *Header) UnmarshalText(text []byte) error { return enum.Parse(h, text, headerNames) }

// A LabelSource says where the labels of samples are. Its zero value leaves that open; see
// Options.Labels. Others are made by LabelName, LabelIndex, LabelFile, NoLabels and
// ParseLabels.
type LabelSource struct {
	kind labelKind
	name string // of a column, array or file
	at   int    // of a column
}

type labelKind uint8

const (
	labelsAuto labelKind = iota
	labelsNamed
	labelsAt
	labelsParsed // an index, or a name
	labelsInFile
	labelsNone
)

// LabelName chooses the column or array of this name. In a CSV file it implies a header.
func LabelName(name string) LabelSource { return LabelSource{kind: labelsNamed, name: name} }

// LabelIndex chooses the column of a CSV file with this number: 0 is the first column, −1 the
// last.
func LabelIndex(i int) LabelSource {
	return LabelSource{kind: labelsAt, name: strconv.Itoa(i), at: i}
}

// ParseLabels chooses a column or array as a flag of a command does: text is its name or, if
// it is an integer, an index as in LabelIndex. A column with an integer as its name is chosen by
// that name only if Options.Header is HeaderPresent, or if the first row of numbers turns out to be a header. An empty text is the zero LabelSource.
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

// LabelFile reads the labels from a file of their own, in the order of the rows: text with
// one label per line, NPY, NPZ (array y) or IDX, plain or gzip-compressed. All columns of the
// data file are then features. ReadFile and Open accept it; NewReader returns an error.
func LabelFile(path string) LabelSource { return LabelSource{kind: labelsInFile, name: path} }

// NoLabels says that the samples have no labels: every column of a CSV file is a feature.
func NoLabels() LabelSource { return LabelSource{kind: labelsNone} }

// IsAuto reports whether this is the zero LabelSource.
func (l LabelSource) IsAuto() bool { return l == LabelSource{} }

// isChosen reports whether a column or array has been chosen.
func (l LabelSource) isChosen() bool {
	return l.kind == labelsNamed || l.kind == labelsAt || l.kind == labelsParsed
}

// notInSamples reports whether the file of samples must have no labels.
func (l LabelSource) notInSamples() bool { return l.kind == labelsInFile || l.kind == labelsNone }

// String returns auto, none, the name or index of a column or array, or file and its name.
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
