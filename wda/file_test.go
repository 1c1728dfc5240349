package wda

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/modelfile"
	"github.com/gomonge/monge/internal/npy"
	"github.com/gomonge/monge/sinkhorn"
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

func loadModel(r io.Reader) (*Model, error) {
	m, _, err := Load(r, nil)
	return m, err
}

func loadClassifier(r io.Reader) (*Classifier, error) {
	_, c, err := Load(r, nil)
	if err == nil && c == nil {
		err = errors.New("there is no classifier")
	}
	return c, err
}

// TestFileValidation checks that a model file stores the hash of the validation samples, and that a repeated fit
// accepts only the same samples.
func TestFileValidation(t *testing.T) {
	x, labels := parts3(1, 40, 6)
	own, ownLabels := parts3(2, 20, 6)
	m := mustFit(t, x, labels, paperSettings(Settings{Optimizer: Optimizer{MaxSteps: 3}, Validation: &Validation{X: own, Labels: ownLabels, Every: 1}}))
	back, err := loadModel(bytes.NewReader(fileOf(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fileOf(t, back), fileOf(t, m)) {
		t.Error("written again, the file differs")
	}
	for name, c := range map[string]struct {
		x      *mat.Dense
		labels []int
		good   bool
	}{"missing": {}, "these": {own, ownLabels, true}, "another number": {scaledMatrix(2, own), ownLabels, false}, "another label": {own, append([]int{labels[39]}, ownLabels[1:]...), false}} {
		set := back.Report().Settings
		if c.x != nil {
			set.Validation.X, set.Validation.Labels = c.x, c.labels
		}
		switch again, err := Fit(t.Context(), x, labels, &set); {
		case c.good && (err != nil || again.Hash() != m.Hash()):
			t.Errorf("%s: %v, or another model", name, err)
		case !c.good && !errors.Is(err, ErrSettings):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFileRoundTrip checks that writing and reading a model preserves every bit.
func TestFileRoundTrip(t *testing.T) {
	x, labels := parts3(1, 40, 6)
	for i := range 40 {
		x.Set(i, 4, 1)
	}
	for _, set := range []Settings{
		{Components: 2}, {Components: 3, Objective: Objective{Proportional: true, Shrinkage: FixedShrinkage(0.5), Float32: true}, Optimizer: Optimizer{Method: ProjectedGradient{}, MaxSteps: 4}},
		{Components: 1, Objective: Objective{Lambda: AbsoluteLambda(3), Iterations: 4}, Optimizer: Optimizer{Method: SteepestDescent{}}},
		{Components: 2, Optimizer: Optimizer{Method: MiniBatch{BatchSize: 7}, MaxSteps: 3, Tolerance: 1e-3, Starts: 2}, Objective: Objective{Gradient: sinkhorn.GradientImplicit}, Seed: 1<<64 - 1},
		{Components: 2, Optimizer: Optimizer{Method: Eigen{TraceRatio: true}}, Objective: Objective{Gradient: sinkhorn.GradientFrozen}},
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
		back, err := loadModel(bytes.NewReader(data))
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
			a.ObjectiveSamples != b.ObjectiveSamples || a.Status != b.Status || a.Steps != b.Steps || !bitsEqual(a.Lambda, b.Lambda) || !reflect.DeepEqual(a.Warnings, b.Warnings) || len(a.Warnings) == 0 {
			t.Errorf("report\n%+v\nhas become\n%+v", a, b)
		}
		as, bs := a.Settings, b.Settings
		if as.Components != bs.Components || as.Objective.Lambda != bs.Objective.Lambda || as.Objective.Iterations != bs.Objective.Iterations ||
			as.Objective.Shrinkage != bs.Objective.Shrinkage || as.Objective.Proportional != bs.Objective.Proportional || as.Objective.Float32 != bs.Objective.Float32 ||
			as.Objective.Gradient != bs.Objective.Gradient || as.Optimizer.Method != bs.Optimizer.Method || as.Optimizer.MaxSteps != bs.Optimizer.MaxSteps || as.Optimizer.Tolerance != bs.Optimizer.Tolerance || as.Optimizer.Starts != bs.Optimizer.Starts || as.Seed != bs.Seed {
			t.Errorf("settings\n%+v\nhave become\n%+v", as, bs)
		}
		if again := fileOf(t, back); !bytes.Equal(again, data) {
			t.Error("written again, the file differs")
		}
	}
}

// TestDamagedFile checks that a truncated, extended or altered file is an error and leaves the receiver unchanged.
func TestDamagedFile(t *testing.T) {
	m, x, labels := testModel(t, 6, 2)
	c, err := NewClassifier(t.Context(), m, x.Slice(0, 5, 0, 6), labels[:5], 1)
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
	if _, err := loadModel(io.MultiReader(bytes.NewReader(data[:9]), failing{})); !errors.Is(err, errFailing) {
		t.Errorf("a reader that fails: %v", err)
	}
}

var errFailing = errors.New("failing")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errFailing }

// rewriteModel applies the function edit to the entries of a model file and adds valid checksums.
func rewriteModel(t testing.TB, data []byte, edit func(map[string][]byte)) []byte {
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
	w := modelfile.NewWriter()
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		w.Add(name, entries[name])
	}
	out, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// storeEntry adds an uncompressed file to an archive.
func storeEntry(w *zip.Writer, name string, data []byte) error {
	f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err == nil {
		_, err = f.Write(data)
	}
	return err
}

// TestOtherVersions checks that newer versions of the file format are rejected, that unknown arrays and fields are
// ignored, and that inconsistent contents are rejected.
func TestOtherVersions(t *testing.T) {
	m, x, labels := testModel(t, 6, 2)
	c, err := NewClassifier(t.Context(), m, x, labels, 2)
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
		want string // "" for no error
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
		"newer version":      {meta(func(v map[string]any) { v["version"] = fileVersion + 1 }), fmt.Sprintf("reads versions 1 to %d", fileVersion)},
		"version 0":          {meta(func(v map[string]any) { v["version"] = 0 }), "version 0"},
		"other format":       {meta(func(v map[string]any) { v["format"] = "other" }), "format"},
		"no metadata":        {func(e map[string][]byte) { delete(e, metaName) }, metaName},
		"no projection":      {func(e map[string][]byte) { delete(e, "projection.npy") }, "projection"},
		"no mean":            {func(e map[string][]byte) { delete(e, "mean.npy") }, "mean"},
		"mean is labels":     {replace("mean.npy", "labels.npy"), "mean"},
		"mean is matrix":     {replace("mean.npy", "projection.npy"), "mean"},
		"lambda is other":    {replace("lambda.npy", "projection.npy"), "lambda"},
		"projection other":   {replace("projection.npy", "samples.npy"), "mean: shape [6]"},
		"samples other":      {replace("samples.npy", "projection.npy"), "samples: shape [6 2], want [40 2]"},
		"no sample labels":   {func(e map[string][]byte) { delete(e, "sample_labels.npy") }, "sample_labels"},
		"too many to vote":   {meta(func(v map[string]any) { v["neighbors"] = 41 }), "41 neighbors"},
		"other solver":       {meta(func(v map[string]any) { v["fit"].(map[string]any)["solver"] = "magic" }), "magic"},
		"names do not fit":   {meta(func(v map[string]any) { v["class_names"] = []string{"a"} }), "1 names"},
		"array is text":      {func(e map[string][]byte) { e["mean.npy"] = []byte("x") }, "mean"},
		"array cut off":      {func(e map[string][]byte) { e["mean.npy"] = e["mean.npy"][:len(e["mean.npy"])-8] }, "mean"},
		"metadata not valid": {func(e map[string][]byte) { e[metaName] = []byte("{") }, metaName},
	} {
		_, got, err := decodeModelFile(rewriteModel(t, data, c.edit))
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

// TestForgedFile checks that a file with invalid contents and a valid checksum is rejected, with an error that names
// the invalid part.
func TestForgedFile(t *testing.T) {
	m, x, labels := testModel(t, 6, 2)
	m, err := m.WithClassNames([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	m.report.Lambda = mat.NewSymDense(3, []float64{1, 2, 3, 2, 4, 5, 3, 5, 6})
	c, err := NewClassifier(t.Context(), m, x, labels, 2)
	if err != nil {
		t.Fatal(err)
	}
	data := fileOf(t, c)
	array := func(name string, b []byte) func(map[string][]byte) {
		return func(e map[string][]byte) {
			if e[name+".npy"] = b; b == nil {
				t.Fatal(name)
			}
		}
	}
	replace := func(name, old, new string) func(map[string][]byte) {
		return func(e map[string][]byte) {
			if !bytes.Contains(e[name], []byte(old)) {
				t.Fatalf("%s lacks %s", name, old)
			}
			e[name] = bytes.Replace(e[name], []byte(old), []byte(new), 1)
		}
	}
	nan, inf := math.NaN(), math.Inf(1)
	header := func(text string) func(map[string][]byte) {
		b := append([]byte(npy.Magic+"\x01\x00"), byte(len(text)), 0)
		return array("mean", append(append(b, text...), make([]byte, 48)...))
	}
	for name, c := range map[string]struct {
		edit func(map[string][]byte)
		want string
	}{
		"equal labels":         {array("labels", npy.Append(nil, []int64{10, 20, 20}, 3)), "labels: 20 follows 20"},
		"unsorted labels":      {array("labels", npy.Append(nil, []int64{10, 30, 20}, 3)), "labels: 20 follows 30"},
		"one label":            {array("labels", npy.Append(nil, []int64{10}, 1)), "1 labels"},
		"labels are a matrix":  {array("labels", npy.Append(nil, []int64{10, 20, 30}, 3, 1)), "labels: shape [3 1]"},
		"labels are floats":    {array("labels", npy.Append(nil, []float64{10, 20, 30}, 3)), "labels: array header"},
		"NaN in λ":             {array("lambda", npy.Append(nil, []float64{1, 2, 3, 2, nan, 5, 3, 5, 6}, 3, 3)), "row 1, column 1 are NaN"},
		"negative λ":           {array("lambda", npy.Append(nil, []float64{-1, 2, 3, 2, 4, 5, 3, 5, 6}, 3, 3)), "row 0, column 0 are -1"},
		"λ not symmetric":      {array("lambda", npy.Append(nil, []float64{1, 2, 3, 2, 4, 5, 3, 7, 6}, 3, 3)), "row 1, column 2 and of row 2, column 1 are 5 and 7"},
		"λ of other classes":   {array("lambda", npy.Append(nil, make([]float64, 4), 2, 2)), "lambda: shape [2 2], want [3 3]"},
		"NaN in projection":    {array("projection", npy.Append(nil, append(make([]float64, 11), nan), 6, 2)), "projection: value is not finite: row 5, column 1 is NaN"},
		"infinite mean":        {array("mean", npy.Append(nil, append(make([]float64, 5), inf), 6)), "mean: value is not finite: row 5"},
		"infinite sample":      {array("samples", npy.Append(nil, append(make([]float64, 79), inf), 40, 2)), "samples: value is not finite: row 39"},
		"no projection at all": {array("projection", npy.Append([]byte{}, []float64{}, 0, 2)), "projection: shape [0 2]"},
		"vector projection":    {array("projection", npy.Append(nil, make([]float64, 12), 12)), "projection: shape [12]"},
		"wide projection":      {array("projection", npy.Append(nil, make([]float64, 42), 6, 7)), "a 6 × 7 projection"},
		"scales":               {array("scales", npy.Append(nil, make([]float64, 3), 3)), "scales: shape [3], want [2]"},
		"ratios":               {array("ratios", npy.Append(nil, []float64{1, nan}, 2)), "ratios: value is not finite"},
		"two equal names":      {replace(metaName, `"b"`, `"a"`), `classes 0 and 1 have the same name "a"`},
		"name not UTF-8":       {replace(metaName, `"b"`, "\"b\xff\""), "not valid UTF-8"},
		"status unknown":       {replace(metaName, `"NotTerminated"`, `"Magic"`), "unknown status"},
		"status out of range":  {replace(metaName, `"NotTerminated"`, `1000000`), "unknown status 1000000"},
		"status negative":      {replace(metaName, `"NotTerminated"`, `-1`), "unknown status -1"},
		"status is an object":  {replace(metaName, `"NotTerminated"`, `{}`), metaName},
		"number beyond range":  {replace(metaName, `"shrinkage": 0`, `"shrinkage": 1e999`), metaName},
		"negative λ of a fit":  {replace(metaName, `"lambda": 0`, `"lambda": -1`), "lambda is -1"},
		"negative steps":       {replace(metaName, `"steps": 0`, `"steps": -9223372036854775808`), "steps is -9.2"},
		"fewer components":     {replace(metaName, `"steps": 0`, `"steps": 0, "components": 1`), "2 components, but its fit has 1"},
		"wrapped shape":        {header("{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693953, 8), }\n"), "mean: shape [2305843009213693953 8] does not match 48 bytes"},
		"endless shape":        {header("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }\n"), "mean: a dimension is too large"},
		"Fortran order":        {header("{'descr': '<f8', 'fortran_order': True, 'shape': (6,), }\n"), "mean: array header"},
		"other byte order":     {header("{'descr': '>f8', 'fortran_order': False, 'shape': (6,), }\n"), "mean: array header"},
		"header without end":   {header("{'descr': '<f8'"), "mean: damaged NPY header"},
		"empty header":         {header(""), "mean: damaged NPY header"},
		"long header":          {array("mean", []byte(npy.Magic+"\x02\x00\xff\xff\xff\xff{")), "a header of 1073741824 bytes in an array of 13"},
		"format 3":             {array("mean", []byte(npy.Magic+"\x03\x00\x00\x00\x00\x00{")), "NPY version 3"},
	} {
		m, got, err := decodeModelFile(rewriteModel(t, data, c.edit))
		if !errors.Is(err, ErrModel) || m != nil || got != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
	// The reader ignores "seconds", a field of version 1 of the file format.
	if _, _, err := decodeModelFile(rewriteModel(t, data, replace(metaName, `"steps": 0`, `"steps": 0, "seconds": 1e300`))); err != nil {
		t.Errorf("absurd seconds: %v", err)
	}

	// Compressed entries, duplicate entries and entries with wrong checksums are errors.
	for name, write := range map[string]func(w *zip.Writer) error{
		"mean.npy must occur once": func(w *zip.Writer) error {
			e, err := w.Create("mean.npy")
			if err == nil {
				_, err = e.Write(make([]byte, 1<<10))
			}
			return errors.Join(err, storeEntry(w, "room.npy", make([]byte, 1<<10)))
		},
		"labels.npy must occur once": func(w *zip.Writer) error {
			return errors.Join(storeEntry(w, "labels.npy", []byte("x")), storeEntry(w, "labels.npy", []byte("x")))
		},
		"ratios.npy: zip: checksum": func(w *zip.Writer) error {
			e, err := w.CreateRaw(&zip.FileHeader{Name: "ratios.npy", CRC32: 1, CompressedSize64: 1, UncompressedSize64: 1})
			if err == nil {
				_, err = e.Write([]byte("x"))
			}
			return err
		},
	} {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		err := errors.Join(write(w), w.SetComment(strings.Repeat("0", modelfile.SealSize)), w.Close())
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := decodeModelFile(modelfile.Seal(out.Bytes())); !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one that says %q", err, name)
		}
	}
}

// TestNotAModel checks that the error for a file of a different kind names the kind of the file, and that Load does not
// read the file to its end.
func TestNotAModel(t *testing.T) {
	m, _, _ := testModel(t, 6, 2)
	model := fileOf(t, m)
	var npz bytes.Buffer
	z := zip.NewWriter(&npz)
	if err := errors.Join(storeEntry(z, "X.npy", npy.Append(nil, []float64{1}, 1, 1)), z.Close()); err != nil {
		t.Fatal(err)
	}
	for want, data := range map[string][]byte{
		"the file is empty":               nil,
		"the file is text, for example":   []byte("length,width,label\n1.5,2,rosé\n"),
		"compressed with gzip; dec":       []byte("\x1f\x8b\x08\x00"),
		"the file is a NumPy array":       npy.Append(nil, []float64{1}, 1, 1),
		"the file is not a ZIP archive":   []byte("\xff\xfel\x00"),
		"an NPZ file but not a model":     npz.Bytes(),
		"does not end with a checksum":    model[:len(model)-1],
		"match: the file is damaged":      append(append(slices.Clone(model[:99]), model[99]^1), model[100:]...),
		"a checksum: it is truncated, or": []byte(modelfile.Magic),
	} {
		for name, err := range map[string]error{
			"Load":            secondError(loadModel(bytes.NewReader(data))),
			"Load, by bytes":  secondError(loadClassifier(iotest.OneByteReader(bytes.NewReader(data)))),
			"UnmarshalBinary": new(Model).UnmarshalBinary(data),
		} {
			if !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}

	endless := &counting{Reader: zeros{}}
	if _, err := loadModel(endless); !errors.Is(err, ErrModel) || endless.n > 512 {
		t.Errorf("%d bytes of no model read: %v", endless.n, err)
	}
	endless = &counting{Reader: io.MultiReader(strings.NewReader(modelfile.Magic), zeros{})}
	if _, err := modelfile.Read(endless, 5000); !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), "limit of 5000 bytes") || endless.n != 5001 {
		t.Errorf("%d bytes read with a limit of 5000: %v", endless.n, err)
	}
	if b, err := modelfile.Read(bytes.NewReader(model), int64(len(model))); err != nil || !bytes.Equal(b, model) {
		t.Errorf("a file as long as the limit: %v", err)
	}

	// A pipe has no length and returns short reads.
	r, w := io.Pipe()
	go func() {
		for _, b := range model {
			w.Write([]byte{b})
		}
		w.Close()
	}()
	if got, err := loadModel(r); err != nil || got.Hash() != m.Hash() {
		t.Errorf("from a pipe: %v", err)
	}
}

func secondError[T any](_ T, err error) error { return err }

// zeros is an endless reader of zeros.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

type counting struct {
	io.Reader
	n int
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += n
	return n, err
}

// TestVersion1 reads a classifier that was written in version 1 of the file format.
func TestVersion1(t *testing.T) {
	data, err := os.ReadFile("testdata/classifier-v1.wda")
	if err != nil {
		t.Fatal(err)
	}
	c, err := loadClassifier(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	x, y := []float64{1, 2, 3, 4}, make([]float64, 2)
	c.Model().TransformVec(y, x)
	class, err := c.Predict(x, nil)
	if want := (Class{Label: 30, Name: "ü", Share: 1, SqDistance: class.SqDistance}); y[0] != 0x1.27d2a454688ebp+01 || y[1] != -0x1.1071ad102e5c5p+01 || class != want || err != nil || c.K() != 3 || c.Len() != 18 {
		t.Errorf("%v becomes %x, of class %+v (%v), by %d of %d", x, y, class, err, c.K(), c.Len())
	}
	r := c.Model().Report()
	if r.Status != StatusGradientTolerance || r.Settings.Optimizer.Method != Method(Auto{}) || r.Objective != 24.888090011467515 || r.Steps != 31 || r.Settings.Seed != 7 || r.Lambda == nil {
		t.Errorf("report %+v", r)
	}
	// Writing the classifier as version 2 does not change its predictions.
	again, err := loadClassifier(bytes.NewReader(fileOf(t, c)))
	if err != nil || again.Hash() != c.Hash() || !reflect.DeepEqual(again, c) {
		t.Errorf("written again: %v", err)
	}
}

// TestReleaseCandidate reads a classifier that was written by version 1.0.0-rc.1, which stores warnings as sentences.
func TestReleaseCandidate(t *testing.T) {
	data, err := os.ReadFile("testdata/classifier-rc1.wda")
	if err != nil {
		t.Fatal(err)
	}
	c, err := loadClassifier(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r := c.Model().Report()
	if c.Hash() != "a4d955f43f7e310f834cd6d945339c8d4e8c9aaded757d78d976c0308af27f05" || c.Storage() != StorageInt8() || r.Settings.Scale != ScaleRatio ||
		len(r.Warnings) != 4 || r.Warnings[2].Code != "" || r.Warnings[2].String() != "class 0 has only 2 samples" {
		t.Errorf("hash %s, storage %v, scale %v, warnings %q", c.Hash(), c.Storage(), r.Settings.Scale, r.Warnings)
	}
	if again := fileOf(t, c); !bytes.Equal(again, data) {
		t.Error("written again, the file differs")
	}
}

// TestStatusNames checks that every status is stored by name, and that a status stored by number, as in version 1, can
// be read.
func TestStatusNames(t *testing.T) {
	var names []string
	for i := fileStatus(0); descent.Status(i).String() != fmt.Sprintf("Status(%d)", i); i++ {
		b, err := json.Marshal(i)
		for _, text := range []string{string(b), fmt.Sprint(i)} {
			var s fileStatus
			if e := json.Unmarshal([]byte(text), &s); err != nil || e != nil || s != i {
				t.Errorf("%s is %v: %v, %v", text, descent.Status(s), err, e)
			}
		}
		names = append(names, string(b))
	}
	if got, want := fmt.Sprint(names), `["NotTerminated" "GradientTolerance" "StepTolerance" "FunctionTolerance" "MaxSteps" "LineSearchFailed" "Stalled" "EvaluationFailed" "Canceled" "Stopped"]`; got != want {
		t.Errorf("names %s, want %s", got, want)
	}
}

// TestSameFile checks that two fits of the same data write the same file.
func TestSameFile(t *testing.T) {
	x, labels := parts3(1, 40, 6)
	a := fileOf(t, mustFit(t, x, labels, &Settings{Optimizer: Optimizer{MaxSteps: 3}, Workers: 1}))
	if b := fileOf(t, mustFit(t, x, labels, &Settings{Optimizer: Optimizer{MaxSteps: 3}, Workers: 3})); !bytes.Equal(a, b) {
		t.Error("the files differ")
	}
}

// checkUsable checks that a model and its classifier can be used, written and read again. The
// classifier may be nil.
func checkUsable(t *testing.T, m *Model, c *Classifier) {
	t.Helper()
	d, p := m.Dims()
	m.TransformVec(make([]float64, p), make([]float64, d))
	if cut, err := m.Cut(1); err != nil {
		t.Error(err)
	} else {
		cut.Report()
	}
	back, err := loadModel(bytes.NewReader(fileOf(t, m)))
	if err != nil || back.Hash() != m.Hash() {
		t.Fatalf("written again: %v", err)
	}
	if c == nil {
		return
	}
	c.Predict(make([]float64, d), nil)
	again, err := loadClassifier(bytes.NewReader(fileOf(t, c)))
	if err != nil || again.Hash() != c.Hash() {
		t.Fatalf("classifier written again: %v", err)
	}
}

// FuzzLoad checks that reading arbitrary bytes, with a valid checksum or without, returns an error or a usable model
// that can be written and read again.
func FuzzLoad(f *testing.F) {
	m, x, labels := testModel(f, 4, 2)
	c, err := NewClassifier(f.Context(), m, x.Slice(0, 6, 0, 4), labels[:6], 1)
	if err != nil {
		f.Fatal(err)
	}
	old, err := os.ReadFile("testdata/classifier-v1.wda")
	if err != nil {
		f.Fatal(err)
	}
	for _, data := range [][]byte{fileOf(f, m), fileOf(f, c), old, nil, []byte("PK\x05\x06")} {
		f.Add(data, true)
		f.Add(data, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, seals bool) {
		if seals && len(data) >= modelfile.SealSize {
			data = modelfile.Seal(slices.Clone(data))
		}
		m, c, err := decodeModelFile(data)
		if err != nil {
			if !errors.Is(err, ErrModel) || m != nil {
				t.Fatalf("%v, model %v", err, m != nil)
			}
			return
		}
		checkUsable(t, m, c)
	})
}

// FuzzForged is like FuzzLoad, but replaces bytes of one entry of a model file and adds valid checksums.
func FuzzForged(f *testing.F) {
	m, x, labels := testModel(f, 4, 2)
	m.report.Lambda, m.scales, m.ratios = mat.NewSymDense(3, nil), []float64{2, 1}, []float64{4, 3}
	c, err := NewClassifier(f.Context(), m, x.Slice(0, 6, 0, 4), labels[:6], 1)
	if err != nil {
		f.Fatal(err)
	}
	m.report.Settings.Data.Standardize = true // adds a scale factor for every feature to the file
	if c, err = c.Calibrate(f.Context(), uniform(7, 12, 4), &Calibration{Rate: 0.1}); err != nil {
		f.Fatal(err)
	}
	data := fileOf(f, c)
	parts, err := modelfile.Open(data, knownFiles)
	if err != nil {
		f.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(parts))
	for i, name := range names {
		f.Add(uint8(i), uint16(0), parts[name], true)
		f.Add(uint8(i), uint16(70), []byte{0xff, 0xff}, false)
	}
	f.Fuzz(func(t *testing.T, which uint8, at uint16, by []byte, whole bool) {
		forged := rewriteModel(t, data, func(e map[string][]byte) {
			name := names[int(which)%len(names)]
			b := slices.Clone(e[name])
			if whole {
				b = by
			} else {
				copy(b[int(at)%len(b):], by)
			}
			e[name] = b
		})
		m, c, err := decodeModelFile(forged)
		if err != nil {
			if !errors.Is(err, ErrModel) || m != nil || c != nil {
				t.Fatalf("%v, model %v", err, m != nil)
			}
			return
		}
		checkUsable(t, m, c)
	})
}

// TestNumpyReads checks that numpy.load opens a model file as an NPZ archive.
func TestNumpyReads(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import numpy").Run() != nil {
		t.Skip("no python3 with numpy")
	}
	m, x, labels := testModel(t, 6, 2)
	c, err := NewClassifier(t.Context(), m, x, labels, 2)
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
	want := fmt.Sprintf("(6, 2) (6,) [10, 20, 30] (40, 2) int64\n%v %v\n%d\n", m.projection.At(3, 1), m.mean[5], withoutSchema)
	if err != nil || string(out) != want {
		t.Errorf("numpy: %v\n%swant\n%s", err, out, want)
	}
}

// TestLoadMaxBytes checks that a model larger than MaxBytes is rejected, from a file and from a stream.
func TestLoadMaxBytes(t *testing.T) {
	t.Parallel()
	x, labels := parts3(1, 20, 4)
	m, err := Fit(t.Context(), x, labels, &Settings{Optimizer: Optimizer{Method: Fisher{}}})
	if err != nil {
		t.Fatal(err)
	}
	data := fileOf(t, m)
	n := int64(len(data))
	name := filepath.Join(t.TempDir(), "model.wda")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int64]error{0: nil, n: nil, n - 1: ErrModel, 100: ErrModel, -1: ErrSettings} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, r := range []io.Reader{f, bytes.NewReader(data)} {
			if _, _, err := Load(r, &LoadOptions{MaxBytes: limit}); !errors.Is(err, want) {
				t.Errorf("%T, at most %d bytes: %v, want %v", r, limit, err, want)
			}
		}
	}
}
