//go:build !unix

package experiments

import "os"

// lock does nothing on operating systems without flock.
func lock(*os.File) error { return nil }
