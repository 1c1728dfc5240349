package descent_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/stiefel"
)

var ctx = context.Background()

var (
	_ descent.Manifold = (*stiefel.Manifold)(nil)
	_ descent.Manifold = descent.Euclidean{}
)

var (
	_ descent.Reverser = (*brockett)(nil)
	_ descent.Reverser = (*ratio)(nil)
)

var methods = []descent.Method{descent.ConjugateGradient, descent.SteepestDescent, descent.ProjectedGradient, descent.LBFGS}

func forMethods(t *testing.T, f func(t *testing.T, method descent.Method)) {
	t.Helper()
	for _, method := range methods {
		t.Run(method.String(), func(t *testing.T) { f(t, method) })
	}
}

// minimize runs Minimize and checks its result with checkResult.
func minimize(t *testing.T, f descent.Problem, m *stiefel.Manifold, start *mat.Dense, s *descent.Settings) *descent.Result {
	t.Helper()
	r, err := descent.Minimize(t.Context(), f, m, start, s)
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, f, m, r, s)
	return r
}

func checkResult(t *testing.T, f descent.Problem, m *stiefel.Manifold, r *descent.Result, s *descent.Settings) {
	t.Helper()
	_, p := m.Dims()
	if got, limit := m.Infeasibility(ctx, r.Point), 2e-15*math.Sqrt(float64(p)); !(got <= limit) {
		t.Errorf("‖PᵀP − I‖ = %.3g", got)
	}
	var grad mat.Dense
	grad.ReuseAs(m.Dims())
	value, err := f.Evaluate(r.Point, &grad)
	if err != nil || value != r.Value {
		t.Errorf("value at the point is %v, error %v; result says %v", value, err, r.Value)
	}
	m.Tangent(ctx, &grad, r.Point, &grad)
	if norm := math.Sqrt(m.Inner(r.Point, &grad, &grad)); norm != r.GradientNorm {
		t.Errorf("gradient norm at the point is %v, result says %v", norm, r.GradientNorm)
	}
	if len(r.History) != r.Steps+1 || r.Status == descent.NotTerminated {
		t.Errorf("%d steps, %d in History, status %v", r.Steps, len(r.History), r.Status)
	}
	noise := 1e-12
	if s != nil && s.Noise != 0 {
		noise = max(s.Noise, 0)
	}
	lowest := math.Inf(1)
	for k, step := range r.History {
		if step.Index != k {
			t.Errorf("step %d has Index %d", k, step.Index)
		}
		if !(step.Value <= lowest+1.01*noise*math.Abs(lowest)) && k > 0 {
			t.Errorf("step %d: value %v after %v", k, step.Value, lowest)
		}
		lowest = min(lowest, step.Value)
		if k > 0 && !(step.StepSize > 0 && step.StepLength > 0) {
			t.Errorf("step %d: size %v, length %v", k, step.StepSize, step.StepLength)
		}
	}
	last := r.History[r.Steps]
	if last.Value != r.Value || last.GradientNorm != r.GradientNorm {
		t.Error("History does not end with the result")
	}
}

func relativeGradient(r *descent.Result) float64 { return r.GradientNorm / r.History[0].GradientNorm }

func TestTraceMinimization(t *testing.T) {
	for _, c := range []struct{ d, p int }{{10, 1}, {10, 3}, {31, 4}} {
		rnd := rand.New(rand.NewPCG(uint64(c.d), uint64(c.p)))
		f := &brockett{a: spectrum(linspace(1, 5, c.d), rnd), n: ones(c.p)}
		want, value := eigenvectors(f.a, f.n)
		m := stiefel.New(c.d, c.p)
		t.Run(fmt.Sprintf("d=%d/p=%d", c.d, c.p), func(t *testing.T) {
			forMethods(t, func(t *testing.T, method descent.Method) {
				r := minimize(t, f, m, start(m, 3), &descent.Settings{Method: method, MaxSteps: 3000, GradientTolerance: 1e-9})
				if r.Status != descent.GradientTolerance || relativeGradient(r) > 1e-9 {
					t.Errorf("%v after %d steps, gradient %.2g", r.Status, r.Steps, relativeGradient(r))
				}
				if math.Abs(r.Value-value) > 2e-14*value {
					t.Errorf("value %v, want %v", r.Value, value)
				}
				if got := m.Distance(ctx, r.Point, want); got > 1e-7 {
					t.Errorf("subspace is off by %.3g", got)
				}
			})
		})
	}
}

