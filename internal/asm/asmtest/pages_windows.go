package asmtest

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// reserve returns a memory region of the given size in bytes. The pages before and after the region
// can be neither read nor written.
func reserve(page, size int) (unsafe.Pointer, bool) {
	mem, err := windows.VirtualAlloc(0, uintptr(size+2*page), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, false
	}
	for _, p := range []uintptr{mem, mem + uintptr(page+size)} {
		var was uint32
		if err := windows.VirtualProtect(p, uintptr(page), windows.PAGE_NOACCESS, &was); err != nil {
			_ = windows.VirtualFree(mem, 0, windows.MEM_RELEASE)
			return nil, false
		}
	}
	// The address is outside of Go memory, and vet accepts no other conversion to unsafe.Pointer.
	return unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&mem)), page), true
}
