package experiments

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// labeledData returns n samples of the given number of classes. The classes differ in the first
// features.
func labeledData(seed uint64, n, d, classes int) *dataset.Dataset {
	rng := rand.New(rand.NewPCG(seed, 3))
	data := &dataset.Dataset{X: mat.NewDense(n, d, nil), Labels: make([]int, n)}
	for c := range classes {
		data.Classes = append(data.Classes, string(rune('0'+c)))
	}
	for i := range n {
		data.Labels[i] = i % classes
		for k := range d {
			v := rng.NormFloat64()
			if k < 2 {
				v += 3 * math.Cos(float64(data.Labels[i]+k)*2)
			}
			data.X.Set(i, k, v)
		}
	}
	return data
}

// writeDataset writes a .csv.gz file or an .npz file, depending on the name. An .npz file has the
// arrays X and y, and the array split if d.Split is not nil.
func writeDataset(t *testing.T, path string, d *dataset.Dataset) {
	t.Helper()
	var b bytes.Buffer
	if strings.HasSuffix(path, ".csv.gz") {
		z := gzip.NewWriter(&b)
		// The .csv.gz files have no header.
		n, cols := d.X.Dims()
		all := mat.NewDense(n, cols+1, nil)
		all.Slice(0, n, 0, cols).(*mat.Dense).Copy(d.X)
		for i, l := range d.Labels {
			all.Set(i, cols, float64(l))
		}
		if err := errors.Join(outfile.CSV(z, all, nil, nil), z.Close()); err != nil {
			t.Fatal(err)
		}
	} else {
		z := zip.NewWriter(&b)
		column := func(v []int) *mat.Dense {
			m := mat.NewDense(d.Len(), 1, nil)
			for i, e := range v {
				m.Set(i, 0, float64(e))
			}
			return m
		}
		arrays := map[string]*mat.Dense{"X.npy": d.X, "y.npy": column(d.Labels)}
		if d.Split != nil {
			arrays["split.npy"] = column(d.Split)
		}
		for name, m := range arrays {
			w, err := z.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := outfile.NPY(w, m); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestUCI(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, filepath.Join(dir, "wine.csv.gz"), labeledData(1, 48, 4, 3))
	writeDataset(t, filepath.Join(dir, "office_webcam_dslr_decaf6.npz"), labeledData(2, 64, 6, 2))
	r := testExperiment(t, uciExperiment, Settings{Data: dir, Seed: 1})
	if len(r.Missing) != len(uciExperiment.Data)-2 {
		t.Errorf("missing: %v", r.Missing)
	}
	page, err := os.ReadFile(filepath.Join(r.Folder, "uci.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"wines", "caltechpca *", "stands in", "16.91", nameFDAShrunk, "mean rank, 2 sets", "data=wines"} {
		if got := strings.Contains(string(page), s); got != (s != "data=wines") {
			t.Errorf("the report has %q: %v", s, got)
		}
	}
}

func TestUCIWithoutData(t *testing.T) {
	var missing *DataError
	if _, err := Run(t.Context(), uciExperiment, Settings{Data: t.TempDir(), Out: t.TempDir()}); !errors.As(err, &missing) || missing.File != "wine.csv.gz" {
		t.Errorf("without data: %v", err)
	}
}

// TestSlowMethods checks that slow methods run only if they are named.
func TestSlowMethods(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, filepath.Join(dir, "wine.csv.gz"), labeledData(1, 30, 3, 2))
	s := Settings{Data: dir, Out: t.TempDir(), Small: true, Trials: 1, Methods: []string{"lmnn", "ceml", "lsdr"}}
	r, err := Run(t.Context(), uciExperiment, s)
	if err != nil || r.Cells != 3 || len(r.Failed) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	s.Methods = nil
	r, err = Run(t.Context(), uciExperiment, s)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(uciMethods()) - 4; r.Cells != want {
		t.Errorf("%d cells by default, want %d", r.Cells, want)
	}
}

func TestScaleBoth(t *testing.T) {
	a, b := labeledData(3, 30, 4, 2), labeledData(4, 10, 4, 2)
	for i := range 30 {
		a.X.Set(i, 1, 10+5*a.X.At(i, 1))
		a.X.Set(i, 3, 7)
	}
	b.X.Set(0, 3, 9)
	plain := mat.DenseCopyOf(a.X)
	other := mat.DenseCopyOf(b.X)
	scaleBoth(a, b, true)
	total := 0.
	for k := range 4 {
		mean, variance := stat.PopMeanVariance(mat.Col(nil, k, a.X), nil)
		m, v := stat.PopMeanVariance(mat.Col(nil, k, plain), nil)
		total += v / 4
		if k == 3 {
			if b.X.At(0, 3) != 0 {
				t.Errorf("a feature that is constant in training is %v in a test row", b.X.At(0, 3))
			}
			continue
		}
		if !(math.Abs(mean) < 1e-14 && math.Abs(variance-1) < 1e-12) {
			t.Errorf("feature %d: mean %v, variance %v", k, mean, variance)
		}
		if want := (other.At(3, k) - m) / math.Sqrt(v); !(math.Abs(b.X.At(3, k)-want) < 1e-12) {
			t.Errorf("feature %d of a test row: %v, want %v", k, b.X.At(3, k), want)
		}
	}
	c, d := &dataset.Dataset{X: plain}, &dataset.Dataset{X: other}
	before := plain.At(2, 1) - plain.At(5, 1)
	scaleBoth(c, d, false)
	if got := c.X.At(2, 1) - c.X.At(5, 1); !(math.Abs(got-before/math.Sqrt(total)) < 1e-12) {
		t.Errorf("scaled as a whole: a difference of %v became %v, want %v", before, got, before/math.Sqrt(total))
	}
}

// TestTune compares the results of tuneCandidates with a direct computation. The candidates select
// features instead of fitting a projection.
func TestTune(t *testing.T) {
	train, test := labeledData(5, 60, 5, 3), labeledData(6, 60, 5, 3)
	fits := 0
	// Candidate i selects consecutive features, beginning with feature 2−i. The first two features of
	// the last candidate separate the classes.
	from := func(i int) candidate {
		m := method{name: "from", fit: func(_ context.Context, t *training, p int) (*mat.Dense, error) {
			fits++
			_, d := t.X.Dims()
			e := mat.NewDense(d, p, nil)
			for k := range p {
				e.Set((2-i+k)%d, k, 1)
			}
			return e, nil
		}}
		return candidate{m, m, false}
	}
	candidates := []candidate{from(0), from(1), from(2)}
	s := tuning{ps: []int{1, 2, 9}, ks: []int{1, 5, 45}, folds: 3}
	got, err := tuneCandidates(t.Context(), candidates, [][]int{{0}, {0, 1, 2}, {2}}, train, test, s, 8)
	if err != nil {
		t.Fatal(err)
	}
	if want := 3*2*3 + 2; fits != want {
		t.Errorf("%d fits, want %d: one for each fold, p and candidate, and two for what was chosen", fits, want)
	}
	if r := got[1]; r.candidate != 2 || r.p != 2 || r.k == 45 || r != got[2] {
		t.Errorf("chosen: %+v and %+v", r, got[2])
	}
	if r := got[0]; r.candidate != 0 || !(r.validation > got[1].validation && r.test > got[1].test) {
		t.Errorf("the first candidate alone: %+v", r)
	}
	// By hand.
	in, out, err := train.Folds(3, 8)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := candidates[2].final.fit(t.Context(), trainingFor(train, 2), 2)
	sum := 0.
	for f := range in {
		e, err := knnErrors(t.Context(), train.Subset(in[f]), train.Subset(out[f]), first, []int{got[1].k})
		if err != nil {
			t.Fatal(err)
		}
		sum += e[0] / 3
	}
	e, err := knnErrors(t.Context(), train, test, first, []int{got[1].k})
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(sum-got[1].validation) < 1e-12) || e[0] != got[1].test {
		t.Errorf("errors %v and %v, by hand %v and %v", got[1].validation, got[1].test, sum, e[0])
	}
	if _, err := tuneCandidates(t.Context(), candidates, [][]int{{0}}, train, test, tuning{ps: []int{6}, ks: []int{1}, folds: 3}, 8); !errors.Is(err, ErrSettings) {
		t.Errorf("no p is possible: %v", err)
	}
	failing := method{fit: func(context.Context, *training, int) (*mat.Dense, error) { return nil, io.ErrNoProgress }}
	if _, err := tuneCandidates(t.Context(), []candidate{{failing, failing, true}}, [][]int{{0}}, train, test, s, 8); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a fit fails: %v", err)
	}
}

