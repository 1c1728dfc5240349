package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// TestTransformStream checks that projecting rows in blocks gives the same output as projecting all
// rows together, for files, standard input and standard output.
func TestTransformStream(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	fitSummary(t, "--data", s.csv, "--model", at("m.wda"), "--k", "3")
	m := loadModel(t, at("m.wda"))
	// The file needs three blocks.
	many := dataset.Simulation{Seed: 7, NoiseDims: 3}.Generate(2*4096 + 99)
	if err := outfile.WriteFile(at("many.csv"), csvOf(many)); err != nil {
		t.Fatal(err)
	}
	if err := outfile.WriteFile(at("many.npy"), func(w io.Writer) error { return outfile.NPY(w, many.X) }); err != nil {
		t.Fatal(err)
	}
	var want mat.Dense
	m.Transform(&want, many.X)
	for _, in := range []string{"many.csv", "many.npy"} {
		for _, out := range []string{"o.csv", "o.npy"} {
			v := object(t, "transform", "--model", at("m.wda"), "--data", at(in), "--out", at(out))
			if numberAt(t, v, "rows") != float64(many.Len()) {
				t.Errorf("%v", v)
			}
			if got, err := dataset.ReadFile(at(out), &dataset.Options{Labels: dataset.NoLabels()}); err != nil || !mat.Equal(got.X, &want) {
				t.Errorf("%s to %s: %v", in, out, err)
			}
		}
	}
	csv, err := os.ReadFile(at("o.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{"many.csv", "many.npy"} {
		text, err := os.ReadFile(at(in))
		if err != nil {
			t.Fatal(err)
		}
		cmd := mongeProcess(t, "transform", "--model", at("m.wda"), "--data", "-", "--out", "-")
		cmd.Stdin = bytes.NewReader(text)
		if got, err := cmd.Output(); err != nil || !bytes.Equal(got, csv) {
			t.Errorf("%s from standard input: %v", in, err)
		}
	}
	// These command lines fail and leave the files unchanged.
	before := files(t, s.dir)
	for _, b := range []bad{
		{"JSON and output", "transform --model $m.wda --data $d.csv --out - --json", 2, "would both write to standard output"},
		{"format", "transform --model $m.wda --data $d.csv --out - --format xlsx", 2, "--format must be one of csv, npy, npz, idx, parquet, arrow, jsonl"},
		{"NPY of unknown length", "transform --model $m.wda --data $d.csv --out - --format npy", 1, "begins with the number of rows"},
		{"no such split", "predict --model $m.wda --data $none.npz --rows test", 1, "none.npz: "},
	} {
		b.check(t, s.dir, before)
	}
	// After an error in the last block there is no output file.
	text, _ := os.ReadFile(at("many.csv"))
	write(t, at("late.csv"), string(text)+"1,2,x,4,5,0\n")
	before = files(t, s.dir)
	bad{"late error", "transform --model $m.wda --data $late.csv --out $p.csv", 1, "late.csv: row 8292, column 3"}.check(t, s.dir, before)
	bad{"late error", "predict --model $m.wda --data $late.csv --out $p.csv", 1, "late.csv: row 8292, column 3"}.check(t, s.dir, before)
}

// TestStreamMemory checks that memory does not grow with the number of rows.
func TestStreamMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	dir := t.TempDir()
	model := filepath.Join(dir, "m.wda")
	data := dataset.Simulation{Seed: 1, NoiseDims: 48}.Generate(200)
	if err := outfile.WriteFile(filepath.Join(dir, "d.csv"), csvOf(data)); err != nil {
		t.Fatal(err)
	}
	fitSummary(t, "--data", filepath.Join(dir, "d.csv"), "--model", model, "--k", "3")
	rows := 400_000 // 160 MB of numbers
	if !testdata.IsLong() {
		rows = 150_000
	}
	thousand := strings.Repeat(strings.Repeat("1,", 49)+"1\n", 1000)
	const most = 100_000 // kB
	check := func(what string, peak int, cmd *exec.Cmd) {
		t.Logf("%s: %d kB, %v", what, peak, cmd.ProcessState.UserTime())
		if peak > most && !raceEnabled {
			t.Errorf("%s took %d kB", what, peak)
		}
	}
	for _, args := range [][]string{{"transform", "--out", "-"}, {"transform", "--out", filepath.Join(dir, "o.npy")}, {"predict", "--proba", "--out", filepath.Join(dir, "o.csv")}} {
		cmd := mongeProcess(t, append(args, "--model", model, "--data", "-")...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range rows / 1000 {
			if _, err := io.WriteString(in, thousand); err != nil {
				t.Fatal(err)
			}
		}
		peak := mostMemory(t, cmd) // the program has processed everything except the contents of the pipe
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		check(args[0], peak, cmd)
	}
	if !testdata.IsLong() {
		return
	}
	for name, path := range streamFiles(t, dir, 200_000, 50) { // the numbers take 80 MB, and the program without data takes 25 MB
		// The measured memory includes garbage, so it can exceed the limit if other processes delay
		// the garbage collector. Then measure again. Live memory is at most 60 MB. If memory grew
		// with the number of rows, every measurement would exceed the limit.
		for try := range 3 {
			cmd := mongeProcess(t, "transform", "--model", model, "--data", path, "--out", filepath.Join(dir, "o.arrow"))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error)
			go func() { ended <- cmd.Wait() }()
			peak := 0
			for running := true; running; {
				select {
				case err := <-ended:
					if running = false; err != nil {
						t.Fatalf("%s: %v", name, err)
					}
				case <-time.After(2 * time.Millisecond):
					peak = max(peak, mostMemory(t, cmd))
				}
			}
			if peak <= most || try == 2 {
				check(name, peak, cmd)
				break
			}
			t.Logf("%s: %d kB, once more", name, peak)
		}
	}
}

