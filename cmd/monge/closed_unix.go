//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// wasClosed reports whether f was closed when the process started, for example by >&- in a shell.
// The Go runtime opens the null device for a closed standard file, with read and write access. A
// shell redirection to the null device gives only read or only write access.
func wasClosed(f *os.File) bool {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return false
	}
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(a, b)
}
