//go:build !(darwin || freebsd || linux || netbsd || openbsd || windows)

package asmtest

import "github.com/gomonge/monge/internal/asm/num"

// pages has no unreadable pages to offer; arenas fall back to guard frames.
func pages[T num.Float](int, bool) ([]T, func(), bool) { return nil, nil, false }
