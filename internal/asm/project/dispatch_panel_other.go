//go:build !amd64 || purego

package project

import "github.com/gomonge/monge/internal/asm/num"

func panel[T num.Float](m, d int, y []T, ldy int, a, b, r, s, f, h []T) {
	panelRef(m, PanelColumns[T](), d, y, ldy, a, b, r, s, f, h)
}

// HasPanel reports whether Panel has assembly that is faster than Mul.
func HasPanel() bool { return false }

func pack[T num.Float](d int, to []T, step int, x []T, ldx int, factor T) {
	packRef(d, to, step, x, ldx, factor)
}
