package dataset

import (
	"os"

	"golang.org/x/sys/unix"
)

// willNeed tells the system which bytes of a file are read next. A file system that cannot
// use that is none the worse for it: there is no error to report.
func willNeed(f *os.File, offset, length int64) {
	unix.Fadvise(int(f.Fd()), offset, length, unix.FADV_WILLNEED)
}
