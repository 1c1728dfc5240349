// Package tabular is the contract between package dataset and the readers of files that are stored
// by columns, such as Parquet. Package dataset decides which columns are features, label and split;
// a reader registered here knows the file. So dataset reads such files in programs that import the
// reader, and is free of its dependencies in all others.
package tabular

import (
	"errors"
	"io"
	"math"
	"strconv"
)

// ErrNull is the cause of the error of Floats for a null where none is allowed.
var ErrNull = errors.New("a missing value")

// A Table is an open file that is stored by columns. It is read in batches of rows, and not by
// several goroutines at a time.
type Table interface {
	// Fields returns the columns, in their order.
	Fields() []Field
	// Rows returns the number of rows that the file declares, or −1 if only the end tells.
	Rows() int
	// Width returns the length of the first list of a column, and 1 for a column of another type.
	Width(column int) (int, error)
	// Use is called once, before the first batch, with the columns that Floats reads as features.
	Use(features []Feature)
	// AllowNulls is called before the first batch for columns whose nulls are no errors: Floats sets
	// them to NaN, and Texts hands nil to use.
	AllowNulls(column int)
	// Batch makes the next rows ready: at least one, at most so many. It returns io.EOF at the end.
	Batch(most int) (rows int, err error)
	// Floats sets dst[i·stride+k] to element k < width of row i of the batch. Floats and Texts are
	// called once a batch for every column in use.
	Floats(column int, dst []float64, width, stride int) error
	// Texts hands the elements of a column of the batch to use, which must not keep them: integers and
	// booleans in decimal, other numbers as AppendNumber writes them.
	Texts(column int, use func(text []byte)) error
	// Close removes temporary files. It does not close what the table was opened from.
	Close() error
}

// A Field is a column of a Table.
type Field struct {
	Name   string
	Kind   string // the type in words of the format, for messages
	List   bool   // of lists, which must all have one length
	Number bool   // of numbers or booleans, or lists of them
	Text   bool   // can be read by Texts
}

// AppendNumber appends the text of a label or an identifier that is a number: a whole number below 2⁵³ without
// a point, another one in as few digits as tell it apart, and nothing for NaN, which is a missing value.
func AppendNumber(dst []byte, v float64) []byte {
	switch {
	case v != v:
		return dst
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return strconv.AppendInt(dst, int64(v), 10)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}

// Half returns the IEEE 754 number of 16 bits: 1 sign, 5 exponent, 10 fraction.
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

// A Feature is a column that is read as numbers: Width of them, from column At of the samples on.
type Feature struct{ Column, Width, At int }

// An Opener opens a table. r is an io.ReaderAt and an io.Seeker unless it is a pipe. The table calls
// check before it allocates so many bytes at once for something that the file declares, and returns
// the error of check.
type Opener func(r io.Reader, check func(bytes int64) error) (Table, error)

// A RowGroup is a reader of a Parquet file that asks for one row group of it. A table that is opened
// from a RowGroup has only the rows of this group.
type RowGroup interface {
	RowGroup() int // from 0
}

var openers = map[string]Opener{}

// Register says how files of a format are opened. It is called by init functions.
func Register(format string, open Opener) { openers[format] = open }

// For returns the opener of a format, or nil.
func For(format string) Opener { return openers[format] }
