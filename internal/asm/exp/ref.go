package exp

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

// Ref computes the exponential as follows. Numbers in parentheses are for float32.
//
//	x ← x clamped to ±1000 (±128)
//	k ← log2e·x rounded to a multiple of 1/8 (1/4);  n = 8k (4k)
//	r ← x − k·ln 2, with ln 2 in two parts
//	T ← 2^(k mod 1)·E from a table of 8 (4), q ← exp(r)/E − 1 by a polynomial
//	y ← T + q·T, rounded once
//	exp(x) ← y·2^⌊k⌋, rounded once more if it is subnormal
//
// The last bit of magic = 1.5·2^49 (1.5·2^21) is worth 1/8 (1/4). The sum t = log2e·x + magic is
// therefore rounded to k + magic, and the low bits of t are n. The last 3 (2) bits of n are the table
// index. The other bits are ⌊k⌋.
//
// E is a common factor slightly above 1. Without E, the rounding of a table entry 2^(j/8) would
// cause an error of up to half an ulp, which would be the largest error. A search found an E for
// which all products 2^(j/8)·E lie within 0.032 (0.013) ulp of a representable number. The division
// of the polynomial by E costs nothing, because the coefficients include the factor 1/E. The
// constant term is then 1/E − 1 instead of 0.
//
// # Error
//
// The errors are in ulps of a result whose significand is near 2, because a given relative error
// then has the largest number of ulps. |r| ≤ 0.0434 (0.0867), so q is below 2^-4 (2^-3):
//
//	                              float64         float32
//	last rounding                 0.5             0.5
//	polynomial                    2^-58.2: 0.03   2^-28.3: 0.05
//	table entry                   0.03            0.01
//	rounding of r, twice          0.03 + 0.03     0.06 + 0.06
//	rounding of q, last step      0.03            0.06
//	rounding of the step before   0.05            0.09
//	sum                           0.70            0.84
//
// The largest error found is 0.629 ulp in float64, in 18 million arguments, and 0.717 ulp in
// float32, in all arguments. A subnormal result is rounded twice, but the error before the second
// rounding is then at most half as many ulps. The bound is 0.5 + 0.70/2 (0.5 + 0.84/2) ulp. The
// largest error found for subnormal results is 0.798 (0.815) ulp.
//
// # Coefficients
//
// Tables and polynomials are in coef.go, written by gencoef. log2e, and ln2hi + ln2lo = ln 2, are
// rounded to nearest. k has at most 14 (10) bits. The product of k and ln2hi is not exact, but it
// is fused with the subtraction from x, so that it is rounded once, in the magnitude of r.

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

// Ref returns exp(x). It is the reference implementation of Exp.
func Ref[T num.Float](x T) T {
	if num.IsFloat64[T]() {
		return T(expOf64(float64(x)))
	}
	return T(expOf32(float32(x)))
}

func expOf64(x float64) float64 {
	x = max(-limit64, min(x, limit64))
	t := math.FMA(x, log2e64, magic64)
	k := t - magic64
	r := math.FMA(-k, ln2hi64, x)
	r = math.FMA(-k, ln2lo64, r)

	q := expPoly64[7]
	for i := 6; i >= 0; i-- {
		q = math.FMA(q, r, expPoly64[i])
	}
	n := math.Float64bits(t)
	j := n % 8
	s := math.Float64frombits(table64[j] + j<<49)
	y := math.FMA(q, s, s)

	// Multiply by 2^⌊k⌋ as a product of two representable factors. The first product is exact.
	e := int64(n<<13) >> 16
	return float64(y*pow2(e>>1)) * pow2(e-e>>1)
}

func expOf32(x float32) float32 {
	x = max(-limit32, min(x, limit32))
	t := num.FMA(x, log2e32, magic32)
	k := t - magic32
	r := num.FMA(-k, ln2hi32, x)
	r = num.FMA(-k, ln2lo32, r)

	q := expPoly32[4]
	for i := 3; i >= 0; i-- {
		q = num.FMA(q, r, expPoly32[i])
	}
	n := math.Float32bits(t)
	j := n % 4
	s := math.Float32frombits(table32[j] + j<<21)
	y := num.FMA(q, s, s)

	e := int64(int32(n<<10) >> 12)
	return float32(y*float32(pow2(e>>1))) * float32(pow2(e-e>>1))
}

