//go:build arm64 && !purego

package pair

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Assembly is called from functions that are not inlined, so that every call has a
// stack check at which the goroutine can be stopped. It takes at least one element.

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
func dot64(x, y *float64, n, m int) float64 {
	if n != m {
		panic(LengthsText(n, m))
	}
	if few < n && n <= longest {
		switch asm.Current() {
		case asm.NEON:
			return dotNEONF64(n, x, y)
		}
	}
	if n <= few {
		return dotFew(x, y, n)
	}
	return long(Products, unsafe.Slice(x, n), unsafe.Slice(y, n))
}

//go:noinline
func dot32(x, y *float32, n, m int) float32 {
	if n != m {
		panic(LengthsText(n, m))
	}
	if few < n && n <= longest {
		switch asm.Current() {
		case asm.NEON:
			return dotNEONF32(n, x, y)
		}
	}
	if n <= few {
		return dotFew(x, y, n)
	}
	return long(Products, unsafe.Slice(x, n), unsafe.Slice(y, n))
}

//go:noinline
func sqEuclidean64(x, y *float64, n, m int) float64 {
	if n != m {
		panic(LengthsText(n, m))
	}
	if few < n && n <= longest {
		switch asm.Current() {
		case asm.NEON:
			return sqEuclideanNEONF64(n, x, y)
		}
	}
	if n <= few {
		return sqEuclideanFew(x, y, n)
	}
	return long(SqDifference, unsafe.Slice(x, n), unsafe.Slice(y, n))
}

//go:noinline
func sqEuclidean32(x, y *float32, n, m int) float32 {
	if n != m {
		panic(LengthsText(n, m))
	}
	if few < n && n <= longest {
		switch asm.Current() {
		case asm.NEON:
			return sqEuclideanNEONF32(n, x, y)
		}
	}
	if n <= few {
		return sqEuclideanFew(x, y, n)
	}
	return long(SqDifference, unsafe.Slice(x, n), unsafe.Slice(y, n))
}

//go:noinline
func manhattan64(x, y *float64, n, m int) float64 {
	if n != m {
		panic(LengthsText(n, m))
	}
	if few < n && n <= longest {
		switch asm.Current() {
		case asm.NEON:
			return manhattanNEONF64(n, x, y)
		}
	}
	if n <= few {
		return manhattanFew(x, y, n)
	}
	return long(AbsDifference, unsafe.Slice(x, n), unsafe.Slice(y, n))
}

//go:noinline
func manhattan32(x, y *float32, n, m int) float32 {
	if n != m {
		panic(LengthsText(n, m))
	}
	if few < n && n <= longest {
		switch asm.Current() {
		case asm.NEON:
			return manhattanNEONF32(n, x, y)
		}
	}
	if n <= few {
		return manhattanFew(x, y, n)
	}
	return long(AbsDifference, unsafe.Slice(x, n), unsafe.Slice(y, n))
}

//go:noinline
func squares64(x *float64, n int) float64 {
	if few < n && n <= longest {
		switch asm.Current() {
		case asm.NEON:
			return squaresNEONF64(n, x)
		}
	}
	if n <= few {
		return dotFew(x, x, n)
	}
	return long(Square, unsafe.Slice(x, n), unsafe.Slice(x, n))
}

//go:noinline
func squares32(x *float32, n int) float32 {
	if few < n && n <= longest {
		switch asm.Current() {
		case asm.NEON:
			return squaresNEONF32(n, x)
		}
	}
	if n <= few {
		return dotFew(x, x, n)
	}
	return long(Square, unsafe.Slice(x, n), unsafe.Slice(x, n))
}

//go:noinline
func sum64(x *float64, n int) float64 {
	if few < n && n <= longest {
		switch asm.Current() {
		case asm.NEON:
			return sumNEONF64(n, x)
		}
	}
	if n <= few {
		return sumFew(x, n)
	}
	return long(Element, unsafe.Slice(x, n), unsafe.Slice(x, n))
}

//go:noinline
func sum32(x *float32, n int) float32 {
	if few < n && n <= longest {
		switch asm.Current() {
		case asm.NEON:
			return sumNEONF32(n, x)
		}
	}
	if n <= few {
		return sumFew(x, n)
	}
	return long(Element, unsafe.Slice(x, n), unsafe.Slice(x, n))
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
func cosine64(x, y *float64, n, m int) float64 {
	if n != m {
		panic(LengthsText(n, m))
	}
	var sums [3]float64
	switch level := asm.Current(); {
	case n == 0 || n > longest:
		longCosine(&sums, unsafe.Slice(x, n), unsafe.Slice(y, n))
	case level == asm.NEON:
		cosineNEONF64(n, x, y, &sums[0])
	default:
		longCosine(&sums, unsafe.Slice(x, n), unsafe.Slice(y, n))
	}
	if inRange(sums[1]) && inRange(sums[2]) {
		return quotient(sums[0], sums[1], sums[2])
	}
	return scaledCosine(unsafe.Slice(x, n), unsafe.Slice(y, n))
}

//go:noinline
func cosine32(x, y *float32, n, m int) float32 {
	if n != m {
		panic(LengthsText(n, m))
	}
	var sums [3]float32
	switch level := asm.Current(); {
	case n == 0 || n > longest:
		longCosine(&sums, unsafe.Slice(x, n), unsafe.Slice(y, n))
	case level == asm.NEON:
		cosineNEONF32(n, x, y, &sums[0])
	default:
		longCosine(&sums, unsafe.Slice(x, n), unsafe.Slice(y, n))
	}
	if inRange(sums[1]) && inRange(sums[2]) {
		return quotient(sums[0], sums[1], sums[2])
	}
	return scaledCosine(unsafe.Slice(x, n), unsafe.Slice(y, n))
}

//go:noinline
func norm64(x *float64, n int) float64 {
	var s float64
	switch level := asm.Current(); {
	case n <= few:
		s = dotFew(x, x, n)
	case n <= longest && level == asm.NEON:
		s = squaresNEONF64(n, x)
	default:
		s = long(Square, unsafe.Slice(x, n), unsafe.Slice(x, n))
	}
	if inRange(s) {
		return root(s)
	}
	return scaledNorm(unsafe.Slice(x, n))
}

//go:noinline
func norm32(x *float32, n int) float32 {
	var s float32
	switch level := asm.Current(); {
	case n <= few:
		s = dotFew(x, x, n)
	case n <= longest && level == asm.NEON:
		s = squaresNEONF32(n, x)
	default:
		s = long(Square, unsafe.Slice(x, n), unsafe.Slice(x, n))
	}
	if inRange(s) {
		return root(s)
	}
	return scaledNorm(unsafe.Slice(x, n))
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
