package wda

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/npy"
	"gonum.org/v1/gonum/mat"
)

// storages lists storages of all kinds for samples of at least three components.
var storages = []Storage{StorageFloat32(), StorageInt8(), StoragePQ(1, 8), StoragePQ(3, 8), StoragePQ(2, 4), StoragePQ(3, 4)}

// storedTestClassifier returns a classifier of n samples of three components, and its exact samples.
func storedTestClassifier(t *testing.T, n int) (*Classifier, *mat.Dense) {
	t.Helper()
	x, labels := parts3(5, n, 6)
	s, err := discriminant.NewSamples(t.Context(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClassifier(t.Context(), newModel(s, uniform(2, 6, 3), Report{}), x, labels, 5)
	if err != nil {
		t.Fatal(err)
	}
	return c, x
}

// TestStorage checks that a classifier with compact storage predicts almost the same labels. The distances must be
// distances to the decoded samples, as documented.
func TestStorage(t *testing.T) {
	c, x := storedTestClassifier(t, 300)
	exact, err := c.PredictLabels(t.Context(), nil, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	hashes := []string{c.Hash()}
	for _, s := range storages {
		var stored *Classifier
		for lv := range asmtest.Each(t) {
			got, err := c.WithStorage(t.Context(), s, 1+len(hashes)%3)
			if err != nil {
				t.Fatal(s, err)
			}
			if stored != nil && got.Hash() != stored.Hash() {
				t.Errorf("%v: other bits at level %v", s, lv)
			}
			stored = got
		}
		if stored.Storage() != s || stored.K() != 5 || stored.Len() != 300 || !slices.Equal(stored.Labels(), c.Labels()) {
			t.Errorf("%v: storage %v, K %d, %d samples of %v", s, stored.Storage(), stored.K(), stored.Len(), stored.Labels())
		}
		if slices.Contains(hashes, stored.Hash()) {
			t.Errorf("%v has the hash of another storage", s)
		}
		hashes = append(hashes, stored.Hash())
		want := 0
		for _, e := range stored.sampleArrays() {
			header := 10 + int(binary.LittleEndian.Uint16(e.npy[8:]))
			want += len(e.npy) - header
		}
		if stored.Bytes() != want {
			t.Errorf("%v: %d bytes, but the arrays in the file have %d", s, stored.Bytes(), want)
		}
		labels, err := stored.PredictLabels(t.Context(), nil, x, 2)
		if err != nil {
			t.Fatal(err)
		}
		same := 0
		for i, l := range labels {
			if l == exact[i] {
				same++
			}
		}
		if least := map[bool]int{true: 290, false: 240}[s.kind != storagePQ]; same < least {
			t.Errorf("%v: %d of 300 labels as before", s, same)
		}
		checkStoredDistances(t, stored, x)
		again, err := loadClassifier(bytes.NewReader(fileOf(t, stored)))
		if err != nil {
			t.Fatal(s, err)
		}
		if again.Hash() != stored.Hash() || again.Storage() != s || !reflect.DeepEqual(again.points, stored.points) || !bytes.Equal(fileOf(t, again), fileOf(t, stored)) {
			t.Errorf("%v: another classifier from its file", s)
		}
		one, err := again.WithK(1)
		if err != nil || one.Storage() != s || one.K() != 1 {
			t.Errorf("%v: with K = 1 %v, %v", s, one.Storage(), err)
		}
		if n := asmtest.Allocations(func() { _, _ = stored.Predict(x.RawRowView(3), nil) }); n != 0 {
			t.Errorf("%v: Predict allocates %v times", s, n)
		}
	}
}

// TestStorageCalibrated checks that a calibrated classifier keeps its storage, and that a new storage removes the
// calibration.
func TestStorageCalibrated(t *testing.T) {
	c, _ := storedTestClassifier(t, 200)
	x, _ := parts3(9, 100, 6)
	for _, s := range []Storage{StorageFloat32(), StorageInt8(), StoragePQ(2, 4)} {
		before, err := c.Calibrate(t.Context(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := before.WithStorage(t.Context(), s, 1)
		if err != nil || stored.Rejection() != (Rejection{}) {
			t.Fatalf("%v: %+v, %v", s, stored.Rejection(), err)
		}
		if stored, err = stored.Calibrate(t.Context(), x, nil); err != nil || stored.Storage() != s {
			t.Fatalf("%v, calibrated: %v, %v", s, stored.Storage(), err)
		}
		again, err := loadClassifier(bytes.NewReader(fileOf(t, stored)))
		if err != nil || again.Hash() != stored.Hash() || again.Rejection() != stored.Rejection() || again.Storage() != s {
			t.Errorf("%v: another classifier from its file: %v", s, err)
		}
	}
}

// checkStoredDistances compares the distances of neighbors with distances computed from the samples in the file.
func checkStoredDistances(t *testing.T, c *Classifier, x *mat.Dense) {
	t.Helper()
	rows := make([][]float64, c.Len())
	for i := range rows {
		rows[i] = make([]float64, 3)
		storedRow(c, rows[i], i)
	}
	near, err := c.Neighbors(t.Context(), x, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, 3)
	for i, ns := range near {
		if err := c.model.TransformVec(y, x.RawRowView(i)); err != nil {
			t.Fatal(err)
		}
		nearer := 0
		for _, row := range rows {
			if sqDistance(row, y) < ns[4].SqDistance*(1-1e-4) {
				nearer++
			}
		}
		if nearer > 5 {
			t.Fatalf("%v: %d samples are nearer to sample %d than the fifth neighbor", c.Storage(), nearer, i)
		}
		for _, n := range ns {
			if want := sqDistance(rows[n.Row], y); math.Abs(n.SqDistance-want) > 1e-5*(want+1) || n.Label != c.points.Label(n.Row) {
				t.Fatalf("%v: sample %d: neighbor %+v is at %v", c.Storage(), i, n, want)
			}
		}
	}
}

// storedRow sets row to the decoded sample i of c.
func storedRow(c *Classifier, row []float64, i int) {
	if codes := c.points.Codes(); codes != nil {
		codes.Row(row, i)
		return
	}
	for l := range row {
		row[l] = c.points.At(i, l)
	}
}

func sqDistance(x, y []float64) (d float64) {
	for k := range x {
		d += float64((x[k] - y[k]) * (x[k] - y[k]))
	}
	return d
}

// TestSameStorage checks that WithStorage returns its receiver for the zero value and for the storage that the
// classifier already has.
func TestSameStorage(t *testing.T) {
	c, _ := storedTestClassifier(t, 60)
	for _, s := range []Storage{{}, StorageFloat64()} {
		if got, err := c.WithStorage(t.Context(), s, 0); got != c || err != nil {
			t.Errorf("%v: %v", s, err)
		}
	}
	stored, err := c.WithStorage(t.Context(), StorageInt8(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Storage{{}, StorageInt8()} {
		if got, err := stored.WithStorage(t.Context(), s, 0); got != stored || err != nil {
			t.Errorf("%v: %v", s, err)
		}
	}
	if c.Storage() != StorageFloat64() || c.Bytes() != 60*3*8 {
		t.Errorf("%v, %d bytes", c.Storage(), c.Bytes())
	}
}

func TestStorageErrors(t *testing.T) {
	c, _ := storedTestClassifier(t, 60)
	for want, s := range map[string]Storage{
		"5 bits; the number of bits must be 4 or 8":                    StoragePQ(2, 5),
		"4 parts of 3 components; there must be between 1 and 3 parts": StoragePQ(4, 8),
		"0 parts of 3 components":                                      StoragePQ(0, 4),
	} {
		if got, err := c.WithStorage(t.Context(), s, 0); got != nil || !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one that says %q", s, err, want)
		}
	}
	if _, err := c.WithStorage(t.Context(), StorageInt8(), -1); !errors.Is(err, ErrSettings) {
		t.Errorf("-1 workers: %v", err)
	}
	stored, err := c.WithStorage(t.Context(), StoragePQ(2, 4), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Storage{StorageFloat64(), StorageFloat32(), StorageInt8(), StoragePQ(1, 4)} {
		if _, err := stored.WithStorage(t.Context(), s, 0); !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), "pq:2x4 already") {
			t.Errorf("%v of codes: %v", s, err)
		}
	}
	for _, s := range storages {
		if s.kind != storagePQ {
			continue
		}
		for _, checks := range []int{2, 20} { // at the 20th check, WithStorage is still learning the codebook
			if _, err := c.WithStorage(ending.At(checks), s, 1); !errors.Is(err, ending.ErrAt) {
				t.Errorf("%v, with a context that ends: %v", s, err)
			}
		}
	}
	x, labels := parts3(5, 60, 6)
	x.Scale(1e20, x)
	huge, err := NewClassifier(t.Context(), c.Model(), x, labels, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Storage{StorageFloat32(), StorageInt8()} {
		if _, err := huge.WithStorage(t.Context(), s, 0); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "1e+15") {
			t.Errorf("huge samples as %v: %v", s, err)
		}
	}
	// The distance of this sample exceeds the range of float32.
	if _, err := stored.Predict([]float64{1e30, 0, 0, 0, 0, 0}, nil); !errors.Is(err, ErrNotFinite) {
		t.Errorf("a huge query: %v", err)
	}
}

func TestStorageText(t *testing.T) {
	for text, s := range map[string]Storage{
		"auto": {}, "float64": StorageFloat64(), "float32": StorageFloat32(), "int8": StorageInt8(), "pq:16": StoragePQ(16, 8), "pq:32x4": StoragePQ(32, 4),
	} {
		var got Storage
		if err := got.UnmarshalText([]byte(text)); err != nil || got != s || s.String() != text {
			t.Errorf("%s: %v, %v, written %s", text, got, err, s)
		}
	}
	for _, text := range []string{"", "pq", "pq:", "pq:0", "pq:257", "pq:-1", "pq:8x", "pq:8x5", "pq:x4", "int8:3", "float32:2", "auto:1", "pq:1x8x8"} {
		got := StorageInt8()
		if err := got.UnmarshalText([]byte(text)); !errors.Is(err, ErrSettings) || got != StorageInt8() {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for s, want := range map[Storage]int{{}: 80, StorageFloat64(): 80, StorageFloat32(): 40, StorageInt8(): 10, StoragePQ(5, 8): 5, StoragePQ(5, 4): 3} {
		if got := s.RowBytes(10); got != want {
			t.Errorf("%v: %d bytes for 10 components, want %d", s, got, want)
		}
	}
}

// TestForgedStorage checks that arrays of wrong shapes or values are errors.
func TestForgedStorage(t *testing.T) {
	c, _ := storedTestClassifier(t, 40)
	for _, f := range []struct {
		of   Storage
		name string
		npy  []byte
		want string
	}{
		{StorageFloat32(), "samples", npy.Append(nil, make([]float32, 80), 40, 2), "samples: shape [40 2], want [40 3]"},
		{StorageFloat32(), "samples", npy.Append(nil, make([]float64, 120), 40, 3), "samples: array header"},
		{StorageFloat32(), "samples", npy.Append(nil, append(make([]float32, 119), float32(math.Inf(1))), 40, 3), "samples: value is not finite: row 39, column 2 is +Inf"},
		{StorageInt8(), "sample_codes", npy.Append(nil, make([]uint8, 80), 40, 2), "sample_codes: shape [40 2], want [40 3] with the storage int8"},
		{StorageInt8(), "sample_codes", npy.Append(nil, make([]float64, 120), 40, 3), "sample_codes: array header"},
		{StorageInt8(), "sample_codes", nil, "sample_codes: 0 bytes"},
		{StorageInt8(), "code_scale", npy.Append(nil, make([]float64, 2), 2), "code_scale: shape [2], want [3]"},
		{StorageInt8(), "code_offset", npy.Append(nil, []float64{0, 0, math.NaN()}, 3), "code_offset: value is not finite"},
		{StoragePQ(2, 4), "sample_codes", npy.Append(nil, make([]uint8, 80), 40, 2), "sample_codes: shape [40 2], want [40 1] with the storage pq:2x4"},
		{StoragePQ(2, 4), "rotation", npy.Append(nil, make([]float64, 6), 2, 3), "rotation: shape [2 3], want [3 3]"},
		{StoragePQ(2, 4), "codebook", npy.Append(nil, make([]float32, 3*256), 3, 256), "codebook: shape [3 256], want [3 16]"},
		{StoragePQ(2, 4), "codebook", npy.Append(nil, append(make([]float32, 47), float32(math.Inf(1))), 3, 16), "codebook: value is not finite: row 2, column 15 is +Inf"},
		{StoragePQ(2, 4), "sample_labels", npy.Append(nil, make([]int64, 3), 3), "neighbors, but 3 samples"},
	} {
		stored, err := c.WithStorage(t.Context(), f.of, 1)
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := decodeModelFile(rewriteModel(t, fileOf(t, stored), func(e map[string][]byte) { e[f.name+".npy"] = f.npy }))
		if !errors.Is(err, ErrModel) || got != nil || !strings.Contains(err.Error(), f.want) {
			t.Errorf("%v, %s: error %v, want one that says %q", f.of, f.name, err, f.want)
		}
	}
	stored, err := c.WithStorage(t.Context(), StoragePQ(2, 4), 1)
	if err != nil {
		t.Fatal(err)
	}
	three, err := c.WithStorage(t.Context(), StoragePQ(3, 4), 1)
	if err != nil {
		t.Fatal(err)
	}
	for text, of := range map[string]*Classifier{"pq:4": stored, "float64": stored, "auto": stored, "pq:nonsense": stored, "pq:4x4": three} {
		_, got, err := decodeModelFile(rewriteModel(t, fileOf(t, of), func(e map[string][]byte) {
			e[metaName] = bytes.Replace(e[metaName], []byte(of.Storage().String()), []byte(text), 1)
		}))
		if !errors.Is(err, ErrModel) || got != nil || !strings.Contains(err.Error(), "storage") {
			t.Errorf("storage %s: %v", text, err)
		}
	}
}

// TestStorageHash checks that the hash covers every array of the stored samples.
func TestStorageHash(t *testing.T) {
	c, _ := storedTestClassifier(t, 40)
	for _, s := range append([]Storage{StorageFloat64()}, storages...) {
		stored, err := c.WithStorage(t.Context(), s, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range stored.sampleArrays() {
			other, err := loadClassifier(bytes.NewReader(rewriteModel(t, fileOf(t, stored), func(parts map[string][]byte) {
				npy := slices.Clone(parts[e.name+".npy"])
				npy[128] ^= 1 // the first element, after a header of 128 bytes
				parts[e.name+".npy"] = npy
			})))
			if err != nil {
				t.Fatalf("%v, %s: %v", s, e.name, err)
			}
			if other.Hash() == stored.Hash() {
				t.Errorf("%v: the hash leaves out %s", s, e.name)
			}
		}
	}
}

// TestNumpyDecodes checks that NumPy can decode the stored samples as documented.
func TestNumpyDecodes(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import numpy").Run() != nil {
		t.Skip("no python3 with numpy")
	}
	c, _ := storedTestClassifier(t, 40)
	for _, s := range storages {
		stored, err := c.WithStorage(t.Context(), s, 1)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "model.npz")
		if err := os.WriteFile(path, fileOf(t, stored), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(python, "-c", `
import sys, numpy as np
f, parts, bits = np.load(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
c = f["sample_codes"] if "sample_codes" in f else None
if c is None:
    y = f["samples"]
elif parts == 0:
    y = f["code_offset"] + f["code_scale"] * c
else:
    if bits == 4:
        c = np.stack([c & 15, c >> 4], axis=2).reshape(len(c), -1)
    p = len(f["codebook"])
    part = np.concatenate([np.full((j + 1) * p // parts - j * p // parts, j) for j in range(parts)])
    y = f["codebook"][np.arange(p), c[:, part]] @ f["rotation"]
print(" ".join(repr(float(v)) for v in y[39]))
`, path, fmt.Sprint(s.parts), fmt.Sprint(s.bits)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", s, err, out)
		}
		row := make([]float64, 3)
		storedRow(stored, row, 39)
		for k, text := range strings.Fields(string(out)) {
			var v float64
			if _, err := fmt.Sscan(text, &v); err != nil || math.Abs(v-row[k]) > 1e-6*(1+math.Abs(v)) {
				t.Errorf("%v: component %d is %v in NumPy, %v here", s, k, text, row[k])
			}
		}
	}
}
