package columnar

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
	flatbuffers "github.com/google/flatbuffers/go"
)

// TestRepeatedTexts checks that MaxExpansion limits text that many rows share through a dictionary, whether the text is
// kept or only inspected.
func TestRepeatedTexts(t *testing.T) {
	const rows, length = 1 << 16, 1 << 11 // 128 MiB of texts
	text := strings.Repeat("a", length)
	doublesOf := make([]float64, rows)
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues(doublesOf, nil)
	numbers := b.NewArray()
	i := array.NewInt8Builder(memory.DefaultAllocator)
	i.AppendValues(make([]int8, rows), nil)
	kind := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	texts := array.NewDictionaryArray(kind, i.NewArray(), arrayOf(t, arrow.BinaryTypes.String, `["`+text+`"]`))
	bombs := map[string][]byte{
		"arrow": arrowBytes(t, []arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}, {Name: "t", Type: kind}}, []arrow.Array{numbers, texts}, ipc.WithZstd()),
		"parquet": parquetOf(t, schema.FieldList{schema.NewFloat64Node("x", parquet.Repetitions.Required, -1), node(t, "t", parquet.Types.ByteArray, schema.StringLogicalType{}, 0)},
			[]func(file.ColumnChunkWriter) error{doubles(doublesOf...), func(c file.ColumnChunkWriter) error {
				_, err := c.(*file.ByteArrayColumnChunkWriter).WriteBatch(slicesOf(text, rows), nil, nil)
				return err
			}}, parquet.WithCompression(compress.Codecs.Zstd)),
	}
	for name, bomb := range bombs {
		for use, opt := range map[string]*dataset.Options{
			"identifiers": {ID: []string{"t"}},
			"labels":      {Labels: dataset.LabelName("t")},
			"categories":  {OneHot: []string{"t"}},
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := readAll(bomb, opt)
			runtime.ReadMemStats(&after)
			fe, ok := errors.AsType[*dataset.FileError](err)
			if took := after.TotalAlloc - before.TotalAlloc; !ok || fe.Option != "MaxExpansion" || took > 120<<20 {
				t.Errorf("%s of %d bytes, %s: %v, %d bytes of memory", name, len(bomb), use, err, took)
			}
			if use == "categories" { // Next does not read categories without a schema
				continue
			}
			if n, err := rowsInBlocks(bomb, opt); !errors.As(err, &fe) || fe.Option != "MaxExpansion" || n > rows/2 {
				t.Errorf("%s in blocks, %s: %d rows, %v", name, use, n, err)
			}
			more := *opt
			more.MaxExpansion = 1 << 20
			if n, err := rowsInBlocks(bomb, &more); n != rows || err != nil {
				t.Errorf("%s in blocks, %s, with all that is wanted: %d rows, %v", name, use, n, err)
			}
		}
	}
}

func slicesOf(text string, n int) []parquet.ByteArray {
	v := make([]parquet.ByteArray, n)
	for i := range v {
		v[i] = parquet.ByteArray(text)
	}
	return v
}

// TestRepeatedBatches checks that the memory limit applies to an Arrow footer that names one record batch a thousand
// times. The batch has few rows and a long text in an unused column.
func TestRepeatedBatches(t *testing.T) {
	const times = 1000
	good := arrowBytes(t, []arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}, {Name: "t", Type: arrow.BinaryTypes.String}},
		[]arrow.Array{arrayOf(t, arrow.PrimitiveTypes.Float64, "[1, 2]"), arrayOf(t, arrow.BinaryTypes.String, `["`+strings.Repeat("a", 8<<20)+`", ""]`)}, ipc.WithZstd())
	opt := &dataset.Options{Drop: []string{"t"}}
	if n, err := rowsInBlocks(repeated(good, 3), opt); n != 6 || err != nil {
		t.Fatalf("three times: %d rows, %v", n, err)
	}
	bomb := repeated(good, times)
	n, err := rowsInBlocks(bomb, opt)
	if fe, ok := errors.AsType[*dataset.FileError](err); !ok || fe.Option != "MaxExpansion" || n > 20 {
		t.Errorf("%d bytes: %d rows, %v", len(bomb), n, err)
	}
}

