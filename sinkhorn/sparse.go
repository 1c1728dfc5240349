package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/pass"
)

// Where λ is large most of the plan is next to nothing. With the diagonals that Newton's
// system has, D of the columns and the rows' r,
//
//	−∇²D = D^½ (I − SᵀS) D^½,   S_ij = T_ij/√(r_i D_j),   ‖S‖ ≤ 1,
//
// and a list of the S_ij that are above ε, a rounding, is all that conjugate gradients need:
// they go over it instead of K (X. Tang et al., see newton.go). As no S_ij is negative the
// matrix remains semidefinite without the others, and its eigenvalues move by some εm at
// most. Of the problems in bench/converge with λ·max M = 10⁴, n = 4000, it has .06 to 7 % of K.

const (
	sparseShare = 12      // a list has at most one of so many elements of K,
	sparseMost  = 1 << 24 // and so many,
	sparseBytes = 28      // each of 12 bytes, and while the list grows once more
	sparseRun   = 64      // elements of a row that are looked at together
	sparseRows  = 64      // rows between two looks at the context,
	sparseWork  = 1 << 18 // or products
)

// sparse is the list, and the scaling of S = diag(u) K diag(v).
type sparse[T dist.Float] struct {
	u, v    []T
	root    []float64 // √D
	ends    []int     // of the rows' elements
	column  []int32
	s       []float64
	t, q    []float64
	most    int
	steps   int // of the last direction
	made    bool
	refused bool // too long
	pass    listPass[T]
}

// scaleSquare sets what makes S of the K at hand.
func (s *Solver[T]) scaleSquare(diag, rows []T) {
	sp := &s.newton.sparse
	grow(&sp.u, s.geo.n)
	grow(&sp.v, s.geo.m)
	grow(&sp.root, s.geo.m)
	for i, a := range rows {
		sp.u[i] = 0
		if a > 0 {
			sp.u[i] = T(float64(s.fu[i]) / math.Sqrt(float64(a)))
		}
	}
	for j, c := range diag[:s.geo.m] {
		sp.root[j], sp.v[j] = 0, 0
		if c > 0 {
			sp.root[j] = math.Sqrt(float64(c))
			sp.v[j] = T(float64(s.fv[j]) / sp.root[j])
		}
	}
}

// mostListed returns the elements that a list may have, if there is memory for them.
func (s *Solver[T]) mostListed() float64 {
	return min(math.Floor(s.geo.size()/sparseShare), sparseMost)
}

// list makes the list, if it is short enough.
func (s *Solver[T]) list(ctx context.Context, diag, rows []T) error {
	geo, sp := &s.geo, &s.newton.sparse
	m := geo.m
	room := float64(s.settings.MaxMemory) - s.taken
	sp.made, sp.most = false, int(min(s.mostListed(), room/sparseBytes))
	s.scaleSquare(diag, rows)
	grow(&sp.t, m)
	grow(&sp.q, m)
	sp.ends, sp.column, sp.s = sp.ends[:0], sp.column[:0], sp.s[:0]
	sp.pass = listPass[T]{sp, T(s.limits.epsilon)}
	for piece := range geo.pieces {
		if err := geo.strips[0].walk(ctx, &sp.pass, geo.copiedRows(), piece, nil); err != nil {
			return err
		}
	}
	sp.made = len(sp.s) <= sp.most
	sp.refused = !sp.made
	s.res.Iterations++
	return nil
}

// listPass appends to the list.
type listPass[T dist.Float] struct {
	*sparse[T]
	least T
}

func (p *listPass[T]) rows(b *strip[T]) {
	if len(p.s) > p.most {
		return
	}
	r, m := b.r, b.m
	grow(&b.adjointRows, r*m)
	k, _, _ := b.both()
	b.scaled(b.adjointRows, m, k, r, p.u[b.i:], p.v)
	for l := range r {
		row := b.adjointRows[l*m:][:m]
		for first := 0; first < m; first += sparseRun {
			run := row[first:min(first+sparseRun, m)]
			if pass.CountOutside(b.level, run, 0, p.least) == 0 {
				continue
			}
			for j, x := range run {
				if x > p.least {
					p.column, p.s = append(p.column, int32(first+j)), append(p.s, float64(x))
				}
			}
		}
		p.ends = append(p.ends, len(p.s))
		if len(p.s) > p.most {
			return
		}
	}
}

// square sets dst = D^½ SᵀS D^½ x.
func (p *sparse[T]) square(ctx context.Context, dst, x []T) error {
	for j, r := range p.root {
		p.t[j], p.q[j] = r*float64(x[j]), 0
	}
	for i := 0; i < len(p.ends); i += sparseRows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p.squareRows(i, min(i+sparseRows, len(p.ends)))
	}
	for j, r := range p.root {
		dst[j] = T(r * p.q[j])
	}
	return nil
}

// squareRows adds to q what rows i … last−1 have of SᵀS t. An FMA takes twice as long here as a
// product and a sum: Go asks first whether the processor has one.
func (p *sparse[T]) squareRows(i, last int) {
	t, q, first := p.t, p.q, 0
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
	m, first, work := len(p.root), 0, 0
	for _, end := range p.ends {
		column, s := p.column[first:end], p.s[first:end]
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
	return nil
}
