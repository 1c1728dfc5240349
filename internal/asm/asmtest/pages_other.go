//go:build !(darwin || freebsd || linux || netbsd || openbsd || windows)

package asmtest

import "unsafe"

// reserve returns no pages, because it cannot make unreadable ones. Arenas then use guard frames.
func reserve(int, int) (unsafe.Pointer, bool) { return nil, false }
