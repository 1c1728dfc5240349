package sinkhorn

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/internal/asm/logscale"
	"github.com/gomonge/monge/internal/asm/matvec"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/scale"
	"github.com/gomonge/monge/internal/asm/vec"
)

// plain iterates on u and v themselves:
//
//	u⁰ = 1;   v^k = b ⊘ Kᵀu^(k−1),   u^k = a ⊘ K v^k.
//
// It reports false as soon as a scaling leaves the safe range.
func (s *Solver[T]) plain(ctx context.Context) (ok bool, cause error) {
	n, m := s.n, s.m
	clear(s.q)
	copy(s.u(0), s.ones[:n])
	matvec.Columns(s.level, n, m, s.q, s.kernel, m, s.u(0))
	for k := 1; k <= s.settings.Iterations; k++ {
		if cause = ctx.Err(); cause != nil {
			s.res.Status = Cancelled
			return true, cause
		}
		u, v := s.u(k), s.v(k)
		vec.Divide(s.level, v, s.b, s.q)
		if !s.safe(v, s.b) {
			return false, nil
		}
		clear(s.q)
		scale.Iterate(s.level, n, m, s.kernel, m, v, s.a, u, s.q)
		if !s.safe(u, s.a) {
			return false, nil
		}
		var e float64
		for j, q := range s.q {
			e += math.Abs(float64(v[j]*q) - float64(s.b[j]))
		}
		if s.done(k, e) {
			break
		}
	}
	return true, nil
}

// safe reports whether every scaling that belongs to a positive weight is within
// the limits, and every other one is zero.
func (s *Solver[T]) safe(x, weight []T) bool {
	out := vec.CountOutside(s.level, x, s.limits.lo, s.limits.hi)
	if out == 0 {
		return true
	}
	for i, x := range x {
		if x == 0 && weight[i] == 0 {
			out--
		}
	}
	return out == 0
}

// done records iteration k, with column error e, and reports whether it is the last.
func (s *Solver[T]) done(k int, e float64) bool {
	s.res.Iterations, s.res.MarginalError = k, e
	if tol := s.settings.Tolerance; tol > 0 {
		s.res.Status = IterationLimit
		if e <= tol*s.mass {
			s.res.Status = Converged
			return true
		}
	}
	return false
}

// log iterates on f = log₂u and g = log₂v. The column half of an iteration uses
// that the plan's column sums q come as a by-product of the row half, so that
// g^(k+1) = g^k + log₂(b ⊘ q); only where q is too small to be accurate is the
// log-sum-exp of the column taken.
func (s *Solver[T]) log(ctx context.Context) (cause error) {
	n, m, mat := s.n, s.m, s.cost
	if err := s.scaleLimits(); err != nil {
		return err
	}
	grow(&s.logA, n)
	grow(&s.logB, m)
	grow(&s.max, n)
	grow(&s.sum, n)
	for i, w := range s.a {
		s.logA[i] = num.Log2(w)
	}
	for j, w := range s.b {
		s.logB[j] = num.Log2(w)
	}
	minusInf := T(math.Inf(-1))
	rough := s.res.Status == LowPrecision
	clear(s.u(0))
	clear(s.q)
	s.columns(s.u(0), s.v(1), s.v(1), true)
	for k := 1; k <= s.settings.Iterations; k++ {
		if cause = ctx.Err(); cause != nil {
			s.res.Status = Cancelled
			return cause
		}
		f, g := s.u(k), s.v(k)
		clear(s.q)
		logscale.Rows(s.level, n, m, mat.Data, mat.Stride, -s.c, g, s.a, s.max, s.sum, s.q, s.row)
		for i := range f {
			f[i] = minusInf
			if s.a[i] > 0 {
				f[i] = (s.logA[i] - s.max[i]) - num.Log2(s.sum[i])
			}
		}
		var e float64
		for j, q := range s.q {
			e += math.Abs(float64(q) - float64(s.b[j]))
		}
		if !(e < math.Inf(1)) {
			if err := s.notFinite(); err != nil {
				return err
			}
			return ErrRange
		}
		if s.done(k, e) || k == s.settings.Iterations {
			break
		}
		next := s.v(k + 1)
		s.columns(f, g, next, false)
	}
	if rough {
		s.res.Status = LowPrecision
	}
	return nil
}

// columns sets next to the column potentials that follow row potentials f. Unless
// all, it starts from the potentials g and the plan's column sums q.
func (s *Solver[T]) columns(f, g, next []T, all bool) {
	exact := all
	for j, q := range s.q {
		if q < s.limits.tiny && s.b[j] > 0 {
			exact = true
			break
		}
	}
	h, sum := s.row[:s.m], s.col[:s.m]
	if exact {
		for j := range h {
			h[j] = T(math.Inf(-1))
		}
		clear(sum)
		logscale.ColumnMax(s.level, s.n, s.m, s.cost.Data, s.cost.Stride, -s.c, f, h)
		logscale.ColumnSum(s.level, s.n, s.m, s.cost.Data, s.cost.Stride, -s.c, f, h, sum)
	}
	for j, q := range s.q {
		switch {
		case s.b[j] == 0:
			next[j] = T(math.Inf(-1))
		case all || q < s.limits.tiny:
			next[j] = (s.logB[j] - h[j]) - num.Log2(sum[j])
		default:
			next[j] = g[j] + (s.logB[j] - num.Log2(q))
		}
	}
}

// scaleLimits refuses costs that the log domain cannot represent and marks those
// that it represents roughly.
func (s *Solver[T]) scaleLimits() error {
	var hi float64
	for i := range s.n {
		for _, x := range s.cost.Row(i) {
			if x-x != 0 {
				if err := s.notFinite(); err != nil {
					return err
				}
				return fmt.Errorf("%w: squared distance overflows", ErrRange)
			}
			hi = math.Max(hi, math.Abs(float64(x)))
		}
	}
	switch c := hi * math.Abs(float64(s.c)); {
	case !(c < s.limits.largest/4):
		return fmt.Errorf("%w: λ = %v, largest cost %v", ErrRange, s.lambda, hi)
	case c > s.limits.precision:
		s.res.Status = LowPrecision
	default:
		s.res.Status = Completed
	}
	return nil
}

// plan sets t to the plan of base-2 potentials f and g.
func (s *Solver[T]) plan(t []T, ldt int, f, g []T) {
	logscale.Plan(s.level, s.n, s.m, t, ldt, s.cost.Data, s.cost.Stride, -s.c, f, g)
}
