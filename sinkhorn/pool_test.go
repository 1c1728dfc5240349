package sinkhorn

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
)

// TestPool checks that concurrent goroutines get the same results from a Pool as from a separate Solver. The Pool must never
// solve more problems at a time than it has solvers.
func TestPool(t *testing.T) {
	const solvers, goroutines, each = 3, 8, 20
	pool, err := NewPool[float64](&Settings{Lambda: 0.1, Workers: 1}, solvers)
	if err != nil {
		t.Fatal(err)
	}
	var now, most atomic.Int32
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(g)))
			own, _ := NewSolver[float64](&Settings{Lambda: 0.1, Workers: 1})
			for range each {
				p := &Problem[float64]{X: cloud[float64](rng, 5+rng.IntN(60), 3, 0), Y: cloud[float64](rng, 5+rng.IntN(60), 3, 1)}
				want, err := own.Solve(t.Context(), p)
				if err != nil {
					t.Error(err)
					return
				}
				var got float64
				err = pool.Solve(t.Context(), p, func(r *Result[float64]) error {
					for n := now.Add(1); ; runtime.Gosched() {
						if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
							break
						}
					}
					runtime.Gosched()
					got = r.Cost
					now.Add(-1)
					return nil
				})
				if err != nil || got != want.Cost {
					t.Errorf("cost %v, want %v: %v", got, want.Cost, err)
				}
			}
		})
	}
	wg.Wait()
	if m := most.Load(); m < 1 || m > solvers {
		t.Errorf("%d problems at a time by %d solvers", m, solvers)
	}
}

// TestPoolGivesBack checks that a solver is free again after a success, an error or a panic, and
// that its result is invalid afterwards.
func TestPoolGivesBack(t *testing.T) {
	pool, err := NewPool[float64](&Settings{Lambda: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := dist.NewMatrix(2, 1, []float64{0, 1})
	p := &Problem[float64]{X: x, Y: x}
	ended, cancel := context.WithCancelCause(t.Context())
	mine := errors.New("mine")
	cancel(mine)
	nothing := func(*Result[float64]) error { return nil }
	var kept *Result[float64]
	for _, c := range []struct {
		name string
		want error
		run  func() error
	}{
		{"bad problem", ErrShape, func() error { return pool.Solve(t.Context(), new(Problem[float64]), nothing) }},
		{"bad use", mine, func() error { return pool.Solve(t.Context(), p, func(*Result[float64]) error { return mine }) }},
		{"panic", mine, func() (err error) {
			defer func() { err = recover().(error) }()
			return pool.Solve(t.Context(), p, func(*Result[float64]) error { panic(mine) })
		}},
		{"ended", mine, func() error { return pool.Solve(ended, p, nothing) }},
		{"ended while waiting", mine, func() error {
			return pool.Solve(t.Context(), p, func(*Result[float64]) error { return pool.Solve(ended, p, nothing) })
		}},
		{"good", nil, func() error {
			return pool.Solve(t.Context(), p, func(r *Result[float64]) error { kept = r; return nil })
		}},
	} {
		if err := c.run(); !errors.Is(err, c.want) || len(pool.free) != 1 {
			t.Errorf("%s: %v, want %v; %d solvers are free", c.name, err, c.want, len(pool.free))
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a result is used after its time")
		}
	}()
	kept.PlanTo(t.Context(), dist.NewMatrix[float64](2, 2, nil), 0)
}

// TestPoolMemory checks that a problem that needs too much memory causes an error. After problems of all shapes, the memory
// that the solvers keep must not exceed MaxMemory.
func TestPoolMemory(t *testing.T) {
	const memory = 64 << 20
	for _, bad := range []struct {
		settings Settings
		solvers  int
	}{{Settings{}, 0}, {Settings{MaxMemory: -1}, 1}, {Settings{MaxMemory: 7}, 2}, {Settings{Lambda: -1}, 1}} {
		if _, err := NewPool[float64](&bad.settings, bad.solvers); !errors.Is(err, ErrSettings) {
			t.Errorf("%+v, %d solvers: %v", bad.settings, bad.solvers, err)
		}
	}
	pool, err := NewPool[float64](&Settings{Lambda: 1e-3, Workers: 1, Iterations: 2, Gradient: true, MaxMemory: memory}, 2)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	kept, refused := int64(0), 0
	before := heap()
	for _, shape := range [][3]int{
		{20, 20, 2}, {160, 160, 2}, {180, 180, 2}, {1, 4000, 20}, {4000, 1, 20}, {2, 8, 5000}, {8, 2, 5000}, {5, 5, 9000}, {3000, 8, 1}, {8, 3000, 1},
		{700, 700, 2}, {1, 18000, 10}, {18000, 1, 10}, {30, 3, 8000}, {3, 30, 8000}, {2000, 2000, 2}, {100, 2, 20000},
	} {
		p := &Problem[float64]{X: cloud[float64](rng, shape[0], shape[2], 0), Y: cloud[float64](rng, shape[1], shape[2], 1), Lambda: 1e-3 / float64(shape[2])}
		dx, dy := dist.NewMatrix[float64](shape[0], shape[2], nil), dist.NewMatrix[float64](shape[1], shape[2], nil)
		for range 2 { // the solvers take turns
			err := pool.Solve(t.Context(), p, func(r *Result[float64]) error { return r.PointGradientTo(t.Context(), dx, dy, GradientUnrolled) })
			if errors.Is(err, ErrSettings) {
				refused++
			} else if err != nil {
				t.Fatalf("%v: %v", shape, err)
			}
		}
		p, dx, dy = nil, dist.Matrix[float64]{}, dist.Matrix[float64]{}
		kept = max(kept, heap()-before)
	}
	if kept < memory/64 || kept > memory*10/32 || refused != 4 {
		t.Errorf("%d MiB are kept at most of %d MiB; %d problems are refused", kept>>20, memory>>20, refused)
	}
	runtime.KeepAlive(pool)
}

// heap returns the number of bytes in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestPoolAllocatesNothing(t *testing.T) {
	pool, err := NewPool[float32](&Settings{Lambda: 0.1, Workers: 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	p := &Problem[float32]{X: cloud[float32](rng, 40, 3, 0), Y: cloud[float32](rng, 50, 3, 1)}
	plan := dist.NewMatrix[float32](40, 50, nil)
	ctx := t.Context()
	use := func(r *Result[float32]) error { return r.PlanTo(ctx, plan, 0) }
	if a := asmtest.Allocations(func() { pool.Solve(ctx, p, use); pool.Solve(ctx, p, use) }); a != 0 {
		t.Errorf("%v allocations", a)
	}
}
