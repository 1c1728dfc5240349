//go:build amd64 && !purego

package pair

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The Go functions that call assembly are not inlined. So each call begins with a stack check, where the
// scheduler can stop the goroutine. The element count n is positive.

//go:noescape
func dotAVX512F64(n int, x, y *float64) float64

//go:noescape
func dotLanesAVX512F64(n int, acc, x, y *float64)

//go:noescape
func sqEuclideanAVX512F64(n int, x, y *float64) float64

//go:noescape
func sqEuclideanLanesAVX512F64(n int, acc, x, y *float64)

//go:noescape
func manhattanAVX512F64(n int, x, y *float64) float64

//go:noescape
func manhattanLanesAVX512F64(n int, acc, x, y *float64)

//go:noescape
func normAVX512F64(n int, x *float64) float64

//go:noescape
func squaresLanesAVX512F64(n int, acc, x *float64)

//go:noescape
func sumAVX512F64(n int, x *float64) float64

//go:noescape
func sumLanesAVX512F64(n int, acc, x *float64)

//go:noescape
func dotAVX512F32(n int, x, y *float32) float32

//go:noescape
func dotLanesAVX512F32(n int, acc, x, y *float32)

//go:noescape
func sqEuclideanAVX512F32(n int, x, y *float32) float32

//go:noescape
func sqEuclideanLanesAVX512F32(n int, acc, x, y *float32)

//go:noescape
func manhattanAVX512F32(n int, x, y *float32) float32

//go:noescape
func manhattanLanesAVX512F32(n int, acc, x, y *float32)

//go:noescape
func normAVX512F32(n int, x *float32) float32

//go:noescape
func squaresLanesAVX512F32(n int, acc, x *float32)

//go:noescape
func sumAVX512F32(n int, x *float32) float32

//go:noescape
func sumLanesAVX512F32(n int, acc, x *float32)

//go:noescape
func dotAVX2F64(n int, x, y *float64) float64

//go:noescape
func dotLanesAVX2F64(n int, acc, x, y *float64)

//go:noescape
func sqEuclideanAVX2F64(n int, x, y *float64) float64

//go:noescape
func sqEuclideanLanesAVX2F64(n int, acc, x, y *float64)

//go:noescape
func manhattanAVX2F64(n int, x, y *float64) float64

//go:noescape
func manhattanLanesAVX2F64(n int, acc, x, y *float64)

//go:noescape
func normAVX2F64(n int, x *float64) float64

//go:noescape
func squaresLanesAVX2F64(n int, acc, x *float64)

//go:noescape
func sumAVX2F64(n int, x *float64) float64

//go:noescape
func sumLanesAVX2F64(n int, acc, x *float64)

//go:noescape
func dotAVX2F32(n int, x, y *float32) float32

//go:noescape
func dotLanesAVX2F32(n int, acc, x, y *float32)

//go:noescape
func sqEuclideanAVX2F32(n int, x, y *float32) float32

//go:noescape
func sqEuclideanLanesAVX2F32(n int, acc, x, y *float32)

//go:noescape
func manhattanAVX2F32(n int, x, y *float32) float32

//go:noescape
func manhattanLanesAVX2F32(n int, acc, x, y *float32)

//go:noescape
func normAVX2F32(n int, x *float32) float32

//go:noescape
func squaresLanesAVX2F32(n int, acc, x *float32)

//go:noescape
func sumAVX2F32(n int, x *float32) float32

//go:noescape
func sumLanesAVX2F32(n int, acc, x *float32)

//go:noescape
func cosineAVX512F64(n int, x, y *float64) float64

//go:noescape
func cosineLanesAVX512F64(n int, acc, x, y *float64)

//go:noescape
func cosineAVX512F32(n int, x, y *float32) float32

//go:noescape
func cosineLanesAVX512F32(n int, acc, x, y *float32)

//go:noescape
func cosineAVX2F64(n int, x, y *float64) float64

//go:noescape
func cosineLanesAVX2F64(n int, acc, x, y *float64)

