package vector

import (
	"math"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The costs of one element, in the units of asm.Piece. One call of assembly processes up to 32Ki elements, or
// 8Ki elements for logarithms.
const (
	passCost = 8
	logCost  = 32
)

// Affine sets dst[i] = (x[i] − c)·s for i < len(x). dst may be x. Otherwise dst and x must not overlap.
// Affine panics if dst is shorter than x.
func Affine[T num.Float](dst, x []T, c, s T) {
	affineAll(dst, x, c, s, T(math.Copysign(0, -1)))
}

// Shift sets dst[i] = (x[i] − c) − b for i < len(x). The rules for dst and x are as in Affine.
func Shift[T num.Float](dst, x []T, c, b T) { affineAll(dst, x, c, 1, -b) }

// affineAll sets dst[i] = (x[i] − c)·s + b. If b is −0, the result is the rounded product (x[i] − c)·s.
func affineAll[T num.Float](dst, x []T, c, s, b T) {
	asm.CheckVector(len(dst), len(x))
	for p := asm.Piece(len(x), passCost, 64); len(x) > 0; dst, x = dst[p:], x[p:] {
		p = min(p, len(x))
		affine(dst[:p], x[:p], c, s, b)
	}
}

// Max returns the largest element of x. It ignores NaN. It returns +0 if the maximum is a zero, and −Inf
// if x has no element other than NaN.
func Max[T num.Float](x []T) T {
	var acc [num.MaxLanes]T
	for l := range acc {
		acc[l] = T(math.Inf(-1))
	}
	for p := asm.Piece(len(x), passCost, 64); len(x) > 0; x = x[p:] {
		p = min(p, len(x))
		maximum(&acc, x[:p])
	}
	for h := num.Lanes[T]() / 2; h > 0; h /= 2 {
		for l := range h {
			acc[l] = max(acc[l], acc[l+h])
		}
	}
	return acc[0] + 0
}

// Log sets dst[i] = ln x[i] for i < len(x). dst may be x. Otherwise dst and x must not overlap. Log panics
// if dst is shorter than x.
func Log[T num.Float](dst, x []T) { logs(dst, x, false) }

// Log2 sets dst[i] = log₂ x[i] for i < len(x). The rules for dst and x are as in Log.
func Log2[T num.Float](dst, x []T) { logs(dst, x, true) }

func logs[T num.Float](dst, x []T, base2 bool) {
	asm.CheckVector(len(dst), len(x))
	group := num.Lanes[T]()
	for p := asm.Piece(len(x), logCost, 64); len(x) > 0; {
		// The assembly function stops before a group with a special value. The Go function computes this group.
		done := ordinaryLogs(dst, x[:min(p, len(x))/group*group], base2)
		dst, x = dst[done:], x[done:]
		if rest := min(group, len(x)); done == 0 || rest < group {
			if base2 {
				log2Ref(dst, x[:rest])
			} else {
				logRef(dst, x[:rest])
			}
			dst, x = dst[rest:], x[rest:]
		}
	}
}
