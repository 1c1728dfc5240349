package sinkhorn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
	"github.com/gomonge/monge/internal/testdata"
)

// panicOf calls f and returns the value of its panic, or nil.
func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// isOwnPanic reports whether v is a panic message of this package.
func isOwnPanic(v any) bool {
	s, ok := v.(string)
	return ok && strings.HasPrefix(s, "sinkhorn: ")
}

// TestShapesDoNotWrap checks sizes whose products overflow. A problem with these sizes must cause an error, and a destination
// with these sizes must cause a panic.
func TestShapesDoNotWrap(t *testing.T) {
	good := dist.NewMatrix[float64](8, 8, nil)
	r := mustSolve(t, Settings{Gradient: true}, &Problem[float64]{X: good, Y: good, Lambda: 1})
	for _, c := range []struct{ rows, first int }{{8, 1}, {2, -1}, {0, 0}, {9, 0}, {1, 8}, {1, math.MaxInt}} {
		if v := panicOf(func() { r.PlanTo(t.Context(), dist.NewMatrix[float64](c.rows, 8, nil), c.first) }); !isOwnPanic(v) {
			t.Errorf("PlanTo of %d rows from row %d panics with %v", c.rows, c.first, v)
		}
	}
	for _, bad := range []dist.Matrix[float64]{
		{Rows: 1<<61 + 1, Cols: 8, Stride: 8},
		{Rows: 1<<60 + 1, Cols: 8, Stride: 16},
		{Rows: 3, Cols: 8, Stride: math.MaxInt},
		{Rows: 1 << 32, Cols: 1, Stride: 1 << 32},
		{Rows: 8, Cols: math.MaxInt, Stride: math.MaxInt},
		{Rows: math.MaxInt, Cols: 8, Stride: 8},
		{Rows: -1, Cols: 8, Stride: 8},
		{Rows: 8, Cols: -8, Stride: 8},
		{Rows: math.MinInt, Cols: math.MinInt, Stride: math.MinInt},
		{Rows: 8, Cols: 8, Stride: -8},
		{Rows: 9, Cols: 8, Stride: 8},
	} {
		bad.Data = make([]float64, 64)
		for _, p := range []Problem[float64]{{Cost: bad}, {X: bad, Y: good}, {X: good, Y: bad}, {X: bad, Y: bad}} {
			p.Lambda = 1
			s, _ := newSolver[float64](&Settings{})
			if _, err := s.Solve(t.Context(), &p); !errors.Is(err, ErrShape) {
				t.Errorf("%d × %d, stride %d: %v", bad.Rows, bad.Cols, bad.Stride, err)
			}
		}
		for name, f := range map[string]func(){
			"PlanTo":                    func() { r.PlanTo(t.Context(), bad, 0) },
			"BarycentricTo":             func() { r.BarycentricTo(t.Context(), bad) },
			"CostGradientTo":            func() { r.CostGradientTo(t.Context(), bad, GradientUnrolled) },
			"CostGradientTo, implicit":  func() { r.CostGradientTo(t.Context(), bad, GradientImplicit) },
			"PointGradientTo":           func() { r.PointGradientTo(t.Context(), good, bad, GradientUnrolled) },
			"PointGradientTo, implicit": func() { r.PointGradientTo(t.Context(), bad, good, GradientImplicit) },
			"PointGradientTo, frozen":   func() { r.PointGradientTo(t.Context(), bad, good, GradientFrozen) },
		} {
			if v := panicOf(f); !isOwnPanic(v) {
				t.Errorf("%s, %d × %d, stride %d: panics with %v", name, bad.Rows, bad.Cols, bad.Stride, v)
			}
		}
	}
}

// TestRangeOfLambda checks that a λ whose product with log₂e overflows is an error, and that the
// largest valid λ works.
func TestRangeOfLambda(t *testing.T) {
	rangeOfLambda(t, float32(1e-38), []float64{2e38}, []float64{2.5e38, 1e39, 1e300})
	rangeOfLambda(t, 1e-308, []float64{1e308}, []float64{1.3e308, math.MaxFloat64})
}

