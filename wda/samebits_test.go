package wda

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/modelfile"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda/baseline"
	"gonum.org/v1/gonum/mat"
)

var updateFits = flag.Bool("update-fits", false, "write testdata/fits.txt anew")

const fitsFile = "testdata/fits.txt"

// sameBits is a fit whose result has the same bits on every machine.
type sameBits struct {
	name string
	// hash runs the fit with the given number of workers and returns the hash of the model or of the projection.
	hash func(ctx context.Context, workers int) (string, error)
	// data and set are the arguments of a call of Fit. They are nil for cross-validations and
	// baselines.
	data *namedData
	set  *Settings
}

// namedData is a named data set. The data sets are small enough for an emulated machine, but large enough to fill the
// vector registers of every instruction set.
type namedData struct {
	name   string
	d      int
	sizes  []int
	p      int
	x      *mat.Dense
	labels []int
}

func problems() map[string]*namedData {
	fifty := make([]int, 50)
	for i := range fifty {
		fifty[i] = 2
	}
	out := make(map[string]*namedData)
	for i, p := range []namedData{
		{name: "plain", d: 7, sizes: []int{20, 18, 19}, p: 2},
		{name: "wide", d: 41, sizes: []int{9, 8, 10}, p: 3},
		{name: "two", d: 5, sizes: []int{17, 21}, p: 1},
		{name: "unbalanced", d: 6, sizes: []int{41, 5, 9}, p: 2},
		{name: "eight", d: 9, sizes: []int{7, 8, 9, 7, 6, 7, 8, 5}, p: 4},
		{name: "fifty", d: 12, sizes: fifty, p: 5},
		{name: "broad", d: 150, sizes: []int{61, 53, 57}, p: 2},
	} {
		p.x, p.labels = clusters(uint64(10*i+1), p.d, p.sizes...)
		out[p.name] = &p
	}
	return out
}

