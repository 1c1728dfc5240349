package load

import (
	"syscall"
	"time"
)

// sleep is time.Sleep with an accuracy of 0.1 ms. The runtime's own waits for whole milliseconds
// when it is idle.
func sleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil)
}
