package sinkhorn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
	"github.com/gomonge/monge/internal/testdata"
)

// slowPlan computes the plan after k iterations from u⁰ = 1 with plain loops in the log domain.
func slowPlan(m dist.Matrix[float64], a, b []float64, lambda float64, k int) dist.Matrix[float64] {
	f, g := make([]float64, m.Rows), make([]float64, m.Cols)
	lse := func(n int, x func(int) float64) float64 {
		hi, sum := math.Inf(-1), 0.0
		for i := range n {
			hi = math.Max(hi, x(i))
		}
		for i := range n {
			sum += math.Exp(x(i) - hi)
		}
		return hi + math.Log(sum)
	}
	for range k {
		for j := range g {
			g[j] = math.Log(b[j]) - lse(m.Rows, func(i int) float64 { return f[i] - lambda*m.At(i, j) })
		}
		for i := range f {
			f[i] = math.Log(a[i]) - lse(m.Cols, func(j int) float64 { return g[j] - lambda*m.At(i, j) })
		}
	}
	t := dist.NewMatrix[float64](m.Rows, m.Cols, nil)
	for i := range f {
		for j := range g {
			t.Set(i, j, math.Exp(f[i]+g[j]-lambda*m.At(i, j)))
		}
	}
	return t
}

func orUniform[T dist.Float](w []T, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1 / float64(n)
		if w != nil {
			out[i] = float64(w[i])
		}
	}
	return out
}

// robustCase contains point clouds that TestEveryScale scales.
type robustCase[T dist.Float] struct {
	name string
	x, y dist.Matrix[T]
	a, b []T
}

func robustCases[T dist.Float]() []robustCase[T] {
	rng := rand.New(rand.NewPCG(11, 12))
	twice := cloud[T](rng, 12, 2, 0)
	for i := range 6 {
		copy(twice.Row(i+6), twice.Row(i))
	}
	one := dist.NewMatrix[T](8, 2, nil)
	far := cloud[T](rng, 9, 2, 0)
	for i := range 4 {
		far.Row(i)[0] += 30
	}
	x := cloud[T](rng, 11, 2, 0)
	return []robustCase[T]{
		{"near", x, cloud[T](rng, 9, 2, 0.5), nil, nil},
		{"far apart", x, cloud[T](rng, 9, 2, 100), nil, nil},
		{"two groups", x, far, nil, nil},
		{"duplicates", twice, twice, nil, nil},
		{"all points equal", one, one, nil, nil},
		{"zero weights", x, far, gradientWeights[T](rng, 11, true), gradientWeights[T](rng, 9, true)},
		{"a far point without weight", far, x.RowRange(0, 1), []T{0, 0, 0, 0, .2, .2, .2, .2, .2}, nil},
		{"one row", x.RowRange(0, 1), far, nil, gradientWeights[T](rng, 9, true)},
		{"one column", far, x.RowRange(0, 1), gradientWeights[T](rng, 9, true), nil},
		{"one point each", x.RowRange(0, 1), far.RowRange(0, 1), nil, nil},
	}
}

// TestEveryScale solves problems for many λ and many scales of the data. The plan must be correct, or a status or an error must
// report that the plan is inaccurate.
func TestEveryScale(t *testing.T) {
	t.Run("float64", func(t *testing.T) {
		everyScale[float64](t, StorageAuto, []float64{1e-150, 1e-80, 1e-3, 1, 1e3, 1e80, 1e150})
	})
	t.Run("mixed", func(t *testing.T) {
		everyScale[float64](t, StorageMixed, []float64{1e-150, 1e-80, 1e-3, 1, 1e3, 1e80, 1e150})
	})
	t.Run("float32", func(t *testing.T) {
		everyScale[float32](t, StorageAuto, []float64{1e-18, 1e-3, 1, 1e3, 1e18})
	})
}