func TestBrockett(t *testing.T) {
	for _, c := range []struct{ d, p int }{{12, 1}, {12, 4}, {6, 6}, {2, 2}} {
		rnd := rand.New(rand.NewPCG(uint64(c.d), uint64(c.p)))
		f := &brockett{a: spectrum(linspace(1, 6, c.d), rnd), n: linspace(float64(c.p), 1, c.p)}
		want, value := eigenvectors(f.a, f.n)
		m := stiefel.New(c.d, c.p)
		t.Run(fmt.Sprintf("d=%d/p=%d", c.d, c.p), func(t *testing.T) {
			forMethods(t, func(t *testing.T, method descent.Method) {
				r := minimize(t, f, m, start(m, 5), &descent.Settings{Method: method, MaxSteps: 3000, GradientTolerance: 1e-9})
				if !r.Status.Converged() || math.Abs(r.Value-value) > 2e-14*value {
					t.Errorf("%v, value %v, want %v", r.Status, r.Value, value)
				}
				for j := range c.p { // each column is an eigenvector, up to its sign
					if got := math.Abs(mat.Dot(r.Point.ColView(j), want.ColView(j))); math.Abs(got-1) > 1e-13 {
						t.Errorf("column %d: cosine %v", j, got)
					}
				}
			})
		})
	}
}

func TestProcrustes(t *testing.T) {
	for _, c := range []struct{ d, p int }{{9, 1}, {20, 6}, {40, 3}} {
		rnd := rand.New(rand.NewPCG(uint64(c.d), uint64(c.p)))
		f := &linear{gaussianMatrix(c.d, c.p, rnd)}
		m := stiefel.New(c.d, c.p)
		var want, diff mat.Dense
		if err := m.Project(ctx, &want, f.c); err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprintf("d=%d/p=%d", c.d, c.p), func(t *testing.T) {
			forMethods(t, func(t *testing.T, method descent.Method) {
				r := minimize(t, f, m, start(m, 1), &descent.Settings{Method: method, GradientTolerance: 1e-10})
				diff.Sub(r.Point, &want)
				if got := mat.Norm(&diff, 2); !r.Status.Converged() || got > 1e-9 {
					t.Errorf("%v after %d steps, off by %.3g", r.Status, r.Steps, got)
				}
			})
		})
	}
}

func TestTraceRatio(t *testing.T) {
	for _, p := range []int{1, 3} {
		rnd := rand.New(rand.NewPCG(6, uint64(p)))
		f := &ratio{w: spectrum(linspace(0.5, 3, 20), rnd), b: spectrum(linspace(0.1, 5, 20), rnd)}
		want, value := bestRatio(f.w, f.b, p)
		m := stiefel.New(20, p)
		t.Run(fmt.Sprintf("p=%d", p), func(t *testing.T) {
			forMethods(t, func(t *testing.T, method descent.Method) {
				r := minimize(t, f, m, start(m, 2), &descent.Settings{Method: method, MaxSteps: 3000, GradientTolerance: 1e-9})
				if r.Status != descent.GradientTolerance || math.Abs(r.Value-value) > 1e-14 || m.Distance(ctx, r.Point, want) > 1e-7 {
					t.Errorf("%v after %d steps: value %v, want %v; subspace off by %.3g", r.Status, r.Steps, r.Value, value, m.Distance(ctx, r.Point, want))
				}
			})
		})
	}
}

// TestMaximize minimizes −f.
func TestMaximize(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	values := linspace(1, 4, 15)
	a := spectrum(values, rnd)
	minus := mat.NewSymDense(15, nil)
	minus.ScaleSym(-1, a)
	m := stiefel.New(15, 2)
	r := minimize(t, &brockett{a: minus, n: ones(2)}, m, start(m, 1), &descent.Settings{GradientTolerance: 1e-9})
	if want := -(values[14] + values[13]); math.Abs(r.Value-want) > 1e-13 {
		t.Errorf("value %v, want %v", r.Value, want)
	}
}

// TestIllConditioned minimizes a function with condition number 3·10³ and requires a relative
// gradient below 1e-10. The value stops changing long before the gradient is that small, so only
// the approximate Armijo condition can accept the last steps.
func TestIllConditioned(t *testing.T) {
	m := stiefel.New(40, 3)
	for seed := range uint64(2) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		f := &brockett{a: spectrum(logspace(1, 1e3, 40), rnd), n: ones(3)}
		_, value := eigenvectors(f.a, f.n)
		s := descent.Settings{MaxSteps: 2000, GradientTolerance: 1e-10}
		r := minimize(t, f, m, start(m, seed), &s)
		if r.Status != descent.GradientTolerance || relativeGradient(r) > 1e-10 || math.Abs(r.Value-value) > 1e-12*value {
			t.Errorf("seed %d: %v after %d steps, gradient %.2g, value %v, want %v", seed, r.Status, r.Steps, relativeGradient(r), r.Value, value)
		}
		// Steepest descent makes little progress in the same number of steps.
		s.Method, s.MaxSteps = descent.SteepestDescent, r.Steps
		if slow := minimize(t, f, m, start(m, seed), &s); relativeGradient(slow) < 1e3*relativeGradient(r) {
			t.Errorf("steepest descent has gradient %.2g after %d steps", relativeGradient(slow), slow.Steps)
		}
	}
}

