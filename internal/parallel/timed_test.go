package parallel

import (
	"context"
	"errors"
	"testing"
	"time"
)

// lateTimer is a context whose deadline has passed but whose timer never fires.
type lateTimer struct{ context.Context }

func (lateTimer) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

// TestTimed checks that a Timed ends at its deadline even if the timer has not fired. It also
// checks that a context without a deadline is returned unchanged.
func TestTimed(t *testing.T) {
	var timed Timed
	if ctx := timed.Of(t.Context()); ctx != t.Context() {
		t.Error("a context without a deadline is another one")
	}
	ctx := timed.Of(lateTimer{t.Context()})
	if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		t.Error(err)
	}
	if again := timed.Of(ctx); again != ctx {
		t.Error("a timed context is wrapped again")
	}
}
