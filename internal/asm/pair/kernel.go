package pair

import (
	"fmt"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

const (
	// longestCall is the number of elements that one call of assembly may take.
	longestCall = asm.Budget / 8
	// few is the largest number of elements for which a sum in Go is faster than a call of assembly.
	few = 2
)

// Dot returns Σ x[i]·y[i].
func Dot[T num.Float](x, y []T) T { return dot(x, y) }

// SqEuclidean returns Σ (x[i] − y[i])².
func SqEuclidean[T num.Float](x, y []T) T { return sqEuclidean(x, y) }

// Manhattan returns Σ |x[i] − y[i]|.
func Manhattan[T num.Float](x, y []T) T { return manhattan(x, y) }

// Sum returns Σ x[i].
func Sum[T num.Float](x []T) T { return sum(x) }

// AddCosineLanes adds the terms of x and y to the lanes of the three sums of a cosine. It panics if the lengths of
// x and y differ, or if they are not a multiple of Lanes.
func AddCosineLanes[T num.Float](acc *[3 * MaxLanes / 2]T, x, y []T) {
	if len(x) != len(y) || len(x)%Lanes[T]() != 0 {
		panic("pair: number of elements is not that of lanes")
	}
	for len(x) > 0 {
		p := min(len(x), longestCall)
		addCosineLanes(acc, x[:p], y[:p])
		x, y = x[p:], y[p:]
	}
}

// AddLanes adds the terms of x and y to the lanes acc. If the terms depend on x alone, the caller passes x as y.
// AddLanes panics if the lengths of x and y differ, or if they are not a multiple of Lanes.
func AddLanes[T num.Float](op Op, acc *[MaxLanes]T, x, y []T) {
	if len(x) != len(y) || len(x)%Lanes[T]() != 0 {
		panic("pair: number of elements is not that of lanes")
	}
	for len(x) > 0 {
		p := min(len(x), longestCall)
		addLanes(op, acc, x[:p], y[:p])
		x, y = x[p:], y[p:]
	}
}

// longSum returns the sum for slices that are too long for one call of assembly. The lanes are in memory between
// the calls.
func longSum[T num.Float](op Op, x, y []T) T {
	acc := negativeZeros[T]()
	whole := len(x) / Lanes[T]() * Lanes[T]()
	AddLanes(op, &acc, x[:whole], y[:whole])
	addRef(op, &acc, x[whole:], y[whole:])
	return sumLanes(&acc)
}

// The following functions sum at most two elements. The results are bit-identical to sums with lanes. Every lane
// starts at −0, so a lane with one term contains the rounded term, and a lane without a term does not change the sum.

func dotFew[T num.Float](x, y []T) T {
	switch len(x) {
	case 0:
		return 0
	case 1:
		return x[0] * y[0]
	}
	return T(x[0]*y[0]) + T(x[1]*y[1])
}

func sqEuclideanFew[T num.Float](x, y []T) T {
	if len(x) == 0 {
		return 0
	}
	s := x[0] - y[0]
	s *= s
	if len(x) > 1 {
		d := x[1] - y[1]
		s = T(s) + T(d*d)
	}
	return s
}

func manhattanFew[T num.Float](x, y []T) T {
	if len(x) == 0 {
		return 0
	}
	s := num.Abs(x[0] - y[0])
	if len(x) > 1 {
		s += num.Abs(x[1] - y[1])
	}
	return s
}

func sumFew[T num.Float](x []T) T {
	switch len(x) {
	case 0:
		return 0
	case 1:
		return x[0]
	}
	return x[0] + x[1]
}

// LengthsText returns the panic message of a function for slices of n and m elements.
func LengthsText(n, m int) string {
	return fmt.Sprintf("vecmath: lengths do not match: the first slice has %d elements, the second %d", n, m)
}
