package main

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/gomonge/monge/internal/outfile"
	"gonum.org/v1/gonum/mat"
)

// TestFitOutOfCore checks that rows in a file give the same fit as rows in memory, and that the
// command verify reproduces the fit.
func TestFitOutOfCore(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	if err := outfile.WriteFile(at("x.npy"), func(w io.Writer) error { return outfile.NPY(w, s.data.X) }); err != nil {
		t.Fatal(err)
	}
	fit := func(model string, more ...string) map[string]any {
		args := withFixedScale("fit", "--data", at("x.npy"), "--labels", s.y, "--method", "minibatch", "--max-steps", "3", "--k", "3", "--model", at(model))
		return object(t, append(args, more...)...)
	}
	want, got := fit("memory.wda"), fit("file.wda", "--out-of-core")
	if got["hash"] != want["hash"] || got["samples"] != want["samples"] {
		t.Errorf("%v of %v samples from the file, %v of %v from memory", got["hash"], got["samples"], want["hash"], want["samples"])
	}
	object(t, "verify", at("file.wda"), "--data", at("x.npy"), "--labels", s.y, "--out-of-core")
	before := files(t, s.dir)
	for _, b := range []bad{
		{"another method", "fit --model $new.wda --data $x.npy --labels $y.csv --out-of-core", 2, "--out-of-core needs --method minibatch"},
		{"a sample", "fit --model $new.wda --data $x.npy --labels $y.csv --out-of-core --method minibatch --sample 20", 2, "leave out --sample"},
		{"validation", "fit --model $new.wda --data $x.npy --labels $y.csv --out-of-core --method minibatch --validation 0.2", 2, "leave out one of them"},
		{"text", "fit --model $new.wda --data $d.csv --out-of-core --method minibatch", 1, "leave out --out-of-core and use --sample"},
		{"no labels", "fit --model $new.wda --data $x.npy --out-of-core --method minibatch", 1, "x.npy: no labels"},
		{"a split", "fit --model $new.wda --data $d.npz --out-of-core --method minibatch", 1, "d.npz"},
		{"a pipe", "fit --model $new.wda --data - --out-of-core --method minibatch", 2, "needs a file, not a pipe"},
	} {
		b.check(t, s.dir, before)
	}
}

// TestKeepSample checks that the sample has about keptRows rows, with the same fraction of each class.
func TestKeepSample(t *testing.T) {
	d := simulate(t).data
	got, err := keepSample(rowsInMemory{d.X}, d.Labels, d.Classes)
	if err != nil || got.Len() != d.Len() {
		t.Fatalf("%v rows, error %v", got, err)
	}
	labels := make([]int, 3*keptRows)
	for i := range labels {
		labels[i] = i % 5 / 4
	}
	labels[9], labels[11] = 2, 2
	got, err = keepSample(constant(len(labels)), labels, []string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	counts := got.Counts()
	if got.Len() > keptRows+2 || counts[1] < keptRows/5-1 || counts[2] != 2 {
		t.Errorf("%d rows kept: %v", got.Len(), counts)
	}
}

type rowsInMemory struct{ *mat.Dense }

func (m rowsInMemory) ReadRows(dst []float64, first int) error {
	copy(dst, m.RawRowView(first))
	return nil
}

// constant is a matrix with one column of zeros. Its value is the number of rows.
type constant int

func (n constant) Dims() (int, int)              { return int(n), 1 }
func (n constant) At(i, j int) float64           { return 0 }
func (n constant) T() mat.Matrix                 { return mat.Transpose{Matrix: n} }
func (n constant) ReadRows([]float64, int) error { return nil }