func everyScale[T dist.Float](t *testing.T, storage Storage, scales []float64) {
	eps, narrow := 0x1p-53, 0.0 // narrow is the rounding error of a float32 K
	if !num.IsFloat64[T]() {
		eps = 0x1p-24
	}
	if storage == StorageMixed {
		narrow = 0x1p-24
	}
	counts := map[string]int{}
	for _, c := range robustCases[T]() {
		n, m := c.x.Rows, c.y.Rows
		a, b := orUniform(c.a, n), orUniform(c.b, m)
		for _, scale := range scales {
			x, y := scaledMatrix(c.x, scale), scaledMatrix(c.y, scale)
			cost := dist.NewMatrix[T](n, m, nil)
			dist.SqEuclidean(cost, x, y)
			cost64 := dist.NewMatrix[float64](n, m, nil)
			var largest float64
			for k, v := range cost.Data {
				cost64.Data[k] = float64(v)
				largest = max(largest, float64(v))
			}
			for e := -12; e <= 12; e += 2 {
				lambda := math.Pow(10, float64(e))
				for k, iterations := range []int{1, 2, 12} {
					if !testdata.IsLong() && (e/2+12+k)%3 != 0 {
						continue // only long tests combine every number of iterations with each λ
					}
					what := fmt.Sprintf("%s, data × %v, λ = 1e%d, %d iterations", c.name, scale, e, iterations)
					s, err := newSolver[T](&Settings{Iterations: iterations, Gradient: true, Storage: storage})
					if err != nil {
						t.Fatal(err)
					}
					p := &Problem[T]{X: x, Y: y, A: c.a, B: c.b, Lambda: lambda}
					r, err := s.Solve(t.Context(), p)
					if err != nil {
						counts["error"]++
						// An error is allowed only if the range of the type requires it.
						if !errors.Is(err, ErrRange) || lambda*math.Log2E*largest < s.own.limits.costLimit {
							t.Errorf("%s: %v (largest cost %v)", what, err, largest)
						}
						continue
					}
					counts[r.Status.String()+", "+r.Domain.String()]++
					plan := dist.NewMatrix[T](n, m, nil)
					r.PlanTo(t.Context(), plan, 0)
					dx, dy := dist.NewMatrix[T](n, 2, nil), dist.NewMatrix[T](m, 2, nil)
					// Terms of order λ·cost cancel in the gradient. If all digits cancel, PointGradientTo may return ErrRange.
					err = r.PointGradientTo(t.Context(), dx, dy, GradientUnrolled)
					if err != nil && !(errors.Is(err, ErrRange) && eps*lambda*largest > 0.01) {
						t.Errorf("%s: %v (eps·λ·cost %.2g)", what, err, eps*lambda*largest)
					}
					if err == nil && slices.ContainsFunc(slices.Concat(dx.Data, dy.Data), func(x T) bool { return x-x != 0 }) {
						t.Errorf("%s: gradient is not finite: %v %v", what, dx.Data, dy.Data)
					}
					got, lost := dist.NewMatrix[float64](n, m, nil), false
					for k, v := range plan.Data {
						got.Data[k] = float64(v)
						if !(v >= 0 && v <= 1.0001) {
							lost = true
						}
					}
					if lost || !(r.Cost-r.Cost == 0) {
						t.Errorf("%s (%v, %v): plan %v, cost %v", what, r.Status, r.Domain, plan.Data, r.Cost)
						continue
					}
					if r.Status == StatusLowPrecision {
						continue
					}
					for i := range n {
						var sum float64
						for _, v := range got.Row(i) {
							sum += v
						}
						if !(math.Abs(sum-a[i]) <= (40*eps*(1+lambda*largest)+narrow)*a[i]) {
							t.Errorf("%s (%v): row %d sums to %v, want %v", what, r.Domain, i, sum, a[i])
							break
						}
					}
					// Each iteration rounds λ·cost and large potentials twice. In each iteration, a relative
					// error ε of every K_ij changes log u and log v by at most 2ε.
					want := slowPlan(cost64, a, b, lambda, iterations)
					if tol := 20*eps*float64(2+iterations)*(1+lambda*largest) + narrow*float64(4*iterations+1); tol < 0.1 {
						counts["compared"]++
						if e := maxDifference(got, want); !(e <= tol) {
							t.Errorf("%s (%v): plan is off by %.3g of its largest entry, want %.3g", what, r.Domain, e, tol)
						}
					}
				}
			}
		}
	}
	t.Logf("%v", counts)
}

