//go:build unix

package experiments

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock locks f for this process until f is closed. Without the lock, two runs with the same journal
// would compute every cell twice.
func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrInUse
	}
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOLCK) {
		return nil // the file system does not support locks
	}
	return err
}
