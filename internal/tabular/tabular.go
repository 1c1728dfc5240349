// Package tabular is the interface between package dataset and readers of columnar files such as
// Parquet. Package dataset decides which columns are features, labels and splits. Readers register
// themselves in package tabular. A program can therefore read columnar files only if it imports a
// reader, and package dataset does not depend on readers.
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
	// Fields returns the columns in the order of the file.
	Fields() []Field
	// Rows returns the number of rows that the file declares. It returns −1 if the number is known
	// only at the end of the file.
	Rows() int
	// Width returns the length of the first list in a column, or 1 for a column without lists.
	Width(column int) (int, error)
	// Use is called once, before the first batch. It announces the columns that Floats will read as
	// features.
	Use(features []Feature)
	// AllowNulls is called before the first batch for columns that may contain nulls. For such a
	// column, Floats converts nulls to NaN, and Texts calls its function with a nil text.
	AllowNulls(column int)
	// Batch loads the next rows. It loads at least one row and at most the given number of rows, or
	// returns io.EOF at the end.
	Batch(maxRows int) (rows int, err error)
	// Floats sets dst[i·stride+k] to element k < width of row i of the batch. Floats and Texts are
	// called once for each batch and each column in use.
	Floats(column int, dst []float64, width, stride int) error
	// Texts calls the given function for the text of each element of a column of the batch. The
	// function must not retain the text. Integers and booleans are in decimal. Other numbers are in
	// the format of AppendNumber.
	Texts(column int, use func(text []byte)) error
	// Close removes temporary files. It does not close the underlying reader.
	Close() error
}

// Field is a column of a Table.
type Field struct {
	Name   string
	Kind   string // type name in the file format, for messages
	List   bool   // column of lists, all of which must have the same length
	Number bool   // column of numbers or booleans, or of lists of numbers or booleans
	Text   bool   // column whose elements can be read by the method Texts
}

// AppendNumber appends the text of a number used as a label or an identifier. A whole number below
// 2⁵³ has no decimal point. Any other number has the fewest digits that identify it. If v is NaN,
// which is a missing value, AppendNumber appends nothing.
func AppendNumber(dst []byte, v float64) []byte {
	switch {
	case v != v:
		return dst
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return strconv.AppendInt(dst, int64(v), 10)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}

// Half decodes an IEEE 754 float16: 1 sign bit, 5 exponent bits and 10 fraction bits.
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

// Feature is a column of a file that is read as Width numbers. The numbers are stored in the
// samples, beginning at column At.
type Feature struct{ Column, Width, At int }

// Opener opens a table. The reader r implements io.ReaderAt and io.Seeker unless it is a pipe.
// Before the table allocates memory for a size declared by the file, it calls check. If check
// returns an error, the table returns the same error.
type Opener func(r io.Reader, check func(bytes int64) error) (Table, error)

// RowGroup is a reader of a Parquet file that selects one row group. A table opened from a RowGroup
// contains only the rows of this group.
type RowGroup interface {
	RowGroup() int // from 0
}

var openers = map[string]Opener{}

// Register registers the Opener of a format. Readers call it in init functions.
func Register(format string, open Opener) { openers[format] = open }

// For returns the Opener of a format, or nil if none is registered.
func For(format string) Opener { return openers[format] }
