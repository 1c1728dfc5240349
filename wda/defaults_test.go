package wda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// TestDefaults makes the table of DEFAULTS.md: the error of 5 nearest neighbours
// after PCA, with the default settings, and with others, on samples not fitted to.
// MONGE_EXPERIMENT is the number of splits.
func TestDefaults(t *testing.T) {
	splits, err := strconv.Atoi(os.Getenv("MONGE_EXPERIMENT"))
	if err != nil {
		t.Skip("an experiment of minutes: set MONGE_EXPERIMENT to the number of splits")
	}
	paper := func(p int) *wda.Settings {
		s := wda.PaperSettings(p)
		s.MaxSteps = 100
		return s
	}
	candidates := []struct {
		name string
		set  func(p int) *wda.Settings
	}{
		{"default", func(p int) *wda.Settings { return &wda.Settings{Components: p} }},
		{"λ = 0.1", func(p int) *wda.Settings { return &wda.Settings{Components: p, Lambda: 0.1} }},
		{"ρ = 0", func(p int) *wda.Settings { return &wda.Settings{Components: p, Shrinkage: wda.NoShrinkage} }},
		{"ρ = 0.5", func(p int) *wda.Settings { return &wda.Settings{Components: p, Shrinkage: 0.5} }},
		{"paper", paper},
	}
	head := "| data | n, d, p | PCA |"
	for _, c := range candidates {
		head += " " + c.name + " |"
	}
	t.Log(head)
	for _, e := range experiments {
		t.Run(e.name, func(t *testing.T) {
			sum := make([]float64, 1+len(candidates))
			var n, d int
			for seed := range uint64(splits) {
				train, test := e.split(t, seed+1)
				n, d = train.X.Dims()
				p, err := baseline.PrincipalComponents(train.X, e.p)
				if err != nil {
					t.Fatal(err)
				}
				var y, z mat.Dense
				y.Mul(train.X, p)
				z.Mul(test.X, p)
				identity := &wda.Settings{Components: e.p, Init: eye(e.p), Tolerance: math.Inf(1), Solver: wda.ConjugateGradient}
				m, err := wda.Fit(t.Context(), &y, train.Labels, identity)
				if err != nil {
					t.Fatal(err)
				}
				sum[0] += errorOf(t, m, &dataset.Dataset{X: &y, Labels: train.Labels}, &dataset.Dataset{X: &z, Labels: test.Labels})
				for i, c := range candidates {
					m, err := wda.Fit(t.Context(), train.X, train.Labels, c.set(e.p))
					if err != nil {
						t.Fatal(err)
					}
					sum[1+i] += errorOf(t, m, train, test)
				}
			}
			var row strings.Builder
			fmt.Fprintf(&row, "| %s | %d, %d, %d |", e.name, n, d, e.p)
			for _, s := range sum {
				fmt.Fprintf(&row, " %.3f |", s/float64(splits))
			}
			t.Log(row.String())
			if sum[1] > sum[0] {
				t.Logf("default settings are worse than PCA on %s", e.name)
			}
		})
	}
}

func eye(p int) *mat.Dense {
	m := mat.NewDense(p, p, nil)
	for i := range p {
		m.Set(i, i, 1)
	}
	return m
}

func errorOf(t *testing.T, m *wda.Model, train, test *dataset.Dataset) float64 {
	t.Helper()
	c, err := wda.NewClassifier(m, train.X, train.Labels, 5)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.PredictAll(t.Context(), test.X, 0)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, l := range got {
		if l != test.Labels[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(len(got))
}

type experiment struct {
	name, file string
	p          int
	train      int  // rows to train with; 0 is half
	noise      bool // the paper's protocol for small data: standardise and append 100 noise features
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

// split draws training and test data. The test part is the official one if the file
// has it, else all that is left.
func (e experiment) split(t *testing.T, seed uint64) (train, test *dataset.Dataset) {
	t.Helper()
	if e.file == "" {
		return dataset.Simulation{Seed: 2 * seed}.Generate(e.train), dataset.Simulation{Seed: 2*seed + 1}.Generate(5000)
	}
	all, err := dataset.ReadFile(testdata.Shared(t, "data", e.file), dataset.Options{})
	if err == nil && all.Split != nil {
		test, train, err = all.SplitBy(1)
		if err == nil {
			train, err = train.Sample(e.train, seed)
		}
	} else if err == nil {
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

// withNoise standardises x by the columns of from and appends 100 Gaussian features.
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
