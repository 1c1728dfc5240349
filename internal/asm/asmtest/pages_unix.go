//go:build darwin || freebsd || linux || netbsd || openbsd

package asmtest

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve returns a memory region of the given size in bytes. The pages before and after the region
// can be neither read nor written.
func reserve(page, size int) (unsafe.Pointer, bool) {
	mem, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, false
	}
	for _, p := range [][]byte{mem[:page], mem[page+size:]} {
		if err := unix.Mprotect(p, unix.PROT_NONE); err != nil {
			_ = unix.Munmap(mem)
			return nil, false
		}
	}
	return unsafe.Pointer(&mem[page]), true
}