func scaledMatrix[T dist.Float](m dist.Matrix[T], c float64) dist.Matrix[T] {
	out := dist.NewMatrix[T](m.Rows, m.Cols, nil)
	for i := range m.Rows {
		for l, v := range m.Row(i) {
			out.Set(i, l, T(float64(v)*c))
		}
	}
	return out
}

func TestErrors(t *testing.T) {
	x, y := dist.NewMatrix(3, 2, []float64{0, 1, 2, 3, 4, 5}), dist.NewMatrix(2, 2, []float64{0, 1, 2, 3})
	with := func(m dist.Matrix[float64], k int, v float64) dist.Matrix[float64] {
		out := dist.NewMatrix(m.Rows, m.Cols, append([]float64(nil), m.Data...))
		out.Data[k] = v
		return out
	}
	nan, inf := math.NaN(), math.Inf(1)
	third := 1. / 3
	for name, c := range map[string]struct {
		p    Problem[float64]
		want error
	}{
		"nothing":             {Problem[float64]{Lambda: 1}, ErrShape},
		"points of one only":  {Problem[float64]{X: x, Lambda: 1}, ErrShape},
		"dimensions":          {Problem[float64]{X: x, Y: dist.NewMatrix[float64](2, 3, nil), Lambda: 1}, ErrShape},
		"both":                {Problem[float64]{Cost: x, X: x, Y: y, Lambda: 1}, ErrShape},
		"stride":              {Problem[float64]{X: dist.Matrix[float64]{Rows: 3, Cols: 2, Stride: 1, Data: x.Data}, Y: y, Lambda: 1}, ErrShape},
		"short data":          {Problem[float64]{Cost: dist.Matrix[float64]{Rows: 3, Cols: 2, Stride: 2, Data: x.Data[:5]}, Lambda: 1}, ErrShape},
		"negative rows":       {Problem[float64]{Cost: dist.Matrix[float64]{Rows: -3, Cols: 2, Stride: 2, Data: x.Data}, Lambda: 1}, ErrShape},
		"length of A":         {Problem[float64]{X: x, Y: y, A: []float64{1, 1}, Lambda: 1}, ErrShape},
		"length of start":     {Problem[float64]{X: x, Y: y, Start: []float64{1, 1}, Lambda: 1}, ErrShape},
		"start":               {Problem[float64]{X: x, Y: y, Start: []float64{1, nan, 0}, Lambda: 1}, ErrNotFinite},
		"start +Inf":          {Problem[float64]{X: x, Y: y, A: []float64{0, .5, .5}, Start: []float64{inf, 1, 1}, Lambda: 1}, ErrNotFinite},
		"start −Inf":          {Problem[float64]{X: x, Y: y, A: []float64{0, .5, .5}, Start: []float64{-inf, -inf, 1}, Lambda: 1}, ErrNotFinite},
		"start −Inf, no A":    {Problem[float64]{X: x, Y: y, Start: []float64{-inf, 1, 1}, Lambda: 1}, ErrNotFinite},
		"no λ":                {Problem[float64]{X: x, Y: y}, ErrSettings},
		"negative λ":          {Problem[float64]{X: x, Y: y, Lambda: -1}, ErrSettings},
		"λ NaN":               {Problem[float64]{X: x, Y: y, Lambda: nan}, ErrSettings},
		"λ infinite":          {Problem[float64]{X: x, Y: y, Lambda: inf}, ErrSettings},
		"negative weight":     {Problem[float64]{X: x, Y: y, B: []float64{2, -1}, Lambda: 1}, ErrMarginals},
		"weight NaN":          {Problem[float64]{X: x, Y: y, B: []float64{1, nan}, Lambda: 1}, ErrMarginals},
		"weight infinite":     {Problem[float64]{X: x, Y: y, B: []float64{1, inf}, Lambda: 1}, ErrMarginals},
		"sum infinite":        {Problem[float64]{X: x, Y: y, B: []float64{1e308, 1e308}, Lambda: 1}, ErrMarginals},
		"no mass":             {Problem[float64]{X: x, Y: y, B: []float64{0, 0}, Lambda: 1}, ErrMarginals},
		"masses differ":       {Problem[float64]{X: x, Y: y, A: []float64{third, third, third + 1e-5}, Lambda: 1}, ErrMarginals},
		"weight too small":    {Problem[float64]{X: x, Y: y, B: []float64{1, 1e-300}, Lambda: 1}, ErrMarginals},
		"NaN in X":            {Problem[float64]{X: with(x, 3, nan), Y: y, Lambda: 1}, ErrNotFinite},
		"infinity in Y":       {Problem[float64]{X: x, Y: with(y, 0, inf), Lambda: 1}, ErrNotFinite},
		"NaN, no weight":      {Problem[float64]{X: with(x, 0, nan), Y: y, A: []float64{0, .5, .5}, Lambda: 1}, ErrNotFinite},
		"NaN, no weight in B": {Problem[float64]{X: x, Y: with(y, 0, nan), B: []float64{0, 1}, Lambda: 1}, ErrNotFinite},
		"NaN cost":            {Problem[float64]{Cost: with(x, 3, nan), Lambda: 1}, ErrNotFinite},
		"infinite cost":       {Problem[float64]{Cost: with(x, 3, inf), Lambda: 1}, ErrNotFinite},
		"cost −Inf":           {Problem[float64]{Cost: with(x, 3, -inf), Lambda: 1}, ErrNotFinite},
		"distance overflows":  {Problem[float64]{X: with(x, 3, 1e200), Y: y, Lambda: 1}, ErrRange},
		"λ·cost overflows":    {Problem[float64]{X: with(x, 3, 1e150), Y: y, Lambda: 1e12}, ErrRange},
	} {
		for _, domain := range []Domain{DomainAuto, DomainLog} {
			for _, storage := range []Storage{StorageDense, StorageMatrixFree, StorageMixed} {
				s, err := newSolver[float64](&Settings{Domain: domain, Storage: storage})
				if err != nil {
					t.Fatal(err)
				}
				if r, err := s.Solve(t.Context(), &c.p); !errors.Is(err, c.want) || r != nil {
					t.Errorf("%s, %v, %v: %v, result %v; want %v", name, domain, storage, err, r != nil, c.want)
				}
				// The solver can still be used.
				if _, err := s.Solve(t.Context(), &Problem[float64]{X: x, Y: y, Lambda: 1}); err != nil {
					t.Errorf("%s, %v: the next problem: %v", name, domain, err)
				}
			}
		}
	}
	for name, set := range map[string]Settings{
		"iterations": {Iterations: -1}, "tolerance": {Tolerance: -1}, "tolerance NaN": {Tolerance: nan}, "domain": {Domain: 3}, "storage": {Storage: 4},
		"workers": {Workers: -1}, "annealing": {Anneal: 1}, "annealing NaN": {Anneal: nan}, "annealing infinite": {Anneal: inf},
	} {
		if _, err := newSolver[float32](&set); !errors.Is(err, ErrSettings) {
			t.Errorf("settings, %s: %v", name, err)
		}
	}
	for _, lambda := range []float64{-1, nan, inf} {
		if _, err := newSolver[float64](&Settings{Lambda: lambda}); !errors.Is(err, ErrSettings) {
			t.Errorf("λ = %v: %v", lambda, err)
		}
	}
	if r := mustSolve(t, Settings{}, &Problem[float64]{X: x, Y: y, Lambda: 1}); r.PointGradientTo(t.Context(), dist.NewMatrix[float64](3, 2, nil), dist.NewMatrix[float64](2, 2, nil), GradientUnrolled) != errNoGradient {
		t.Error("a gradient without Settings.Gradient")
	}
	s, _ := newSolver[float64](nil)
	r, err := s.Solve(t.Context(), &Problem[float64]{X: x, Y: y, Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Solve(t.Context(), &Problem[float64]{X: x, Y: y}); err == nil {
		t.Error("no λ")
	}
	if v := panicOf(func() { r.PotentialsTo(nil, nil) }); v != "sinkhorn: no valid Result: Solve makes one, and the next call of the Solver ends it" {
		t.Errorf("a result before a solve that failed: %v", v)
	}
	s, _ = newSolver[float64](&Settings{Domain: DomainPlain, Iterations: 3})
	if _, err := s.Solve(t.Context(), &Problem[float64]{X: x, Y: with(y, 0, 1e6), Lambda: 1e3}); err != errUnderflow {
		t.Errorf("plain domain far out: %v", err)
	}
}

// countdown is a context that ends after a number of checks.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// checkNoResult checks that all methods of a result report that the solve ended before its first
// iteration.
func checkNoResult[T dist.Float](t *testing.T, r *Result[T]) {
	t.Helper()
	if r.Status != StatusCanceled || r.Iterations != 0 || !math.IsNaN(r.Cost) || !math.IsNaN(r.MarginalError) {
		t.Errorf("%+v", r)
	}
	kernel, ctx := &iterationOf(r).kernel, t.Context()
	n, m := kernel.N(), kernel.M()
	plan := dist.NewMatrix[T](n, m, nil)
	cost, err := r.RegularizedCost(ctx)
	errs := []error{err, r.PlanTo(ctx, plan, 0), r.PlanTo(ctx, plan.RowRange(0, 1), n-1), r.PotentialsTo(make([]T, n), make([]T, m)), r.CostGradientTo(ctx, plan, GradientFrozen)}
	if p := kernel.P(); p > 0 {
		dx, dy := dist.NewMatrix[T](n, p, nil), dist.NewMatrix[T](m, p, nil)
		errs = append(errs, r.BarycentricTo(ctx, dx), r.PointGradientTo(ctx, dx, dy, GradientUnrolled), r.PointGradientTo(ctx, dx, dy, GradientImplicit))
	}
	for i, err := range errs {
		if err != ErrNoResult {
			t.Errorf("question %d: %v", i, err)
		}
	}
	if !math.IsNaN(cost) {
		t.Errorf("regularized cost %v", cost)
	}
}

// TestCanceled ends the context at many checks. The result of a canceled solve must be the result of its last complete
// iteration, and the solver must remain usable.
func TestCanceled(t *testing.T) {
	for _, shape := range [][2]int{{20, 15}, {800, 700}} {
		n, m := shape[0], shape[1]
		rng := rand.New(rand.NewPCG(2, 2))
		for _, lambda := range []float64{0.1, 30} {
			for _, storage := range []Storage{StorageDense, StorageMatrixFree, StorageMixed} {
				if !testdata.IsLong() && n > 100 && (lambda > 1) != (storage == StorageMatrixFree) {
					continue // only long tests combine each λ with each storage
				}
				p := &Problem[float64]{X: cloud[float64](rng, n, 2, 0), Y: cloud[float64](rng, m, 2, 1), Lambda: lambda}
				s, err := newSolver[float64](&Settings{Iterations: 4, Storage: storage, Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				plans, got := map[int]dist.Matrix[float64]{}, dist.NewMatrix[float64](n, m, nil)
				seen := map[int]bool{}
				for left := 0; ; left += 1 + left/5 {
					r, err := s.Solve(&countdown{t.Context(), left}, p)
					if err == nil {
						if r.Iterations != 4 || r.Status != StatusCompleted {
							t.Errorf("%v after %d iterations", r.Status, r.Iterations)
						}
						break
					}
					if err != context.Canceled {
						t.Fatal(err)
					}
					if r.Iterations == 0 {
						checkNoResult(t, r)
						continue
					}
					if r.Status != StatusCanceled || !math.IsNaN(r.Cost) {
						t.Errorf("status %v, cost %v", r.Status, r.Cost)
					}
					k, marginal := r.Iterations, r.MarginalError
					r.PlanTo(t.Context(), got, 0)
					if !seen[k] {
						seen[k] = true
						plans[k] = dist.NewMatrix[float64](n, m, nil)
						want := mustSolve(t, Settings{Iterations: k, Storage: storage}, p)
						want.PlanTo(t.Context(), plans[k], 0)
						limit := 1e-13
						if storage == StorageMixed {
							limit = 1e-7 // StorageMixed rounds K to float32
						}
						if e := math.Abs(marginal - want.MarginalError); !(e <= limit) {
							t.Errorf("%d×%d, λ = %v, %v: canceled after %d iterations, marginal error %v, want %v", n, m, lambda, storage, k, marginal, want.MarginalError)
						}
					}
					limit := 1e-13
					if storage == StorageMixed && n*m > gibbs.LargeSize {
						limit = 1e-7 // a canceled solve omits the pass that corrects u for the rounding of K
					}
					if e := maxDifference(got, plans[k]); !(e <= limit) {
						t.Errorf("%d×%d, λ = %v, %v: canceled after %d iterations, plan is off by %.3g", n, m, lambda, storage, k, e)
					}
				}
			}
		}
	}
}

// TestCancelLarge checks that a large problem checks its context many times within an iteration and
// stops at once.
func TestCancelLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	n := 20000
	p := &Problem[float32]{X: cloud[float32](rng, n, 2, 0), Y: cloud[float32](rng, n, 2, 1), Lambda: 0.1}
	s, err := newSolver[float32](&Settings{Storage: StorageMatrixFree, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx := &countdown{t.Context(), 50} // a full pass would check the context more than a thousand times
	if _, err := s.Solve(ctx, p); err != context.Canceled {
		t.Fatalf("error %v, want that of the context", err)
	}
	if more := -ctx.left; more > 5 {
		t.Errorf("%d checks of a context that had ended", more)
	}
}

// TestGradientCanceled checks that the computation of a gradient stops when its context ends, and that the result remains
// usable.
func TestGradientCanceled(t *testing.T) {
	for _, n := range []int{20, 800} {
		rng := rand.New(rand.NewPCG(2, 3))
		p := &Problem[float64]{X: cloud[float64](rng, n, 2, 0), Y: cloud[float64](rng, n, 2, 0), Lambda: 2}
		s, err := newSolver[float64](&Settings{Tolerance: 5e-5, Iterations: 500, Gradient: true})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		r, err := s.Solve(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		plan, after := dist.NewMatrix[float64](n, n, nil), dist.NewMatrix[float64](n, n, nil)
		dx, dy := dist.NewMatrix[float64](n, 2, nil), dist.NewMatrix[float64](n, 2, nil)
		r.PlanTo(t.Context(), plan, 0)
		cancel()
		if err := r.PointGradientTo(ctx, dx, dy, GradientUnrolled); err != context.Canceled {
			t.Errorf("n = %d: unrolled gradient: %v", n, err)
		}
		if err := r.CostGradientTo(ctx, after, GradientUnrolled); err != context.Canceled {
			t.Errorf("n = %d: gradient of the costs: %v", n, err)
		}
		if err := r.PointGradientTo(ctx, dx, dy, GradientImplicit); n > 100 && err != context.Canceled {
			t.Errorf("n = %d: implicit gradient: %v", n, err)
		}
		r.PlanTo(t.Context(), after, 0)
		if e := maxDifference(after, plan); e != 0 {
			t.Errorf("n = %d: the plan has changed by %.3g", n, e)
		}
		if c := regularized(t, r); c-c != 0 {
			t.Errorf("n = %d: regularized cost %v", n, c)
		}
	}
}
