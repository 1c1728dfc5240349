package wda

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// TestPairsAreBounded checks that a fit to thousands of classes uses a limited number of pairs of classes, unless the
// settings require all pairs.
func TestPairsAreBounded(t *testing.T) {
	t.Parallel()
	x, labels := manyClasses(3000, 2, 4)
	s, err := discriminant.NewSamples(t.Context(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method Method
		limit  int
	}{{Principal{}, 1024}, {Fisher{}, 1024}, {MiniBatch{BatchSize: 64}, 1024}, {ConjugateGradient{}, 3000}} {
		set, err := paperSettings(Settings{Optimizer: Optimizer{Method: c.method}}).withDefaults(t.Context(), s.N, s.D, len(s.Classes))
		if err != nil {
			t.Fatal(err)
		}
		o, err := discriminant.NewObjective(t.Context(), s, fitConfig[float64](&set, s.D, exactSamples, exactClasses))
		if err != nil {
			t.Fatal(err)
		}
		if want := c.limit * (c.limit + 1) / 2; o.PairCounts().Pairs != want {
			t.Errorf("%v: J is of %d pairs of classes, want %d", c.method, o.PairCounts().Pairs, want)
		}
	}
	if some := choiceSamples(t.Context(), s); len(some.Classes) > 256 || some.N != 2*len(some.Classes) {
		t.Errorf("settings are compared on %d rows of %d classes", some.N, len(some.Classes))
	}
}

// TestPartOfTheClasses checks that J of a subset of the classes estimates J of all classes, and that the report says
// how many samples were used.
func TestPartOfTheClasses(t *testing.T) {
	t.Parallel()
	classes, part := 120, 40
	if !testdata.IsLong() {
		classes, part = 60, 30
	}
	x, labels := manyClasses(classes, 3, 6)
	for _, c := range []struct {
		set  Settings
		made Method
	}{
		{Settings{Optimizer: Optimizer{Method: Principal{}}}, Principal{}},
		{Settings{Optimizer: Optimizer{Method: Principal{}, Starts: 2}}, Principal{}},
		{Settings{Optimizer: Optimizer{Method: Fisher{}}, Data: Data{Whitening: DiagonalWhitening(0.5)}, Objective: Objective{Proportional: true}}, Fisher{}},
		{Settings{Optimizer: Optimizer{Method: MiniBatch{}, MaxSteps: 2}}, MiniBatch{BatchSize: 64}},
		{Settings{Optimizer: Optimizer{Method: Auto{}, MaxSteps: 2}}, MiniBatch{BatchSize: 64}},
		{Settings{Optimizer: Optimizer{Method: ConjugateGradient{}, MaxSteps: 2}}, ConjugateGradient{}},
	} {
		set := paperSettings(c.set)
		prepared, err := Prepare(t.Context(), x, labels, set.preparation())
		if err != nil {
			t.Fatal(err)
		}
		prepared.maxClasses = part
		m, err := prepared.fitSince(t.Context(), set, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if c.set.Data.Whitening == (Whitening{}) {
			checkModel(t, m)
		}
		r := m.Report()
		exact, want := c.made == Method(ConjugateGradient{}), part*3
		if exact {
			want = classes * 3
		}
		if r.Settings.Optimizer.Method != c.made || r.ObjectiveSamples != want || (r.Lambda != nil) != exact {
			t.Errorf("%v: method %v, J of %d samples, %v", c.set.Optimizer.Method, r.Settings.Optimizer.Method, r.ObjectiveSamples, r.Lambda != nil)
		}
		file := fileOf(t, m)
		if again, err := loadModel(bytes.NewReader(file)); err != nil || !bytes.Equal(fileOf(t, again), file) {
			t.Errorf("%v: the file of the model: %v", c.made, err)
		}
		sp, start, err := prepared.startPoint(t.Context(), &r.Settings)
		if err != nil {
			t.Fatal(err)
		}
		all, err := discriminant.NewObjective(t.Context(), sp.Samples, objectiveConfig[float64](&r.Settings, sp.Samples.D))
		if err == nil {
			err = all.Prepare(t.Context(), r.Settings.Objective.Lambda.rule(), 0, start)
		}
		if err == nil {
			all.Ridge = r.Ridge / sp.Samples.ToDataUnits(1)
			err = all.Evaluate(t.Context(), inSpan(sp, m), false)
		}
		if err != nil {
			t.Fatal(err)
		}
		if off := relative(r.Objective, all.Value()); !(off < 0.35) || exact && !(off < 1e-12) {
			t.Errorf("%v: J = %v of %d samples, %v of all", c.made, r.Objective, r.ObjectiveSamples, all.Value())
		}
	}
}

// inSpan converts the projection of m to an orthonormal projection in the span sp.
func inSpan(sp *discriminant.Span, m *Model) *mat.Dense {
	p, err := sp.FromFeatures(context.Background(), m.projection)
	if err != nil {
		panic(err)
	}
	stiefel.New(p.Dims()).Orthonormalize(context.Background(), p, p)
	return p
}
