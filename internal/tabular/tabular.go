// Package tabular is the interface between package dataset and readers of columnar files such as
// Parquet. Package dataset decides which columns are features, labels and splits. A reader
// registers itself here. So dataset reads such files only in programs that import the reader, and
// does not depend on it.
package tabular

import (
	"errors"
	"io"
	"math"
	"strconv"
)

// ErrNull is the cause of the error that Floats returns for a null in a column that does not allow
// nulls.
var ErrNull = errors.New("a missing value")

// Table is an open columnar file. It is read in batches of rows by one goroutine at a time.
type Table interface {
	// Fields returns the columns in order.
	Fields() []Field
	// Rows returns the number of rows that the file declares, or −1 if it is known only at the end.
	Rows() int
	// Width returns the length of the first list in a column, or 1 for a column without lists.
	Width(column int) (int, error)
	// Use is called once, before the first batch. It announces the columns that Floats will read as
	// features.
	Use(features []Feature)
	// AllowNulls is called before the first batch for columns that may contain nulls. Floats
	// converts nulls to NaN, and Texts passes nil to use.
	AllowNulls(column int)
	// Batch loads at least one and at most most of the next rows. It returns io.EOF at the end.
	Batch(most int) (rows int, err error)
	// Floats sets dst[i·stride+k] to element k < width of row i of the batch. Floats and Texts are
	// called once for each batch and each column in use.
	Floats(column int, dst []float64, width, stride int) error
	// Texts calls use with the text of each element of a column of the batch. use must not retain
	// the text. Integers and booleans are in decimal, other numbers as AppendNumber formats them.
	Texts(column int, use func(text []byte)) error
	// Close removes temporary files. It does not close the underlying reader.
	Close() error
}

// Field is a column of a Table.
type Field struct {
	Name   string
	Kind   string // type name in the file format, for messages
	List   bool   // column of lists, which must all have the same length
	Number bool   // column of numbers or booleans, or lists of them
	Text   bool   // column can be read by Texts
}

// AppendNumber appends the text of a number used as a label or an identifier. A whole number below
// 2⁵³ has no decimal point; another number has the fewest digits that identify it. NaN, a missing
// value, appends nothing.
func AppendNumber(dst []byte, v float64) []byte {
	switch {
	case v != v:
		return dst
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return strconv.AppendInt(dst, int64(v), 10)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}

// Half decodes an IEEE 754 float16: 1 bit sign, 5 bits exponent, 10 bits fraction.
func Half(b uint16) float64 {
	exponent, fraction := int(b>>10&31), float64(b&1023)
	v := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		v = math.Inf(1)
	case exponent == 31:
		v = math.NaN()
	}
	if b>>15 == 1 {
		return -v
	}
	return v
}

// Feature is a column that is read as Width numbers, stored in the samples from column At on.
type Feature struct{ Column, Width, At int }

// Opener opens a table. r implements io.ReaderAt and io.Seeker unless it is a pipe. The table calls
// check before it allocates memory for a size declared by the file, and returns the error of check.
type Opener func(r io.Reader, check func(bytes int64) error) (Table, error)

// RowGroup is a reader of a Parquet file that selects one row group. A table opened from a RowGroup
// contains only the rows of this group.
type RowGroup interface {
	RowGroup() int // from 0
}

var openers = map[string]Opener{}

// Register registers the Opener of a format. It is called by init functions.
func Register(format string, open Opener) { openers[format] = open }

// For returns the Opener of a format, or nil.
func For(format string) Opener { return openers[format] }
