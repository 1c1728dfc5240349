// Package parallel divides work among goroutines.
//
// A panic in the work ends the call that divided it, on whichever goroutine it happens.
// Pieces that have begun are finished, and no other piece begins. Then the same value panics
// on the caller's goroutine, where it can be recovered. runtime.Goexit ends the caller in the
// same way.
package parallel

import (
	"context"
	"math"
	"runtime"
	"sync/atomic"
	"time"
)

// leastMost is the number of goroutines that may always be asked for.
const leastMost = 64

// Workers returns the number of goroutines to use for a number of pieces of work, if asked
// are wanted. It is at most the number of pieces, at most 64 or GOMAXPROCS, whichever is
// larger, and at least 1, the caller's goroutine.
func Workers(asked, pieces int) int {
	k := min(asked, pieces)
	if k > leastMost {
		k = min(k, max(leastMost, runtime.GOMAXPROCS(0)))
	}
	return max(1, k)
}

// Count returns the number of workers of a setting: workers, or GOMAXPROCS for 0.
func Count(workers int) int {
	if workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return workers
}

// For cuts 0 … n−1 into pieces of the given size, the last of which may be smaller, and calls
// f(i, j) for every piece i … j−1. It uses up to workers goroutines. Each takes the next
// piece when it has finished one. The pieces do not depend on the number of workers. With one
// worker, or one piece, For allocates nothing and starts no goroutine.
func For(workers, n, size int, f func(i, j int)) {
	if workers <= 1 || n <= size {
		pieces(n, size, f)
		return
	}
	new(Pool).For(workers, n, size, f)
}

// ForContext is like For. When the context ends, it begins no other piece and returns the
// context's cause.
func ForContext(ctx context.Context, workers, n, size int, f func(i, j int)) error {
	return new(Pool).ForContext(ctx, workers, n, size, f)
}

// pieces calls f for all pieces in turn.
func pieces(n, size int, f func(i, j int)) {
	for i := 0; i < n; i += size {
		f(i, min(i+size, n))
	}
}

// Pool is a worker pool. It keeps the goroutines of one call for the next, for calls that
// follow one another within microseconds: waking a sleeping processor takes as long as a pass
// over a million elements. A goroutine without work ends after spinTime, and the next call
// starts it again. The zero value is ready. Calls must not overlap. A call allocates nothing
// if the pool has had as many goroutines before.
type Pool struct {
	helpers []*helper
	share   func(w int)
	left    atomic.Int32 // number of helpers that the caller waits for
	parked  atomic.Bool  // the caller sleeps, or is about to sleep
	wake    chan struct{}

	// If failed, failure ended the work early: the value of a panic, or nil for a
	// runtime.Goexit.
	failed  atomic.Bool
	failure any

	// For, Each and Run use these.
	next                             atomic.Int64
	n, size                          int
	piece                            func(i, j int)
	item                             func(w, i int)
	takePieces, takeItems, takeTasks func(w int)

	// Run uses these. The context is that of the current call: the goroutines exist already
	// and get it from here.
	task    func(ctx context.Context, w, i int) error
	ctx     context.Context
	stopped atomic.Bool
	err     error
}

// helper is a goroutine other than the caller's.
type helper struct {
	state atomic.Uint32
	loop  func()
}

// States of a helper.
const (
	gone    = iota // there is no goroutine
	waiting        // it looks for work
	called         // there is work for it
	working        // it does it
	excused        // the work was done before it had begun; it may not have started yet
)

// spinTime is how long a goroutine looks for work, or for the end of the others, before it
// gives the processor away. A caller's own work between two calls takes less.
const spinTime = 50 * time.Microsecond

// do calls f(0) on this goroutine and f(w) for 0 < w < k on others, and returns when all
// calls have returned. A call that has not begun when f(0) returns does not begin any more:
// the calls share one stock of work, and f(0) returns when none is left.
func (c *Pool) do(k int, f func(w int)) {
	if k <= 1 {
		f(0)
		return
	}
	c.grow(k - 1)
	helpers := c.helpers[:k-1]
	c.share = f
	c.failed.Store(false)
	c.left.Store(int32(len(helpers)))
	for _, h := range helpers {
		if !h.state.CompareAndSwap(waiting, called) && !h.state.CompareAndSwap(excused, called) {
			h.state.Store(called)
			go h.loop()
		}
	}
	defer c.finish(helpers) // when f panics, too: until then they may be at work
	f(0)
}

// finish waits for the helpers that are at work and excuses the others. If a helper ended
// with a panic or a runtime.Goexit, it ends the caller in the same way.
func (c *Pool) finish(helpers []*helper) {
	c.exhaust()
	for _, h := range helpers {
		if h.state.CompareAndSwap(called, excused) {
			c.left.Add(-1)
		}
	}
	c.wait()
	if c.failed.Load() {
		failure := c.failure
		c.failure = nil
		if failure == nil {
			runtime.Goexit()
		}
		panic(failure)
	}
}

// exhaust marks all work as taken.
func (c *Pool) exhaust() { c.next.Store(math.MaxInt / 2) }

