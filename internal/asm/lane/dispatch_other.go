//go:build (!amd64 && !arm64) || purego

package lane

import (
	"github.com/gomonge/monge/internal/asm/num"
)

func rows[T num.Float](m, n int, s, k, v []T) { rowsRef(m, n, s, k, v) }

func columns[T num.Float](m, n int, q, k, u []T) { columnsRef(m, n, q, k, u) }

func divide[T num.Float](n int, x, a, y, lo, hi, outside []T, clear bool) {
	divideRef(n, x, a, y, lo, hi, outside, clear)
}

func sqEuclidean[T num.Float](m, n, d int, dst, x, y []T) { sqEuclideanRef(m, n, d, dst, x, y) }

func mul[T num.Float](n int, z, x, y []T, same bool) { mulRef(n, z, x, y, same) }

func interleave[T num.Float](m, n int, dst []T, ldd int, x *[num.MaxLanes][]T, ldx int) {
	interleaveRef(m, n, dst, ldd, x, ldx)
}