// sameBitsCases returns the fits to check. The list covers every solver, gradient mode, element type, whitening, scale and class
// weight. It also covers automatically chosen settings, cross-validation, every baseline, and data with more features
// than samples or with 2 to 50 classes.
func sameBitsCases() []sameBits {
	data := problems()
	var list []sameBits
	// add appends a Fit with the settings s and the paper's values for unset settings.
	add := func(on, name string, s Settings, float32s ...bool) {
		if float32s == nil {
			float32s = []bool{false, true}
		}
		p := data[on]
		for _, f32 := range float32s {
			s := s
			if s.Components == 0 {
				s.Components = p.p
			}
			if s.Optimizer.MaxSteps == 0 {
				s.Optimizer.MaxSteps = 5
			}
			s.Objective.Float32 = f32
			list = append(list, sameBits{
				name: fmt.Sprintf("%s %s %d", on, name, map[bool]int{false: 64, true: 32}[f32]),
				hash: func(ctx context.Context, workers int) (string, error) {
					s.Workers = workers
					return hashOf(Fit(ctx, p.x, p.labels, &s))
				},
				data: p, set: &s,
			})
		}
	}
	for _, m := range []Method{ConjugateGradient{}, SteepestDescent{}, ProjectedGradient{}, Eigen{}, Eigen{TraceRatio: true}, MiniBatch{BatchSize: 5}, Principal{}, Fisher{}} {
		for _, on := range []string{"plain", "wide", "eight"} {
			add(on, m.String(), *paperSettings(Settings{Optimizer: Optimizer{Method: m}, Objective: Objective{Iterations: 7}}))
		}
	}
	for _, w := range []Whitening{SphericalWhitening(LedoitWolf), SphericalWhitening(0.5), DiagonalWhitening(LedoitWolf), DiagonalWhitening(0.5)} {
		for _, scale := range []Scale{ScaleOrthonormal, ScaleUnit, ScaleRatio} {
			s := paperSettings(Settings{Scale: scale})
			s.Data.Whitening = w
			add("plain", fmt.Sprintf("%v %v", w, scale), *s)
			add("wide", fmt.Sprintf("%v %v", w, scale), *s, false)
		}
	}
	type change struct {
		on, name string
		make     func(s *Settings)
	}
	for _, c := range []change{
		{"plain", "implicit", func(s *Settings) { s.Objective.Gradient, s.Objective.Iterations = sinkhorn.GradientImplicit, 2000 }},
		{"plain", "frozen", func(s *Settings) { s.Objective.Gradient = sinkhorn.GradientFrozen }},
		{"plain", "λ 3", func(s *Settings) { s.Objective.Lambda = RelativeLambda(3) }},
		{"plain", "λ 60, in the log domain", func(s *Settings) { s.Objective.Lambda = RelativeLambda(60) }},
		{"plain", "absolute λ", func(s *Settings) { s.Objective.Lambda = AbsoluteLambda(0.7) }},
		{"plain", "λ by pair", func(s *Settings) {
			s.Objective.Lambda = LambdaMatrix(mat.NewDense(3, 3, []float64{0.3, 1, 0.5, 1, 0.7, 2, 0.5, 2, 0.2}))
		}},
		{"plain", "standardized", func(s *Settings) { s.Data.Standardize = true }},
		{"plain", "ρ 0.3", func(s *Settings) { s.Objective.Shrinkage = FixedShrinkage(0.3) }},
		{"plain", "p = d", func(s *Settings) { s.Components = 7 }},
		{"plain", "three starts", func(s *Settings) { s.Optimizer.Starts, s.Seed = 3, 5 }},
		{"plain", "own start", func(s *Settings) { s.Optimizer.Init = uniform(3, 7, 2) }},
		{"plain", "validation", func(s *Settings) { s.Validation = &Validation{Every: 1} }},
		{"wide", "validation, standardized", func(s *Settings) { s.Validation, s.Data.Standardize = &Validation{Every: 1}, true }},
		{"two", "one component", func(*Settings) {}},
		{"two", "SCG, λ 5", func(s *Settings) { s.Objective.Lambda = RelativeLambda(5) }},
		{"unbalanced", "uniform", func(*Settings) {}},
		{"unbalanced", "proportional", func(s *Settings) { s.Objective.Proportional = true }},
		{"unbalanced", "proportional, minibatch", func(s *Settings) {
			s.Objective.Proportional, s.Optimizer.Method = true, MiniBatch{BatchSize: 6}
		}},
		{"broad", "whitened", func(s *Settings) { // the data are larger than one block of every algorithm
			s.Data.Whitening, s.Objective.Iterations, s.Optimizer.MaxSteps = SphericalWhitening(LedoitWolf), 3, 2
		}},
		{"fifty", "fifty classes", func(s *Settings) { s.Objective.Iterations, s.Optimizer.MaxSteps = 2, 2 }},
		{"fifty", "fifty classes, whitened", func(s *Settings) {
			s.Data.Whitening, s.Objective.Iterations, s.Optimizer.MaxSteps = DiagonalWhitening(LedoitWolf), 2, 1
		}},
		{"fifty", "fifty classes, eigen", func(s *Settings) { s.Optimizer.Method, s.Objective.Iterations, s.Optimizer.MaxSteps = Eigen{}, 2, 2 }},
	} {
		s := paperSettings(Settings{})
		c.make(s)
		add(c.on, c.name, *s)
	}
	// These fits choose all settings, or all settings except one.
	for _, on := range []string{"plain", "wide", "two", "unbalanced"} {
		add(on, "chosen", Settings{}, false)
	}
	// This default fit is a regression test for a bug that the other fits do not find.
	x, labels := clusters(81, 5, 26, 22, 24)
	seventy := &namedData{x: x, labels: labels}
	list = append(list, sameBits{name: "seventy by default", data: seventy, set: &Settings{Components: 3}, hash: func(ctx context.Context, workers int) (string, error) {
		return hashOf(Fit(ctx, x, labels, &Settings{Components: 3, Workers: workers}))
	}})
	add("plain", "chosen, ρ 1", Settings{Objective: Objective{Shrinkage: FixedShrinkage(1)}}, false)
	add("plain", "chosen, no whitening, standardized", Settings{Data: Data{Whitening: NoWhitening(), Standardize: true}}, false)
	for _, on := range []string{"plain", "wide"} {
		p := data[on]
		list = append(list, sameBits{name: on + " cross-validated", hash: func(ctx context.Context, workers int) (string, error) {
			cv := CrossValidation{Fit: *paperSettings(Settings{Workers: workers, Optimizer: Optimizer{MaxSteps: 3}}), Folds: 3, Components: []int{1, 2}, Shrinkage: []Shrinkage{FixedShrinkage(0), FixedShrinkage(1)}}
			r, err := CrossValidate(ctx, p.x, p.labels, &cv)
			if err != nil {
				return "", err
			}
			return hashOf(Fit(ctx, p.x, p.labels, &r.Settings))
		}})
	}
	for _, on := range []string{"two", "wide"} {
		p := data[on]
		for i, m := range []baseline.Method{baseline.PCA{}, baseline.FDA{}, baseline.FDA{Shrinkage: 0.3}} {
			list = append(list, sameBits{name: fmt.Sprintf("%s baseline %d, %v", on, i, m), hash: func(ctx context.Context, _ int) (string, error) {
				v, err := baseline.Fit(ctx, p.x, p.labels, 2, m)
				if err != nil {
					return "", err
				}
				h := modelfile.NewHash(hashText)
				modelfile.HashArray(h, v.RawMatrix().Data)
				return h.String(), nil
			}})
		}
	}
	return list
}

