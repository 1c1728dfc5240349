package engine

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Queue limits the number of requests that are processed at the same time, the number of waiting
// requests, and their waiting time.
//
// A request is rejected if the queue is full or if the request has waited for the time limit. The
// service is overloaded if the queue has not been empty for a period as long as the time limit.
// Waiting then only delays every answer. During an overload, a request is processed only if it has
// waited for at most a tenth of the time limit. Older requests are rejected. This rule is a variant
// of the CoDel algorithm of Nichols and Jacobson. The variant is described in B. Maurer, "Fail at
// Scale", ACM Queue 2015.
type Queue struct {
	slots, limit int
	wait         time.Duration

	mu      sync.Mutex
	busy    int
	waiting []*waiter // in order of arrival
	empty   time.Time // last time at which a request arrived at an empty queue

	full, late atomic.Int64
}

// waiter is a waiting request. The channel turn receives nil when the request gets a slot, or an
// error if the request is rejected.
type waiter struct {
	since time.Time
	turn  chan error
}

// Under overload, a request may wait for 1/overloadFraction of the time limit.
const overloadFraction = 10

// NewQueue returns a queue with the given number of slots and room for the given number of waiting
// requests. If slots is 0, the queue has GOMAXPROCS slots. A request waits for at most the duration
// wait.
func NewQueue(slots, waiting int, wait time.Duration) *Queue {
	if slots == 0 {
		slots = runtime.GOMAXPROCS(0)
	}
	return &Queue{slots: slots, limit: waiting, wait: wait}
}

// enter waits for a slot. It returns ErrBusy, ErrWaited, or the context's cause.
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

// giveUp removes a waiter and returns err. If the waiter has received a slot meanwhile, the slot
// goes to the next request.
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
		wait /= overloadFraction
	}
	for len(q.waiting) > 0 {
		w := q.waiting[0]
		q.waiting = append(q.waiting[:0], q.waiting[1:]...) // shift the queue, which is short, to keep its memory
		if now.Sub(w.since) <= wait {
			w.turn <- nil
			return
		}
		w.turn <- ErrWaited
	}
	q.busy--
}

// Busy returns the number of requests that hold a slot.
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

// Slots returns the number of slots.
func (q *Queue) Slots() int { return q.slots }

// Full returns the number of requests rejected because the queue was full.
func (q *Queue) Full() int { return int(q.full.Load()) }

// Late returns the number of requests rejected because they waited too long.
func (q *Queue) Late() int { return int(q.late.Load()) }
