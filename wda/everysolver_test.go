package wda

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/testdata"
)

// ownSolvers contains the solvers that are not in package descent.
var ownSolvers = []Method{Eigen{}, Eigen{TraceRatio: true}, MiniBatch{}}

// TestSolversAreDeterministic checks that a fit has the same bits for any number of goroutines and on every instruction
// set.
func TestSolversAreDeterministic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, shape := range []struct{ n, d int }{{90, 9}, {150, 140}} {
		if !testdata.IsLong() && shape.d > 100 {
			continue
		}
		x, labels := clusters(4, shape.d, shape.n/6, shape.n/6, shape.n/3, shape.n/3)
		for i, solver := range ownSolvers {
			for _, f32 := range []bool{false, true} {
				if !testdata.IsLong() && f32 == (i%2 == 0) {
					continue
				}
				set := Settings{Components: 3, Optimizer: Optimizer{Method: reduceIterations(solver), MaxSteps: 3}, Objective: Objective{Float32: f32, Shrinkage: FixedShrinkage(0.1)}}
				var first *Model
				check := func(what string) {
					t.Helper()
					m, err := fitPinned(t.Context(), x, labels, &set)
					if err != nil {
						t.Fatal(err)
					}
					checkModel(t, m)
					if first == nil {
						first = m
					}
					if !bitsEqual(m.projection, first.projection) || m.report.Objective != first.report.Objective || m.report.Steps != first.report.Steps {
						t.Errorf("%v, %v, float32 %v: %s: other bits", shape, solver, f32, what)
					}
				}
				for _, procs := range []int{1, 7} {
					runtime.GOMAXPROCS(procs)
					check(fmt.Sprintf("GOMAXPROCS %d", procs))
				}
				set.Workers = 3
				check("3 workers")
				for level := range asmtest.Each(t) {
					if shape.d > 100 {
						break // the portable instruction-set level is slow
					}
					check(fmt.Sprintf("level %v", level))
				}
			}
		}
	}
}

// countdown is a context that is canceled after a number of calls of Err.
type countdown struct {
	context.Context
	left atomic.Int64 // number of remaining calls
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestSolversCancel checks that a fit stops soon after its context ends, for contexts that end at many different times.
// The fit must return its best model so far, or no model if it has none yet.
func TestSolversCancel(t *testing.T) {
	x, labels := clusters(4, 140, 20, 50, 30)
	for _, solver := range stepping {
		models := 0
		for checks := int64(0); checks < 1<<20; checks = 2*checks + 1 {
			if !testdata.IsLong() && checks > 100 {
				break
			}
			ctx := &countdown{Context: context.Background()}
			ctx.left.Store(checks)
			var last Step
			m, err := fitPinned(ctx, x, labels, &Settings{Components: 3, Optimizer: Optimizer{Method: reduceIterations(solver), MaxSteps: 2}, Workers: 2, Objective: Objective{Float32: true}, Progress: func(p Progress) error {
				last = p.Step
				return nil
			}})
			if m != nil {
				models++
				checkModel(t, m)
				r := m.Report()
				if err != nil && r.Status != StatusCanceled || !(r.Objective >= last.Objective*(1-1e-4)) {
					t.Errorf("%v, after %d checks: %v, J = %v after %v", solver, checks, r.Status, r.Objective, last.Objective)
				}
			}
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) || checks == 0 && m != nil {
				t.Fatalf("%v, after %d checks: model %v, error %v", solver, checks, m != nil, err)
			}
			if more := -ctx.left.Load(); more > 100 {
				t.Errorf("%v checks the context %d times more after the context has ended at check %d", solver, more, checks)
			}
		}
		if models == 0 && testdata.IsLong() {
			t.Errorf("%v: no canceled fit gave a model", solver)
		}
	}
}

// TestThousandClasses checks that the default method and MiniBatch can fit a thousand classes of five samples. These
// classes form half a million pairs of classes.
func TestThousandClasses(t *testing.T) {
	if !testdata.IsLong() {
		t.Skip("about a minute of CPU time: set MONGE_LONG")
	}
	center, x := uniform(3, 1000, 20), uniform(4, 5000, 20)
	labels := make([]int, 5000)
	for i := range labels {
		labels[i] = i % 1000
		for j := range 5 {
			x.Set(i, j, 0.3*x.At(i, j)+2*center.At(labels[i], j))
		}
	}
	auto := mustFit(t, x, labels, &Settings{Components: 5}).Report()
	t.Logf("auto: J = %v after %d steps in %v", auto.Objective, auto.Steps, auto.Elapsed)
	if !auto.Status.Converged() || len(auto.Warnings) > 0 || !(auto.Objective > auto.History[0].Objective) {
		t.Errorf("%v after %d steps, J = %v after %v, warnings %q", auto.Status, auto.Steps, auto.Objective, auto.History[0].Objective, auto.Warnings)
	}
	set := &Settings{Components: 5, Optimizer: Optimizer{Method: MiniBatch{}, MaxSteps: 10}}
	r := mustFit(t, x, labels, set).Report()
	t.Logf("minibatch: J = %v of %d samples after %d steps in %v", r.Objective, r.ObjectiveSamples, r.Steps, r.Elapsed)
	if !(r.Objective > r.History[0].Objective) {
		t.Errorf("J = %v after %v", r.Objective, r.History[0].Objective)
	}
}

// reduceIterations returns the method m, or MiniBatch with smaller batches if m is the default MiniBatch.
func reduceIterations(m Method) Method {
	if m == Method(MiniBatch{}) {
		return MiniBatch{BatchSize: 8}
	}
	return m
}

// stepping contains the iterative methods.
var stepping = Methods()[:7]
