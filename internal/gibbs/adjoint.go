package gibbs

import (
	"context"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/project"
)

// MaxBlockTerms is the maximum number of products that are computed between two checks of the
// context. This many products take about 10 ms.
const MaxBlockTerms = 1 << 27

// Terms contains the terms of M̄, the gradient with respect to the cost matrix M:
//
//	M̄ = K ⊙ (H − λ(M⊙H + left·right)),  H = hu hvᵀ.
//
// left·right is the sum of the terms that Add and AddTwo append.
type Terms[T dist.Float] struct {
	HU, HV    []T  // hu (length n) and hv (length m)
	SkipZeros bool // M̄_ij is 0 if K_ij is 0, even if the factor in parentheses is infinite

	left, right  []T // n × depth and depth × m
	count, depth int
	lambda       T
}

// Reset removes all terms and allocates memory for the vectors HU and HV and for at most depth terms.
func (t *Terms[T]) Reset(g *Kernel[T], depth int, lambda float64) {
	Grow(&t.HU, g.n)
	g.GrowColumn(&t.HV)
	Grow(&t.left, depth*g.n)
	Grow(&t.right, depth*g.m)
	t.count, t.depth, t.lambda = 0, depth, T(lambda)
}

// Count returns the number of terms.
func (t *Terms[T]) Count() int { return t.count }

// Add appends the term left·rightᵀ.
func (t *Terms[T]) Add(left, right []T) {
	d, k := t.depth, t.count
	copy(t.right[k*len(right):], right)
	for _, x := range left {
		t.left[k] = x
		k += d
	}
	t.count++
}

// AddTwo appends the terms left·rightᵀ and next·lastᵀ.
func (t *Terms[T]) AddTwo(left, right, next, last []T) {
	d, k := t.depth, t.count
	copy(t.right[k*len(right):], right)
	copy(t.right[(k+1)*len(right):], last)
	for i, x := range next[:len(left)] {
		to := t.left[k : k+2]
		to[0], to[1] = left[i], x
		k += d
	}
	t.count += 2
}

// Sink receives the gradient M̄. A Sink either adds M̄ to a matrix or multiplies M̄ by the points.
type Sink[T dist.Float] struct {
	matrix bool // if true, M̄ is added to dst; otherwise M̄ is multiplied by the points
	dst    dist.Matrix[T]
	xa     []T  // X and a column of ones, n × (p+1)
	ya     []T  // Y and a column of ones, m × (p+1)
	gx     []T  // M̄ [Y 1], n × (p+1)
	gy     []T  // [X 1]ᵀ M̄, a (p+1) × m matrix for each piece
	sum    []T  // sum of the matrices in the slice gy
	self   bool // X and Y are the same points
}

// BeginMatrix makes the sink add the gradient M̄ = ∂Cost/∂M to dst (n × m).
func (to *Sink[T]) BeginMatrix(dst dist.Matrix[T]) { to.matrix, to.dst = true, dst }

// BeginPoints makes the sink compute M̄·[Y 1] and [X 1]ᵀ·M̄, where M̄ is the gradient that the sink
// receives.
func (to *Sink[T]) BeginPoints(g *Kernel[T]) {
	p1 := g.p + 1
	to.matrix, to.self = false, g.n == g.m && g.x.Stride == g.y.Stride && &g.x.Data[0] == &g.y.Data[0]
	appendOnes(&to.xa, g.x)
	appendOnes(&to.ya, g.y)
	Grow(&to.gx, g.n*p1)
	Grow(&to.gy, g.pieces.count*p1*g.m)
	clear(to.gx)
	clear(to.gy)
}

// appendOnes sets *dst to the rows of x, each followed by a 1.
func appendOnes[T dist.Float](dst *[]T, x dist.Matrix[T]) {
	p := x.Cols
	Grow(dst, x.Rows*(p+1))
	for i := range x.Rows {
		row := (*dst)[i*(p+1):][:p+1]
		copy(row, x.Data[i*x.Stride:][:p])
		row[p] = 1
	}
}

