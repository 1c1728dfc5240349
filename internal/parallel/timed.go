package parallel

import (
	"context"
	"time"
)

// Timed is a context that compares its deadline with the clock in Err. If all processors are busy,
// the timer of a deadline fires tens of milliseconds late.
type Timed struct {
	context.Context
	end time.Time
}

// Of stores ctx in t and returns t if ctx has a deadline. If ctx has no deadline or is already a
// *Timed, Of returns ctx.
func (t *Timed) Of(ctx context.Context) context.Context {
	end, ok := ctx.Deadline()
	if _, is := ctx.(*Timed); is || !ok {
		return ctx
	}
	*t = Timed{ctx, end}
	return t
}

// Err returns context.DeadlineExceeded after the deadline.
func (t *Timed) Err() error {
	if err := t.Context.Err(); err != nil || time.Now().Before(t.end) {
		return err
	}
	return context.DeadlineExceeded
}
