package wda

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/discriminant/wdatest"

	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

var (
	uniform     = wdatest.Uniform
	clusters    = wdatest.Clusters
	parts3      = wdatest.Parts3
	bitsEqual   = wdatest.BitsEqual
	off         = wdatest.Off
	absOf       = wdatest.Magnitudes
	relative    = wdatest.Relative
	manyClasses = wdatest.ManyClasses
	stretched   = wdatest.Stretched
)

func scaledMatrix(f float64, x mat.Matrix) *mat.Dense {
	var y mat.Dense
	y.Scale(f, x)
	return &y
}

// fitPinned calls Fit with the paper's values for unset settings. Tests of the solvers use fitPinned, so they do not
// depend on the automatic choice of settings.
func fitPinned(ctx context.Context, x mat.Matrix, labels []int, set *Settings) (*Model, error) {
	if set == nil {
		set = new(Settings)
	}
	return Fit(ctx, x, labels, paperSettings(*set))
}

// paperSettings returns s with the paper's values for unset settings.
func paperSettings(s Settings) *Settings {
	s = s.withPaperDefaults()
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

// withPaperDefaults fills unset settings with fixed values: no mixture, no whitening and orthonormal
// components, as in the paper, and the λ and ρ of Objective.withFixedDefaults.
func (s Settings) withPaperDefaults() Settings {
	s.Mixture = NoMixture()
	s.Objective = s.Objective.withFixedDefaults()
	if s.Data.Whitening.IsAuto() {
		s.Data.Whitening = NoWhitening()
	}
	if s.Scale == ScaleAuto {
		s.Scale = ScaleOrthonormal
	}
	return s
}