// noisy adds a relative error of up to 1e-7 to the value of a problem. The error depends only on
// the point.
type noisy struct{ descent.Problem }

func (f noisy) Evaluate(p, grad *mat.Dense) (float64, error) {
	value, err := f.Problem.Evaluate(p, grad)
	rnd := rand.New(rand.NewPCG(math.Float64bits(value), math.Float64bits(p.At(0, 0))))
	return value * (1 + 1e-7*(2*rnd.Float64()-1)), err
}

func TestNoise(t *testing.T) {
	m := stiefel.New(20, 2)
	rnd := rand.New(rand.NewPCG(1, 8))
	f := noisy{&brockett{a: spectrum(linspace(1, 10, 20), rnd), n: ones(2)}}
	s := descent.Settings{GradientTolerance: 1e-8, Noise: 1e-6, MaxSteps: 500}
	if r := minimize(t, f, m, start(m, 1), &s); r.Status != descent.GradientTolerance {
		t.Errorf("with Noise: %v after %d steps, gradient %.2g", r.Status, r.Steps, relativeGradient(r))
	}
	s.Noise = -1
	if r := minimize(t, f, m, start(m, 1), &s); r.Status == descent.GradientTolerance {
		t.Errorf("without Noise: %v after %d steps, gradient %.2g: the test tests nothing", r.Status, r.Steps, relativeGradient(r))
	}
}

// TestBadRegion uses a problem that returns an error or a wrong value at every point that is worse
// than the start. Steps that are too long lead to such points. The minimizer must still converge.
func TestBadRegion(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	good := &brockett{a: spectrum(linspace(1, 5, 12), rnd), n: []float64{2, 1}}
	_, want := eigenvectors(good.a, good.n)
	m := stiefel.New(12, 2)
	x := start(m, 7)
	limit, _ := good.Evaluate(x, nil)
	broken := errors.New("broken")
	for name, how := range map[string]func(*mat.Dense) (float64, error){
		"NaN":   func(*mat.Dense) (float64, error) { return math.NaN(), nil },
		"Inf":   func(*mat.Dense) (float64, error) { return math.Inf(1), nil },
		"-Inf":  func(*mat.Dense) (float64, error) { return math.Inf(-1), nil },
		"error": func(*mat.Dense) (float64, error) { return 0, broken },
		"gradient": func(g *mat.Dense) (float64, error) {
			g.Set(3, 1, math.NaN())
			return -1e9, nil
		},
		"huge": func(g *mat.Dense) (float64, error) {
			g.Set(3, 1, math.MaxFloat64)
			return -math.MaxFloat64, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			forMethods(t, func(t *testing.T, method descent.Method) {
				f := &failing{Problem: good, respond: how, isBad: func(p *mat.Dense) bool {
					v, _ := good.Evaluate(p, nil)
					return v > limit
				}}
				s := descent.Settings{Method: method, MaxSteps: 3000, GradientTolerance: 1e-8, InitialStep: 50}
				r := minimize(t, f, m, x, &s)
				if !r.Status.Converged() || math.Abs(r.Value-want) > 1e-12 {
					t.Errorf("%v after %d steps: value %v, want %v", r.Status, r.Steps, r.Value, want)
				}
				if f.failures == 0 && method != descent.ProjectedGradient {
					t.Error("the bad region was never met")
				}
			})
		})
	}
}

