package wda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// TestDefaults makes the table of DEFAULTS.md: the error of nearest neighbors after
// PCA, with the default settings, and with others, on samples not fitted to.
// MONGE_EXPERIMENT is the number of splits; -run TestDefaults/USPS chooses one row.
// All but the default settings are in float32, to save time.
func TestDefaults(t *testing.T) {
	splits, err := strconv.Atoi(os.Getenv("MONGE_EXPERIMENT"))
	if err != nil || splits < 2 {
		t.Skip("an experiment of half an hour: set MONGE_EXPERIMENT to the number of splits, from 2")
	}
	with := func(s wda.Settings) func(int) *wda.Settings {
		return func(p int) *wda.Settings {
			s.Components, s.Objective.Float32 = p, true
			return &s
		}
	}
	candidates := []struct {
		name string
		set  func(p int) *wda.Settings
	}{
		{"default", func(p int) *wda.Settings { return &wda.Settings{Components: p} }},
		{"λ = 0.1", with(wda.Settings{Objective: wda.Objective{Lambda: wda.RelativeLambda(0.1)}})},
		{"ρ = 0", with(wda.Settings{Objective: wda.Objective{Shrinkage: wda.FixedShrinkage(0)}})},
		{"ρ = 0.25", with(wda.Settings{Objective: wda.Objective{Shrinkage: wda.FixedShrinkage(0.25)}})},
		{"ρ = 1", with(wda.Settings{Objective: wda.Objective{Shrinkage: wda.FixedShrinkage(1)}})},
		{"paper", func(p int) *wda.Settings {
			s := wda.PaperSettings(p)
			s.Optimizer.MaxSteps, s.Objective.Float32 = 100, true
			return s
		}},
	}
	head := "| K | data | n, d, p | default − PCA | PCA |"
	for _, c := range candidates {
		head += " " + c.name + " |"
	}
	t.Log(head)
	ks := []int{5, 1}
	for _, e := range experiments {
		t.Run(fmt.Sprintf("%s/p=%d", e.name, e.p), func(t *testing.T) {
			// errors[k][0] is PCA's, of every split.
			errors := make([][][]float64, len(ks))
			for k := range errors {
				errors[k] = make([][]float64, 1+len(candidates))
			}
			var n, d int
			began, all := time.Now(), e.read(t)
			for seed := range uint64(splits) {
				train, test := e.split(t, all, seed+1)
				n, d = train.X.Dims()
				add := func(column int, y, z *mat.Dense) {
					t.Helper()
					predicted, err := knn.Predict(t.Context(), denseView(y), train.Labels, denseView(z), ks, nil)
					if err != nil {
						t.Fatal(err)
					}
					for k := range ks {
						errors[k][column] = append(errors[k][column], knn.ErrorRate(predicted[k], test.Labels))
					}
				}
				var y, z mat.Dense
				p, err := baseline.Fit(t.Context(), train.X, nil, e.p, baseline.PCA{})
				if err != nil {
					t.Fatal(err)
				}
				y.Mul(train.X, p)
				z.Mul(test.X, p)
				add(0, &y, &z)
				for i, c := range candidates {
					m, err := wda.Fit(t.Context(), train.X, train.Labels, c.set(e.p))
					if err != nil {
						t.Fatal(err)
					}
					m.Transform(&y, train.X)
					m.Transform(&z, test.X)
					add(1+i, &y, &z)
				}
			}
			for k, columns := range errors {
				difference := slices.Clone(columns[1])
				floats.Sub(difference, columns[0])
				mean, std := stat.MeanStdDev(difference, nil)
				var row strings.Builder
				fmt.Fprintf(&row, "| %d | %s | %d, %d, %d | %+.3f ± %.3f |", ks[k], e.name, n, d, e.p, mean, stat.StdErr(std, float64(splits)))
				for _, c := range columns {
					fmt.Fprintf(&row, " %.3f |", stat.Mean(c, nil))
				}
				t.Log(row.String())
				if ks[k] == 5 && mean >= 0 {
					t.Errorf("default settings are not better than PCA on %s", e.name)
				}
			}
			t.Logf("%.0f s", time.Since(began).Seconds())
		})
	}
}

func denseView(m *mat.Dense) dist.Matrix[float64] {
	r := m.RawMatrix()
	return dist.Matrix[float64]{Rows: r.Rows, Cols: r.Cols, Stride: r.Stride, Data: r.Data}
}

type experiment struct {
	name, file string
	p          int
	train      int  // rows to train with; 0 is half
	noise      bool // the paper's protocol for small data: standardize and append 100 noise features
}

var experiments = []experiment{
	{"simulated", "", 2, 100, false},
	{"wine", "wine.csv.gz", 5, 0, true},
	{"vehicle", "vehicle.csv.gz", 5, 0, true},
	{"ionosphere", "ionosphere.csv.gz", 5, 0, true},
	{"glass", "glass.csv.gz", 5, 0, true},
	{"credit", "credit_australian.csv.gz", 5, 0, true},
	{"DeCAF6", "office_webcam_dslr_decaf6.npz", 10, 0, false},
	{"MNIST", "mnist.npz", 10, 1000, false},
	{"MNIST", "mnist.npz", 20, 1000, false},
	{"isolet", "isolet.npz", 20, 1560, false},
	{"USPS", "usps.npz", 10, 1000, false},
}

// read returns all samples, nil if they are simulated.
func (e experiment) read(t *testing.T) *dataset.Dataset {
	t.Helper()
	if e.file == "" {
		return nil
	}
	all, err := dataset.ReadFile(testdata.Shared(t, "data", e.file), nil)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// split draws training and test data. The test part is the official one if the file
// has it, else all that is left.
func (e experiment) split(t *testing.T, all *dataset.Dataset, seed uint64) (train, test *dataset.Dataset) {
	t.Helper()
	if all == nil {
		return dataset.Simulation{Seed: 2 * seed}.Generate(e.train), dataset.Simulation{Seed: 2*seed + 1}.Generate(5000)
	}
	var err error
	if all.Split != nil {
		test, train, err = all.SplitBy(1)
		if err == nil {
			train, err = train.Sample(e.train, seed)
		}
	} else {
		fraction := 0.5
		if e.train > 0 {
			fraction = 1 - float64(e.train)/float64(all.Len())
		}
		train, test, err = all.TrainTest(fraction, seed)
	}
	if err != nil {
		t.Fatal(err)
	}
	if e.noise {
		train.X, test.X = withNoise(train.X, train.X, seed), withNoise(train.X, test.X, seed+1<<32)
	}
	return train, test
}

// withNoise standardizes x by the columns of from and appends 100 Gaussian features.
func withNoise(from, x *mat.Dense, seed uint64) *mat.Dense {
	const noise = 100
	m, d := from.Dims()
	n, _ := x.Dims()
	rng := rand.New(rand.NewPCG(seed, 9))
	out := mat.NewDense(n, d+noise, nil)
	for j := range d {
		mean := mat.Sum(from.ColView(j)) / float64(m)
		var v float64
		for i := range m {
			v += math.Pow(from.At(i, j)-mean, 2) / float64(m)
		}
		if v == 0 {
			v = 1
		}
		for i := range n {
			out.Set(i, j, (x.At(i, j)-mean)/math.Sqrt(v))
		}
	}
	for i := range n {
		for j := range noise {
			out.Set(i, d+j, rng.NormFloat64())
		}
	}
	return out
}
