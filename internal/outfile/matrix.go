package outfile

import (
	"bufio"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/gomonge/monge/internal/npy"
	"gonum.org/v1/gonum/mat"
)

const (
	badHeader = "outfile: header length is not the number of columns"
	badWidth  = "outfile: row length is not the number of columns"
)

var errRowCount = errors.New("wrong number of rows")

// Writer writes a matrix row by row.
type Writer struct {
	out  *bufio.Writer
	cols int
	line []byte

	labels *csv.Writer // writer of CSV labels, which may need quotes

	npy     bool
	rows    int // number of rows in the header, or −1 if not yet known
	written int
	header  io.WriterAt // where Close writes the number of rows
}

const writeBuffer = 1 << 16

// NewCSV returns a Writer of comma-separated text, one row per line. Each number has the fewest
// digits that restore it exactly. If header is nil, no header is written.
func NewCSV(w io.Writer, cols int, header []string) (*Writer, error) {
	out := &Writer{out: bufio.NewWriterSize(w, writeBuffer), cols: cols}
	out.labels = csv.NewWriter(out.out)
	if header != nil {
		out.labels.Write(header)
		out.labels.Flush()
	}
	return out, out.labels.Error()
}

// NewNPY returns a Writer of a NumPy array of float64 in C order. The number of rows may be −1 if w
// is an io.WriterAt, such as a File. Close then writes the actual number of rows into the header.
func NewNPY(w io.Writer, rows, cols int) (*Writer, error) {
	out := &Writer{out: bufio.NewWriterSize(w, writeBuffer), cols: cols, npy: true, rows: rows}
	if rows < 0 {
		at, ok := w.(io.WriterAt)
		if !ok {
			return nil, fmt.Errorf("%w: an NPY file begins with the number of rows, which is not yet known, and the output cannot be changed later; write to a file or use CSV", errRowCount)
		}
		out.header = at
	}
	_, err := out.out.Write(npy.AppendHeader(nil, "<f8", max(0, rows), cols))
	return out, err
}

// Write writes one row. It panics if the length of row is not the number of columns.
func (w *Writer) Write(row []float64) error {
	line := w.formatRow(row)
	if !w.npy {
		line = append(line, '\n')
	}
	w.line = line
	_, err := w.out.Write(line)
	return err
}

// WriteLabeled writes one row of a CSV file with its label as the last field.
func (w *Writer) WriteLabeled(row []float64, label string) error {
	w.line = append(w.formatRow(row), ',')
	if _, err := w.out.Write(w.line); err != nil {
		return err
	}
	w.labels.Write([]string{label})
	w.labels.Flush()
	return w.labels.Error()
}

func (w *Writer) formatRow(row []float64) []byte {
	if len(row) != w.cols {
		panic(badWidth)
	}
	w.written++
	line := w.line[:0]
	if w.npy {
		for _, v := range row {
			line = binary.LittleEndian.AppendUint64(line, math.Float64bits(v))
		}
		return line
	}
	for j, v := range row {
		if j > 0 {
			line = append(line, ',')
		}
		line = strconv.AppendFloat(line, v, 'g', -1, 64)
	}
	return line
}

// Close flushes the buffer. It does not close the underlying writer. It fails if the number of rows
// of an NPY file is not the number passed to NewNPY.
func (w *Writer) Close() error {
	if err := w.out.Flush(); err != nil {
		return err
	}
	if w.header != nil {
		_, err := w.header.WriteAt(npy.AppendHeader(nil, "<f8", w.written, w.cols), 0)
		return err
	}
	if w.npy && w.written != w.rows {
		return fmt.Errorf("%w: %d rows were written, but the header announces %d", errRowCount, w.written, w.rows)
	}
	return nil
}

// CSV writes a matrix as comma-separated text. If label is not nil, it returns an additional last
// field for each row. CSV panics if header is not nil and its length is not the
// number of fields.
func CSV(w io.Writer, m mat.Matrix, header []string, label func(row int) string) error {
	_, cols := m.Dims()
	fields := cols
	if label != nil {
		fields++
	}
	if header != nil && len(header) != fields {
		panic(badHeader)
	}
	out, err := NewCSV(w, cols, header)
	if err != nil {
		return err
	}
	return out.writeRows(m, label)
}

// NPY writes a matrix as a NumPy array.
func NPY(w io.Writer, m mat.Matrix) error {
	rows, cols := m.Dims()
	out, err := NewNPY(w, rows, cols)
	if err != nil {
		return err
	}
	return out.writeRows(m, nil)
}

// writeRows writes all rows, with labels if label is not nil.
func (w *Writer) writeRows(m mat.Matrix, label func(i int) string) error {
	rows, cols := m.Dims()
	row := make([]float64, cols)
	for i := range rows {
		mat.Row(row, i, m)
		var err error
		if label == nil {
			err = w.Write(row)
		} else {
			err = w.WriteLabeled(row, label(i))
		}
		if err != nil {
			return err
		}
	}
	return w.Close()
}
