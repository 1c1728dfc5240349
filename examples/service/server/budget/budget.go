// Package budget limits the memory that all requests use together.
package budget

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/semaphore"
)

// Errors of Take.
var (
	// ErrFull means that other requests hold the memory: try again later.
	ErrFull = errors.New("the service is busy, try again later: requests hold all of the memory that they may")
	// ErrExceeded means that one request asks for more than the whole budget.
	ErrExceeded = errors.New("the request needs too much memory")
)

// A Budget is the number of bytes that all requests together may hold.
type Budget struct {
	bytes int64
	free  *semaphore.Weighted
}

// New returns a Budget of the given number of bytes.
func New(bytes int64) *Budget { return &Budget{bytes, semaphore.NewWeighted(bytes)} }

// A Share is the part of a Budget that one request holds. Only one goroutine may use a Share at a
// time.
type Share struct {
	budget *Budget
	held   int64
}

// Share returns an empty share. Call its method Release when the request ends.
func (b *Budget) Share() *Share { return &Share{budget: b} }

// Take adds n bytes to the share. It never waits. It returns ErrFull or ErrExceeded if the bytes
// are not available.
func (s *Share) Take(n int64) error {
	if n > s.budget.bytes-s.held {
		return fmt.Errorf("%w: more than %d bytes", ErrExceeded, s.budget.bytes)
	}
	if !s.budget.free.TryAcquire(n) {
		return ErrFull
	}
	s.held += n
	return nil
}

// Release gives all bytes of the share back to the budget.
func (s *Share) Release() {
	s.budget.free.Release(s.held)
	s.held = 0
}

type key struct{}

// NewContext returns a context that carries the share of a request.
func NewContext(ctx context.Context, s *Share) context.Context {
	return context.WithValue(ctx, key{}, s)
}

// Take adds n bytes to the share in the context. If the context has no share, Take does nothing.
func Take(ctx context.Context, n int64) error {
	if s, ok := ctx.Value(key{}).(*Share); ok {
		return s.Take(n)
	}
	return nil
}
