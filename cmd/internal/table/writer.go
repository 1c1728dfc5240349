// Package table writes tables row by row, as files of every format that package dataset reads.
package table

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/gomonge/monge/internal/npy"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/wda/dataset"
)

// A Writer writes a table row by row.
type Writer interface {
	// Write writes a row. The slice numbers has the values of the numeric columns, and the slice
	// texts has the values of the text columns, in column order.
	Write(numbers []float64, texts []string) error
	// Close ends the file. If the format is Parquet, it also closes the destination of the Writer.
	Close() error
}

// A Column is a column of numbers or of texts.
type Column struct {
	Name string
	Text bool
}

// Format selects the format and the contents of a Writer.
type Format struct {
	Format   dataset.Format
	Rows     int // number of rows, or −1 if unknown until the end
	Columns  []Column
	NoHeader bool // write CSV without the names of the columns
	Stream   bool // write an Arrow stream, not an Arrow file
	Vector   bool // if an IDX file has only one column, write it as a vector, like a label file
}

// count returns the number of numeric columns.
func (f *Format) count() (numbers int) {
	for _, c := range f.Columns {
		if !c.Text {
			numbers++
		}
	}
	return numbers
}

// Check returns an error if the format cannot store the columns.
func (f *Format) Check() error {
	switch f.Format {
	case dataset.FormatNPY, dataset.FormatIDX:
		if f.count() < len(f.Columns) {
			name := f.Columns[slices.IndexFunc(f.Columns, func(c Column) bool { return c.Text })].Name
			return fmt.Errorf("%w: an %s file holds numbers only, and the column %s is text; write .csv, .parquet, .arrow, .jsonl or .npz", dataset.ErrSettings, strings.ToUpper(f.Format.String()), strconv.Quote(name))
		}
	case dataset.FormatCSV:
	default:
		names := map[string]bool{}
		for _, c := range f.Columns {
			if names[c.Name] {
				return fmt.Errorf("%w: two columns of the output are called %s; write .csv, or rename the one of the input", dataset.ErrSettings, strconv.Quote(c.Name))
			}
			names[c.Name] = true
		}
	}
	return nil
}

// NewWriter begins a file in the format of f and returns its Writer.
func NewWriter(out io.Writer, f Format) (Writer, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	var names []string
	for _, c := range f.Columns {
		names = append(names, c.Name)
	}
	numbers := f.count()
	switch f.Format {
	case dataset.FormatCSV:
		if f.NoHeader {
			names = nil
		}
		if numbers == len(f.Columns) {
			w, err := outfile.NewCSV(out, numbers, names)
			return matrix{w}, err
		}
		w := &textCSV{out: csv.NewWriter(out), columns: f.Columns}
		if names == nil {
			return w, nil
		}
		return w, w.out.Write(names)
	case dataset.FormatNPY:
		w, err := outfile.NewNPY(out, f.Rows, numbers)
		return matrix{w}, err
	case dataset.FormatIDX:
		return newIDX(out, f)
	case dataset.FormatNPZ:
		return newNPZ(out, f)
	case dataset.FormatJSONLines:
		return newJSONLines(out, f)
	case dataset.FormatParquet:
		return newParquetWriter(out, f.Columns)
	case dataset.FormatArrow:
		return newArrowWriter(out, f.Columns, f.Stream)
	}
	return nil, fmt.Errorf("%w: %v files cannot be written", dataset.ErrSettings, f.Format)
}

// matrix is the Writer of CSV and NPY files without text columns.
type matrix struct{ *outfile.Writer }

func (m matrix) Write(numbers []float64, _ []string) error { return m.Writer.Write(numbers) }

// textCSV writes CSV with columns of text.
type textCSV struct {
	out     *csv.Writer
	columns []Column
	fields  []string
}

func (w *textCSV) Write(numbers []float64, texts []string) error {
	w.fields = w.fields[:0]
	for _, c := range w.columns {
		if c.Text {
			w.fields, texts = append(w.fields, texts[0]), texts[1:]
		} else {
			w.fields, numbers = append(w.fields, strconv.FormatFloat(numbers[0], 'g', -1, 64)), numbers[1:]
		}
	}
	return w.out.Write(w.fields)
}

func (w *textCSV) Close() error {
	w.out.Flush()
	return w.out.Error()
}

// jsonLines writes an object for each row.
type jsonLines struct {
	out     *bufio.Writer
	columns []Column
	keys    [][]byte
	line    []byte
}

func newJSONLines(out io.Writer, f Format) (Writer, error) {
	w := &jsonLines{out: bufio.NewWriter(out), columns: f.Columns}
	for _, c := range f.Columns {
		key, err := json.Marshal(c.Name)
		if err != nil {
			return nil, err
		}
		w.keys = append(w.keys, append(key, ':'))
	}
	return w, nil
}

