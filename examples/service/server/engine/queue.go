package engine

import (
	"context"
	"runtime"
)

// Queue bounds how many requests are worked on at a time and how many wait. Whoever
// finds it full is sent away at once: a short queue keeps the time in it short, and the
// processors for those who will be answered.
type Queue struct {
	places chan struct{} // of those at work and those who wait
	slots  chan struct{} // of those at work
}

// NewQueue returns a queue for so many at work, GOMAXPROCS if 0, and so many who wait.
func NewQueue(slots, waiting int) *Queue {
	if slots == 0 {
		slots = runtime.GOMAXPROCS(0)
	}
	return &Queue{make(chan struct{}, slots+waiting), make(chan struct{}, slots)}
}

// enter waits for a slot. The error is ErrBusy, without waiting, or the context's cause.
func (q *Queue) enter(ctx context.Context) error {
	select {
	case q.places <- struct{}{}:
	default:
		return ErrBusy
	}
	select {
	case q.slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case q.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		<-q.places
		return context.Cause(ctx)
	}
}

func (q *Queue) leave() {
	<-q.slots
	<-q.places
}

// Busy returns the number of requests at work.
func (q *Queue) Busy() int { return len(q.slots) }

// Waiting returns the number of those who wait.
func (q *Queue) Waiting() int { return max(0, len(q.places)-len(q.slots)) }

// Slots returns how many may be at work.
func (q *Queue) Slots() int { return cap(q.slots) }
