package oracle

import (
	"cmp"
	"math"
	"slices"
)

// Scaled is the number Real·2^Exp, which may be outside the range of float64.
type Scaled struct {
	Real
	Exp int
}

// Float64 returns the number rounded to float64. It is zero or infinite if the number is out of
// range.
func (s Scaled) Float64() float64 { return math.Ldexp(s.Hi, s.Exp) }

// exponentOf returns an exponent e such that |x| < 2^e for all finite elements x. It returns 0 if
// all finite elements are zero.
func exponentOf[T Float](vectors ...[]T) (e int) {
	e = math.MinInt
	for _, x := range vectors {
		for _, v := range x {
			if v != 0 && v-v == 0 {
				_, k := math.Frexp(float64(v))
				e = max(e, k)
			}
		}
	}
	if e == math.MinInt {
		return 0
	}
	return e
}

// Sum returns Σ x_i and Σ |x_i|.
func Sum[T Float](x []T) (s, size Real) {
	for _, v := range x {
		s, size = s.Add(Of(v)), size.Add(Of(v).Abs())
	}
	return s, size
}

// Dot returns Σ a_i·b_i and Σ |a_i·b_i|.
func Dot[T Float](a, b []T) (s, size Real) {
	for i, v := range a {
		p := Of(v).Mul(Of(b[i]))
		s, size = s.Add(p), size.Add(p.Abs())
	}
	return s, size
}

// SqDistance returns Σ (a_i − b_i)².
func SqDistance[T Float](a, b []T) Scaled {
	e, s := exponentOf(a, b), Real{}
	for i, v := range a {
		d := Of(v).Ldexp(-e).Sub(Of(b[i]).Ldexp(-e))
		s = s.Add(d.Mul(d))
	}
	return Scaled{s, 2 * e}
}

// Manhattan returns Σ |a_i − b_i|.
func Manhattan[T Float](a, b []T) (s Real) {
	for i, v := range a {
		s = s.Add(Of(v).Sub(Of(b[i])).Abs())
	}
	return s
}

// Norm returns √Σ x_i².
func Norm[T Float](x []T) Scaled {
	s := SqDistance(x, make([]T, len(x)))
	return Scaled{s.Sqrt(), s.Exp / 2}
}

// Cosine returns Σ a_i·b_i/(‖a‖·‖b‖), or 0 if a vector is 0.
func Cosine[T Float](a, b []T) Real {
	ea, eb := exponentOf(a), exponentOf(b)
	dot, aa, bb := Real{}, Real{}, Real{}
	for i := range a {
		x, y := Of(a[i]).Ldexp(-ea), Of(b[i]).Ldexp(-eb)
		dot, aa, bb = dot.Add(x.Mul(y)), aa.Add(x.Mul(x)), bb.Add(y.Mul(y))
	}
	if aa.Hi == 0 || bb.Hi == 0 {
		return Real{}
	}
	return dot.Div(aa.Sqrt().Mul(bb.Sqrt()))
}

// Project returns offset + Σ_k x_k·p_k and |offset| + Σ |x_k·p_k|.
func Project[T Float](offset T, x, p []T) (s, size Real) {
	s, size = Dot(x, p)
	return s.Add(Of(offset)), size.Add(Of(offset).Abs())
}

// Means returns the mean of each column of a matrix.
func Means[T Float](x [][]T, cols int) []Real {
	means := make([]Real, cols)
	for _, row := range x {
		for j, v := range row {
			means[j] = means[j].Add(Of(v))
		}
	}
	for j := range means {
		means[j] = means[j].Div(Of(len(x)))
	}
	return means
}

// LogSumExp returns the largest element and rest = ln Σ exp(x_i − largest). The sum of the two
// results is ln Σ exp(x_i). If the largest element is not finite, rest is 0.
func LogSumExp[T Float](x []T) (largest T, rest Real) {
	if len(x) == 0 {
		return T(math.Inf(-1)), Real{}
	}
	if largest = slices.Max(x); largest-largest != 0 {
		return largest, Real{}
	}
	others, seen := Real{}, false // Σ exp(v − largest) without one element that equals largest; may be much less than 1
	for _, v := range x {
		if v == largest && !seen {
			seen = true
			continue
		}
		others = others.Add(Of(v).Sub(Of(largest)).Exp())
	}
	return largest, log1p(others)
}

