package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
)

// The dual of partial transport, for Newton's method. With u = a e^φ and v = b e^ψ up to a factor of
// each, φ ≤ 0 and ψ ≤ 0, and e^η the product of the two factors, it is
//
//	D = Σ a φ + Σ b ψ + s η − Σ T,   s the mass.
//
// A row either has the sum a_i, or is at its cap: φ_i = 0, and its sum is at most a_i. Columns likewise.
// For given v, the best u is known in closed form, and with it which rows are at their cap. A change of ψ
// moves the φ of the other rows, and η:
//
//	∇D = b − c,   −∇²D = diag(c) − Tᵀ diag(1/a) T − t tᵀ/Σt,
//
// where the second term takes the rows below their cap only, and t are the column sums of the rows at
// their cap, as if these were one row. D is concave. Its slope is continuous, its curvature is not.
//
// The constraint ψ ≤ 0 is kept by an active set (projected Newton's method; D. P. Bertsekas, SIAM J. Control
// Optim. 20 (1982)). A step holds the columns at the cap that the next plain iteration would have there, and
// moves those of them that are below the cap up to it. The others solve Newton's system, and end at the cap
// at the latest. The plain iteration that follows every step corrects the set.

// partial is the dual of partial transport. Its iteration is that of unbalanced.
type partial[T dist.Float] struct {
	*dualPoint[T]
	iteration  *unbalanced[T]
	t          []T     // column sums of the rows at their cap,
	sum        float64 // their sum,
	known      bool    // whether it has been computed for the point at hand
	held       []bool  // columns that the last direction held at the cap
	free       bool    // there are none
	top        float64 // log₂ of the cap of the columns, v/b
	sumA, sumB float64
}

func (d *partial[T]) enter(ctx context.Context) error {
	it := d.it
	it.kernel.GrowColumn(&d.diag)
	it.kernel.GrowColumn(&d.t)
	gibbs.Grow(&d.held, it.kernel.M())
	clear(d.held)
	d.sumA, d.sumB = 0, 0
	for _, a := range it.a {
		d.sumA += float64(a)
	}
	for _, b := range it.b {
		d.sumB += float64(b)
	}
	if err := it.kernel.Mul(ctx, d.sums, d.v); err != nil {
		return err
	}
	d.iteration.scaling(d.tu, d.sums, rowSide) // for what it says about caps
	d.setRows()
	return nil
}

// setRows sets rows to the row sums, and to 0 for the rows at their cap.
func (d *partial[T]) setRows() {
	d.known, d.sum = false, 0
	for i, u := range d.u {
		r := T(u * d.sums[i])
		if d.rows[i] = r; d.iteration.capped.rows[i] {
			d.rows[i] = 0
			d.sum += float64(r)
		}
	}
}

func (d *partial[T]) take() {
	d.dualPoint.take()
	d.setRows()
}

func (d *partial[T]) next() { d.iteration.bestColumns() }

func (d *partial[T]) system() (diag, rows []T, weight float64) { return d.iteration.system() }

func (d *partial[T]) try(ctx context.Context) (bool, error) { return d.iteration.try(ctx) }

func (d *partial[T]) residual() {
	it := d.it
	d.iteration.bestColumns()
	it.res.MarginalError, d.iteration.weight = 0, 0
	for j, c := range d.iteration.g {
		it.columns[j], d.e[j], d.diag[j] = c, it.b[j]-c, c
		if d.iteration.capped.columns[j] {
			d.diag[j] = 0
		}
		d.iteration.weight += float64(d.diag[j])
		it.res.MarginalError += math.Abs(float64(c) - float64(d.tq[j]))
	}
}

// aim completes the system, and begins the direction with the way of the held columns up to the cap.
func (d *partial[T]) aim(ctx context.Context, sys *system[T]) error {
	it := d.it
	if !d.known {
		for i, u := range d.u {
			if it.scratch[i] = u; d.rows[i] != 0 {
				it.scratch[i] = 0
			}
		}
		if err := it.kernel.MulTrans(ctx, d.t, it.scratch); err != nil {
			return err
		}
		it.res.Iterations++
		for j, v := range d.v {
			d.t[j] *= v
		}
		d.known = true
	}
	d.top, d.free = math.Inf(-1), true
	for j := range d.v {
		if d.iteration.capped.columns[j] {
			d.free = false
			d.top = max(d.top, d.level(j))
		}
	}
	sys.free = d.free
	if sys.common = nil; d.sum > 0 {
		sys.common, sys.commonSum = d.t, T(d.sum)
	}
	moves := false
	for j := range d.v {
		held := d.iteration.capped.columns[j]
		if held != d.held[j] {
			d.held[j], sys.direct.made = held, false
		}
		sys.d[j] = 0
		if held {
			if way := d.top - d.level(j); way > d.rounding() {
				sys.d[j], moves = T(way*math.Ln2), true
			}
		}
	}
	if !moves {
		return nil
	}
	copy(sys.beta, sys.d)
	sys.weigh()
	if err := sys.square(ctx); err != nil {
		return err
	}
	it.res.Iterations++
	for j, x := range sys.sd {
		if !d.held[j] {
			sys.rhs[j] += x
		}
	}
	return nil
}

