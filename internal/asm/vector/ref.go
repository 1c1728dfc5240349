package vector

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

func affineRef[T num.Float](dst, x []T, c, s, b T) {
	for i, v := range x {
		dst[i] = num.FMA(v-c, s, b)
	}
}

// maxRef sets acc[l] to the maximum of acc[l] and all x_i with i mod w = l. The lane count w depends on T.
func maxRef[T num.Float](acc *[num.MaxLanes]T, x []T) {
	w := num.Lanes[T]()
	for i, v := range x {
		if v > acc[i%w] {
			acc[i%w] = v
		}
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

// Ref returns ln x. It is the Go reference implementation of Log.
func Ref[T num.Float](x T) T {
	if num.IsFloat64[T]() {
		return num.Log(x)
	}
	return T(logOf32(float32(x)))
}

// Ref2 returns log₂ x. It is the Go reference implementation of Log2.
func Ref2[T num.Float](x T) T {
	if num.IsFloat64[T]() {
		return num.Log2(x)
	}
	return T(log2Of32(float32(x)))
}

// The float32 logarithm uses a table. Let x = 2^k·m, where m is in an octave around 1. The table divides this octave into
// eight cells. Every cell has a multiple c of 1/32 that is close to 1/m. One cell contains 1, and has c = 1. Then
//
//	r     = m·c − 1, |r| < 0.063
//	t     = k·ln 2 − log c, with the high parts of ln 2 and log c, exact
//	w     = r²·Q(r) plus the low parts of t, where Q is a polynomial of degree 3
//	log x = t + log(1 + r) plus the low parts of t, which is about t + r + w
//	b     = t + r, rounded
//	e     = r − (b − t), the rounding error of b
//
// The result is b + (e + w). For log₂, b and e use r/ln 2 instead of r, and w also includes r times the low part of 1/ln 2.
// In the cell that contains 1, r is exact and t is 0.
//
// # Error
//
// The errors are in ULP of a result with a significand near 2. For these results, a given relative error is the largest
// number of ULP:
//
//	last rounding          .5
//	polynomial, 2^-27.0    .12
//	roundings of w         .05
//
// If the logarithm is smaller than 1/8, r is exact. Otherwise the rounding error of r is at most 2^-29.
// The largest error for all arguments is 0.649 ULP for ln and 0.681 ULP for log₂.

// logTable contains the table and the polynomial Q of a logarithm. For every cell of the table, inverse contains the
// factor c, and hi + lo is −log c. The coefficients of Q are in poly, lowest degree first. hi is a multiple of 2^-17 for
// ln and of 2^-16 for log₂, so that the sum t has no rounding error. The program prove/gencoef computed the numbers.
type logTable struct {
	inverse, hi, lo [8]float32
	poly            [4]float32
}

var inverses32 = [8]float32{47. / 32, 43. / 32, 40. / 32, 36. / 32, 34. / 32, 1, 29. / 32, 26. / 32}

var ln32 = logTable{
	inverse: inverses32,
	hi:      [8]float32{-0x1.89a4p-02, -0x1.2e8ep-02, -0x1.c9p-03, -0x1.e27p-04, -0x1.f0ap-05, 0, 0x1.9338p-04, 0x1.a94p-03},
	lo:      [8]float32{0x1.8f27d8p-19, -0x1.5d708ep-21, 0x1.070cacp-20, -0x1.db8abcp-22, -0x1.86008cp-20, 0, -0x1.0d1536p-19, -0x1.2c3752p-19},
	poly:    [4]float32{-0x1.ffffd8p-02, 0x1.555518p-02, -0x1.00b686p-02, 0x1.9b203ap-03},
}

var log232 = logTable{
	inverse: inverses32,
	hi:      [8]float32{-0x1.1bf4p-01, -0x1.b48p-02, -0x1.49a8p-02, -0x1.5cp-03, -0x1.664p-04, 0, 0x1.22d8p-03, 0x1.32cp-02},
	lo:      [8]float32{0x1.dc2d46p-18, 0x1.408c78p-18, 0x1.ed0cbap-20, -0x1.a39fbep-19, 0x1.20a6dep-21, 0, 0x1.6e155ap-18, -0x1.1c8f12p-22},
	poly:    [4]float32{-0x1.71545ap-01, 0x1.ec703ap-02, -0x1.725a68p-02, 0x1.289e4ep-02},
}

const (
	ln2hi32  = 0x1.62e4p-1    // ln 2 rounded to 17 bits; k·ln2hi32 is exact
	ln2lo32  = 0x1.7f7d1cp-20 // ln 2 − ln2hi32
	invLn32  = 0x1.715476p+0  // 1/ln 2
	invLnL32 = 0x1.4ae0cp-26  // 1/ln 2 − invLn32
)

func logOf32(x float32) float32 {
	k, r, cell, ok := split32(x)
	if !ok {
		return r
	}
	t := num.FMA(k, ln2hi32*0x1p-23, ln32.hi[cell&7])
	w := ln32.polyTail(r, num.FMA(k, ln2lo32*0x1p-23, ln32.lo[cell&7]))
	b := t + r
	e := r - (b - t)
	return b + (e + w)
}

func log2Of32(x float32) float32 {
	k, r, cell, ok := split32(x)
	if !ok {
		return r
	}
	t := num.FMA(k, 0x1p-23, log232.hi[cell&7])
	w := log232.polyTail(r, num.FMA(r, invLnL32, log232.lo[cell&7]))
	b := t + float32(r*invLn32)
	e := num.FMA(r, invLn32, -(b - t))
	return b + (e + w)
}

// polyTail returns r²·Q(r) + w, where the coefficients of the cubic polynomial Q are in l.poly.
func (l *logTable) polyTail(r, w float32) float32 {
	z, c := float32(r*r), &l.poly
	q := num.FMA(num.FMA(c[3], r, c[2]), z, num.FMA(c[1], r, c[0]))
	return num.FMA(z, q, w)
}

// split32 returns k·2^23, r and cell for a positive finite x. The three lowest bits of cell are the index into the table. For
// any other x, split32 returns the logarithm of x as r, and ok is false.
func split32(x float32) (k, r float32, cell uint32, ok bool) {
	switch {
	case x != x || x > math.MaxFloat32:
		return 0, x, 0, false
	case x == 0:
		return 0, float32(math.Inf(-1)), 0, false
	case x < 0:
		return 0, float32(math.NaN()), 0, false
	}
	below := float32(0)
	if x < 0x1p-126 {
		x, below = float32(x*0x1p24), 24<<23
	}
	const first = 0x3f254000 // bits of the smallest number in the first cell
	b := math.Float32bits(x)
	e := (b - first) & 0xff800000
	cell = (b - first) >> 20
	return float32(int32(e)) - below, num.FMA(math.Float32frombits(b-e), inverses32[cell&7], -1), cell, true
}