func (w *jsonLines) Write(numbers []float64, texts []string) error {
	w.line = append(w.line[:0], '{')
	for j, c := range w.columns {
		if j > 0 {
			w.line = append(w.line, ',')
		}
		w.line = append(w.line, w.keys[j]...)
		switch {
		case c.Text:
			text, err := json.Marshal(texts[0])
			if err != nil {
				return err
			}
			w.line, texts = append(w.line, text...), texts[1:]
			continue
		case numbers[0]-numbers[0] != 0: // JSON cannot represent NaN and infinity
			w.line = append(w.line, "null"...)
		default:
			w.line = strconv.AppendFloat(w.line, numbers[0], 'g', -1, 64)
		}
		numbers = numbers[1:]
	}
	_, err := w.out.Write(append(w.line, '}', '\n'))
	return err
}

func (w *jsonLines) Close() error { return w.out.Flush() }

// idx writes numbers as float64 in IDX, the format of MNIST.
type idx struct {
	out  *bufio.Writer
	at   io.WriterAt // destination of the final number of rows; nil if the number is known from the start
	rows int
	head []byte
	line []byte
}

func newIDX(out io.Writer, f Format) (Writer, error) {
	const float64s = 0x0e
	w := &idx{out: bufio.NewWriter(out)}
	dims := []int{max(0, f.Rows), len(f.Columns)}
	if f.Vector && len(f.Columns) == 1 {
		dims = dims[:1]
	}
	w.head = []byte{0, 0, float64s, byte(len(dims))}
	for _, n := range dims {
		w.head = binary.BigEndian.AppendUint32(w.head, uint32(n))
	}
	if f.Rows < 0 {
		at, ok := out.(io.WriterAt)
		if !ok {
			return nil, fmt.Errorf("%w: an IDX file begins with the number of rows, which is unknown here; write a file, not standard output", dataset.ErrSettings)
		}
		w.at = at
	}
	_, err := w.out.Write(w.head)
	return w, err
}

func (w *idx) Write(numbers []float64, _ []string) error {
	if w.rows++; w.rows > math.MaxUint32 {
		return fmt.Errorf("%w: more rows than an IDX file can hold", dataset.ErrTooLarge)
	}
	w.line = w.line[:0]
	for _, v := range numbers {
		w.line = binary.BigEndian.AppendUint64(w.line, math.Float64bits(v))
	}
	_, err := w.out.Write(w.line)
	return err
}

func (w *idx) Close() error {
	if err := w.out.Flush(); err != nil || w.at == nil {
		return err
	}
	binary.BigEndian.PutUint32(w.head[4:], uint32(w.rows))
	_, err := w.at.WriteAt(w.head, 0)
	return err
}

// npz writes the numeric columns as the array X, the text column with the name "label" as the array
// y, and every other text column as an array with the column's name. An array begins with its length,
// so npz first stores the numbers in a temporary file and the texts in memory.
type npz struct {
	out     io.Writer
	columns []Column
	numbers int
	x       *outfile.File
	matrix  *outfile.Writer
	texts   [][]string
	rows    int
}

func newNPZ(out io.Writer, f Format) (Writer, error) {
	w := &npz{out: out, numbers: f.count()}
	for _, c := range f.Columns {
		if c.Text {
			w.columns = append(w.columns, c)
		}
	}
	w.texts = make([][]string, len(w.columns))
	if w.numbers == 0 {
		return w, nil
	}
	var err error
	if w.x, err = outfile.Temporary(); err != nil {
		return nil, err
	}
	w.matrix, err = outfile.NewNPY(w.x, -1, w.numbers)
	return w, err
}

func (w *npz) Write(numbers []float64, texts []string) error {
	w.rows++
	for k, text := range texts {
		w.texts[k] = append(w.texts[k], text)
	}
	if w.matrix == nil {
		return nil
	}
	return w.matrix.Write(numbers)
}