func rangeOfLambda[T dist.Float](t *testing.T, unit T, good, bad []float64) {
	cost := dist.NewMatrix(2, 2, []T{0, unit, unit, 0})
	for _, domain := range []Domain{DomainAuto, DomainPlain, DomainLog} {
		s, err := newSolver[T](&Settings{Domain: domain, Iterations: 50})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range good {
			r, err := s.Solve(t.Context(), &Problem[T]{Cost: cost, Lambda: l})
			if err != nil {
				t.Errorf("λ = %v: %v", l, err)
				continue
			}
			e := math.Exp(-l * float64(unit))
			if want := e / (1 + e) * float64(unit); !(math.Abs(r.Cost/want-1) < 1e-5) {
				t.Errorf("λ = %v: cost %v, want %v", l, r.Cost, want)
			}
		}
		for _, l := range bad {
			if r, err := s.Solve(t.Context(), &Problem[T]{Cost: cost, Lambda: l}); !errors.Is(err, ErrRange) || r != nil {
				t.Errorf("λ = %v: %v", l, err)
			}
		}
	}
}

// TestRangeOfStart checks problems with large starting potentials. If rounding of the potentials changes the plan, the status
// must be StatusLowPrecision. If the potentials cannot be represented, Solve must return an error. In all other cases, the mass
// of the plan must be correct.
func TestRangeOfStart(t *testing.T) {
	t.Run("float64", rangeOfStart[float64])
	t.Run("float32", rangeOfStart[float32])
}

func rangeOfStart[T dist.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n, m = 12, 9
	counts := map[string]int{}
	for _, domain := range []Domain{DomainAuto, DomainLog, DomainPlain} {
		for _, anneal := range []float64{0, 4} {
			for e := range 309 {
				for _, sign := range []float64{-1, 1} {
					size := sign * math.Pow(10, float64(e))
					p := &Problem[T]{X: cloud[T](rng, n, 2, 0), Y: cloud[T](rng, m, 2, 0.5), Lambda: 3, Start: make([]T, n)}
					if T(size)-T(size) != 0 {
						continue
					}
					for i := range p.Start {
						p.Start[i] = T(size * (1 + 0.1*rng.Float64()) / 2)
					}
					s, err := newSolver[T](&Settings{Domain: domain, Tolerance: 1e-5, Iterations: 2000, Anneal: anneal})
					if err != nil {
						t.Fatal(err)
					}
					what := fmt.Sprintf("%v, annealing %v, potentials of %g", domain, anneal, size)
					r, err := s.Solve(t.Context(), p)
					large, beyond := math.Abs(size)/2*math.Log2E > s.own.limits.precision, math.Abs(size)/2*math.Log2E > s.own.limits.largest/4
					switch {
					case err != nil:
						counts["error"]++
						if !errors.Is(err, ErrRange) || domain != DomainPlain && errors.Is(err, errUnderflow) {
							t.Errorf("%s: %v", what, err)
						}
						if domain != DomainPlain && math.Abs(size) < s.own.limits.largest/8 {
							t.Errorf("%s: %v", what, err)
						}
						continue
					case large && r.Status != StatusLowPrecision, beyond && anneal == 0:
						t.Errorf("%s: %v", what, r.Status)
					}
					counts[r.Status.String()]++
					if !finite(r.Cost) || !finite(r.MarginalError) {
						t.Errorf("%s: cost %v, marginal error %v", what, r.Cost, r.MarginalError)
					}
					if r.Status == StatusLowPrecision {
						continue
					}
					plan := dist.NewMatrix[T](n, m, nil)
					if err := r.PlanTo(t.Context(), plan, 0); err != nil {
						t.Fatal(err)
					}
					var mass float64
					for _, v := range plan.Data {
						mass += float64(v)
					}
					if !(math.Abs(mass-1) < 2e-3) {
						t.Errorf("%s: %v, mass %v", what, r.Status, mass)
					}
				}
			}
		}
	}
	t.Logf("%v", counts)
	if counts["error"] == 0 || counts["low precision"] == 0 || counts["converged"] == 0 {
		t.Errorf("not all outcomes occur: %v", counts)
	}
}

