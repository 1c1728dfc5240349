package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
)

// This file implements the dual of partial transport for Newton's method. Let u = a e^φ and v = b e^ψ with φ ≤ 0 and ψ ≤ 0, up
// to one factor for u and one factor for v. Let e^η be the product of the two factors, and s the mass. The dual is
//
//	D = Σ a φ + Σ b ψ + s η − Σ T.
//
// A row is at its cap if φ_i = 0, and below its cap if φ_i < 0. The sum of a capped row is at most a_i, and the sum of any
// other row is a_i. Columns also have caps. For given v, the best u and the set of capped rows are known in closed form. A
// change of ψ changes η, and φ_i for the rows below their cap. If c contains the column sums of T, then
//
//	∇D = b − c,   −∇²D = diag(c) − Tᵀ diag(1/a) T − t tᵀ/Σt,
//
// where the second term contains only rows below their cap, and t contains the column sums of the capped rows, as if the capped
// rows were one row. D is concave. Its slope is continuous, but its curvature is not.
//
// An active set keeps ψ ≤ 0 (projected Newton's method; D. P. Bertsekas, SIAM J. Control Optim. 20 (1982)). A step holds a
// column at the cap if the next plain iteration would move the column to the cap. If a held column is below the cap, the step
// moves the column up to the cap. The other columns solve Newton's system and stop at the cap. The plain iteration after each
// step corrects the active set.

// partial is the dual problem of partial transport. The type unbalanced implements the Sinkhorn iterations for this problem.
type partial[T dist.Float] struct {
	*dualPoint[T]
	iteration   *unbalanced[T]
	cappedSums  []T     // for each column, the sum over the rows whose scaling is at its upper bound (the cap)
	cappedTotal float64 // sum of cappedSums
	cappedKnown bool    // cappedSums belong to the current point
	held        []bool  // for each column j, whether the last Newton step kept v_j/b_j at its upper bound
	noneHeld    bool    // no column is held
	columnCap   float64 // log₂ of the upper bound of v_j/b_j (the cap of the columns)
	sumA, sumB  float64
}

func (d *partial[T]) prepare(ctx context.Context) error {
	it := d.it
	it.kernel.GrowColumn(&d.diag)
	it.kernel.GrowColumn(&d.cappedSums)
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
	d.iteration.bestScaling(d.tu, d.sums, rowSide) // sets the caps
	d.setRows()
	return nil
}

// setRows sets rows to the row sums, or to 0 for the rows at their cap.
func (d *partial[T]) setRows() {
	d.cappedKnown, d.cappedTotal = false, 0
	for i, u := range d.u {
		r := T(u * d.sums[i])
		if d.rows[i] = r; d.iteration.capped.rows[i] {
			d.rows[i] = 0
			d.cappedTotal += float64(r)
		}
	}
}

func (d *partial[T]) acceptTrial() {
	d.dualPoint.acceptTrial()
	d.setRows()
}

func (d *partial[T]) proposeColumns() { d.iteration.bestColumns() }

func (d *partial[T]) system() (diag, rows []T, weight float64) { return d.iteration.system() }

func (d *partial[T]) completeTrial(ctx context.Context) (bool, error) {
	return d.iteration.completeTrial(ctx)
}

