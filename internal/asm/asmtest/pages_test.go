package asmtest

import (
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"
)

// TestPages checks slices that the function pages returns. An access one element outside of such a
// slice must cause a fault, so that the level tests notice a kernel that reads outside of a slice.
func TestPages(t *testing.T) {
	for n := range 3 {
		for _, end := range []bool{false, true} {
			s, free, ok := pages[float32](n, end)
			if !ok {
				if slices.Contains([]string{"linux", "darwin", "windows", "freebsd", "netbsd", "openbsd"}, runtime.GOOS) {
					t.Fatal("no unreadable pages")
				}
				t.Skip("no unreadable pages on this system")
			}
			for i := range s {
				s[i] = 1
			}
			at := -1
			if end {
				at = n
			}
			p := (*float32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), 4*at))
			if !hasFault(func() { sink = *p }) || !hasFault(func() { *p = 1 }) {
				t.Errorf("element %d of %d can be read or written", at, n)
			}
			free()
		}
	}
}

var sink float32

func hasFault(f func()) (fault bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() != nil }()
	f()
	return false
}
