package sinkhorn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/testdata"
)

// answer contains all data of a Result.
type answer[T dist.Float] struct {
	res         Result[T]
	regularized float64
	plan, f, g  []T
	row         []T
	err         error
}

func answerOf[T dist.Float](t *testing.T, p *Problem[T], r *Result[T], err error) (a answer[T]) {
	a.err = err
	if r == nil {
		return a
	}
	n, m := max(p.Cost.Rows, p.X.Rows), max(p.Cost.Cols, p.Y.Rows)
	plan := dist.NewMatrix[T](n, m, nil)
	if err := r.PlanTo(context.WithoutCancel(t.Context()), plan, 0); err != nil {
		t.Error(err)
	}
	a.plan, a.f, a.g, a.row = plan.Data, make([]T, n), make([]T, m), make([]T, m)
	r.PotentialsTo(a.f, a.g)
	if err := r.PlanTo(context.WithoutCancel(t.Context()), dist.NewMatrix(1, m, a.row), n/2); err != nil {
		t.Error(err)
	}
	a.regularized = regularized(t, r)
	a.res = *r
	a.res.impl, a.res.serial = nil, 0
	return a
}

// equalBits reports whether two answers have the same bits.
func (a answer[T]) equalBits(b answer[T]) bool {
	bits := func(x, y []T) bool {
		return slices.EqualFunc(x, y, func(x, y T) bool { return x == y || x != x && y != y })
	}
	number := func(x, y float64) bool { return x == y || x != x && y != y }
	ra, rb := a.res, b.res
	ok := number(ra.Cost, rb.Cost) && number(ra.MarginalError, rb.MarginalError) && number(a.regularized, b.regularized)
	ra.Cost, rb.Cost, ra.MarginalError, rb.MarginalError = 0, 0, 0, 0
	return ok && ra == rb && bits(a.plan, b.plan) && bits(a.f, b.f) && bits(a.g, b.g) && bits(a.row, b.row) &&
		fmt.Sprint(a.err) == fmt.Sprint(b.err)
}

// TestTogether solves problems with the same kernel matrix K together. The results must be bit-identical to results of Solve,
// for every instruction set, every storage and several sizes of K. Some problems need DomainLog, and some cannot be solved.
func TestTogether(t *testing.T) {
	t.Run("float64", testSolvedTogether[float64])
	t.Run("float32", testSolvedTogether[float32])
}

func testSolvedTogether[T dist.Float](t *testing.T) {
	best := asm.Current()
	for i, set := range []Settings{
		{}, {Storage: StorageMatrixFree}, {Storage: StorageMixed}, {Domain: DomainPlain}, {Domain: DomainLog}, {Tolerance: 1e-3, Iterations: 100}, {Gradient: true},
		{Anneal: 4, Tolerance: 1e-2, Iterations: 50}, {Tolerance: 1e-3, Iterations: 30, Storage: StorageMixed}, {Tolerance: 1e-6, Iterations: 200, Unaccelerated: true},
	} {
		for _, shape := range [][2]int{{9, 5}, {40, 61}, {140, 61}, {1100, 700}} { // K of the last shapes does not fit in the L1 cache
			n, m := shape[0], shape[1]
			if n > 1000 && !testdata.IsLong() {
				m = 500 // a large problem
			}
			if n > 1000 && (!testdata.IsLong() && (i > 0 || !num.IsFloat64[T]()) || set.Domain == DomainLog || set.Tolerance > 0 || set.Gradient) {
				continue
			}
			if n > 9 && n < 1000 && !testdata.IsLong() && i%2 == 0 != num.IsFloat64[T]() {
				continue // tested with the other float type
			}
			for lv := range asmtest.Each(t) {
				if n > 100 && lv == asm.Ref && i > 0 && !testdata.IsLong() {
					continue
				}
				if n > 1000 && (lv == asm.Ref || !testdata.IsLong() && lv != best) {
					continue
				}
				t.Run(fmt.Sprintf("%v %v tolerance %v gradient %v/%d×%d/%v", set.Storage, set.Domain, set.Tolerance, set.Gradient, n, m, lv), func(t *testing.T) {
					batchIsSolve(t, t.Context(), set, oneKernel[T](n, m))
				})
			}
		}
	}
}

// batchIsSolve checks that SolveBatch with two workers returns the same results as Solve.
func batchIsSolve[T dist.Float](t *testing.T, ctx context.Context, set Settings, ps []Problem[T]) {
	t.Helper()
	set.Workers = 1
	one, err := newSolver[T](&set)
	if err != nil {
		t.Fatal(err)
	}
	set.Workers = 2
	s, err := newSolver[T](&set)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]answer[T], len(ps))
	if err := s.SolveBatch(ctx, ps, func(i int, r *Result[T], err error) { got[i] = answerOf(t, &ps[i], r, err) }); err != nil {
		t.Fatal(err)
	}
	for i := range ps {
		r, err := one.Solve(ctx, &ps[i])
		if want := answerOf(t, &ps[i], r, err); !want.equalBits(got[i]) {
			t.Errorf("problem %d: %+v %v, want %+v %v", i, got[i].res, got[i].err, want.res, want.err)
		}
	}
}

