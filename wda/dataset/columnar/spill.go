package columnar

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/internal/tabular"
	"github.com/gomonge/monge/wda/dataset"
)

const (
	// heldBytes limits the memory that the library may use to read the columns of a row group side by side.
	heldBytes = 32 << 20
	// spilledAtOnce is the number of columns that are decoded into a temporary file at a time.
	spilledAtOnce = 2
	// windowBytes is the number of bytes of the temporary file that are read at a time.
	windowBytes = 8 << 20
)

// spill is a row group whose features have been decoded, column by column, into a temporary file.
// Reading many columns side by side would take too much memory: a page, its compressed bytes and a
// dictionary for each column.
type spill struct {
	file    *outfile.File
	columns []spilled
	pool    parallel.Pool
	window  []byte // a range of rows of all columns, one column after the other
	from    int    // index of the first row in the window
	rows    int    // rows in the window
}

// spilled is a feature of a row group in the temporary file.
type spilled struct {
	tabular.Feature
	size  int         // bytes of an element: 4 for float32, 8 for all other types, which become float64
	begin int64       // offset in the file
	at    int         // offset in the window
	wrong *rowProblem // error that ends the column early, or nil
}

// rowBytes returns the number of bytes in one row.
func (c *spilled) rowBytes() int { return c.Width * c.size }

// estimateMemory estimates how much memory the library needs to read all features of a row group. Each feature needs a
// page, the compressed bytes of the page and a dictionary. The footer does not contain page sizes, so a page counts as
// the usual largest page size, or as the size of the column if the column is smaller.
func (p *parquetFile) estimateMemory(group int) (bytes int64, err error) {
	const page, dictionary = 1 << 20, 1 << 20
	for _, f := range p.features {
		chunk, err := p.r.MetaData().RowGroup(group).ColumnChunk(f.Column)
		if err != nil {
			return 0, err
		}
		whole := max(0, chunk.TotalUncompressedSize())
		bytes += 2 * min(whole, page)
		if chunk.HasDictionaryPage() {
			bytes += min(whole, dictionary)
		}
	}
	return bytes, nil
}

// spillGroup decodes the features of the current row group into the temporary file. If a column has an
// invalid row, Floats returns the error when it reaches this row.
func (p *parquetFile) spillGroup(rows int) error {
	// Command monge sets GOGC to 25 to save memory. With this value, garbage collection would take half of the
	// time of spillGroup.
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	s := &p.spill
	if s.file == nil {
		f, err := outfile.Temporary()
		if err != nil {
			return temporaryFileError(err)
		}
		s.file = f
	}
	s.columns, s.rows = make([]spilled, len(p.features)), 0
	end := int64(0)
	for i, f := range p.features {
		c := &s.columns[i]
		*c = spilled{Feature: f, size: 8, begin: end}
		p.leaves[f.Column].spilled = c
		if p.leaves[f.Column].column.PhysicalType() == parquet.Types.Float {
			c.size = 4
		}
		if int64(rows) > (math.MaxInt64-end)/int64(c.rowBytes()) {
			return fmt.Errorf("row group %d: %d rows", p.group, rows)
		}
		end += int64(rows) * int64(c.rowBytes())
	}
	var opening sync.Mutex
	open := func(l *leaf, column int) error {
		opening.Lock()
		defer opening.Unlock()
		return p.openChunk(l, p.group-1, column)
	}
	workers := min(spilledAtOnce, runtime.GOMAXPROCS(0))
	return s.pool.Run(context.Background(), workers, len(s.columns), func(_ context.Context, _, i int) error {
		c := &s.columns[i]
		l := &leaf{column: p.leaves[c.Column].column, nulls: p.leaves[c.Column].nulls}
		err := open(l, c.Column)
		if err != nil {
			c.wrong = &rowProblem{cause: err}
			return nil
		}
		at := c.begin
		c.wrong, err = l.readRows(rows, c.Width, func(_, n int) error {
			b := l.valueBytes(n)
			if _, err := s.file.WriteAt(b, at); err != nil {
				return temporaryFileError(err)
			}
			at += int64(len(b))
			return nil
		})
		if err == nil && c.wrong == nil {
			err = l.checkChunkEnd(p.group)
		}
		return err
	})
}

// valueBytes returns the bytes of the n values that were read last. The values are float32 or float64 numbers.
func (l *leaf) valueBytes(n int) []byte {
	switch v := l.reader.(type) {
	case []float32:
		return arrow.Float32Traits.CastToBytes(v[:n])
	case []float64:
		return arrow.Float64Traits.CastToBytes(v[:n])
	}
	l.floats = slices.Grow(l.floats[:0], n)[:n]
	l.copyFloats(l.floats, 0, n, 1, 1)
	return arrow.Float64Traits.CastToBytes(l.floats)
}

// copyFromWindow copies n rows of a feature to dst. The window must contain these rows.
func (s *spill) copyFromWindow(c *spilled, from, n int, dst []float64, stride int) {
	b := s.window[c.at+(from-s.from)*c.rowBytes():][:n*c.rowBytes()]
	if c.size == 4 {
		copyConverted(dst, arrow.Float32Traits.CastFromBytes(b), 0, c.Width, stride, func(x float32) float64 { return float64(x) })
	} else {
		copyConverted(dst, arrow.Float64Traits.CastFromBytes(b), 0, c.Width, stride, func(x float64) float64 { return x })
	}
}

// loadWindow reads at least n rows into the window. first is the index of the first row, and total is the number of rows in
// the row group.
func (s *spill) loadWindow(first, n, total int) error {
	if first >= s.from && first+n <= s.from+s.rows {
		return nil
	}
	bytes := 0
	for i := range s.columns {
		bytes += s.columns[i].rowBytes()
	}
	s.from, s.rows = first, min(total-first, max(n, windowBytes/bytes))
	s.window = slices.Grow(s.window[:0], (s.rows+1)*bytes)
	s.window = s.window[:cap(s.window)]
	at := 0
	for i := range s.columns {
		c := &s.columns[i]
		c.at = at
		rows := s.rows
		if c.wrong != nil {
			rows = max(0, min(rows, c.wrong.row-first))
		}
		b := s.window[at:][:rows*c.rowBytes()]
		if _, err := s.file.ReadAt(b, c.begin+int64(first)*int64(c.rowBytes())); err != nil {
			return temporaryFileError(err)
		}
		at = (at + len(b) + 7) &^ 7 // float64 values are aligned
	}
	return nil
}

// close removes the temporary file.
func (s *spill) close() {
	if s.file != nil {
		s.file.Abort()
	}
}

// temporaryFileError adds an explanation to an error of the temporary file.
func temporaryFileError(err error) error {
	return &dataset.FileError{Err: fmt.Errorf("many columns need a temporary file as large as a row group, in the folder of TMPDIR: %w", err)}
}
