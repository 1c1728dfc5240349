//go:build !unix

package experiment

import "os"

// lock does nothing: these systems have no flock.
func lock(*os.File) error { return nil }
