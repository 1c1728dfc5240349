package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/project"
	"github.com/gomonge/monge/internal/gibbs"
)

// This file factorizes the matrix of the linear system if conjugate gradients need many steps. The matrix is scaled by its
// diagonal and shifted by δ:
//
//	H = (1 + δ)I − SᵀS + s sᵀ − w wᵀ,   S_ij = T_ij/√(a_i c_j),   s_j = √(c_j/Σc).
//
// T is the plan, and a and c are the vectors rows and diag of the linear system (system.go). The matrix S is described in
// sparse.go. In balanced problems the potentials are determined up to a constant, so s is an eigenvector with the eigenvalue 0.
// The term s sᵀ changes this eigenvalue to 1. With penalties this term is omitted. Only partial transport has the term w wᵀ, in
// which w_j = t_j/√(c_j Σt) and t contains the column sums of the capped rows (partial.go). Conjugate gradients use H⁻¹ as the
// preconditioner. Later steps of Newton's method reuse the factor until a new factor is cheaper. The factorization in
// internal/algebra is not used because that package depends on gonum.

const (
	directLines = 48              // number of rows of H or R computed together
	directWidth = 128             // number of columns computed together; the operands stay in the L2 cache
	directPanel = 4 * directLines // number of rows of R in a panel; the outer products of these rows are subtracted from H together
	directStrip = 256             // number of rows of S multiplied at once
	directShift = 1e-13           // δ, which is added to the diagonal of H
	directShape = 4               // largest m/n for which a factor is computed
)

// direct contains the Cholesky factor R of H = RᵀR.
type direct[T dist.Float] struct {
	m       int
	h       []float64 // m × m matrix; its upper triangle first contains H, which R then overwrites
	scale   []float64 // 1/√diag, or 0 if diag is 0
	x       []float64
	scratch []float64
	made    bool
	refused bool    // H was not positive definite
	spent   float64 // cost of conjugate gradients since the last factorization
	visitor squareVisitor[T]
	less    []float64
	product product // shared by the goroutines
	take    func(ctx context.Context, w, i int) error
}

// factorable reports whether H may be factorized. T must be float64, because a float32 factor does not make conjugate
// gradients more accurate. H must not exceed the size that StorageAuto stores. H must not be much larger than K, because
// conjugate gradients need few steps if n is much less than m.
func factorable[T dist.Float](kernel *gibbs.Kernel[T]) bool {
	m := float64(kernel.M())
	return num.IsFloat64[T]() && float64(m*m*8) <= gibbs.MaxStored && kernel.M() <= directShape*kernel.N()
}

// factorBytes returns the number of bytes that a factor and its computation need.
func factorBytes[T dist.Float](kernel *gibbs.Kernel[T]) float64 {
	if !factorable(kernel) {
		return 0
	}
	return float64(kernel.M()) * float64(kernel.M()+4*min(directStrip, max(kernel.N(), kernel.M()))) * 8
}

// factorize computes the factor of H, if H is positive definite.
func (sys *system[T]) factorize(ctx context.Context) error {
	kernel, d, sp := &sys.kernel, &sys.direct, &sys.sparse
	m := kernel.M()
	d.made, d.refused, d.m = false, true, m
	gibbs.Grow(&d.h, m*m)
	gibbs.Grow(&d.scale, m)
	gibbs.Grow(&d.x, m)
	gibbs.Grow(&d.less, directLines)
	if err := gibbs.EachBlock(ctx, m, m, func(i, j int) { clear(d.h[i*m : j*m]) }); err != nil {
		return err
	}
	if err := sys.subtractSquare(ctx); err != nil {
		return err
	}
	if sys.shiftInvariant {
		for j, r := range sp.root {
			d.x[j] = r / math.Sqrt(sys.mass)
		}
		d.addSquare(1)
	}
	for j, r := range sp.root {
		if d.scale[j] = 0; r > 0 {
			d.scale[j] = 1 / r
		}
		d.h[j*m+j] += 1 + directShift
	}
	if sys.commonRow != nil {
		for j, t := range sys.commonRow {
			d.x[j] = float64(t) * d.scale[j] / math.Sqrt(float64(sys.commonRowSum))
		}
		d.addSquare(-1)
	}
	ok, err := d.factorizeRows(ctx, kernel)
	d.made, d.refused = ok, !ok
	return err
}

// addSquare adds sign·x xᵀ, where x is the vector d.x, to the upper triangle of H.
func (d *direct[T]) addSquare(sign float64) {
	m := d.m
	for j, x := range d.x[:m] {
		row := d.h[j*m:][:m]
		for k, y := range d.x[j:m] {
			row[j+k] = num.FMA(sign*x, y, row[j+k])
		}
	}
}

// subtractSquare subtracts SᵀS from the upper triangle of H. It reads S from the list of its relevant elements. If there is no
// list, subtractSquare computes S from K.
func (sys *system[T]) subtractSquare(ctx context.Context) error {
	if sys.sparse.made {
		return sys.sparse.subtractSquare(ctx, sys.direct.h)
	}
	sys.scaleForList()
	sys.direct.visitor = squareVisitor[T]{ctx, sys}
	defer func() { sys.direct.visitor.ctx = nil }()
	return sys.kernel.EachPlanRows(ctx, directStrip, sys.sparse.u, sys.sparse.v, &sys.direct.visitor)
}

