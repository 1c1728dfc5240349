// Package parallel divides work among goroutines.
package parallel

import (
	"sync"
	"sync/atomic"
)

// For calls f(i, j) for the pieces i … j−1 of 0 … n−1, each of the given size but for
// the last, on up to workers goroutines, of which every one takes the next piece when
// it is done with one. The pieces do not depend on the number of workers. With one
// worker, or one piece, it allocates nothing and starts no goroutine.
func For(workers, n, size int, f func(i, j int)) {
	pieces := (n + size - 1) / size
	if workers <= 1 || pieces <= 1 {
		for i := 0; i < n; i += size {
			f(i, min(i+size, n))
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, pieces) {
		wg.Go(func() {
			for i := take(&next, size); i < n; i = take(&next, size) {
				f(i, min(i+size, n))
			}
		})
	}
	wg.Wait()
}

// Each calls f(w, i) for i = 0 … n−1, on one goroutine for each of workers w, which
// takes the next i when it is done with one.
func Each[W any](workers []W, n int, f func(w W, i int)) {
	if len(workers) == 1 || n <= 1 {
		for i := range n {
			f(workers[0], i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, w := range workers[:min(len(workers), n)] {
		wg.Go(func() {
			for i := take(&next, 1); i < n; i = take(&next, 1) {
				f(w, i)
			}
		})
	}
	wg.Wait()
}

// take returns the next of the numbers that goroutines share.
func take(next *atomic.Int64, count int) int { return int(next.Add(int64(count))) - count }
