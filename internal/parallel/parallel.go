// Package parallel divides work among goroutines.
//
// A panic or runtime.Goexit in any goroutine ends the call. Pieces that have begun are finished,
// and no further piece begins. Then the call panics with the same value, or calls runtime.Goexit,
// on the caller's goroutine.
package parallel

import (
	"context"
	"math"
	"runtime"
	"sync/atomic"
	"time"
)

// minWorkerLimit is the limit of Workers if GOMAXPROCS is smaller.
const minWorkerLimit = 64

// Workers returns the number of goroutines, including the caller's, for the given number of pieces
// of work. The result is the requested number, but at most pieces, at most max(64, GOMAXPROCS), and at
// least 1.
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

// For divides 0 … n−1 into pieces of the given size; the last piece may be smaller. It calls
// f(i, j) for every piece i … j−1 on up to the given number of goroutines. A goroutine that has
// finished a piece takes the next piece. The pieces do not depend on the number of workers. With
// one worker or one piece, For does not allocate or start a goroutine.
func For(workers, n, size int, f func(i, j int)) {
	if workers <= 1 || n <= size {
		eachPiece(n, size, f)
		return
	}
	new(Pool).For(workers, n, size, f)
}

// ForContext is like For, but begins no further piece when the context has ended. It returns
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

// Pool is a worker pool. Its goroutines stay alive between calls that follow each other within
// microseconds, because waking a sleeping processor takes as long as a pass over a million
// elements. A goroutine without work ends after spinTime, and the next call starts it again. The
// zero value is ready to use. Calls must not overlap. A call allocates only if it needs more
// goroutines than every earlier call.
type Pool struct {
	helpers []*helper
	work    func(w int)
	pending atomic.Int32 // number of helpers that the caller waits for
	parked  atomic.Bool  // the caller sleeps, or is about to sleep
	wake    chan struct{}

	// failed is set if a panic or runtime.Goexit ended the work. failure is the value of the panic,
	// or nil for runtime.Goexit.
	failed  atomic.Bool
	failure any

	// State of For, Each and Run.
	next                             atomic.Int64
	n, size                          int
	processPiece                     func(i, j int)
	processItem                      func(w, i int)
	takePieces, takeItems, takeTasks func(w int)

	// State of Run. The goroutines outlive a call, so they read the context of the call from the
	// field ctx.
	runTask func(ctx context.Context, w, i int) error
	ctx     context.Context
	stopped atomic.Bool
	err     error
}

// helper is a goroutine of the pool. The caller's goroutine is not a helper.
type helper struct {
	state atomic.Uint32
	loop  func()
}

// States of a helper.
const (
	stateNone      = iota // no goroutine
	stateWaiting          // looks for work
	stateCalled           // asked to take part in the current call
	stateWorking          // takes part in the current call
	stateDismissed        // was asked to take part, but is no longer needed
)

// spinTime is how long a goroutine spins before it ends or sleeps. It is longer than the time that
// a caller typically spends between two calls.
const spinTime = 50 * time.Microsecond

// runOnHelpers calls f(0) on this goroutine and f(w) for 0 < w < k on helpers. runOnHelpers returns
// when all calls of f have returned. Helpers that have not begun when f(0) returns are dismissed,
// because f(0) returns only when no work is left.
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

// waitForHelpers waits for working helpers and dismisses helpers that have not begun. If a helper
// panicked or called runtime.Goexit, waitForHelpers does the same on the caller's goroutine.
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

// addHelpers adds helpers until the pool has k helpers.
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

// finishCall records that a helper has finished its part of a call. It stores the state before it
// decrements pending, because the next call may begin when pending is 0.
func (c *Pool) finishCall(h *helper, state uint32) {
	h.state.Store(state)
	if c.pending.Add(-1) == 0 && c.parked.CompareAndSwap(true, false) {
		c.wake <- struct{}{}
	}
}

// awaitCall waits for a call and reports true. If no call comes within spinTime, it reports false,
// and the goroutine must end.
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
	// A helper of the previous call may wake the caller late, so check pending again.
	for c.pending.Load() != 0 {
		// Swap is used instead of Store. Under QEMU for Arm, an atomic load sometimes overtakes a
		// preceding atomic store, and the caller would sleep forever.
		c.parked.Swap(true)
		if c.pending.Load() == 0 && c.parked.CompareAndSwap(true, false) {
			return
		}
		<-c.wake
	}
}

// spinLimit limits the duration of a spin loop. Reading the clock also slows the loop, so the
// second hardware thread of the core gets more of the core.
type spinLimit struct{ start time.Time }

func newSpinLimit() spinLimit { return spinLimit{time.Now()} }

func (s spinLimit) spinning() bool { return time.Since(s.start) < spinTime }

// For is like the function For, on the goroutines of this pool.
func (c *Pool) For(workers, n, size int, f func(i, j int)) {
	c.ForContext(context.Background(), workers, n, size, f)
}

// ForContext is like the function ForContext, but uses the goroutines of this pool.
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

// Each calls f(w, i) for i = 0 … n−1 on up to the given number of goroutines. The goroutines have
// the numbers w = 0, 1, …. A goroutine that has finished an item i takes the next item.
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

// Run is like Each, but with a context and errors. When the context has ended or f has returned an
// error, Run begins no further item i and returns context.Cause(ctx) or one of the errors. Run
// returns nil if and only if f was called for every i and always returned nil.
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

// takeNext takes the given number of indices and returns the first index.
func (c *Pool) takeNext(count int) int { return int(c.next.Add(int64(count))) - count }
