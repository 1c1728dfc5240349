package sinkhorn

import (
	"context"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/testdata"
)

// otCase is a test case of the shared fixtures. Its iterates were computed in extended precision.
type otCase struct {
	dir  string
	meta struct {
		N, M   int
		Lam    float64
		Cost   map[int]float64 `json:"-"`
		CostL1 float64         `json:"cost_1"`
		Cost2  float64         `json:"cost_2"`
		Cost10 float64         `json:"cost_10"`
		Cost1C float64         `json:"cost_100"`
		Conv   float64         `json:"cost_conv"`
		Iter   int             `json:"conv_iterations"`
		RelReg float64         `json:"relreg_of_maxM"`
	}
}

var otCases = []string{"ot_reg1e-1", "ot_reg1e-2", "ot_reg1e-3", "ot_reg2e-4"}

func loadOT(t testing.TB, name string) *otCase {
	t.Helper()
	c := &otCase{dir: testdata.Shared(t, "fixtures", name)}
	testdata.JSON(t, filepath.Join(c.dir, "meta.json"), &c.meta)
	c.meta.Cost = map[int]float64{1: c.meta.CostL1, 2: c.meta.Cost2, 10: c.meta.Cost10, 100: c.meta.Cost1C}
	return c
}

// matrix reads a matrix of the test case from a CSV file.
func (c *otCase) matrix(t testing.TB, name string) dist.Matrix[float64] {
	t.Helper()
	return dist.NewMatrix(testdata.CSV(t, filepath.Join(c.dir, name+".csv")))
}

// maxDifference returns the largest |got − want| relative to the largest |want|.
func maxDifference(got, want dist.Matrix[float64]) float64 {
	var diff, size float64
	for i := range want.Rows {
		for j, w := range want.Row(i) {
			d := math.Abs(got.At(i, j) - w)
			if !(d <= diff) {
				diff = d
			}
			size = max(size, math.Abs(w))
		}
	}
	return diff / size
}

func TestGoldenPlans(t *testing.T) {
	for _, name := range otCases {
		c := loadOT(t, name)
		x, y := c.matrix(t, "Xs"), c.matrix(t, "Ys")
		problems := map[string]*Problem[float64]{
			"cost":   {Cost: c.matrix(t, "M"), A: c.matrix(t, "a").Data, B: c.matrix(t, "b").Data, Lambda: c.meta.Lam},
			"points": {X: x, Y: y, A: c.matrix(t, "a").Data, B: c.matrix(t, "b").Data, Lambda: c.meta.Lam},
		}
		for kind, p := range problems {
			for _, iterations := range []int{1, 2, 10, 100} {
				want := c.matrix(t, "T_"+strconv.Itoa(iterations))
				for _, domain := range []Domain{DomainAuto, DomainPlain, DomainLog} {
					s, err := newSolver[float64](&Settings{Iterations: iterations, Domain: domain})
					if err != nil {
						t.Fatal(err)
					}
					r, err := s.Solve(t.Context(), p)
					if domain == DomainPlain && err == errUnderflow {
						continue // scalings may underflow in DomainPlain
					}
					if err != nil {
						t.Fatalf("%s, %s, %d iterations, %v: %v", name, kind, iterations, domain, err)
					}
					got := dist.NewMatrix[float64](c.meta.N, c.meta.M, nil)
					r.PlanTo(t.Context(), got, 0)
					if e := maxDifference(got, want); !(e <= 1e-13) {
						t.Errorf("%s, %s, %d iterations, %v (%v): plan is off by %.3g of its largest entry", name, kind, iterations, domain, r.Domain, e)
					}
					if e := math.Abs(r.Cost/c.meta.Cost[iterations] - 1); !(e <= 1e-12) {
						t.Errorf("%s, %s, %d iterations, %v: cost %v, want %v (%.3g)", name, kind, iterations, domain, r.Cost, c.meta.Cost[iterations], e)
					}
				}
			}
		}
	}
}

// TestGoldenFloat32 checks that float32 results match the plans of the fixtures up to the rounding of λ·cost.
func TestGoldenFloat32(t *testing.T) {
	narrow := func(m dist.Matrix[float64]) dist.Matrix[float32] {
		out := dist.NewMatrix[float32](m.Rows, m.Cols, nil)
		for i, v := range m.Data {
			out.Data[i] = float32(v)
		}
		return out
	}
	for _, name := range otCases {
		c := loadOT(t, name)
		p := &Problem[float32]{Cost: narrow(c.matrix(t, "M")), A: narrow(c.matrix(t, "a")).Data, B: narrow(c.matrix(t, "b")).Data, Lambda: c.meta.Lam}
		for _, iterations := range []int{1, 2, 10, 100} {
			for _, domain := range []Domain{DomainAuto, DomainLog} {
				r := mustSolve(t, Settings{Iterations: iterations, Domain: domain}, p)
				got := dist.NewMatrix[float32](c.meta.N, c.meta.M, nil)
				r.PlanTo(t.Context(), got, 0)
				e, tol := maxDifference(widen(got), c.matrix(t, "T_"+strconv.Itoa(iterations))), math.Max(1e-5, 4e-8/c.meta.RelReg*2)
				if !(e <= tol) {
					t.Errorf("%s, %d iterations, %v (%v): plan is off by %.3g of its largest entry, want %.3g", name, iterations, domain, r.Domain, e, tol)
				}
			}
		}
	}
}

func iterationOf[T dist.Float](r *Result[T]) *iteration[T] { return r.impl.(*outcome[T]).it }

// prepare gives problem p to the solver without solving it.
func prepare[T dist.Float](ctx context.Context, s *solver[T], p *Problem[T]) error {
	s.own.kernelCurrent = true
	if err := s.own.setProblem(p); err != nil {
		return err
	}
	return s.kernel.Transpose(ctx)
}
