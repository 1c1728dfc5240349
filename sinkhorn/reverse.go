package sinkhorn

import (
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/adjcost"
	"github.com/gomonge/monge/internal/asm/adjoint"
	"github.com/gomonge/monge/internal/asm/matvec"
	"github.com/gomonge/monge/internal/asm/project"
)

// The reverse pass through the iterations. With α^k and β^k the adjoints of log u^k
// and log v^k, and s^k = −α^k ⊙ u^k ⊘ a, t^k = −β^k ⊙ v^k ⊘ b,
//
//	β^k     = v^k ⊙ Kᵀs^k  (+ v ⊙ (K⊙M)ᵀu for the last k)
//	α^(k−1) = u^(k−1) ⊙ K t^k
//	M̄       = T − λ ( T⊙M + K ⊙ Σ_k (s^k v^kᵀ + u^(k−1) t^kᵀ) ).
//
// Nothing changes if K is replaced by diag(φ) K diag(γ) and the scalings are
// divided by φ and γ. In the plain domain φ = γ = 1. In the log domain the reverse
// pass takes u^L and v^L for φ and γ, so that its K is the plan, and keeps them for
// as many terms as have scalings in the safe range; then it takes those of the term
// at hand. Each such stretch of terms is one segment.

// reverse is the state of the reverse pass.
type reverse[T dist.Float] struct {
	f, g        []T // base potentials of the segment, base 2 (log domain)
	u, v        []T // scalings of the current term, relative to the base
	t           []T
	terms       int // terms of the segment so far
	left, right []T // their factors: terms × n and terms × m
	hu, hv      []T // scalings of the plan relative to K, zero after the first segment

	block []T // rows of M̄
	pack  []T // left, transposed, for a block
	xa    []T // X and a column of ones, n × (p+1)
	ya    []T // Y and a column of ones, m × (p+1)
	gx    []T // M̄ [Y 1], n × (p+1)
	gy    []T // ([X 1]ᵀ M̄), (p+1) × m
}

// CostGradientTo sets dst (n × m) to ∂Cost/∂M, the derivative of the transport cost
// through all iterations, λ being constant. It panics if dst has another shape.
func (r *Result[T]) CostGradientTo(dst dist.Matrix[T]) error {
	s := r.solver
	if dst.Rows != s.n || dst.Cols != s.m || checkMatrix("dst", dst) != nil {
		panic("sinkhorn: gradient of another shape")
	}
	for i := range dst.Rows {
		clear(dst.Row(i))
	}
	return s.reverse(func(i, rows int, g []T) {
		for k := range rows {
			row := dst.Row(i + k)
			for j, g := range g[k*s.m:][:s.m] {
				row[j] += g
			}
		}
	})
}

// PointGradientTo sets dx (n × p) and dy (m × p) to ∂Cost/∂X and ∂Cost/∂Y for a
// problem of two point clouds, through all iterations. Where X and Y are one cloud,
// its gradient is the sum. It panics if dx or dy have another shape or the problem
// was a cost matrix.
func (r *Result[T]) PointGradientTo(dx, dy dist.Matrix[T]) error {
	s, p := r.solver, r.solver.p
	if !s.points || dx.Rows != s.n || dx.Cols != p || dy.Rows != s.m || dy.Cols != p || checkMatrix("dx", dx) != nil || checkMatrix("dy", dy) != nil {
		panic("sinkhorn: gradient of another shape")
	}
	rev, x, y := &s.rev, s.problem.X, s.problem.Y
	grow(&rev.gx, s.n*(p+1))
	grow(&rev.gy, (p+1)*s.m)
	augment(&rev.xa, x)
	augment(&rev.ya, y)
	clear(rev.gx)
	clear(rev.gy)
	err := s.reverse(func(i, rows int, g []T) {
		project.Mul(s.level, rows, p+1, s.m, rev.gx[i*(p+1):], p+1, g, s.m, rev.ya, p+1, true)
		project.TransMul(s.level, rows, p+1, s.m, rev.gy, s.m, g, s.m, rev.xa[i*(p+1):], p+1, true)
	})
	if err != nil {
		return err
	}
	for i := range s.n {
		g := rev.gx[i*(p+1):][:p+1]
		for l, xil := range x.Row(i) {
			dx.Row(i)[l] = 2 * (T(g[p]*xil) - g[l])
		}
	}
	for j := range s.m {
		for l, yjl := range y.Row(j) {
			dy.Row(j)[l] = 2 * (T(rev.gy[p*s.m+j]*yjl) - rev.gy[l*s.m+j])
		}
	}
	return nil
}

// augment sets *dst to the rows of x, each followed by a 1.
func augment[T dist.Float](dst *[]T, x dist.Matrix[T]) {
	p := x.Cols
	grow(dst, x.Rows*(p+1))
	for i := range x.Rows {
		row := (*dst)[i*(p+1):][:p+1]
		copy(row, x.Row(i))
		row[p] = 1
	}
}

