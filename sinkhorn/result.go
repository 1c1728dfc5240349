package sinkhorn

import (
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp2"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/vec"
)

// Result is what a solve has found. It belongs to its solver and is overwritten by
// the next solve.
type Result[T dist.Float] struct {
	// Cost is the transport cost ⟨T, M⟩ = Σ_ij T_ij M_ij.
	Cost float64
	// Iterations is the number of iterations made.
	Iterations int
	// MarginalError is ‖Tᵀ1 − b‖₁. The other marginal, T1 = a, holds to rounding.
	MarginalError float64
	Status        Status
	// Domain is Plain or Log, the one that the iterations were made in.
	Domain Domain

	solver *Solver[T]
}

// PlanTo sets dst (n × m) to the transport plan T = diag(u) K diag(v). It panics if
// dst has another shape.
func (r *Result[T]) PlanTo(dst dist.Matrix[T]) {
	s := r.solver
	if dst.Rows != s.n || dst.Cols != s.m || checkMatrix("dst", dst) != nil {
		panic("sinkhorn: plan of another shape")
	}
	u, v := s.u(r.Iterations), s.v(r.Iterations)
	if r.Domain == Log {
		s.plan(dst.Data, dst.Stride, u, v)
		return
	}
	for i := range s.n {
		k, row := s.kernel[i*s.m:][:s.m], dst.Row(i)
		for j := range row {
			row[j] = T(u[i]*k[j]) * v[j]
		}
	}
}

// PotentialsTo sets f (length n) and g (length m) to the potentials, T_ij =
// exp(f_i − λ M_ij + g_j): the natural logarithms of the scalings u and v. That of
// a zero weight is −Inf. Divided by λ they are the dual variables of the
// regularised problem.
func (r *Result[T]) PotentialsTo(f, g []T) {
	s := r.solver
	if len(f) != s.n || len(g) != s.m {
		panic("sinkhorn: potentials of another length")
	}
	r.potential(f, s.u(r.Iterations))
	r.potential(g, s.v(r.Iterations))
}

func (r *Result[T]) potential(dst, x []T) {
	for i, x := range x {
		if r.Domain == Log {
			dst[i] = T(float64(x) * math.Ln2)
		} else {
			dst[i] = num.Log(x)
		}
	}
}

// ratio sets dst = 2^(x − base), and reports whether all of it is in the range in
// which the plain formulas are accurate. Where base and x are both −Inf, there is
// no weight and the ratio is 0.
func (s *Solver[T]) ratio(dst, x, base []T) bool {
	zeros := 0
	for i, x := range x {
		dst[i] = x - base[i]
		if math.IsInf(float64(x), -1) {
			dst[i] = T(math.Inf(-1))
			zeros++
		} else if math.IsInf(float64(base[i]), -1) {
			return false
		}
	}
	exp2.Scale(s.level, dst, dst, 1)
	return vec.CountOutside(s.level, dst, s.limits.lo, s.limits.hi) == zeros
}