func TestEvaluationFails(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	good := &brockett{a: spectrum(linspace(1, 5, 12), rnd), n: []float64{2, 1}}
	m := stiefel.New(12, 2)
	broken := errors.New("broken")
	forMethods(t, func(t *testing.T, method descent.Method) {
		for _, want := range []error{broken, nil} {
			// After three steps every evaluation returns an error or NaN.
			over, seen := false, new(mat.Dense)
			f := &failing{
				Problem: good,
				isBad:   func(*mat.Dense) bool { return over },
				respond: func(*mat.Dense) (float64, error) { return math.NaN(), want },
			}
			s := &descent.Settings{Method: method, Progress: func(step descent.Step, p *mat.Dense) error {
				over = step.Index == 3
				seen.CloneFrom(p)
				return nil
			}}
			r, err := descent.Minimize(t.Context(), f, m, start(m, 1), s)
			over = false
			if r == nil || r.Status != descent.EvaluationFailed || r.Steps != 3 || err == nil || want != nil && !errors.Is(err, want) {
				t.Fatalf("result %+v, error %v", r, err)
			}
			checkResult(t, f, m, r, s)
			if !mat.Equal(r.Point, seen) {
				t.Error("not the last good iterate")
			}
		}
	})
}

// TestShortStepIsKept checks that the line search accepts its first, short trial step if all longer
// steps fail.
func TestShortStepIsKept(t *testing.T) {
	m := stiefel.New(9, 2)
	f := &linear{gaussianMatrix(9, 2, rand.New(rand.NewPCG(1, 1)))}
	calls := 0
	bad := &failing{Problem: f, isBad: func(*mat.Dense) bool { calls++; return calls > 2 },
		respond: func(*mat.Dense) (float64, error) { return math.NaN(), nil }}
	s := &descent.Settings{InitialStep: 1e-3}
	r, err := descent.Minimize(t.Context(), bad, m, start(m, 1), s)
	if r == nil || r.Status != descent.EvaluationFailed || err == nil || r.Steps != 1 || math.Abs(r.History[1].StepLength-1e-3) > 1e-15 {
		t.Fatalf("result %+v, error %v", r, err)
	}
	checkResult(t, f, m, r, s)
}

// TestRestart checks that conjugate gradient restarts with steepest descent when a line search
// fails.
func TestRestart(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	f := &brockett{a: spectrum(linspace(1, 5, 12), rnd), n: []float64{2, 1}}
	m := stiefel.New(12, 2)
	failures := 0
	bad := &failing{Problem: f, isBad: func(*mat.Dense) bool { failures--; return failures >= 0 },
		respond: func(*mat.Dense) (float64, error) { return math.NaN(), nil }}
	s := &descent.Settings{MaxTrials: 4, Progress: func(step descent.Step, _ *mat.Dense) error {
		if step.Index == 2 {
			failures = 4
		}
		return nil
	}}
	r := minimize(t, bad, m, start(m, 1), s)
	if !r.Status.Converged() {
		t.Errorf("%v after %d steps", r.Status, r.Steps)
	}
	s.Progress = nil
	undisturbed := minimize(t, f, m, start(m, 1), s)
	for k, restart := range []bool{false, true, false, true} {
		if r.History[k].Restart != restart || undisturbed.History[k].Restart != (k == 1) {
			t.Errorf("step %d: Restart is %v, undisturbed %v", k, r.History[k].Restart, undisturbed.History[k].Restart)
		}
	}
}

// rising is a problem whose value grows at every evaluation by less than Settings.Noise allows.
type rising struct {
	descent.Problem
	extra, by float64
}

func (f *rising) Evaluate(p, grad *mat.Dense) (float64, error) {
	value, err := f.Problem.Evaluate(p, grad)
	f.extra += f.by
	return value + f.extra, err
}

// TestNoiseDoesNotAccumulate checks that many increases of the value, each within Settings.Noise,
// do not add up.
func TestNoiseDoesNotAccumulate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	m := stiefel.New(12, 2)
	f := &rising{Problem: &brockett{a: spectrum(linspace(1, 5, 12), rnd), n: []float64{2, 1}}, by: 1e-7}
	r, err := descent.Minimize(t.Context(), f, m, start(m, 1), &descent.Settings{Noise: 1e-6, GradientTolerance: 1e-13})
	if err != nil {
		t.Fatal(err)
	}
	lowest := math.Inf(1)
	for _, step := range r.History {
		lowest = min(lowest, step.Value)
	}
	if r.Value > lowest*(1+1.01e-6) {
		t.Errorf("%v: value %v after %v", r.Status, r.Value, lowest)
	}
}