// pow2 returns 2^e if 2^e is a normal number, and an arbitrary number otherwise.
func pow2(e int64) float64 { return math.Float64frombits(uint64(e+1023) << 52) }

// RefDifference computes the exponential of a difference d ≤ 0 in four steps. Numbers in
// parentheses replace the preceding number for float32.
//
//	k ← log2e·d rounded to a multiple of 1/8 (1/4);  n = 8k (4k)
//	f ← log2e·d − k, rounded once
//	q ← 2^f/E − 1 by a polynomial, S ← 2^k·E, as in Ref2
//	exp(d) ← S + q·S, rounded once; 0 where d < −708 (−87)
//
// Let u = 2^-53 (2^-24). The rounding error of the constant log2e causes a relative error of
// 0.13·|d|·u (0.23·|d|·u) in the result. The rounding of the difference d causes a relative error of
// |d|·u. A second constant for the low bits of log2e would therefore gain little, and would cost one
// FMA. The other errors are the errors of Ref2 and the rounding of f, which adds 0.03 (0.06) ulp. The
// sum of these other errors is 0.65 (0.75) ulp.

const (
	leastDifference64 = -708
	leastDifference32 = -87
)

func sumExpRef[T num.Float](s *Sum[T], dst, x []T) {
	top := T(math.Inf(-1))
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	if s.Top > top {
		top = s.Top
	}
	top += 0         // turns a maximum of −0 into +0
	minus := 0 - top // +0 if top is 0, so v + minus is never −0
	var rest num.Sum[T]
	var count [num.MaxLanes / 2]T // count[l] is the number of maxima in lanes l and l + half
	half := num.Lanes[T]() / 2
	for len(x) > 0 {
		n := min(len(x), 2*half)
		var ones [num.MaxLanes]T
		for l, v := range x[:n] {
			d := v + minus
			y := RefDifference(d)
			if dst != nil {
				dst[l] = y
			}
			if d >= 0 {
				y, ones[l] = 0, 1
			}
			rest.AddTerm(y)
		}
		for l := range half {
			count[l] += ones[l] + ones[l+half]
		}
		x = x[n:]
		if dst != nil {
			dst = dst[n:]
		}
	}
	for h := half / 2; h > 0; h /= 2 {
		for l := range h {
			count[l] += count[l+h]
		}
	}
	s.Top, s.Rest, s.Count = top, rest.Total(), count[0]
}

// RefDifference returns the exponential that SumExp computes for a difference d ≤ 0.
func RefDifference[T num.Float](d T) T {
	if num.IsFloat64[T]() {
		return T(expDifference64(float64(d)))
	}
	return T(expDifference32(float32(d)))
}

func expDifference64(d float64) float64 {
	t := math.FMA(d, log2e64, magic64)
	f := math.FMA(d, log2e64, magic64-t)

	q := exp2Poly64[7]
	for i := 6; i >= 0; i-- {
		q = math.FMA(q, f, exp2Poly64[i])
	}
	n := math.Float64bits(t)
	s := math.Float64frombits(table64[n%8] + n<<49)

	if d < leastDifference64 {
		return 0
	}
	return math.FMA(q, s, s)
}

func expDifference32(d float32) float32 {
	t := num.FMA(d, log2e32, magic32)
	f := num.FMA(d, log2e32, magic32-t)

	q := exp2Poly32[4]
	for i := 3; i >= 0; i-- {
		q = num.FMA(q, f, exp2Poly32[i])
	}
	n := math.Float32bits(t)
	s := math.Float32frombits(table32[n%4] + n<<21)

	if d < leastDifference32 {
		return 0
	}
	return num.FMA(q, s, s)
}

