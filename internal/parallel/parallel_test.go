package parallel

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
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
	var c Crew
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

// Calls follow each other at once, after the helpers have gone, and while they are
// going; work is done by the time a call returns, and by nobody afterwards.
func TestCrew(t *testing.T) {
	for _, procs := range []int{1, 2, 4} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			rng := rand.New(rand.NewPCG(1, uint64(procs)))
			var c Crew
			calls := 3000
			if testing.Short() {
				calls = 500
			}
			for range calls {
				workers, pieces := 1+rng.IntN(6), rng.IntN(20)
				slow := rng.IntN(4) == 0
				done := make([]int, pieces)
				var next atomic.Int32
				var running atomic.Int32
				c.do(workers, func(w int) {
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

// Helpers end by themselves.
func TestCrewLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	var c Crew
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

func TestCrewAllocatesNothing(t *testing.T) {
	var c Crew
	var sum atomic.Int64
	f := func(i, j int) { sum.Add(int64(j - i)) }
	c.For(3, 100, 7, f)
	k := 1.
	for range 10 { // the runtime itself does now and then, where goroutines start
		k = min(k, testing.AllocsPerRun(20, func() { c.For(3, 100, 7, f) }))
	}
	if k != 0 {
		t.Errorf("%v allocations", k)
	}
}

func TestOneWorkerAllocatesNothing(t *testing.T) {
	sum := 0
	f := func(i, j int) { sum += j - i }
	if n := testing.AllocsPerRun(10, func() { For(1, 100, 7, f) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkFor is what it costs to divide work that takes no time: among goroutines
// that are still there from the call before, and among new ones.
func BenchmarkFor(b *testing.B) {
	f := func(i, j int) {}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d/crew=kept", workers), func(b *testing.B) {
			var c Crew
			for b.Loop() {
				c.For(workers, 16, 1, f)
			}
		})
		b.Run(fmt.Sprintf("workers=%d/crew=new", workers), func(b *testing.B) {
			for b.Loop() {
				For(workers, 16, 1, f)
			}
		})
	}
}
