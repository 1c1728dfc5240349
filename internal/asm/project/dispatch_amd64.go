//go:build amd64 && !purego

package project

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The Go functions that call assembly are not inlined. So each call begins with a stack check, where the scheduler can
// stop the goroutine. rows, cols and depth are positive. In a call of an AVX2 tile function, the
// columns fill whole tiles, except that the last vector may be partial.

//go:noescape
func productAVX512F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, more bool)

//go:noescape
func productAVX512F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, more bool)

//go:noescape
func tile8x1AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, more bool)

//go:noescape
func tile8x1AVX2F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, more bool)

//go:noescape
func tile5x2AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, more bool)

//go:noescape
func tile5x2AVX2F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, more bool)

//go:noescape
func tile4x3AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, more bool)

//go:noescape
func tile4x3AVX2F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, more bool)

//go:noescape
func tile3x4AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, more bool)

//go:noescape
func tile3x4AVX2F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, more bool)

//go:noescape
func panelAVX2F64(m, d int, y *float64, ldy int, a, b, r, s, f, h *float64)

//go:noescape
func panelAVX2F32(m, d int, y *float32, ldy int, a, b, r, s, f, h *float32)

//go:noescape
func packAVX2F64(d int, to *float64, step int, x *float64, ldx int, factor float64)

//go:noescape
func packAVX2F32(d int, to *float32, step int, x *float32, ldx int, factor float32)

//go:noescape
func normsAVX2F64(d int, n, x *float64, ldx int, add bool)

//go:noescape
func normsAVX2F32(d int, n, x *float32, ldx int, add bool)

// HasPanel reports whether Panel has assembly that is faster than Mul.
func HasPanel() bool {
	level := asm.Current()
	return level == asm.AVX2 || level == asm.AVX512 && asm.CurrentMachine().Panels
}

//go:noinline
func panel[T num.Float](m, d int, y []T, ldy int, a, b, r, s, f, h []T) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX2F64, asm.AVX512F64:
		panelAVX2F64(m, d, num.P64(y), ldy, num.P64(a), num.P64(b), num.P64(r), num.P64(s), num.P64(f), num.P64(h))
	case asm.AVX2F32, asm.AVX512F32:
		panelAVX2F32(m, d, num.P32(y), ldy, num.P32(a), num.P32(b), num.P32(r), num.P32(s), num.P32(f), num.P32(h))
	default:
		panelRef(m, PanelColumns[T](), d, y, ldy, a, b, r, s, f, h)
	}
}

//go:noinline
func pack[T num.Float](d int, to []T, step int, x []T, ldx int, factor T) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX2F64, asm.AVX512F64:
		packAVX2F64(d, num.P64(to), step, num.P64(x), ldx, float64(factor))
	case asm.AVX2F32, asm.AVX512F32:
		packAVX2F32(d, num.P32(to), step, num.P32(x), ldx, float32(factor))
	default:
		packRef(d, to, step, x, ldx, factor)
	}
}

//go:noinline
func norms[T num.Float](d int, n, x []T, ldx int, add bool) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX2F64, asm.AVX512F64:
		normsAVX2F64(d, num.P64(n), num.P64(x), ldx, add)
	case asm.AVX2F32, asm.AVX512F32:
		normsAVX2F32(d, num.P32(n), num.P32(x), ldx, add)
	default:
		normsRef(d, n, x, ldx, add)
	}
}

func mul[T num.Float](m, p, d int, y []T, ldy int, x []T, ldx int, b []T, ldb int, add bool) {
	switch asm.Current() {
	case asm.AVX512, asm.AVX2:
		product(3, m, p, d, y, ldy, x, ldx, 1, b, ldb, add)
	default:
		mulRef(m, p, d, y, ldy, x, ldx, b, ldb, add)
	}
}

func transMul[T num.Float](m, p, d int, g []T, ldg int, x []T, ldx int, y []T, ldy int, add bool) {
	switch asm.Current() {
	case asm.AVX512, asm.AVX2:
		product(fewestRows(p), p, d, m, g, ldg, y, 1, ldy, x, ldx, add)
	default:
		transMulRef(m, p, d, g, ldg, x, ldx, y, ldy, add)
	}
}

// fewestRows returns the AVX2 tile width, in vectors, for which the last tile has the fewest unused rows.
func fewestRows(rows int) (vectors int) {
	three, four, five := (rows+2)/3*3, (rows+3)/4*4, (rows+4)/5*5
	switch {
	case three < min(four, five):
		return 4
	case four < five:
		return 3
	}
	return 2
}

