// Package parallel divides work among goroutines.
//
// A panic or runtime.Goexit in any goroutine ends the call. Pieces that have begun are finished,
// and no other piece begins. Then the call panics with the same value, or calls runtime.Goexit, on
// the caller's goroutine.
package parallel

import (
	"context"
	"math"
	"runtime"
	"sync/atomic"
	"time"
)

// minWorkerLimit is the least upper limit of Workers.
const minWorkerLimit = 64

// Workers returns the number of goroutines, including the caller's, to use for the given number of
// pieces of work. It is the requested number, limited to the range from 1 to pieces, and to the
// larger of 64 and GOMAXPROCS.
func Workers(requested, pieces int) int {
	k := min(requested, pieces)
	if k > minWorkerLimit {
		k = min(k, max(minWorkerLimit, runtime.GOMAXPROCS(0)))
	}
	return max(1, k)
}

// Count returns workers, or GOMAXPROCS if workers is 0.
func Count(workers int) int {
	if workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return workers
}

// For divides 0 … n−1 into pieces of the given size; the last one may be smaller. It calls f(i, j)
// for every piece i … j−1 on up to workers goroutines. Each goroutine takes the next piece when it
// has finished one. The pieces do not depend on the number of workers. With one worker or one
// piece, For does not allocate or start a goroutine.
func For(workers, n, size int, f func(i, j int)) {
	if workers <= 1 || n <= size {
		eachPiece(n, size, f)
		return
	}
	new(Pool).For(workers, n, size, f)
}

// ForContext is like For. When the context ends, it begins no other piece and returns
// context.Cause(ctx).
func ForContext(ctx context.Context, workers, n, size int, f func(i, j int)) error {
	return new(Pool).ForContext(ctx, workers, n, size, f)
}

// eachPiece calls f for all pieces in order.
func eachPiece(n, size int, f func(i, j int)) {
	for i := 0; i < n; i += size {
		f(i, min(i+size, n))
	}
}

// Pool is a worker pool. It keeps goroutines between calls that follow each other within
// microseconds, because waking a sleeping processor takes as long as a pass over a million
// elements. A goroutine without work ends after spinTime, and the next call starts it again. The
// zero value is ready to use. Calls must not overlap. A call allocates only if it needs more
// goroutines than any call before.
type Pool struct {
	helpers []*helper
	work    func(w int)
	pending atomic.Int32 // number of helpers the caller waits for
	parked  atomic.Bool  // the caller sleeps, or is about to sleep
	wake    chan struct{}

	// failed reports that a panic or runtime.Goexit ended the work. failure is the value of the
	// panic, or nil for runtime.Goexit.
	failed  atomic.Bool
	failure any

	// State of For, Each and Run.
	next                             atomic.Int64
	n, size                          int
	processPiece                     func(i, j int)
	processItem                      func(w, i int)
	takePieces, takeItems, takeTasks func(w int)

	// State of Run. The goroutines outlive a call, so they read its context from here.
	runTask func(ctx context.Context, w, i int) error
	ctx     context.Context
	stopped atomic.Bool
	err     error
}

// helper is a goroutine of the pool other than the caller's.
type helper struct {
	state atomic.Uint32
	loop  func()
}

// States of a helper.
const (
	stateNone      = iota // no goroutine
	stateWaiting          // looks for work
	stateCalled           // a call has work for it
	stateWorking          // does the work
	stateDismissed        // the work was finished before it began
)

// spinTime is how long a goroutine spins before it ends or sleeps. It exceeds the caller's own work
// between two calls.
const spinTime = 50 * time.Microsecond

// runOnHelpers calls f(0) on this goroutine and f(w) for 0 < w < k on helpers. It returns when all
// calls have returned. Helpers that have not begun when f(0) returns are dismissed, because
// f(0) returns only when no work is left.
func (c *Pool) runOnHelpers(k int, f func(w int)) {
	if k <= 1 {
		f(0)
		return
	}
	c.addHelpers(k - 1)
	helpers := c.helpers[:k-1]
	c.work = f
	c.failed.Store(false)
	c.pending.Store(int32(len(helpers)))
	for _, h := range helpers {
		if !h.state.CompareAndSwap(stateWaiting, stateCalled) && !h.state.CompareAndSwap(stateDismissed, stateCalled) {
			h.state.Store(stateCalled)
			go h.loop()
		}
	}
	defer c.waitForHelpers(helpers) // Deferred because helpers may still work when f panics.
	f(0)
}

// waitForHelpers waits for working helpers and dismisses the others. If a helper ended with a panic
// or runtime.Goexit, it ends the caller in the same way.
func (c *Pool) waitForHelpers(helpers []*helper) {
	c.markExhausted()
	for _, h := range helpers {
		if h.state.CompareAndSwap(stateCalled, stateDismissed) {
			c.pending.Add(-1)
		}
	}
	c.awaitPending()
	if c.failed.Load() {
		failure := c.failure
		c.failure = nil
		if failure == nil {
			runtime.Goexit()
		}
		panic(failure)
	}
}

