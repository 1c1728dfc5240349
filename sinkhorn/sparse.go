package sinkhorn

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/gibbs"
)

// For large λ, most elements of the plan are negligible. This file makes a list of the relevant elements. The linear
// system in system.go has a diagonal element D_j for each column and r_i for each row of the plan T. The matrix of the system is
//
//	D^½ (I − SᵀS) D^½,   S_ij = T_ij/√(r_i D_j),   ‖S‖ ≤ 1.
//
// Conjugate gradients need only the S_ij above a rounding error ε, and use a list of these elements instead of K (X. Tang et
// al., see newton.go). The matrix remains positive semidefinite without the other elements, because no S_ij is negative. The
// eigenvalues of the matrix change by at most about εm, where m is the number of columns.

const (
	sparseShare = 12      // a list has at most 1/sparseShare of the elements of K
	sparseMost  = 1 << 24 // maximum number of elements of a list
	sparseBytes = 30      // bytes per element of a list: 12 to 24 for the element itself, the rest for a share of the sums
	sparseRun   = 64      // elements of a row that are examined together
	sparseRows  = 64      // maximum number of rows between two checks of the context
	sparseWork  = 1 << 18 // maximum number of products between two checks of the context

	groupElements = 1 << 14 // minimum number of listed elements in a group of pieces; each group has its own sums
	groupColumn   = 4       // minimum ratio of listed elements in a group to columns of K
	mostGroups    = 16      // maximum number of groups
)

// sparse contains the scalings u and v of S = diag(u) K diag(v), and the list of the relevant elements of S.
type sparse[T dist.Float] struct {
	u, v    []T
	root    []float64 // √D
	pieces  []listPiece
	count   atomic.Int64 // number of elements of all pieces
	t       []float64
	q       []float64 // column sums of S over each group of consecutive pieces
	groups  int       // number of groups, which does not depend on the number of workers
	most    int64
	steps   int // conjugate gradient steps of the last direction
	made    bool
	refused bool // the list would be too long
	visitor listVisitor[T]
	take    func(ctx context.Context, w, group int) error
}

// listPiece contains the listed elements of S in one block of rows.
type listPiece struct {
	ends   []int // end of each row's elements
	column []int32
	s      []float64
}

// scaleForList sets the vectors u and v of S = diag(u) K diag(v). It also sets root to the square roots of the vector diag of
// the linear system.
func (sys *system[T]) scaleForList() {
	sp := &sys.sparse
	gibbs.Grow(&sp.u, sys.kernel.N())
	gibbs.Grow(&sp.v, sys.kernel.M())
	gibbs.Grow(&sp.root, sys.kernel.M())
	for i, a := range sys.rows {
		sp.u[i] = 0
		if a > 0 {
			sp.u[i] = T(float64(sys.plan.u[i]) / math.Sqrt(float64(a)))
		}
	}
	for j, c := range sys.diag[:sys.kernel.M()] {
		sp.root[j], sp.v[j] = 0, 0
		if c > 0 {
			sp.root[j] = math.Sqrt(float64(c))
			sp.v[j] = T(float64(sys.plan.v[j]) / sp.root[j])
		}
	}
}

// mostListed returns the maximum number of elements in the sparse list of a plan with the given size, n·m.
func mostListed(size float64) float64 {
	return min(math.Floor(size/sparseShare), sparseMost)
}

// makeList makes the list of the relevant elements of S in one pass over K. If the list would be too long, makeList sets refused.
func (sys *system[T]) makeList(ctx context.Context) error {
	sp, m, pieces := &sys.sparse, sys.kernel.M(), sys.kernel.Pieces()
	sp.made, sp.most = false, int64(mostListed(sys.kernel.Size()))
	sys.scaleForList()
	sp.count.Store(0)
	gibbs.Grow(&sp.pieces, pieces)
	for i := range sp.pieces {
		p := &sp.pieces[i]
		p.ends, p.column, p.s = p.ends[:0], p.column[:0], p.s[:0]
	}
	sp.visitor = listVisitor[T]{sp, sys.epsilon}
	if err := sys.kernel.EachPlanBlock(ctx, sp.u, sp.v, &sp.visitor); err != nil && err != errListTooLong {
		return err
	}
	sp.made = sp.count.Load() <= sp.most
	sp.refused = !sp.made
	if sp.refused {
		return nil
	}
	count := int(sp.count.Load())
	sp.groups = max(1, min(count/groupElements, count/(groupColumn*m), mostGroups, pieces))
	gibbs.Grow(&sp.t, m)
	gibbs.Grow(&sp.q, sp.groups*m)
	return nil
}