// mostMemory returns the peak memory of a running process in kB. It returns 0 after the process
// ends.
func mostMemory(t testing.TB, cmd *exec.Cmd) int {
	t.Helper()
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if m == nil {
		return 0
	}
	kB, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kB
}

// streamFiles writes the same rows in every format that is read in blocks, and returns the paths.
// The numbers are float32 values.
func streamFiles(t testing.TB, dir string, rows, cols int) map[string]string {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	x := mat.NewDense(rows, cols, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = float64(float32(rng.NormFloat64()))
	}
	paths := map[string]string{}
	save := func(name string, write func(path string) error) {
		paths[name] = filepath.Join(dir, "data."+name)
		if err := write(paths[name]); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []string{"csv", "npy", "parquet", "arrow"} {
		save(kind, func(path string) error { return writeMatrix(path, "."+kind, x) })
	}
	npy, err := os.ReadFile(paths["npy"])
	if err != nil {
		t.Fatal(err)
	}
	save("npy.gz", func(path string) error {
		return outfile.WriteFile(path, func(w io.Writer) error {
			z := gzip.NewWriter(w)
			z.Write(npy)
			return z.Close()
		})
	})
	save("npz", func(path string) error {
		return outfile.WriteFile(path, func(w io.Writer) error {
			z := zip.NewWriter(w)
			f, err := z.Create("X.npy")
			if err != nil {
				return err
			}
			f.Write(npy)
			return z.Close()
		})
	})
	save("idx", func(path string) error {
		return outfile.WriteFile(path, func(w io.Writer) error {
			b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte{0, 0, 0x0d, 2}, uint32(rows)), uint32(cols))
			for _, v := range x.RawMatrix().Data {
				b = binary.BigEndian.AppendUint32(b, math.Float32bits(float32(v)))
			}
			_, err := w.Write(b)
			return err
		})
	})
	save("pyarrow.parquet", func(path string) error {
		return outfile.WriteFile(path, func(w io.Writer) error { return likePyarrow(w, x) })
	})
	lists, labels := make([][]float64, rows), make([]string, rows)
	for i := range lists {
		lists[i], labels[i] = x.RawRowView(i), "a"
	}
	save("lists.parquet", func(path string) error { parquetLists(t, path, lists, labels); return nil })
	save("lists.arrow", func(path string) error { arrowLists(t, path, lists, labels, true, false); return nil })
	return paths
}

// likePyarrow writes a Parquet file with the defaults of pyarrow. Each number is a column. The file
// has one row group, and each column has a dictionary and pages of 1 MiB.
func likePyarrow(out io.Writer, x *mat.Dense) error {
	rows, cols := x.Dims()
	var fields schema.FieldList
	for j := range cols {
		fields = append(fields, schema.NewFloat64Node(fmt.Sprintf("component%d", j+1), parquet.Repetitions.Optional, -1))
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return err
	}
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy))
	w := file.NewParquetWriter(out, root, file.WithWriterProps(props))
	g, err := w.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	v, defs := make([]float64, rows), make([]int16, rows)
	for j := range cols {
		mat.Col(v, j, x)
		for i := range defs {
			defs[i] = 1
		}
		c, err := g.NextColumn()
		if err != nil {
			return err
		}
		if _, err := c.(*file.Float64ColumnChunkWriter).WriteBatch(v, defs, nil); err != nil {
			return err
		}
		if err := c.Close(); err != nil {
			return err
		}
	}
	return w.Close()
}

// BenchmarkStream compares transform with reading the bytes of the file, with reading its rows, and
// with projecting rows in memory. All results are in bytes of the file per second. Rows with 128
// numbers are projected to 10.
func BenchmarkStream(b *testing.B) {
	const rows, cols, p = 60_000, 128, 10
	dir := b.TempDir()
	model := filepath.Join(dir, "m.wda")
	data := dataset.Simulation{Seed: 1, NoiseDims: cols - 2}.Generate(200)
	if err := outfile.WriteFile(filepath.Join(dir, "d.csv"), csvOf(data)); err != nil {
		b.Fatal(err)
	}
	object(b, "fit", "--data", filepath.Join(dir, "d.csv"), "--model", model, "--paper", "-p", "10", "--max-steps", "1")
	m := loadModel(b, model)
	block := mat.NewDense(blockRows(cols), cols, nil)
	y := mat.NewDense(blockRows(cols), p, nil)
	paths := streamFiles(b, dir, rows, cols)
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		info, err := os.Stat(paths[name])
		if err != nil {
			b.Fatal(err)
		}
		run := func(what string, once func() error) {
			b.Run("format="+name+"/what="+what, func(b *testing.B) {
				b.SetBytes(info.Size())
				for b.Loop() {
					if err := once(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("bytes", func() error {
			f, err := os.Open(paths[name])
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, make([]byte, 1<<16))
			return err
		})
		run("rows", func() error {
			r, err := new(columnFlags).open(paths[name], &dataset.Options{Labels: dataset.NoLabels()})
			if err != nil {
				return err
			}
			defer r.Close()
			for err == nil {
				_, err = r.Next(blockRows(cols))
			}
			if err == io.EOF {
				err = nil
			}
			return err
		})
		run("project", func() error {
			for range rows / blockRows(cols) {
				m.Transform(y, block)
			}
			return nil
		})
		run("transform", func() error {
			if code, _, stderr := monge(b, "transform", "--model", model, "--data", paths[name], "--out", filepath.Join(dir, "o.npy")); code != 0 {
				return errors.New(stderr)
			}
			return nil
		})
	}
}
