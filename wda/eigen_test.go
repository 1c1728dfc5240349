package wda

import (
	"testing"

	"github.com/gomonge/monge/internal/testdata"
)

// TestEigenSolvers checks that the eigenvalue methods end with a documented status, and that the final objective is
// between the starting value and the best known value.
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

// TestEigenSteps checks that MaxSteps limits the number of steps, and that a singular C_w is not an error.
func TestEigenSteps(t *testing.T) {
	x, labels := parts3(4, 12, 9) // the scatter C_w of 12 samples in 3 classes has at most rank 9
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
}
