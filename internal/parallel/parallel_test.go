package parallel

import (
	"slices"
	"sync"
	"testing"
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
	for _, n := range []int{0, 1, 5, 100} {
		for workers := 1; workers < 5; workers++ {
			names := make([]int, workers)
			for i := range names {
				names[i] = i
			}
			busy, seen := make([]bool, workers), make([]int, n)
			Each(names, n, func(w, i int) {
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

func TestOneWorkerAllocatesNothing(t *testing.T) {
	sum := 0
	f := func(i, j int) { sum += j - i }
	if n := testing.AllocsPerRun(10, func() { For(1, 100, 7, f) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