func TestStartErrors(t *testing.T) {
	m := stiefel.New(5, 2)
	x := start(m, 1)
	always := func(*mat.Dense) bool { return true }
	good := &diagonal{a: linspace(1, 2, 5), n: ones(2)}
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		f     descent.Problem
		start *mat.Dense
		err   error
	}{
		"NaN":      {&failing{good, always, func(*mat.Dense) (float64, error) { return math.NaN(), nil }, 0}, x, nil},
		"Inf":      {&failing{good, always, func(*mat.Dense) (float64, error) { return math.Inf(-1), nil }, 0}, x, nil},
		"error":    {&failing{good, always, func(*mat.Dense) (float64, error) { return 0, broken }, 0}, x, broken},
		"gradient": {&failing{good, always, func(g *mat.Dense) (float64, error) { g.Set(0, 0, math.NaN()); return 1, nil }, 0}, x, nil},
		"off":      {good, mat.NewDense(5, 2, []float64{1, 0, 0, 1, 0.1, 0, 0, 0, 0, 0}), nil},
		"NaN off":  {good, mat.NewDense(5, 2, []float64{1, 0, 0, 1, math.NaN(), 0, 0, 0, 0, 0}), nil},
	} {
		r, err := descent.Minimize(t.Context(), c.f, m, c.start, nil)
		var e *descent.StartError
		if r != nil || !errors.As(err, &e) {
			t.Errorf("%s: result %v, error %v", name, r, err)
			continue
		}
		if c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: %v does not wrap %v", name, err, c.err)
		}
		if strings.HasSuffix(name, "off") != strings.Contains(err.Error(), "manifold") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPanics(t *testing.T) {
	m := stiefel.New(5, 2)
	f := &diagonal{a: linspace(1, 2, 5), n: ones(2)}
	for name, run := range map[string]func(){
		"shape":  func() { _, _ = descent.Minimize(t.Context(), f, m, mat.NewDense(2, 5, nil), nil) },
		"method": func() { _, _ = descent.Minimize(t.Context(), f, m, start(m, 1), &descent.Settings{Method: 4}) },
		"NaN": func() {
			_, _ = descent.Minimize(t.Context(), f, m, start(m, 1), &descent.Settings{GradientTolerance: math.NaN()})
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if _, ok := recover().(string); !ok {
					t.Error("no panic with a constant string")
				}
			}()
			run()
		})
	}
}

func TestCancel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	good := &brockett{a: spectrum(linspace(1, 5, 12), rnd), n: []float64{2, 1}}
	m := stiefel.New(12, 2)
	x := start(m, 4)
	reason := errors.New("enough")

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	if r, err := descent.Minimize(ctx, good, m, x, nil); r != nil || !errors.Is(err, reason) {
		t.Errorf("canceled before: result %v, error %v", r, err)
	}

	forMethods(t, func(t *testing.T, method descent.Method) {
		settings := &descent.Settings{Method: method, GradientTolerance: 1e-9, MaxSteps: 500}
		full := minimize(t, good, m, x, settings)
		for _, number := range []int{1, 2, 7, 10} {
			// Cancel the context during the first, second, seventh or tenth evaluation. If returnsError
			// is set, this evaluation also returns the error of the context, unless it is the first.
			for _, returnsError := range []bool{false, true} {
				ctx, cancel := context.WithCancelCause(t.Context())
				calls := 0
				f := &failing{Problem: good, isBad: func(*mat.Dense) bool {
					if calls++; calls == number {
						cancel(reason)
						return returnsError && number > 1
					}
					return false
				}, respond: func(*mat.Dense) (float64, error) { return 0, ctx.Err() }}
				r, err := descent.Minimize(ctx, f, m, x, settings)
				if r == nil || r.Status != descent.Canceled || !errors.Is(err, reason) {
					t.Fatalf("after %d: result %+v, error %v", number, r, err)
				}
				if calls != number {
					t.Errorf("%d evaluations after the context was done", calls-number)
				}
				checkResult(t, good, m, r, settings)
				for k, step := range r.History {
					if step.Value != full.History[k].Value {
						t.Errorf("after %d: step %d differs from the uncanceled run", number, k)
					}
				}
			}
		}
	})

	// The problem returns a deadline error while the context of Minimize is still active.
	calls := 0
	f := &failing{Problem: good, isBad: func(*mat.Dense) bool { calls++; return calls > 5 },
		respond: func(*mat.Dense) (float64, error) { return 0, fmt.Errorf("evaluate: %w", context.DeadlineExceeded) }}
	r, err := descent.Minimize(t.Context(), f, m, x, nil)
	if r == nil || r.Status != descent.Canceled || !errors.Is(err, context.DeadlineExceeded) || calls != 6 {
		t.Errorf("result %+v, error %v, %d calls", r, err, calls)
	}
}

