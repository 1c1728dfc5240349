package parallel

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/testdata"
)

func TestFor(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 100} {
		for _, size := range []int{1, 4, 8, 200} {
			var want [][2]int
			for i := 0; i < n; i += size {
				want = append(want, [2]int{i, min(i+size, n)})
			}
			for _, workers := range []int{0, 1, 2, 5} {
				var mu sync.Mutex
				var got [][2]int
				For(workers, n, size, func(i, j int) {
					mu.Lock()
					defer mu.Unlock()
					got = append(got, [2]int{i, j})
				})
				slices.SortFunc(got, func(a, b [2]int) int { return a[0] - b[0] })
				if !slices.Equal(got, want) {
					t.Errorf("n %d, size %d, %d workers: pieces %v, want %v", n, size, workers, got, want)
				}
			}
		}
	}
}

func TestEach(t *testing.T) {
	var c Pool
	for _, n := range []int{0, 1, 5, 100} {
		for workers := 1; workers < 5; workers++ {
			busy, seen := make([]bool, workers), make([]int, n)
			c.Each(workers, n, func(w, i int) {
				if busy[w] {
					t.Error("a worker is used by two goroutines")
				}
				busy[w] = true
				seen[i]++
				busy[w] = false
			})
			for i, k := range seen {
				if k != 1 {
					t.Errorf("n %d, %d workers: %d calls for %d", n, workers, k, i)
				}
			}
		}
	}
}

// TestPool calls a pool in quick succession, after the helpers have ended, and while helpers are
// ending. It checks that all work is done when a call returns, and that no work is done later.
func TestPool(t *testing.T) {
	for _, procs := range []int{1, 2, 4} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			rng := rand.New(rand.NewPCG(1, uint64(procs)))
			var c Pool
			calls := 500
			if testdata.IsLong() {
				calls = 3000
			}
			for range calls {
				workers, pieces := 1+rng.IntN(6), rng.IntN(20)
				slow := rng.IntN(4) == 0
				done := make([]int, pieces)
				var next atomic.Int32
				var running atomic.Int32
				c.runOnHelpers(workers, func(w int) {
					if w < 0 || w >= workers {
						t.Errorf("worker %d of %d", w, workers)
					}
					running.Add(1)
					for i := int(next.Add(1)) - 1; i < pieces; i = int(next.Add(1)) - 1 {
						if slow && i%8 == w {
							time.Sleep(spinTime * 2)
						}
						done[i]++
					}
					running.Add(-1)
				})
				if running.Load() != 0 {
					t.Fatal("the call returned before its workers")
				}
				for i, k := range done {
					if k != 1 {
						t.Fatalf("piece %d was done %d times", i, k)
					}
				}
				if rng.IntN(3) == 0 {
					time.Sleep(time.Duration(rng.Int64N(int64(2 * spinTime))))
				}
			}
		})
	}
}

// TestPanicReachesTheCaller checks that the caller receives the value of a panic in any goroutine,
// that no goroutine works afterwards, and that the pool can be used again.
func TestPanicReachesTheCaller(t *testing.T) {
	const pieces = 1000
	for at := range 6 {
		var c Pool
		var begun, running atomic.Int32
		value := func() (v any) {
			defer func() {
				v = recover()
				if k := running.Load(); k != 0 {
					t.Errorf("piece %d: %d goroutines are still at work", at, k)
				}
			}()
			c.Each(3, pieces, func(w, i int) {
				running.Add(1)
				defer running.Add(-1)
				begun.Add(1)
				if i == at {
					panic(at)
				}
				time.Sleep(20 * time.Microsecond) // gives every goroutine time to get a piece
			})
			return nil
		}()
		if value != at {
			t.Errorf("piece %d: the call panics with %v", at, value)
		}
		if k := begun.Load(); k > pieces/2 {
			t.Errorf("piece %d: %d of %d were begun", at, k, pieces)
		}
		var sum atomic.Int64
		c.Each(3, 100, func(_, i int) { sum.Add(int64(i)) })
		if sum.Load() != 4950 {
			t.Errorf("piece %d: the next call's sum is %d", at, sum.Load())
		}
	}
}

