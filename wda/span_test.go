package wda

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// spanOf returns the span that a fit uses, and the starting point of the fit in coordinates of this span.
func spanOf(t *testing.T, x mat.Matrix, labels []int, set *Settings) (*discriminant.Span, *mat.Dense) {
	t.Helper()
	m, err := Prepare(t.Context(), x, labels, set.preparation())
	if err != nil {
		t.Fatal(err)
	}
	pinned := set.withPaperDefaults()
	sp, start, err := m.startPoint(t.Context(), &pinned)
	if err != nil {
		t.Fatal(err)
	}
	return sp, start
}

// TestReduction checks that a fit with more features than samples works in the span of the samples. The reported J, which
// was computed in the span, must equal J of the returned projection of all features.
func TestReduction(t *testing.T) {
	for _, c := range []struct{ n, d, rank, want int }{{30, 200, 0, 29}, {30, 31, 0, 29}, {40, 100, 7, 7}, {30, 30, 0, 30}} {
		x, labels := parts3(1, c.n, c.d)
		if c.rank > 0 {
			x.Mul(uniform(2, c.n, c.rank), uniform(3, c.rank, c.d))
		}
		set := &Settings{Components: 3, Optimizer: Optimizer{MaxSteps: 20}}
		sp, _ := spanOf(t, x, labels, set)
		if sp.Samples.D != c.want {
			t.Errorf("%+v: %d dimensions", c, sp.Samples.D)
		}
		// Distances in the span must equal the distances of the original samples.
		for i := range c.n {
			a, b := sp.Samples.X.RawRowView(i), sp.Samples.X.RawRowView((i+7)%c.n)
			u, v := sp.Full.X.RawRowView(i), sp.Full.X.RawRowView((i+7)%c.n)
			if e := relative(squared(a, b), squared(u, v)); !(e < 1e-12) {
				t.Fatalf("%+v: distance is off by %g", c, e)
			}
		}
		p := mat.NewDense(sp.Samples.D, 3, nil)
		if _, err := stiefel.New(sp.Samples.D, 3).Orthonormalize(ctx, p, uniform(4, sp.Samples.D, 3)); err != nil {
			t.Fatal(err)
		}
		q, err := sp.ToFeatures(ctx, p, discriminant.NearestOrthonormal)
		if err != nil {
			t.Fatal(err)
		}
		var y, z mat.Dense
		y.Mul(sp.Samples.X, p)
		z.Mul(sp.Full.X, q)
		if e := off(&y, &z); !(e < 1e-12) {
			t.Errorf("%+v: projected samples are off by %g", c, e)
		}
		m := mustFit(t, x, labels, set)
		r := m.Report()
		s := mustScore(t, x, labels, m.projection, &Settings{Objective: Objective{Lambda: LambdaMatrix(r.Lambda)}})
		if e := relative(s.Between/(s.Within+r.Ridge), r.Objective); !(e < 1e-10) {
			t.Errorf("%+v: J = %v is %.3g off that of the projection", c, r.Objective, e)
		}
		full := fitUnreduced(t, x, labels, set)
		if e := relative(full.report.Objective, r.Objective); !(e < 1e-6) {
			t.Errorf("%+v: J = %v, without reduction %v", c, r.Objective, full.report.Objective)
		}
	}
}

