//go:build !(darwin || freebsd || linux || netbsd || openbsd || windows)

package asmtest

import "unsafe"

// reserve has no unreadable pages to offer; arenas fall back to guard frames.
func reserve(int, int) (unsafe.Pointer, bool) { return nil, false }
