package wda

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// late is a context whose deadline passes when passDeadline is called. The timer of the context fires later.
type late struct {
	context.Context
	cancel context.CancelCauseFunc
	mu     sync.Mutex
	end    time.Time
}

var errLate = errors.New("the cause of the deadline")

func newLate(t *testing.T) *late {
	ctx, cancel := context.WithCancelCause(t.Context())
	return &late{Context: ctx, cancel: cancel}
}

func (c *late) passDeadline() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end = time.Now().Add(-time.Millisecond)
	time.AfterFunc(30*time.Millisecond, func() { c.cancel(errLate) })
}

func (c *late) Deadline() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end, !c.end.IsZero()
}

// TestCauseOfDeadline checks a fit whose solver notices a deadline before the context's timer fires. The fit must still
// return the context's cause, and a model if the solver has made a step.
func TestCauseOfDeadline(t *testing.T) {
	t.Parallel()
	x, labels := clusters(5, 12, 40, 60, 50)
	for _, method := range []Method{Auto{}, ConjugateGradient{}, Eigen{}, MiniBatch{}} {
		set := paperSettings(Settings{Components: 2, Optimizer: Optimizer{Method: method}})
		ctx := newLate(t)
		ctx.passDeadline()
		if m, err := Fit(ctx, x, labels, set); m != nil || !errors.Is(err, errLate) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, before the first step: %v", method, err)
		}
		ctx = newLate(t)
		once := sync.OnceFunc(ctx.passDeadline)
		set.Progress = func(Progress) error { once(); return nil }
		set.Optimizer.Tolerance = 1e-300
		m, err := Fit(ctx, x, labels, set)
		if m == nil || m.Report().Status != StatusCanceled || !errors.Is(err, errLate) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, after a step: %v, %v", method, m != nil, err)
		}
	}
}