func TestProgress(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	f := &brockett{a: spectrum(linspace(1, 5, 12), rnd), n: []float64{2, 1}}
	m := stiefel.New(12, 2)
	forMethods(t, func(t *testing.T, method descent.Method) {
		for _, stop := range []error{descent.ErrStop, fmt.Errorf("held-out error rises: %w", descent.ErrStop), errors.New("disk full")} {
			var steps []descent.Step
			var last mat.Dense
			s := &descent.Settings{Method: method, Progress: func(step descent.Step, p *mat.Dense) error {
				steps = append(steps, step)
				last.CloneFrom(p)
				if step.Index == 4 {
					return stop
				}
				return nil
			}}
			r, err := descent.Minimize(t.Context(), f, m, start(m, 1), s)
			if r == nil || r.Status != descent.Stopped || r.Steps != 4 {
				t.Fatalf("result %+v, error %v", r, err)
			}
			if planned := errors.Is(stop, descent.ErrStop); planned && err != nil || !planned && err != stop {
				t.Errorf("error %v for %v", err, stop)
			}
			checkResult(t, f, m, r, s)
			if !slices.Equal(steps, r.History) || !mat.Equal(&last, r.Point) {
				t.Error("Progress saw something else")
			}
		}
	})
}

func TestTolerances(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	f := &brockett{a: spectrum(linspace(1, 5, 12), rnd), n: []float64{2, 1}}
	m := stiefel.New(12, 2)
	x := start(m, 1)
	const off = -1
	run := func(s descent.Settings) *descent.Result { t.Helper(); return minimize(t, f, m, x, &s) }

	if r := minimize(t, f, m, x, nil); r.Status != descent.GradientTolerance || relativeGradient(r) > 1e-6 || relativeGradient(r) < 1e-9 {
		t.Errorf("defaults: %v, gradient %.2g", r.Status, relativeGradient(r))
	}
	if r := run(descent.Settings{MaxSteps: 3}); r.Status != descent.MaxSteps || r.Steps != 3 || r.Status.Converged() {
		t.Errorf("MaxSteps: %v after %d", r.Status, r.Steps)
	}
	if r := run(descent.Settings{GradientTolerance: off, GradientAbsolute: 1e-3}); r.Status != descent.GradientTolerance ||
		r.GradientNorm > 1e-3 || r.History[r.Steps-1].GradientNorm <= 1e-3 {
		t.Errorf("GradientAbsolute: %v, %v", r.Status, r.GradientNorm)
	}
	if r := run(descent.Settings{GradientTolerance: off, GradientToValue: 1e-2}); r.Status != descent.GradientTolerance ||
		r.GradientNorm > 1e-2*r.Value || r.History[r.Steps-1].GradientNorm <= 1e-2*r.History[r.Steps-1].Value {
		t.Errorf("GradientToValue: %v, %v", r.Status, r.GradientNorm)
	}
	if r := run(descent.Settings{StepTolerance: 1e-3}); r.Status != descent.StepTolerance || r.History[r.Steps].StepLength >= 1e-3 {
		t.Errorf("StepTolerance: %v", r.Status)
	}
	// The status is FunctionTolerance after the first three successive small decreases. A single small
	// decrease, which SteepestDescent makes here, does not stop the minimization.
	zigzag := &brockett{a: spectrum(logspace(1, 100, 12), rnd), n: []float64{2, 1}}
	for _, tolerance := range []float64{1e-1, 1e-2, 1e-3, 1e-5} {
		r := minimize(t, zigzag, m, x, &descent.Settings{Method: descent.SteepestDescent, MaxSteps: 1000, FunctionTolerance: tolerance})
		inRow, stop := 0, 0
		for k := 1; k <= r.Steps && stop == 0; k++ {
			inRow++
			if r.History[k-1].Value-r.History[k].Value > tolerance*r.History[k].Value {
				inRow = 0
			}
			if inRow == 3 {
				stop = k
			}
		}
		if r.Status != descent.FunctionTolerance || r.Steps != stop {
			t.Errorf("FunctionTolerance %g: %v after %d steps, want %d", tolerance, r.Status, r.Steps, stop)
		}
	}

	// Without tolerances, the minimization continues until rounding errors prevent progress. The
	// gradient must then be small.
	for _, method := range methods {
		r := run(descent.Settings{Method: method, MaxSteps: off, GradientTolerance: off, StepTolerance: off})
		if r.Status != descent.LineSearchFailed && r.Status != descent.Stalled && r.Status != descent.GradientTolerance || relativeGradient(r) > 1e-11 {
			t.Errorf("%v with tolerances off: %v after %d steps, gradient %.2g", method, r.Status, r.Steps, relativeGradient(r))
		}
	}

	// The start is a minimum.
	want, _ := eigenvectors(f.a, f.n)
	if r := minimize(t, f, m, want, &descent.Settings{GradientAbsolute: 1e-12}); r.Steps != 0 || r.Evaluations.Values != 1 {
		t.Errorf("from the minimum: %d steps, %v", r.Steps, r.Evaluations)
	}
	// The manifold has dimension 0.
	one := stiefel.New(1, 1)
	if r := minimize(t, &linear{mat.NewDense(1, 1, []float64{2})}, one, mat.NewDense(1, 1, []float64{1}), nil); r.Status != descent.GradientTolerance || r.Steps != 0 {
		t.Errorf("St(1, 1): %v", r.Status)
	}
}

