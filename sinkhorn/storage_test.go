package sinkhorn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/gibbs"
	"github.com/gomonge/monge/internal/testdata"
)

// allResults returns all results of a solve.
func allResults[T dist.Float](t testing.TB, set Settings, p *Problem[T]) map[string][]T {
	t.Helper()
	return everythingOf(t, mustSolve(t, set, p))
}

func everythingOf[T dist.Float](t testing.TB, r *Result[T]) map[string][]T {
	t.Helper()
	p := &iterationOf(r).problem
	n, m, d := p.X.Rows, p.Y.Rows, p.X.Cols
	plan, dx, dy, bary := dist.NewMatrix[T](n, m, nil), dist.NewMatrix[T](n, d, nil), dist.NewMatrix[T](m, d, nil), dist.NewMatrix[T](n, d, nil)
	f, g, row := make([]T, n), make([]T, m), make([]T, m)
	if err := r.PointGradientTo(t.Context(), dx, dy, GradientUnrolled); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.PlanTo(t.Context(), plan, 0), r.PlanTo(t.Context(), dist.NewMatrix(1, m, row), n/2), r.BarycentricTo(t.Context(), bary)); err != nil {
		t.Fatal(err)
	}
	r.PotentialsTo(f, g)
	return map[string][]T{
		"cost": {T(r.Cost)}, "error": {T(r.MarginalError)}, "regularized cost": {T(regularized(t, r))},
		"plan": plan.Data, "row": row, "projection": bary.Data, "f": f, "g": g, "∂X": dx.Data, "∂Y": dy.Data,
	}
}

// sameBits compares two maps of results. Any two NaN are equal.
func sameBits[T dist.Float](t testing.TB, what string, got, want map[string][]T) {
	t.Helper()
	for name, w := range want {
		for k, g := range got[name] {
			if math.Float64bits(float64(g)) != math.Float64bits(float64(w[k])) && !(g != g && w[k] != w[k]) {
				t.Errorf("%s: %s[%d] is %v, want %v", what, name, k, g, w[k])
				break
			}
		}
	}
}

// TestStorageAndWorkers checks that results have the same bits for any storage of K and any number of workers.
func TestStorageAndWorkers(t *testing.T) {
	t.Run("float64", storageAndWorkers[float64])
	t.Run("float32", storageAndWorkers[float32])
}

func storageAndWorkers[T dist.Float](t *testing.T) {
	shapes := [][3]int{{1, 1, 1}, {1, 40, 2}, {40, 1, 2}, {25, 31, 3}, {90, 77, 70}, {801, 703, 2}, {17, 40000, 1}, {9000, 61, 1}}
	if !testdata.IsLong() {
		shapes = shapes[:6]
	}
	for _, shape := range shapes {
		n, m, d := shape[0], shape[1], shape[2]
		lambdas, domains := []float64{0.3, 30}, []Domain{DomainAuto, DomainLog}
		if n*m > gibbs.LargeSize && !testdata.IsLong() {
			lambdas, domains = lambdas[1:], domains[:1]
		}
		rng := rand.New(rand.NewPCG(uint64(n), uint64(m)))
		p := &Problem[T]{X: cloud[T](rng, n, d, 0), Y: cloud[T](rng, m, d, 0.5), A: gradientWeights[T](rng, n, n > 1), B: gradientWeights[T](rng, m, m > 1)}
		for _, lambda := range lambdas {
			for _, domain := range domains {
				p.Lambda = lambda / float64(d)
				set := Settings{Iterations: 4, Domain: domain, Gradient: true, Storage: StorageDense, Workers: 1}
				want := allResults(t, set, p)
				for _, storage := range []Storage{StorageDense, StorageMatrixFree} {
					for _, workers := range []int{1, 2, 5} {
						set.Storage, set.Workers = storage, workers
						sameBits(t, fmt.Sprintf("%d×%d, d = %d, λ = %v, %v, %v, %d workers", n, m, d, lambda, domain, storage, workers), allResults(t, set, p), want)
					}
				}
			}
		}
	}
}