// grow makes helpers.
func (c *Pool) grow(k int) {
	if c.wake == nil {
		c.wake = make(chan struct{}, 1)
	}
	for w := len(c.helpers) + 1; w <= k; w++ {
		h := new(helper)
		h.loop = func() {
			ended := false
			defer func() {
				if ended {
					return
				}
				failure := recover() // nil for a runtime.Goexit
				if c.failed.CompareAndSwap(false, true) {
					c.failure = failure
				}
				c.exhaust()
				c.leave(h, gone)
			}()
			for h.await() {
				c.share(w)
				c.leave(h, waiting)
			}
			ended = true
		}
		c.helpers = append(c.helpers, h)
	}
}

// leave is the last step of a helper in a call. It stores the state first, so that the
// caller's next call sees it.
func (c *Pool) leave(h *helper, state uint32) {
	h.state.Store(state)
	if c.left.Add(-1) == 0 && c.parked.CompareAndSwap(true, false) {
		c.wake <- struct{}{}
	}
}

// await waits for work and reports true. It reports false if there was none for so long that
// the goroutine is to end.
func (h *helper) await() bool {
	for {
		for s := newSpin(); s.more(); {
			if h.state.Load() == called && h.state.CompareAndSwap(called, working) {
				return true
			}
		}
		if h.state.CompareAndSwap(waiting, gone) || h.state.CompareAndSwap(excused, gone) {
			return false
		}
	}
}

// wait returns when the helpers are done.
func (c *Pool) wait() {
	for s := newSpin(); s.more(); {
		if c.left.Load() == 0 {
			return
		}
	}
	// The last helper of the previous call may see only now that the caller has parked.
	// Therefore this is a loop.
	for c.left.Load() != 0 {
		// Swap, not Store: QEMU's Arm lets an atomic load overtake the atomic store before
		// it, about once in a thousand times, and then nobody wakes anybody.
		c.parked.Swap(true)
		if c.left.Load() == 0 && c.parked.CompareAndSwap(true, false) {
			return
		}
		<-c.wake
	}
}

// spin bounds the time of a loop. Reading the clock keeps the loop slow, which leaves more of
// the core to its other thread.
type spin struct{ start time.Time }

func newSpin() spin { return spin{time.Now()} }

func (s spin) more() bool { return time.Since(s.start) < spinTime }

// For is the function For on the goroutines of this pool.
func (c *Pool) For(workers, n, size int, f func(i, j int)) {
	c.ForContext(context.Background(), workers, n, size, f)
}

// ForContext is the function ForContext on the goroutines of this pool.
func (c *Pool) ForContext(ctx context.Context, workers, n, size int, f func(i, j int)) error {
	k := Workers(workers, (n+size-1)/size)
	if k <= 1 {
		for i := 0; i < n && ctx.Err() == nil; i += size {
			f(i, min(i+size, n))
		}
		return context.Cause(ctx)
	}
	if c.takePieces == nil {
		c.takePieces = func(int) {
			for i := c.take(c.size); i < c.n && c.ctx.Err() == nil; i = c.take(c.size) {
				c.piece(i, min(i+c.size, c.n))
			}
		}
	}
	c.n, c.size, c.piece, c.ctx = n, size, f, ctx
	c.next.Store(0)
	c.do(k, c.takePieces)
	return context.Cause(ctx)
}

// Each calls f(w, i) for i = 0 … n−1 on up to workers goroutines, numbered w = 0, 1, …. Each
// goroutine takes the next i when it has finished one.
func (c *Pool) Each(workers, n int, f func(w, i int)) {
	k := Workers(workers, n)
	if k <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	if c.takeItems == nil {
		c.takeItems = func(w int) {
			for i := c.take(1); i < c.n; i = c.take(1) {
				c.item(w, i)
			}
		}
	}
	c.n, c.item = n, f
	c.next.Store(0)
	c.do(k, c.takeItems)
}

// Run calls f(ctx, w, i) as Each does, until the context ends or f returns an error. Then it
// begins no other i and returns the context's cause or one of the errors. It returns nil if
// and only if f was called for every i and always returned nil.
func (c *Pool) Run(ctx context.Context, workers, n int, f func(ctx context.Context, w, i int) error) error {
	k := Workers(workers, n)
	if k <= 1 {
		for i := range n {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := f(ctx, 0, i); err != nil {
				return err
			}
		}
		return nil
	}
	if c.takeTasks == nil {
		c.takeTasks = func(w int) {
			for i := c.take(1); i < c.n; i = c.take(1) {
				err := context.Cause(c.ctx)
				if err == nil {
					err = c.task(c.ctx, w, i)
				}
				if err != nil {
					c.exhaust()
					if c.stopped.CompareAndSwap(false, true) {
						c.err = err
					}
				}
			}
		}
	}
	c.n, c.task, c.ctx, c.err = n, f, ctx, nil
	c.stopped.Store(false)
	c.next.Store(0)
	c.do(k, c.takeTasks)
	err := c.err
	c.task, c.ctx, c.err = nil, nil, nil
	return err
}

// take returns the next of the numbers that goroutines share.
func (c *Pool) take(count int) int { return int(c.next.Add(int64(count))) - count }
