package sinkhorn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
)

// TestLanes checks that results of SolveBatch for small problems are bit-identical to results of Solve, for every instruction
// set. The problems are given by costs or by points in several dimensions. They differ in λ, start and marginals. Some problems
// have zero weights or invalid input, need the log domain, converge slowly, or converge at once.
func TestLanes(t *testing.T) {
	t.Run("float64", inLanes[float64])
	t.Run("float32", inLanes[float32])
}

func inLanes[T dist.Float](t *testing.T) {
	ps := smallProblems[T](90)
	for _, set := range []Settings{
		{}, {Storage: StorageMatrixFree}, {Storage: StorageMixed}, {Domain: DomainPlain}, {Domain: DomainLog}, {Iterations: 1}, {Gradient: true},
		{Tolerance: 1e-3, Iterations: 100}, {Tolerance: 1e-5}, {Tolerance: 1e-6, Iterations: 50, Unaccelerated: true}, {MaxMemory: 15 << 10},
	} {
		for lv := range asmtest.Each(t) {
			t.Run(fmt.Sprintf("%+v/%v", set, lv), func(t *testing.T) {
				batchIsSolve(t, t.Context(), set, ps)
			})
		}
	}
}

// smallProblems returns problems of at most 33 × 33 points.
func smallProblems[T dist.Float](count int) []Problem[T] {
	rng := rand.New(rand.NewPCG(5, 8))
	ps := make([]Problem[T], count)
	for i := range ps {
		n, m, d := 1+rng.IntN(33), 1+rng.IntN(33), 1+rng.IntN(3)
		if i%3 == 0 {
			n, m = 9, 16 // a third of the problems have the same shape
		}
		p := &ps[i]
		p.Lambda = 0.1 + 3*rng.Float64()
		if i%4 == 1 {
			p.Cost = dist.NewMatrix[T](n, m+1, nil)
			for j := range p.Cost.Data {
				p.Cost.Data[j] = T(rng.Float64())
			}
			p.Cost.Cols = m // the stride is larger than Cols
		} else {
			p.X, p.Y = cloud[T](rng, n, d, 0), cloud[T](rng, m, d, 0.4)
		}
		switch i % 7 {
		case 1:
			p.A, p.B = gradientWeights[T](rng, n, n > 2), gradientWeights[T](rng, m, m > 2)
		case 2:
			p.Start = make([]T, n)
			for j := range p.Start {
				p.Start[j] = T(rng.Float64())
			}
		case 3:
			p.B = gradientWeights[T](rng, m, false)
		}
		switch i {
		case 20:
			p.Lambda = -1
		case 21:
			p.B = make([]T, m+1)
		case 22:
			p.X.Data[0] /= 0
		case 23, 24, 25, 26:
			p.Lambda = 1000 // so large that the solver leaves the plain domain
		case 30:
			p.PenaltyA = 1
		case 31:
			p.A, p.B = make([]T, n), nil // no mass
		}
	}
	return ps
}

// TestLanesCosts is like TestLanes for cost matrices. The problems have different numbers of rows
// and columns.
func TestLanesCosts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	ps := make([]Problem[float64], 24)
	for i := range ps {
		ps[i] = Problem[float64]{Cost: dist.NewMatrix[float64](8+i%3, 13+i%4, nil), Lambda: 2}
		for j := range ps[i].Cost.Data {
			ps[i].Cost.Data[j] = rng.Float64()
		}
	}
	for range asmtest.Each(t) {
		batchIsSolve(t, t.Context(), Settings{}, ps)
	}
}

// TestLanesCanceled checks that small problems return their current iterates when the context ends, like a canceled Solve.
// Without the cancellation, the batch would never end.
func TestLanesCanceled(t *testing.T) {
	ps := smallProblems[float64](10)
	for i := range ps {
		ps[i].Lambda = 0.5
	}
	s, err := newSolver[float64](&Settings{Iterations: 1 << 30, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	one, err := newSolver[float64](&Settings{Workers: 1, Iterations: 7})
	if err != nil {
		t.Fatal(err)
	}
	ctx := &countdown{t.Context(), 8}
	visits := 0
	err = s.SolveBatch(ctx, ps, func(i int, r *Result[float64], err error) {
		visits++
		if err != context.Canceled || r == nil || r.Status != StatusCanceled || r.Iterations == 0 {
			t.Fatalf("problem %d: %v, %+v", i, err, r)
		}
		one.settings.Iterations = r.Iterations
		w, err := one.Solve(t.Context(), &ps[i])
		if err != nil {
			t.Fatal(err)
		}
		want, got := answerOf(t, &ps[i], w, nil), answerOf(t, &ps[i], r, nil)
		want.res.Status, want.res.Cost, want.regularized = StatusCanceled, got.res.Cost, got.regularized
		if !want.equalBits(got) {
			t.Errorf("problem %d: %+v, want %+v", i, got.res, want.res)
		}
	})
	if err != context.Canceled || visits == 0 {
		t.Errorf("%v after %d visits", err, visits)
	}
}

// TestLanesAllocate checks that lanes do not allocate after warm-up.
func TestLanesAllocate(t *testing.T) {
	var ps []Problem[float64]
	for _, p := range smallProblems[float64](60) {
		if p.Lambda > 0 && p.Lambda < 10 && p.PenaltyA == 0 && len(p.B) <= 33 && p.X.Cols < 3 {
			ps = append(ps, p)
		}
	}
	for _, set := range []Settings{{Workers: 1}, {Workers: 1, Tolerance: 1e-3, Iterations: 100}} {
		s, err := newSolver[float64](&set)
		if err != nil {
			t.Fatal(err)
		}
		f, g := make([]float64, 33), make([]float64, 33)
		failed := 0
		run := func() {
			failed = 0
			err := s.SolveBatch(t.Context(), ps, func(i int, r *Result[float64], err error) {
				if err != nil {
					failed++
					return
				}
				r.PotentialsTo(f[:max(ps[i].Cost.Rows, ps[i].X.Rows)], g[:max(ps[i].Cost.Cols, ps[i].Y.Rows)])
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		run()
		if k := asmtest.Allocations(run); k > float64(12*failed) {
			t.Errorf("%+v: %v allocations, %d problems failed", set, k, failed)
		}
	}
}