// confine ends the direction at the cap, and adds to the gradient what moving the cap itself is worth.
func (d *partial[T]) confine(beta []T) {
	if d.free {
		return
	}
	top, at := math.Inf(-1), -1
	for j, b := range d.it.b {
		if b == 0 {
			continue
		}
		l := d.level(j)
		if !d.held[j] {
			beta[j] = T(min(float64(beta[j]), (d.top-l)*math.Ln2))
		}
		if at < 0 || l > top+d.rounding() || l > top-d.rounding() && beta[j] > beta[at] {
			top, at = l, j
		}
	}
	d.e[at] -= T(d.sumB - d.it.partial)
}

// level returns log₂(v_j/b_j).
func (d *partial[T]) level(j int) float64 {
	return levelOf(d.it, d.v[j], d.it.b[j], d.it.log.g, j)
}

func levelOf[T dist.Float](it *iteration[T], x, weight T, base []T, i int) float64 {
	if weight == 0 {
		return math.Inf(-1)
	}
	l := num.Log2(float64(x)) - num.Log2(float64(weight))
	if it.kernel.HasBase() {
		l += float64(base[i])
	}
	return l
}

// rounding is the rounding of a level.
func (d *partial[T]) rounding() float64 {
	top := math.Abs(d.top)
	if d.free {
		top = 0
	}
	return float64(d.it.limits.epsilon * (1 + top)) // rounded before it is added, wherever this is inlined
}

// noise is the rounding of the dual.
func (d *partial[T]) noise() float64 {
	return d.dualPoint.noise() + float64((d.sumA+d.sumB)*d.rounding())
}

func (d *partial[T]) gain(t float64, beta []T) (gain, slope float64) {
	it := d.it
	before, after := math.Inf(-1), math.Inf(-1)
	for i, a := range it.a {
		if a > 0 {
			gain = num.FMA(float64(a), num.Log(float64(d.tu[i])/float64(d.u[i])), gain)
			before = max(before, levelOf(it, d.u[i], a, it.log.f, i))
			after = max(after, levelOf(it, d.tu[i], a, it.log.f, i))
		}
	}
	gain -= float64((d.sumA - it.partial) * (after - before) * math.Ln2)
	before, after = math.Inf(-1), math.Inf(-1)
	at := 0
	for j, b := range it.b {
		if b == 0 {
			continue
		}
		x := float64(beta[j])
		gain = num.FMA(float64(b), float64(t*x), gain)
		slope = num.FMA(float64(b)-float64(d.tv[j]*d.tq[j]), x, slope)
		before = max(before, d.level(j))
		if l := levelOf(it, d.tv[j], b, it.log.g, j); l > after {
			after, at = l, j
		}
	}
	rest := d.sumB - it.partial
	gain -= float64(rest * (after - before) * math.Ln2)
	slope -= float64(rest * float64(beta[at]))
	return gain, slope
}

func (d *partial[T]) value() float64 {
	it, k := d.it, d.it.res.Iterations
	kind := it.kind(k)
	side := func(x, slot, weight, base []T) (value float64) {
		potentials(x, slot, kind, base)
		top, sum := math.Inf(-1), 0.0
		for i, w := range weight {
			if w > 0 {
				l := float64(x[i]) - num.Log2(float64(w))
				top = max(top, l)
				sum += float64(w)
				value = num.FMA(float64(w), l, value)
			}
		}
		return value - float64((sum-it.partial)*top)
	}
	return float64((side(d.tu, it.u(k), it.a, it.log.f) + side(d.tv, it.v(k), it.b, it.log.g)) * math.Ln2)
}

// columnsBest calls bestColumns, and reports whether the scalings that it has found can be used. In partial
// transport a scaling at its cap may overflow.
func (d *unbalanced[T]) columnsBest() bool {
	d.bestColumns()
	return d.it.partial == 0 || d.it.safe(d.tv, d.it.b)
}

// caps says which rows and columns are at their cap.
type caps struct{ rows, columns []bool }

// of returns the caps of one side, n of them.
func (c *caps) of(at side, n int) []bool {
	x := &c.rows
	if at == columnSide {
		x = &c.columns
	}
	gibbs.Grow(x, n)
	return *x
}
