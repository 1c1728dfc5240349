package columnar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// arrowBytes returns an Arrow file with one record batch that contains the columns.
func arrowBytes(t *testing.T, fields []arrow.Field, columns []arrow.Array, opt ...ipc.Option) []byte {
	t.Helper()
	types := arrow.NewSchema(fields, nil)
	var out bytes.Buffer
	w, err := ipc.NewFileWriter(&out, append(opt, ipc.WithSchema(types))...)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(array.NewRecordBatch(types, columns, int64(columns[0].Len()))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// arrayOf parses a JSON text as an Arrow array of the given type.
func arrayOf(t *testing.T, kind arrow.DataType, text string) arrow.Array {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, kind, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

type arrowColumn struct {
	name string
	kind arrow.DataType
	text string
}

func arrowOf(t *testing.T, columns ...arrowColumn) []byte {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.name, Type: c.kind, Nullable: true})
		arrays = append(arrays, arrayOf(t, c.kind, c.text))
	}
	return arrowBytes(t, fields, arrays)
}

// parquetOf returns a Parquet file with one row group. The function columns[i] writes column i.
func parquetOf(t *testing.T, fields schema.FieldList, columns []func(file.ColumnChunkWriter) error, opt ...parquet.WriterProperty) []byte {
	t.Helper()
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(opt...)))
	g, err := w.AppendRowGroupChecked()
	if err != nil {
		t.Fatal(err)
	}
	for _, write := range columns {
		c, err := g.NextColumn()
		if err == nil {
			err = write(c)
		}
		if err == nil {
			err = c.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func doubles(v ...float64) func(file.ColumnChunkWriter) error {
	return func(c file.ColumnChunkWriter) error {
		_, err := c.(*file.Float64ColumnChunkWriter).WriteBatch(v, nil, nil)
		return err
	}
}

func node(t *testing.T, name string, kind parquet.Type, logical schema.LogicalType, length int) schema.Node {
	t.Helper()
	n, err := schema.NewPrimitiveNodeLogical(name, parquet.Repetitions.Required, logical, kind, length, -1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func readAll(data []byte, opt *dataset.Options) (*dataset.Dataset, error) {
	r, err := dataset.NewReader(bytes.NewReader(data), opt)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.ReadAll()
}

// TestReadersThatSeek checks that Arrow streams and files are read from the current offset of a seekable reader, for
// example standard input redirected from a file.
func TestReadersThatSeek(t *testing.T) {
	for _, stream := range []bool{false, true} {
		var out bytes.Buffer
		out.WriteString("before")
		types := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}, nil)
		var w interface {
			Write(arrow.RecordBatch) error
			Close() error
		} = ipc.NewWriter(&out, ipc.WithSchema(types))
		var err error
		if !stream {
			w, err = ipc.NewFileWriter(&out, ipc.WithSchema(types))
		}
		batch := array.NewRecordBatch(types, []arrow.Array{arrayOf(t, arrow.PrimitiveTypes.Float64, "[1.5, 2.5]")}, 2)
		if err = errors.Join(err, w.Write(batch), w.Close()); err != nil {
			t.Fatal(err)
		}
		for _, before := range []int64{0, 6} {
			data := bytes.NewReader(out.Bytes()[6-before:])
			if _, err := data.Seek(before, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			r, err := dataset.NewReader(data, nil)
			if err != nil {
				t.Fatalf("stream %v, after %d bytes: %v", stream, before, err)
			}
			if d, err := r.ReadAll(); err != nil || d.Len() != 2 || d.X.At(1, 0) != 2.5 {
				t.Errorf("stream %v, after %d bytes: %v, %v", stream, before, d, err)
			}
		}
	}
}

// TestBooleans checks that boolean categories are the same in every format.
func TestBooleans(t *testing.T) {
	booleans := arrowColumn{"b", arrow.FixedWidthTypes.Boolean, "[true, false, null]"}
	table := arrowOf(t, booleans, arrowColumn{"y", arrow.BinaryTypes.String, `["p", "q", "q"]`})
	texts := map[string][]byte{"arrow": table, "csv": []byte("y,b\np,True\nq,FALSE\nq,\n"), "jsonl": []byte(`{"b":true,"y":"p"}` + "\n" + `{"b":false,"y":"q"}` + "\n" + `{"b":null,"y":"q"}` + "\n")}
	for from, learn := range texts {
		d, err := readAll(learn, &dataset.Options{OneHot: []string{"b"}, Labels: dataset.LabelName("y"), KeepMissing: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Impute(dataset.MissingMean); err != nil {
			t.Fatal(err)
		}
		for to, data := range texts {
			e, err := readAll(data, &dataset.Options{Schema: d.Schema})
			if err != nil || !mat.Equal(d.X, e.X) {
				t.Errorf("from %s to %s: %v, %v", from, to, e, err)
			}
		}
		if _, err := readAll([]byte("y,b\np,2\n"), &dataset.Options{Schema: d.Schema}); err == nil {
			t.Errorf("from %s: 2 is taken for a boolean", from)
		}
	}
}

// TestRoles checks which columns become features, labels and splits, and that ambiguous choices are errors.
func TestRoles(t *testing.T) {
	f, i := arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Int32
	numbers := func(name string) arrowColumn { return arrowColumn{name, f, "[1.5, 2.5, 3.5]"} }
	labels := func(name string) arrowColumn { return arrowColumn{name, i, "[7, 8, 7]"} }
	split := arrowColumn{"split", f, "[0, 1, 0]"}
	for name, c := range map[string]struct {
		columns []arrowColumn
		opt     *dataset.Options
		want    string // columns, classes, split
		is      error
		says    string
	}{
		"plain":                  {columns: []arrowColumn{numbers("a"), labels("label"), numbers("b")}, want: "[a b] [7 8] []"},
		"float split":            {columns: []arrowColumn{numbers("a"), labels("label"), split}, want: "[a] [7 8] [0 1 0]"},
		"other split":            {columns: []arrowColumn{numbers("a"), labels("label"), {"fold", i, "[0, 5, 0]"}, split}, opt: &dataset.Options{Split: "fold"}, want: "[a] [7 8] [0 5 0]"},
		"y beside label":         {columns: []arrowColumn{numbers("a"), labels("label"), labels("y")}, want: "[a] [7 8] []"},
		"label beside the label": {columns: []arrowColumn{numbers("a"), labels("label"), labels("class")}, opt: &dataset.Options{Labels: dataset.LabelName("class")}, want: "[a] [7 8] []"},
		"no labels":              {columns: []arrowColumn{numbers("a"), labels("label")}, opt: &dataset.Options{Labels: dataset.NoLabels()}, want: "[a] [] []"},
		"label asked for":        {columns: []arrowColumn{numbers("a"), labels("label"), labels("y")}, opt: &dataset.Options{Columns: []string{"y", "a"}}, want: "[y a] [7 8] []"},
		"split with fractions":   {columns: []arrowColumn{numbers("a"), {"split", f, "[0, 0.5, 0]"}}, is: dataset.ErrFormat, says: "row 2, column 2 (split): 0.5 is not an integer"},
		"split of words":         {columns: []arrowColumn{numbers("a"), {"split", arrow.BinaryTypes.String, `["train", "test", "train"]`}}, is: dataset.ErrFormat, says: "column 2 (split): a column of text cannot tell parts"},
		"two labels":             {columns: []arrowColumn{numbers("a"), labels("label"), labels("label")}, is: dataset.ErrLabels, says: `2 columns are called "label"`},
		"two of a name":          {columns: []arrowColumn{numbers("a"), numbers("a"), labels("label")}, opt: &dataset.Options{Columns: []string{"a"}}, is: dataset.ErrFormat, says: `2 columns are called "a"`},
		"twice the same":         {columns: []arrowColumn{numbers("a"), labels("label")}, opt: &dataset.Options{Columns: []string{"a", "a"}}, is: dataset.ErrSettings, says: `the column "a" is chosen twice`},
		"map":                    {columns: []arrowColumn{{"m", arrow.MapOf(arrow.BinaryTypes.String, f), `[[{"key": "a", "value": 1}], [], []]`}, numbers("a"), labels("y")}, is: dataset.ErrFormat, says: "column 1 (m): the column holds map"},
		"list of structs":        {columns: []arrowColumn{{"s", arrow.ListOf(arrow.StructOf(arrow.Field{Name: "v", Type: f})), `[[{"v": 1}], [{"v": 2}], [{"v": 3}]]`}, labels("y")}, is: dataset.ErrFormat, says: "column 1 (s): the column holds list"},
		"no name, no index":      {columns: []arrowColumn{numbers("a")}, opt: &dataset.Options{Labels: dataset.LabelName("z")}, is: dataset.ErrLabels, says: `no column is called "z"`},
		"labels in another file": {columns: []arrowColumn{numbers("a")}, opt: &dataset.Options{Labels: dataset.LabelFile("y.txt")}, is: dataset.ErrSettings},
		"infinite":               {columns: []arrowColumn{{"a", f, "[1, 2, 3]"}, {"b", f, "[4, \"+Inf\", 5]"}}, is: dataset.ErrNotFinite, says: "row 2, column 2 (b): the value is infinite"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := readAll(arrowOf(t, c.columns...), c.opt)
			if c.is != nil {
				if _, ok := errors.AsType[*dataset.FileError](err); !ok || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("error %v, want %q", err, c.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(d.Columns, d.Classes, d.Split); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestNested checks that columns inside Parquet maps and lists of structs are not features.
func TestNested(t *testing.T) {
	group := func(name string, r parquet.Repetition, logical schema.LogicalType, fields ...schema.Node) schema.Node {
		n, err := schema.NewGroupNodeLogical(name, r, fields, logical, -1)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	rep := parquet.Repetitions
	double := func(name string) schema.Node { return schema.NewFloat64Node(name, rep.Required, -1) }
	for want, column := range map[string]schema.Node{
		"a list":          group("c", rep.Required, schema.ListLogicalType{}, group("list", rep.Repeated, nil, double("element"))),
		"list of structs": group("c", rep.Required, schema.ListLogicalType{}, group("list", rep.Repeated, nil, group("element", rep.Required, nil, double("v")))),
		"list of lists":   group("c", rep.Required, schema.ListLogicalType{}, group("list", rep.Repeated, nil, group("element", rep.Required, schema.ListLogicalType{}, group("list", rep.Repeated, nil, double("element"))))),
		"map":             group("c", rep.Required, schema.MapLogicalType{}, group("key_value", rep.Repeated, nil, node(t, "key", parquet.Types.Double, nil, 0), double("value"))),
		"struct":          group("c", rep.Required, nil, group("l", rep.Required, schema.ListLogicalType{}, group("list", rep.Repeated, nil, double("element")))),
	} {
		write := func(c file.ColumnChunkWriter) error {
			_, err := c.(*file.Float64ColumnChunkWriter).WriteBatch([]float64{1, 2}, repeat(c.Descr().MaxDefinitionLevel()), []int16{0, 0})
			return err
		}
		columns := []func(file.ColumnChunkWriter) error{write}
		if want == "map" {
			columns = append(columns, write)
		}
		d, err := readAll(parquetOf(t, schema.FieldList{column}, columns), nil)
		switch {
		case want == "a list":
			if err != nil || !mat.Equal(d.X, mat.NewDense(2, 1, []float64{1, 2})) {
				t.Errorf("%s: %v", want, err)
			}
		case !errors.Is(err, dataset.ErrFormat) || !strings.Contains(err.Error(), want):
			t.Errorf("%s: %v", want, err)
		}
	}
}

func repeat(level int16) []int16 { return []int16{level, level} }

// TestSameLabels checks that Parquet and Arrow files give the same class names.
func TestSameLabels(t *testing.T) {
	types := arrow.FixedWidthTypes
	for name, c := range map[string]struct {
		logical schema.LogicalType
		kind    parquet.Type
		length  int
		write   func(file.ColumnChunkWriter) error
		arrow   arrowColumn
		want    string
	}{
		"bool": {nil, parquet.Types.Boolean, 0, func(c file.ColumnChunkWriter) error {
			_, err := c.(*file.BooleanColumnChunkWriter).WriteBatch([]bool{true, false}, nil, nil)
			return err
		}, arrowColumn{"y", types.Boolean, "[true, false]"}, "[0 1]"},
		"float": {nil, parquet.Types.Float, 0, func(c file.ColumnChunkWriter) error {
			_, err := c.(*file.Float32ColumnChunkWriter).WriteBatch([]float32{0.1, 1e7}, nil, nil)
			return err
		}, arrowColumn{"y", arrow.PrimitiveTypes.Float32, "[0.1, 1e7]"}, "[0.10000000149011612 10000000]"},
		"unsigned": {schema.NewIntLogicalType(64, false), parquet.Types.Int64, 0, func(c file.ColumnChunkWriter) error {
			_, err := c.(*file.Int64ColumnChunkWriter).WriteBatch([]int64{-1, -2}, nil, nil)
			return err
		}, arrowColumn{"y", arrow.PrimitiveTypes.Uint64, "[18446744073709551615, 18446744073709551614]"}, "[18446744073709551614 18446744073709551615]"},
		"binary": {nil, parquet.Types.ByteArray, 0, func(c file.ColumnChunkWriter) error {
			_, err := c.(*file.ByteArrayColumnChunkWriter).WriteBatch([]parquet.ByteArray{[]byte("b"), []byte("a")}, nil, nil)
			return err
		}, arrowColumn{"y", arrow.BinaryTypes.Binary, `["Yg==", "YQ=="]`}, "[a b]"},
		"date": {schema.DateLogicalType{}, parquet.Types.Int32, 0, func(c file.ColumnChunkWriter) error {
			_, err := c.(*file.Int32ColumnChunkWriter).WriteBatch([]int32{20000, 0}, nil, nil)
			return err
		}, arrowColumn{"y", types.Date32, `["2024-10-04", "1970-01-01"]`}, "[1970-01-01 2024-10-04]"},
		"timestamp": {schema.NewTimestampLogicalType(true, schema.TimeUnitMillis), parquet.Types.Int64, 0, func(c file.ColumnChunkWriter) error {
			_, err := c.(*file.Int64ColumnChunkWriter).WriteBatch([]int64{1500, 0}, nil, nil)
			return err
		}, arrowColumn{"y", &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, `["1970-01-01T00:00:01.500Z", "1970-01-01T00:00:00Z"]`}, "[1970-01-01T00:00:00Z 1970-01-01T00:00:01.5Z]"},
		"time": {schema.NewTimeLogicalType(false, schema.TimeUnitMicros), parquet.Types.Int64, 0, func(c file.ColumnChunkWriter) error {
			_, err := c.(*file.Int64ColumnChunkWriter).WriteBatch([]int64{3600_000_000, 0}, nil, nil)
			return err
		}, arrowColumn{"y", types.Time64us, `["01:00:00", "00:00:00"]`}, "[00:00:00.000000 01:00:00.000000]"},
		"decimal": {schema.NewDecimalLogicalType(9, 2), parquet.Types.FixedLenByteArray, 4, func(c file.ColumnChunkWriter) error {
			_, err := c.(*file.FixedLenByteArrayColumnChunkWriter).WriteBatch([]parquet.FixedLenByteArray{{0xff, 0xff, 0xff, 0x83}, {0, 0, 0, 50}}, nil, nil)
			return err
		}, arrowColumn{"y", &arrow.Decimal128Type{Precision: 9, Scale: 2}, `["-1.25", "0.50"]`}, "[-1.25 0.5]"},
	} {
		t.Run(name, func(t *testing.T) {
			x := arrowColumn{"x", arrow.PrimitiveTypes.Float64, "[1, 2]"}
			a, err := readAll(arrowOf(t, x, c.arrow), nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := readAll(parquetOf(t, schema.FieldList{schema.NewFloat64Node("x", parquet.Repetitions.Required, -1), node(t, "y", c.kind, c.logical, c.length)},
				[]func(file.ColumnChunkWriter) error{doubles(1, 2), c.write}), nil)
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(a.Classes) != c.want || !slices.Equal(a.Classes, p.Classes) || !slices.Equal(a.Labels, p.Labels) {
				t.Errorf("Arrow %q %v, Parquet %q %v, want %s", a.Classes, a.Labels, p.Classes, p.Labels, c.want)
			}
		})
	}
	if s := decimalFromBigEndian([]byte{0xff, 0x83}).ToString(0); s != "-125" || decimal128.FromI64(-125).ToString(0) != s {
		t.Errorf("big-endian −125 is %s", s)
	}
}

// TestDictionaries checks that dictionary-encoded labels are decoded, and that a null in a dictionary is an error.
func TestDictionaries(t *testing.T) {
	kind := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	indices := arrayOf(t, arrow.PrimitiveTypes.Int8, "[1, 0, 1]")
	x := arrayOf(t, arrow.PrimitiveTypes.Float64, "[1, 2, 3]")
	of := func(values string) ([]byte, *arrow.DictionaryType) {
		d := array.NewDictionaryArray(kind, indices, arrayOf(t, arrow.BinaryTypes.String, values))
		return arrowBytes(t, []arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}, {Name: "y", Type: kind, Nullable: true}}, []arrow.Array{x, d}), kind
	}
	good, _ := of(`["b", "a"]`)
	d, err := readAll(good, nil)
	if err != nil || fmt.Sprint(d.Classes, d.Labels) != "[a b] [0 1 0]" {
		t.Errorf("%v, %v", d, err)
	}
	bad, _ := of(`[null, "a"]`)
	if _, err := readAll(bad, nil); !errors.Is(err, dataset.ErrLabels) || !strings.Contains(err.Error(), "row 2, column 2 (y): the label is missing") {
		t.Errorf("null in the dictionary: %v", err)
	}
}

// TestExpansion checks that a small file cannot exhaust memory, and that MaxExpansion raises the limit.
func TestExpansion(t *testing.T) {
	const n = 9 << 20 // numbers, 72 MiB
	zeros := make([]float64, n)
	bombs := map[string][]byte{
		"parquet": parquetOf(t, schema.FieldList{schema.NewFloat64Node("x", parquet.Repetitions.Required, -1)}, []func(file.ColumnChunkWriter) error{doubles(zeros...)}),
		"one page": parquetOf(t, schema.FieldList{schema.NewFloat64Node("x", parquet.Repetitions.Required, -1)}, []func(file.ColumnChunkWriter) error{doubles(zeros...)},
			parquet.WithDictionaryDefault(false), parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDataPageSize(1<<30), parquet.WithBatchSize(n)),
	}
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues(zeros, nil)
	numbers := b.NewArray()
	bombs["arrow"] = arrowBytes(t, []arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}, []arrow.Array{numbers}, ipc.WithZstd())
	falses := array.NewBooleanBuilder(memory.DefaultAllocator)
	falses.AppendValues(make([]bool, 1<<20), nil)
	bombs["batches"] = batches(t, falses.NewArray(), n>>20)
	for name, bomb := range bombs {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readAll(bomb, nil)
		runtime.ReadMemStats(&after)
		fe, ok := errors.AsType[*dataset.FileError](err)
		if !ok || !errors.Is(err, dataset.ErrTooLarge) || fe.Option != "MaxExpansion" {
			t.Errorf("%s of %d bytes: %v", name, len(bomb), err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 100<<20 && name != "batches" { // the reader keeps the rows of a file with many batches until they exceed the limit
			t.Errorf("%s of %d bytes: took %d bytes of memory", name, len(bomb), took)
		}
		if _, err := rowsInBlocks(bomb, nil); !errors.As(err, &fe) || fe.Option != "MaxExpansion" || name != "arrow" && !strings.Contains(err.Error(), "rows of 1 numbers") {
			t.Errorf("%s in blocks: %v", name, err)
		}
		if name == "parquet" {
			d, err := readAll(bomb, &dataset.Options{MaxExpansion: math.MaxInt32})
			if err != nil || d.Len() != n {
				t.Errorf("%s, with all that is wanted: %v", name, err)
			}
			continue
		}
		if name != "arrow" && !testdata.IsLong() {
			continue // without MONGE_LONG=1, only the file "arrow" is read to its end
		}
		if rows, err := rowsInBlocks(bomb, &dataset.Options{MaxExpansion: math.MaxInt32}); err != nil || rows != n {
			t.Errorf("%s in blocks, with all that is wanted: %d rows, %v", name, rows, err)
		}
	}
}

// batches returns a compressed Arrow file with the given number of record batches, each of which contains the column x.
func batches(t *testing.T, x arrow.Array, times int) []byte {
	t.Helper()
	types := arrow.NewSchema([]arrow.Field{{Name: "x", Type: x.DataType()}}, nil)
	var out bytes.Buffer
	w, err := ipc.NewFileWriter(&out, ipc.WithSchema(types), ipc.WithZstd())
	for range times {
		if err == nil {
			err = w.Write(array.NewRecordBatch(types, []arrow.Array{x}, int64(x.Len())))
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// rowsInBlocks counts the rows that Next returns.
func rowsInBlocks(data []byte, opt *dataset.Options) (rows int, err error) {
	r, err := dataset.NewReader(bytes.NewReader(data), opt)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for {
		b, err := r.Next(1 << 16)
		if err == io.EOF {
			return rows, nil
		} else if err != nil {
			return rows, err
		}
		rows += b.X.RawMatrix().Rows
	}
}

// TestLargeBatch checks that a valid record batch of 300 MiB can be read, although it exceeds the default limit of the
// Arrow library.
func TestLargeBatch(t *testing.T) {
	testdata.Long(t)
	const n = 300 << 17
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues(make([]float64, n), nil)
	path := filepath.Join(t.TempDir(), "large.arrow")
	write(t, path, arrowBytes(t, []arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}, []arrow.Array{b.NewArray()}))
	for _, opt := range []*dataset.Options{nil} {
		r, err := dataset.Open(path, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		rows := 0
		for {
			b, err := r.Next(1 << 16)
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			rows += b.X.RawMatrix().Rows
		}
		if rows != n {
			t.Errorf("%d rows of %d", rows, n)
		}
	}
}

// rowGroup selects a row group of a file.
type rowGroup struct {
	*io.SectionReader
	number int
}

func (g rowGroup) RowGroup() int { return g.number }

// TestRowGroup checks that reading a single row group returns the same rows as reading the whole file.
func TestRowGroup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flat.parquet")
	flatParquet(t, path, []int{30, 12, 7}, func(row, column int) (float64, bool) { return float64(row + column), false })
	all, err := dataset.ReadFile(path, &dataset.Options{Labels: dataset.LabelName("c3")})
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		t.Fatal(err)
	}
	group := func(g int) io.Reader { return rowGroup{io.NewSectionReader(in, 0, info.Size()), g} }
	first := 0
	for g, n := range []int{30, 12, 7} {
		r, err := dataset.NewReader(group(g), &dataset.Options{Labels: dataset.LabelName("c3")})
		if err != nil {
			t.Fatal(err)
		}
		rows, cols := r.Dims()
		d, err := r.ReadAll()
		r.Close()
		if err != nil || rows != n || !mat.Equal(d.X, all.X.Slice(first, first+n, 0, cols)) {
			t.Errorf("row group %d: %d rows, %v", g, rows, err)
		}
		first += n
	}
	if _, err := dataset.NewReader(group(3), nil); !errors.Is(err, dataset.ErrFormat) {
		t.Errorf("a row group that is not there: %v", err)
	}
}