//go:noescape
func cosineAVX2F32(n int, x, y *float32) float32

//go:noescape
func cosineLanesAVX2F32(n int, acc, x, y *float32)

//go:noinline
func dot[T num.Float](x, y []T) T {
	n := len(x)
	if n != len(y) {
		panic(LengthsText(n, len(y)))
	}
	if few < n && n <= longestCall {
		switch level := asm.Current(); {
		case level == asm.AVX512 && num.IsFloat64[T]():
			return T(dotAVX512F64(n, num.P64(x), num.P64(y)))
		case level == asm.AVX512:
			return T(dotAVX512F32(n, num.P32(x), num.P32(y)))
		case level == asm.AVX2 && num.IsFloat64[T]():
			return T(dotAVX2F64(n, num.P64(x), num.P64(y)))
		case level == asm.AVX2:
			return T(dotAVX2F32(n, num.P32(x), num.P32(y)))
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
		switch level := asm.Current(); {
		case level == asm.AVX512 && num.IsFloat64[T]():
			return T(sqEuclideanAVX512F64(n, num.P64(x), num.P64(y)))
		case level == asm.AVX512:
			return T(sqEuclideanAVX512F32(n, num.P32(x), num.P32(y)))
		case level == asm.AVX2 && num.IsFloat64[T]():
			return T(sqEuclideanAVX2F64(n, num.P64(x), num.P64(y)))
		case level == asm.AVX2:
			return T(sqEuclideanAVX2F32(n, num.P32(x), num.P32(y)))
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
		switch level := asm.Current(); {
		case level == asm.AVX512 && num.IsFloat64[T]():
			return T(manhattanAVX512F64(n, num.P64(x), num.P64(y)))
		case level == asm.AVX512:
			return T(manhattanAVX512F32(n, num.P32(x), num.P32(y)))
		case level == asm.AVX2 && num.IsFloat64[T]():
			return T(manhattanAVX2F64(n, num.P64(x), num.P64(y)))
		case level == asm.AVX2:
			return T(manhattanAVX2F32(n, num.P32(x), num.P32(y)))
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
		switch level := asm.Current(); {
		case level == asm.AVX512 && num.IsFloat64[T]():
			return T(sumAVX512F64(n, num.P64(x)))
		case level == asm.AVX512:
			return T(sumAVX512F32(n, num.P32(x)))
		case level == asm.AVX2 && num.IsFloat64[T]():
			return T(sumAVX2F64(n, num.P64(x)))
		case level == asm.AVX2:
			return T(sumAVX2F32(n, num.P32(x)))
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
	case asm.AVX512F64:
		switch a, x, y := num.P64(acc[:]), num.P64(x), num.P64(y); op {
		case Products:
			dotLanesAVX512F64(n, a, x, y)
		case SqDifference:
			sqEuclideanLanesAVX512F64(n, a, x, y)
		case AbsDifference:
			manhattanLanesAVX512F64(n, a, x, y)
		case Square:
			squaresLanesAVX512F64(n, a, x)
		case Element:
			sumLanesAVX512F64(n, a, x)
		}
	case asm.AVX512F32:
		switch a, x, y := num.P32(acc[:]), num.P32(x), num.P32(y); op {
		case Products:
			dotLanesAVX512F32(n, a, x, y)
		case SqDifference:
			sqEuclideanLanesAVX512F32(n, a, x, y)
		case AbsDifference:
			manhattanLanesAVX512F32(n, a, x, y)
		case Square:
			squaresLanesAVX512F32(n, a, x)
		case Element:
			sumLanesAVX512F32(n, a, x)
		}
	case asm.AVX2F64:
		switch a, x, y := num.P64(acc[:]), num.P64(x), num.P64(y); op {
		case Products:
			dotLanesAVX2F64(n, a, x, y)
		case SqDifference:
			sqEuclideanLanesAVX2F64(n, a, x, y)
		case AbsDifference:
			manhattanLanesAVX2F64(n, a, x, y)
		case Square:
			squaresLanesAVX2F64(n, a, x)
		case Element:
			sumLanesAVX2F64(n, a, x)
		}
	case asm.AVX2F32:
		switch a, x, y := num.P32(acc[:]), num.P32(x), num.P32(y); op {
		case Products:
			dotLanesAVX2F32(n, a, x, y)
		case SqDifference:
			sqEuclideanLanesAVX2F32(n, a, x, y)
		case AbsDifference:
			manhattanLanesAVX2F32(n, a, x, y)
		case Square:
			squaresLanesAVX2F32(n, a, x)
		case Element:
			sumLanesAVX2F32(n, a, x)
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
	if few < n && n <= longestCall {
		switch level := asm.Current(); {
		case level == asm.AVX512 && n > Lanes[T]()/2 && num.IsFloat64[T](): // below, two registers for each sum have no advantage
			return T(cosineAVX512F64(n, num.P64(x), num.P64(y)))
		case level == asm.AVX512 && n > Lanes[T]()/2:
			return T(cosineAVX512F32(n, num.P32(x), num.P32(y)))
		case level >= asm.AVX2 && num.IsFloat64[T]():
			return T(cosineAVX2F64(n, num.P64(x), num.P64(y)))
		case level >= asm.AVX2:
			return T(cosineAVX2F32(n, num.P32(x), num.P32(y)))
		}
	}
	if n <= few {
		if xx, yy := dotFew(x, x), dotFew(y, y); inRange(xx) && inRange(yy) {
			return quotient(dotFew(x, y), xx, yy)
		}
	}
	return longCosine(x, y)
}

// If a sum of squares is out of range, the assembly of cosine and norm jumps to one of the following Go functions. Each
// of these functions has the same argument and result offsets as the assembly function that jumps to it.

//lint:ignore U1000 assembly jumps to it
func cosineOutOfRange64(n int, x, y *float64) float64 {
	return scaledCosine(unsafe.Slice(x, n), unsafe.Slice(y, n))
}

//lint:ignore U1000 assembly jumps to it
func cosineOutOfRange32(n int, x, y *float32) float32 {
	return scaledCosine(unsafe.Slice(x, n), unsafe.Slice(y, n))
}

//lint:ignore U1000 assembly jumps to it
func normOutOfRange64(n int, x *float64) float64 { return scaledNorm(unsafe.Slice(x, n)) }

//lint:ignore U1000 assembly jumps to it
func normOutOfRange32(n int, x *float32) float32 { return scaledNorm(unsafe.Slice(x, n)) }

//go:noinline
func norm[T num.Float](x []T) T {
	n := len(x)
	if few < n && n <= longestCall {
		switch level := asm.Current(); {
		case level == asm.AVX512 && num.IsFloat64[T]():
			return T(normAVX512F64(n, num.P64(x)))
		case level == asm.AVX512:
			return T(normAVX512F32(n, num.P32(x)))
		case level == asm.AVX2 && num.IsFloat64[T]():
			return T(normAVX2F64(n, num.P64(x)))
		case level == asm.AVX2:
			return T(normAVX2F32(n, num.P32(x)))
		}
	}
	if n <= few {
		if s := dotFew(x, x); inRange(s) {
			return root(s)
		}
	}
	return longNorm(x)
}

//go:noinline
func addCosineLanes[T num.Float](acc *[3 * MaxLanes / 2]T, x, y []T) {
	switch n := len(x); asm.VariantOf[T, T]() {
	case asm.AVX512F64:
		cosineLanesAVX512F64(n, num.P64(acc[:]), num.P64(x), num.P64(y))
	case asm.AVX512F32:
		cosineLanesAVX512F32(n, num.P32(acc[:]), num.P32(x), num.P32(y))
	case asm.AVX2F64:
		cosineLanesAVX2F64(n, num.P64(acc[:]), num.P64(x), num.P64(y))
	case asm.AVX2F32:
		cosineLanesAVX2F32(n, num.P32(acc[:]), num.P32(x), num.P32(y))
	default:
		addCosineRef(acc, x, y)
	}
}
