// Package fault has the errors that the public packages have in common, each defined
// once: errors.Is knows them whichever package has returned them.
package fault

import "errors"

var (
	// ErrShape: two things that belong together are not of one size.
	ErrShape = errors.New("shapes do not match")
	// ErrNotFinite: a value is NaN or infinite.
	ErrNotFinite = errors.New("value is not finite")
	// ErrLabels: there are none, too few or too many of them, or they are of one class, of
	// classes of one sample, or of none that is known.
	ErrLabels = errors.New("bad labels")
	// ErrSettings: settings make no sense, or imply more memory than they may.
	ErrSettings = errors.New("bad settings")
)
