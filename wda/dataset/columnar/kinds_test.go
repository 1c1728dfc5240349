package columnar

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/gomonge/monge/wda/dataset"
)

// TestHalf checks that every finite float16 value in an Arrow, Parquet or NPY file is decoded as IEEE 754 defines, and
// that infinities and NaNs are errors.
func TestHalf(t *testing.T) {
	var finite []uint16
	for b := range 1 << 16 {
		if b>>10&31 != 31 {
			finite = append(finite, uint16(b))
		}
	}
	// want decodes a float16 by its definition: sign · 2^(e−15) · 1.f, or sign · 2^−14 · 0.f if e = 0.
	want := func(b uint16) float64 {
		v := float64(b&0x3ff) / 1024 * math.Pow(2, -14)
		if e := int(b >> 10 & 31); e > 0 {
			v = (1 + float64(b&0x3ff)/1024) * math.Pow(2, float64(e-15))
		}
		return math.Copysign(v, 1-float64(b>>15)*2)
	}
	of := func(patterns []uint16) map[string][]byte {
		b := array.NewFloat16Builder(memory.DefaultAllocator)
		var fixed []parquet.FixedLenByteArray
		raw := []byte{}
		for _, p := range patterns {
			b.Append(float16.FromBits(p))
			raw = binary.LittleEndian.AppendUint16(raw, p)
			fixed = append(fixed, raw[len(raw)-2:len(raw):len(raw)])
		}
		head := fmt.Sprintf("{'descr': '<f2', 'fortran_order': False, 'shape': (%d, 1), }", len(patterns))
		head += strings.Repeat(" ", 117-len(head)) + "\n"
		return map[string][]byte{
			"arrow": arrowBytes(t, []arrow.Field{{Name: "x", Type: arrow.FixedWidthTypes.Float16}}, []arrow.Array{b.NewArray()}),
			"parquet": parquetOf(t, schema.FieldList{node(t, "x", parquet.Types.FixedLenByteArray, schema.Float16LogicalType{}, 2)}, []func(file.ColumnChunkWriter) error{func(c file.ColumnChunkWriter) error {
				_, err := c.(*file.FixedLenByteArrayColumnChunkWriter).WriteBatch(fixed, nil, nil)
				return err
			}}),
			"npy": []byte("\x93NUMPY\x01\x00" + string(rune(len(head))) + "\x00" + head + string(raw)),
		}
	}
	for format, data := range of(finite) {
		d, err := readAll(data, nil)
		if err != nil || d.Len() != len(finite) {
			t.Errorf("%s: %v", format, err)
			continue
		}
		for i, b := range finite {
			if got := d.X.At(i, 0); math.Float64bits(got) != math.Float64bits(want(b)) {
				t.Fatalf("%s: %#04x is %v, want %v", format, b, got, want(b))
			}
		}
	}
	for b := range 1 << 16 {
		if b>>10&31 != 31 || b&0x3ff > 2 && b&0x3ff < 0x3fe { // test the infinities and only a few of the NaNs
			continue
		}
		for format, data := range of([]uint16{0, uint16(b)}) {
			if _, err := readAll(data, nil); !errors.Is(err, dataset.ErrNotFinite) {
				t.Errorf("%s: %#04x: %v", format, b, err)
			}
		}
	}
}

// TestManyRowGroups checks that a file with many row groups is read in linear time. The reader needs the total number
// of rows before every batch, and must not compute the sum each time.
func TestManyRowGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "groups.parquet")
	flatParquet(t, path, []int{3, 1, 2}, func(row, column int) (float64, bool) { return float64(row + column), false })
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	table, err := openParquet(in, func(int64) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	table.(*parquetFile).r = nil // Rows would panic if it read the row groups again through r
	if rows := table.Rows(); rows != 6 {
		t.Errorf("%d rows", rows)
	}
}

