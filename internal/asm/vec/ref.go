package vec

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

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

func narrowRef(dst []float32, x []float64) {
	for i := range dst {
		dst[i] = 0
		if !(math.Abs(x[i]) < 0x1p-126) {
			dst[i] = float32(x[i])
		}
	}
}

func widenRef(dst []float64, x []float32) {
	for i := range dst {
		dst[i] = float64(x[i])
	}
}
