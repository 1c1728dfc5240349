package exp

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// cost is what one element takes, in the units of asm.Piece: pieces of 8Ki
// elements, 2 to 6 µs, three times that where all results are subnormal.
const cost = 32

// Exp sets dst[i] = exp(x[i]) for i < len(x). dst may be x; otherwise they must
// not overlap. It panics if dst is shorter than x.
func Exp[T num.Float](lv asm.Level, dst, x []T) {
	asm.CheckVector(len(dst), len(x))
	for p := asm.Piece(len(x), cost, 32); len(x) > 0; dst, x = dst[p:], x[p:] {
		p = min(p, len(x))
		exp(lv, dst[:p], x[:p])
	}
}
