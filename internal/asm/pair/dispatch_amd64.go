//go:build amd64 && !purego

package pair

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Assembly is called from functions that are not inlined, so that every call has a
// stack check at which the goroutine can be stopped. It takes at least one element.

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
func squaresAVX512F64(n int, x *float64) float64

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
func squaresAVX512F32(n int, x *float32) float32

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
func squaresAVX2F64(n int, x *float64) float64

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
func squaresAVX2F32(n int, x *float32) float32

//go:noescape
func squaresLanesAVX2F32(n int, acc, x *float32)

//go:noescape
func sumAVX2F32(n int, x *float32) float32

//go:noescape
func sumLanesAVX2F32(n int, acc, x *float32)

//go:noescape
func cosineAVX512F64(n int, x, y, sums *float64)

//go:noescape
func cosineLanesAVX512F64(n int, acc, x, y *float64)

//go:noescape
func cosineAVX512F32(n int, x, y, sums *float32)

//go:noescape
func cosineLanesAVX512F32(n int, acc, x, y *float32)

//go:noescape
func cosineAVX2F64(n int, x, y, sums *float64)

//go:noescape
func cosineLanesAVX2F64(n int, acc, x, y *float64)

//go:noescape
func cosineAVX2F32(n int, x, y, sums *float32)

//go:noescape
func cosineLanesAVX2F32(n int, acc, x, y *float32)

//go:noinline
func dot64(x, y *float64, n, m int) float64 {
	if n != m {
		panic(LengthsText(n, m))
	}
	if few < n && n <= longest {
		switch asm.Current() {
		case asm.AVX512:
			return dotAVX512F64(n, x, y)
		case asm.AVX2:
			return dotAVX2F64(n, x, y)
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
		case asm.AVX512:
			return dotAVX512F32(n, x, y)
		case asm.AVX2:
			return dotAVX2F32(n, x, y)
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
		case asm.AVX512:
			return sqEuclideanAVX512F64(n, x, y)
		case asm.AVX2:
			return sqEuclideanAVX2F64(n, x, y)
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
		case asm.AVX512:
			return sqEuclideanAVX512F32(n, x, y)
		case asm.AVX2:
			return sqEuclideanAVX2F32(n, x, y)
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
		case asm.AVX512:
			return manhattanAVX512F64(n, x, y)
		case asm.AVX2:
			return manhattanAVX2F64(n, x, y)
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
		case asm.AVX512:
			return manhattanAVX512F32(n, x, y)
		case asm.AVX2:
			return manhattanAVX2F32(n, x, y)
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
		case asm.AVX512:
			return squaresAVX512F64(n, x)
		case asm.AVX2:
			return squaresAVX2F64(n, x)
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
		case asm.AVX512:
			return squaresAVX512F32(n, x)
		case asm.AVX2:
			return squaresAVX2F32(n, x)
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
		case asm.AVX512:
			return sumAVX512F64(n, x)
		case asm.AVX2:
			return sumAVX2F64(n, x)
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
		case asm.AVX512:
			return sumAVX512F32(n, x)
		case asm.AVX2:
			return sumAVX2F32(n, x)
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
func cosine64(x, y *float64, n, m int) float64 {
	if n != m {
		panic(LengthsText(n, m))
	}
	var sums [3]float64
	switch level := asm.Current(); {
	case n == 0 || n > longest:
		longCosine(&sums, unsafe.Slice(x, n), unsafe.Slice(y, n))
	case level == asm.AVX512:
		cosineAVX512F64(n, x, y, &sums[0])
	case level == asm.AVX2:
		cosineAVX2F64(n, x, y, &sums[0])
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
	case level == asm.AVX512:
		cosineAVX512F32(n, x, y, &sums[0])
	case level == asm.AVX2:
		cosineAVX2F32(n, x, y, &sums[0])
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
	case n <= longest && level == asm.AVX512:
		s = squaresAVX512F64(n, x)
	case n <= longest && level == asm.AVX2:
		s = squaresAVX2F64(n, x)
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
	case n <= longest && level == asm.AVX512:
		s = squaresAVX512F32(n, x)
	case n <= longest && level == asm.AVX2:
		s = squaresAVX2F32(n, x)
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
