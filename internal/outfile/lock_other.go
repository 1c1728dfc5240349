//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package outfile

import (
	"os"
	"runtime"
)

// lock does nothing. Windows does not remove a file that is open.
func lock(*os.File) bool { return true }

// removeUnlocked removes a file that no process has open.
func removeUnlocked(name string) {
	if runtime.GOOS == "windows" {
		os.Remove(name)
	}
}
