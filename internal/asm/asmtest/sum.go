package asmtest

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/gomonge/monge/internal/asm/num"
)

// prec is the precision of an ExactSum in bits. It is sufficient for products whose exponents
// differ by hundreds.
const prec = 1000

// ExactSum contains the sums Σ x·y and Σ |x·y|, which are exact for all practical purposes. The
// error bound of a computed sum is proportional to Σ |x·y|. The zero value is 0.
type ExactSum struct{ sum, abs big.Float }

// Add adds the product of the factors.
func (s *ExactSum) Add(factors ...float64) {
	p := new(big.Float).SetPrec(prec).SetInt64(1)
	for _, f := range factors {
		p.Mul(p, big.NewFloat(f))
	}
	s.AddBig(p)
}

// AddBig adds p.
func (s *ExactSum) AddBig(p *big.Float) {
	s.sum.SetPrec(prec).Add(&s.sum, p)
	s.abs.SetPrec(prec).Add(&s.abs, new(big.Float).Abs(p))
}

// Value returns the sum.
func (s *ExactSum) Value() *big.Float { return &s.sum }

// Magnitude returns the sum of the terms' magnitudes.
func (s *ExactSum) Magnitude() *big.Float { return &s.abs }

// SumError returns |got − s| divided by γ_k Σ|terms|, the error bound of a sum whose terms pass
// through k roundings.
func SumError[T num.Float](got T, s *ExactSum, k int) float64 {
	return Error(float64(got), s.Value(), new(big.Float).Mul(s.Magnitude(), big.NewFloat(Gamma[T](k))))
}

// Error returns |got − want| / bound. The bound must not be negative. If bound is 0, Error returns
// 0 for got = want, and 2 otherwise.
func Error(got float64, want, bound *big.Float) float64 {
	d := new(big.Float).SetPrec(prec).SetFloat64(got)
	d.Sub(d, want).Abs(d)
	switch {
	case d.Sign() == 0:
		return 0
	case bound.Sign() == 0:
		return 2
	}
	r, _ := d.Quo(d, bound).Float64()
	return r
}

// Gamma returns γ_k = ku/(1 − ku), the bound on the relative effect of k roundings
// in T (Higham, Accuracy and Stability of Numerical Algorithms, §3.1).
func Gamma[T num.Float](k int) float64 {
	ku := float64(k) * Roundoff[T]()
	return ku / (1 - ku)
}

// Roundoff returns u, half the distance from 1 to the next larger number of type T.
func Roundoff[T num.Float]() float64 {
	if num.IsFloat64[T]() {
		return 0x1p-53
	}
	return 0x1p-24
}

// RowRoundings returns the maximum number of roundings of a term in a row sum of n terms: ⌈n/w⌉
// FMAs and log₂w additions, where w is num.Lanes.
func RowRoundings[T num.Float](n int) int {
	w := num.Lanes[T]()
	k := (n + w - 1) / w
	for ; w > 1; w /= 2 {
		k++
	}
	return k
}

// Worst records the largest of several errors and its location. The errors are multiples of an
// error bound.
type Worst struct {
	error float64
	where string
}

// See records an error and its location. The location is formatted as in fmt.Sprintf.
func (w *Worst) See(error float64, format string, args ...any) {
	if !(error <= w.error) {
		w.error, w.where = error, fmt.Sprintf(format, args...)
	}
}

// Report logs the largest error. The test fails if this error exceeds its bound.
func (w *Worst) Report(t *testing.T, what string) {
	t.Helper()
	t.Logf("%s: error %.3f of the bound, %s", what, w.error, w.where)
	if !(w.error <= 1) {
		t.Errorf("%s: error %.3f of the bound, %s", what, w.error, w.where)
	}
}

// Exact returns the sum of the terms with a precision of 1000 bits.
func Exact(terms ...float64) *big.Float {
	s := new(big.Float).SetPrec(prec)
	for _, x := range terms {
		s.Add(s, big.NewFloat(x))
	}
	return s
}
