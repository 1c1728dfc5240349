//go:build unix

package guard

import (
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// After shrinkQueue, only one connection can wait for Accept. The system ignores all further
// clients. These clients try again later. If the listener is closed by then, the system refuses
// them.
func shrinkQueue(l net.Listener) {
	withDescriptor(l, func(fd int) { unix.Listen(fd, 0) })
}

// acceptWaiting returns a connection that waits for Accept, or nil if there is none.
func acceptWaiting(l net.Listener) (c net.Conn) {
	withDescriptor(l, func(fd int) {
		accepted, _, err := unix.Accept(fd)
		if err != nil {
			return
		}
		unix.CloseOnExec(accepted)
		f := os.NewFile(uintptr(accepted), "")
		c, _ = net.FileConn(f) // duplicates the descriptor
		f.Close()
	})
	return c
}

// withDescriptor calls f with the file descriptor of l.
func withDescriptor(l net.Listener, f func(fd int)) {
	if s, ok := l.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			raw.Control(func(fd uintptr) { f(int(fd)) })
		}
	}
}