// errListTooLong ends the pass of makeList early.
var errListTooLong = errors.New("too many elements matter")

// listVisitor appends elements to the list until it is too long.
type listVisitor[T dist.Float] struct {
	sparse *sparse[T]
	least  T
}

func (p *listVisitor[T]) VisitPlan(piece, _, r int, t []T) error {
	sp, to := p.sparse, &p.sparse.pieces[piece]
	m := len(sp.v)
	for l := range r {
		row, before := t[l*m:][:m], len(to.s)
		for first := 0; first < m; first += sparseRun {
			run := row[first:min(first+sparseRun, m)]
			if pass.CountOutside(run, 0, p.least) == 0 {
				continue
			}
			for j, x := range run {
				if x > p.least {
					to.column, to.s = append(to.column, int32(first+j)), append(to.s, float64(x))
				}
			}
		}
		to.ends = append(to.ends, len(to.s))
		if sp.count.Add(int64(len(to.s)-before)) > sp.most {
			return errListTooLong
		}
	}
	return nil
}

// multiply sets dst = D^½ SᵀS D^½ x.
func (p *sparse[T]) multiply(ctx context.Context, kernel *gibbs.Kernel[T], dst, x []T) error {
	for j, r := range p.root {
		p.t[j] = r * float64(x[j])
	}
	if p.take == nil {
		p.take = p.multiplyGroup // stored, because each method value allocates memory
	}
	if err := kernel.Run(ctx, p.groups, p.take); err != nil {
		return err
	}
	m := len(p.root)
	for g := 1; g < p.groups; g++ {
		for j, x := range p.q[g*m:][:m] {
			p.q[j] += x
		}
	}
	for j, r := range p.root {
		dst[j] = T(r * p.q[j])
	}
	return nil
}

// multiplyGroup computes the contribution of a group of row blocks to the vector SᵀS t.
func (p *sparse[T]) multiplyGroup(ctx context.Context, _, group int) error {
	m := len(p.root)
	q := p.q[group*m:][:m]
	clear(q)
	for _, piece := range p.pieces[group*len(p.pieces)/p.groups : (group+1)*len(p.pieces)/p.groups] {
		for i := 0; i < len(piece.ends); i += sparseRows {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			piece.multiplyRows(q, p.t, i, min(i+sparseRows, len(piece.ends)))
		}
	}
	return nil
}

// multiplyRows computes the contribution of rows i … last−1 to SᵀS t, and adds the contribution to q. The loops do not use FMA,
// because Go tests for the instruction before each FMA.
func (p *listPiece) multiplyRows(q, t []float64, i, last int) {
	first := 0
	if i > 0 {
		first = p.ends[i-1]
	}
	for _, end := range p.ends[i:last] {
		column, s := p.column[first:end], p.s[first:end]
		first = end
		s = s[:len(column)]
		var sum float64
		for k, j := range column {
			sum += float64(s[k] * t[j])
		}
		for k, j := range column {
			q[j] += float64(s[k] * sum)
		}
	}
}

// subtractSquare subtracts SᵀS from the upper triangle of h.
func (p *sparse[T]) subtractSquare(ctx context.Context, h []float64) error {
	m, work := len(p.root), 0
	for _, piece := range p.pieces {
		first := 0
		for _, end := range piece.ends {
			column, s := piece.column[first:end], piece.s[first:end]
			first = end
			for k, j := range column {
				if work += len(column) - k; work > sparseWork {
					if work = 0; ctx.Err() != nil {
						return context.Cause(ctx)
					}
				}
				row, x := h[int(j)*m:][:m], s[k]
				s, column := s[k:], column[k:]
				s = s[:len(column)]
				for l, j := range column {
					row[j] -= float64(x * s[l])
				}
			}
		}
	}
	return nil
}
