//go:build !(darwin || freebsd || linux || netbsd || openbsd || windows)

package asmtest

import "unsafe"

// reserve reports false, because it cannot create unreadable pages on this system. Arenas then use
// NaN guards.
func reserve(int, int) (unsafe.Pointer, bool) { return nil, false }
