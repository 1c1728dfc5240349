//go:build unix

package guard

import (
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// shrinkQueue lets one client at most wait for l to accept its connection. The system ignores the others, which
// try again after a second; if the listener is closed by then, they are refused.
func shrinkQueue(l net.Listener) {
	control(l, func(fd int) { unix.Listen(fd, 0) })
}

// acceptWaiting returns a connection that waits to be accepted, or nil if there is none.
func acceptWaiting(l net.Listener) (c net.Conn) {
	control(l, func(fd int) {
		accepted, _, err := unix.Accept(fd)
		if err != nil {
			return
		}
		unix.CloseOnExec(accepted)
		f := os.NewFile(uintptr(accepted), "")
		c, _ = net.FileConn(f) // has a descriptor of its own
		f.Close()
	})
	return c
}

// control calls f with the descriptor of l.
func control(l net.Listener, f func(fd int)) {
	if s, ok := l.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			raw.Control(func(fd uintptr) { f(int(fd)) })
		}
	}
}
