// Package table writes matrices row by row, as files of any format that the command writes.
package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/wda/dataset"
)

// A Writer writes a matrix row by row.
type Writer interface {
	// Write writes a row.
	Write(row []float64) error
	// WriteLabelled writes a row and its label.
	WriteLabelled(row []float64, label string) error
	// Close ends the file. If the format is Parquet, it closes what the Writer writes to, too.
	Close() error
}

// Format says what a Writer is to write.
type Format struct {
	Format   dataset.Format // CSV, NPY, Parquet or Arrow
	Rows     int            // −1 if their number is not known before the end
	Cols     int
	Labelled bool // every row has a label; NPY has no place for one
	Stream   bool // write an Arrow stream, not an Arrow file
	// IDs names columns of identifiers, which NPY has no place for. They come first in CSV, which then
	// has a header, and last in other formats.
	IDs []string
}

// An IdentifiedWriter is the Writer of a Format with IDs.
type IdentifiedWriter interface {
	Writer
	// WriteTexts writes a row, its identifiers, and its label if the rows have labels.
	WriteTexts(row []float64, ids []string, label string) error
}

// NewWriter begins a file. This is the one place that knows which formats can be written.
func NewWriter(out io.Writer, f Format) (Writer, error) {
	switch f.Format {
	case dataset.FormatCSV:
		if f.IDs != nil {
			return newTextCSV(out, f)
		}
		return outfile.NewCSV(out, f.Cols, nil)
	case dataset.FormatNPY:
		return outfile.NewNPY(out, f.Rows, f.Cols)
	case dataset.FormatParquet:
		return newParquetWriter(out, f.Cols, f.texts())
	case dataset.FormatArrow:
		return newArrowWriter(out, f.Cols, f.texts(), f.Stream)
	}
	return nil, fmt.Errorf("%w: %v files cannot be written; use csv, npy, parquet or arrow", dataset.ErrSettings, f.Format)
}

// texts returns the names of the columns of text.
func (f *Format) texts() []string {
	names := slices.Clone(f.IDs)
	if f.Labelled {
		names = append(names, "label")
	}
	return names
}

// textCSV writes identifiers, numbers and a label, below a header.
type textCSV struct {
	out      *csv.Writer
	labelled bool
	fields   []string
}

func newTextCSV(out io.Writer, f Format) (Writer, error) {
	w := &textCSV{out: csv.NewWriter(out), labelled: f.Labelled}
	header := slices.Clone(f.IDs)
	for j := range f.Cols {
		header = append(header, componentName(j))
	}
	if f.Labelled {
		header = append(header, "label")
	}
	return w, w.out.Write(header)
}

func (w *textCSV) Write(row []float64) error { return w.WriteTexts(row, nil, "") }

func (w *textCSV) WriteLabelled(row []float64, label string) error {
	return w.WriteTexts(row, nil, label)
}

func (w *textCSV) WriteTexts(row []float64, ids []string, label string) error {
	w.fields = append(w.fields[:0], ids...)
	for _, v := range row {
		w.fields = append(w.fields, strconv.FormatFloat(v, 'g', -1, 64))
	}
	if w.labelled {
		w.fields = append(w.fields, label)
	}
	return w.out.Write(w.fields)
}

func (w *textCSV) Close() error {
	w.out.Flush()
	return w.out.Error()
}

// columnWriter gathers rows and writes them as columns component1 … and columns of text.
type columnWriter struct {
	most    int // rows of a batch
	columns [][]float64
	texts   [][]string
	flush   func(w *columnWriter) error // of at least one row
	close   func() error
}

func (w *columnWriter) Write(row []float64) error {
	for j, v := range row {
		w.columns[j] = append(w.columns[j], v)
	}
	if len(w.columns[0]) < w.most {
		return nil
	}
	return w.empty()
}

func (w *columnWriter) WriteLabelled(row []float64, label string) error {
	return w.WriteTexts(row, nil, label)
}

func (w *columnWriter) WriteTexts(row []float64, ids []string, label string) error {
	for k := range w.texts {
		text := label
		if k < len(ids) {
			text = ids[k]
		}
		w.texts[k] = append(w.texts[k], text)
	}
	return w.Write(row)
}