// TestResultsOutOfRange checks that a method whose result overflows returns an error, not an infinity.
func TestResultsOutOfRange(t *testing.T) {
	x, y := dist.NewMatrix(2, 1, []float64{0, 1}), dist.NewMatrix(2, 1, []float64{0.5, 3})
	tiny := mustSolve(t, Settings{}, &Problem[float64]{X: x, Y: y, A: []float64{3e199, 7e199}, B: []float64{2e199, 8e199}, Lambda: 1e-320})
	if c, err := tiny.RegularizedCost(t.Context()); !errors.Is(err, ErrRange) {
		t.Errorf("regularized cost %v, %v", c, err)
	}
	a, far := []float64{1e200, 1e200}, dist.NewMatrix(2, 1, []float64{1e150, 1e150})
	heavy := mustSolve(t, Settings{}, &Problem[float64]{X: far, Y: far, A: a, B: a, Lambda: 1})
	if err := heavy.BarycentricTo(t.Context(), dist.NewMatrix[float64](2, 1, nil)); !errors.Is(err, ErrRange) {
		t.Errorf("barycentric projection: %v", err)
	}
	s, err := newSolver[float64](&Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []float64{1e307, 4e307, 8e307} {
		if _, err := s.Solve(t.Context(), &Problem[float64]{X: x, Y: x, A: []float64{w, w}, B: []float64{w, w}, Lambda: 1}); w > math.MaxFloat64/8 && !errors.Is(err, ErrMarginals) {
			t.Errorf("weights of %v: %v", w, err)
		}
		r, err := s.Solve(t.Context(), &Problem[float64]{X: x, Y: y, A: []float64{w, w}, B: []float64{w, w}, Lambda: 1})
		if err == nil && !(finite(r.Cost) && finite(r.MarginalError)) {
			t.Errorf("weights of %v: cost %v, marginal error %v", w, r.Cost, r.MarginalError)
		}
		if err != nil && !errors.Is(err, ErrRange) && !errors.Is(err, ErrMarginals) {
			t.Errorf("weights of %v: %v", w, err)
		}
	}
	none := dist.Matrix[float64]{}
	for _, scale := range []float64{1e153, 1e154} {
		d, err := s.Divergence(t.Context(), none, none, &Problem[float64]{X: scaledMatrix(x, scale), Y: scaledMatrix(y, -scale), Lambda: 1e-308})
		if err == nil && !finite(d.Value) || err != nil && !errors.Is(err, ErrRange) {
			t.Errorf("divergence at %v: %v, %v", scale, d.Value, err)
		}
	}
}

// TestZeroSolver checks that the zero Solver has the zero Settings, and that the zero Result and an
// outdated Result panic with a clear message.
func TestZeroSolver(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	p := &Problem[float64]{X: cloud[float64](rng, 5, 2, 0), Y: cloud[float64](rng, 4, 2, 0), Lambda: 1}
	var zero Solver[float64]
	r, err := zero.Solve(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if want := mustSolve(t, Settings{}, p); r.Cost != want.Cost || r.Iterations != 10 {
		t.Errorf("cost %v after %d iterations, want %v", r.Cost, r.Iterations, want.Cost)
	}
	if _, err := new(Solver[float32]).Divergence(t.Context(), dist.Matrix[float32]{}, dist.Matrix[float32]{}, &Problem[float32]{}); !errors.Is(err, ErrShape) {
		t.Errorf("divergence of nothing: %v", err)
	}
	if err := new(Solver[float64]).SolveBatch(t.Context(), []Problem[float64]{*p}, func(_ int, r *Result[float64], err error) {
		if err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Error(err)
	}
	row := dist.NewMatrix[float64](1, 4, nil)
	if v := panicOf(func() { new(Result[float64]).PlanTo(t.Context(), row, 0) }); !isOwnPanic(v) {
		t.Errorf("the zero Result panics with %v", v)
	}
	old := *r
	if _, err := zero.Solve(t.Context(), &Problem[float64]{}); err == nil {
		t.Error("the zero Problem has a solution")
	}
	for _, r := range []*Result[float64]{&old, r} {
		if v := panicOf(func() { r.PlanTo(t.Context(), row, 0) }); !isOwnPanic(v) {
			t.Errorf("an old Result panics with %v", v)
		}
	}
	// The failed calls do not leave the solver marked as busy.
	if _, err := zero.Solve(t.Context(), p); err != nil {
		t.Error(err)
	}
}

// TestTwoGoroutines checks that a solver panics if two goroutines use the solver at once, and that no result is wrong.
func TestTwoGoroutines(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	p := &Problem[float64]{X: cloud[float64](rng, 400, 2, 0), Y: cloud[float64](rng, 300, 2, 0), Lambda: 1}
	want := mustSolve(t, Settings{Iterations: 20}, p).Cost
	s, err := newSolver[float64](&Settings{Iterations: 20})
	if err != nil {
		t.Fatal(err)
	}
	results := make(chan any, 2)
	for range 2 {
		go func() {
			results <- panicOf(func() {
				for range 300 {
					r, err := s.Solve(t.Context(), p)
					if err != nil || r.Cost != want {
						panic(fmt.Sprintf("%v, cost %v, want %v", err, r.Cost, want))
					}
				}
			})
		}()
	}
	a, b := <-results, <-results
	for _, v := range []any{a, b} {
		if v != nil && !isOwnPanic(v) {
			t.Errorf("panics with %v", v)
		}
	}
	if a == nil && b == nil {
		t.Error("nobody has noticed")
	}
	// The call that panicked did not change the busy mark, and the successful call has cleared the mark.
	if _, err := s.Solve(t.Context(), p); err != nil {
		t.Error(err)
	}
}

// TestMemory checks that the required memory is computed before anything is allocated, and that the error message contains the
// required number of bytes.
func TestMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	p := &Problem[float64]{X: cloud[float64](rng, 20, 2, 0), Y: cloud[float64](rng, 20, 2, 0), Lambda: 1}
	for _, iterations := range []int{1e9, 1 << 40, math.MaxInt} {
		for _, tolerance := range []float64{0, 1e-6} {
			s, err := newSolver[float64](&Settings{Iterations: iterations, Tolerance: tolerance, Gradient: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Solve(t.Context(), p); !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), "bytes") {
				t.Errorf("%d iterations: %v", iterations, err)
			}
		}
		s, _ := newSolver[float64](&Settings{Iterations: iterations, Tolerance: 1e-6}) // without gradients, iterations need no memory
		if _, err := s.Solve(t.Context(), p); err != nil {
			t.Errorf("%d iterations: %v", iterations, err)
		}
	}
	long := dist.NewMatrix[float64](200000, 1, nil)
	s, _ := newSolver[float64](&Settings{Storage: StorageDense})
	if _, err := s.Solve(t.Context(), &Problem[float64]{X: long, Y: long, Lambda: 1}); !errors.Is(err, ErrSettings) {
		t.Errorf("640 GB of matrices: %v", err)
	}
	// Settings.MaxMemory changes the limit.
	for _, c := range []struct {
		max  int64
		want error
	}{{1 << 10, ErrSettings}, {1 << 20, nil}} {
		s, err := newSolver[float64](&Settings{Gradient: true, MaxMemory: c.max})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Solve(t.Context(), p); !errors.Is(err, c.want) {
			t.Errorf("%d bytes: %v", c.max, err)
		}
	}
	// The memory of a gradient also counts toward MaxMemory.
	deep := dist.NewMatrix[float64](1, 100000, nil)
	s, _ = newSolver[float64](&Settings{MaxMemory: 1 << 20})
	r, err := s.Solve(t.Context(), &Problem[float64]{X: deep, Y: deep, Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.PointGradientTo(t.Context(), deep, dist.NewMatrix[float64](1, 100000, nil), GradientFrozen); !errors.Is(err, ErrSettings) {
		t.Errorf("gradient: %v", err)
	}
}

// TestMemoryIsCounted checks that a workspace takes at most the computed memory and not much less.
func TestMemoryIsCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	n := 300
	p := &Problem[float64]{X: cloud[float64](rng, n, 3, 0), Y: cloud[float64](rng, n, 3, 0), Lambda: 30}
	for _, set := range []Settings{
		{Storage: StorageDense}, {Storage: StorageMatrixFree}, {Storage: StorageMixed}, {Storage: StorageMatrixFree, Tolerance: 1e-9, Iterations: 200},
		{Gradient: true, Iterations: 500}, {Gradient: true, Iterations: 300, Domain: DomainLog},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := newSolver[float64](&set)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(t.Context(), p)
		if err == nil && set.Gradient {
			err = r.CostGradientTo(t.Context(), dist.NewMatrix[float64](n, n, nil), GradientUnrolled)
		}
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		got, said := float64(after.TotalAlloc-before.TotalAlloc), s.own.bytes()
		if set.Gradient {
			got -= float64(8 * n * n) // the destination
		}
		if !(got <= 1.1*said+(1<<18)) || !(said <= 2*got) {
			t.Errorf("%+v: allocated %.3g bytes, said %.3g", set, got, said)
		}
	}
}

// TestGrowth checks that a solver allocates rarely if problems grow slowly, and that Shrink frees the workspace.
func TestGrowth(t *testing.T) {
	most := 1000
	if !testdata.IsLong() {
		most = 400
	}
	rng := rand.New(rand.NewPCG(9, 9))
	x := cloud[float64](rng, most, 2, 0)
	s, err := newSolver[float64](&Settings{Iterations: 1})
	if err != nil {
		t.Fatal(err)
	}
	var before, after, shrunk runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for n := 1; n <= most; n++ {
		if _, err := s.Solve(t.Context(), &Problem[float64]{X: x.RowRange(0, n), Y: x.RowRange(0, n), Lambda: 1}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	all, last := float64(after.TotalAlloc-before.TotalAlloc), float64(2*8*most*most)
	t.Logf("n = 1 … %d: %.1f MB allocated, %.1f times the last problem's matrices", most, all/1e6, all/last)
	if all > 10*last {
		t.Errorf("n = 1 … %d: %.1f MB allocated, %.1f times the last problem's matrices", most, all/1e6, all/last)
	}
	s.Shrink()
	runtime.GC()
	runtime.ReadMemStats(&shrunk)
	if kept := float64(shrunk.HeapAlloc) - float64(before.HeapAlloc); kept > last/10 {
		t.Errorf("%.1f MB are kept after shrink", kept/1e6)
	}
	if _, err := s.Solve(t.Context(), &Problem[float64]{X: x, Y: x, Lambda: 1}); err != nil {
		t.Error(err)
	}
	runtime.KeepAlive(s)
}

// uncomparable is an error for which == panics.
type uncomparable []int

func (uncomparable) Error() string { return "uncomparable" }

// TestCause checks that every method with a context returns the context's cause when the context
// ends.
func TestCause(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{20, 800} {
		p := &Problem[float64]{X: cloud[float64](rng, n, 2, 0), Y: cloud[float64](rng, n, 2, 0), Lambda: 0.01}
		s, err := newSolver[float64](&Settings{Gradient: true, Tolerance: 1e-5, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		one, err := newSolver[float64](&Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for _, cause := range []error{errors.New("cause"), uncomparable{1}, nil} {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(cause)
			want := context.Cause(ctx).Error()
			r, err := s.Solve(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			dx, dy, dm := dist.NewMatrix[float64](n, 2, nil), dist.NewMatrix[float64](n, 2, nil), dist.NewMatrix[float64](n, n, nil)
			for name, f := range map[string]func() error{
				"Solve": func() error { _, err := one.Solve(ctx, p); return err },
				"Solve, annealed": func() error {
					s, _ := newSolver[float64](&Settings{Anneal: 4})
					_, err := s.Solve(ctx, p)
					return err
				},
				"SolveBatch":                func() error { return one.SolveBatch(ctx, []Problem[float64]{*p}, nil) },
				"Divergence":                func() error { _, err := one.Divergence(ctx, dx, dy, p); return err },
				"PlanTo":                    func() error { return r.PlanTo(ctx, dm, 0) },
				"BarycentricTo":             func() error { return r.BarycentricTo(ctx, dx) },
				"RegularizedCost":           func() error { _, err := r.RegularizedCost(ctx); return err },
				"CostGradientTo":            func() error { return r.CostGradientTo(ctx, dm, GradientUnrolled) },
				"PointGradientTo":           func() error { return r.PointGradientTo(ctx, dx, dy, GradientUnrolled) },
				"CostGradientTo, implicit":  func() error { return r.CostGradientTo(ctx, dm, GradientImplicit) },
				"PointGradientTo, implicit": func() error { return r.PointGradientTo(ctx, dx, dy, GradientImplicit) },
				"PointGradientTo, frozen":   func() error { return r.PointGradientTo(ctx, dx, dy, GradientFrozen) },
			} {
				if err := f(); err == nil || err.Error() != want {
					t.Errorf("n = %d, %s: %v, want %v", n, name, err, want)
				}
			}
		}
	}
}

// checkCounter counts the checks of a context.
type checkCounter struct {
	context.Context
	n int
}

func (c *checkCounter) Err() error { c.n++; return nil }

// TestContextChecks checks that a solve and its gradient check the context at least once per iteration. The pass over all terms
// of a gradient must check the context at least once per block of terms.
func TestContextChecks(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 11))
	const n, iterations = 120, 4000
	p := &Problem[float64]{X: cloud[float64](rng, n, 2, 0), Y: cloud[float64](rng, n, 2, 0), Lambda: 0.1}
	s, err := newSolver[float64](&Settings{Gradient: true, Iterations: iterations})
	if err != nil {
		t.Fatal(err)
	}
	ctx := &checkCounter{Context: t.Context()}
	r, err := s.Solve(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if ctx.n < iterations {
		t.Errorf("a solve checks its context %d times in %d iterations", ctx.n, iterations)
	}
	dx, dy := dist.NewMatrix[float64](n, 2, nil), dist.NewMatrix[float64](n, 2, nil)
	ctx.n = 0
	start := time.Now()
	if err := r.PointGradientTo(ctx, dx, dy, GradientUnrolled); err != nil {
		t.Fatal(err)
	}
	t.Logf("gradient: %d checks in %v", ctx.n, time.Since(start))
	if ctx.n < iterations {
		t.Errorf("a gradient checks its context %d times in %d sweeps", ctx.n, iterations)
	}
	// Count the context checks of Kernel.Adjoint alone, without the rest of the gradient.
	ctx.n = 0
	for u := make([]float64, n); s.gradients.terms.Count() < 2*iterations; {
		s.gradients.terms.Add(u, u)
	}
	if err := s.kernel.Adjoint(ctx, &s.gradients.terms, &s.gradients.sink); err != nil {
		t.Fatal(err)
	}
	if products := n * n * 2 * iterations; ctx.n < products/gibbs.MaxBlockTerms+1 {
		t.Errorf("%d products are computed with %d checks", products, ctx.n)
	}
}

// TestVisitPanics checks that a panic in the callback of SolveBatch reaches the caller from any
// goroutine, and that the solver can be used again.
func TestVisitPanics(t *testing.T) {
	ps := batchProblems[float64](200)
	for _, workers := range []int{1, 2, 5} {
		s, err := newSolver[float64](&Settings{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{0, 1, 2, 3, 100} {
			v := panicOf(func() {
				s.SolveBatch(t.Context(), ps, func(i int, r *Result[float64], err error) {
					if i == at {
						panic(at)
					}
				})
			})
			if v != at {
				t.Errorf("%d workers, problem %d: panics with %v", workers, at, v)
			}
			if err := s.SolveBatch(t.Context(), ps, func(int, *Result[float64], error) {}); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestManyWorkers checks that SolveBatch limits the number of its solvers if Settings.Workers is very large.
func TestManyWorkers(t *testing.T) {
	s, err := newSolver[float64](&Settings{Workers: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	for _, count := range []int{3, 500} {
		if err := s.SolveBatch(t.Context(), batchProblems[float64](count), func(int, *Result[float64], error) {}); err != nil {
			t.Fatal(err)
		}
		if k := len(s.batch.solvers); k > min(count, max(64, runtime.GOMAXPROCS(0))) {
			t.Errorf("%d problems: %d solvers", count, k)
		}
	}
}

// TestAnnealRange checks the smallest and largest allowed values of Settings.Anneal over the whole range of λ.
func TestAnnealRange(t *testing.T) {
	cost := dist.NewMatrix(2, 2, []float64{0, 1, 1, 0})
	for _, factor := range []float64{leastAnneal, 2, 1e30, 1e300, math.MaxFloat64} {
		for _, lambda := range []float64{1e-300, 1, 1e12} {
			for _, scale := range []float64{1e-290, 1, 1e290} {
				s, err := newSolver[float64](&Settings{Anneal: factor, Iterations: 100})
				if err != nil {
					t.Fatal(err)
				}
				r, err := s.Solve(t.Context(), &Problem[float64]{Cost: scaledMatrix(cost, scale), Lambda: lambda})
				if err != nil && !(errors.Is(err, ErrRange) && lambda*scale > 1e300) || err == nil && !(finite(r.Cost) && r.Cost >= 0) {
					t.Errorf("factor %v, λ = %v, costs × %v: %v", factor, lambda, scale, err)
				}
			}
		}
	}
	if _, err := newSolver[float64](&Settings{Anneal: 1 + 1e-9}); !errors.Is(err, ErrSettings) {
		t.Errorf("ten thousand million stages: %v", err)
	}
}

// TestNames checks that the names of an enumeration can be parsed, and that other strings are errors.
func TestNames(t *testing.T) {
	for want := range Domain(3) {
		var got Domain
		if err := got.UnmarshalText([]byte(want.String())); got != want || err != nil {
			t.Errorf("%v: %v, %v", want, got, err)
		}
	}
	for want := range Storage(4) {
		var got Storage
		if err := got.UnmarshalText([]byte(want.String())); got != want || err != nil {
			t.Errorf("%v: %v, %v", want, got, err)
		}
	}
	for want := range Status(5) {
		var got Status
		if err := got.UnmarshalText([]byte(want.String())); got != want || err != nil {
			t.Errorf("%v: %v, %v", want, got, err)
		}
	}
	for want := range GradientMode(3) {
		var got GradientMode
		if err := got.UnmarshalText([]byte(want.String())); got != want || err != nil {
			t.Errorf("%v: %v, %v", want, got, err)
		}
	}
	if err := new(Domain).UnmarshalText([]byte("Domain(7)")); !errors.Is(err, ErrSettings) || Domain(7).String() != "Domain(7)" {
		t.Error(err)
	}
}

// TestHostileProblems solves problems with extreme numbers. Each solve must return a finite result or an error of this package.
// Solve and SolveBatch must return the same results.
func TestHostileProblems(t *testing.T) {
	t.Run("float64", hostileProblems[float64])
	t.Run("float32", hostileProblems[float32])
}

func hostileProblems[T dist.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	const n, m = 9, 7
	x, y := cloud[T](rng, n, 2, 0), cloud[T](rng, m, 2, 0.5)
	far := y.RowRange(0, m)
	far.Data = slices.Clone(y.Data)
	far.Data[3] = 1e15
	uniform := func(k int, w T) []T { return slices.Repeat([]T{w}, k) }
	zeros := func(k int) []T { w := uniform(k, T(1)/T(k-2)); w[0], w[k-1] = 0, 0; return w }
	nan, inf := math.NaN(), math.Inf(1)
	odd := []float64{0, math.SmallestNonzeroFloat64, 1e-300, 1e-30, 1, 1e30, 1e300, math.MaxFloat64, inf, nan, -1, -inf}
	good := Problem[T]{X: x, Y: y, Lambda: 2}
	var problems []Problem[T]
	calls := 0
	add := func(change func(p *Problem[T])) {
		// Without MONGE_LONG=1, float64 tests one half of the changed problems, and float32 tests the other half.
		if calls++; !testdata.IsLong() && (calls+calls/16)%2 == 0 != num.IsFloat64[T]() {
			return
		}
		p := good
		change(&p)
		problems = append(problems, p)
	}
	for _, v := range odd {
		add(func(p *Problem[T]) { p.PenaltyA = v })
		add(func(p *Problem[T]) { p.PenaltyB = v })
		add(func(p *Problem[T]) { p.PenaltyA, p.PenaltyB = v, v })
		add(func(p *Problem[T]) { p.PenaltyA, p.PenaltyB = v, 1 })
		add(func(p *Problem[T]) { p.PenaltyA, p.PenaltyB, p.A, p.B = v, 1, zeros(n), uniform(m, 3) })
		add(func(p *Problem[T]) { p.PenaltyA, p.Y = v, far })
		add(func(p *Problem[T]) { p.Mass = v })
		add(func(p *Problem[T]) { p.Mass, p.A, p.B = v, zeros(n), zeros(m) })
		add(func(p *Problem[T]) { p.Mass, p.PenaltyA = 0.5, v })
		add(func(p *Problem[T]) { p.Lambda = v })
		add(func(p *Problem[T]) { p.Lambda, p.PenaltyA, p.PenaltyB = v, 1e-3, 1e3 })
		add(func(p *Problem[T]) { p.Lambda, p.Mass = v, 0.5 })
		add(func(p *Problem[T]) { p.A, p.B = uniform(n, T(v)), uniform(m, T(v)) })
		add(func(p *Problem[T]) { p.A = uniform(n, T(v)) })
		add(func(p *Problem[T]) { p.Start = uniform(n, T(v)) })
		add(func(p *Problem[T]) { p.Start, p.PenaltyA, p.PenaltyB = uniform(n, T(v)), 1, 2 })
	}
	add(func(p *Problem[T]) { p.A, p.B = zeros(n), zeros(m) })
	add(func(p *Problem[T]) { p.A, p.B = uniform(n, 0), uniform(m, 0) })
	add(func(p *Problem[T]) { p.Y = far })
	add(func(p *Problem[T]) { p.X, p.Y = y, y })
	add(func(p *Problem[T]) { p.X = dist.Matrix[T]{} })
	add(func(p *Problem[T]) { p.A, p.B = x.Data[:n], y.Data[:m] })
	for i, set := range []Settings{
		{}, {Tolerance: 1e-6, Iterations: 300}, {Tolerance: math.SmallestNonzeroFloat64, Iterations: 300}, {Tolerance: 1e300, Iterations: 300},
		{Tolerance: 1e-6, Iterations: 300, Domain: DomainLog}, {Domain: DomainPlain, Iterations: 30}, {Tolerance: 1e-6, Iterations: 300, Storage: StorageMatrixFree}, {Tolerance: 1e-5, Iterations: 100, Anneal: 4},
	} {
		if !testdata.IsLong() {
			if i%2 == 0 != num.IsFloat64[T]() {
				continue // to save time, each setting is tested with only one of the two float types
			}
			set.Iterations = min(set.Iterations, 60)
		}
		s, err := newSolver[T](&set)
		if err != nil {
			t.Fatal(err)
		}
		alone, errs := make([]float64, len(problems)), make([]error, len(problems))
		outcomes := map[string]int{}
		for i := range problems {
			r, err := s.Solve(t.Context(), &problems[i])
			if errs[i] = err; err != nil {
				known := false
				for _, e := range []error{ErrSettings, ErrShape, ErrNotFinite, ErrMarginals, ErrRange, ErrNotConverged} {
					known = known || errors.Is(err, e)
				}
				if outcomes["error"]++; !known {
					t.Errorf("%+v, problem %d: %v", set, i, err)
				}
				continue
			}
			outcomes[r.Status.String()]++
			if alone[i] = r.Cost; !finite(r.Cost) || !finite(r.MarginalError) {
				p := &problems[i]
				t.Errorf("%+v, problem %d (λ %v, ρ %v %v, mass %v): cost %v, marginal error %v, %v", set, i, p.Lambda, p.PenaltyA, p.PenaltyB, p.Mass, r.Cost, r.MarginalError, r.Status)
			}
		}
		t.Logf("%d problems: %v", len(problems), outcomes)
		err = s.SolveBatch(t.Context(), problems, func(i int, r *Result[T], err error) {
			if (err == nil) != (errs[i] == nil) || err == nil && r.Cost != alone[i] {
				t.Errorf("%+v, problem %d of a batch: error %v, alone %v", set, i, err, errs[i])
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
	for _, tolerance := range []float64{nan, inf, -1, -inf} {
		if s, err := newSolver[T](&Settings{Tolerance: tolerance}); !errors.Is(err, ErrSettings) {
			t.Errorf("a tolerance of %v: %v, %v", tolerance, s, err)
		}
	}
}
