//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// goesNowhere reports whether a file of the process was closed when it started, as by >&- in a shell. The Go
// runtime then opens the null device for reading and writing, where a shell opens it for one of them. Some
// programs give their children such a file on purpose.
func goesNowhere(f *os.File) bool {
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
