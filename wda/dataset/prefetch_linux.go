package dataset

import (
	"os"

	"golang.org/x/sys/unix"
)

// willNeed tells the system which bytes of a file are read next. Errors are ignored, because the
// call is only a hint.
func willNeed(f *os.File, offset, length int64) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	// SyscallConn is safe if another goroutine closes the file, unlike f.Fd.
	conn.Control(func(fd uintptr) { unix.Fadvise(int(fd), offset, length, unix.FADV_WILLNEED) })
}
