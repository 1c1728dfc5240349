package load

import (
	"syscall"
	"time"
)

// sleep is time.Sleep to within 0.1 ms: the runtime's own waits for whole milliseconds
// where nothing else is to be done.
func sleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil)
}