// SinkBytes returns the number of bytes that BeginPoints and FinishPoints allocate.
func (g *Kernel[T]) SinkBytes() float64 {
	n, m, p1 := float64(g.n), float64(g.m), float64(g.p+1)
	return (float64(2*n) + float64((2+float64(g.pieces.count))*m)) * p1 * float64(ElementBytes[T]())
}

// FinishPoints computes the gradients dx and dy with respect to the points. M̄ is the gradient with
// respect to the cost matrix:
//
//	dx_i = 2 Σ_j M̄_ij (x_i − y_j),   dy_j = 2 Σ_i M̄_ij (y_j − x_i).
func (to *Sink[T]) FinishPoints(g *Kernel[T], dx, dy dist.Matrix[T]) {
	p, m, gy := g.p, g.m, to.gy
	if k := (p + 1) * m; g.pieces.count > 1 {
		Grow(&to.sum, k)
		clear(to.sum)
		pass.Columns(g.pieces.count, k, to.sum, gy, k, g.pieces.ones)
		gy = to.sum
	}
	x, y := g.x, g.y
	for i := range g.n {
		g := to.gx[i*(p+1):][:p+1]
		total, row, xi := g[p], dx.Data[i*dx.Stride:][:p], x.Data[i*x.Stride:][:p]
		for l, g := range g[:p] {
			row[l] = 2 * (T(total*xi[l]) - g)
		}
	}
	totals := gy[p*m:][:m]
	for j, total := range totals {
		row, yj := dy.Data[j*dy.Stride:][:p], y.Data[j*y.Stride:][:p]
		k := j
		for l := range row {
			row[l] = 2 * (T(total*yj[l]) - gy[k])
			k += m
		}
	}
}

// Adjoint computes M̄ from the terms and passes M̄ to the sink, one block of rows at a time. It
// then removes the terms.
func (g *Kernel[T]) Adjoint(ctx context.Context, terms *Terms[T], to *Sink[T]) error {
	g.passes.adjoint = adjointPass[T]{terms, to}
	step := g.blockRows()
	if !g.matrixFree {
		step = g.copiedRows()
	}
	// Limit the number of rows of a block, so that the context is checked often enough.
	step = max(1, min(step, MaxBlockTerms/g.m/max(1, terms.count)))
	err := g.pieces.each(ctx, &g.passes.adjoint, step)
	terms.count = 0
	return err
}

type adjointPass[T dist.Float] struct {
	*Terms[T]
	to *Sink[T]
}

func (p *adjointPass[T]) rows(b *rowBlock[T]) {
	r, m, to := b.r, b.m, p.to
	Grow(&b.adjointRows, r*m)
	g := b.adjointRows
	k, d, ldd := b.kernelAndCost()
	var left []T
	if p.count > 0 {
		left = p.left[b.i*p.depth:]
	}
	distance.AdjCost(r, m, p.count, g, m, k, b.ld, d, ldd, left, p.depth, p.right, m, p.HU[b.i:], p.HV, p.lambda)
	if p.SkipZeros {
		for l := range r {
			for j, kij := range k[l*b.ld:][:m] {
				if kij == 0 {
					g[l*m+j] = 0
				}
			}
		}
	}
	if to.matrix {
		for l := range r {
			row := to.dst.Data[(b.i+l)*to.dst.Stride:][:m]
			for j, g := range g[l*m:][:m] {
				row[j] += g
			}
		}
		return
	}
	if to.self {
		// The diagonal elements M̄_ii must not contribute, because they multiply x_i − x_i = 0. For
		// large λ, M̄_ii may be 10⁶ times as large as other elements, and its rounding errors would
		// exceed the contributions of these elements. Therefore M̄_ii is replaced by 0.
		for l := range r {
			g[l*m+b.i+l] = 0
		}
	}
	p1 := b.p + 1
	project.Mul(r, p1, m, to.gx[b.i*p1:], p1, g, m, to.ya, p1, true)
	project.TransMul(r, p1, m, to.gy[b.piece*p1*m:][:p1*m], m, g, m, to.xa[b.i*p1:], p1, true)
}
