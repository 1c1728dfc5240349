package mongebeam

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"hash/fnv"
	"io"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/gomonge/monge/wda"
)

func init() {
	beam.RegisterType(reflect.TypeFor[*vectorRow]())
	beam.RegisterType(reflect.TypeFor[*classRow]())
	beam.RegisterType(reflect.TypeFor[*write]())
	beam.RegisterType(reflect.TypeFor[row]())
}

// row is a line of an output file.
type row struct {
	Key   string
	X     []float64
	Class wda.Class
}

// Write writes collections of type KV<string, []float64>, or of type KV<string, wda.Class>, to
// files. The extension of path, .parquet or .csv, determines the format. For 4 shards, out.csv
// becomes out-00000-of-00004.csv to out-00003-of-00004.csv.
//
// The key of a row determines its shard. A shard without rows has no file. Rows are sorted by key,
// so that the bytes of the files do not depend on how the work was divided. A worker holds a whole
// shard in memory. Write panics if the arguments are invalid.
func Write(s beam.Scope, path string, shards int, cols ...beam.PCollection) {
	s = s.Scope("monge.Write")
	format, _, err := formatOf(path)
	if err != nil {
		panic(err.Error())
	}
	if shards < 1 {
		panic(fmt.Sprintf("mongebeam: %d shards; at least one is needed", shards))
	}
	classes := false
	rows := make([]beam.PCollection, len(cols))
	for i, col := range cols { // convert each collection before the collections are merged, so that the conversions can run in parallel
		switch t := col.Type(); {
		case typex.IsKV(t) && t.Components()[1].Type() == reflect.TypeFor[[]float64]():
			rows[i] = beam.ParDo(s, &vectorRow{shards}, col)
		case typex.IsKV(t) && t.Components()[1].Type() == reflect.TypeFor[wda.Class]():
			rows[i] = beam.ParDo(s, &classRow{shards}, col)
			classes = true
		default:
			panic(fmt.Sprintf("mongebeam: a collection of %v; it must be KV<string, []float64> or KV<string, wda.Class>", t))
		}
	}
	col := beam.Flatten(s, rows...)
	consumeFiles(s, beam.ParDo(s, &write{path, shards, format, classes}, beam.GroupByKey(s, col)))
}

// formatOf splits a file name into the format (the extension in lower case) and the name without the
// extension.
func formatOf(name string) (format, base string, err error) {
	ext := path.Ext(name)
	if format = strings.ToLower(ext); format != ".parquet" && format != ".csv" {
		return "", "", fmt.Errorf("mongebeam: %s: the name of an output must end in .parquet or .csv", name)
	}
	return format, strings.TrimSuffix(name, ext), nil
}

func shardOf(key string, shards int) int {
	h := fnv.New32a()
	h.Write([]byte(key))
	return int(h.Sum32() % uint32(shards))
}

type vectorRow struct{ Shards int }

// ProcessElement implements Write.
func (f *vectorRow) ProcessElement(key string, x []float64) (int, row) {
	return shardOf(key, f.Shards), row{Key: key, X: x}
}

type classRow struct{ Shards int }

// ProcessElement implements Write.
func (f *classRow) ProcessElement(key string, c wda.Class) (int, row) {
	return shardOf(key, f.Shards), row{Key: key, Class: c}
}

// write is the DoFn that writes a shard.
type write struct {
	Path    string
	Shards  int
	Format  string
	Classes bool
}

// ProcessElement writes the file of a shard and returns its name.
func (f *write) ProcessElement(ctx context.Context, shard int, next func(*row) bool) (int, string, error) {
	var rows []row
	for r := (row{}); next(&r); r = (row{}) {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), slices.Compare(a.X, b.X), cmp.Compare(a.Class.Label, b.Class.Label), cmp.Compare(a.Class.SqDistance, b.Class.SqDistance))
	})
	format, base, err := formatOf(f.Path)
	if err != nil {
		return 0, "", err
	}
	path := fmt.Sprintf("%s-%05d-of-%05d%s", base, shard, f.Shards, format)
	return shard, path, writeFile(ctx, path, func(w io.Writer) error {
		if f.Format == ".csv" {
			return f.csv(w, rows)
		}
		return f.parquet(w, rows)
	})
}

func (f *write) csv(w io.Writer, rows []row) error {
	out := csv.NewWriter(w)
	line := []string{"key"}
	if f.Classes {
		line = append(line, "label", "class", "share", "sqdistance")
	} else {
		for i := range rows[0].X {
			line = append(line, fmt.Sprintf("w%d", i+1))
		}
	}
	for i := -1; i < len(rows); i++ {
		if i >= 0 {
			r := &rows[i]
			line = append(line[:0], r.Key)
			if f.Classes {
				line = append(line, strconv.Itoa(r.Class.Label), r.Class.Name, shortest(r.Class.Share), shortest(r.Class.SqDistance))
			}
			for _, v := range r.X {
				line = append(line, shortest(v))
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// shortest formats a number with the fewest digits that represent it exactly.
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// groupRows is the number of rows of a row group.
const groupRows = 1 << 16

func (f *write) parquet(w io.Writer, rows []row) error {
	fields := []arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}}
	if f.Classes {
		fields = append(fields,
			arrow.Field{Name: "label", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "class", Type: arrow.BinaryTypes.String},
			arrow.Field{Name: "share", Type: arrow.PrimitiveTypes.Float64}, arrow.Field{Name: "sqdistance", Type: arrow.PrimitiveTypes.Float64})
	} else {
		fields = append(fields, arrow.Field{Name: "x", Type: arrow.FixedSizeListOfNonNullable(int32(len(rows[0].X)), arrow.PrimitiveTypes.Float64)})
	}
	schema := arrow.NewSchema(fields, nil)
	// The default writer name in a Parquet file would contain the versions of libraries.
	props := parquet.NewWriterProperties(parquet.WithCreatedBy("monge"))
	// Hide the Close method of w, because NewFileWriter would close w, which belongs to the caller.
	out, err := pqarrow.NewFileWriter(schema, struct{ io.Writer }{w}, props, pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		return err
	}
	for group := range slices.Chunk(rows, groupRows) {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for i := range group {
			r := &group[i]
			b.Field(0).(*array.StringBuilder).Append(r.Key)
			if f.Classes {
				b.Field(1).(*array.Int64Builder).Append(int64(r.Class.Label))
				b.Field(2).(*array.StringBuilder).Append(r.Class.Name)
				b.Field(3).(*array.Float64Builder).Append(r.Class.Share)
				b.Field(4).(*array.Float64Builder).Append(r.Class.SqDistance)
				continue
			}
			list := b.Field(1).(*array.FixedSizeListBuilder)
			list.Append(true)
			list.ValueBuilder().(*array.Float64Builder).AppendValues(r.X, nil)
		}
		record := b.NewRecordBatch()
		err := out.Write(record)
		record.Release()
		b.Release()
		if err != nil {
			return err
		}
	}
	return out.Close()
}