// squareVisitor subtracts SᵀS from H, one block of rows of S at a time. S and H are defined at the top of this file.
type squareVisitor[T dist.Float] struct {
	ctx context.Context
	sys *system[T]
}

func (p *squareVisitor[T]) VisitPlan(_, _, r int, s []T) error {
	least := p.sys.epsilon
	for i, x := range s {
		if !(x > least) {
			s[i] = 0 // avoids slow subnormal products; the sparse list also omits these elements
		}
	}
	return p.sys.direct.subtractProduct(p.ctx, &p.sys.kernel, num.F64(s), r, 0, p.sys.direct.m)
}

// factorizeRows replaces H by its Cholesky factor R. It returns false if, up to rounding errors, H is not positive definite.
func (d *direct[T]) factorizeRows(ctx context.Context, kernel *gibbs.Kernel[T]) (bool, error) {
	m := d.m
	for j := 0; j < m; j += directPanel {
		k := min(j+directPanel, m)
		for first := j; first < k; first += directLines {
			last := min(first+directLines, k)
			if !d.eliminateRows(first, last) {
				return false, nil
			}
			if err := d.subtractProduct(ctx, kernel, d.h[first*m:], last-first, last, k); err != nil {
				return false, err
			}
		}
		if err := d.subtractProduct(ctx, kernel, d.h[j*m:], k-j, k, m); err != nil {
			return false, err
		}
	}
	return true, nil
}

// eliminateRows replaces rows first … last−1 of H by rows of R. The caller must have subtracted the products of the previous
// rows of R from H. eliminateRows returns false if H is not positive definite.
func (d *direct[T]) eliminateRows(first, last int) bool {
	m := d.m
	for r := first; r < last; r++ {
		row, less := d.h[r*m+r:][:m-r], d.less[:r-first]
		for i := range less {
			less[i] = -d.h[(first+i)*m+r]
		}
		pass.Columns(r-first, m-r, row, d.h[first*m+r:], m, less)
		if !(row[0] > 0) || math.IsInf(row[0], 1) {
			return false
		}
		root := math.Sqrt(row[0])
		for c := range row {
			row[c] /= root
		}
	}
	return true
}

// product is the matrix XᵀX that goroutines subtract from rows lo … hi−1 of H. X has r rows.
type product struct {
	x         []float64 // X with stride m
	minus     []float64 // columns lo … hi−1 of −X, in groups of directLines columns
	r, lo, hi int
}

// subtractProduct subtracts XᵀX from rows lo … hi−1 of the upper triangle of H.
func (d *direct[T]) subtractProduct(ctx context.Context, kernel *gibbs.Kernel[T], x []float64, r, lo, hi int) error {
	if lo == hi {
		return nil
	}
	m := d.m
	gibbs.Grow(&d.scratch, r*m)
	for l := lo; l < hi; l += directLines {
		w := min(directLines, hi-l)
		for i := range r {
			minus := d.scratch[(l-lo)*r+i*w:][:w]
			for c, x := range x[i*m+l:][:w] {
				minus[c] = -x
			}
		}
	}
	d.product = product{x, d.scratch, r, lo, hi}
	if d.take == nil {
		d.take = func(_ context.Context, _, i int) error { // created once to avoid an allocation
			d.subtractPanel(d.product.lo + i*directWidth)
			return nil
		}
	}
	return kernel.Run(ctx, (m-lo+directWidth-1)/directWidth, d.take)
}

// subtractPanel subtracts the product from the group of columns of H that begins at column k.
func (d *direct[T]) subtractPanel(k int) {
	m, p := d.m, &d.product
	width := min(directWidth, m-k)
	for l := p.lo; l < min(p.hi, k+width); l += directLines {
		w := min(directLines, p.hi-l)
		project.TransMul(p.r, w, width, d.h[l*m+k:], m, p.x[k:], m, p.minus[(l-p.lo)*p.r:], w, true)
	}
}

// solve replaces x by H⁻¹x.
func (d *direct[T]) solve(x []float64) {
	m, h := d.m, d.h
	less := d.less[:directLines]
	for j := 0; j < m; j += directLines {
		k := min(j+directLines, m)
		for r := j; r < k; r++ {
			row := h[r*m+r:][:k-r]
			x[r] /= row[0]
			less[r-j] = -x[r]
			for c := 1; c < len(row); c++ {
				x[r+c] = num.FMA(less[r-j], row[c], x[r+c])
			}
		}
		pass.Columns(k-j, m-k, x[k:], h[min(j*m+k, len(h)):], m, less)
	}
	for k := m; k > 0; {
		j := (k - 1) / directLines * directLines
		pass.Rows(k-j, m-k, less, h[min(j*m+k, len(h)):], m, x[k:])
		for r := k - 1; r >= j; r-- {
			row := h[r*m+r:][:k-r]
			y := x[r] - less[r-j]
			for c := 1; c < len(row); c++ {
				y = num.FMA(-row[c], x[r+c], y)
			}
			x[r] = y / row[0]
		}
		k = j
	}
}

// precondition sets z = D^(−½) H⁻¹ D^(−½) r, where H is the factorized matrix, and d.scale is the diagonal of D^(−½).
func (d *direct[T]) precondition(z, r []T) {
	for j, s := range d.scale {
		d.x[j] = float64(r[j]) * s
	}
	d.solve(d.x)
	for j, s := range d.scale {
		z[j] = T(d.x[j] * s)
	}
}
