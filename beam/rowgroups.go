package mongebeam

import (
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/gomonge/monge/internal/tabular"
	"github.com/gomonge/monge/wda/dataset"
	_ "github.com/gomonge/monge/wda/dataset/columnar" // reads Parquet and Arrow
)

// parquetSource provides random access to the bytes of a Parquet file.
type parquetSource interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// rowGroup is a Parquet file from which dataset.NewReader reads only one row group. Errors count rows
// from the beginning of the group.
type rowGroup struct {
	*io.SectionReader
	number int // from 0
}

var _ tabular.RowGroup = (*rowGroup)(nil)

// RowGroup returns the number of the row group.
func (g *rowGroup) RowGroup() int { return g.number }

func newRowGroup(r parquetSource, number int) (*rowGroup, error) {
	size, err := r.Seek(0, io.SeekEnd)
	return &rowGroup{io.NewSectionReader(r, 0, size), number}, err
}

// rowsOfGroups returns the number of rows of each row group of a Parquet file.
func rowsOfGroups(r parquetSource) (rows []int64, err error) {
	defer func() {
		if r := recover(); r != nil { // NewParquetReader panics on some damaged files
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