// TestGoexitEndsTheCaller checks that runtime.Goexit in the function passed to Each also ends the goroutine that called Each.
// For example, t.Fatal calls runtime.Goexit.
func TestGoexitEndsTheCaller(t *testing.T) {
	for at := range 6 {
		returned := make(chan bool, 1)
		go func() {
			ended := true
			defer func() { returned <- !ended }()
			new(Pool).Each(3, 1000, func(_, i int) {
				if i == at {
					runtime.Goexit()
				}
				time.Sleep(20 * time.Microsecond)
			})
			ended = false
		}()
		if <-returned {
			t.Errorf("piece %d: the call returned", at)
		}
	}
}

func TestRun(t *testing.T) {
	failure, cause := errors.New("failure"), errors.New("cause")
	for _, workers := range []int{1, 2, 5} {
		var c Pool
		for _, at := range []int{-1, 0, 3, 40} {
			for _, canceled := range []bool{false, true} {
				ctx, cancel := context.WithCancelCause(t.Context())
				var begun atomic.Int32
				err := c.Run(ctx, workers, 1000, func(got context.Context, w, i int) error {
					if got != ctx || w >= workers {
						t.Errorf("worker %d has context %v", w, got)
					}
					begun.Add(1)
					if i != at {
						if at >= 0 {
							time.Sleep(10 * time.Microsecond)
						}
						return nil
					}
					if canceled {
						cancel(cause)
						return nil
					}
					return failure
				})
				want, most := failure, 500
				switch {
				case at < 0:
					want, most = nil, 1000
				case canceled:
					want = cause
				}
				if k := int(begun.Load()); err != want || k > most || at < 0 && k != 1000 {
					t.Errorf("%d workers, item %d, canceled %v: %v after %d items, want %v", workers, at, canceled, err, k, want)
				}
				cancel(nil)
			}
		}
	}
}

// TestWorkers checks that Workers limits a request for a million goroutines.
func TestWorkers(t *testing.T) {
	most := max(minWorkerLimit, runtime.GOMAXPROCS(0))
	for _, c := range [][3]int{{0, 10, 1}, {3, 10, 3}, {10, 3, 3}, {1e6, 1e6, most}, {5, 0, 1}} {
		if k := Workers(c[0], c[1]); k != c[2] {
			t.Errorf("Workers(%d, %d) = %d, want %d", c[0], c[1], k, c[2])
		}
	}
	before := runtime.NumGoroutine()
	For(1e6, 1e5, 1, func(i, j int) {})
	if k := runtime.NumGoroutine() - before; k > most {
		t.Errorf("%d goroutines", k)
	}
}

// TestPoolLeavesNoGoroutine checks that helpers end without a Close.
func TestPoolLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	var c Pool
	for range 100 {
		c.For(8, 100, 1, func(i, j int) {})
	}
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestPoolAllocatesNothing(t *testing.T) {
	var c Pool
	var sum atomic.Int64
	f := func(i, j int) { sum.Add(int64(j - i)) }
	c.For(3, 100, 7, f)
	if k := asmtest.Allocations(func() { c.For(3, 100, 7, f) }); k != 0 {
		t.Errorf("%v allocations", k)
	}
	ctx := t.Context()
	g := func(context.Context, int, int) error { return nil }
	if k := asmtest.Allocations(func() { c.Run(ctx, 3, 100, g) }); k != 0 {
		t.Errorf("%v allocations of Run", k)
	}
}

func TestOneWorkerAllocatesNothing(t *testing.T) {
	sum := 0
	f := func(i, j int) { sum += j - i }
	if n := asmtest.Allocations(func() { For(1, 100, 7, f) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkFor measures the overhead of dividing empty work among goroutines of a pool and among
// new goroutines.
func BenchmarkFor(b *testing.B) {
	f := func(i, j int) {}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d/pool=kept", workers), func(b *testing.B) {
			var c Pool
			for b.Loop() {
				c.For(workers, 16, 1, f)
			}
		})
		b.Run(fmt.Sprintf("workers=%d/pool=new", workers), func(b *testing.B) {
			for b.Loop() {
				For(workers, 16, 1, f)
			}
		})
	}
}
