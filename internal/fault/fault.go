// Package fault defines the errors that the public packages share. Each is defined once, so
// that errors.Is recognizes it, whichever package has returned it.
package fault

import (
	"context"
	"errors"
)

var (
	// ErrShape: the sizes of two arguments do not match.
	ErrShape = errors.New("shapes do not match")
	// ErrNotFinite: a value is NaN or infinite.
	ErrNotFinite = errors.New("value is not finite")
	// ErrLabels: the number of labels is wrong, all labels are of one class, a class has one
	// sample, or a class is unknown.
	ErrLabels = errors.New("bad labels")
	// ErrSettings: settings contradict each other, are out of range, or need more memory than
	// is allowed.
	ErrSettings = errors.New("bad settings")
)

// Ended returns the cause of ctx if ctx has ended, else err.
//
// A function that takes a context but returns no error stops when the context ends and leaves its
// result unfinished. Its caller then calls Ended once, after several such functions.
func Ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