// repeated changes the footer of an Arrow file with one record batch so that the footer lists this batch several times.
func repeated(data []byte, times int) []byte {
	end := len(data) - 4 - len(arrowMagic)
	begin := end - int(binary.LittleEndian.Uint32(data[end:]))
	footer := bytes.Clone(data[begin:end])
	const batches = 3 // slot
	root := flatbuffers.Table{Bytes: footer, Pos: flatbuffers.GetUOffsetT(footer)}
	field := root.Pos + flatbuffers.UOffsetT(root.Offset(4+2*batches))
	const blockBytes = 24
	block := bytes.Clone(footer[field+flatbuffers.GetUOffsetT(footer[field:])+4:][:blockBytes])
	for len(footer)%8 != 4 {
		footer = append(footer, 0)
	}
	binary.LittleEndian.PutUint32(footer[field:], uint32(len(footer))-uint32(field))
	footer = binary.LittleEndian.AppendUint32(footer, uint32(times))
	for range times {
		footer = append(footer, block...)
	}
	out := append(bytes.Clone(data[:begin]), footer...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), arrowMagic...)
}

// TestLongFirstList checks that Width stops counting the first list of a Parquet file when the list exceeds the limit.
func TestLongFirstList(t *testing.T) {
	const n = 1 << 16
	data := parquetOf(t, schema.FieldList{schema.NewFloat64Node("c", parquet.Repetitions.Repeated, -1)}, []func(file.ColumnChunkWriter) error{func(c file.ColumnChunkWriter) error {
		defs, reps := make([]int16, n), make([]int16, n)
		for k := range n {
			defs[k], reps[k] = 1, min(1, int16(k&0x7fff)) // two lists
		}
		reps[n/2] = 0
		_, err := c.(*file.Float64ColumnChunkWriter).WriteBatch(make([]float64, n), defs, reps)
		return err
	}})
	p, err := openParquet(bytes.NewReader(data), func(int64) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if n, err := p.Width(0); n != 1<<15 || err != nil {
		t.Fatalf("%d elements, %v", n, err)
	}
	// The library's page reader allows any size, so only parquetFile.check limits the memory.
	asked, tooLong := int64(0), errors.New("too long")
	p.(*parquetFile).check = func(bytes int64) error {
		if asked = bytes; bytes > 8*5000 {
			return tooLong
		}
		return nil
	}
	if n, err := p.Width(0); err != tooLong || asked > 8*(5000+(1<<12)) {
		t.Errorf("%d elements, %d bytes, %v", n, asked, err)
	}
}

// TestFalsePageSize checks that reading fails if a page is larger than its header declares, and that no memory is
// allocated for the excess.
func TestFalsePageSize(t *testing.T) {
	for _, codec := range []compress.Compression{compress.Codecs.Zstd, compress.Codecs.Snappy, compress.Codecs.Gzip} {
		t.Run(codec.String(), func(t *testing.T) { falsePageSize(t, codec) })
	}
}

func falsePageSize(t *testing.T, codec compress.Compression) {
	n := 1 << 20 // numbers, 8 MiB
	if testdata.IsLong() {
		n = 8 << 20
	}
	data := parquetOf(t, schema.FieldList{schema.NewFloat64Node("x", parquet.Repetitions.Required, -1)}, []func(file.ColumnChunkWriter) error{doubles(make([]float64, n)...)},
		parquet.WithDictionaryDefault(false), parquet.WithCompression(codec), parquet.WithDataPageSize(1<<30), parquet.WithBatchSize(int64(n)))
	// The size is the second field of the header, in the compact protocol of Thrift.
	field := func(size int) []byte { return append([]byte{0x15}, binary.AppendUvarint(nil, uint64(2*size))...) }
	good, false1 := field(8*n), field(1000)
	for len(false1) < len(good) { // padding
		false1[len(false1)-1] |= 0x80
		false1 = append(false1, 0)
	}
	at := bytes.Index(data, good)
	if at < 0 || at > 30 {
		t.Fatalf("no header of a page: %d", at)
	}
	copy(data[at:], false1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := readAll(data, &dataset.Options{MaxExpansion: 1 << 30})
	runtime.ReadMemStats(&after)
	// Each number of the matrix takes 8 bytes.
	if took := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, dataset.ErrFormat) || took > uint64(10*n) {
		t.Errorf("%v, %d bytes of memory", err, took)
	}
}

// TestLargePage checks that a valid page of 264 MiB can be read, although it exceeds the default limits of the Parquet
// library.
func TestLargePage(t *testing.T) {
	testdata.Long(t)
	const n = 33 << 20
	data := parquetOf(t, schema.FieldList{schema.NewFloat64Node("x", parquet.Repetitions.Required, -1)}, []func(file.ColumnChunkWriter) error{doubles(make([]float64, n)...)},
		parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(1<<30), parquet.WithBatchSize(n))
	if rows, err := rowsInBlocks(data, nil); rows != n || err != nil {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// TestManyPages checks that the memory limit applies to the sum of all pages of a Parquet file, not to each page alone.
func TestManyPages(t *testing.T) {
	const n = 1 << 18 // numbers, 2 MiB
	data := parquetOf(t, schema.FieldList{schema.NewFloat64Node("x", parquet.Repetitions.Required, -1)}, []func(file.ColumnChunkWriter) error{doubles(make([]float64, n)...)},
		parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(1<<16), parquet.WithBatchSize(1<<10))
	most, tooMuch := int64(math.MaxInt64), errors.New("too much")
	for _, want := range []error{nil, tooMuch} {
		asked := int64(0)
		p, err := openParquet(bytes.NewReader(data), func(bytes int64) error {
			if asked = max(asked, bytes); asked > most {
				return tooMuch
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		_, err = p.Batch(n)
		if err == nil {
			err = p.Floats(0, make([]float64, n), 1, 1)
		}
		if !errors.Is(err, want) || (err == nil) != (want == nil) || asked < min(8*n, most) {
			t.Errorf("%d bytes, %v", asked, err)
		}
		most = 1 << 20
	}
}

// ending is a source that returns err once err is set.
type ending struct {
	*bytes.Reader
	err error
}

func (e *ending) Read(p []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	return e.Reader.Read(p)
}

func (e *ending) ReadAt(p []byte, at int64) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	return e.Reader.ReadAt(p, at)
}

// TestSourceEnds checks that Next returns an error of the underlying reader unchanged. A caller can
// thus interrupt Next.
func TestSourceEnds(t *testing.T) {
	x := array.NewFloat64Builder(memory.DefaultAllocator)
	for k := range 1 << 16 {
		x.Append(float64(k))
	}
	numbers := x.NewArray()
	many := make([]float64, 1<<20)
	for k := range many {
		many[k] = float64(k)
	}
	for name, data := range map[string][]byte{
		"arrow": batches(t, numbers, 4),
		"parquet": parquetOf(t, schema.FieldList{schema.NewFloat64Node("x", parquet.Repetitions.Required, -1)}, []func(file.ColumnChunkWriter) error{doubles(many...)},
			parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(1<<16)),
	} {
		source := &ending{Reader: bytes.NewReader(data)}
		r, err := dataset.NewReader(source, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		_, err = r.Next(1 << 10)
		if err != nil {
			t.Fatal(err)
		}
		source.err = context.Canceled
		for n := 0; err == nil; n++ {
			if _, err = r.Next(1 << 10); n > 100 {
				break
			}
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPrefixes checks that the memory limit is enforced before delta-encoded texts are expanded. Each text is a long
// prefix of the previous text plus one letter.
func TestPrefixes(t *testing.T) {
	const length = 1 << 13
	rows := 1 << 14 // 128 MiB of texts
	if testdata.IsLong() {
		rows = 1 << 15
	}
	texts := make([]parquet.ByteArray, rows)
	for i := range texts {
		texts[i] = append(bytes.Repeat([]byte{'a'}, length), "xy"[i%2])
	}
	data := parquetOf(t, schema.FieldList{schema.NewFloat64Node("x", parquet.Repetitions.Required, -1), node(t, "t", parquet.Types.ByteArray, schema.StringLogicalType{}, 0)},
		[]func(file.ColumnChunkWriter) error{doubles(make([]float64, rows)...), func(c file.ColumnChunkWriter) error {
			_, err := c.(*file.ByteArrayColumnChunkWriter).WriteBatch(texts, nil, nil)
			return err
		}},
		parquet.WithDictionaryFor("t", false), parquet.WithEncodingFor("t", parquet.Encodings.DeltaByteArray), parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDataPageSize(1<<30), parquet.WithBatchSize(int64(rows)))
	opt := &dataset.Options{Labels: dataset.LabelName("t")}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := readAll(data, opt)
	runtime.ReadMemStats(&after)
	fe, ok := errors.AsType[*dataset.FileError](err)
	if took := after.TotalAlloc - before.TotalAlloc; !ok || fe.Option != "MaxExpansion" || took > uint64(min(128<<20, rows*length*3/4)) {
		t.Errorf("%d bytes: %v, %d bytes of memory", len(data), err, took)
	}
	opt.MaxExpansion = 1 << 30
	d, err := readAll(data, opt)
	if err != nil || len(d.Classes) != 2 || d.Classes[1] != string(texts[1]) || d.Labels[2] != 0 || d.Labels[3] != 1 {
		t.Errorf("with all that is wanted: %v", err)
	}
}