// markExhausted marks all work as taken.
func (c *Pool) markExhausted() { c.next.Store(math.MaxInt / 2) }

// addHelpers adds helpers until there are k.
func (c *Pool) addHelpers(k int) {
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
				failure := recover() // nil for runtime.Goexit
				if c.failed.CompareAndSwap(false, true) {
					c.failure = failure
				}
				c.markExhausted()
				c.finishCall(h, stateNone)
			}()
			for h.awaitCall() {
				c.work(w)
				c.finishCall(h, stateWaiting)
			}
			ended = true
		}
		c.helpers = append(c.helpers, h)
	}
}

// finishCall is the last step of a helper in a call. It stores the state first, so that the
// caller's next call sees it.
func (c *Pool) finishCall(h *helper, state uint32) {
	h.state.Store(state)
	if c.pending.Add(-1) == 0 && c.parked.CompareAndSwap(true, false) {
		c.wake <- struct{}{}
	}
}

// awaitCall waits for a call and reports true. It reports false if no call came within spinTime and
// the goroutine must end.
func (h *helper) awaitCall() bool {
	for {
		for s := newSpinLimit(); s.spinning(); {
			if h.state.Load() == stateCalled && h.state.CompareAndSwap(stateCalled, stateWorking) {
				return true
			}
		}
		if h.state.CompareAndSwap(stateWaiting, stateNone) || h.state.CompareAndSwap(stateDismissed, stateNone) {
			return false
		}
	}
}

// awaitPending returns when all working helpers have finished.
func (c *Pool) awaitPending() {
	for s := newSpinLimit(); s.spinning(); {
		if c.pending.Load() == 0 {
			return
		}
	}
	// This is a loop because a helper of the previous call may wake the caller late.
	for c.pending.Load() != 0 {
		// Swap is used instead of Store, because an atomic load overtakes a preceding atomic store
		// about once in a thousand times under QEMU for Arm. The caller would then sleep forever.
		c.parked.Swap(true)
		if c.pending.Load() == 0 && c.parked.CompareAndSwap(true, false) {
			return
		}
		<-c.wake
	}
}

// spinLimit limits the duration of a spin loop. Reading the clock also slows the loop, which leaves
// more of the core to its other hardware thread.
type spinLimit struct{ start time.Time }

func newSpinLimit() spinLimit { return spinLimit{time.Now()} }

func (s spinLimit) spinning() bool { return time.Since(s.start) < spinTime }

// For is like the function For, on the goroutines of this pool.
func (c *Pool) For(workers, n, size int, f func(i, j int)) {
	c.ForContext(context.Background(), workers, n, size, f)
}

// ForContext is like the function ForContext, on the goroutines of this pool.
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
			for i := c.takeNext(c.size); i < c.n && c.ctx.Err() == nil; i = c.takeNext(c.size) {
				c.processPiece(i, min(i+c.size, c.n))
			}
		}
	}
	c.n, c.size, c.processPiece, c.ctx = n, size, f, ctx
	c.next.Store(0)
	c.runOnHelpers(k, c.takePieces)
	return context.Cause(ctx)
}

// Each calls f(w, i) for i = 0 … n−1 on up to workers goroutines with the numbers w = 0, 1, …. Each
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
			for i := c.takeNext(1); i < c.n; i = c.takeNext(1) {
				c.processItem(w, i)
			}
		}
	}
	c.n, c.processItem = n, f
	c.next.Store(0)
	c.runOnHelpers(k, c.takeItems)
}

// Run is like Each with a context and errors. When the context ends or f returns an error, Run
// begins no other i and returns context.Cause(ctx) or one of the errors. It returns nil if and only
// if f was called for every i and always returned nil.
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
			for i := c.takeNext(1); i < c.n; i = c.takeNext(1) {
				err := context.Cause(c.ctx)
				if err == nil {
					err = c.runTask(c.ctx, w, i)
				}
				if err != nil {
					c.markExhausted()
					if c.stopped.CompareAndSwap(false, true) {
						c.err = err
					}
				}
			}
		}
	}
	c.n, c.runTask, c.ctx, c.err = n, f, ctx, nil
	c.stopped.Store(false)
	c.next.Store(0)
	c.runOnHelpers(k, c.takeTasks)
	err := c.err
	c.runTask, c.ctx, c.err = nil, nil, nil
	return err
}

// takeNext takes the next count indices and returns the first.
func (c *Pool) takeNext(count int) int { return int(c.next.Add(int64(count))) - count }
