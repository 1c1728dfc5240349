package parallel

import (
	"context"
	"time"
)

// Timed is a context that looks at the clock itself. If all processors are busy, the timer of a
// deadline runs tens of milliseconds late.
type Timed struct {
	context.Context
	end time.Time
}

// Of returns ctx, as t if it has a deadline.
func (t *Timed) Of(ctx context.Context) context.Context {
	end, ok := ctx.Deadline()
	if _, is := ctx.(*Timed); is || !ok {
		return ctx
	}
	*t = Timed{ctx, end}
	return t
}

// Err returns DeadlineExceeded from the deadline on.
func (t *Timed) Err() error {
	if err := t.Context.Err(); err != nil || time.Now().Before(t.end) {
		return err
	}
	return context.DeadlineExceeded
}
