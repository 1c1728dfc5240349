package dataset

import (
	"os"

	"golang.org/x/sys/unix"
)

// willNeed tells the system which bytes of a file are read next. This is only a hint, so
// errors are ignored.
func willNeed(f *os.File, offset, length int64) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	// Not f.Fd(): another goroutine may close the file meanwhile.
	conn.Control(func(fd uintptr) { unix.Fadvise(int(fd), offset, length, unix.FADV_WILLNEED) })
}
