// Package oracle computes exponentials and logarithms to about 130 bits. Tests use it to measure
// the errors of kernels. It shares no code with the kernels.
package oracle

import (
	"math"
	"math/big"

	"github.com/gomonge/monge/internal/testdata"
)

// Samples returns its second argument if MONGE_LONG=1 is set, and its first argument otherwise.
func Samples(short, long int) int {
	if testdata.IsLong() {
		return long
	}
	return short
}

const (
	precision = 192
	steps     = 64 // 2^(j/64) are tabulated
	terms     = 17 // terms of the Taylor series: the error is 2^-175 for |r| ≤ ln 2/128
)

var (
	ln2     = naturalLog2()
	ln2Step = new(big.Float).SetMantExp(ln2, -6)
	powers  = powersOfTwo()
	inverse = inverseFactorials()
)

func newFloat(x float64) *big.Float {
	return new(big.Float).SetPrec(precision).SetFloat64(x)
}

// naturalLog2 returns ln 2 = 2 artanh(1/3).
func naturalLog2() *big.Float {
	sum, p := newFloat(0), newFloat(1)
	p.Quo(p, newFloat(3))
	for i := 1; i < 2*precision/3; i += 2 {
		sum.Add(sum, newFloat(0).Quo(p, newFloat(float64(i))))
		p.Quo(p, newFloat(9))
	}
	return sum.Add(sum, sum)
}

func powersOfTwo() [steps]*big.Float {
	root := newFloat(2)
	for range 6 {
		root.Sqrt(root)
	}
	var t [steps]*big.Float
	t[0] = newFloat(1)
	for j := 1; j < steps; j++ {
		t[j] = newFloat(0).Mul(t[j-1], root)
	}
	return t
}

func inverseFactorials() [terms]*big.Float {
	var t [terms]*big.Float
	t[0] = newFloat(1)
	for i := 1; i < terms; i++ {
		t[i] = newFloat(0).Quo(t[i-1], newFloat(float64(i)))
	}
	return t
}

// Exp returns exp(x) for |x| < 2^20.
func Exp(x float64) *big.Float { return expBig(newFloat(x)) }

func expBig(x *big.Float) *big.Float {
	approx, _ := x.Float64()
	n := math.Round(approx * (steps / math.Ln2))
	r := newFloat(n)
	r.Mul(r, ln2Step)
	r.Sub(x, r)
	return scaled(r, int(n))
}

// Exp2 returns 2^y for |y| < 2^20.
func Exp2(y float64) *big.Float {
	n := math.Round(y * steps)
	r := newFloat(y - float64(n/steps)) // exact
	r.Mul(r, ln2)
	return scaled(r, int(n))
}

// scaled returns exp(r)·2^(n/64).
func scaled(r *big.Float, n int) *big.Float {
	v := newFloat(0).Set(inverse[terms-1])
	for i := terms - 2; i >= 0; i-- {
		v.Mul(v, r)
		v.Add(v, inverse[i])
	}
	j := n & (steps - 1)
	v.Mul(v, powers[j])
	return v.SetMantExp(v, (n-j)/steps)
}

// Log returns the natural logarithm of x, which must be positive and finite. Log splits x into
// m·2^k, and computes a float64 approximation of log m. The result is k·ln 2 + approx + log(1 + d)
// with d = m·exp(−approx) − 1.
func Log(x float64) *big.Float {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	y := newFloat(float64(k))
	y.Mul(y, ln2)
	approx := newFloat(math.Log1p(m - 1))
	d := expBig(newFloat(0).Neg(approx))
	d.Mul(d, newFloat(m))
	d.Sub(d, newFloat(1))
	d2 := newFloat(0).Mul(d, d)
	d3 := newFloat(0).Mul(d2, d)
	d.Sub(d, d2.Mul(d2, newFloat(.5)))
	d.Add(d, d3.Quo(d3, newFloat(3)))
	return y.Add(y, approx.Add(approx, d))
}

// Log2 returns the binary logarithm of x, which must be positive and finite.
func Log2(x float64) *big.Float {
	y := Log(x)
	return y.Quo(y, ln2)
}
