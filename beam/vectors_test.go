package mongebeam

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/mat"
)

func init() {
	beam.RegisterFunction(narrow)
	beam.RegisterFunction(widen)
	beam.RegisterType(reflect.TypeFor[*killedOnce]())
}

func narrow(key string, x []float64) (string, []float32) {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return key, out
}

func widen(key string, x []float32) (string, []float64) {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return key, out
}

const features = 7

// clusters returns n samples of each class.
func clusters(n, classes int) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, labels := mat.NewDense(n*classes, features, nil), make([]int, n*classes)
	for i := range labels {
		labels[i] = i % classes
		for j := range features {
			x.Set(i, j, rng.NormFloat64()+3*float64((labels[i]>>(j%3))&1))
		}
	}
	return x, labels
}

// modelFile writes a model with a classifier for samples of 4 classes.
func modelFile(t *testing.T, x *mat.Dense, labels []int) (string, *wda.Classifier) {
	t.Helper()
	m, err := wda.Fit(t.Context(), x, labels, &wda.Settings{Components: 3, Optimizer: wda.Optimizer{Method: wda.Fisher{}}, Data: wda.Data{Whitening: wda.SphericalWhitening(0.5)}})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.WithClassNames([]string{"a", "b,\"c\"", "d", "e"}); err != nil {
		t.Fatal(err)
	}
	c, err := wda.NewClassifier(t.Context(), m, x, labels, 5)
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.wda")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, c
}

// parquetFile writes rows as a column of lists of float32 or float64, with keys and labels, in
// groups of the given number of rows.
func parquetFile(t *testing.T, path string, rows [][]float64, group int, single bool) {
	t.Helper()
	element := arrow.PrimitiveTypes.Float64
	if single {
		element = arrow.PrimitiveTypes.Float32
	}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.BinaryTypes.String}, {Name: "label", Type: arrow.PrimitiveTypes.Int32}, {Name: "emb", Type: arrow.ListOf(element), Nullable: true},
	}, nil)
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i, row := range rows {
		b.Field(0).(*array.StringBuilder).Append(fmt.Sprintf("row %d", i))
		b.Field(1).(*array.Int32Builder).Append(int32(i))
		list := b.Field(2).(*array.ListBuilder)
		list.Append(row != nil)
		for _, v := range row {
			if single {
				list.ValueBuilder().(*array.Float32Builder).Append(float32(v))
			} else {
				list.ValueBuilder().(*array.Float64Builder).Append(v)
			}
		}
		if (i+1)%group == 0 || i == len(rows)-1 {
			record := b.NewRecordBatch()
			if err := w.Write(record); err != nil {
				t.Fatal(err)
			}
			record.Release()
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func rowsOf(x *mat.Dense) [][]float64 {
	n, _ := x.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = x.RawRowView(i)
	}
	return out
}

func run(t *testing.T, build func(beam.Scope)) error {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	build(s)
	return ptest.Run(p)
}

// csvFiles returns the records of all shards by key, and the concatenated bytes of all shards.
func csvFiles(t *testing.T, glob string) (map[string][]string, []byte) {
	t.Helper()
	names, err := filepath.Glob(glob)
	if err != nil || len(names) == 0 {
		t.Fatalf("no files %s: %v", glob, err)
	}
	out := map[string][]string{}
	var all []byte
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records[1:] {
			out[r[0]] = r[1:]
		}
		all = append(all, data...)
	}
	return out, all
}

// parsed parses the numbers in a record and returns their float64 bits.
func parsed(t *testing.T, record []string) []uint64 {
	t.Helper()
	var out []uint64
	for _, f := range record {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, math.Float64bits(v))
	}
	return out
}

func bits(x []float64) []uint64 {
	out := make([]uint64, len(x))
	for i, v := range x {
		out[i] = math.Float64bits(v)
	}
	return out
}

