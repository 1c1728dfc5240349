package asmtest

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/gomonge/monge/internal/asm/num"
)

// prec is that of an ExactSum: enough for products of numbers whose exponents are
// hundreds apart.
const prec = 1000

// ExactSum is Σ x·y, kept exactly for all practical purposes, and Σ |x·y|, which
// the error bound of a computed sum is proportional to. The zero value is 0.
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

// SumError returns |got − sum| as a multiple of γ_k Σ|terms|, the bound on the error of
// a sum whose terms go through k roundings.
func SumError[T num.Float](got T, s *ExactSum, k int) float64 {
	return Error(float64(got), s.Value(), new(big.Float).Mul(s.Magnitude(), big.NewFloat(Gamma[T](k))))
}

// Error returns |got − want| as a multiple of bound, which is not negative: 0
// if got is want even though the bound is 0, 2 if it is not.
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

// Roundoff returns u, half the distance from 1 to the next larger T.
func Roundoff[T num.Float]() float64 {
	if num.IsFloat64[T]() {
		return 0x1p-53
	}
	return 0x1p-24
}

// RowRoundings returns the number of roundings that a term of a row sum of n terms
// goes through at most: ⌈n/w⌉ FMAs and log₂w additions.
func RowRoundings[T num.Float](n int) int {
	w := num.Lanes[T]()
	k := (n + w - 1) / w
	for ; w > 1; w /= 2 {
		k++
	}
	return k
}

// Worst keeps the largest of the errors that it is shown, as multiples of their
// bounds, and where it was seen.
type Worst struct {
	error float64
	where string
}

// See shows an error and, like fmt.Sprintf, where it was seen.
func (w *Worst) See(error float64, format string, args ...any) {
	if !(error <= w.error) {
		w.error, w.where = error, fmt.Sprintf(format, args...)
	}
}

// Report logs the worst error and fails the test if it is beyond its bound.
func (w *Worst) Report(t *testing.T, what string) {
	t.Helper()
	t.Logf("%s: error %.3f of the bound, %s", what, w.error, w.where)
	if !(w.error <= 1) {
		t.Errorf("%s: error %.3f of the bound, %s", what, w.error, w.where)
	}
}

// Exact returns the sum of the terms, exactly for all practical purposes.
func Exact(terms ...float64) *big.Float {
	s := new(big.Float).SetPrec(prec)
	for _, x := range terms {
		s.Add(s, big.NewFloat(x))
	}
	return s
}