// log1p returns ln(1 + a) for a ≥ 0.
func log1p(a Real) Real {
	if a.Hi > 1e-3 {
		return a.Add(Of(1)).Log()
	}
	s := Real{}
	for n := 12; n >= 1; n-- { // a − a²/2 + a³/3 − …
		s = Of(1).Div(Of(n)).Sub(s.Mul(a))
	}
	return s.Mul(a)
}

// Sigmoid returns 1/(1 + e^−x).
func Sigmoid[T Float](x T) Real {
	if x < 0 {
		e := Of(x).Exp()
		return e.Div(e.Add(Of(1)))
	}
	return Of(1).Div(Of(x).Neg().Exp().Add(Of(1)))
}

// DotInt8 returns Σ a_i·b_i.
func DotInt8(a, b []int8) (s int64) {
	for i, v := range a {
		s += int64(v) * int64(b[i])
	}
	return s
}

// SqDistanceInt8 returns Σ (a_i − b_i)².
func SqDistanceInt8(a, b []int8) (s int64) {
	for i, v := range a {
		d := int64(v) - int64(b[i])
		s += d * d
	}
	return s
}

// Hamming returns the number of bits in which a and b differ.
func Hamming[T byte | uint64](a, b []T) (n int) {
	for i, v := range a {
		for x := v ^ b[i]; x != 0; x /= 2 {
			n += int(x % 2)
		}
	}
	return n
}

// Small is a 16-bit floating-point format with the encoding of IEEE 754. The value of a Small is the
// number of exponent bits of the format.
type Small int

const (
	Float16  Small = 5
	BFloat16 Small = 8
)

// Value returns the number that a bit pattern represents.
func (f Small) Value(pattern uint16) float64 {
	fraction := 15 - int(f)
	bias := 1<<(f-1) - 1
	sign, e, m := 1.0, int(pattern>>fraction)&(1<<f-1), float64(pattern&(1<<fraction-1))
	if pattern>>15 == 1 {
		sign = -1
	}
	switch e {
	case 0:
		return sign * math.Ldexp(m, 1-bias-fraction)
	case 1<<f - 1:
		if m != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(m+math.Ldexp(1, fraction), e-bias-fraction)
}

// Nearest returns the bit pattern of the number nearest to x. If x is halfway between two numbers,
// Nearest returns the even pattern. If x exceeds the largest number by at least half an ulp,
// Nearest returns infinity. If x is NaN, Nearest returns the quiet NaN without a sign.
func (f Small) Nearest(x float64) uint16 {
	infinite := uint16(1<<f-1) << (15 - f)
	if x != x {
		return infinite | 1<<(14-f)
	}
	sign := uint16(0)
	if math.Signbit(x) {
		sign, x = 1<<15, -x
	}
	value := func(p uint16) float64 {
		if p == infinite { // return the largest finite number plus its ulp
			return 2*f.Value(p-1) - f.Value(p-2)
		}
		return f.Value(p)
	}
	low, high := uint16(0), infinite // value(low) ≤ x < value(high)
	if x >= value(high) {
		return sign | infinite
	}
	for high-low > 1 {
		if mid := low + (high-low)/2; value(mid) <= x {
			low = mid
		} else {
			high = mid
		}
	}
	down, up := x-value(low), value(high)-x // exact
	if up < down || up == down && high%2 == 0 {
		low = high
	}
	return sign | low
}

// TopK returns the indices of the k largest elements in descending order. Equal elements are in the
// order of their indices, and NaNs are last.
func TopK[T Float](x []T, k int) []int {
	at := make([]int, len(x))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(i, j int) int {
		a, b := x[i], x[j]
		switch {
		case a != a && b != b:
			return 0
		case a != a:
			return 1
		case b != b:
			return -1
		}
		return cmp.Compare(b, a)
	})
	return at[:min(k, len(at))]
}
