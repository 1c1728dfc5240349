package parallel

import (
	"context"
	"errors"
	"testing"
	"time"
)

// late is a context whose timer never runs.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

// TestTimed: a context has ended at its deadline, although its timer has not run. One without a deadline stays as it is.
func TestTimed(t *testing.T) {
	var timed Timed
	if ctx := timed.Of(t.Context()); ctx != t.Context() {
		t.Error("a context without a deadline is another one")
	}
	ctx := timed.Of(late{t.Context()})
	if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		t.Error(err)
	}
	if again := timed.Of(ctx); again != ctx {
		t.Error("a timed context is wrapped again")
	}
}