// wrongGradient is a problem whose gradient has the wrong sign.
type wrongGradient struct{ *linear }

func (f wrongGradient) Evaluate(p, grad *mat.Dense) (float64, error) {
	v, err := f.linear.Evaluate(p, grad)
	if grad != nil {
		grad.Scale(-1, grad)
	}
	return v, err
}

func TestLineSearchFails(t *testing.T) {
	m := stiefel.New(7, 2)
	x := start(m, 1)
	f := wrongGradient{&linear{gaussianMatrix(7, 2, rand.New(rand.NewPCG(1, 1)))}}
	forMethods(t, func(t *testing.T, method descent.Method) {
		s := &descent.Settings{Method: method, MaxTrials: 12}
		r := minimize(t, f, m, x, s)
		if r.Status != descent.LineSearchFailed || r.Steps != 0 || !mat.Equal(r.Point, x) || r.Evaluations.Values != 13 {
			t.Errorf("%v after %d steps, %+v", r.Status, r.Steps, r.Evaluations)
		}
	})
}

func TestEvaluations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	b := brockett{a: spectrum(logspace(1, 100, 12), rnd), n: []float64{2, 1}}
	m := stiefel.New(12, 2)
	x := start(m, 1)
	forMethods(t, func(t *testing.T, method descent.Method) {
		s := &descent.Settings{Method: method, MaxSteps: 50}
		f := &counter{brockett: b}
		r, err := descent.Minimize(t.Context(), f, m, x, s)
		if err != nil {
			t.Fatal(err)
		}
		if f.misuse != "" {
			t.Error(f.misuse)
		}
		if got := (descent.Evaluations{Values: f.values, Gradients: f.gradients}); got != r.Evaluations {
			t.Errorf("counted %+v, reported %+v", got, r.Evaluations)
		}
		if r.Evaluations.Gradients >= r.Evaluations.Values {
			t.Errorf("no gradient was spared: %+v", r.Evaluations)
		}
		if r.Evaluations.Values > 2*r.Steps+10 {
			t.Errorf("%+v for %d steps", r.Evaluations, r.Steps)
		}
		// The same problem without the interface Reverser must end at the same point, with one gradient
		// for each value.
		q := minimize(t, plain{&b}, m, x, s)
		if !mat.Equal(q.Point, r.Point) || q.Evaluations.Values != r.Evaluations.Values || q.Evaluations.Gradients != q.Evaluations.Values {
			t.Errorf("plain problem: %+v, Reverser %+v", q.Evaluations, r.Evaluations)
		}
	})
}

// TestProjectedGradientStep checks that the first step goes from the start P to Π(P − G), where G is
// the gradient at P, and Π is the projection onto the manifold.
func TestProjectedGradientStep(t *testing.T) {
	m := stiefel.New(8, 3)
	f := &linear{gaussianMatrix(8, 3, rand.New(rand.NewPCG(1, 1)))}
	f.c.Scale(0.1, f.c)
	x := start(m, 1)
	before := mat.DenseCopyOf(x)
	r := minimize(t, f, m, x, &descent.Settings{Method: descent.ProjectedGradient, MaxSteps: 1})
	var want mat.Dense
	want.Add(x, f.c)
	if err := m.Project(ctx, &want, &want); err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(r.Point, &want, 1e-15) || r.History[1].StepSize != 1 {
		t.Errorf("α = %v, point %v, want %v", r.History[1].StepSize, r.Point, &want)
	}
	if !mat.Equal(x, before) {
		t.Error("start was modified")
	}
}

