package sinkhorn

import (
	"math"
	"math/bits"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
)

// limits describes the ranges in which arithmetic in type T is accurate.
type limits[T dist.Float] struct {
	lo, hi         T       // scalings from lo to hi are accurate
	leastSum       T       // a smaller sum may lose digits by underflow, even if all scalings are between lo and hi
	leastColumnSum T       // smaller column sums are not accurate in a log-domain pass
	precision      float64 // if λ·log₂e·max|M| exceeds this value, potentials have few correct digits (StatusLowPrecision)
	costLimit      float64 // least λ·log₂e·max|M| for which the log domain returns ErrRange
	largest        float64 // overflow threshold
	leastWeight    T       // reciprocals of smaller weights are out of range
	largestWeight  T       // larger weights overflow the type of the elements of K
	massTolerance  float64 // allowed relative difference of masses
	leastMass      float64 // smaller masses count as zero
	implicitError  float64 // largest marginal error at which implicit gradients are accurate enough
	epsilon        float64 // rounding error of a sum of logarithms

	// Residuals of the implicit gradient's linear system: the goal, and the largest acceptable
	// residual.
	residualGoal, residualEnough float64
	exponentRoom, maxExponent    float64 // constants of safeRange

	rangeWeight float64 // arguments of the last call of safeRange
	rangeSize   int
}

// limitsOf returns the limits for arithmetic in T. K is stored in float32 if mixed is true, and otherwise in T.
func limitsOf[T dist.Float](mixed bool) limits[T] {
	l := limits[T]{
		leastColumnSum: T(math.Ldexp(1, -70)), precision: 0x1p13, costLimit: math.MaxFloat32 / 4, largest: math.MaxFloat32, leastWeight: T(math.Ldexp(1, -80)), largestWeight: T(float32(math.MaxFloat32)),
		massTolerance: 1e-4, leastMass: 0x1p-100, implicitError: 1e-3, epsilon: 0x1p-21, residualGoal: 1e-7, residualEnough: 1e-3, exponentRoom: 99, maxExponent: 40,
	}
	if num.IsFloat64[T]() {
		l.leastColumnSum, l.precision, l.costLimit, l.largest, l.massTolerance, l.leastMass, l.implicitError, l.maxExponent = T(math.Ldexp(1, -900)), 0x1p42, 0x1p50, math.MaxFloat64, 1e-6, 0x1p-960, 1e-4, 400
		l.epsilon = 0x1p-50
		if mixed {
			l.residualGoal, l.residualEnough = 1e-12, 1e-6
			return l
		}
		l.leastWeight, l.largestWeight, l.residualGoal, l.residualEnough, l.exponentRoom = T(math.Ldexp(1, -800)), T(l.largest), 1e-15, 1e-8, 966
	}
	return l
}

// safeRange sets l.lo and l.hi, the ends of the range of accurate scalings, where lo = 1/hi. least is the least weight, and size
// is the maximum number of terms of a sum. A scaling is a weight divided by a sum. So if no scaling exceeds hi, no sum is below
// least/hi. Elements of K below the least normal number become 0, which reduces a sum by at most size·2⁻¹⁰²²·hi. This must be
// below the rounding error of the sum, with three bits to spare:
//
//	hi² ≤ 2¹⁰²² ⁻ ⁵³ ⁻ ³ · least/size
//
// If K is stored in float32, the factor of least/size is 2¹²⁶ ⁻ ²⁴ ⁻ ³. Products of scalings in the reverse pass limit hi to 2⁴⁰⁰
// (2⁴⁰ in float32).
func (l *limits[T]) safeRange(least float64, size int) {
	if least == l.rangeWeight && size == l.rangeSize {
		return
	}
	l.rangeWeight, l.rangeSize = least, size
	h := int(min(l.maxExponent, math.Floor((l.exponentRoom+float64(math.Ilogb(least)-bits.Len(uint(size-1))))/2)))
	h = max(h, 0)
	l.hi, l.lo = T(math.Ldexp(1, h)), T(math.Ldexp(1, -h))
	l.leastSum = T(math.Ldexp(1, h+bits.Len(uint(size-1))-int(l.exponentRoom)))
}
