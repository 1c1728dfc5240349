//go:build amd64 || arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x

package dataset

import (
	"os"
	"syscall"
)

// willNeed tells the system which bytes of a file are read next. A file system that cannot
// use that is none the worse for it: there is no error to report. The call is written out,
// since all of x/sys/unix takes a second to build. With 32 bits it has other arguments.
func willNeed(f *os.File, offset, length int64) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	const advice = 3 // POSIX_FADV_WILLNEED
	// Not f.Fd(): another goroutine may close the file meanwhile.
	conn.Control(func(fd uintptr) {
		syscall.Syscall6(syscall.SYS_FADVISE64, fd, uintptr(offset), uintptr(length), advice, 0, 0)
	})
}
