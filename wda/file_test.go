package wda

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func fileOf(t testing.TB, m interface{ MarshalBinary() ([]byte, error) }) []byte {
	t.Helper()
	data, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFileRoundTrip: what a file keeps is kept in bits.
func TestFileRoundTrip(t *testing.T) {
	x, labels := parts3(1, 40, 6)
	for i := range 40 {
		x.Set(i, 4, 1)
	}
	for _, set := range []Settings{
		{Components: 2}, {Components: 3, Objective: Objective{Weights: Proportional, Shrinkage: FixedShrinkage(0.5), Float32: true}, Solver: Solver{Method: ProjectedGradient, MaxSteps: 4}},
		{Components: 1, Objective: Objective{Lambda: AbsoluteLambda(3), Iterations: 4}, Solver: Solver{Method: SteepestDescent}},
		{Components: 2, Solver: Solver{Method: MiniBatch, BatchSize: 7, MaxSteps: 3, Tolerance: 1e-3, Starts: 2}, Objective: Objective{Gradient: Implicit}, Seed: 1<<64 - 1},
		{Components: 2, Solver: Solver{Method: EigenTraceRatio}, Objective: Objective{Gradient: Frozen}},
	} {
		m := mustFit(t, x, labels, &set)
		m, err := m.WithClassNames([]string{"a", "", "Ärger\n\"x\""})
		if err != nil {
			t.Fatal(err)
		}
		data := fileOf(t, m)
		if again := fileOf(t, m); !bytes.Equal(again, data) {
			t.Error("the same model gives different bytes")
		}
		back, err := Load(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		var y, z mat.Dense
		m.Transform(&y, x)
		back.Transform(&z, x)
		if !bitsEqual(m.projection, back.projection) || !slices.Equal(m.mean, back.mean) || !bitsEqual(&y, &z) {
			t.Error("projection, mean or transform have changed")
		}
		if !slices.Equal(back.Labels(), m.Labels()) || !slices.Equal(back.ClassNames(), m.ClassNames()) {
			t.Errorf("labels %v, names %q", back.Labels(), back.ClassNames())
		}
		a, b := m.Report(), back.Report()
		if a.Objective != b.Objective || a.Between != b.Between || a.Within != b.Within || a.Ridge != b.Ridge || a.GradientNorm != b.GradientNorm ||
			a.ObjectiveSamples != b.ObjectiveSamples || a.Status != b.Status || a.Steps != b.Steps || !bitsEqual(a.Lambda, b.Lambda) || !slices.Equal(a.Warnings, b.Warnings) || len(a.Warnings) == 0 {
			t.Errorf("report\n%+v\nhas become\n%+v", a, b)
		}
		as, bs := a.Settings, b.Settings
		if as.Components != bs.Components || as.Objective.Lambda != bs.Objective.Lambda || as.Objective.Iterations != bs.Objective.Iterations ||
			as.Objective.Shrinkage != bs.Objective.Shrinkage || as.Objective.Weights != bs.Objective.Weights || as.Objective.Float32 != bs.Objective.Float32 || as.Solver.Method != bs.Solver.Method ||
			as.Objective.Gradient != bs.Objective.Gradient || as.Solver.BatchSize != bs.Solver.BatchSize || as.Solver.MaxSteps != bs.Solver.MaxSteps || as.Solver.Tolerance != bs.Solver.Tolerance || as.Solver.Starts != bs.Solver.Starts || as.Seed != bs.Seed {
			t.Errorf("settings\n%+v\nhave become\n%+v", as, bs)
		}
		if again := fileOf(t, back); !bytes.Equal(again, data) {
			t.Error("written again, the file differs")
		}
	}
}

// TestDamagedFile: a file that is cut off, or longer, or has any byte changed, is
// refused, and leaves the receiver alone.
func TestDamagedFile(t *testing.T) {
	m, x, labels := testModel(t, 6, 2)
	c, err := NewClassifier(m, x.Slice(0, 5, 0, 6), labels[:5], 1)
	if err != nil {
		t.Fatal(err)
	}
	data := fileOf(t, c)
	target, kept := *m, *m
	refused := func(b []byte, what string, at int) {
		if err := target.UnmarshalBinary(b); !errors.Is(err, ErrModel) {
			t.Fatalf("%s %d of %d: %v", what, at, len(data), err)
		}
	}
	for i := range data {
		refused(data[:i], "cut off at byte", i)
		for _, bit := range []byte{1, 0x80} {
			damaged := slices.Clone(data)
			damaged[i] ^= bit
			refused(damaged, "changed byte", i)
		}
	}
	refused(append(slices.Clone(data), 0), "one byte more", 0)
	if target.projection != kept.projection || &target.mean[0] != &kept.mean[0] {
		t.Error("a damaged file changes the model")
	}
	if _, err := Load(io.MultiReader(bytes.NewReader(data[:9]), failing{})); !errors.Is(err, errFailing) {
		t.Errorf("a reader that fails: %v", err)
	}
}

var errFailing = errors.New("failing")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errFailing }

// rewritten returns a sealed file with the entries that edit makes of those of data.
func rewritten(t testing.TB, data []byte, edit func(map[string][]byte)) []byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string][]byte{}
	for _, f := range r.File {
		b, err := r.Open(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if entries[f.Name], err = io.ReadAll(b); err != nil {
			t.Fatal(err)
		}
	}
	edit(entries)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, b := range entries {
		if err := store(w, name, b); err != nil {
			t.Fatal(err)
		}
	}
	w.SetComment(seal + strings.Repeat("0", 64))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return sealed(out.Bytes())
}

