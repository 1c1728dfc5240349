// Package oracle computes the results of the public packages for tests. It uses plain loops, the
// formulas in the documentation of these packages, and about 31 digits. Package oracle does not
// call the public packages, shares no code with them, and is not optimized.
//
// Package trial draws the inputs of comparisons. The comparisons are the tests named TestOracle… in
// the public packages.
package oracle

import (
	"math"
	"testing"
)

func init() {
	if !testing.Testing() {
		panic("oracle: this package is for tests only")
	}
}

// Float is the element type of inputs.
type Float interface{ float32 | float64 }

// Real is a number with about 106 bits, represented as the sum of two float64 values. It has the
// exponent range of float64.
type Real struct{ Hi, Lo float64 }

// Of returns x.
func Of[T Float | int](x T) Real { return Real{float64(x), 0} }

func fastSum(a, b float64) Real { // |a| ≥ |b|
	s := a + b
	if math.IsInf(s, 0) {
		return Real{s, 0}
	}
	return Real{s, b - (s - a)}
}

func sum(a, b float64) Real {
	if math.Abs(a) < math.Abs(b) {
		a, b = b, a // s − a could overflow for a and b near the largest numbers
	}
	return fastSum(a, b)
}

func product(a, b float64) Real {
	p := float64(a * b)
	if p-p != 0 {
		return Real{p, 0}
	}
	return Real{p, math.FMA(a, b, -p)}
}

// Add returns a + b.
func (a Real) Add(b Real) Real {
	s, t := sum(a.Hi, b.Hi), sum(a.Lo, b.Lo)
	s = fastSum(s.Hi, s.Lo+t.Hi)
	return fastSum(s.Hi, s.Lo+t.Lo)
}

// Neg returns −a.
func (a Real) Neg() Real { return Real{-a.Hi, -a.Lo} }

// Sub returns a − b.
func (a Real) Sub(b Real) Real { return a.Add(b.Neg()) }

// Mul returns a·b.
func (a Real) Mul(b Real) Real {
	p := product(a.Hi, b.Hi)
	if p.Hi-p.Hi != 0 {
		return p
	}
	return fastSum(p.Hi, p.Lo+(float64(a.Hi*b.Lo)+float64(a.Lo*b.Hi)))
}

// Div returns a/b.
func (a Real) Div(b Real) Real {
	q := a.Hi / b.Hi
	if q-q != 0 || b.Hi-b.Hi != 0 {
		return Real{q, 0}
	}
	total := Real{q, 0}
	for range 2 {
		r := a.Sub(b.Mul(total))
		total = total.Add(Real{r.Hi / b.Hi, 0})
	}
	return total
}

// Sqrt returns √a.
func (a Real) Sqrt() Real {
	if !(a.Hi > 0) || math.IsInf(a.Hi, 1) {
		return Real{math.Sqrt(a.Hi), 0}
	}
	x := Real{math.Sqrt(a.Hi), 0}
	for range 2 {
		x = x.Add(a.Sub(x.Mul(x)).Div(Real{2 * x.Hi, 0}))
	}
	return x
}

// Abs returns |a|.
func (a Real) Abs() Real {
	if a.Hi < 0 {
		return a.Neg()
	}
	return a
}

// Less reports whether a < b.
func (a Real) Less(b Real) bool { return a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo }

// Max returns the larger number.
func (a Real) Max(b Real) Real {
	if a.Less(b) {
		return b
	}
	return a
}

// Ldexp returns a·2^e.
func (a Real) Ldexp(e int) Real { return Real{math.Ldexp(a.Hi, e), math.Ldexp(a.Lo, e)} }

// ln2 is ln 2 to 106 bits.
var ln2 = Real{6.931471805599452862e-01, 2.319046813846299558e-17}

// Ln2 returns the natural logarithm of 2.
func Ln2() Real { return ln2 }

// Exp returns e^a. It computes e^r − 1 for r = (a − k·ln 2)/512 by its power series. Then it
// squares e^r nine times.
func (a Real) Exp() Real {
	switch {
	case a.Hi != a.Hi:
		return a
	case a.Hi > 710:
		return Real{math.Inf(1), 0}
	case a.Hi < -746:
		return Real{}
	}
	k := math.Round(a.Hi / ln2.Hi)
	r := a.Sub(ln2.Mul(Of(k))).Ldexp(-9)
	s := Real{}
	for n := 11; n >= 1; n-- { // r + r²/2! + … = r(1 + r/2(1 + r/3(…)))
		s = s.Add(Of(1)).Mul(r).Div(Of(n))
	}
	for range 9 {
		s = s.Ldexp(1).Add(s.Mul(s))
	}
	return s.Add(Of(1)).Ldexp(int(k))
}

// Exp2 returns 2^a.
func (a Real) Exp2() Real {
	k := math.Round(a.Hi)
	if k-k != 0 || math.Abs(k) > 1100 {
		return Real{math.Exp2(a.Hi), 0}
	}
	return a.Sub(Of(k)).Mul(ln2).Exp().Ldexp(int(k))
}

// Log returns ln a, by Newton's method on the exponential.
func (a Real) Log() Real {
	if !(a.Hi > 0) || math.IsInf(a.Hi, 1) {
		return Real{math.Log(a.Hi), 0}
	}
	_, e := math.Frexp(a.Hi)
	m := a.Ldexp(-e)
	if m.Hi < math.Sqrt2/2 { // prevents cancellation in the sum of ln m and e·ln 2
		e, m = e-1, m.Ldexp(1)
	}
	y := Of(math.Log(m.Hi))
	for range 2 {
		y = y.Add(m.Mul(y.Neg().Exp()).Sub(Of(1)))
	}
	return y.Add(ln2.Mul(Of(e)))
}

// Pow returns a^p for a ≥ 0.
func (a Real) Pow(p Real) Real {
	if a.Hi == 0 {
		return a
	}
	return p.Mul(a.Log()).Exp()
}