// TestNested checks all methods that are marked as nested. The fit for a smaller p must consist of
// the first columns of the fit for the largest p.
func TestNested(t *testing.T) {
	train := labeledData(7, 80, 30, 4)
	for _, m := range uciMethods() {
		candidates, _, _ := uciCandidates(m)
		for _, c := range candidates {
			if !c.nested {
				continue
			}
			all, err := c.final.fit(t.Context(), trainingFor(train, 10), 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range []int{1, 3, 6} {
				few, err := c.final.fit(t.Context(), trainingFor(train, p), p)
				if err != nil {
					t.Fatal(err)
				}
				var diff mat.Dense
				diff.Sub(few, all.Slice(0, 30, 0, p))
				if e := mat.Norm(&diff, 2) / mat.Norm(few, 2); !(e < 1e-9) {
					t.Errorf("%s (%s): p = %d is not the beginning of p = 10, off by %.3g", c.final.name, c.final.settings, p, e)
				}
			}
		}
	}
}

func TestMeanRanks(t *testing.T) {
	errs := func(v ...float64) [][]float64 { // one trial each
		var all [][]float64
		for _, x := range v {
			all = append(all, []float64{x})
		}
		return all
	}
	columns := []uciColumn{
		{name: "PCA", family: "PCA", tuned: true, errs: errs(0.3, 0.2, 0.5)},
		{name: "FDA", family: "FDA", errs: errs(0.4, 0.2, 0.5)},
		{name: "FDA-s", family: "FDA", tuned: true, errs: errs(0.1, 0.1, 0.5)},
		{name: "WDA-paper", family: "WDA", errs: errs(0.5, 0.3, 0.5)},
		{name: "WDA", family: "WDA", errs: errs(0.2, 0.1, 0.5)},
		{name: "WDA-ρ", family: "WDA", tuned: true, errs: errs(0.1, 0.1, 0.5)},
	}
	columns[0].errs[2] = nil // not finished
	plain, over := meanRanks(columns, 3, func(c uciColumn) bool { return c.name == c.family })
	if want := []float64{2.25, 2.75, 1.25, 3, 1, 1}; over != 2 || !slices.Equal(plain, want) {
		t.Errorf("ranks %v over %d sets, want %v over 2", plain, over, want)
	}
	tuned, _ := meanRanks(columns, 3, func(c uciColumn) bool { return c.tuned })
	if want := []float64{3, 2.75, 1.5, 3, 1.75, 1.5}; !slices.Equal(tuned, want) {
		t.Errorf("ranks %v with chosen settings, want %v", tuned, want)
	}
}

// TestUCIRow checks that the best value is bold and that values without a significant difference
// from the best value are underlined.
func TestUCIRow(t *testing.T) {
	a := []float64{0.10, 0.11, 0.12, 0.10, 0.11, 0.13, 0.10, 0.12}
	near, far := slices.Clone(a), slices.Clone(a)
	for i := range a {
		near[i] += 0.01 * float64(1-2*(i%2))
		far[i] += 0.02
	}
	near[0] += 0.02
	columns := []uciColumn{{name: "a", errs: [][]float64{a}}, {name: "near", errs: [][]float64{near}}, {name: "far", family: "PCA", errs: [][]float64{far}}, {name: "none", errs: [][]float64{nil}}}
	row := uciRow(uciData{name: "wines"}, 0, columns)
	got := (&table{Head: []string{""}, Rows: []tableRow{row}}).plain()
	if want := "\nwines\t11.12*\t11.38_\t13.12 (26.57)\t–\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPublished checks that the published tables are complete, and that the published mean ranks
// are the means of the published rows up to rounding.
func TestPublished(t *testing.T) {
	for _, table := range []publishedTable{publishedUCI, publishedTiming, publishedTimingDeviations} {
		for _, r := range table.Rows {
			if len(r.Values) != len(table.Methods) {
				t.Errorf("%s, %s: %d values for %d methods", table.Label, r.Name, len(r.Values), len(table.Methods))
			}
		}
	}
	sets := publishedUCI.Rows[:len(publishedUCI.Rows)-1]
	sum := make([]float64, len(publishedUCI.Methods))
	for _, r := range sets {
		for i, v := range averageRanks(r.Values) {
			sum[i] += v / float64(len(sets))
		}
		if !slices.ContainsFunc(uciSets, func(d uciData) bool { return d.name == r.Name }) {
			t.Errorf("the experiment has no %s", r.Name)
		}
	}
	for i, m := range publishedUCI.Methods {
		if v, ok := publishedUCI.value(publishedRank, m); !ok || !(math.Abs(v-sum[i]) <= 0.11) {
			t.Errorf("%s: published mean rank %v, of the published rows %.2f", m, v, sum[i])
		}
	}
	if _, ok := publishedUCI.value("wines", "t-SNE"); ok {
		t.Error("a column that is not there")
	}
	if v, ok := publishedTiming.value("Caltech (14)", "LSDR"); !ok || v != 140776 {
		t.Errorf("LSDR on Caltech: %v, %v", v, ok)
	}
}

func TestCaltech(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, filepath.Join(dir, "office_webcam_dslr_decaf6.npz"), labeledData(2, 70, 6, 3))
	counts := labeledData(3, 60, 5, 2)
	for i := range 60 {
		for k := range 5 {
			counts.X.Set(i, k, math.Floor(math.Abs(4*counts.X.At(i, k))))
		}
	}
	for k := range 5 {
		counts.X.Set(7, k, 0)
	}
	writeDataset(t, filepath.Join(dir, "caltech_surf800.npz"), counts)
	r := testExperiment(t, caltechExperiment, Settings{Data: dir, Seed: 1})
	if len(r.Missing) != 1 || r.Missing[0].File != "caltech_decaf6.npz" {
		t.Errorf("missing: %v", r.Missing)
	}
	// If the paper's own file exists, the stand-in must not be used.
	writeDataset(t, filepath.Join(dir, "caltech_decaf6.npz"), labeledData(2, 70, 6, 3))
	s := Settings{Data: dir, Out: t.TempDir(), Small: true, Trials: 1, Methods: []string{"PCA"}}
	r, err := Run(t.Context(), caltechExperiment, s)
	if err != nil || r.Cells != 2 || len(r.Missing) != 0 {
		t.Errorf("with all files: %+v, %v", r, err)
	}
}

func TestTiming(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, filepath.Join(dir, "mnist.npz"), labeledData(2, 60, 6, 3))
	writeDataset(t, filepath.Join(dir, "office_webcam_dslr_decaf6.npz"), labeledData(4, 50, 6, 3))
	testTimedExperiment(t, timingExperiment, Settings{Data: dir, Seed: 1})
}
