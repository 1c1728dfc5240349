package experiments

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomonge/monge/wda/dataset"
)

// writeNPZ writes the arrays X and y, and the array split unless d.Split is nil.
func writeNPZ(t *testing.T, path string, d *dataset.Dataset) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	write := func(name, descr, shape string, data any) {
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
		head += strings.Repeat(" ", 127-10-len(head)%64) + "\n"
		w, err := z.Create(name + ".npy")
		if err == nil {
			_, err = fmt.Fprint(w, "\x93NUMPY\x01\x00", string(binary.LittleEndian.AppendUint16(nil, uint16(len(head)))), head)
		}
		if err = errors.Join(err, binary.Write(w, binary.LittleEndian, data)); err != nil {
			t.Fatal(err)
		}
	}
	n, k := d.X.Dims()
	ints := func(v []int) (all []int32) {
		for _, x := range v {
			all = append(all, int32(x))
		}
		return all
	}
	write("X", "<f8", fmt.Sprintf("(%d, %d)", n, k), d.X.RawMatrix().Data)
	write("y", "<i4", fmt.Sprintf("(%d,)", n), ints(d.Labels))
	if d.Split != nil {
		write("split", "<i4", fmt.Sprintf("(%d,)", n), ints(d.Split))
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// suiteFolder returns a folder with two data sets. One data set has a split.
func suiteFolder(t *testing.T) string {
	folder := t.TempDir()
	one, two := dataset.Simulation{NoiseDims: 1, Seed: 1}.Generate(80), dataset.Simulation{NoiseDims: 2, Seed: 2}.Generate(90)
	for i := range two.Len() {
		two.Split = append(two.Split, i%2)
	}
	writeNPZ(t, filepath.Join(folder, "one.npz"), one)
	writeNPZ(t, filepath.Join(folder, "two.npz"), two)
	if err := os.WriteFile(filepath.Join(folder, suiteStandardize), []byte("two\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestSuite runs two trials on the data set without a split and one trial on the data set with a
// split. The report must name the files that cannot be read. The test omits WDA and NCA, which are
// slow.
func TestSuite(t *testing.T) {
	folder := suiteFolder(t)
	e, err := ByName("suite")
	if err != nil {
		t.Fatal(err)
	}
	s := Settings{Data: folder, Methods: []string{"pca", "fda", "lda", "lfda"}}
	r := testTimedExperiment(t, e, s)
	if want := 2 * 4 * (2 + 1); r.Cells != want {
		t.Errorf("%d cells, want %d", r.Cells, want)
	}
	if err := os.WriteFile(filepath.Join(folder, "bad.npz"), []byte("PK no archive"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "folder.npz"), 0o777); err != nil {
		t.Fatal(err)
	}
	s.Out, s.Small, s.Tuned, s.Methods = t.TempDir(), true, true, []string{"pca", "lda", "lda-0.5", "nca", "wda"}
	r, err = Run(t.Context(), e, s)
	// PCA and LDA have no settings to choose.
	if err != nil || r.Cells != 2*3*(5+2) || len(r.Failed) != 2 || !strings.Contains(r.Failed[0], "bad.npz") || !strings.Contains(r.Failed[1], "folder.npz") {
		t.Fatalf("%+v, %v", r, err)
	}
	if !slices.ContainsFunc(r.Summary, func(s string) bool { return strings.Contains(s, "p = 3, cross-validated settings: WDA less") }) {
		t.Errorf("summary: %q", r.Summary)
	}
	s.Out, s.Limit, s.Methods = t.TempDir(), 1, []string{"pca", "wda"}
	if r, err = Run(t.Context(), e, s); err != nil || len(r.Failed) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	text, err := os.ReadFile(filepath.Join(r.Folder, "suite.csv"))
	if err != nil || !strings.Contains(string(text), "WDA,default,0,left out after seconds,1e-09") || strings.Contains(string(text), "WDA,default,0,error") {
		t.Errorf("%v, %s", err, text)
	}
	if _, err := Run(t.Context(), e, Settings{Data: t.TempDir(), Out: t.TempDir()}); !errors.Is(err, ErrSettings) {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := Run(t.Context(), e, Settings{Data: folder, Out: t.TempDir(), Limit: -time.Second}); !errors.Is(err, ErrSettings) {
		t.Errorf("a negative limit: %v", err)
	}
}

// TestRanks uses the example of Demšar (2006), section 3.2.2: four versions of C4.5 on 14 data
// sets.
func TestRanks(t *testing.T) {
	ranks := []float64{3.143, 2.000, 2.893, 1.964}
	// Demšar computes χ² = 9.28 and F = 3.69 with 3 and 39 degrees of freedom.
	if p := friedman(ranks, 14); !(math.Abs(p-0.0197) < 0.0005) {
		t.Errorf("p = %v", p)
	}
	// The critical difference is 2.569 √(4·5/(6·14)) = 1.25. The factor 2.569 is in Demšar's table for
	// the Nemenyi test.
	if cd := criticalDifference(4, 14); !(math.Abs(cd-1.25) < 0.005) {
		t.Errorf("critical difference %v", cd)
	}
	nan := math.NaN()
	got, n := ranksOver([][]float64{{1, 2, 3}, {2, 2, 1}, {3, 5, nan}})
	if n != 2 || !slices.Equal(got, []float64{1.25, 1.75, 3}) {
		t.Errorf("ranks %v over %d sets", got, n)
	}
	if g := similarGroups([]float64{1, 1.5, 1.9, 4, 4.5, 9}, 1); !slices.Equal(g, []interval{{0, 2}, {3, 4}}) {
		t.Errorf("groups %v", g)
	}
}
