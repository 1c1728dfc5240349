package sinkhorn

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func batchProblems[T dist.Float](count int) []Problem[T] {
	rng := rand.New(rand.NewPCG(41, 1))
	ps := make([]Problem[T], count)
	for i := range ps {
		n, m := 1+rng.IntN(40), 1+rng.IntN(40)
		ps[i] = Problem[T]{X: cloud[T](rng, n, 2, 0), Y: cloud[T](rng, m, 2, 0.5), Lambda: 0.1 + 30*rng.Float64()}
	}
	return ps
}

// TestSolveBatch compares results and errors of SolveBatch with Solve for several numbers of workers, and checks that
// SolveBatch does not allocate.
func TestSolveBatch(t *testing.T) {
	ps := batchProblems[float64](300)
	ps[17].Lambda = -1
	one, err := NewSolver[float64](&Settings{})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, len(ps))
	for i := range ps {
		if r, err := one.Solve(t.Context(), &ps[i]); err == nil {
			want[i] = r.Cost
		}
	}
	for _, workers := range []int{1, 2, 7} {
		s, err := NewSolver[float64](&Settings{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, len(ps))
		var visits atomic.Int32
		visit := func(i int, r *Result[float64], err error) {
			visits.Add(1)
			if (err != nil) != (i == 17) || err != nil && !errors.Is(err, ErrSettings) {
				t.Errorf("problem %d: %v", i, err)
			}
			if err == nil {
				got[i] = r.Cost
			}
		}
		run := func() {
			if err := s.SolveBatch(t.Context(), ps, visit); err != nil {
				t.Error(err)
			}
		}
		run()
		if v := visits.Load(); int(v) != len(ps) {
			t.Errorf("%d visits", v)
		}
		for i, w := range want {
			if got[i] != w {
				t.Errorf("%d workers, problem %d: cost %v, want %v", workers, i, got[i], w)
				break
			}
		}
		if workers == 1 {
			ps[17].Lambda = 1 // errors allocate
			if k := asmtest.Allocations(func() { s.SolveBatch(t.Context(), ps, func(int, *Result[float64], error) {}) }); k > 0 {
				t.Errorf("%v allocations", k)
			}
			ps[17].Lambda = -1
		}
	}
}

func TestSolveBatchCanceled(t *testing.T) {
	ps := batchProblems[float32](200)
	s, err := NewSolver[float32](&Settings{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var visits, late atomic.Int32
	var ended atomic.Bool
	err = s.SolveBatch(ctx, ps, func(i int, r *Result[float32], err error) {
		if ended.Load() {
			late.Add(1)
		}
		if visits.Add(1) == 10 {
			cancel()
			ended.Store(true)
		}
	})
	if err != context.Canceled || late.Load() > 2*num.MaxLanes { // both workers finish the problems in progress
		t.Errorf("%v after %d visits, of which %d after the end", err, visits.Load(), late.Load())
	}
	if err := s.SolveBatch(t.Context(), nil, nil); err != nil {
		t.Errorf("no problems: %v", err)
	}
}
