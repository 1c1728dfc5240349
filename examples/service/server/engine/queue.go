package engine

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Queue limits how many requests are processed at a time, how many wait, and how long they wait.
//
// A request that finds the queue full, or that has waited for the time limit, is rejected. If the
// queue has not been empty for the time limit, the service is overloaded, and waiting only makes
// every answer late. Then a request is processed only if it has waited for at most a tenth of the
// limit; older requests are rejected. This is the rule of Nichols and Jacobson's CoDel as Facebook
// uses it for servers (Maurer, Fail at Scale, ACM Queue 2015).
type Queue struct {
	slots, limit int
	wait         time.Duration

	mu      sync.Mutex
	busy    int
	waiting []*waiter // in order of arrival
	empty   time.Time // arrival of the first request since the queue was last empty

	full, late atomic.Int64
}

// waiter is a waiting request. turn receives nil when the request gets a slot, or the reason for its
// rejection.
type waiter struct {
	since time.Time
	turn  chan error
}

// Under overload, a request may wait for 1/standing of the time limit.
const standing = 10

// NewQueue returns a queue for slots requests at work (GOMAXPROCS if 0) and the given number of
// waiting requests, each for at most the time wait.
func NewQueue(slots, waiting int, wait time.Duration) *Queue {
	if slots == 0 {
		slots = runtime.GOMAXPROCS(0)
	}
	return &Queue{slots: slots, limit: waiting, wait: wait}
}

// enter waits for a slot. The error is ErrBusy, ErrWaited, or the context's cause.
func (q *Queue) enter(ctx context.Context) error {
	q.mu.Lock()
	if q.busy < q.slots {
		q.busy++
		q.mu.Unlock()
		return nil
	}
	if len(q.waiting) >= q.limit {
		q.mu.Unlock()
		q.full.Add(1)
		return ErrBusy
	}
	w := &waiter{time.Now(), make(chan error, 1)}
	if len(q.waiting) == 0 {
		q.empty = w.since
	}
	q.waiting = append(q.waiting, w)
	q.mu.Unlock()

	timer := time.NewTimer(q.wait)
	defer timer.Stop()
	select {
	case err := <-w.turn:
		if err != nil {
			q.late.Add(1)
		}
		return err
	case <-timer.C:
		q.late.Add(1)
		return q.giveUp(w, ErrWaited)
	case <-ctx.Done():
		return q.giveUp(w, context.Cause(ctx))
	}
}

// giveUp removes a waiter and returns err. If the waiter has received its turn meanwhile, the slot
// goes to the next.
func (q *Queue) giveUp(w *waiter, err error) error {
	q.mu.Lock()
	for i, other := range q.waiting {
		if other == w {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			q.mu.Unlock()
			return err
		}
	}
	q.mu.Unlock()
	if <-w.turn == nil {
		q.leave()
	}
	return err
}

// leave gives the slot to the next request that has not waited too long.
func (q *Queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.busy--
		return
	}
	now, wait := time.Now(), q.wait
	if now.Sub(q.empty) >= q.wait {
		wait /= standing
	}
	for len(q.waiting) > 0 {
		w := q.waiting[0]
		q.waiting = append(q.waiting[:0], q.waiting[1:]...) // short, and keeps its memory
		if now.Sub(w.since) <= wait {
			w.turn <- nil
			return
		}
		w.turn <- ErrWaited
	}
	q.busy--
}

// Busy returns the number of requests at work.
func (q *Queue) Busy() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.busy
}

// Waiting returns the number of requests that wait.
func (q *Queue) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// Slots returns how many requests may be at work.
func (q *Queue) Slots() int { return q.slots }

// Full returns how many requests have found the queue full.
func (q *Queue) Full() int { return int(q.full.Load()) }

// Late returns how many requests have waited for too long.
func (q *Queue) Late() int { return int(q.late.Load()) }
