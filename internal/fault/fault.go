// Package fault defines the errors that the public packages share, so that errors.Is recognizes
// them no matter which package returned them.
package fault

import (
	"context"
	"errors"
)

var (
	// ErrShape means that the sizes of two arguments do not match.
	ErrShape = errors.New("shapes do not match")
	// ErrNotFinite means that a value is NaN or infinite.
	ErrNotFinite = errors.New("value is not finite")
	// ErrLabels means that the number of labels is wrong, that all labels are equal, that a class
	// has one sample, or that a class is unknown.
	ErrLabels = errors.New("bad labels")
	// ErrSettings means that settings contradict each other, are out of range, or need more memory
	// than allowed.
	ErrSettings = errors.New("bad settings")
)

// Ended returns context.Cause(ctx) if ctx has ended, and err otherwise.
//
// A function with a context but no error result stops when the context ends and leaves its result
// unfinished. After several calls of functions like this, the caller calls Ended once.
func Ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
