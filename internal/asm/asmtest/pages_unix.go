//go:build darwin || freebsd || linux || netbsd || openbsd

package asmtest

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve returns room bytes between two pages that can be neither read nor written.
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
