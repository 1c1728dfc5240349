package vec

import "github.com/gomonge/monge/internal/asm/num"

func divideRef[T num.Float](dst, x, y []T) {
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

func countOutsideRef[T num.Float](x []T, lo, hi T) int {
	n := 0
	for _, x := range x {
		if !(lo <= x && x <= hi) {
			n++
		}
	}
	return n
}