// Ref2 computes 2^y as follows. E is the constant factor of Ref, slightly above 1. Numbers in
// parentheses are for float32.
//
//	k ← y rounded to a multiple of 1/8 (1/4);  n = 8k (4k)
//	f ← y − k, exact
//	q ← 2^f/E − 1 by a polynomial
//	S ← 2^k·E, a table entry with n added to its bits
//	2^y ← S + q·S, rounded once
//	2^y ← 0 where y < −1022 (−126), +Inf where y ≥ 1023.9375 (127.875)
//
// The last bit of magic = 1.5·2^49 (1.5·2^21) is worth 1/8 (1/4). The sum t = y + magic is therefore
// rounded to k + magic, and the low bits of t are n. The last 3 (2) bits of n are the table index j.
// The stored bits of entry j already have j subtracted, so n needs no mask before the addition. If y
// is beyond one of the two limits, S overflows or wraps around, but the result does not depend on S.
// If y is NaN, q and the result are NaN for any value of S.
// The upper limit is the smallest y for which k is 1024 (128).
//
// The coefficients of the polynomial include the factor 1/E.
//
// # Error
//
// f is exact, so only these errors count for a given y, in ulps of a result whose significand is
// near 2:
//
//	                              float64         float32
//	last rounding                 0.5             0.5
//	polynomial                    2^-58.2: 0.03   2^-28.3: 0.05
//	table entry                   0.03            0.01
//	rounding of q, last step      0.03            0.06
//	rounding of the step before   0.03            0.06
//	sum                           0.62            0.69
//
// The largest error found is 0.613 ulp in float64, in 16 million arguments, and 0.679 ulp in
// float32, in all arguments.

const (
	least64 = -1022
	above64 = 1024 - 0x1p-4

	least32 = -126
	above32 = 128 - 0x1p-3
)

func exp2Ref[T num.Float](dst, x []T, c T) {
	for i, v := range x {
		dst[i] = Ref2(T(c * v))
	}
}

// Ref2 returns 2^y, or +0 if 2^y is below the least normal number. It is the reference
// implementation of Exp2, where y is the product c·x[i] rounded to T.
func Ref2[T num.Float](y T) T {
	if num.IsFloat64[T]() {
		return T(exp2Of64(float64(y)))
	}
	return T(exp2Of32(float32(y)))
}

func exp2Of64(y float64) float64 {
	t := y + magic64
	f := y - (t - magic64)

	q := exp2Poly64[7]
	for i := 6; i >= 0; i-- {
		q = math.FMA(q, f, exp2Poly64[i])
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

func exp2Of32(y float32) float32 {
	t := y + magic32
	f := y - (t - magic32)

	q := exp2Poly32[4]
	for i := 3; i >= 0; i-- {
		q = num.FMA(q, f, exp2Poly32[i])
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

func logRowsRef[T num.Float](m, n int, mat []T, ldm int, c T, g, a, max, sum, q, e []T) {
	e = e[:n]
	for i := range m {
		x := e
		hi := T(math.Inf(-1))
		for j, mij := range mat[i*ldm:][:n] {
			x[j] = num.FMA(-c, mij, g[j])
			if x[j] > hi {
				hi = x[j]
			}
		}
		hi += 0 // turns a maximum of −0 into +0
		var s num.Sum[T]
		for j := range x {
			e[j] = Ref2(x[j] - hi)
			s.AddTerm(e[j])
		}
		max[i], sum[i] = hi, s.Total()
		w := a[i] / sum[i]
		for j := range e {
			q[j] = num.FMA(w, e[j], q[j])
		}
	}
}

func logColumnMaxRef[T num.Float](m, n int, mat []T, ldm int, c T, f, h []T) {
	for i := range m {
		for j, mij := range mat[i*ldm:][:n] {
			if x := num.FMA(-c, mij, f[i]); x > h[j] {
				h[j] = x
			}
		}
	}
}

func logColumnSumRef[T num.Float](m, n int, mat []T, ldm int, c T, f, h, s []T) {
	for i := range m {
		for j, mij := range mat[i*ldm:][:n] {
			s[j] += Ref2(num.FMA(-c, mij, f[i]) - h[j])
		}
	}
}

func logPlanRef[T num.Float](m, n int, t []T, ldt int, mat []T, ldm int, c T, f, g []T) {
	for i := range m {
		for j := range n {
			t[i*ldt+j] = Ref2(num.FMA(-c, mat[i*ldm+j], g[j]) + f[i])
		}
	}
}
