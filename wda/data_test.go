package wda

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// uniform returns numbers between −1 and 1 with the same bits on every machine.
func uniform(seed uint64, r, c int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	m := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			m.Set(i, j, float64(int64(rng.Uint64()))/(1<<63))
		}
	}
	return m
}

// clusters returns samples of the given class sizes around random centres, in
// random order, and their labels 10, 20, ….
func clusters(seed uint64, d int, sizes ...int) (*mat.Dense, []int) {
	var labels []int
	for c, n := range sizes {
		for range n {
			labels = append(labels, 10*(c+1))
		}
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	rng.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	centre := uniform(seed+1, len(sizes), d)
	x := uniform(seed+2, len(labels), d)
	for i, l := range labels {
		for j, v := range centre.RawRowView(l/10 - 1) {
			x.Set(i, j, x.At(i, j)+float64(0.8*v)) // not fused: the same bits everywhere
		}
	}
	return x, labels
}

// parts3 are three classes of unequal sizes.
func parts3(seed uint64, n, d int) (*mat.Dense, []int) {
	return clusters(seed, d, n/2, n/3, n-n/2-n/3)
}

func scaled(f float64, x mat.Matrix) *mat.Dense {
	var y mat.Dense
	y.Scale(f, x)
	return &y
}

func bitsEqual(a, b mat.Matrix) bool {
	r, c := a.Dims()
	if br, bc := b.Dims(); br != r || bc != c {
		return false
	}
	for i := range r {
		for j := range c {
			if math.Float64bits(a.At(i, j)) != math.Float64bits(b.At(i, j)) {
				return false
			}
		}
	}
	return true
}

// mustFit fits and checks that the result is finite and orthonormal.
// fitPinned is Fit with what the settings leave open as the paper has it, so that tests
// of the solver do not depend on, nor wait for, a choice. Those of the choice call Fit.
func fitPinned(ctx context.Context, x mat.Matrix, labels []int, set *Settings) (*Model, error) {
	if set == nil {
		set = new(Settings)
	}
	return Fit(ctx, x, labels, pinned(*set))
}

// pinned returns s with nothing left open.
func pinned(s Settings) *Settings {
	s = s.pinned()
	return &s
}

func mustFit(t testing.TB, x mat.Matrix, labels []int, set *Settings) *Model {
	t.Helper()
	m, err := fitPinned(t.Context(), x, labels, set)
	if err != nil {
		t.Fatal(err)
	}
	checkModel(t, m)
	return m
}

func checkModel(t testing.TB, m *Model) {
	t.Helper()
	if err := checkFinite(context.Background(), m.projection); err != nil {
		t.Fatal(err)
	}
	var g mat.Dense
	g.Mul(m.projection.T(), m.projection)
	_, p := m.Dims()
	for i := range p {
		g.Set(i, i, g.At(i, i)-1)
	}
	if e := mat.Norm(&g, 2); !(e < 1e-12*float64(p)) {
		t.Errorf("‖PᵀP − I‖ = %g", e)
	}
	r := m.Report()
	for _, v := range []float64{r.Objective, r.GradientNorm, r.ValidationError} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("report is not finite: J = %v, |grad| = %v, validation %v", r.Objective, r.GradientNorm, r.ValidationError)
		}
	}
	if math.IsNaN(r.Between) || math.IsNaN(r.Within) || math.IsNaN(r.Ridge) {
		t.Errorf("σ_b², σ_w², ridge = %v, %v, %v", r.Between, r.Within, r.Ridge)
	}
}

func repeated(v, n int) []int { return slices.Repeat([]int{v}, n) }
