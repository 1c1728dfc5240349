//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package outfile

import (
	"os"
	"runtime"
)

// lock does nothing: Windows does not remove an open file.
func lock(*os.File) bool { return true }

// removeUnlocked removes a file unless a process has opened it.
func removeUnlocked(name string) {
	if runtime.GOOS == "windows" {
		os.Remove(name)
	}
}
