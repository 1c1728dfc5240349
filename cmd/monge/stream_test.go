package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// Rows in blocks are projected as all at once, from files and standard input, to files
// and standard output.
func TestTransformStream(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	object(t, "fit", "--data", s.csv, "--model", at("m.wda"), "--k", "3")
	m := loadModel(t, at("m.wda"))
	// More rows than two blocks.
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
			if get(t, v, "rows") != float64(many.Len()) {
				t.Errorf("%v", v)
			}
			if got, err := new(textFlags).readMatrix(at(out)); err != nil || !mat.Equal(got, &want) {
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
		cmd := program(t, "transform", "--model", at("m.wda"), "--data", "-", "--out", "-")
		cmd.Stdin = bytes.NewReader(text)
		if got, err := cmd.Output(); err != nil || !bytes.Equal(got, csv) {
			t.Errorf("%s from standard input: %v", in, err)
		}
	}
	// A part of the rows, by the array split, across blocks; and what follows the rows.
	before := files(t, s.dir)
	for _, b := range []bad{
		{"JSON and output", "transform --model $m.wda --data $d.csv --out - --json", 2, "--json prints on standard output"},
		{"format", "transform --model $m.wda --data $d.csv --out - --format xlsx", 2, "--format must be one of csv, npy, parquet, arrow"},
		{"NPY of unknown length", "transform --model $m.wda --data $d.csv --out - --format npy", 1, "begins with the number of its rows"},
		{"sample of a stream", "transform --model $m.wda --data - --sample 5 --out $p.csv", 2, "need a file to choose from"},
		{"no such split", "predict --model $m.wda --data $none.npz --rows test", 1, "none.npz: "},
	} {
		b.check(t, s.dir, before)
	}
	// An error in the last block leaves nothing.
	text, _ := os.ReadFile(at("many.csv"))
	write(t, at("late.csv"), string(text)+"1,2,x,4,5,0\n")
	before = files(t, s.dir)
	bad{"late error", "transform --model $m.wda --data $late.csv --out $p.csv", 1, "late.csv: row 8292, column 3"}.check(t, s.dir, before)
	bad{"late error", "predict --model $m.wda --data $late.csv --out $p.csv", 1, "late.csv: row 8292, column 3"}.check(t, s.dir, before)
}

// TestStreamMemory: the memory of the process does not grow with the number of rows.
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
	object(t, "fit", "--data", filepath.Join(dir, "d.csv"), "--model", model, "--max-steps", "2", "--k", "3")
	rows := 400_000 // 160 MB of numbers
	if testing.Short() {
		rows = 150_000
	}
	line := strings.Repeat("0.25,", 49) + "1\n"
	for _, args := range [][]string{{"transform", "--out", "-"}, {"transform", "--out", filepath.Join(dir, "o.npy")}, {"predict", "--proba", "--out", filepath.Join(dir, "o.csv")}} {
		cmd := program(t, append(args, "--model", model, "--data", "-")...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range rows / 1000 {
			if _, err := io.WriteString(in, strings.Repeat(line, 1000)); err != nil {
				t.Fatal(err)
			}
		}
		// All but what the pipe holds has been worked on.
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		peak, err := strconv.Atoi(string(regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)[1]))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s of %d rows: %d kB, %v", args[0], rows, peak, cmd.ProcessState.UserTime())
		if peak > 100_000 && !raceEnabled {
			t.Errorf("%q of %d rows took %d kB", args, rows, peak)
		}
	}
}
