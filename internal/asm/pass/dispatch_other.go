//go:build (!amd64 && !arm64) || purego

package pass

import (
	"github.com/gomonge/monge/internal/asm/num"
)

func run[K, T num.Float](m, n int, k *K, ldk int, v, a, u, q *T, divide bool) bool {
	return false
}

func begin[T num.Float](m, n int, k []T, ldk int, mat []T, ldm int, v, u, w, r, s, q []T) {
	beginRef(m, n, k, ldk, mat, ldm, v, u, w, r, s, q)
}

func divide[T num.Float](n int, dst, x, y []T) {
	divideRef(n, dst, x, y)
}

func countOutside[T num.Float](n int, x []T, lo, hi T) int {
	return countOutsideRef(n, x, lo, hi)
}

func narrow(n int, dst []float32, x []float64) {
	narrowRef(n, dst, x)
}

func widen(n int, dst []float64, x []float32) {
	widenRef(n, dst, x)
}
