package pair

import (
	"fmt"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

const (
	// longest is the number of elements that one call of assembly may take.
	longest = asm.Budget / 8
	// few is the number of elements up to which a call would take longer than the sum.
	few = 2
)

// Dot returns Σ x[i]·y[i].
func Dot[T num.Float](x, y []T) T {
	if num.IsFloat64[T]() {
		return T(dot64(num.P64(x), num.P64(y), len(x), len(y)))
	}
	return T(dot32(num.P32(x), num.P32(y), len(x), len(y)))
}

// SqEuclidean returns Σ (x[i] − y[i])².
func SqEuclidean[T num.Float](x, y []T) T {
	if num.IsFloat64[T]() {
		return T(sqEuclidean64(num.P64(x), num.P64(y), len(x), len(y)))
	}
	return T(sqEuclidean32(num.P32(x), num.P32(y), len(x), len(y)))
}

// Manhattan returns Σ |x[i] − y[i]|.
func Manhattan[T num.Float](x, y []T) T {
	if num.IsFloat64[T]() {
		return T(manhattan64(num.P64(x), num.P64(y), len(x), len(y)))
	}
	return T(manhattan32(num.P32(x), num.P32(y), len(x), len(y)))
}

// Squares returns Σ x[i]².
func Squares[T num.Float](x []T) T {
	if num.IsFloat64[T]() {
		return T(squares64(num.P64(x), len(x)))
	}
	return T(squares32(num.P32(x), len(x)))
}

// Sum returns Σ x[i].
func Sum[T num.Float](x []T) T {
	if num.IsFloat64[T]() {
		return T(sum64(num.P64(x), len(x)))
	}
	return T(sum32(num.P32(x), len(x)))
}

// longCosine sets sums to those of slices of any length.
func longCosine[T num.Float](sums *[3]T, x, y []T) {
	if len(x) == 0 {
		*sums = [3]T{}
		return
	}
	acc := beginCosine[T]()
	whole := len(x) / Lanes[T]() * Lanes[T]()
	AddCosineLanes(&acc, x[:whole], y[:whole])
	addCosineRef(&acc, x[whole:], y[whole:])
	foldCosine(sums, &acc)
}

// AddCosineLanes adds the terms of x and y to the lanes of the three sums. It panics if their lengths differ or are no
// multiple of the number of lanes.
func AddCosineLanes[T num.Float](acc *[3 * MaxLanes / 2]T, x, y []T) {
	if len(x) != len(y) || len(x)%Lanes[T]() != 0 {
		panic("pair: number of elements is not that of lanes")
	}
	for len(x) > 0 {
		p := min(len(x), longest)
		addCosineLanes(acc, x[:p], y[:p])
		x, y = x[p:], y[p:]
	}
}

// AddLanes adds the terms of x and y to the lanes acc; y is x where the term has x only. It panics if their lengths
// differ or are no multiple of the number of lanes.
func AddLanes[T num.Float](op Op, acc *[MaxLanes]T, x, y []T) {
	if len(x) != len(y) || len(x)%Lanes[T]() != 0 {
		panic("pair: number of elements is not that of lanes")
	}
	for len(x) > 0 {
		p := min(len(x), longest)
		addLanes(op, acc, x[:p], y[:p])
		x, y = x[p:], y[p:]
	}
}

// long returns the sum of the terms of slices that no single call takes: in pieces, the lanes of which go through memory.
func long[T num.Float](op Op, x, y []T) T {
	acc := begin[T]()
	whole := len(x) / Lanes[T]() * Lanes[T]()
	AddLanes(op, &acc, x[:whole], y[:whole])
	addRef(op, &acc, x[whole:], y[whole:])
	return fold(&acc)
}

// The sums of n ≤ few elements: lane 0, and lane 1. A lane of −0 becomes its term, rounded, and all other lanes change
// nothing. Those of products and squares are inlined.

func dotFew[T num.Float](x, y *T, n int) T {
	if n == 0 {
		return 0
	}
	s := *x * *y
	if n > 1 {
		s = T(s) + T(second(x)*second(y))
	}
	return s
}

func sqEuclideanFew[T num.Float](x, y *T, n int) T {
	if n == 0 {
		return 0
	}
	s := *x - *y
	s *= s
	if n > 1 {
		d := second(x) - second(y)
		s = T(s) + T(d*d)
	}
	return s
}

func manhattanFew[T num.Float](x, y *T, n int) T {
	if n == 0 {
		return 0
	}
	s := num.Abs(*x - *y)
	if n > 1 {
		s += num.Abs(second(x) - second(y))
	}
	return s
}

func sumFew[T num.Float](x *T, n int) T {
	if n == 0 {
		return 0
	}
	s := *x
	if n > 1 {
		s += second(x)
	}
	return s
}

// second returns element 1 of a vector.
func second[T num.Float](x *T) T { return *(*T)(unsafe.Add(unsafe.Pointer(x), unsafe.Sizeof(*x))) }

// LengthsText is what a function panics with for slices of n and m elements.
func LengthsText(n, m int) string {
	return fmt.Sprintf("vecmath: lengths do not match: the first slice has %d elements, the second %d", n, m)
}
