//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package outfile

import (
	"os"
	"syscall"
)

// lock locks a file until it is closed. It reports false if another process has locked it.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// removeUnlocked removes a file unless a process has locked it.
func removeUnlocked(name string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	if lock(f) {
		os.Remove(name)
	}
}
