package load

import (
	"syscall"
	"time"
)

// sleep is like time.Sleep, but accurate to 0.1 ms. On an idle processor, time.Sleep rounds to
// whole milliseconds.
func sleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil)
}
