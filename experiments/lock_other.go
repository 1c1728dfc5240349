//go:build !unix

package experiments

import "os"

// lock does nothing, because these systems have no flock.
func lock(*os.File) error { return nil }
