// Package parallel divides work among goroutines.
//
// A panic in the work, whoever's goroutine it is on, ends the call that divided it: what
// has been begun is finished, nothing else is begun, and the same value panics on the
// caller's goroutine, where it can be recovered. runtime.Goexit ends the caller likewise.
package parallel

import (
	"context"
	"math"
	"runtime"
	"sync/atomic"
	"time"
)

// leastMost is the number of goroutines that can always be had.
const leastMost = 64

// Workers returns how many of the goroutines that are asked for are started for so many
// pieces of work: none without work, and no more than 64 or GOMAXPROCS, whichever is
// larger. At least one, the caller's.
func Workers(asked, pieces int) int {
	k := min(asked, pieces)
	if k > leastMost {
		k = min(k, max(leastMost, runtime.GOMAXPROCS(0)))
	}
	return max(1, k)
}

// For calls f(i, j) for the pieces i … j−1 of 0 … n−1, each of the given size but for
// the last, on up to workers goroutines, of which every one takes the next piece when
// it is done with one. The pieces do not depend on the number of workers. With one
// worker, or one piece, it allocates nothing and starts no goroutine.
func For(workers, n, size int, f func(i, j int)) {
	if workers <= 1 || n <= size {
		pieces(n, size, f)
		return
	}
	new(Crew).For(workers, n, size, f)
}

// ForContext is For until the context ends: it begins no other piece then, and returns the
// context's cause.
func ForContext(ctx context.Context, workers, n, size int, f func(i, j int)) error {
	return new(Crew).ForContext(ctx, workers, n, size, f)
}

// pieces calls f for all pieces in turn.
func pieces(n, size int, f func(i, j int)) {
	for i := 0; i < n; i += size {
		f(i, min(i+size, n))
	}
}

// Crew keeps the goroutines of one call for the next, where calls follow one another
// within microseconds: to wake a sleeping processor takes as long as a pass over a
// million elements. A goroutine that has nothing to do ends after spinTime, and the
// next call starts it again. The zero value is ready. Calls must not overlap, and
// allocate nothing once there have been as many goroutines before.
type Crew struct {
	helpers []*helper
	share   func(w int)
	left    atomic.Int32 // helpers that the caller waits for
	parked  atomic.Bool  // the caller sleeps, or is about to
	wake    chan struct{}

	// What ended the work early: the value of a panic, or nil for a runtime.Goexit.
	failed  atomic.Bool
	failure any

	// Of For, Each and Run.
	next                             atomic.Int64
	n, size                          int
	piece                            func(i, j int)
	item                             func(w, i int)
	takePieces, takeItems, takeTasks func(w int)

	// Of Run. The context is that of the call at hand: the goroutines are there already
	// and get it from here.
	task    func(ctx context.Context, w, i int) error
	ctx     context.Context
	stopped atomic.Bool
	err     error
}

// helper is a goroutine beside the caller's.
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

// spinTime is how long goroutines look for work, or for the end of others', before
// they leave the processor to somebody else. What a caller does between two calls takes
// less.
const spinTime = 50 * time.Microsecond

// do calls f(0) on this goroutine and f(w) for 0 < w < k on others, and returns when all
// have returned. It does not wait for those that have not begun when f(0) returns, and
// they do not begin then: the calls share one stock of work, and return when there is
// none left.
func (c *Crew) do(k int, f func(w int)) {
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

// finish waits for the helpers that are at work, lets the others go, and passes on what
// ended one of them.
func (c *Crew) finish(helpers []*helper) {
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

// exhaust leaves nothing for anybody to take.
func (c *Crew) exhaust() { c.next.Store(math.MaxInt / 2) }

// grow makes helpers.
func (c *Crew) grow(k int) {
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

// leave is what a helper does last in a call. Its state is first, so that the caller's
// next call finds it.
func (c *Crew) leave(h *helper, state uint32) {
	h.state.Store(state)
	if c.left.Add(-1) == 0 && c.parked.CompareAndSwap(true, false) {
		c.wake <- struct{}{}
	}
}

// await reports whether there is work, or that there has been none for so long that the
// goroutine is to end.
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
func (c *Crew) wait() {
	for s := newSpin(); s.more(); {
		if c.left.Load() == 0 {
			return
		}
	}
	// The last helper of the call before this one may only now find that the caller has
	// parked: hence the loop.
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

// spin bounds a loop. Looking at the clock keeps the loop slow, to the benefit of the
// other thread of the core.
type spin struct{ start time.Time }

func newSpin() spin { return spin{time.Now()} }

func (s spin) more() bool { return time.Since(s.start) < spinTime }

// For is the function For with this crew.
func (c *Crew) For(workers, n, size int, f func(i, j int)) {
	c.ForContext(context.Background(), workers, n, size, f)
}

// ForContext is the function ForContext with this crew.
func (c *Crew) ForContext(ctx context.Context, workers, n, size int, f func(i, j int)) error {
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

// Each calls f(w, i) for i = 0 … n−1 on up to workers goroutines w = 0, 1, …, of which
// every one takes the next i when it is done with one.
func (c *Crew) Each(workers, n int, f func(w, i int)) {
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

// Run calls f(ctx, w, i) as Each does, until the context ends or f returns an error: it
// begins no other i then, and returns the context's cause or one of the errors. It is nil
// if and only if f has been called for every i and has always returned nil.
func (c *Crew) Run(ctx context.Context, workers, n int, f func(ctx context.Context, w, i int) error) error {
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
func (c *Crew) take(count int) int { return int(c.next.Add(int64(count))) - count }