// TestOtherVersions: a file of a newer version is refused; what a newer one of the
// same version adds is ignored; parts that do not fit are refused.
func TestOtherVersions(t *testing.T) {
	m, x, labels := testModel(t, 6, 2)
	c, err := NewClassifier(m, x, labels, 2)
	if err != nil {
		t.Fatal(err)
	}
	data := fileOf(t, c)
	meta := func(change func(map[string]any)) func(map[string][]byte) {
		return func(e map[string][]byte) {
			var v map[string]any
			if err := json.Unmarshal(e[metaName], &v); err != nil {
				t.Fatal(err)
			}
			change(v)
			e[metaName], err = json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	replace := func(name, by string) func(map[string][]byte) {
		return func(e map[string][]byte) { e[name] = e[by] }
	}
	for name, c := range map[string]struct {
		edit func(map[string][]byte)
		want string // "" is no error
	}{
		"nothing": {func(map[string][]byte) {}, ""},
		"more": {func(e map[string][]byte) {
			e["extra.npy"], e["notes/read me.txt"] = []byte("not an array"), nil
			meta(func(v map[string]any) { v["later"] = []int{1}; v["fit"].(map[string]any)["new"] = "x" })(e)
		}, ""},
		"older, without the newer fields": {meta(func(v map[string]any) {
			for _, name := range []string{"objective_samples", "gradient", "batch_size", "max_steps", "tolerance", "starts", "seed"} {
				delete(v["fit"].(map[string]any), name)
			}
		}), ""},
		"other gradient":     {meta(func(v map[string]any) { v["fit"].(map[string]any)["gradient"] = "magic" }), "magic"},
		"newer version":      {meta(func(v map[string]any) { v["version"] = fileVersion + 1 }), fmt.Sprintf("reads up to %d", fileVersion)},
		"version 0":          {meta(func(v map[string]any) { v["version"] = 0 }), "version 0"},
		"other format":       {meta(func(v map[string]any) { v["format"] = "other" }), "format"},
		"no metadata":        {func(e map[string][]byte) { delete(e, metaName) }, metaName},
		"no projection":      {func(e map[string][]byte) { delete(e, "projection.npy") }, "projection"},
		"no mean":            {func(e map[string][]byte) { delete(e, "mean.npy") }, "mean"},
		"mean is labels":     {replace("mean.npy", "labels.npy"), "mean"},
		"mean is matrix":     {replace("mean.npy", "projection.npy"), "mean"},
		"lambda is other":    {replace("lambda.npy", "projection.npy"), "lambda"},
		"projection other":   {replace("projection.npy", "samples.npy"), "mean: array of shape [6]"},
		"samples other":      {replace("samples.npy", "projection.npy"), "parts do not fit"},
		"no sample labels":   {func(e map[string][]byte) { delete(e, "sample_labels.npy") }, "sample_labels"},
		"too many to vote":   {meta(func(v map[string]any) { v["neighbors"] = 41 }), "41 neighbors"},
		"other solver":       {meta(func(v map[string]any) { v["fit"].(map[string]any)["solver"] = "magic" }), "magic"},
		"names do not fit":   {meta(func(v map[string]any) { v["class_names"] = []string{"a"} }), "1 names"},
		"array is text":      {func(e map[string][]byte) { e["mean.npy"] = []byte("x") }, "mean"},
		"array cut off":      {func(e map[string][]byte) { e["mean.npy"] = e["mean.npy"][:len(e["mean.npy"])-8] }, "mean"},
		"metadata not valid": {func(e map[string][]byte) { e[metaName] = []byte("{") }, metaName},
	} {
		_, got, err := decode(rewritten(t, data, c.edit))
		switch {
		case c.want == "":
			if err != nil || got.k != 2 {
				t.Errorf("%s: %v", name, err)
			}
		case !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
}

// FuzzLoad: whatever the bytes, with a valid checksum or without, reading them is an
// error or a model that works and survives its own file.
func FuzzLoad(f *testing.F) {
	m, x, labels := testModel(f, 4, 2)
	c, err := NewClassifier(m, x.Slice(0, 6, 0, 4), labels[:6], 1)
	if err != nil {
		f.Fatal(err)
	}
	for _, data := range [][]byte{fileOf(f, m), fileOf(f, c), nil, []byte("PK\x05\x06")} {
		f.Add(data, true)
		f.Add(data, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, seals bool) {
		if seals && len(data) >= len(seal)+64 {
			data = sealed(slices.Clone(data))
		}
		m, c, err := decode(data)
		if err != nil {
			if !errors.Is(err, ErrModel) || m != nil {
				t.Fatalf("%v, model %v", err, m != nil)
			}
			return
		}
		d, p := m.Dims()
		m.TransformVec(make([]float64, p), make([]float64, d))
		if c != nil {
			c.Predict(make([]float64, d), nil)
			fileOf(t, c)
		}
		back, err := Load(bytes.NewReader(fileOf(t, m)))
		if err != nil || !bitsEqual(back.projection, m.projection) {
			t.Fatalf("written again: %v", err)
		}
	})
}

// TestNumpyReads: numpy.load opens the file as an NPZ.
func TestNumpyReads(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import numpy").Run() != nil {
		t.Skip("no python3 with numpy")
	}
	m, x, labels := testModel(t, 6, 2)
	c, err := NewClassifier(m, x, labels, 2)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.npz")
	if err := os.WriteFile(path, fileOf(t, c), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", `
import sys, json, zipfile, numpy
f = numpy.load(sys.argv[1])
print(f["projection"].shape, f["mean"].shape, f["labels"].tolist(), f["samples"].shape, f["sample_labels"].dtype)
print(repr(float(f["projection"][3, 1])), repr(float(f["mean"][5])))
print(json.loads(zipfile.ZipFile(sys.argv[1]).read("model.json"))["version"])
`, path).CombinedOutput()
	want := fmt.Sprintf("(6, 2) (6,) [10, 20, 30] (40, 2) int64\n%v %v\n%d\n", m.projection.At(3, 1), m.mean[5], fileVersion)
	if err != nil || string(out) != want {
		t.Errorf("numpy: %v\n%swant\n%s", err, out, want)
	}
}