// fitUnreduced fits like Fit, but without reducing the problem to the span of the samples.
func fitUnreduced(t testing.TB, x mat.Matrix, labels []int, set *Settings) *Model {
	t.Helper()
	m, err := Prepare(t.Context(), x, labels, set.preparation())
	if err != nil {
		t.Fatal(err)
	}
	m.span = m.span.Whole()
	if m.principalStart, err = baseline.Fit(t.Context(), m.samples.X, nil, m.preparation.Components, baseline.PCA{}); err != nil {
		t.Fatal(err)
	}
	model, err := m.fitSince(t.Context(), paperSettings(*set), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// TestReductionOfStart checks that a fit from a given starting point takes the same steps with and without reduction to
// the span of the samples. The starting point is inside the span, or partly outside of the span.
func TestReductionOfStart(t *testing.T) {
	t.Parallel()
	const n, d = 30, 120
	x, labels := parts3(1, n, d)
	inside := mustFit(t, x, labels, &Settings{Components: 3, Optimizer: Optimizer{Method: ConjugateGradient{}, MaxSteps: 2}}).Projection()
	random := mat.NewDense(d, 3, nil)
	stiefel.New(d, 3).Random(ctx, random, rand.New(rand.NewPCG(3, 4)))
	mixed := mat.DenseCopyOf(inside)
	mixed.Slice(0, d, 2, 3).(*mat.Dense).Copy(random.Slice(0, d, 0, 1))
	almost := mat.DenseCopyOf(random)
	almost.Scale(1e-6, almost)
	almost.Add(inside, almost)
	for _, c := range []struct {
		name string
		init *mat.Dense
		want int
	}{
		{"inside", inside, n - 1}, {"one column outside", mixed, n}, {"random", random, n + 2}, {"almost inside", almost, n + 2},
		{"not orthonormal", scaledMatrix(3, random), n + 2},
	} {
		for _, solver := range []Method{ConjugateGradient{}, SteepestDescent{}, ProjectedGradient{}} {
			set := &Settings{Components: 3, Optimizer: Optimizer{Init: c.init, Method: solver, MaxSteps: 6}}
			sp, start := spanOf(t, x, labels, set)
			if sp.Samples.D != c.want {
				t.Errorf("%s: %d dimensions, want %d", c.name, sp.Samples.D, c.want)
			}
			if e := stiefel.New(sp.Samples.D, 3).Infeasibility(ctx, start); !(e < 1e-14) {
				t.Errorf("%s: the start is %g off the manifold", c.name, e)
			}
			got, want := mustFit(t, x, labels, set), fitUnreduced(t, x, labels, set)
			for i, h := range want.report.History {
				if e := relative(got.report.History[i].Objective, h.Objective); !(e < 1e-9) {
					t.Fatalf("%s, %v: step %d has J = %v, without reduction %v", c.name, solver, i, got.report.History[i].Objective, h.Objective)
				}
			}
			if e := off(got.projection, want.projection); !(e < 1e-6) {
				t.Errorf("%s, %v: the projection is off by %g", c.name, solver, e)
			}
		}
	}
	// The samples and the starting point together span all dimensions, so a reduction saves nothing.
	if sp, _ := spanOf(t, uniform(5, n, n+3), labels, &Settings{Components: 5, Optimizer: Optimizer{Init: uniform(6, n+3, 5)}}); sp.IsReduced() {
		t.Error("reduced to more dimensions than there are")
	}
}

func squared(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return sum
}

// TestNoReduction checks that samples are fitted without reduction if there are too many components or if the rank of
// the samples is not clear.
func TestNoReduction(t *testing.T) {
	x, labels := parts3(1, 30, 50)
	if sp, _ := spanOf(t, x, labels, &Settings{Components: 31}); sp.IsReduced() {
		t.Error("reduced to fewer dimensions than components")
	}
	for i := range 30 {
		x.Set(i, 3, 1e5*x.At(i, 3))
	}
	if sp, _ := spanOf(t, x, labels, &Settings{Components: 3}); sp.IsReduced() {
		t.Error("reduced although directions differ 1e5-fold in length")
	}
	mustFit(t, x, labels, &Settings{Components: 3, Optimizer: Optimizer{MaxSteps: 5}})
}

// BenchmarkWide fits 452 samples of 4096 features, with and without reduction to their span.
func BenchmarkWide(b *testing.B) {
	all, err := dataset.ReadFile(testdata.Shared(b, "data", "office_webcam_dslr_decaf6.npz"), nil)
	if err != nil {
		b.Fatal(err)
	}
	for name, fit := range map[string]func(testing.TB, mat.Matrix, []int, *Settings) *Model{"span=true": mustFit, "span=false": fitUnreduced} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m := fit(b, all.X, all.Labels, &Settings{Components: 10})
				b.ReportMetric(m.report.Objective, "J")
				b.ReportMetric(float64(m.report.Steps), "steps")
			}
		})
	}
}
