//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package outfile

import (
	"os"
	"runtime"
)

// lock does nothing, because Windows refuses to remove an open file.
func lock(*os.File) bool { return true }

// removeUnlocked removes a file on Windows unless a process has opened the file. On other systems
// it does nothing.
func removeUnlocked(name string) {
	if runtime.GOOS == "windows" {
		os.Remove(name)
	}
}
