// Package fanout has parts of a computation done elsewhere: whoever divides its work into
// items that do not depend on each other hands them to the Pool that its context carries,
// and what does an item is found by the name of its task, in whatever process it arrives.
// Items and results are bytes; what they mean is between the two ends.
package fanout

import (
	"context"
	"fmt"
	"sync"
)

// A Pool does items.
type Pool interface {
	// Worth reports whether so many multiplications are worth the way.
	Worth(multiplications float64) bool
	// Do returns what Run returns for every item, in their order. An error is that of the
	// way, or the cause of the context's end. A Pool may do an item several times.
	Do(ctx context.Context, b *Batch) ([][]byte, error)
}

// A Batch is items of one task, and what they share. Items that follow each other in groups
// of Together have work in common if one process does them; 0 is 1.
type Batch struct {
	Task     string
	Shared   []byte
	Items    [][]byte
	Together int
}

type key struct{}

// With returns a context that carries a pool, or none.
func With(ctx context.Context, p Pool) context.Context { return context.WithValue(ctx, key{}, p) }

// Of returns the pool that ctx carries if it takes so many multiplications, or nil.
func Of(ctx context.Context, multiplications float64) Pool {
	if p, ok := ctx.Value(key{}).(Pool); ok && p.Worth(multiplications) {
		return p
	}
	return nil
}

// Doer does one item. Any number of goroutines may call it. Doing an item again gives the
// same bytes. An error means that it could not be done here; what can go wrong with it
// anywhere is a result.
type Doer func(ctx context.Context, item []byte) ([]byte, error)

var (
	mu    sync.Mutex
	tasks = map[string]func(ctx context.Context, shared []byte) (Doer, error){}
)

// Register says how items of a task are done, once what they share is known. It panics if
// the task is registered already.
func Register(task string, open func(ctx context.Context, shared []byte) (Doer, error)) {
	mu.Lock()
	defer mu.Unlock()
	if tasks[task] != nil {
		panic("fanout: two tasks are called " + task)
	}
	tasks[task] = open
}

// Open returns what does the items of a task. What was made of an item when its context had
// ended, as that of a bundle whose neighbor failed, is no result, whatever it looks like.
func Open(ctx context.Context, task string, shared []byte) (Doer, error) {
	mu.Lock()
	open := tasks[task]
	mu.Unlock()
	if open == nil {
		return nil, fmt.Errorf("fanout: no task is called %q", task)
	}
	do, err := open(ctx, shared)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, item []byte) ([]byte, error) {
		result, err := do(ctx, item)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return result, err
	}, nil
}