func (d *partial[T]) setResidual() {
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

// completeSystem adds the sum of the rows at their cap (upper bound) to the linear system, as one row. A column that is
// held at its cap may be slightly below it. The initial direction raises such columns exactly to the cap.
func (d *partial[T]) completeSystem(ctx context.Context, sys *system[T]) error {
	it := d.it
	if !d.cappedKnown {
		for i, u := range d.u {
			if it.scratch[i] = u; d.rows[i] != 0 {
				it.scratch[i] = 0
			}
		}
		if err := it.kernel.MulTrans(ctx, d.cappedSums, it.scratch); err != nil {
			return err
		}
		it.res.Iterations++
		for j, v := range d.v {
			d.cappedSums[j] *= v
		}
		d.cappedKnown = true
	}
	d.columnCap, d.noneHeld = math.Inf(-1), true
	for j := range d.v {
		if d.iteration.capped.columns[j] {
			d.noneHeld = false
			d.columnCap = max(d.columnCap, d.logRatio(j))
		}
	}
	sys.shiftInvariant = d.noneHeld
	if sys.commonRow = nil; d.cappedTotal > 0 {
		sys.commonRow, sys.commonRowSum = d.cappedSums, T(d.cappedTotal)
	}
	moves := false
	for j := range d.v {
		held := d.iteration.capped.columns[j]
		if held != d.held[j] {
			d.held[j], sys.direct.made = held, false
		}
		sys.d[j] = 0
		if held {
			if way := d.columnCap - d.logRatio(j); way > d.logRatioRounding() {
				sys.d[j], moves = T(way*math.Ln2), true
			}
		}
	}
	if !moves {
		return nil
	}
	copy(sys.beta, sys.d)
	sys.setRowWeights()
	if err := sys.multiply(ctx); err != nil {
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

// clipDirection limits the elements of the direction beta so that no v_j/b_j exceeds its upper bound, the cap. It also corrects
// the gradient, because the step may move the cap.
func (d *partial[T]) clipDirection(beta []T) {
	if d.noneHeld {
		return
	}
	top, at := math.Inf(-1), -1
	for j, b := range d.it.b {
		if b == 0 {
			continue
		}
		l := d.logRatio(j)
		if !d.held[j] {
			beta[j] = T(min(float64(beta[j]), (d.columnCap-l)*math.Ln2))
		}
		if at < 0 || l > top+d.logRatioRounding() || l > top-d.logRatioRounding() && beta[j] > beta[at] {
			top, at = l, j
		}
	}
	d.e[at] -= T(d.sumB - d.it.partial)
}

// logRatio returns log₂(v_j/b_j).
func (d *partial[T]) logRatio(j int) float64 {
	return logRatioOf(d.it, d.v[j], d.it.b[j], d.it.log.g, j)
}

func logRatioOf[T dist.Float](it *iteration[T], x, weight T, base []T, i int) float64 {
	if weight == 0 {
		return math.Inf(-1)
	}
	l := num.Log2(float64(x)) - num.Log2(float64(weight))
	if it.kernel.HasBase() {
		l += float64(base[i])
	}
	return l
}

// logRatioRounding returns the rounding error of logRatio.
func (d *partial[T]) logRatioRounding() float64 {
	top := math.Abs(d.columnCap)
	if d.noneHeld {
		top = 0
	}
	return float64(d.it.limits.epsilon * (1 + top)) // the conversion prevents a fused multiply-add
}

// noise returns the rounding error of the dual.
func (d *partial[T]) noise() float64 {
	return d.dualPoint.noise() + float64((d.sumA+d.sumB)*d.logRatioRounding())
}

func (d *partial[T]) trialGain(t float64, beta []T) (gain, slope float64) {
	it := d.it
	before, after := math.Inf(-1), math.Inf(-1)
	for i, a := range it.a {
		if a > 0 {
			gain = num.FMA(float64(a), num.Log(float64(d.tu[i])/float64(d.u[i])), gain)
			before = max(before, logRatioOf(it, d.u[i], a, it.log.f, i))
			after = max(after, logRatioOf(it, d.tu[i], a, it.log.f, i))
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
		before = max(before, d.logRatio(j))
		if l := logRatioOf(it, d.tv[j], b, it.log.g, j); l > after {
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

// updateColumns calls bestColumns and reports whether the new column scalings can be used. In partial
// transport, a scaling at its upper bound may overflow.
func (d *unbalanced[T]) updateColumns() bool {
	d.bestColumns()
	return d.it.partial == 0 || d.it.isSafe(d.tv, d.it.b)
}

// caps marks the rows and columns whose scalings are at their upper bound (the cap).
type caps struct{ rows, columns []bool }

// ofSide returns c.rows or c.columns, with length n.
func (c *caps) ofSide(at side, n int) []bool {
	x := &c.rows
	if at == columnSide {
		x = &c.columns
	}
	gibbs.Grow(x, n)
	return *x
}
