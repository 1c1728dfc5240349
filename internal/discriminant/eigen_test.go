package discriminant

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/subspace"
	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// eigenOf returns an eigenvalue iteration for the samples. The projection p determines λ and the ridge.
func eigenOf(t *testing.T, x *mat.Dense, labels []int, p *mat.Dense, set settings) (*eigen[float64], *Samples) {
	t.Helper()
	s := mustSamples(t, x, labels)
	e, err := newEigen(t.Context(), objectiveOf[float64](t, s, set, p), eigenLimit, len(s.Classes))
	if err != nil {
		t.Fatal(err)
	}
	return e, s
}

// TestGoldenEigen compares results with the shared fixtures. It compares C_b and C_w, the ratio
// trace iteration after three steps and at its fixed point, and the maximizer of the trace ratio.
func TestGoldenEigen(t *testing.T) {
	for _, name := range []string{"circles", "bimodal", "bimodal_log", "gauss5", "two1"} {
		if !testdata.IsLong() && name == "bimodal_log" {
			continue
		}
		dir := testdata.Shared(t, "fixtures", name)
		golden := func(what string) *mat.Dense { return mat.NewDense(testdata.CSV(t, filepath.Join(dir, what+".csv"))) }
		var meta struct {
			P, L  int
			Eig3F float64 `json:"f_eig3"`
		}
		testdata.JSON(t, filepath.Join(dir, "meta.json"), &meta)
		var labels []int
		for _, v := range mat.Col(nil, 0, golden("y")) {
			labels = append(labels, int(v))
		}
		p0 := golden("P0")
		e, s := eigenOf(t, golden("X"), labels, p0, settings{components: meta.P, iterations: meta.L, lambda: LambdaRule{Matrix: golden("lam")}})
		if err := e.assembleGraph(t.Context(), p0); err != nil {
			t.Fatal(err)
		}
		cb, cw := e.scatterMatrices(context.Background(), 0)
		cb.Scale(s.ToDataUnits(1), cb)
		cw.Scale(s.ToDataUnits(1), cw)
		for _, c := range []struct {
			name string
			got  *mat.Dense
		}{{"Cb", cb}, {"Cw", cw}} {
			if d := off(c.got, golden(c.name)); !(d <= 1e-11) {
				t.Errorf("%s: %s is off by %.3g of its largest entry", name, c.name, d)
			}
		}
		if meta.Eig3F == 0 {
			continue // the fixtures come from a program without a log domain
		}
		m := stiefel.New(s.D, meta.P)
		near := func(what string, p *mat.Dense, limit float64) {
			t.Helper()
			if d := m.Distance(ctx, p, golden(what)); !(d <= limit) {
				t.Errorf("%s: subspace is %.3g from %s", name, d, what)
			}
		}
		p := mat.DenseCopyOf(p0)
		if err := e.traceRatio(t.Context(), p, 0, eigenBlock); err != nil {
			t.Fatal(err)
		}
		near("P_traceratio1", p, 1e-7)
		p.Copy(p0)
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

// TestEigenBlocks checks that the block iteration for many features gives the same result as the
// dense decomposition.
func TestEigenBlocks(t *testing.T) {
	t.Parallel()
	x, labels := clusters(3, 140, 60, 40, 70)
	p := uniform(5, 140, 3)
	m := stiefel.New(140, 3)
	if _, err := m.Orthonormalize(ctx, p, p); err != nil {
		t.Fatal(err)
	}
	e, _ := eigenOf(t, x, labels, p, settings{components: 3, iterations: 10, lambda: relativeLambda(1), rho: 0.5})
	if e.formsMatrices() {
		t.Fatal("140 features are few: the test shows nothing")
	}
	if err := e.assembleGraph(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	cb, cw := e.scatterMatrices(context.Background(), 0.1)
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
	// Let q be the maximum of the trace ratio. Then the largest trace of a projection of C_b − q C_w is 0.
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

// TestEigenCanceled checks that an iteration returns the cause of a canceled context.
func TestEigenCanceled(t *testing.T) {
	x, labels := parts3(4, 12, 9)
	e, _ := eigenOf(t, x, labels, uniform(1, 9, 2), settings{components: 2, iterations: 10, lambda: relativeLambda(1)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.improve(ctx, uniform(1, 9, 2), 0.1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