func (w *columnWriter) empty() error {
	if len(w.columns[0]) == 0 {
		return nil
	}
	err := w.flush(w)
	for j := range w.columns {
		w.columns[j] = w.columns[j][:0]
	}
	for k := range w.texts {
		w.texts[k] = w.texts[k][:0]
	}
	return err
}

func (w *columnWriter) Close() error {
	if err := w.empty(); err != nil {
		return err
	}
	return w.close()
}

func newColumnWriter(cols, texts int) *columnWriter {
	const elements = 1 << 20
	return &columnWriter{most: max(1, min(1<<16, elements/cols)), columns: make([][]float64, cols), texts: make([][]string, texts)}
}

func componentName(j int) string { return fmt.Sprintf("component%d", j+1) }

// newArrowWriter writes an Arrow IPC file, or a stream.
func newArrowWriter(out io.Writer, cols int, texts []string, stream bool) (Writer, error) {
	w := newColumnWriter(cols, len(texts))
	var fields []arrow.Field
	for j := range cols {
		fields = append(fields, arrow.Field{Name: componentName(j), Type: arrow.PrimitiveTypes.Float64})
	}
	for _, name := range texts {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.BinaryTypes.String})
	}
	types := arrow.NewSchema(fields, nil)
	var sink interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(out, ipc.WithSchema(types))
	if !stream {
		var err error
		if sink, err = ipc.NewFileWriter(out, ipc.WithSchema(types)); err != nil {
			return nil, err
		}
	}
	w.close = sink.Close
	b := array.NewRecordBuilder(memory.DefaultAllocator, types)
	w.flush = func(w *columnWriter) error {
		for j, c := range w.columns {
			b.Field(j).(*array.Float64Builder).AppendValues(c, nil)
		}
		for k, texts := range w.texts {
			b.Field(cols+k).(*array.StringBuilder).AppendValues(texts, nil)
		}
		r := b.NewRecordBatch()
		defer r.Release()
		return sink.Write(r)
	}
	return w, nil
}

// newParquetWriter writes a Parquet file, a batch as a row group.
func newParquetWriter(out io.Writer, cols int, texts []string) (Writer, error) {
	w := newColumnWriter(cols, len(texts))
	var fields schema.FieldList
	for j := range cols {
		fields = append(fields, schema.NewFloat64Node(componentName(j), parquet.Repetitions.Required, -1))
	}
	for _, name := range texts {
		label, err := schema.NewPrimitiveNodeLogical(name, parquet.Repetitions.Required, schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1)
		if err != nil {
			return nil, err
		}
		fields = append(fields, label)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return nil, err
	}
	// Projections hardly repeat or compress.
	props := parquet.NewWriterProperties(parquet.WithDictionaryDefault(false), parquet.WithCompression(compress.Codecs.Uncompressed))
	sink, err := file.NewParquetWriterWithError(out, root, file.WithWriterProps(props))
	if err != nil {
		return nil, err
	}
	w.close = sink.Close
	w.flush = func(w *columnWriter) error {
		group, err := sink.AppendRowGroupChecked()
		if err != nil {
			return err
		}
		for _, c := range w.columns {
			chunk, err := group.NextColumn()
			if err != nil {
				return err
			}
			if _, err := chunk.(*file.Float64ColumnChunkWriter).WriteBatch(c, nil, nil); err != nil {
				return err
			}
			if err := chunk.Close(); err != nil {
				return err
			}
		}
		for _, of := range w.texts {
			chunk, err := group.NextColumn()
			if err != nil {
				return err
			}
			texts := make([]parquet.ByteArray, len(of))
			for i, l := range of {
				texts[i] = parquet.ByteArray(l)
			}
			if _, err := chunk.(*file.ByteArrayColumnChunkWriter).WriteBatch(texts, nil, nil); err != nil {
				return err
			}
			if err := chunk.Close(); err != nil {
				return err
			}
		}
		return group.Close()
	}
	return w, nil
}
