package columnar

import (
	"fmt"
	"io"

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
	// Close ends the file. It does not close what the Writer writes to.
	Close() error
}

// Format says what a Writer is to write.
type Format struct {
	Format   dataset.Format // CSV, NPY, Parquet or Arrow
	Rows     int            // −1 if their number is not known before the end
	Cols     int
	Labelled bool // every row has a label; NPY has no place for one
	Stream   bool // write an Arrow stream, not an Arrow file
}

// NewWriter begins a file. This is the one place that knows which formats can be written.
func NewWriter(out io.Writer, f Format) (Writer, error) {
	switch f.Format {
	case dataset.FormatCSV:
		return outfile.NewCSV(out, f.Cols, nil)
	case dataset.FormatNPY:
		return outfile.NewNPY(out, f.Rows, f.Cols)
	case dataset.FormatParquet:
		return newParquetWriter(out, f.Cols, f.Labelled)
	case dataset.FormatArrow:
		return newArrowWriter(out, f.Cols, f.Labelled, f.Stream)
	}
	return nil, fmt.Errorf("%w: %v files cannot be written; use csv, npy, parquet or arrow", dataset.ErrSettings, f.Format)
}

// columnWriter gathers rows and writes them as columns component1 … and label.
type columnWriter struct {
	most     int // rows of a batch
	columns  [][]float64
	labelled bool
	labels   []string
	flush    func(w *columnWriter) error // of at least one row
	close    func() error
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
	w.labels = append(w.labels, label)
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
	w.labels = w.labels[:0]
	return err
}

func (w *columnWriter) Close() error {
	if err := w.empty(); err != nil {
		return err
	}
	return w.close()
}

func newColumnWriter(cols int, labelled bool) *columnWriter {
	const elements = 1 << 20
	return &columnWriter{most: max(1, min(1<<16, elements/cols)), columns: make([][]float64, cols), labelled: labelled}
}

func componentName(j int) string { return fmt.Sprintf("component%d", j+1) }

// newArrowWriter writes an Arrow IPC file, or a stream.
func newArrowWriter(out io.Writer, cols int, labelled, stream bool) (Writer, error) {
	w := newColumnWriter(cols, labelled)
	var fields []arrow.Field
	for j := range cols {
		fields = append(fields, arrow.Field{Name: componentName(j), Type: arrow.PrimitiveTypes.Float64})
	}
	if labelled {
		fields = append(fields, arrow.Field{Name: "label", Type: arrow.BinaryTypes.String})
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
		if w.labelled {
			b.Field(cols).(*array.StringBuilder).AppendValues(w.labels, nil)
		}
		r := b.NewRecordBatch()
		defer r.Release()
		return sink.Write(r)
	}
	return w, nil
}

// newParquetWriter writes a Parquet file, a batch as a row group.
func newParquetWriter(out io.Writer, cols int, labelled bool) (Writer, error) {
	w := newColumnWriter(cols, labelled)
	var fields schema.FieldList
	for j := range cols {
		fields = append(fields, schema.NewFloat64Node(componentName(j), parquet.Repetitions.Required, -1))
	}
	if labelled {
		label, err := schema.NewPrimitiveNodeLogical("label", parquet.Repetitions.Required, schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1)
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
		if w.labelled {
			chunk, err := group.NextColumn()
			if err != nil {
				return err
			}
			texts := make([]parquet.ByteArray, len(w.labels))
			for i, l := range w.labels {
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
