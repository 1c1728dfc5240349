package logscale

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// An exponent x is rounded once when it is formed and once more when max (or h, or
// f) is taken off or put on, to y. With X and Y exact, 2^y therefore has the relative
// error δ = (|X| + |Y|) u ln 2 from its argument and at most 2.2u from package exp2.
// To first order, with w_j the weight of term j in a sum of k roundings, that sum has
// Σ_j w_j δ_j + (k + 2.2)u. A hundredth of each bound is left for higher order and
// for terms that underflow.

// TestRowsRef holds sum · 2^max, and q, against exact arithmetic. q_j gathers
// (a/sum) e_j: one division and the errors of sum and e_j, and m FMAs.
func TestRowsRef(t *testing.T) {
	t.Run("f64", rowsRefTest[float64])
	t.Run("f32", rowsRefTest[float32])
}

func rowsRefTest[T num.Float](t *testing.T) {
	rng := newRand()
	u := asmtest.Roundoff[T]()
	var worstSum, worstQ asmtest.Worst
	for range 25 {
		p := newProblem[T](rng, 1+rng.IntN(6), 1+rng.IntN(60))
		a, q, e := p.values(p.m), p.values(p.n), make([]T, p.n)
		hi, sum, before := make([]T, p.m), make([]T, p.m), append([]T{}, q...)
		rowsRef(p.m, p.n, p.mat, p.n, p.c, p.g, a, hi, sum, q, e)

		wantQ, boundQ := make([]big.Float, p.n), make([]big.Float, p.n)
		for j := range before {
			wantQ[j].SetPrec(prec).SetFloat64(float64(before[j]))
			boundQ[j].SetPrec(prec).SetFloat64(float64(before[j]) * float64(p.m) * u)
		}
		for i := range p.m {
			shift := big.NewFloat(-float64(hi[i]))
			total, bound := newFloat(), newFloat()
			term, delta := make([]*big.Float, p.n), make([]float64, p.n)
			for j := range p.n {
				x := p.exponent(i, j, p.g[j])
				y := newFloat().Add(x, shift)
				term[j], delta[j] = pow2(y), argument(x, y)*u
				total.Add(total, term[j])
				bound.Add(bound, times(term[j], delta[j]))
			}
			k := float64(asmtest.RowRoundings[T](p.n))
			bound.Add(bound, times(total, (k+2.2)*u))
			worstSum.See(asmtest.Error(float64(sum[i]), total, times(bound, 1.01)), "%d×%d, c = %v, row %d", p.m, p.n, p.c, i)

			relative, _ := newFloat().Quo(bound, total).Float64()
			for j := range p.n {
				share := newFloat().Quo(times(term[j], float64(a[i])), total)
				wantQ[j].Add(&wantQ[j], share)
				boundQ[j].Add(&boundQ[j], times(share, delta[j]+relative+(float64(p.m)+3.2)*u))
			}
		}
		for j := range q {
			worstQ.See(asmtest.Error(float64(q[j]), &wantQ[j], times(&boundQ[j], 1.01)), "%d×%d, c = %v, column %d", p.m, p.n, p.c, j)
		}
	}
	worstSum.Report(t, "sum")
	worstQ.Report(t, "q")
}

// TestColumnsRef holds ColumnMax and ColumnSum against exact arithmetic. The
// maximum has the error of one rounding.
func TestColumnsRef(t *testing.T) {
	t.Run("f64", columnsRefTest[float64])
	t.Run("f32", columnsRefTest[float32])
}

func columnsRefTest[T num.Float](t *testing.T) {
	rng := newRand()
	u := asmtest.Roundoff[T]()
	var worstMax, worstSum asmtest.Worst
	for range 25 {
		p := newProblem[T](rng, 1+rng.IntN(40), 1+rng.IntN(6))
		h, s := make([]T, p.n), make([]T, p.n)
		for j := range h {
			h[j] = T(math.Inf(-1))
		}
		columnMaxRef(p.m, p.n, p.mat, p.n, p.c, p.f, h)
		columnSumRef(p.m, p.n, p.mat, p.n, p.c, p.f, h, s)
		for j := range p.n {
			highest, largest := p.exponent(0, j, p.f[0]), newFloat()
			shift := big.NewFloat(-float64(h[j]))
			total, bound := newFloat(), newFloat()
			for i := range p.m {
				x := p.exponent(i, j, p.f[i])
				if x.Cmp(highest) > 0 {
					highest = x
				}
				if ax := newFloat().Abs(x); ax.Cmp(largest) > 0 {
					largest = ax
				}
				y := newFloat().Add(x, shift)
				e := pow2(y)
				total.Add(total, e)
				bound.Add(bound, times(e, argument(x, y)*u))
			}
			bound.Add(bound, times(total, (float64(p.m)+2.2)*u))
			worstMax.See(asmtest.Error(float64(h[j]), highest, times(largest, u)), "%d×%d, c = %v, column %d", p.m, p.n, p.c, j)
			worstSum.See(asmtest.Error(float64(s[j]), total, times(bound, 1.01)), "%d×%d, c = %v, column %d", p.m, p.n, p.c, j)
		}
	}
	worstMax.Report(t, "column maximum")
	worstSum.Report(t, "column sum")
}

