package vector

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

func affineRef[T num.Float](dst, x []T, c, s T) {
	for i, v := range x {
		dst[i] = T(v-c) * s
	}
}

// maxRef raises acc[l] to the largest x_i with i mod w = l.
func maxRef[T num.Float](acc *[num.MaxLanes]T, x []T) {
	w := num.Lanes[T]()
	for i, v := range x {
		if v > acc[i%w] {
			acc[i%w] = v
		}
	}
}

// addRef adds x_i to acc[i mod w]. A last group that is not full is padded with zeros.
func addRef[T num.Float](acc *[num.MaxLanes]T, x []T) {
	w := num.Lanes[T]()
	for i := 0; i < (len(x)+w-1)/w*w; i++ {
		v := T(0)
		if i < len(x) {
			v = x[i]
		}
		acc[i%w] += v
	}
}

func logRef[T num.Float](dst, x []T) {
	for i, v := range x {
		dst[i] = Ref(v)
	}
}

func log2Ref[T num.Float](dst, x []T) {
	for i, v := range x {
		dst[i] = Ref2(v)
	}
}

// Ref returns ln x, the definition of Log.
func Ref[T num.Float](x T) T {
	if num.IsFloat64[T]() {
		return num.Log(x)
	}
	return T(logOf32(float32(x)))
}

// Ref2 returns log₂ x, the definition of Log2.
func Ref2[T num.Float](x T) T {
	if num.IsFloat64[T]() {
		return num.Log2(x)
	}
	return T(log2Of32(float32(x)))
}

// The definition in float32: with x = 2^k·m, √½ ≤ m < √2, and f = m − 1,
//
//	h       ← f²/2
//	log m   = f − h + h·f·S(f), S of degree 7, by Estrin's scheme
//	hi      ← f − h;  lo ← what hi and h lost + h·(f·S)
//	ln x    = k·ln 2 + hi + lo;  a ← k·ln2hi, exact;  b ← a + hi;  e ← hi − (b − a), what b lost
//	        ← b + (e + (lo + k·ln2lo))
//	log₂ x  = k + (hi + lo)/ln 2;  p ← hi/ln 2;  b ← k + p;  e ← p − (b − k)
//	        ← b + (e + what p lost + lo/ln 2)
//
// This is num's way in float64, with a polynomial in f instead of one in f/(2+f), which needs a
// division.
//
// # Error
//
// In ulps of a result whose significand is near 2, where a relative error weighs most; lo is
// at most 1/17 of log m:
//
//	last rounding          .5
//	polynomial, 2^-27.3    .20
//	roundings of lo        .10
//
// The largest found, in all arguments, is 0.701 of ln and 0.777 of log₂.

// logPoly32 is S, lowest degree first, by exp/gencoef.
var logPoly32 = [8]float32{
	0x1.555554p-01, -0x1.000226p-01, 0x1.99a01cp-02, -0x1.54728cp-02,
	0x1.22d936p-02, -0x1.0d8232p-02, 0x1.055e62p-02, -0x1.38c91p-03,
}

const (
	ln2hi32  = 0x1.63p-1 // 9 bits, so that k·ln2hi is exact
	ln2lo32  = -0x1.bd0106p-13
	invLn32  = 0x1.715476p+0 // 1/ln 2
	invLnL32 = 0x1.4ae0cp-26 // 1/ln 2 − invLn32
)

func logOf32(x float32) float32 {
	k, f, ok := split32(x)
	if !ok {
		return f
	}
	hi, lo := log1p32(f)
	a := float32(k * ln2hi32)
	b := a + hi
	e := hi - (b - a)
	return b + (e + num.FMA(k, ln2lo32, lo))
}

func log2Of32(x float32) float32 {
	k, f, ok := split32(x)
	if !ok {
		return f
	}
	hi, lo := log1p32(f)
	p := float32(hi * invLn32)
	l := num.FMA(-hi, invLn32, p) // what p has too much
	l = num.FMA(-lo, invLn32, l)
	l = num.FMA(-hi, invLnL32, l)
	b := k + p
	return b + (p - (b - k) - l)
}

// log1p32 returns log(1+f) = hi + lo.
func log1p32(f float32) (hi, lo float32) {
	c, z := &logPoly32, float32(f*f)
	s01, s23 := num.FMA(c[1], f, c[0]), num.FMA(c[3], f, c[2])
	s45, s67 := num.FMA(c[5], f, c[4]), num.FMA(c[7], f, c[6])
	s := num.FMA(num.FMA(s67, z, s45), float32(z*z), num.FMA(s23, z, s01))
	s = float32(f * s)
	g := float32(.5 * f)
	h := float32(g * f)
	hErr := num.FMA(g, f, -h)
	hi = f - h
	lo = f - hi - h - hErr
	return hi, num.FMA(h, s, lo)
}

// split32 returns k and f of a positive finite x. Of any other x it returns the logarithm in
// f, and false.
func split32(x float32) (k, f float32, ok bool) {
	switch {
	case x != x || x > math.MaxFloat32:
		return 0, x, false
	case x == 0:
		return 0, float32(math.Inf(-1)), false
	case x < 0:
		return 0, float32(math.NaN()), false
	}
	e := int32(0)
	if x < 0x1p-126 {
		x, e = float32(x*0x1p24), -24
	}
	// Subtracting the bits of √½ makes the exponent field change there.
	const sqrtHalf = 0x3f3504f3
	b := int32(math.Float32bits(x)) - sqrtHalf
	e += b >> 23
	return float32(e), math.Float32frombits(uint32(b)&(1<<23-1)+sqrtHalf) - 1, true
}
