package experiments

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// tinyDigits writes a small data file in the format of the MNIST file. It returns the folder of the
// file.
func tinyDigits(t *testing.T) string {
	t.Helper()
	d := labeledData(5, 150, 6, 4)
	d.Split = make([]int, 150)
	for i := range d.Split {
		if i%5 > 2 {
			d.Split[i] = 1 // 60 of 150
		}
	}
	dir := t.TempDir()
	writeDataset(t, filepath.Join(dir, mnistFile), d)
	return dir
}

func TestMNIST(t *testing.T) {
	data := tinyDigits(t)
	r := testExperiment(t, mnistExperiment, Settings{Data: data, Seed: 1})
	page, err := os.ReadFile(filepath.Join(r.Folder, "mnist.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"t-SNE", "The paper&#39;s objective", "13.07", "17.26", "nothing can be learned"} {
		if !strings.Contains(string(page), s) {
			t.Errorf("the report lacks %q", s)
		}
	}
	for _, f := range []string{"mnist-error.png", "mnist-steps.svg", "mnist-tsne.png", "mnist.csv"} {
		if _, err := os.Stat(filepath.Join(r.Folder, f)); err != nil {
			t.Error(err)
		}
	}
}

// mnistResults computes the cells for the first values of p, but makes no report. ps is the number
// of these values.
func mnistResults(t *testing.T, s Settings, ps int) (*job, *results) {
	t.Helper()
	s.Small, s.Out, s.Data = true, t.TempDir(), tinyDigits(t)
	j, err := newJob(mnistExperiment, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.close)
	e, err := j.newMNISTRun()
	if err != nil {
		t.Fatal(err)
	}
	var cells []cell
	for trial := range j.Trials {
		for _, m := range j.methods {
			for _, p := range e.ps[:ps] {
				cells = append(cells, newCell(func(ctx context.Context) (*output, error) { return e.errors(ctx, m, trial, p) }, m.settings, m.name, trial, p))
			}
		}
	}
	r, err := j.compute(t.Context(), grid{columns: []string{"method", "trial", "p"}, within: []string{"k"}}, cells)
	if err != nil {
		t.Fatal(err)
	}
	return j, r
}

// TestMNISTObjective checks that the experiment measures the objective that the paper's method
// maximizes. The objective of PCA must be the lowest, and more steps must not lower the objective.
func TestMNISTObjective(t *testing.T) {
	climb := []string{"PCA"}
	for _, k := range mnistSteps {
		climb = append(climb, namePaperSteps(k))
	}
	climb = append(climb, namePaper)
	j, r := mnistResults(t, Settings{Methods: climb}, 2)
	for _, p := range j.mnistSizes().ps {
		for trial := range j.Trials {
			before := 0.
			for _, name := range climb {
				v := r.values("objective", selector{"method": name, "trial": trial, "p": p})
				if len(v) != 1 || !(v[0] >= before*(1-1e-9)) {
					t.Errorf("trial %d, p = %d: J of %s is %v, before %v", trial, p, name, v, before)
				}
				before = v[0]
			}
			start := r.values("objective", selector{"method": "PCA", "trial": trial, "p": p})[0]
			if !(before > 1.01*start) {
				t.Errorf("trial %d, p = %d: J %v, of PCA %v: no progress", trial, p, before, start)
			}
		}
	}
}

// TestMNISTSlowMethods checks that slow methods run only if they are named.
func TestMNISTSlowMethods(t *testing.T) {
	testdata.Long(t)
	named := []string{"LSDR", "LSQMI", "CEML", namePaperFar}
	_, r := mnistResults(t, Settings{Trials: 1, Methods: named}, 1)
	for _, name := range named {
		if len(r.values("error", selector{"method": name})) != 2 { // one error for each K
			t.Errorf("%s has not run", name)
		}
	}
	j, err := newJob(mnistExperiment, Settings{Data: tinyDigits(t), Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range j.methods {
		if m.slow {
			t.Errorf("%s runs by default", m.name)
		}
	}
}

// TestMNISTPart checks that digits come from the correct part of the data and keep the proportions
// of the classes, and that pixels are divided by 255.
func TestMNISTPart(t *testing.T) {
	j, err := newJob(mnistExperiment, Settings{Data: tinyDigits(t), Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	all, err := j.data(mnistFile)
	if err != nil {
		t.Fatal(err)
	}
	for split, size := range []int{90, 60} {
		part, err := j.mnistPart(split)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := part.digits(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if whole.Len() != size {
			t.Errorf("part %d has %d digits, want %d", split, whole.Len(), size)
		}
		next := 0
		for i, s := range all.Split {
			if s != split {
				continue
			}
			for k, v := range whole.X.RawRowView(next) {
				if math.Abs(v-all.X.At(i, k)/255) > 1e-15*math.Abs(v) {
					t.Fatalf("part %d, digit %d, pixel %d: %v, in the file %v", split, next, k, v, all.X.At(i, k))
				}
			}
			next++
		}
		some, err := part.digits(40, 7)
		if err != nil {
			t.Fatal(err)
		}
		for c, n := range some.Counts() {
			share := 40 * float64(whole.Counts()[c]) / float64(size)
			if math.Abs(float64(n)-share) >= 1 {
				t.Errorf("part %d: %d of class %d, its share is %v", split, n, c, share)
			}
		}
		if _, err := part.digits(size+1, 7); !errors.Is(err, wda.ErrSettings) {
			t.Errorf("part %d: more digits than there are: %v", split, err)
		}
	}
	// A file without a split has no test part.
	dir := t.TempDir()
	writeDataset(t, filepath.Join(dir, mnistFile), labeledData(6, 60, 3, 2))
	if _, err := Run(t.Context(), mnistExperiment, Settings{Data: dir, Out: t.TempDir(), Small: true}); !errors.Is(err, wda.ErrSettings) {
		t.Errorf("without split: %v", err)
	}
}

func TestEffectiveDimensions(t *testing.T) {
	x := mat.NewDense(8, 3, []float64{
		1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, -1, 1, -1, -1, -1, 1, -1, -1, -1,
	})
	for _, c := range []struct {
		scale []float64
		want  float64
	}{{[]float64{1, 1, 1}, 3}, {[]float64{7, 0, 0}, 1}, {[]float64{2, 2, 0}, 2}, {[]float64{2, 1, 1}, 36. / 18}} {
		y := mat.DenseCopyOf(x)
		for i := range 8 {
			for k, s := range c.scale {
				y.Set(i, k, 5+s*y.At(i, k))
			}
		}
		if got := effectiveDimensions(y); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("standard deviations %v: %v, want %v", c.scale, got, c.want)
		}
	}
}

func TestInitialPositions(t *testing.T) {
	x := labeledData(7, 50, 5, 3).X
	y, err := initialPositions(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 2 {
		c := mat.Col(nil, k, y)
		if m := stat.Mean(c, nil); math.Abs(m) > 1e-18 {
			t.Errorf("dimension %d has mean %v", k, m)
		}
		if s := stat.StdDev(c, nil); k == 0 && math.Abs(s-1e-4) > 1e-12 || k == 1 && !(s > 0 && s < 1e-4) {
			t.Errorf("dimension %d has standard deviation %v", k, s)
		}
	}
	if _, err := initialPositions(t.Context(), mat.NewDense(5, 3, nil)); err == nil {
		t.Error("constant digits have initial positions")
	}
}
