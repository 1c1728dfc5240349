package load

import (
	"syscall"
	"time"
)

// sleep is like time.Sleep with an accuracy of 0.1 ms. On an idle processor, time.Sleep waits for whole
// milliseconds.
func sleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil)
}
