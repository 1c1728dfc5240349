package wda

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// golden is a test case whose values were computed by the Python packages POT and autograd in float64. Its objective f
// is σ_w²/σ_b² = 1/J.
type golden struct {
	name     string
	x, p0    *mat.Dense
	y        []int
	settings Settings
	meta     struct {
		P      int
		L      int
		F0     float64 `json:"f0_f64"`
		J0     float64 `json:"J0_f64"`
		Within float64 `json:"loss_w0"`
		Betw   float64 `json:"loss_b0"`
		PotF   float64 `json:"pot_final_f_in_f64"`
		OptF   float64 `json:"opt_f"`
		BestF  float64 `json:"best_known_f"`
		Eig3F  float64 `json:"f_eig3"`
	}
	dir string
}

var goldenCases = []string{"circles", "bimodal", "bimodal_log", "gauss5", "two1"}

func loadGolden(t testing.TB, name string) *golden {
	t.Helper()
	g := &golden{name: name, dir: testdata.Shared(t, "fixtures", name)}
	testdata.JSON(t, filepath.Join(g.dir, "meta.json"), &g.meta)
	g.x, g.p0 = g.matrix(t, "X"), g.matrix(t, "P0")
	for _, v := range mat.Col(nil, 0, g.matrix(t, "y")) {
		g.y = append(g.y, int(v))
	}
	g.settings = Settings{
		Components: g.meta.P,
		Objective:  Objective{Iterations: g.meta.L, Lambda: LambdaMatrix(g.matrix(t, "lam")), Shrinkage: FixedShrinkage(0)},
		Optimizer:  Optimizer{Init: g.p0},
	}
	return g
}

func (g *golden) matrix(t testing.TB, name string) *mat.Dense {
	t.Helper()
	return mat.NewDense(testdata.CSV(t, filepath.Join(g.dir, name+".csv")))
}

func TestGoldenObjective(t *testing.T) {
	t.Parallel()
	for _, name := range goldenCases {
		for _, f32 := range []bool{false, true} {
			g := loadGolden(t, name)
			value, gradient := 1e-12, 1e-10
			if f32 {
				value, gradient = 1e-5, 1e-5
				if name == "bimodal_log" {
					// The exponents λM are in the hundreds, so half an ulp of an exponent is a large relative error of
					// the transport plan.
					value, gradient = 3e-5, 1e-4
				}
			}
			g.settings.Objective.Float32 = f32
			s, err := Score(t.Context(), g.x, g.y, g.p0, &Scoring{Objective: g.settings.Objective})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range []struct {
				what      string
				got, want float64
			}{{"J", s.Objective, g.meta.J0}, {"σ_b²", s.Between, g.meta.Betw}, {"σ_w²", s.Within, g.meta.Within}} {
				if e := relative(v.got, v.want); !(e <= value) {
					t.Errorf("%s, float32 %v: %s = %v, want %v (%.2g)", name, f32, v.what, v.got, v.want, e)
				}
			}
			if e := off(s.Gradient, g.matrix(t, "grad_J")); !(e <= gradient) {
				t.Errorf("%s, float32 %v: gradient of J is off by %.3g of its largest entry", name, f32, e)
			}
			// The Riemannian gradient of f = 1/J is −f² times the gradient of J.
			var want mat.Dense
			want.Scale(-1/(g.meta.F0*g.meta.F0), g.matrix(t, "rgrad_f"))
			if e := relative(s.GradientNorm, mat.Norm(&want, 2)); !(e <= 10*gradient) {
				t.Errorf("%s, float32 %v: norm of the Riemannian gradient %v, want %v", name, f32, s.GradientNorm, mat.Norm(&want, 2))
			}
		}
	}
}

// TestGoldenFits checks that every solver finds the optimum of the cases circles and two1 from the stored starting
// point. In the other cases, Auto must find the best known objective, or be no worse than POT.
func TestGoldenFits(t *testing.T) {
	for _, name := range goldenCases {
		for _, solver := range []Method{Auto{}, ConjugateGradient{}, SteepestDescent{}, ProjectedGradient{}} {
			if !testdata.IsLong() && (solver != Method(Auto{}) || name == "bimodal_log") {
				continue
			}
			g := loadGolden(t, name)
			g.settings.Optimizer.Method, g.settings.Optimizer.Tolerance, g.settings.Optimizer.MaxSteps = solver, 1e-8, 2000
			m, err := fitPinned(context.Background(), g.x, g.y, &g.settings)
			if err != nil {
				t.Fatal(err)
			}
			r := m.Report()
			f := 1 / r.Objective
			t.Logf("%s, %v: f = %.12g (POT %.12g, optimum %.12g, best known %.12g), |grad J| %.2g, %d steps, %d+%d evaluations, %v",
				name, solver, f, g.meta.PotF, g.meta.OptF, g.meta.BestF, r.GradientNorm, r.Steps, r.Evaluations.Values, r.Evaluations.Gradients, r.Status)
			if name == "circles" || name == "two1" {
				if !(relative(f, g.meta.BestF) <= 1e-9) {
					t.Errorf("%s, %v: f = %v, the optimum is %v", name, solver, f, g.meta.BestF)
				}
				if d := stiefel.New(g.x.RawMatrix().Cols, g.meta.P).Distance(ctx, m.Projection(), g.matrix(t, "P_opt")); !(d <= 1e-5) {
					t.Errorf("%s, %v: subspace is %.3g from the optimum", name, solver, d)
				}
			} else if solver == Method(Auto{}) && g.meta.BestF > 0 && !(f <= g.meta.BestF*(1+1e-6)) {
				t.Errorf("%s, %v: f = %v, the best known is %v", name, solver, f, g.meta.BestF)
			} else if solver == Method(Auto{}) && !(f <= g.meta.PotF) {
				t.Errorf("%s, %v: f = %v is worse than POT's %v", name, solver, f, g.meta.PotF)
			}
		}
	}
}

// TestAutoFromAnywhere checks that Auto finds the best optimum of the circles data from every random starting point.
// Plain gradient methods find this optimum from only a few starting points.
func TestAutoFromAnywhere(t *testing.T) {
	g := loadGolden(t, "circles")
	m := stiefel.New(10, 2)
	starts := uint64(24)
	if !testdata.IsLong() {
		starts = 3
	}
	for seed := range starts {
		p := mat.NewDense(10, 2, nil)
		m.Random(ctx, p, rand.New(rand.NewPCG(seed, 0)))
		g.settings.Optimizer.Init = p
		fit, err := fitPinned(t.Context(), g.x, g.y, &g.settings)
		if err != nil {
			t.Fatal(err)
		}
		if f := 1 / fit.Report().Objective; !(f <= g.meta.BestF*(1+1e-6)) {
			t.Errorf("random start %d: f = %v, the best known is %v", seed, f, g.meta.BestF)
		}
	}
}