// oneKernel returns a list of problems in which consecutive problems mostly share λ and the points or the cost matrix.
// The problems have different marginals and starts. Some problems have zero weights or invalid input.
func oneKernel[T dist.Float](n, m int) []Problem[T] {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	x, y := cloud[T](rng, n, 2, 0), cloud[T](rng, m, 2, 0.4)
	cost := dist.NewMatrix[T](n, m, nil)
	for i := range cost.Data {
		cost.Data[i] = T(rng.Float64())
	}
	start, far := make([]T, n), make([]T, n)
	for i := range start {
		start[i], far[i] = T(rng.Float64()), T(400*rng.Float64())
	}
	points := func(lambda float64) Problem[T] {
		return Problem[T]{X: x, Y: y, B: gradientWeights[T](rng, m, false), Lambda: lambda}
	}
	var ps []Problem[T]
	for i := range 22 {
		p := points(0.3)
		switch i {
		case 3:
			p.A, p.B = gradientWeights[T](rng, n, true), gradientWeights[T](rng, m, true)
		case 4:
			p.Start = start
		case 5:
			p.Start = far // start potentials up to 400, which are too large for DomainPlain
		case 6:
			p.B = p.B[:m-1]
		case 7:
			p.A = make([]T, n)
			p.A[n-1] = -1
		case 11:
			p.B = nil
		}
		ps = append(ps, p)
	}
	ps = append(ps, points(0.2), points(300), points(300), points(300)) // λ = 0.2 occurs once; λ = 300 needs the log domain
	for range 6 {
		ps = append(ps, Problem[T]{Cost: cost, B: gradientWeights[T](rng, m, false), Lambda: 2})
	}
	broken := dist.NewMatrix[T](n, m, nil)
	broken.Data[len(broken.Data)/2] = T(math.NaN())
	return append(ps, Problem[T]{Cost: broken, Lambda: 1}, Problem[T]{Cost: broken, Lambda: 1})
}

// TestTogetherAllocatesNothing checks that batches do not allocate after warm-up.
func TestTogetherAllocatesNothing(t *testing.T) {
	ps := oneKernel[float64](40, 61)[8:22]
	s, err := newSolver[float64](&Settings{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	solve := func() {
		if err := s.SolveBatch(t.Context(), ps, func(int, *Result[float64], error) {}); err != nil {
			t.Fatal(err)
		}
	}
	if k := asmtest.Allocations(solve); k > 0 {
		t.Errorf("%v allocations", k)
	}
}

// TestTogetherCanceled ends the context during the iterations of a batch. The results passed to visit must be results of
// complete iterations, like results of a canceled Solve.
func TestTogetherCanceled(t *testing.T) {
	const n = 40
	for _, after := range []int{0, 3, 60, 500} {
		ps := oneKernel[float64](n, 61)[8:22]
		s, err := newSolver[float64](&Settings{Workers: 1, Iterations: 1000})
		if err != nil {
			t.Fatal(err)
		}
		visits := 0
		err = s.SolveBatch(&countdown{t.Context(), after}, ps, func(i int, r *Result[float64], err error) {
			visits++
			if err != context.Canceled {
				t.Errorf("problem %d: %v", i, err)
			}
			if r.Iterations == 0 {
				checkNoResult(t, r)
				return
			}
			if r.Status != StatusCanceled || r.Cost == r.Cost {
				t.Errorf("problem %d: %+v", i, r)
			}
			exact, err := newSolver[float64](&Settings{Iterations: r.Iterations})
			if err != nil {
				t.Fatal(err)
			}
			want, err := exact.Solve(t.Context(), &ps[i])
			if err != nil || want.MarginalError != r.MarginalError {
				t.Errorf("problem %d: marginal error %v after %d iterations, want %v (%v)", i, r.MarginalError, r.Iterations, want.MarginalError, err)
			}
		})
		if err != context.Canceled || after > 0 && visits != len(ps) {
			t.Errorf("%v after %d visits", err, visits)
		}
	}
}

// overdue is a context whose deadline timer never fires.
type overdue struct {
	context.Context
	end time.Time
}

func (o overdue) Deadline() (time.Time, bool) { return o.end, true }

// TestDeadline checks that a deadline ends a solve and a batch although the timer of the context never fires. The results must
// be results of the last whole iterations.
func TestDeadline(t *testing.T) {
	ps := oneKernel[float64](40, 61)[8:22]
	s, err := newSolver[float64](&Settings{Workers: 1, Iterations: math.MaxInt32})
	if err != nil {
		t.Fatal(err)
	}
	check := func(r *Result[float64], err error) {
		if r.Iterations == 0 { // possible on a very busy machine
			checkNoResult(t, r)
		} else if err != context.DeadlineExceeded || r.Status != StatusCanceled || !(r.MarginalError >= 0) {
			t.Errorf("%+v, %v", r, err)
		}
	}
	soon := func() context.Context { return overdue{t.Context(), time.Now().Add(20 * time.Millisecond)} }
	check(s.Solve(soon(), &ps[0]))
	visits := 0
	err = s.SolveBatch(soon(), ps, func(_ int, r *Result[float64], err error) {
		visits++
		check(r, err)
	})
	if err != context.DeadlineExceeded || visits != len(ps) {
		t.Errorf("%v after %d visits", err, visits)
	}
	r, err := s.Solve(overdue{t.Context(), time.Now()}, &ps[0])
	if err != context.DeadlineExceeded {
		t.Errorf("deadline before the first iteration: %v", err)
	}
	checkNoResult(t, r)
}
