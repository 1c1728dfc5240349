// Package ending has a context for tests: it counts how often it is asked, and ends at the
// time chosen, so that "whoever takes long asks often enough" is a statement about counts
// and not about clocks.
package ending

import (
	"context"
	"errors"
	"sync/atomic"
)

// ErrAt is the cause of a Context's end.
var ErrAt = errors.New("ending: it was asked for the last time")

// Context ends when Err is called for the last of so many times.
type Context struct {
	context.Context
	cancel context.CancelCauseFunc
	last   int64
	asked  atomic.Int64
}

// At returns a context whose Err reports an end from the last-th call on; of 0 it never
// does.
func At(last int) *Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &Context{Context: ctx, cancel: cancel, last: int64(last)}
}

// Err implements context.Context.
func (c *Context) Err() error {
	if c.asked.Add(1) == c.last {
		c.cancel(ErrAt)
	}
	return c.Context.Err()
}

// Asked returns how often Err has been called.
func (c *Context) Asked() int { return int(c.asked.Load()) }

// Late returns how often it has been called after the end.
func (c *Context) Late() int { return max(0, c.Asked()-int(c.last)) }
