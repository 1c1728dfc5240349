package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// arrowLists writes an Arrow file with an identifier, a list of numbers and a label in each row, in
// batches of 1000 rows. The lists have a fixed or a variable size.
func arrowLists(t testing.TB, path string, rows [][]float64, labels []string, fixed, stream bool) {
	t.Helper()
	list := arrow.DataType(arrow.ListOf(arrow.PrimitiveTypes.Float64))
	if fixed {
		list = arrow.FixedSizeListOf(int32(len(rows[0])), arrow.PrimitiveTypes.Float64)
	}
	types := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "emb", Type: list, Nullable: true}, {Name: "label", Type: arrow.BinaryTypes.String},
	}, nil)
	var out bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(&out, ipc.WithSchema(types))
	if !stream {
		var err error
		if w, err = ipc.NewFileWriter(&out, ipc.WithSchema(types)); err != nil {
			t.Fatal(err)
		}
	}
	for at := 0; at < len(rows); at += 1000 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, types)
		for i := at; i < min(at+1000, len(rows)); i++ {
			b.Field(0).(*array.Int64Builder).Append(int64(i))
			lists := b.Field(1).(array.ListLikeBuilder)
			lists.Append(rows[i] != nil)
			lists.ValueBuilder().(*array.Float64Builder).AppendValues(rows[i], nil)
			b.Field(2).(*array.StringBuilder).Append(labels[i])
		}
		if err := w.Write(b.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path, out.String())
}

// parquetLists writes each row as an optional list and a label to a Parquet file, in row groups of
// 1000 rows.
func parquetLists(t testing.TB, path string, rows [][]float64, labels []string) {
	t.Helper()
	element := schema.NewFloat64Node("element", parquet.Repetitions.Required, -1)
	inner, err := schema.NewGroupNode("list", parquet.Repetitions.Repeated, schema.FieldList{element}, -1)
	if err != nil {
		t.Fatal(err)
	}
	list, err := schema.NewGroupNodeLogical("emb", parquet.Repetitions.Optional, schema.FieldList{inner}, schema.ListLogicalType{}, -1)
	if err != nil {
		t.Fatal(err)
	}
	label, err := schema.NewPrimitiveNodeLogical("label", parquet.Repetitions.Required, schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{list, label}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root)
	for at := 0; at < len(rows); at += 1000 {
		g, err := w.AppendRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		var v []float64
		var texts []parquet.ByteArray
		var defs, reps []int16
		for i := at; i < min(at+1000, len(rows)); i++ {
			texts = append(texts, parquet.ByteArray(labels[i]))
			if rows[i] == nil {
				defs, reps = append(defs, 0), append(reps, 0)
			}
			for k, x := range rows[i] {
				v, defs, reps = append(v, x), append(defs, 2), append(reps, int16(min(k, 1)))
			}
		}
		c, err := g.NextColumn()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.(*file.Float64ColumnChunkWriter).WriteBatch(v, defs, reps); err != nil {
			t.Fatal(err)
		}
		c.Close()
		if c, err = g.NextColumn(); err != nil {
			t.Fatal(err)
		}
		if _, err := c.(*file.ByteArrayColumnChunkWriter).WriteBatch(texts, nil, nil); err != nil {
			t.Fatal(err)
		}
		c.Close()
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path, out.String())
}