// reverse runs the reverse pass and calls visit for every block of rows of every
// segment's share of M̄; M̄ is the sum over segments.
func (s *Solver[T]) reverse(visit func(i, rows int, g []T)) error {
	if !s.settings.Gradient {
		return ErrNoGradient
	}
	n, m, rev := s.n, s.m, &s.rev
	last := s.res.Iterations
	rev.reset(n, m, last)
	beta := s.col[:m]
	// What begin has left: s^L in s.s and, for the column side, q.
	s.begin()
	if s.res.Domain == Log {
		copy(rev.f, s.u(last))
		copy(rev.g, s.v(last))
		copy(rev.u, s.ones)
		copy(rev.v, s.ones)
	} else {
		copy(rev.u, s.u(last))
		copy(rev.v, s.v(last))
	}
	copy(rev.hu, rev.u)
	copy(rev.hv, rev.v)
	for k := last; ; k-- {
		rev.add(s.s, rev.v)
		for j := range beta {
			beta[j] = rev.v[j] * s.q[j]
		}
		if !s.rebased(rev.u, s.u(k-1), rev.f) {
			s.segment(visit)
			s.rebase(s.u(k-1), s.v(k))
		}
		for j, b := range s.b {
			rev.t[j] = 0
			if b > 0 {
				rev.t[j] = -(beta[j] / b) * rev.v[j]
			}
		}
		rev.add(rev.u, rev.t)
		if k == 1 {
			break
		}
		adjointWeights(s.w, rev.u, s.a)
		clear(s.q)
		if s.rebased(rev.v, s.v(k-1), rev.g) {
			adjoint.Sweep(s.level, n, m, s.kernel, m, rev.t, s.w, s.s, s.q)
			continue
		}
		// α^(k−1) belongs to the old base, where u is rev.u; s^(k−1) to the new one,
		// where it is 1.
		matvec.Rows(s.level, n, m, s.r, s.kernel, m, rev.t)
		for i, a := range s.a {
			s.s[i] = 0
			if a > 0 {
				s.s[i] = -(rev.u[i] * s.r[i]) / a
			}
		}
		s.segment(visit)
		s.rebase(s.u(k-1), s.v(k-1))
		matvec.Columns(s.level, n, m, s.q, s.kernel, m, s.s)
	}
	s.segment(visit)
	return nil
}

func (rev *reverse[T]) reset(n, m, iterations int) {
	grow(&rev.f, n)
	grow(&rev.g, m)
	grow(&rev.u, n)
	grow(&rev.v, m)
	grow(&rev.t, m)
	grow(&rev.hu, n)
	grow(&rev.hv, m)
	grow(&rev.left, 2*iterations*n)
	grow(&rev.right, 2*iterations*m)
	rev.terms = 0
}

// add appends the term left·rightᵀ to the segment.
func (rev *reverse[T]) add(left, right []T) {
	copy(rev.left[rev.terms*len(left):], left)
	copy(rev.right[rev.terms*len(right):], right)
	rev.terms++
}

// rebased sets dst to the scaling x (or the scaling of logarithm x) relative to the
// segment's base, and reports whether it is in the safe range.
func (s *Solver[T]) rebased(dst, x, base []T) bool {
	if s.res.Domain == Plain {
		copy(dst, x)
		return true
	}
	return s.ratio(dst, x, base)
}

// rebase starts a segment at the potentials f and g.
func (s *Solver[T]) rebase(f, g []T) {
	rev := &s.rev
	copy(rev.f, f)
	copy(rev.g, g)
	s.plan(s.kernel, s.m, f, g)
	weightless(rev.u, f)
	weightless(rev.v, g)
	clear(rev.hu)
}

// weightless sets u to 1, and to 0 where the potential f is that of no weight.
func weightless[T dist.Float](u, f []T) {
	for i, f := range f {
		u[i] = 1
		if math.IsInf(float64(f), -1) {
			u[i] = 0
		}
	}
}

// segment hands the segment's share of M̄ to visit, block by block.
func (s *Solver[T]) segment(visit func(i, rows int, g []T)) {
	n, m, rev := s.n, s.m, &s.rev
	if rev.terms == 0 {
		return
	}
	rows := min(n, max(8, 1<<13/m/8*8))
	grow(&rev.block, rows*m)
	grow(&rev.pack, rows*rev.terms)
	for i := 0; i < n; i += rows {
		r := min(rows, n-i)
		for k := range r {
			for q := range rev.terms {
				rev.pack[k*rev.terms+q] = rev.left[q*n+i+k]
			}
		}
		adjcost.Block(s.level, r, m, rev.terms, rev.block, m, s.kernel[i*m:], m, s.cost.Data[i*s.cost.Stride:], s.cost.Stride,
			rev.pack, rev.terms, rev.right, m, rev.hu[i:], rev.hv, T(s.lambda))
		visit(i, r, rev.block)
	}
	rev.terms = 0
}
