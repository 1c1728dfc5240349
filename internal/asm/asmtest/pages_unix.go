//go:build darwin || freebsd || linux || netbsd || openbsd

package asmtest

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gomonge/monge/internal/asm/num"
)

// pages returns n elements that end right before, or start right after, a page
// that can be neither read nor written.
func pages[T num.Float](n int, end bool) (s []T, free func(), ok bool) {
	var x T
	page := unix.Getpagesize()
	size := n * int(unsafe.Sizeof(x))
	room := (size + page) / page * page // at least one page, so that n = 0 has an address
	mem, err := unix.Mmap(-1, 0, room+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, false
	}
	for _, p := range [][]byte{mem[:page], mem[page+room:]} {
		if err := unix.Mprotect(p, unix.PROT_NONE); err != nil {
			_ = unix.Munmap(mem)
			return nil, nil, false
		}
	}
	at := page
	if end {
		at = page + room - size
	}
	s = unsafe.Slice((*T)(unsafe.Pointer(&mem[at : at+1 : at+1][0])), n)[:n:n]
	return s, func() { _ = unix.Munmap(mem) }, true
}