// product sets c to a·b, or adds a·b to c if add is set. Element (i, k) of a is a[i·ra + k·ka]. The AVX2 code
// divides the columns into tiles. vectors is the width of a tile, 2 to 4 vector registers. The last tiles may
// be narrower or wider.
func product[T num.Float](vectors, rows, cols, depth int, c []T, ldc int, a []T, ra, ka int, b []T, ldb int, add bool) {
	if asm.Current() == asm.AVX512 {
		n := rowsAVX512[T](rows, cols, depth)
		if n > 0 {
			tilesAVX512(n, cols, depth, c, ldc, a, ra, ka, b, ldb, add)
		}
		if n == rows {
			return
		}
		rows, c, a = rows-n, c[n*ldc:], a[n*ra:]
	}
	lanes := num.Lanes[T]() / 2
	for cols > 0 {
		tile, take := tileAVX2(vectors, (cols+lanes-1)/lanes)
		n := min(cols, take*lanes)
		tilesAVX2(tile, rows, n, depth, c, ldc, a, ra, ka, b, ldb, add)
		if cols -= n; cols > 0 {
			c, b = c[n:], b[n:]
		}
	}
}

// rowsAVX512 returns the number of rows of a product that AVX-512 tiles compute. AVX2 tiles compute the remaining rows.
// AVX2 is faster for few columns, for short sums, and for some values of rows mod 8 (AVX512.md).
func rowsAVX512[T num.Float](rows, cols, depth int) int {
	lanes, last, choice := num.Lanes[T](), rows%8, &asm.CurrentMachine().Product
	switch {
	case depth <= choice.ShallowDepth && cols >= choice.ShallowCols:
		return 0
	case rows == 1:
		if v := asm.VariantOf[T, T](); choice.OneRow.Variant(v, cols) != v {
			return 0
		}
		return rows
	case cols <= lanes/2 || rows < choice.FewRows && cols <= lanes && rows != 8:
		return 0
	case last == 3 || last == 6 || last > 4 && cols <= choice.OddTail*lanes || last == 4 && cols <= choice.FourTail*lanes:
		return rows - last
	}
	return rows
}

// tileAVX2 returns the tile width for the next call of assembly, and the number of columns that this call processes. Both
// numbers count vectors of columns. left is the number of remaining vectors.
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

// tilesAVX2 is like the function product, but computes all tiles with AVX2. A row of a tile has the given number of vectors.
//
//go:noinline
func tilesAVX2[T num.Float](vectors, rows, cols, depth int, c []T, ldc int, a []T, ra, ka int, b []T, ldb int, add bool) {
	switch f64 := num.IsFloat64[T](); {
	case vectors == 1 && f64:
		tile8x1AVX2F64(rows, cols, depth, num.P64(c), ldc, num.P64(a), ra, ka, num.P64(b), ldb, add)
	case vectors == 1:
		tile8x1AVX2F32(rows, cols, depth, num.P32(c), ldc, num.P32(a), ra, ka, num.P32(b), ldb, add)
	case vectors == 2 && f64:
		tile5x2AVX2F64(rows, cols, depth, num.P64(c), ldc, num.P64(a), ra, ka, num.P64(b), ldb, add)
	case vectors == 2:
		tile5x2AVX2F32(rows, cols, depth, num.P32(c), ldc, num.P32(a), ra, ka, num.P32(b), ldb, add)
	case vectors == 3 && f64:
		tile4x3AVX2F64(rows, cols, depth, num.P64(c), ldc, num.P64(a), ra, ka, num.P64(b), ldb, add)
	case vectors == 3:
		tile4x3AVX2F32(rows, cols, depth, num.P32(c), ldc, num.P32(a), ra, ka, num.P32(b), ldb, add)
	case vectors == 4 && f64:
		tile3x4AVX2F64(rows, cols, depth, num.P64(c), ldc, num.P64(a), ra, ka, num.P64(b), ldb, add)
	case vectors == 4:
		tile3x4AVX2F32(rows, cols, depth, num.P32(c), ldc, num.P32(a), ra, ka, num.P32(b), ldb, add)
	}
}

// tilesAVX512 is like the function product, but computes all tiles with AVX-512.
//
//go:noinline
func tilesAVX512[T num.Float](rows, cols, depth int, c []T, ldc int, a []T, ra, ka int, b []T, ldb int, add bool) {
	if num.IsFloat64[T]() {
		productAVX512F64(rows, cols, depth, num.P64(c), ldc, num.P64(a), ra, ka, num.P64(b), ldb, add)
	} else {
		productAVX512F32(rows, cols, depth, num.P32(c), ldc, num.P32(a), ra, ka, num.P32(b), ldb, add)
	}
}
