// Package columnar reads and writes Apache Parquet and Apache Arrow files. A program that imports
// it can read them with package dataset, in blocks and with bounded memory. Package dataset does
// not import it, because the libraries below are large. NOTES.md has measurements.
package columnar

import (
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/gomonge/monge/internal/tabular"
	"github.com/gomonge/monge/wda/dataset"
)

func init() {
	tabular.Register(dataset.FormatParquet.String(), openParquet)
	tabular.Register(dataset.FormatArrow.String(), openArrow)
}

// A Source is what Parquet files are read from.
type Source interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// rowGroup is a row group of a file.
type rowGroup struct {
	*io.SectionReader
	group int
}

// RowGroup returns the file r as a row group of it, from 0, for dataset.NewReader: only its rows
// are read. Rows in errors count from the beginning of the group.
func RowGroup(r Source, group int) (Source, error) {
	size, err := r.Seek(0, io.SeekEnd)
	return &rowGroup{io.NewSectionReader(r, 0, size), group}, err
}

// RowGroups returns how many rows each row group of a Parquet file has.
func RowGroups(r Source) (rows []int64, err error) {
	defer func() {
		if r := recover(); r != nil { // on some damaged files
			err = fmt.Errorf("%w: %v", dataset.ErrFormat, r)
		}
	}()
	f, err := file.NewParquetReader(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", dataset.ErrFormat, err)
	}
	for g := range f.NumRowGroups() {
		rows = append(rows, f.MetaData().RowGroup(g).NumRows())
	}
	return rows, nil
}

// in returns the error of an element of a row group or batch, whose rows count from 0.
func in(part string, number, row int, cause error, what string) error {
	return &dataset.FileError{Row: row + 1, Err: fmt.Errorf("%s %d: %s: %w", part, number, what, cause)}
}
