//go:build unix

package guard

import (
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// shrinkQueue limits the queue of connections that wait for Accept to one. The system ignores other
// clients, which try again after a second. If the listener is closed by then, they are refused.
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
