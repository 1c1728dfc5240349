//go:build !unix

package experiments

import "os"

// lock does nothing: these systems have no flock.
func lock(*os.File) error { return nil }