// TestBarzilaiBorwein checks the second step length that SteepestDescent tries: ⟨S, S⟩/⟨S, Y⟩ with
// S = −α T(previous grad) and Y = grad − T(previous grad). T is the vector transport.
func TestBarzilaiBorwein(t *testing.T) {
	m := stiefel.New(8, 3)
	f := &linear{gaussianMatrix(8, 3, rand.New(rand.NewPCG(1, 1)))}
	var grads []*mat.Dense
	var points []*mat.Dense
	r := minimize(t, f, m, start(m, 1), &descent.Settings{Method: descent.SteepestDescent, MaxSteps: 2, InitialStep: 1,
		Progress: func(_ descent.Step, p *mat.Dense) error {
			g := mat.NewDense(8, 3, nil)
			_, _ = f.Evaluate(p, g)
			m.Tangent(ctx, g, p, g)
			grads, points = append(grads, g), append(points, mat.DenseCopyOf(p))
			return nil
		}})
	if r.Evaluations.Values != 3 {
		t.Fatalf("a trial was rejected: %+v", r.Evaluations)
	}
	var moved mat.Dense
	m.Transport(ctx, &moved, points[1], grads[0])
	square := m.Inner(nil, grads[0], grads[0]) // squared norm before the transport
	want := r.History[1].StepSize * square / (square - inner(grads[1], &moved))
	if got := r.History[2].StepSize; math.Abs(got-want) > 1e-13*want {
		t.Errorf("α = %v, want %v", got, want)
	}
}

func TestDeterministic(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	f := &brockett{a: spectrum(logspace(1, 100, 15), rnd), n: []float64{3, 2, 1}}
	m := stiefel.New(15, 3)
	forMethods(t, func(t *testing.T, method descent.Method) {
		s := &descent.Settings{Method: method, MaxSteps: 60}
		a, b := minimize(t, f, m, start(m, 1), s), minimize(t, f, stiefel.New(15, 3), start(m, 1), s)
		if !mat.Equal(a.Point, b.Point) || !slices.Equal(a.History, b.History) || a.Status != b.Status {
			t.Error("two runs differ")
		}
	})
}

// TestSameBitsEverywhere hashes the results of the methods that do not use an SVD. The hashes must
// equal those computed on amd64.
func TestSameBitsEverywhere(t *testing.T) {
	f := &diagonal{a: logspaceExact(20), n: []float64{3, 2, 1}}
	m := stiefel.New(20, 3)
	for method, want := range map[descent.Method]uint64{
		descent.ConjugateGradient: 0x143d29b016509624,
		descent.SteepestDescent:   0x8aa6fd5c3d3d0df7,
		descent.LBFGS:             0x2c252afbad2bd59f,
	} {
		r := minimize(t, f, m, start(m, 1), &descent.Settings{Method: method, MaxSteps: 40})
		h := fnv.New64a()
		for _, v := range r.Point.RawMatrix().Data {
			u := math.Float64bits(v)
			for k := range 8 {
				h.Write([]byte{byte(u >> (8 * k))})
			}
		}
		if got := h.Sum64(); got != want {
			t.Errorf("%v: %#x after %d steps", method, got, r.Steps)
		}
	}
}

// logspaceExact returns 1, 1.25, 1.25², …, without math.Exp.
func logspaceExact(n int) []float64 {
	x := make([]float64, n)
	x[0] = 1
	for i := 1; i < n; i++ {
		x[i] = 1.25 * x[i-1]
	}
	return x
}

func TestStepsDoNotAllocate(t *testing.T) {
	f := &diagonal{a: logspaceExact(20), n: []float64{3, 2, 1}}
	m := stiefel.New(20, 3)
	x := start(m, 1)
	forMethods(t, func(t *testing.T, method descent.Method) {
		allocations := func(steps int) float64 {
			s := &descent.Settings{Method: method, MaxSteps: steps, GradientTolerance: -1}
			return asmtest.Allocations(func() {
				if r, err := descent.Minimize(context.Background(), f, m, x, s); err != nil || r.Steps != steps {
					t.Fatal(r.Status, err)
				}
			})
		}
		if a, b := allocations(2), allocations(60); a != b {
			t.Errorf("%v allocations for 2 steps, %v for 60", a, b)
		}
	})
}

func TestNames(t *testing.T) {
	for s, want := range map[fmt.Stringer]string{
		descent.ConjugateGradient: "ConjugateGradient", descent.SteepestDescent: "SteepestDescent",
		descent.ProjectedGradient: "ProjectedGradient", descent.LBFGS: "LBFGS", descent.Method(7): "Method(7)",
		descent.NotTerminated: "NotTerminated", descent.GradientTolerance: "GradientTolerance",
		descent.StepTolerance: "StepTolerance", descent.FunctionTolerance: "FunctionTolerance",
		descent.MaxSteps: "MaxSteps", descent.LineSearchFailed: "LineSearchFailed",
		descent.Stalled: "Stalled", descent.EvaluationFailed: "EvaluationFailed", descent.Canceled: "Canceled",
		descent.Stopped: "Stopped", descent.Status(99): "Status(99)",
	} {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