// TestDuration checks that duration columns are rejected in Arrow files, and in Parquet files whose Arrow schema can be
// read.
func TestDuration(t *testing.T) {
	fields := []arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}, {Name: "d", Type: arrow.FixedWidthTypes.Duration_ns}}
	var message bytes.Buffer
	w := ipc.NewWriter(&message, ipc.WithSchema(arrow.NewSchema(fields, nil)))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	numbers := func(c file.ColumnChunkWriter) error {
		_, err := c.(*file.Int64ColumnChunkWriter).WriteBatch([]int64{1, 2}, nil, nil)
		return err
	}
	of := func(schemaText string) []byte {
		return parquetWith(t, schema.FieldList{schema.NewFloat64Node("x", parquet.Repetitions.Required, -1), schema.NewInt64Node("d", parquet.Repetitions.Required, -1)},
			schemaText, doubles(1, 2), numbers)
	}
	in := base64.StdEncoding.EncodeToString(message.Bytes())
	for format, data := range map[string][]byte{"arrow": arrowOf(t, arrowColumn{"x", arrow.PrimitiveTypes.Float64, "[1, 2]"}, arrowColumn{"d", arrow.FixedWidthTypes.Duration_ns, "[1, 2]"}), "parquet": of(in)} {
		if _, err := readAll(data, nil); !errors.Is(err, dataset.ErrFormat) || !strings.Contains(err.Error(), "column 2 (d): the column holds duration[ns], not numbers") {
			t.Errorf("%s: %v", format, err)
		}
	}
	// If the Arrow schema cannot be read, the durations are read as integers.
	for _, damaged := range []string{"?", in[:40], strings.Repeat("A", 400), base64.StdEncoding.EncodeToString(append([]byte("\xff\xff\xff\xff\x10\x00\x00\x00"), bytes.Repeat([]byte{0xff}, 16)...))} {
		if d, err := readAll(of(damaged), nil); err != nil || d.X.At(1, 1) != 2 {
			t.Errorf("%.20q: %v, %v", damaged, d, err)
		}
	}
}

// parquetWith is like parquetOf, but also stores text as the file's Arrow schema.
func parquetWith(t *testing.T, fields schema.FieldList, text string, columns ...func(file.ColumnChunkWriter) error) []byte {
	t.Helper()
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		t.Fatal(err)
	}
	kv := metadata.NewKeyValueMetadata()
	if err := kv.Append("ARROW:schema", text); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriteMetadata(kv))
	g, err := w.AppendRowGroupChecked()
	if err != nil {
		t.Fatal(err)
	}
	for _, write := range columns {
		c, err := g.NextColumn()
		if err == nil {
			err = errors.Join(write(c), c.Close())
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

// TestEncrypted checks that the error for an encrypted footer says that the file is encrypted.
func TestEncrypted(t *testing.T) {
	_, err := readAll([]byte("PARE\x00\x00\x00\x00PARE"), nil)
	if !errors.Is(err, dataset.ErrFormat) || !strings.Contains(err.Error(), "the Parquet file is encrypted") {
		t.Error(err)
	}
}

// TestLabelTexts checks that strings are used as labels unchanged, even if they look like numbers, and that nulls and
// empty strings are missing labels.
func TestLabelTexts(t *testing.T) {
	x := arrowColumn{"x", arrow.PrimitiveTypes.Float64, "[1, 2, 3]"}
	for labels, want := range map[string]string{
		`["3.1", "3.10", "3.9"]`: "[3.1 3.10 3.9] [0 1 2]", `["01", "1", "2"]`: "[01 1 2] [0 1 2]", `["1.0", "2", "1"]`: "[1 2] [0 1 0]",
		`["a", null, "b"]`: "row 2", `["a", "b", ""]`: "row 3", `["NA", "b", "a"]`: "row 1",
	} {
		d, err := readAll(arrowOf(t, x, arrowColumn{"label", arrow.BinaryTypes.String, labels}), nil)
		if strings.HasPrefix(want, "row") {
			if !errors.Is(err, dataset.ErrLabels) || !strings.Contains(err.Error(), want+", column 2 (label): the label is missing") {
				t.Errorf("%s: %v", labels, err)
			}
		} else if err != nil || fmt.Sprint(d.Classes, d.Labels) != want {
			t.Errorf("%s: %v, %v, want %s", labels, d, err, want)
		}
	}
}

func BenchmarkReadParquet(b *testing.B) {
	const rows = 1 << 16
	path := filepath.Join(b.TempDir(), "flat.parquet")
	flatParquet(b, path, []int{rows}, func(row, column int) (float64, bool) {
		if column == 3 { // the label
			return float64(row % 10), false
		}
		return float64(row + column), false
	})
	b.SetBytes(8 * rows * 4)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dataset.ReadFile(path, &dataset.Options{Labels: dataset.LabelName("c3"), MaxExpansion: 1 << 20}); err != nil {
			b.Fatal(err)
		}
	}
}
