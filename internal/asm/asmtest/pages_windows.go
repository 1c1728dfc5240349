package asmtest

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/gomonge/monge/internal/asm/num"
)

// pages returns n elements that end right before, or start right after, a page
// that can be neither read nor written.
func pages[T num.Float](n int, end bool) (s []T, free func(), ok bool) {
	var x T
	page := os.Getpagesize()
	size := n * int(unsafe.Sizeof(x))
	room := (size + page) / page * page // at least one page, so that n = 0 has an address
	mem, err := windows.VirtualAlloc(0, uintptr(room+2*page), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, nil, false
	}
	free = func() { _ = windows.VirtualFree(mem, 0, windows.MEM_RELEASE) }
	for _, p := range []uintptr{mem, mem + uintptr(page+room)} {
		var was uint32
		if err := windows.VirtualProtect(p, uintptr(page), windows.PAGE_NOACCESS, &was); err != nil {
			free()
			return nil, nil, false
		}
	}
	at := page
	if end {
		at = page + room - size
	}
	// The address is of no Go memory: through a pointer to it, as vet knows no other way.
	base := *(*unsafe.Pointer)(unsafe.Pointer(&mem))
	return unsafe.Slice((*T)(unsafe.Add(base, at)), n)[:n:n], free, true
}
