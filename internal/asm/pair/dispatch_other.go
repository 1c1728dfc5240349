//go:build (!amd64 && !arm64) || purego

package pair

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm/num"
)

func dot64(x, y *float64, n, m int) float64 {
	if n != m {
		panic(LengthsText(n, m))
	}
	if n <= few {
		return dotFew(x, y, n)
	}
	return long(Products, unsafe.Slice(x, n), unsafe.Slice(y, n))
}

func dot32(x, y *float32, n, m int) float32 {
	if n != m {
		panic(LengthsText(n, m))
	}
	if n <= few {
		return dotFew(x, y, n)
	}
	return long(Products, unsafe.Slice(x, n), unsafe.Slice(y, n))
}

func sqEuclidean64(x, y *float64, n, m int) float64 {
	if n != m {
		panic(LengthsText(n, m))
	}
	if n <= few {
		return sqEuclideanFew(x, y, n)
	}
	return long(SqDifference, unsafe.Slice(x, n), unsafe.Slice(y, n))
}

func sqEuclidean32(x, y *float32, n, m int) float32 {
	if n != m {
		panic(LengthsText(n, m))
	}
	if n <= few {
		return sqEuclideanFew(x, y, n)
	}
	return long(SqDifference, unsafe.Slice(x, n), unsafe.Slice(y, n))
}

func manhattan64(x, y *float64, n, m int) float64 {
	if n != m {
		panic(LengthsText(n, m))
	}
	if n <= few {
		return manhattanFew(x, y, n)
	}
	return long(AbsDifference, unsafe.Slice(x, n), unsafe.Slice(y, n))
}

func manhattan32(x, y *float32, n, m int) float32 {
	if n != m {
		panic(LengthsText(n, m))
	}
	if n <= few {
		return manhattanFew(x, y, n)
	}
	return long(AbsDifference, unsafe.Slice(x, n), unsafe.Slice(y, n))
}

func squares64(x *float64, n int) float64 {
	if n <= few {
		return dotFew(x, x, n)
	}
	return long(Square, unsafe.Slice(x, n), unsafe.Slice(x, n))
}

func squares32(x *float32, n int) float32 {
	if n <= few {
		return dotFew(x, x, n)
	}
	return long(Square, unsafe.Slice(x, n), unsafe.Slice(x, n))
}

func sum64(x *float64, n int) float64 {
	if n <= few {
		return sumFew(x, n)
	}
	return long(Element, unsafe.Slice(x, n), unsafe.Slice(x, n))
}

func sum32(x *float32, n int) float32 {
	if n <= few {
		return sumFew(x, n)
	}
	return long(Element, unsafe.Slice(x, n), unsafe.Slice(x, n))
}

func addLanes[T num.Float](op Op, acc *[MaxLanes]T, x, y []T) { addRef(op, acc, x, y) }

func cosine64(x, y *float64, n, m int) float64 {
	if n != m {
		panic(LengthsText(n, m))
	}
	var sums [3]float64
	longCosine(&sums, unsafe.Slice(x, n), unsafe.Slice(y, n))
	if inRange(sums[1]) && inRange(sums[2]) {
		return quotient(sums[0], sums[1], sums[2])
	}
	return scaledCosine(unsafe.Slice(x, n), unsafe.Slice(y, n))
}

func norm64(x *float64, n int) float64 {
	if s := squares64(x, n); inRange(s) {
		return root(s)
	}
	return scaledNorm(unsafe.Slice(x, n))
}

func cosine32(x, y *float32, n, m int) float32 {
	if n != m {
		panic(LengthsText(n, m))
	}
	var sums [3]float32
	longCosine(&sums, unsafe.Slice(x, n), unsafe.Slice(y, n))
	if inRange(sums[1]) && inRange(sums[2]) {
		return quotient(sums[0], sums[1], sums[2])
	}
	return scaledCosine(unsafe.Slice(x, n), unsafe.Slice(y, n))
}

func norm32(x *float32, n int) float32 {
	if s := squares32(x, n); inRange(s) {
		return root(s)
	}
	return scaledNorm(unsafe.Slice(x, n))
}

func addCosineLanes[T num.Float](acc *[3 * MaxLanes / 2]T, x, y []T) { addCosineRef(acc, x, y) }