func (w *npz) Close() error {
	z := zip.NewWriter(w.out)
	if w.x != nil {
		defer w.x.Abort()
		if err := w.matrix.Close(); err != nil {
			return err
		}
		e, err := z.Create("X.npy")
		if err == nil {
			_, err = io.Copy(e, io.NewSectionReader(w.x, 0, int64(len(npy.AppendHeader(nil, "<f8", w.rows, w.numbers))+8*w.rows*w.numbers)))
		}
		if err != nil {
			return err
		}
	}
	for k, c := range w.columns {
		name := c.Name
		if name == "label" {
			name = "y"
		}
		e, err := z.Create(name + ".npy")
		if err == nil {
			err = writeStrings(e, w.texts[k])
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// writeStrings writes an NPY array of strings, padded to the length of the longest string.
func writeStrings(out io.Writer, texts []string) error {
	longest := 1
	for _, text := range texts {
		longest = max(longest, len([]rune(text)))
	}
	w := bufio.NewWriter(out)
	w.Write(npy.AppendHeader(nil, fmt.Sprintf("<U%d", longest), len(texts)))
	for _, text := range texts {
		runes := []rune(text)
		for k := range longest {
			r := rune(0)
			if k < len(runes) {
				r = runes[k]
			}
			binary.Write(w, binary.LittleEndian, r)
		}
	}
	return w.Flush()
}

// columnWriter gathers rows and writes them as columns.
type columnWriter struct {
	columns []Column
	most    int // maximum number of rows in a batch
	rows    int
	numbers [][]float64
	texts   [][]string
	flush   func(w *columnWriter) error // called with at least one row
	close   func() error
}

func (w *columnWriter) Write(numbers []float64, texts []string) error {
	for j, v := range numbers {
		w.numbers[j] = append(w.numbers[j], v)
	}
	for k, text := range texts {
		w.texts[k] = append(w.texts[k], text)
	}
	if w.rows++; w.rows < w.most {
		return nil
	}
	return w.empty()
}

func (w *columnWriter) empty() error {
	if w.rows == 0 {
		return nil
	}
	err := w.flush(w)
	for j := range w.numbers {
		w.numbers[j] = w.numbers[j][:0]
	}
	for k := range w.texts {
		w.texts[k] = w.texts[k][:0]
	}
	w.rows = 0
	return err
}

// eachColumn calls a function for every column of the batch: texts for a column of text, and numbers
// for any other column. The function gets the index and the values of the column.
func (w *columnWriter) eachColumn(numbers func(j int, v []float64) error, texts func(j int, v []string) error) error {
	n, t := w.numbers, w.texts
	for j, c := range w.columns {
		var err error
		if c.Text {
			err, t = texts(j, t[0]), t[1:]
		} else {
			err, n = numbers(j, n[0]), n[1:]
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *columnWriter) Close() error {
	if err := w.empty(); err != nil {
		return err
	}
	return w.close()
}

func newColumnWriter(columns []Column) *columnWriter {
	const elements = 1 << 20
	f := Format{Columns: columns}
	numbers := f.count()
	return &columnWriter{columns: columns, most: max(1, min(1<<16, elements/len(columns))), numbers: make([][]float64, numbers), texts: make([][]string, len(columns)-numbers)}
}

// newArrowWriter begins an Arrow IPC file or an Arrow stream, and returns its Writer.
func newArrowWriter(out io.Writer, columns []Column, stream bool) (Writer, error) {
	w := newColumnWriter(columns)
	var fields []arrow.Field
	for _, c := range columns {
		f := arrow.Field{Name: c.Name, Type: arrow.PrimitiveTypes.Float64}
		if c.Text {
			f.Type = arrow.BinaryTypes.String
		}
		fields = append(fields, f)
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
		w.eachColumn(func(j int, v []float64) error {
			b.Field(j).(*array.Float64Builder).AppendValues(v, nil)
			return nil
		}, func(j int, v []string) error {
			b.Field(j).(*array.StringBuilder).AppendValues(v, nil)
			return nil
		})
		r := b.NewRecordBatch()
		defer r.Release()
		return sink.Write(r)
	}
	return w, nil
}

// newParquetWriter begins a Parquet file with one row group for each batch, and returns its Writer.
func newParquetWriter(out io.Writer, columns []Column) (Writer, error) {
	w := newColumnWriter(columns)
	var fields schema.FieldList
	for _, c := range columns {
		if !c.Text {
			fields = append(fields, schema.NewFloat64Node(c.Name, parquet.Repetitions.Required, -1))
			continue
		}
		text, err := schema.NewPrimitiveNodeLogical(c.Name, parquet.Repetitions.Required, schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1)
		if err != nil {
			return nil, err
		}
		fields = append(fields, text)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return nil, err
	}
	// Projections have few repeated values, so dictionaries and compression save little space.
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
		write := func(values func(file.ColumnChunkWriter) error) error {
			chunk, err := group.NextColumn()
			if err != nil {
				return err
			}
			return errors.Join(values(chunk), chunk.Close())
		}
		err = w.eachColumn(func(_ int, v []float64) error {
			return write(func(c file.ColumnChunkWriter) error {
				_, err := c.(*file.Float64ColumnChunkWriter).WriteBatch(v, nil, nil)
				return err
			})
		}, func(_ int, v []string) error {
			texts := make([]parquet.ByteArray, len(v))
			for i, text := range v {
				texts[i] = parquet.ByteArray(text)
			}
			return write(func(c file.ColumnChunkWriter) error {
				_, err := c.(*file.ByteArrayColumnChunkWriter).WriteBatch(texts, nil, nil)
				return err
			})
		})
		return errors.Join(err, group.Close())
	}
	return w, nil
}
