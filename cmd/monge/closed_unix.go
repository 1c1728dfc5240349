//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// wasClosed reports whether f was closed when the process started, as by >&- in a shell. The Go
// runtime then opens the null device for reading and writing, whereas a shell opens it for one of
// them. Some programs pass such a file to their children on purpose.
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