func hashOf(m *Model, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return m.Hash(), nil
}

// TestFileRefits checks that the settings in a model file repeat the fit bit for bit, even if the settings were chosen
// automatically.
func TestFileRefits(t *testing.T) {
	t.Parallel()
	for i, f := range sameBitsCases() {
		if f.set == nil || !testdata.IsLong() && i%16 != 0 && f.set.Validation == nil && f.set.Optimizer.Init == nil {
			continue
		}
		m, err := Fit(t.Context(), f.data.x, f.data.labels, f.set)
		if err != nil {
			t.Fatal(f.name, err)
		}
		file, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(f.name, err)
		}
		loaded, _, err := Load(bytes.NewReader(file), nil)
		if err != nil {
			t.Fatal(f.name, err)
		}
		again := loaded.Report().Settings
		if again.leavesOpen() {
			t.Errorf("%s: the file leaves something open", f.name)
		}
		got, err := hashOf(Fit(t.Context(), f.data.x, f.data.labels, &again))
		if err != nil || got != m.Hash() {
			t.Errorf("%s: fitted again by what its file says: hash %s, want %s (error %v)", f.name, got, m.Hash(), err)
		}
	}
}

// TestSameBitsOfFits repeats a list of fits and compares the hashes of the results with hashes computed on amd64. The
// hashes must be equal on every machine, at every instruction-set level and for any number of workers. By default, the
// test repeats every fifth fit once. MONGE_FITS=all repeats every fit once. MONGE_LONG=1 repeats every fit at every
// instruction-set level of this machine, with 1, 2 and 7 workers.
func TestSameBitsOfFits(t *testing.T) {
	list := sameBitsCases()
	if *updateFits {
		var b strings.Builder
		for _, f := range list {
			h, err := f.hash(t.Context(), 0)
			if err != nil {
				t.Fatal(f.name, err)
			}
			fmt.Fprintf(&b, "%s\t%s\n", h, f.name)
		}
		if err := os.WriteFile(fitsFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(fitsFile)
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string)
	for line := range strings.Lines(string(file)) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		want[name] = hash
	}
	if len(list) != len(want) || len(list) < 100 {
		t.Fatalf("%d fits, %d in %s, want as many and at least 100", len(list), len(want), fitsFile)
	}
	every := 5
	if testdata.IsLong() || os.Getenv("MONGE_FITS") == "all" {
		every = 1
	}
	for i, f := range list {
		if i%every != 0 {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			check := func(workers int) {
				got, err := f.hash(t.Context(), workers)
				if err != nil {
					t.Error(err)
				} else if got != want[f.name] {
					t.Errorf("%d workers, %v: hash %s, want %s", workers, asm.Current(), got, want[f.name])
				}
			}
			workers := []int{1, 2, 7}
			if !testdata.IsLong() {
				check(workers[i/every%3])
				return
			}
			for range asmtest.Each(t) {
				for _, w := range workers {
					check(w)
				}
			}
		})
	}
}
