package exp2

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

// The definition, for both types (numbers for float64, float32 in brackets):
//
//	k ← y rounded to a multiple of 1/8 (1/4);  n = 8k (4k)
//	f ← y − k, exact
//	q ← 2^f/E − 1 by a polynomial
//	S ← 2^k·E, a table entry with n added to its bits
//	2^y ← S + q·S, rounded once
//	2^y ← 0 where y < −1022 (−126), +Inf where y ≥ 1023.9375 (127.875)
//
// Adding magic = 1.5·2^49 (1.5·2^21), whose last bit is worth 1/8 (1/4), rounds to
// k and leaves n in the low bits of the sum t. Table entry j is kept with j
// subtracted from the bits that n is added to, so n needs no mask; the sum wraps
// around where y lies outside the two limits, and there it does not count. The
// scaling comes before the last multiplication, not after: a NaN keeps q a NaN
// whatever happens to the integers. The upper limit is where k becomes 1024 (128)
// and S would overflow.
//
// E is a common factor just above 1, searched so that all entries lie within 0.032
// (0.013) ulp of a number of their type; the polynomial takes it back in its
// constant term. See package exp.
//
// # Error
//
// f is exact, so against 2^y for the y given only these count, in ulps of a result
// whose significand is near 2:
//
//	                              float64         float32
//	last rounding                 .5              .5
//	polynomial                    2^-58.2: .03    2^-28.3: .05
//	table entry                   .03             .01
//	rounding of q, last step      .03             .06
//	rounding of the step before   .03             .06
//	sum                           .62             .69
//
// The largest found is .613 ulp in float64, in 16 million arguments, and .679 ulp
// in float32, in all of them.

const (
	magic64 = 0x1.8p49
	least64 = -1022
	above64 = 1024 - 0x1p-4

	magic32 = 0x1.8p21
	least32 = -126
	above32 = 128 - 0x1p-3
)

func scaleRef[T num.Float](dst, x []T, c T) {
	for i, v := range x {
		dst[i] = Ref(T(c * v))
	}
}

// Ref returns 2^y, and +0 where that is below the least normal number: the
// definition of this package's kernel, for a y that is rounded already.
func Ref[T num.Float](y T) T {
	if num.IsFloat64[T]() {
		return T(ref64(float64(y)))
	}
	return T(ref32(float32(y)))
}

func ref64(y float64) float64 {
	t := y + magic64
	f := y - (t - magic64)

	q := poly64[7]
	for i := 6; i >= 0; i-- {
		q = math.FMA(q, f, poly64[i])
	}
	n := math.Float64bits(t)
	s := math.Float64frombits(table64[n%8] + n<<49)

	switch {
	case y < least64:
		return 0
	case y >= above64:
		return math.Inf(1)
	}
	return math.FMA(q, s, s)
}

func ref32(y float32) float32 {
	t := y + magic32
	f := y - (t - magic32)

	q := poly32[4]
	for i := 3; i >= 0; i-- {
		q = num.FMA(q, f, poly32[i])
	}
	n := math.Float32bits(t)
	s := math.Float32frombits(table32[n%4] + n<<21)

	switch {
	case y < least32:
		return 0
	case y >= above32:
		return float32(math.Inf(1))
	}
	return num.FMA(q, s, s)
}
