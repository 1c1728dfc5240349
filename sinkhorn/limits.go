package sinkhorn

import (
	"math"
	"math/bits"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
)

// limits are the ranges in which arithmetic in type T is accurate.
type limits[T dist.Float] struct {
	lo, hi    T       // a scaling between them is accurate
	least     T       // a sum below is not accurate, with scalings in range
	tiny      T       // a column sum below is not accurate in a log-domain pass
	precision float64 // λ·log₂e·max|M| above leaves potentials too few digits
	digits    float64 // from here on costs are refused on logarithms: potentials have no right digit, or overflow
	largest   float64 // overflow
	weight    T       // the reciprocal of a smaller weight is out of range
	heaviest  T       // a larger weight does not fit the type of K
	mass      float64 // relative difference of masses allowed
	nothing   float64 // a mass below is no mass
	converged float64 // marginal error for which implicit gradients make sense
	epsilon   float64 // some roundings of a sum of logarithms

	// Residuals of the implicit gradient's linear system: the goal, and what is good enough.
	goal, enough float64
	room, most   float64 // safeRange

	weightOf float64 // the weight and the size for which the safe range is set
	sizeOf   int
}

// limitsOf returns the limits for arithmetic in T and a K in T. If mixed, K is in float32, and so are
// the limits that depend on K.
func limitsOf[T dist.Float](mixed bool) limits[T] {
	l := limits[T]{
		tiny: T(math.Ldexp(1, -70)), precision: 0x1p13, digits: math.MaxFloat32 / 4, largest: math.MaxFloat32, weight: T(math.Ldexp(1, -80)), heaviest: T(float32(math.MaxFloat32)),
		mass: 1e-4, nothing: 0x1p-100, converged: 1e-3, epsilon: 0x1p-21, goal: 1e-7, enough: 1e-3, room: 99, most: 40,
	}
	if num.IsFloat64[T]() {
		l.tiny, l.precision, l.digits, l.largest, l.mass, l.nothing, l.converged, l.most = T(math.Ldexp(1, -900)), 0x1p42, 0x1p50, math.MaxFloat64, 1e-6, 0x1p-960, 1e-4, 400
		l.epsilon = 0x1p-50
		if mixed {
			l.goal, l.enough = 1e-12, 1e-6
			return l
		}
		l.weight, l.heaviest, l.goal, l.enough, l.room = T(math.Ldexp(1, -800)), T(l.largest), 1e-15, 1e-8, 966
	}
	return l
}

// safeRange sets the range of accurate scalings for weights of at least least, in
// sums of size terms. An element of K below the least normal number is 0, which
// with scalings up to hi takes at most size·2⁻¹⁰²²·hi from a sum that is least/hi
// or more: for that to be below rounding, with three bits to spare,
//
//	hi² ≤ 2¹⁰²² ⁻ ⁵³ ⁻ ³ · least/size      (2¹²⁶ ⁻ ²⁴ ⁻ ³ for a K in float32).
//
// 2⁴⁰⁰ (2⁴⁰) is all that products of scalings in the reverse pass leave room for.
func (l *limits[T]) safeRange(least float64, size int) {
	if least == l.weightOf && size == l.sizeOf {
		return
	}
	l.weightOf, l.sizeOf = least, size
	h := int(min(l.most, math.Floor((l.room+float64(math.Ilogb(least)-bits.Len(uint(size-1))))/2)))
	h = max(h, 0)
	l.hi, l.lo = T(math.Ldexp(1, h)), T(math.Ldexp(1, -h))
	l.least = T(math.Ldexp(1, h+bits.Len(uint(size-1))-int(l.room)))
}
