//go:build darwin || freebsd || linux || netbsd || openbsd

package asmtest

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve returns a memory region between two pages that can be neither read nor written. The
// argument named room is the size of the region in bytes.
func reserve(page, room int) (unsafe.Pointer, bool) {
	mem, err := unix.Mmap(-1, 0, room+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, false
	}
	for _, p := range [][]byte{mem[:page], mem[page+room:]} {
		if err := unix.Mprotect(p, unix.PROT_NONE); err != nil {
			_ = unix.Munmap(mem)
			return nil, false
		}
	}
	return unsafe.Pointer(&mem[page]), true
}
