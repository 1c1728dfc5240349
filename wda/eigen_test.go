package wda

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/subspace"
	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// eigenOf returns the iteration on samples, with λ and ridge of p.
func eigenOf(t *testing.T, x *mat.Dense, labels []int, p *mat.Dense, set Settings) (*eigen[float64], *samples) {
	t.Helper()
	s, err := newSamples(context.Background(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	if set, err = pinned(set).withDefaults(context.Background(), s.n, s.d, len(s.classes)); err != nil {
		t.Fatal(err)
	}
	o, err := newObjective[float64](context.Background(), s, &set)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.prepare(t.Context(), &set, p); err != nil {
		t.Fatal(err)
	}
	e, err := newEigen(context.Background(), o, &set, eigenLimit, len(s.classes))
	if err != nil {
		t.Fatal(err)
	}
	return e, s
}

// TestGoldenEigen: C_b and C_w, the ratio trace iteration after three steps and at its
// fixed point, and the maximizer of the trace ratio are those of the shared fixtures.
func TestGoldenEigen(t *testing.T) {
	for _, name := range goldenCases {
		if !testdata.IsLong() && name == "bimodal_log" {
			continue
		}
		g := loadGolden(t, name)
		e, s := eigenOf(t, g.x, g.y, g.p0, g.settings)
		if err := e.assemble(t.Context(), g.p0); err != nil {
			t.Fatal(err)
		}
		cb, cw := e.matrices(context.Background(), 0)
		cb.Scale(s.units(1), cb)
		cw.Scale(s.units(1), cw)
		for _, c := range []struct {
			name string
			got  *mat.Dense
		}{{"Cb", cb}, {"Cw", cw}} {
			if d := off(c.got, g.matrix(t, c.name)); !(d <= 1e-11) {
				t.Errorf("%s: %s is off by %.3g of its largest entry", name, c.name, d)
			}
		}
		if g.meta.Eig3F == 0 {
			continue // log domain: the peer has none
		}
		m := stiefel.New(s.d, g.meta.P)
		near := func(what string, p *mat.Dense, limit float64) {
			t.Helper()
			if d := m.Distance(ctx, p, g.matrix(t, what)); !(d <= limit) {
				t.Errorf("%s: subspace is %.3g from %s", name, d, what)
			}
		}
		p := mat.DenseCopyOf(g.p0)
		if err := e.traceRatio(t.Context(), p, 0, eigenBlock); err != nil {
			t.Fatal(err)
		}
		near("P_traceratio1", p, 1e-7)
		p.Copy(g.p0)
		for range 3 {
			if err := e.improve(t.Context(), p, 0, eigenBlock); err != nil {
				t.Fatal(err)
			}
		}
		near("P_eig3", p, 1e-7)
		for range 150 {
			if err := e.improve(t.Context(), p, 0, eigenBlock); err != nil {
				t.Fatal(err)
			}
		}
		near("P_eig_conv", p, 1e-6)
	}
}

// TestEigenBlocks: the block iteration of many features finds what the dense
// decomposition finds.
func TestEigenBlocks(t *testing.T) {
	t.Parallel()
	x, labels := clusters(3, 140, 60, 40, 70)
	p := uniform(5, 140, 3)
	m := stiefel.New(140, 3)
	if _, err := m.Orthonormalize(ctx, p, p); err != nil {
		t.Fatal(err)
	}
	e, _ := eigenOf(t, x, labels, p, Settings{Components: 3, Objective: Objective{Shrinkage: FixedShrinkage(0.5)}})
	if e.small() {
		t.Fatal("140 features are few: the test shows nothing")
	}
	if err := e.assemble(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	cb, cw := e.matrices(context.Background(), 0.1)
	want, _, err := subspace.Dense(context.Background(), cb, cw, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Orthonormalize(ctx, want, want); err != nil {
		t.Fatal(err)
	}
	got := mat.DenseCopyOf(p)
	for range 3 {
		if err := e.ratioTrace(t.Context(), got, 0.1, 200); err != nil {
			t.Fatal(err)
		}
	}
	if d := m.Distance(ctx, got, want); !(d <= 1e-3) {
		t.Errorf("generalized eigenvectors: subspace off by %.3g", d)
	}
	// At the maximum q of the trace ratio the best of C_b − q C_w has trace 0.
	got.Copy(p)
	for range 5 {
		if err := e.traceRatio(t.Context(), got, 0.1, 200); err != nil {
			t.Fatal(err)
		}
	}
	trace := func(c *mat.Dense) float64 {
		var v mat.Dense
		v.Mul(c, got)
		return inner(got, &v)
	}
	q := trace(cb) / trace(cw)
	var a mat.Dense
	a.Scale(-q, cw)
	a.Add(cb, &a)
	_, mu, err := subspace.Dense(context.Background(), &a, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	if sum := mu[0] + mu[1] + mu[2]; !(math.Abs(sum) <= 1e-5*trace(cb)) {
		t.Errorf("trace ratio %v is not the largest: %v more is left", q, sum)
	}
}

// TestEigenSolvers: J is that of Auto or less, never less than at the start, and the
// report says so; what ends the iteration is one of the documented statuses.
func TestEigenSolvers(t *testing.T) {
	for _, name := range goldenCases {
		if !testdata.IsLong() && name == "bimodal_log" {
			continue
		}
		for _, solver := range []Method{Eigen{}, Eigen{TraceRatio: true}} {
			g := loadGolden(t, name)
			g.settings.Optimizer.Method = solver
			m := mustFit(t, g.x, g.y, &g.settings)
			r := m.Report()
			f := 1 / r.Objective
			best := g.meta.BestF
			if best == 0 { // not searched for
				best = g.meta.PotF
			}
			t.Logf("%s, %v: f = %.6g, %.2g %% above the best known, |grad J| / J = %.2g, %d steps, %v", name, solver, f, 100*(f/best-1), r.GradientNorm/r.Objective, r.Steps, r.Status)
			if name != "bimodal_log" && f < best*(1-1e-9) || !(f <= g.meta.F0) {
				t.Errorf("%s, %v: f = %v, at the start %v, the best known is %v", name, solver, f, g.meta.F0, g.meta.BestF)
			}
			if solver == Method(Eigen{}) && g.meta.Eig3F > 0 && !(f <= g.meta.Eig3F*(1+1e-9)) {
				t.Errorf("%s: f = %v, but three steps lead to %v", name, f, g.meta.Eig3F)
			}
			if r.Status != StatusStepTolerance && r.Status != StatusFunctionTolerance {
				t.Errorf("%s, %v: status %v", name, solver, r.Status)
			}
		}
	}
}

// TestEigenSteps: MaxSteps bounds the steps, and a singular C_w is no error.
func TestEigenSteps(t *testing.T) {
	x, labels := parts3(4, 12, 9) // rank(C_w) ≤ 9, with hardly any information
	for _, solver := range []Method{Eigen{}, Eigen{TraceRatio: true}} {
		set := &Settings{Components: 2, Optimizer: Optimizer{Method: solver}, Objective: Objective{Shrinkage: FixedShrinkage(0), Lambda: RelativeLambda(50)}}
		if r := mustFit(t, x, labels, set).Report(); !r.Status.Converged() {
			t.Errorf("%v: %v after %d steps", solver, r.Status, r.Steps)
		}
		set.Optimizer.MaxSteps = 1
		if r := mustFit(t, x, labels, set).Report(); r.Status != StatusMaxSteps || r.Steps > 1 {
			t.Errorf("%v: %v after %d steps, one was allowed", solver, r.Status, r.Steps)
		}
	}
	e, _ := eigenOf(t, x, labels, uniform(1, 9, 2), Settings{Components: 2, Objective: Objective{Shrinkage: FixedShrinkage(0)}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.improve(ctx, uniform(1, 9, 2), 0.1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