// TestStorageToTolerance checks that the storage of K does not affect the bits of a result, even if Solve has to find
// better initial potentials. For some problems, exactStart must find these potentials.
func TestStorageToTolerance(t *testing.T) {
	t.Run("float64", func(t *testing.T) { storageToTolerance[float64](t, 1e-9, []float64{1e3, 1e5, 1e6}) })
	t.Run("float32", func(t *testing.T) { storageToTolerance[float32](t, 1e-8, []float64{1e3, 5e3}) })
}

func storageToTolerance[T dist.Float](t *testing.T, tolerance float64, lambdas []float64) {
	exact := 0
	for i := range 12 {
		d := []int{1, 2, 70}[i%3]
		rng := rand.New(rand.NewPCG(uint64(i), 27))
		n, m := 2+rng.IntN(40), 2+rng.IntN(40)
		p := &Problem[T]{X: dist.NewMatrix[T](n, d, nil), Y: dist.NewMatrix[T](m, d, nil), A: gradientWeights[T](rng, n, i%2 > 0), B: gradientWeights[T](rng, m, i%4 > 1)}
		for _, c := range []dist.Matrix[T]{p.X, p.Y} {
			for k := range c.Data {
				if c.Data[k] = T(rng.Float64()); i > 5 {
					c.Data[k] = T(rng.IntN(8)) / 8 // ties
				}
			}
		}
		for _, lambda := range lambdas {
			p.Lambda = lambda / float64(d)
			var want map[string][]T
			for _, storage := range []Storage{StorageDense, StorageMatrixFree, StorageAuto} {
				s, err := newSolver[T](&Settings{Tolerance: tolerance, Iterations: 1000, Storage: storage})
				if err != nil {
					t.Fatal(err)
				}
				r, err := s.Solve(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				plan, f, g := dist.NewMatrix[T](n, m, nil), make([]T, n), make([]T, m)
				if err := errors.Join(r.PlanTo(t.Context(), plan, 0), r.PotentialsTo(f, g)); err != nil {
					t.Fatal(err)
				}
				got := map[string][]T{"plan": plan.Data, "f": f, "g": g, "cost, error": {T(r.Cost), T(r.MarginalError)}, "status, passes": {T(r.Status), T(r.Iterations), T(r.Annealing)}}
				if want == nil {
					want = got
					if s.solution.exact.simplex.Work > 0 {
						exact++
					}
				}
				sameBits(t, fmt.Sprintf("problem %d, λ = %v, %v", i, lambda, storage), got, want)
			}
		}
	}
	if exact < 2 {
		t.Errorf("%d problems have an exact start", exact)
	}
}

// TestMaxMemory checks that a memory limit either causes an error or does not change the result. To solve the test problem,
// Newton's method uses a sparse list and a Cholesky factor.
func TestMaxMemory(t *testing.T) {
	p := slowProblem[float64](150, 3000)
	for _, storage := range []Storage{StorageDense, StorageMatrixFree, StorageMixed} {
		set := Settings{Tolerance: 1e-11, Storage: storage}
		s, err := newSolver[float64](&set)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(t.Context(), p)
		if err != nil || r.Status != StatusConverged || len(s.system.direct.h) == 0 || s.system.sparse.count.Load() == 0 {
			t.Fatalf("%v: %v, a factor of %d elements, a list of %d", storage, err, len(s.system.direct.h), s.system.sparse.count.Load())
		}
		set.MaxMemory = int64(math.Ceil(s.allocatedBytes))
		if same := mustSolve(t, set, p); same.Iterations != r.Iterations || same.MarginalError != r.MarginalError || same.Cost != r.Cost {
			t.Errorf("%v: %v after %d passes; in the least memory, %v after %d", storage, r.Cost, r.Iterations, same.Cost, same.Iterations)
		}
		set.MaxMemory -= 1
		least, err := newSolver[float64](&set)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := least.Solve(t.Context(), p); !errors.Is(err, ErrSettings) {
			t.Errorf("%v: a byte less: %v", storage, err)
		}
	}
}

// TestReuse checks that results do not depend on earlier problems of the solver, although data of a
// wider problem may remain in memory behind the columns of a narrower problem.
func TestReuse(t *testing.T) {
	t.Run("float64", reuse[float64])
	t.Run("float32", reuse[float32])
}

func reuse[T dist.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 4))
	nans := dist.NewMatrix(96, 1, slices.Repeat([]T{T(math.NaN())}, 96))
	for _, storage := range []Storage{StorageDense, StorageMatrixFree, StorageMixed} {
		for _, domain := range []Domain{DomainPlain, DomainLog} {
			s, err := newSolver[T](&Settings{Storage: storage, Domain: domain, Gradient: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []int{64, 33, 7, 40, 16, 1, 31, 9} {
				for _, v := range [][]T{s.own.vs, s.own.q, s.gradients.reverse.v, s.gradients.reverse.t} {
					for j := range v[:cap(v)] {
						v[:cap(v)][j] = T(math.NaN())
					}
				}
				kernel := &s.kernel
				kernel.SetPoints(nans, nans)
				s.own.layOutKernel()
				kernel.Allocate()
				if err := errors.Join(kernel.Transpose(t.Context()), kernel.Fill(t.Context())); err != nil {
					t.Fatal(err)
				}
				p := &Problem[T]{X: cloud[T](rng, 50-m/2, 2, 0), Y: cloud[T](rng, m, 2, 0.5), Lambda: 0.7}
				r, err := s.Solve(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				sameBits(t, fmt.Sprintf("%v, %v, m = %d", storage, domain, m), everythingOf(t, r), allResults(t, s.settings, p))
			}
		}
	}
}

// TestLevels checks that results have the same bits for every instruction set.
func TestLevels(t *testing.T) {
	t.Run("float64", checkLevels[float64])
	t.Run("float32", checkLevels[float32])
}

// TestRowsOfPlan compares the whole plan with the plan written in blocks of rows, and the barycentric
// projection with its definition.
func TestRowsOfPlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	n, m, d := 30, 21, 3
	x, y := cloud[float64](rng, n, d, 0), cloud[float64](rng, m, d, 1)
	for _, domain := range []Domain{DomainPlain, DomainLog} {
		a := gradientWeights[float64](rng, n, true)
		r := mustSolve(t, Settings{Domain: domain, Iterations: 7}, &Problem[float64]{X: x, Y: y, A: a, Lambda: 0.2})
		plan, bary, row := dist.NewMatrix[float64](n, m, nil), dist.NewMatrix[float64](n, d, nil), make([]float64, m)
		r.PlanTo(t.Context(), plan, 0)
		r.BarycentricTo(t.Context(), bary)
		for i := range n {
			r.PlanTo(t.Context(), dist.NewMatrix(1, m, row), i)
			var sum float64
			mean := make([]float64, d)
			for j, v := range row {
				if v != plan.At(i, j) {
					t.Fatalf("%v: row %d, column %d is %v, in the plan %v", domain, i, j, v, plan.At(i, j))
				}
				sum += v
				for l := range mean {
					mean[l] += v * y.At(j, l)
				}
			}
			if math.Abs(sum-a[i]) > 1e-15 {
				t.Errorf("%v: row %d sums to %v, want %v", domain, i, sum, a[i])
			}
			for l, v := range mean {
				if got := bary.At(i, l); a[i] == 0 {
					if !math.IsNaN(got) {
						t.Errorf("%v: projection of a point without weight is %v", domain, got)
					}
				} else if math.Abs(got-v/a[i]) > 1e-13 {
					t.Errorf("%v: projection of point %d is %v, want %v", domain, i, got, v/a[i])
				}
			}
		}
	}
}
