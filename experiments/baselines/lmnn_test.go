package baselines

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// TestLMNNIsMetricLearns checks that our loss function agrees with that of metric-learn, both at the
// start and at the solution of metric-learn. The loss of our solution must be at most 0.1 % larger.
func TestLMNNIsMetricLearns(t *testing.T) {
	x, labels := readSamples(t, "iris")
	f := newMargin(ctx, x, labels, 3, 0.5)
	mine := f.targets
	targets := readMatrix(t, "iris_lmnn_targets")
	f.targets = make([][]int, len(mine))
	for i := range mine {
		for k, j := range targets.RawRowView(i) {
			f.targets[i] = append(f.targets[i], int(j))
			a, b := mat.NewVecDense(4, nil), mat.NewVecDense(4, nil)
			a.SubVec(x.RowView(i), x.RowView(int(j)))
			b.SubVec(x.RowView(i), x.RowView(mine[i][k]))
			if e := mat.Norm(a, 2) - mat.Norm(b, 2); !(math.Abs(e) < 1e-12) {
				t.Errorf("neighbor %d of sample %d is farther than metric-learn's by %v", k, i, e)
			}
		}
	}
	for _, c := range []struct{ at, value string }{{"iris_lmnn_startcomponents", "iris_lmnn_start"}, {"iris_lmnn", "iris_lmnn_end"}} {
		want := readMatrix(t, c.value)
		loss, active := f.value(ctx, nil, readMatrix(t, c.at))
		if e := loss/want.At(0, 0) - 1; !(e < 1e-9 && e > -1e-9) || active != int(want.At(0, 1)) {
			t.Errorf("%s: loss %v with %d active constraints, want %v with %v", c.at, loss, active, want.At(0, 0), want.At(0, 1))
		}
	}
	start, err := components(t.Context(), x, 2)
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.minimize(t.Context(), start, 500)
	if err != nil {
		t.Fatal(err)
	}
	theirs := readMatrix(t, "iris_lmnn_end").At(0, 0)
	ours, _ := f.value(ctx, nil, v)
	t.Logf("loss %.6g, metric-learn's %.6g", ours, theirs)
	if !(ours <= theirs*1.001) {
		t.Errorf("loss %v, metric-learn's is %v", ours, theirs)
	}
}

// TestLMNNGradient checks the gradient at a point between the kinks of the loss. Around such a
// point the loss is quadratic, so central differences are exact up to rounding.
func TestLMNNGradient(t *testing.T) {
	data := dataset.Simulation{NoiseDims: 3, Seed: 8}.Generate(40)
	f := newMargin(ctx, data.X, data.Labels, 3, 0.3)
	rng := rand.New(rand.NewPCG(1, 9))
	p := mat.NewDense(5, 2, nil)
	for i := range 5 {
		for j := range 2 {
			p.Set(i, j, rng.NormFloat64()/2)
		}
	}
	grad := mat.NewDense(5, 2, nil)
	if _, active := f.value(ctx, grad, p); active < 10 {
		t.Fatalf("only %d active constraints", active)
	}
	e := gradientError(p, grad, 1e-7, func(p *mat.Dense) float64 { v, _ := f.value(ctx, nil, p); return v })
	if !(e < 1e-6) {
		t.Errorf("gradient is off by %.3g", e)
	}
}
