//go:build arm64 && !purego

package pair

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The Go functions that call assembly are not inlined. So each call begins with a stack check, where the
// scheduler can stop the goroutine. The element count n is positive.

//go:noescape
func dotNEONF64(n int, x, y *float64) float64

//go:noescape
func dotLanesNEONF64(n int, acc, x, y *float64)

//go:noescape
func sqEuclideanNEONF64(n int, x, y *float64) float64

//go:noescape
func sqEuclideanLanesNEONF64(n int, acc, x, y *float64)

//go:noescape
func manhattanNEONF64(n int, x, y *float64) float64

//go:noescape
func manhattanLanesNEONF64(n int, acc, x, y *float64)

//go:noescape
func squaresNEONF64(n int, x *float64) float64

//go:noescape
func squaresLanesNEONF64(n int, acc, x *float64)

//go:noescape
func sumNEONF64(n int, x *float64) float64

//go:noescape
func sumLanesNEONF64(n int, acc, x *float64)

//go:noescape
func dotNEONF32(n int, x, y *float32) float32

//go:noescape
func dotLanesNEONF32(n int, acc, x, y *float32)

//go:noescape
func sqEuclideanNEONF32(n int, x, y *float32) float32

//go:noescape
func sqEuclideanLanesNEONF32(n int, acc, x, y *float32)

//go:noescape
func manhattanNEONF32(n int, x, y *float32) float32

//go:noescape
func manhattanLanesNEONF32(n int, acc, x, y *float32)

//go:noescape
func squaresNEONF32(n int, x *float32) float32

//go:noescape
func squaresLanesNEONF32(n int, acc, x *float32)

//go:noescape
func sumNEONF32(n int, x *float32) float32

//go:noescape
func sumLanesNEONF32(n int, acc, x *float32)

//go:noescape
func cosineNEONF64(n int, x, y, sums *float64)

//go:noescape
func cosineLanesNEONF64(n int, acc, x, y *float64)

//go:noescape
func cosineNEONF32(n int, x, y, sums *float32)

//go:noescape
func cosineLanesNEONF32(n int, acc, x, y *float32)

//go:noinline
func dot[T num.Float](x, y []T) T {
	n := len(x)
	if n != len(y) {
		panic(LengthsText(n, len(y)))
	}
	if few < n && n <= longestCall {
		if v := asm.Current(); v == asm.NEON && num.IsFloat64[T]() {
			return T(dotNEONF64(n, num.P64(x), num.P64(y)))
		} else if v == asm.NEON {
			return T(dotNEONF32(n, num.P32(x), num.P32(y)))
		}
	}
	if n <= few {
		return dotFew(x, y)
	}
	return longSum(Products, x, y)
}

//go:noinline
func sqEuclidean[T num.Float](x, y []T) T {
	n := len(x)
	if n != len(y) {
		panic(LengthsText(n, len(y)))
	}
	if few < n && n <= longestCall {
		if v := asm.Current(); v == asm.NEON && num.IsFloat64[T]() {
			return T(sqEuclideanNEONF64(n, num.P64(x), num.P64(y)))
		} else if v == asm.NEON {
			return T(sqEuclideanNEONF32(n, num.P32(x), num.P32(y)))
		}
	}
	if n <= few {
		return sqEuclideanFew(x, y)
	}
	return longSum(SqDifference, x, y)
}

//go:noinline
func manhattan[T num.Float](x, y []T) T {
	n := len(x)
	if n != len(y) {
		panic(LengthsText(n, len(y)))
	}
	if few < n && n <= longestCall {
		if v := asm.Current(); v == asm.NEON && num.IsFloat64[T]() {
			return T(manhattanNEONF64(n, num.P64(x), num.P64(y)))
		} else if v == asm.NEON {
			return T(manhattanNEONF32(n, num.P32(x), num.P32(y)))
		}
	}
	if n <= few {
		return manhattanFew(x, y)
	}
	return longSum(AbsDifference, x, y)
}

//go:noinline
func sum[T num.Float](x []T) T {
	n := len(x)
	if few < n && n <= longestCall {
		if v := asm.Current(); v == asm.NEON && num.IsFloat64[T]() {
			return T(sumNEONF64(n, num.P64(x)))
		} else if v == asm.NEON {
			return T(sumNEONF32(n, num.P32(x)))
		}
	}
	if n <= few {
		return sumFew(x)
	}
	return longSum(Element, x, x)
}

//go:noinline
func addLanes[T num.Float](op Op, acc *[MaxLanes]T, x, y []T) {
	n := len(x)
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		switch a, x, y := num.P64(acc[:]), num.P64(x), num.P64(y); op {
		case Products:
			dotLanesNEONF64(n, a, x, y)
		case SqDifference:
			sqEuclideanLanesNEONF64(n, a, x, y)
		case AbsDifference:
			manhattanLanesNEONF64(n, a, x, y)
		case Square:
			squaresLanesNEONF64(n, a, x)
		case Element:
			sumLanesNEONF64(n, a, x)
		}
	case asm.NEONF32:
		switch a, x, y := num.P32(acc[:]), num.P32(x), num.P32(y); op {
		case Products:
			dotLanesNEONF32(n, a, x, y)
		case SqDifference:
			sqEuclideanLanesNEONF32(n, a, x, y)
		case AbsDifference:
			manhattanLanesNEONF32(n, a, x, y)
		case Square:
			squaresLanesNEONF32(n, a, x)
		case Element:
			sumLanesNEONF32(n, a, x)
		}
	default:
		addRef(op, acc, x, y)
	}
}

//go:noinline
func cosine[T num.Float](x, y []T) T {
	n := len(x)
	if n != len(y) {
		panic(LengthsText(n, len(y)))
	}
	if asm.Current() != asm.NEON || n == 0 || n > longestCall {
		return longCosine(x, y)
	}
	var sums [3]T
	if num.IsFloat64[T]() {
		cosineNEONF64(n, num.P64(x), num.P64(y), num.P64(sums[:]))
	} else {
		cosineNEONF32(n, num.P32(x), num.P32(y), num.P32(sums[:]))
	}
	if inRange(sums[1]) && inRange(sums[2]) {
		return quotient(sums[0], sums[1], sums[2])
	}
	return scaledCosine(x, y)
}

//go:noinline
func norm[T num.Float](x []T) T {
	n := len(x)
	if n <= few || n > longestCall || asm.Current() != asm.NEON {
		return longNorm(x)
	}
	var s T
	if num.IsFloat64[T]() {
		s = T(squaresNEONF64(n, num.P64(x)))
	} else {
		s = T(squaresNEONF32(n, num.P32(x)))
	}
	if inRange(s) {
		return root(s)
	}
	return scaledNorm(x)
}

//go:noinline
func addCosineLanes[T num.Float](acc *[3 * MaxLanes / 2]T, x, y []T) {
	switch n := len(x); asm.VariantOf[T, T]() {
	case asm.NEONF64:
		cosineLanesNEONF64(n, num.P64(acc[:]), num.P64(x), num.P64(y))
	case asm.NEONF32:
		cosineLanesNEONF32(n, num.P32(acc[:]), num.P32(x), num.P32(y))
	default:
		addCosineRef(acc, x, y)
	}
}