// TestPlanRef holds Plan against exact arithmetic.
func TestPlanRef(t *testing.T) {
	t.Run("f64", planRefTest[float64])
	t.Run("f32", planRefTest[float32])
}

func planRefTest[T num.Float](t *testing.T) {
	rng := newRand()
	u := asmtest.Roundoff[T]()
	var worst asmtest.Worst
	for range 25 {
		p := newProblem[T](rng, 1+rng.IntN(10), 1+rng.IntN(10))
		plan := make([]T, p.m*p.n)
		planRef(p.m, p.n, plan, p.n, p.mat, p.n, p.c, p.f, p.g)
		for i := range p.m {
			for j := range p.n {
				x := p.exponent(i, j, p.g[j])
				y := newFloat().Add(x, big.NewFloat(float64(p.f[i])))
				want := pow2(y)
				if least, most := limits[T](); want.Cmp(big.NewFloat(least)) < 0 || want.Cmp(big.NewFloat(most)) > 0 {
					continue
				}
				bound := times(want, 1.01*(argument(x, y)+2.2)*u)
				worst.See(asmtest.Error(float64(plan[i*p.n+j]), want, bound), "%d×%d, c = %v, at (%d, %d)", p.m, p.n, p.c, i, j)
			}
		}
	}
	worst.Report(t, "plan")
}

// TestRowsSpecial: NaN and −Inf are passed over by the maximum, a row of nothing
// else has maximum −Inf and sum NaN, and a maximum of −0 becomes +0.
func TestRowsSpecial(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		g        []float64
		max, sum float64
	}{
		{[]float64{-inf, 3, 2, -inf}, 3, 1.5},
		{[]float64{nan, 1, -1}, 1, nan},
		{[]float64{-inf, -inf}, -inf, nan},
		{[]float64{nan, -inf}, -inf, nan},
		{[]float64{zero, zero, -1}, 0, 2.5},
		{[]float64{inf, 1}, inf, nan},
	} {
		n := len(c.g)
		hi, sum := make([]float64, 1), make([]float64, 1)
		rowsRef(1, n, make([]float64, n), n, 1, c.g, []float64{1}, hi, sum, make([]float64, n), make([]float64, n))
		if !asmtest.SameBits(hi[0], c.max) || !asmtest.SameBits(sum[0], c.sum) {
			t.Errorf("x = %v: max %v, sum %v; want %v, %v", c.g, hi[0], sum[0], c.max, c.sum)
		}
	}
}

// problem is a cost matrix, a factor and potentials of moderate size.
type problem[T num.Float] struct {
	rng       *rand.Rand
	m, n      int
	mat, f, g []T
	c         T
}

func newProblem[T num.Float](rng *rand.Rand, m, n int) problem[T] {
	p := problem[T]{rng: rng, m: m, n: n, c: T(math.Exp(6 * rng.Float64()))}
	p.mat, p.f, p.g = p.values(m*n), p.values(m), p.values(n)
	for i := range p.f {
		p.f[i] *= p.c
	}
	for j := range p.g {
		p.g[j] *= p.c
	}
	return p
}

func (p problem[T]) values(n int) []T {
	s := make([]T, n)
	asmtest.Fill(p.rng, s, asmtest.Unit)
	return s
}

// exponent returns potential − c M_ij, exactly.
func (p problem[T]) exponent(i, j int, potential T) *big.Float {
	x := newFloat().SetFloat64(-float64(p.c))
	x.Mul(x, big.NewFloat(float64(p.mat[i*p.n+j])))
	return x.Add(x, big.NewFloat(float64(potential)))
}

// argument returns (|x| + |y|) ln 2.
func argument(x, y *big.Float) float64 {
	a, _ := x.Float64()
	b, _ := y.Float64()
	return (math.Abs(a) + math.Abs(b)) * math.Ln2
}

// limits returns numbers a factor of two within the least normal number, below which
// Plan is 0, and the largest finite one.
func limits[T num.Float]() (least, most float64) {
	if num.IsFloat64[T]() {
		return 0x1p-1021, 0x1p1023
	}
	return 0x1p-125, 0x1p127
}

const prec = 300

func newFloat() *big.Float { return new(big.Float).SetPrec(prec) }

func times(x *big.Float, f float64) *big.Float { return newFloat().Mul(x, big.NewFloat(f)) }

var ln2, _ = newFloat().SetString("0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996418687")

// pow2 returns 2^y to about 290 bits: 2^n · e^(f ln 2), f the fraction, by Taylor.
func pow2(y *big.Float) *big.Float {
	v, _ := y.Float64()
	n := math.Round(v)
	z := newFloat().Sub(y, big.NewFloat(n))
	z.Mul(z, ln2)
	sum, term := newFloat().SetInt64(1), newFloat().SetInt64(1)
	for k := int64(1); k < 60; k++ {
		term.Mul(term, z)
		term.Quo(term, newFloat().SetInt64(k))
		sum.Add(sum, term)
	}
	return sum.SetMantExp(sum, int(n))
}
