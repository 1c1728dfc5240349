package wda

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/gomonge/monge/wda/stiefel"
	"gonum.org/v1/gonum/mat"
)

func spanOf(t *testing.T, x mat.Matrix, labels []int, set *Settings) *span {
	t.Helper()
	s, err := newSamples(x, labels)
	if err != nil {
		t.Fatal(err)
	}
	full, err := set.withDefaults(s.n, s.d, len(s.classes))
	if err != nil {
		t.Fatal(err)
	}
	sp, err := newSpan(s, &full)
	if err != nil {
		t.Fatal(err)
	}
	return sp
}

// TestReduction: with more features than samples the fit is done in as many
// dimensions as the samples span, and J there is that of the lifted projection.
func TestReduction(t *testing.T) {
	for _, c := range []struct{ n, d, rank, want int }{{30, 200, 0, 29}, {30, 31, 0, 29}, {40, 100, 7, 7}, {30, 30, 0, 30}} {
		x, labels := parts3(1, c.n, c.d)
		if c.rank > 0 {
			x.Mul(uniform(2, c.n, c.rank), uniform(3, c.rank, c.d))
		}
		set := &Settings{Components: 3, MaxSteps: 20}
		sp := spanOf(t, x, labels, set)
		if sp.s.d != c.want {
			t.Errorf("%+v: %d dimensions", c, sp.s.d)
		}
		// Distances are those of the samples.
		for i := range c.n {
			a, b := sp.s.x.RawRowView(i), sp.s.x.RawRowView((i+7)%c.n)
			u, v := sp.full.x.RawRowView(i), sp.full.x.RawRowView((i+7)%c.n)
			if e := relative(squared(a, b), squared(u, v)); !(e < 1e-12) {
				t.Fatalf("%+v: distance is off by %g", c, e)
			}
		}
		p := mat.NewDense(sp.s.d, 3, nil)
		if _, err := stiefel.New(sp.s.d, 3).Orthonormalise(p, uniform(4, sp.s.d, 3)); err != nil {
			t.Fatal(err)
		}
		q, err := sp.lift(p)
		if err != nil {
			t.Fatal(err)
		}
		var y, z mat.Dense
		y.Mul(sp.s.x, p)
		z.Mul(sp.full.x, q)
		if e := off(&y, &z); !(e < 1e-12) {
			t.Errorf("%+v: projected samples are off by %g", c, e)
		}
		m := mustFit(t, x, labels, set)
		r := m.Report()
		// Init, however good, is not reduced: the same fit in d dimensions.
		s := mustScore(t, x, labels, m.projection, &Settings{LambdaMatrix: r.Lambda})
		if e := relative(s.Between/(s.Within+r.Ridge), r.Objective); !(e < 1e-10) {
			t.Errorf("%+v: J = %v is %.3g off that of the projection", c, r.Objective, e)
		}
		set.Init = pcaOf(t, x, labels, 3)
		full := mustFit(t, x, labels, set)
		if e := relative(full.report.Objective, r.Objective); !(e < 1e-6) {
			t.Errorf("%+v: J = %v, without reduction %v", c, r.Objective, full.report.Objective)
		}
	}
}

// pcaOf returns the start of a fit that makes no step.
func pcaOf(t *testing.T, x mat.Matrix, labels []int, p int) *mat.Dense {
	return mustFit(t, x, labels, &Settings{Components: p, Solver: ConjugateGradient, Tolerance: math.Inf(1)}).projection
}

func squared(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return sum
}

// TestNoReduction: a start of the caller's, too many components, and samples whose
// span is not clear-cut are fitted as they are.
func TestNoReduction(t *testing.T) {
	x, labels := parts3(1, 30, 50)
	if sp := spanOf(t, x, labels, &Settings{Components: 3, Init: uniform(1, 50, 3)}); sp.rows != nil {
		t.Error("reduced in spite of a start")
	}
	if sp := spanOf(t, x, labels, &Settings{Components: 31}); sp.rows != nil {
		t.Error("reduced to fewer dimensions than components")
	}
	for i := range 30 {
		x.Set(i, 3, 1e5*x.At(i, 3))
	}
	if sp := spanOf(t, x, labels, &Settings{Components: 3}); sp.rows != nil {
		t.Error("reduced although directions differ 1e5-fold in length")
	}
	mustFit(t, x, labels, &Settings{Components: 3, MaxSteps: 5})
}

// BenchmarkWide fits 452 samples of 4096 features, in their span and as they are.
func BenchmarkWide(b *testing.B) {
	all, err := dataset.ReadFile(testdata.Shared(b, "data", "office_webcam_dslr_decaf6.npz"), dataset.Options{})
	if err != nil {
		b.Fatal(err)
	}
	start := mustFit(b, all.X, all.Labels, &Settings{Components: 10, Solver: ConjugateGradient, Tolerance: math.Inf(1)}).projection
	for _, reduced := range []bool{true, false} {
		set := &Settings{Components: 10}
		name := "span=true"
		if !reduced {
			set.Init, name = start, "span=false"
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m := mustFit(b, all.X, all.Labels, set)
				b.ReportMetric(m.report.Objective, "J")
				b.ReportMetric(float64(m.report.Steps), "steps")
			}
		})
	}
}
