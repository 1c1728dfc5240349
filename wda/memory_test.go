package wda

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/sinkhorn"
)

// TestMemoryImplied checks that settings that need too much memory are rejected before anything is allocated. The error
// gives the number of bytes and their purpose.
func TestMemoryImplied(t *testing.T) {
	const many = 1 << 40
	set, err := paperSettings(Settings{Components: 3, Workers: 2}).withDefaults(t.Context(), 100, 10, 2)
	if err != nil {
		t.Fatal(err)
	}
	objective := func(n, d, classes int, change func(*Settings)) error {
		s := &discriminant.Samples{N: n, D: d, Classes: make([]int, classes), Offset: make([]int, classes+1)}
		for c := range classes {
			s.Offset[c+1] = (c + 1) * (n / classes)
		}
		set := set
		change(&set)
		return discriminant.CheckMemory(discriminant.ObjectiveNeeds(s, objectiveConfig[float64](&set, s.D), set.Workers)...)
	}
	same := func(*Settings) {}
	validation := func(fit Settings, atOnce int) error {
		c := CrossValidation{Fit: fit, Components: []int{2}, Lambda: []Lambda{fit.Objective.Lambda}, Shrinkage: []Shrinkage{fit.Objective.Shrinkage}, Folds: 5}
		labels := make([]int, 3000)
		labels[0] = 1
		needs, _, err := c.memoryNeeds(t.Context(), len(labels), 3000, labels, atOnce)
		if err != nil {
			t.Fatal(err)
		}
		return discriminant.CheckMemory(needs...)
	}
	for _, c := range []struct {
		name string
		err  error
		want string // "" for no error
	}{
		{"a usual fit", objective(100000, 784, 10, same), ""},
		{"usual data", discriminant.CheckMemory(discriminant.PrepareNeeds(100000, 784, 10)...), ""},
		{"wide data", discriminant.CheckMemory(discriminant.PrepareNeeds(10000, 100000, 10)...), ""},
		{"many features of more samples", discriminant.CheckMemory(discriminant.PrepareNeeds(60000, 30000, 2)...), ""},
		{"usual whitening", discriminant.CheckMemory(discriminant.WhitenNeeds(10000)...), ""},
		{"usual folds", discriminant.CheckMemory(foldNeeds(60000, 784, 5, 8)...), ""},
		{"n", objective(many, 784, 10, same), "projections of 1099511627776 samples"},
		{"wide n", discriminant.CheckMemory(discriminant.PrepareNeeds(30000, 50000, 2)...), "Gram matrix of 30000 samples"},
		{"p of d", discriminant.CheckMemory(discriminant.PrepareNeeds(60000, 40000, 20000)...), "covariance of 40000 features"},
		{"p", discriminant.CheckMemory(discriminant.PrepareNeeds(many, 1<<30, 1<<20)...), "1048576 components"},
		{"whitened d", discriminant.CheckMemory(discriminant.WhitenNeeds(40000)...), "Whitening"},
		{"classes", objective(1<<21, 10, 1<<20, same), "pairs of 1048576 classes"},
		{"workers", objective(100, 10, 2, func(s *Settings) { s.Workers = many }), "workers"},
		{"iterations", objective(100, 10, 2, func(s *Settings) { s.Objective.Iterations = many }), "Gradient Implicit"},
		{"iterations without gradient", objective(100, 10, 2, func(s *Settings) { s.Objective.Iterations, s.Objective.Gradient = many, sinkhorn.GradientImplicit }), ""},
		{"components without steps", objective(20000, 20000, 40, func(s *Settings) { s.Components, s.Optimizer.Method = 20000, Principal{} }), "transport scatters"},
		{"steps", objective(4000, 40000, 4, func(s *Settings) { s.Components = 8000 }), "steps of auto in 40000 × 8000"},
		{"starts", objective(100, 10, 2, func(s *Settings) { s.Optimizer.Starts = many }), "1099511627776 starts"},
		{"usual choice", discriminant.CheckMemory(choiceNeeds(1000, 1000, 100000, 3, 2, &Settings{Components: 10})...), ""},
		{"choice", discriminant.CheckMemory(choiceNeeds(1000, 1000, 10000000, 3, 2, &Settings{Components: 10})...), "2 workers that compare settings"},
		{"folds of the choice", discriminant.CheckMemory(choiceNeeds(1000, 1000000, 1000000, 3, 1, &Settings{Components: 10})...), "3 folds of 1000 rows"},
		{"finalists of the choice", discriminant.CheckMemory(choiceNeeds(4000, 4000, 4000, 5, 1, &Settings{Components: 4000})...), "fits of finalists to 5 folds"},
		{"graph", discriminant.CheckMemory(discriminant.EigenNeeds[float64](&discriminant.Samples{N: 50000, D: 300, Offset: []int{0}}, 2, 2)...), "graph of 50000 samples"},
		{"usual graph", discriminant.CheckMemory(discriminant.EigenNeeds[float64](&discriminant.Samples{N: 4096, D: 300, Offset: []int{0}}, 2, 2)...), ""},
		{"scatters", discriminant.CheckMemory(discriminant.EigenNeeds[float64](&discriminant.Samples{N: 100, D: 20000, Offset: []int{0}}, 10000, 2)...), "scatters of 20000 features"},
		{"fits to folds", validation(*paperSettings(Settings{}), 64), ""},
		{"a few that choose settings", validation(Settings{}, 4), ""},
		{"many that choose settings", validation(Settings{}, 64), "settings are compared"},
		{"folds", discriminant.CheckMemory(foldNeeds(671_000, 1000, 5, 2)...), "samples of 2 folds"},
	} {
		switch {
		case c.want == "" && c.err != nil:
			t.Errorf("%s: %v", c.name, c.err)
		case c.want != "" && (!errors.Is(c.err, ErrSettings) || !strings.Contains(c.err.Error(), c.want) || !strings.Contains(c.err.Error(), "GiB")):
			t.Errorf("%s: error %v, want one that says %q", c.name, c.err, c.want)
		}
	}
}

