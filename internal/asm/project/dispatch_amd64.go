//go:build amd64 && !purego

package project

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func mul[T num.Float](lv asm.Level, m, p, d int, y []T, ldy int, x []T, ldx int, b []T, ldb int, add bool) {
	switch lv {
	case asm.AVX512:
		productAVX512(m, p, d, y, ldy, x, ldx, 1, b, ldb, add)
	case asm.AVX2:
		productAVX2(3, m, p, d, y, ldy, x, ldx, 1, b, ldb, add)
	default:
		mulRef(m, p, d, y, ldy, x, ldx, b, ldb, add)
	}
}

func transMul[T num.Float](lv asm.Level, m, p, d int, g []T, ldg int, x []T, ldx int, y []T, ldy int, add bool) {
	switch lv {
	case asm.AVX512:
		productAVX512(p, d, m, g, ldg, y, 1, ldy, x, ldx, add)
	case asm.AVX2:
		// the tile that computes the fewest rows for nothing
		vectors := 2
		if (p+3)/4*4 < (p+4)/5*5 {
			vectors = 3
		}
		if (p+2)/3*3 < min((p+3)/4*4, (p+4)/5*5) {
			vectors = 4
		}
		productAVX2(vectors, p, d, m, g, ldg, y, 1, ldy, x, ldx, add)
	default:
		transMulRef(m, p, d, g, ldg, x, ldx, y, ldy, add)
	}
}

// productAVX2 sets c to a·b, or adds it, where a has a stride for either index. It
// gives the columns to tiles of the given number of vectors, 2 to 4, and the last
// vectors, where the number does not divide them, to tiles that fit.
func productAVX2[T num.Float](vectors, rows, cols, depth int, c []T, ldc int, a []T, ra, ka int, b []T, ldb int, add bool) {
	lanes := num.Lanes[T]() / 2
	for cols > 0 {
		tile, take := tileAVX2(vectors, (cols+lanes-1)/lanes)
		n := min(cols, take*lanes)
		if num.IsFloat64[T]() {
			callAVX2F64(tile, rows, n, depth, num.F64(c), ldc, num.F64(a), ra, ka, num.F64(b), ldb, add)
		} else {
			callAVX2F32(tile, rows, n, depth, num.F32(c), ldc, num.F32(a), ra, ka, num.F32(b), ldb, add)
		}
		if cols -= n; cols > 0 {
			c, b = c[n:], b[n:]
		}
	}
}

// tileAVX2 returns the tile to use next, in vectors of columns, and how many of
// the vectors that are left it takes.
func tileAVX2(vectors, left int) (tile, take int) {
	switch rest := left % vectors; {
	case left <= 4:
		return left, left
	case left == 5:
		return 3, 3
	case rest == 0:
		return vectors, left
	case rest > 1:
		return vectors, left - rest
	case vectors == 2:
		return 2, left - 3
	case vectors == 3:
		return 3, left - 4
	default:
		return 4, left - 5
	}
}

// productAVX512 sets c to a·b, or adds it, where a has a stride for either index.
func productAVX512[T num.Float](rows, cols, depth int, c []T, ldc int, a []T, ra, ka int, b []T, ldb int, add bool) {
	if num.IsFloat64[T]() {
		callAVX512F64(rows, cols, depth, num.F64(c), ldc, num.F64(a), ra, ka, num.F64(b), ldb, add)
	} else {
		callAVX512F32(rows, cols, depth, num.F32(c), ldc, num.F32(a), ra, ka, num.F32(b), ldb, add)
	}
}
