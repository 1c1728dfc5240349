package exp

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

// The definition, for both types (numbers for float64, float32 in brackets):
//
//	x ← x clamped to ±1000 (±128)
//	k ← log2e·x rounded to a multiple of 1/8 (1/4);  n = 8k (4k)
//	r ← x − k·ln 2, with ln 2 in two parts
//	T ← 2^(k mod 1)·E from a table of 8 (4), q ← exp(r)/E − 1 by a polynomial
//	y ← T + q·T, rounded once
//	exp(x) ← y·2^⌊k⌋, rounded once more where that is subnormal
//
// Adding magic = 1.5·2^49 (1.5·2^21), whose last bit is worth 1/8 (1/4), rounds to
// k and leaves n in the low bits of the sum t, from where its last 3 (2) bits index
// the table and the others are added to an exponent.
//
// E is a common factor just above 1. The entries 2^(j/8) themselves are up to half
// an ulp from a number of their type, which would be the largest error of all; E
// is searched so that all products lie within 0.032 (0.013) ulp of one, and the
// polynomial takes it back at no cost: its constant term is 1/E − 1 instead of 0.
//
// # Error
//
// In ulps of a result whose significand is near 2, where a relative error weighs
// most; |r| ≤ .0434 (.0867), so that q is below 2^-4 (2^-3):
//
//	                              float64         float32
//	last rounding                 .5              .5
//	polynomial                    2^-58.2: .03    2^-28.3: .05
//	table entry                   .03             .01
//	rounding of r, twice          .03 + .03       .06 + .06
//	rounding of q, last step      .03             .06
//	rounding of the step before   .05             .09
//	sum                           .70             .84
//
// The largest found is .629 ulp in float64, in 18 million arguments, and .717 ulp
// in float32, in all of them. A subnormal result is rounded twice, but by then the
// first error has shrunk at least to half: .5 + .70/2 (.5 + .84/2) ulp, .798 (.815)
// found.
//
// # Coefficients
//
// Tables and polynomials are in coef.go, written by gencoef; log2e, and ln2hi +
// ln2lo = ln 2 are rounded to nearest. The product of k, at most 14 (10) bits,
// with ln2hi is not exact, but fused with the subtraction of x it is rounded
// once, at the size of r.

const (
	limit64 = 1000
	magic64 = 0x1.8p49
	log2e64 = 0x1.71547652b82fep+0
	ln2hi64 = 0x1.62e42fefa39efp-1
	ln2lo64 = 0x1.abc9e3b39803fp-56

	limit32 = 128
	magic32 = 0x1.8p21
	log2e32 = 0x1.715476p+0
	ln2hi32 = 0x1.62e43p-1
	ln2lo32 = -0x1.05c61p-29
)

func expRef[T num.Float](dst, x []T) {
	for i, v := range x {
		dst[i] = Ref(v)
	}
}

// Ref returns exp(x): the definition of this package's kernel.
func Ref[T num.Float](x T) T {
	if num.IsFloat64[T]() {
		return T(ref64(float64(x)))
	}
	return T(ref32(float32(x)))
}

func ref64(x float64) float64 {
	x = max(-limit64, min(x, limit64))
	t := math.FMA(x, log2e64, magic64)
	k := t - magic64
	r := math.FMA(-k, ln2hi64, x)
	r = math.FMA(-k, ln2lo64, r)

	q := poly64[7]
	for i := 6; i >= 0; i-- {
		q = math.FMA(q, r, poly64[i])
	}
	n := math.Float64bits(t)
	j := n % 8
	s := math.Float64frombits(table64[j] + j<<49)
	y := math.FMA(q, s, s)

	// 2^⌊k⌋ in two halves, both representable; the first product is exact.
	e := int64(n<<13) >> 16
	return float64(y*pow2(e>>1)) * pow2(e-e>>1)
}

func ref32(x float32) float32 {
	x = max(-limit32, min(x, limit32))
	t := num.FMA(x, log2e32, magic32)
	k := t - magic32
	r := num.FMA(-k, ln2hi32, x)
	r = num.FMA(-k, ln2lo32, r)

	q := poly32[4]
	for i := 3; i >= 0; i-- {
		q = num.FMA(q, r, poly32[i])
	}
	n := math.Float32bits(t)
	j := n % 4
	s := math.Float32frombits(table32[j] + j<<21)
	y := num.FMA(q, s, s)

	e := int64(int32(n<<10) >> 12)
	return float32(y*float32(pow2(e>>1))) * float32(pow2(e-e>>1))
}

// pow2 returns 2^e for a normal result; any bits do for the e of a NaN.
func pow2(e int64) float64 { return math.Float64frombits(uint64(e+1023) << 52) }
