package columnar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/gomonge/monge/internal/tabular"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
)

// flatParquet writes a Parquet file with a row group of n rows for each n in groups. The file has one optional column
// of every numeric type, as pyarrow writes them, and a text column of labels. set returns the value
// at a row and column, and whether the value is null.
func flatParquet(t testing.TB, path string, groups []int, set func(row, column int) (v float64, null bool)) {
	t.Helper()
	var fields schema.FieldList
	number := func(kind parquet.Type, logical schema.LogicalType) {
		n, err := schema.NewPrimitiveNodeLogical(fmt.Sprintf("c%d", len(fields)), parquet.Repetitions.Optional, logical, kind, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, n)
	}
	number(parquet.Types.Float, nil)
	number(parquet.Types.Double, nil)
	number(parquet.Types.Int32, nil)
	number(parquet.Types.ByteArray, schema.StringLogicalType{})
	number(parquet.Types.Int64, schema.NewIntLogicalType(64, false))
	number(parquet.Types.Boolean, nil)
	number(parquet.Types.Float, nil)
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(parquet.WithDataPageSize(1<<10))))
	row := 0
	for _, n := range groups {
		g, err := w.AppendRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		for j := range fields {
			c, err := g.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			defs := make([]int16, n)
			var v []float64
			for i := range n {
				if x, null := set(row+i, j); !null {
					defs[i], v = 1, append(v, x)
				}
			}
			switch c := c.(type) {
			case *file.Float32ColumnChunkWriter:
				_, err = c.WriteBatch(mapSlice(v, func(x float64) float32 { return float32(x) }), defs, nil)
			case *file.Float64ColumnChunkWriter:
				_, err = c.WriteBatch(v, defs, nil)
			case *file.Int32ColumnChunkWriter:
				_, err = c.WriteBatch(mapSlice(v, func(x float64) int32 { return int32(x * 100) }), defs, nil)
			case *file.Int64ColumnChunkWriter:
				_, err = c.WriteBatch(mapSlice(v, func(x float64) int64 { return int64(x * 1e18) }), defs, nil)
			case *file.BooleanColumnChunkWriter:
				_, err = c.WriteBatch(mapSlice(v, func(x float64) bool { return x > 0 }), defs, nil)
			case *file.ByteArrayColumnChunkWriter:
				_, err = c.WriteBatch(mapSlice(v, func(x float64) parquet.ByteArray { return fmt.Appendf(nil, "%.0f", x) }), defs, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		row += n
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path, out.Bytes())
}

func mapSlice[S, T any](from []S, f func(S) T) (to []T) {
	for _, v := range from {
		to = append(to, f(v))
	}
	return to
}

// rowsOf reads a Parquet file in batches and returns the rows before the first error. If spilled is true, it decodes
// columns one after another through a temporary file.
func rowsOf(t *testing.T, path string, most int, spilled bool) (rows [][]float64, labels []string, err error) {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	table, err := openParquet(in, func(int64) error { return nil })
	if err != nil {
		return nil, nil, err
	}
	defer table.Close()
	if spilled {
		table.(*parquetFile).most = -1
	}
	label := -1
	var features []tabular.Feature
	for i, f := range table.Fields() {
		if f.Name == "c3" {
			label = i
		} else if f.Number {
			features = append(features, tabular.Feature{Column: i, Width: 1, At: len(features)})
		}
	}
	table.Use(features)
	cols := len(features)
	for {
		n, err := table.Batch(most)
		if err == io.EOF {
			return rows, labels, nil
		} else if err != nil {
			return rows, labels, err
		}
		x := make([]float64, n*cols)
		for _, f := range features {
			if err := table.Floats(f.Column, x[f.At:], 1, cols); err != nil {
				return rows, labels, err
			}
		}
		if at := slices.IndexFunc(x, func(v float64) bool { return v != v }); at >= 0 {
			return rows, labels, &dataset.FileError{Row: len(rows) + at/cols + 1, Err: dataset.ErrNotFinite}
		}
		for row := range slices.Chunk(x, cols) {
			rows = append(rows, row)
		}
		if label < 0 {
			continue
		}
		if err := table.Texts(label, func(text []byte) { labels = append(labels, string(text)) }); err != nil {
			return rows, labels, err
		}
	}
}

// TestSpill compares decoding columns one after another with decoding columns side by side. Both methods must give
// the same numbers. For invalid files, both methods must give the same error after the same rows.
func TestSpill(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	path := filepath.Join(t.TempDir(), "flat.parquet")
	good := func(row, column int) (float64, bool) {
		return float64((row*31+column*17)%1009) / 1009, false
	}
	at := func(row, column int, wrong float64) func(int, int) (float64, bool) {
		return func(r, c int) (float64, bool) {
			v, _ := good(r, c)
			if r == row && c == column {
				return wrong, wrong == 0
			}
			return v, false
		}
	}
	groups := []int{5000, 1, 0, 12000}
	for name, set := range map[string]func(int, int) (float64, bool){
		"good": good, "null": at(16000, 2, 0), "first": at(5001, 0, 0), "label": at(100, 3, 0), "last": at(17000, 6, 0), "NaN": at(9000, 1, math.NaN()),
		"two": func(r, c int) (float64, bool) {
			v, _ := good(r, c)
			return v, r == 6100 && c == 1 || r == 6020 && c == 4
		},
	} {
		flatParquet(t, path, groups, set)
		for _, most := range []int{1000, 4096} {
			rows, labels, want := rowsOf(t, path, most, false)
			gotRows, gotLabels, err := rowsOf(t, path, most, true)
			if fmt.Sprint(err) != fmt.Sprint(want) || (name == "good") != (err == nil) {
				t.Errorf("%s: %v, not %v", name, err, want)
			}
			if _, ok := errors.AsType[*dataset.FileError](err); err != nil && !ok {
				t.Errorf("%s: %T", name, err)
			}
			if !reflect.DeepEqual(gotRows, rows) || !reflect.DeepEqual(gotLabels, labels) {
				t.Errorf("%s: other rows, %d of them, not %d", name, len(gotRows), len(rows))
			}
		}
	}
	// A small file is read many times, each time with a different byte changed.
	flatParquet(t, path, []int{3, 2}, good)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	step := 40
	if testdata.IsLong() {
		step = 1
	}
	for k := 4; k < len(whole); k += step {
		b := bytes.Clone(whole)
		b[k] ^= 0x11
		write(t, path, b)
		rows, _, want := rowsOf(t, path, 10, false)
		got, _, err := rowsOf(t, path, 10, true)
		if (err == nil) != (want == nil) || err == nil && fmt.Sprint(got) != fmt.Sprint(rows) {
			t.Errorf("byte %d: %v, not %v", k, err, want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestSpillFails checks that the error about a temporary file names the file's folder.
func TestSpillFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("another variable there")
	}
	path := filepath.Join(t.TempDir(), "flat.parquet")
	flatParquet(t, path, []int{10}, func(int, int) (float64, bool) { return 1, false })
	none := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", none)
	_, _, err := rowsOf(t, path, 10, true)
	if err == nil || !strings.HasPrefix(err.Error(), "many columns need a temporary file") || !strings.Contains(err.Error(), none+": cannot write: no such file") {
		t.Error(err)
	}
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