// TestColumns checks that Parquet and Arrow files give the same results as other formats in every command, and that
// their output can be read back.
func TestColumns(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	many := dataset.Simulation{Seed: 7, NoiseDims: 3}.Generate(4096 + 1999)
	var rows [][]float64
	var labels []string
	for i := range many.Len() {
		rows, labels = append(rows, many.X.RawRowView(i)), append(labels, many.Classes[many.Labels[i]])
	}
	for _, fixed := range []bool{false, true} {
		arrowLists(t, at(fmt.Sprintf("fixed%v.arrow", fixed)), rows, labels, fixed, false)
	}
	arrowLists(t, at("stream.arrows"), rows, labels, true, true)
	parquetLists(t, at("lists.parquet"), rows, labels)
	fitSummary(t, "--data", s.csv, "--model", at("m.wda"), "--k", "3")
	if err := outfile.WriteFile(at("many.csv"), csvOf(many)); err != nil {
		t.Fatal(err)
	}
	transform := func(args ...string) string {
		t.Helper()
		object(t, append([]string{"transform", "--model", at("m.wda"), "--keep-labels", "--out", at("o.csv")}, args...)...)
		out, err := os.ReadFile(at("o.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	want := transform("--data", at("many.csv"))
	for _, in := range []string{"fixedfalse.arrow", "fixedtrue.arrow", "stream.arrows", "lists.parquet"} {
		if got := transform("--data", at(in)); got != want {
			t.Errorf("%s: not what the CSV gives", in)
		}
	}
	// The columns that transform writes must be readable as data and as training data.
	fitSummary(t, "--data", at("o.csv"), "--model", at("csv.wda"), "-p", "1", "--sample", "200")
	projection := func(path string) *mat.Dense {
		t.Helper()
		m, err := readModel(path)
		if err != nil {
			t.Fatal(err)
		}
		return m.Projection()
	}
	model := projection(at("csv.wda")) // compare projections, because the models have different feature names
	for _, out := range []string{"o.parquet", "o.arrow"} {
		object(t, "transform", "--model", at("m.wda"), "--data", at("lists.parquet"), "--out", at(out), "--keep-labels")
		fitSummary(t, "--data", at(out), "--model", at("o.wda"), "-p", "1", "--sample", "200")
		if !mat.Equal(projection(at("o.wda")), model) {
			t.Errorf("%s: another model than from CSV", out)
		}
	}
	// Through pipes.
	stream, err := os.ReadFile(at("stream.arrows"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := mongeProcess(t, "transform", "--model", at("m.wda"), "--data", "-", "--out", "-", "--format", "arrow", "--keep-labels")
	cmd.Stdin = bytes.NewReader(stream)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	write(t, at("back.arrows"), string(out))
	fitSummary(t, "--data", at("back.arrows"), "--model", at("o.wda"), "-p", "1", "--sample", "200")
	if !mat.Equal(projection(at("o.wda")), model) {
		t.Error("through pipes: another model")
	}
}

// TestColumnsErrors checks that errors in Parquet and Arrow files name the position of the error,
// and that the command leaves no output file.
func TestColumnsErrors(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	fitSummary(t, "--data", s.csv, "--model", at("m.wda"))
	var labels []string
	for range 2500 {
		labels = append(labels, "a")
	}
	save := func(name string, change func(rows [][]float64)) {
		rows := make([][]float64, len(labels))
		for i := range rows {
			rows[i] = []float64{1, 2, 3, 4, 5}
		}
		change(rows)
		arrowLists(t, at(name+".arrow"), rows, labels, false, false)
		parquetLists(t, at(name+".parquet"), rows, labels)
	}
	save("good", func([][]float64) {})
	save("null", func(rows [][]float64) { rows[2100] = nil })
	save("short", func(rows [][]float64) { rows[2100] = rows[2100][:4] })
	save("long", func(rows [][]float64) { rows[2100] = append(rows[2100], 6) })
	save("nan", func(rows [][]float64) { rows[2100][3] = math.NaN() })
	whole, err := os.ReadFile(at("good.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, at("cut.parquet"), string(whole[:len(whole)-9]))
	arrows, err := os.ReadFile(at("good.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	before := files(t, s.dir)
	with := func(data string) string { return "transform --model $m.wda --out $o.csv --data $" + data }
	for _, b := range []bad{
		{"null list", with("null.parquet"), 1, "null.parquet: row 2101, column 1 (emb): row group 3: null: a missing value; missing values need --missing"},
		{"null list", with("null.arrow --drop id"), 1, "null.arrow: row 2101, column 2 (emb): batch 3: null: a missing value; missing values need --missing"},
		{"short list", with("short.parquet"), 1, "row 2101, column 1 (emb): row group 3: a list of 4 elements where the first has 5"},
		{"short list", with("short.arrow --drop id"), 1, "row 2101, column 2 (emb): batch 3: a list of 4 elements where the first has 5"},
		{"long list", with("long.parquet"), 1, "row 2101, column 1 (emb): row group 3: a list of more than the 5 elements"},
		{"long list", with("long.arrow --drop id"), 1, "row 2101, column 2 (emb): batch 3: a list of 6 elements"},
		{"NaN", with("nan.parquet"), 1, "row 2101, column 1 (emb): the value is NaN"},
		{"NaN", with("nan.arrow --drop id"), 1, "row 2101, column 2 (emb): the value is NaN"},
		{"cut", with("cut.parquet"), 1, "cut.parquet: not a valid file of its format"},
		{"text as number", with("good.arrow --columns label --label-column id"), 1, "column 3 (label): the column holds text, not numbers; if the value is missing, write NA in the file; otherwise use --drop label to leave the column out, --id label if it only identifies the rows, --one-hot label to make a feature of each of its values, or --label-column label if"},
		{"two purposes", with("good.arrow --columns label"), 2, "column label is chosen for two purposes"},
		{"no such column", with("good.arrow --columns x"), 1, `no column is called "x"`},
		{"no such label", with("good.parquet --label-column x"), 1, `no column is called "x"`},
		{"list as label", with("good.parquet --label-column emb"), 1, "cannot be labels"},
		{"other features", with("good.arrow --columns id"), 1, "good.arrow: 1 feature, but the model was fitted to 5"},
		{"columns of CSV", with("d.csv --columns x"), 1, "no column is called \"x\": the file has no names; choose columns by their numbers, from 0 to 5"},
		{"labels beside", with("good.arrow --labels $y.csv"), 2, "use --label-column"},
	} {
		b.check(t, s.dir, before)
	}
	// A damaged byte must either cause an error or have no effect.
	tries := 10
	if testdata.IsLong() {
		tries = 150
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for name, good := range map[string][]byte{"damaged.parquet": whole, "damaged.arrow": arrows} {
		for range tries {
			b := bytes.Clone(good)
			for range 1 + rng.IntN(3) {
				b[4+rng.IntN(len(b)-4)] ^= 1 << rng.IntN(8)
			}
			if rng.IntN(4) == 0 {
				b = b[:rng.IntN(len(b))]
			}
			write(t, at(name), string(b))
			code, _, stderr := monge(t, "transform", "--model", at("m.wda"), "--data", at(name), "--out", at("o.csv"))
			if note, rest, found := strings.Cut(stderr, "\n"); found && strings.Contains(note, "is left out") {
				stderr = rest
			}
			if code != 0 && (code != 1 || !strings.HasPrefix(stderr, "monge: ") || strings.Count(stderr, "\n") != 1) {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
		}
	}
}

// TestDamagedColumns changes one byte of a small file. The command must read or reject the file
// with memory proportional to its size. Without a check, the libraries allocate any declared
// length.
func TestDamagedColumns(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	rows, labels := [][]float64{{1, 2}, {3, 4}, {5, 6}}, []string{"a", "b", "a"}
	parquetLists(t, at("lists.parquet"), rows, labels)
	arrowLists(t, at("lists.arrow"), rows, labels, false, false)
	arrowLists(t, at("fixed.arrow"), rows, labels, true, false)
	arrowLists(t, at("stream.arrows"), rows, labels, false, true)
	step := 61
	if testdata.IsLong() {
		step = 1
	}
	for _, name := range []string{"lists.parquet", "lists.arrow", "fixed.arrow", "stream.arrows"} {
		good, err := os.ReadFile(at(name))
		if err != nil {
			t.Fatal(err)
		}
		inputs, fine, most := 0, 0, uint64(0)
		for k := 0; k < len(good); k += step {
			for _, x := range []byte{1, 16, 255} {
				b := bytes.Clone(good)
				b[k] ^= x
				if err := os.WriteFile(at("damaged"), b, 0o666); err != nil {
					t.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				d, err := new(columnFlags).readFile(at("damaged"), nil)
				runtime.ReadMemStats(&after)
				if most = max(most, after.TotalAlloc-before.TotalAlloc); most > 64<<20 {
					t.Fatalf("%s, byte %d changed by %d: %d bytes of memory", name, k, x, most)
				}
				if inputs++; err == nil {
					fine++
				}
				if err == nil && d.Labels != nil && d.Len() != len(d.Labels) {
					t.Errorf("%s, byte %d changed by %d: %d rows, %d labels", name, k, x, d.Len(), len(d.Labels))
				}
			}
		}
		t.Logf("%s: %d inputs, %d of them still data, at most %d bytes of memory", name, inputs, fine, most)
	}
}