// TestFiles checks that a pipeline that reads and writes files gives results that are bit-identical to those
// of the model. It tests every file format and element type, with one lane (branch of the pipeline) and with
// three lanes, in this process and in worker processes. Each process must load the model only once.
func TestFiles(t *testing.T) {
	x, labels := clusters(60, 4)
	path, c := modelFile(t, x, labels)
	model, err := OpenModel(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	single := mat.NewDense(240, features, nil)
	single.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, x)
	parquetFile(t, at("double.parquet"), rowsOf(x), 50, false)
	parquetFile(t, at("single.parquet"), rowsOf(x), 64, true)
	var text strings.Builder
	for i, row := range rowsOf(x) {
		fmt.Fprintf(&text, "row %d", i)
		for _, v := range row {
			text.WriteString("," + shortest(v))
		}
		text.WriteString("\n")
	}
	if err := os.WriteFile(at("double.csv"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}

	for runner, loads := range map[string]int64{"prism": 1, "prism-processes": 3} {
		p, s := beam.NewPipelineWithRoot()
		for _, lanes := range []int{1, 3} {
			for _, name := range []string{"double.parquet", "single.parquet", "double.csv"} {
				key := "id"
				if name == "double.csv" {
					key = "0"
				}
				var y, z, f []beam.PCollection
				for _, rows := range Read(s, at(name), Columns{Key: key}, lanes) {
					y = append(y, Transform(s, model, rows))
					z = append(z, Classify(s, model, rows))
					narrowed := beam.ParDo(s, narrow, rows)
					f = append(f, beam.ParDo(s, widen, Transform(s, model, narrowed)))
				}
				out := func(kind, ext string) string {
					return at(fmt.Sprintf("%s/%s-%s%d.%s", runner, name, kind, lanes, ext))
				}
				Write(s, out("y", "csv"), 2, y...)
				Write(s, out("z", "csv"), 2, z...)
				Write(s, out("f", "csv"), 2, f...)
				Write(s, out("p", "parquet"), 2, y...)
			}
		}
		result, err := beam.Run(t.Context(), runner, p)
		if err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		for _, c := range result.Metrics().AllMetrics().Counters() {
			if c.Name() == "model_loads" {
				n += c.Result()
			}
		}
		if n != loads {
			t.Errorf("%s: %d loads of one model, want %d", runner, n, loads)
		}
	}
	for _, name := range []string{"double.parquet", "single.parquet", "double.csv"} {
		in := x
		if name == "single.parquet" {
			in = single
		}
		for _, kind := range []string{"y", "z", "f"} {
			got, one := csvFiles(t, at(fmt.Sprintf("prism/%s-%s1-*", name, kind)))
			for _, other := range []string{"prism/%s-%s3-*", "prism-processes/%s-%s1-*", "prism-processes/%s-%s3-*"} {
				if _, other := csvFiles(t, at(fmt.Sprintf(other, name, kind))); !bytes.Equal(one, other) {
					t.Errorf("%s, %s: other files in %s", name, kind, other)
				}
			}
			if len(got) != 240 {
				t.Fatalf("%s: %d rows", name, len(got))
			}
			for i, row := range rowsOf(in) {
				r := got[fmt.Sprintf("row %d", i)]
				y := make([]float64, 3)
				switch kind {
				case "y":
					c.Model().TransformVec(y, row)
				case "f":
					y32, x32 := make([]float32, 3), make([]float32, features)
					for j, v := range row {
						x32[j] = float32(v)
					}
					c.Model().Transform32(dist.NewMatrix(1, 3, y32), dist.NewMatrix(1, features, x32))
					for j, v := range y32 {
						y[j] = float64(v)
					}
				case "z":
					class, err := c.Predict(row, nil)
					if err != nil {
						t.Fatal(err)
					}
					want := []string{strconv.Itoa(class.Label), class.Name, shortest(class.Share), shortest(class.SqDistance)}
					if !slices.Equal(r, want) {
						t.Fatalf("%s, row %d: %q, want %q", name, i, r, want)
					}
					continue
				}
				if got := parsed(t, r); !slices.Equal(got, bits(y)) {
					t.Fatalf("%s, %s, row %d: %v, want %v", name, kind, i, r, y)
				}
			}
		}
	}
	// The written Parquet file can be read again.
	err = run(t, func(s beam.Scope) {
		Write(s, at("again.csv"), 2, Read(s, at("prism/double.parquet-p1-*.parquet"), Columns{Key: "key"}, 1)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	_, first := csvFiles(t, at("prism/double.parquet-y1-*"))
	if _, again := csvFiles(t, at("again-*.csv")); !bytes.Equal(first, again) {
		t.Error("other numbers from Parquet than from CSV")
	}
}

// TestBadRows checks that an error about a row names the file and the row number, or the key of the row.
func TestBadRows(t *testing.T) {
	x, labels := clusters(10, 4)
	path, _ := modelFile(t, x, labels)
	model, err := OpenModel(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, c := range map[string]struct {
		row  []float64
		says []string
	}{
		"null":     {nil, []string{"null.parquet", "row 23", "null"}},
		"infinite": {[]float64{1, 2, math.Inf(1), 4, 5, 6, 7}, []string{"infinite.parquet", "row 23", "infinite"}},
		"ragged":   {[]float64{1, 2, 3}, []string{"ragged.parquet", "row 23", "a list of 3 elements"}},
	} {
		rows := slices.Clone(rowsOf(x))
		rows[22] = c.row
		in := filepath.Join(dir, name+".parquet")
		parquetFile(t, in, rows, 10, false)
		err := run(t, func(s beam.Scope) {
			Write(s, filepath.Join(dir, name+".csv"), 1, Transform(s, model, Read(s, in, Columns{}, 1)[0]))
		})
		for _, s := range c.says {
			if err == nil || !strings.Contains(err.Error(), s) {
				t.Errorf("%s: error %v, want one with %q", name, err, s)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, name+"-*")); left != nil {
			t.Errorf("%s: left %v", name, left)
		}
	}
	// The vectors do not have the length that the model requires.
	in := filepath.Join(dir, "short.csv")
	if err := os.WriteFile(in, []byte("k,1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = run(t, func(s beam.Scope) { Transform(s, model, Read(s, in, Columns{Key: "0"}, 1)[0]) })
	if err == nil || !strings.Contains(err.Error(), "vector k: ") {
		t.Errorf("error %v", err)
	}
}

// TestModelReplaced checks that a worker rejects a model file that has changed since the pipeline was built.
func TestModelReplaced(t *testing.T) {
	x, labels := clusters(10, 4)
	path, c := modelFile(t, x, labels)
	model, err := OpenModel(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.Model().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(t.TempDir(), "x.parquet")
	parquetFile(t, in, rowsOf(x), 100, false)
	err = run(t, func(s beam.Scope) { Transform(s, model, Read(s, in, Columns{}, 1)[0]) })
	if err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(path, data[:len(data)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenModel(t.Context(), path); !errors.Is(err, wda.ErrModel) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

// killedOnce is a DoFn that kills its process when it receives the row with the given key, if the
// file File exists.
type killedOnce struct{ Key, File string }

// ProcessElement emits the row x. If the key is f.Key and the file f.File exists, it kills the process
// instead.
func (f *killedOnce) ProcessElement(key string, x []float64, emit func(string, []float64)) {
	if key == f.Key {
		kill(f.File)
	}
	emit(key, x)
}

// TestKilledBundle checks that a job fails if a bundle panics or if its process is killed, because
// Prism does not retry bundles. The failed job must leave no output file. A second run must write
// the same bytes as an undisturbed run.
func TestKilledBundle(t *testing.T) {
	x, labels := clusters(60, 4)
	path, _ := modelFile(t, x, labels)
	model, err := OpenModel(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in, marker := filepath.Join(dir, "x.parquet"), filepath.Join(dir, "marker")
	parquetFile(t, in, rowsOf(x), 20, false)
	for _, runner := range []string{"prism", "prism-processes"} {
		make := func(out, key string) error {
			p, s := beam.NewPipelineWithRoot()
			var y []beam.PCollection
			for _, rows := range Read(s, in, Columns{Key: "id"}, 3) {
				y = append(y, beam.ParDo(s, &killedOnce{key, marker}, Transform(s, model, rows)))
			}
			Write(s, filepath.Join(dir, runner+out), 2, y...)
			_, err := beam.Run(t.Context(), runner, p)
			return err
		}
		if err := make("-whole.csv", "none"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(marker, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := make("-killed.csv", "row 130"); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("%s: error %v of a job whose bundle is killed", runner, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, runner+"-killed-*")); left != nil {
			t.Errorf("left %v", left)
		}
		if err := make("-killed.csv", "row 130"); err != nil {
			t.Fatal(err)
		}
		_, want := csvFiles(t, filepath.Join(dir, "prism-whole-*"))
		for _, out := range []string{"-whole-*", "-killed-*"} {
			if _, got := csvFiles(t, filepath.Join(dir, runner+out)); !bytes.Equal(got, want) {
				t.Errorf("%s: other bytes in %s", runner, out)
			}
		}
	}
}