// TestMemoryMeasured checks that a fit allocates less than about twice the predicted number of bytes plus a few copies
// of the samples. TotalAlloc counts freed memory, too, so it is an upper bound of the peak.
func TestMemoryMeasured(t *testing.T) {
	const factor, copies, always = 1.8, 6, 4 << 20
	type sizes struct{ n, d, classes int }
	tall, wide, many := sizes{2000, 60, 4}, sizes{150, 900, 3}, sizes{3000, 20, 30}
	thousand, rich, components, few := sizes{600, 20, 2}, sizes{800, 500, 4}, 200, Optimizer{MaxSteps: 3}
	if !testdata.IsLong() {
		tall.n, many.n, thousand.n, rich, components, few.MaxSteps = 400, 600, 200, sizes{300, 200, 4}, 80, 1
		wide = sizes{100, 500, 3}
	}
	for _, c := range []struct {
		name string
		size sizes
		set  Settings
	}{
		{"Auto", tall, Settings{Optimizer: few}},
		{"conjugate gradient", tall, Settings{Optimizer: Optimizer{Method: ConjugateGradient{}, MaxSteps: few.MaxSteps}}},
		{"steepest descent, float32", tall, Settings{Objective: Objective{Float32: true}, Optimizer: Optimizer{Method: SteepestDescent{}, MaxSteps: few.MaxSteps}}},
		{"4 starts", sizes{300, 20, 3}, Settings{Optimizer: Optimizer{MaxSteps: 1, Starts: 4}}},
		{"implicit gradient", thousand, Settings{Objective: Objective{Gradient: sinkhorn.GradientImplicit}, Optimizer: few}},
		{"1000 iterations", thousand, Settings{Objective: Objective{Iterations: 1000}, Optimizer: Optimizer{MaxSteps: 1}}},
		{"frozen", tall, Settings{Objective: Objective{Gradient: sinkhorn.GradientFrozen}, Optimizer: few}},
		{"many components", rich, Settings{Components: components, Optimizer: few}},
		{"more features than samples", wide, Settings{Optimizer: few}},
		{"whitened", tall, Settings{Data: Data{Whitening: DiagonalWhitening(0.1)}, Optimizer: few}},
		{"whitened, more features than samples", wide, Settings{Data: Data{Whitening: DiagonalWhitening(0.1)}, Optimizer: few}},
		{"many classes, four workers", many, Settings{Workers: 4, Optimizer: few}},
		{"mini-batches", many, Settings{Optimizer: Optimizer{Method: MiniBatch{}, MaxSteps: 1}}},
		{"eigen", tall, Settings{Optimizer: Optimizer{Method: Eigen{}, MaxSteps: few.MaxSteps}}},
	} {
		set := paperSettings(c.set)
		if set.Components == 0 {
			set.Components = 3
		}
		if set.Workers == 0 {
			set.Workers = 2
		}
		x, labels := uniform(3, c.size.n, c.size.d), make([]int, c.size.n)
		for i := range labels {
			labels[i] = i % c.size.classes
			x.Set(i, labels[i]%c.size.d, x.At(i, labels[i]%c.size.d)+1)
		}
		full, err := set.withDefaults(t.Context(), c.size.n, c.size.d, c.size.classes)
		if err != nil {
			t.Fatal(err)
		}
		s := &discriminant.Samples{N: c.size.n, D: min(c.size.d, c.size.n-1), Classes: make([]int, c.size.classes), Offset: make([]int, c.size.classes+1)}
		for k := range c.size.classes {
			s.Offset[k+1] = (k + 1) * c.size.n / c.size.classes
		}
		solvers := min(full.Workers, c.size.classes*(c.size.classes+1)/2)
		needs := append(discriminant.ObjectiveNeeds(s, objectiveConfig[float64](&full, s.D), solvers), discriminant.PrepareNeeds(c.size.n, c.size.d, full.Components)...)
		if full.Objective.Float32 {
			needs = append(discriminant.ObjectiveNeeds(s, objectiveConfig[float32](&full, s.D), solvers), discriminant.PrepareNeeds(c.size.n, c.size.d, full.Components)...)
		}
		if c.set.Data.Whitening != (Whitening{}) {
			needs = append(needs, discriminant.WhitenNeeds(s.D)...)
		}
		if full.Optimizer.Method == Method(Eigen{}) {
			needs = append(needs, discriminant.EigenNeeds[float64](s, full.Components, solvers)...)
		}
		said := float64(copies * 8 * c.size.n * c.size.d)
		for _, n := range needs {
			said += n.Bytes
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Fit(t.Context(), x, labels, set); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		runtime.ReadMemStats(&after)
		got := float64(after.TotalAlloc - before.TotalAlloc)
		t.Logf("%s: allocated %.3g MB, said %.3g", c.name, got/1e6, said/1e6)
		if got > factor*said+always {
			t.Errorf("%s: allocated %.3g bytes, said %.3g", c.name, got, said)
		}
	}
}
