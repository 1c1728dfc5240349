// Package ending provides a context for tests that counts the calls of its Err method and ends at a
// chosen call. Tests use it to check that long operations check their context often enough, without
// measuring time.
package ending

import (
	"context"
	"errors"
	"sync/atomic"
)

// ErrAt is the cause when a Context ends.
var ErrAt = errors.New("ending: Err was called for the last time")

// Context is a context that ends at a chosen call of Err.
type Context struct {
	context.Context
	cancel context.CancelCauseFunc
	last   int64
	checks atomic.Int64
}

// At returns a context that ends at the call of Err with the given number. The first call has
// number 1. With the number 0, the context never ends.
func At(last int) *Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &Context{Context: ctx, cancel: cancel, last: int64(last)}
}

// Err implements context.Context.
func (c *Context) Err() error {
	if c.checks.Add(1) == c.last {
		c.cancel(ErrAt)
	}
	return c.Context.Err()
}

// Checks returns the number of calls of Err.
func (c *Context) Checks() int { return int(c.checks.Load()) }

// ChecksAfterEnd returns the number of calls of Err after the context ended.
func (c *Context) ChecksAfterEnd() int { return max(0, c.Checks()-int(c.last)) }
