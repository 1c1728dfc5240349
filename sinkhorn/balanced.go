package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
)

// This file implements the dual of a balanced problem. After substituting u = a ⊘ Kv, the dual is a concave function of the
// vector g = log v:
//
//	D(g) = Σ_j b_j g_j − Σ_i a_i log (Kv)_i,   ∇D = b − c,   −∇²D = diag(c) − Tᵀ diag(1/a) T,
//
// where c = Tᵀ1 are the column sums. The duals of other problems are in penalized.go and partial.go.

// dual is a dual problem that Newton's method maximizes. The implementations evaluate the dual at a dualPoint.
type dual[T dist.Float] interface {
	// prepare completes the current point from its scalings u and v.
	prepare(ctx context.Context) error
	// value returns the value of the dual at the last iterate, up to a constant.
	value() float64
	// setResidual sets the column sums, the gradient e of the dual, and the marginal error of the current point.
	setResidual()
	// system returns the vectors x and y of the matrix −∇²D = diag(x) − Tᵀ diag(1/y) T, and the sum of x.
	system() (diag, rows []T, weight float64)
	// completeSystem adds terms to the system and to the initial direction. Only partial transport needs these terms.
	completeSystem(ctx context.Context, sys *system[T]) error
	// clipDirection shortens a direction that leaves the domain of the dual.
	clipDirection(beta []T)
	// noise returns the rounding error of the dual's values.
	noise() float64
	// proposeColumns sets the trial scaling tv to the scaling v that a plain iteration would compute next.
	proposeColumns()
	// completeTrial computes tu and tq = Kᵀtu from the trial scaling tv. It reports whether tu and tv are accurate.
	completeTrial(ctx context.Context) (bool, error)
	// acceptTrial makes the trial point the current point.
	acceptTrial()
	// trialGain returns the increase of the dual from the current point to the trial point, and the derivative of the dual
	// along beta at the trial point. The trial point must be the current point plus t·beta.
	trialGain(t float64, beta []T) (gain, slope float64)
}

// dualPoint contains the current point of the dual and a trial point. The scalings of the two points are relative to the
// current base potentials.
type dualPoint[T dist.Float] struct {
	it         *iteration[T]
	u, v       []T // current point; it.q contains the column sums Kᵀu
	tu, tv, tq []T // trial point: scalings tu and tv, and column sums tq = Kᵀtu
	e          []T // gradient of the dual
	rows, diag []T // diagonals of the linear system of Newton's method; used only with penalties or Mass
	sums       []T // row sums K·tv, where tv is the trial scaling of the columns; used only with penalties or Mass
}

// acceptTrial swaps the current point and the trial point.
func (p *dualPoint[T]) acceptTrial() {
	p.u, p.tu = p.tu, p.u
	p.v, p.tv = p.tv, p.v
	p.it.q, p.tq = p.tq, p.it.q
}

// storeIterate makes the current point the last iterate.
func (p *dualPoint[T]) storeIterate() {
	it, k := p.it, p.it.res.Iterations
	copy(it.u(k), p.u)
	copy(it.v(k), p.v)
	it.setKind(k, it.scalingKind())
	it.scaled, it.skip, it.wait = true, 0, 1
}

func (p *dualPoint[T]) completeSystem(context.Context, *system[T]) error { return nil }

func (p *dualPoint[T]) clipDirection([]T) {}

func (p *dualPoint[T]) noise() float64 { return float64(p.it.limits.epsilon * p.it.mass) }

// balanced is the dual of balanced problems.
type balanced[T dist.Float] struct{ *dualPoint[T] }

func (d *balanced[T]) prepare(context.Context) error { return nil }

func (d *balanced[T]) value() float64 {
	it, k := d.it, d.it.res.Iterations
	kind := it.kind(k)
	return entropyPart(it.a, it.a, it.u(k), kind, it.log.f) + entropyPart(it.b, it.b, it.v(k), kind, it.log.g)
}

func (d *balanced[T]) setResidual() {
	it := d.it
	var sum float64
	for j, v := range d.v {
		c := T(v * it.q[j])
		it.columns[j], d.e[j] = c, it.b[j]-c
		sum += math.Abs(float64(it.b[j]) - float64(c))
	}
	it.res.MarginalError = sum
}

func (d *balanced[T]) system() (diag, rows []T, weight float64) {
	return d.it.columns, d.it.a, d.it.mass
}

func (d *balanced[T]) proposeColumns() { divide(d.tv, d.it.b, d.it.q) }

func (d *balanced[T]) completeTrial(ctx context.Context) (bool, error) {
	it := d.it
	if err := it.kernel.Iterate(ctx, d.tu, d.tq, d.tv, it.a); err != nil {
		return false, err
	}
	return it.isSafe(d.tu, it.a) && it.weightlessFinite(d.tq), nil
}

func (d *balanced[T]) trialGain(t float64, beta []T) (gain, slope float64) {
	for i, a := range d.it.a {
		if a > 0 {
			gain = num.FMA(float64(a), num.Log(float64(d.tu[i])/float64(d.u[i])), gain)
		}
	}
	for j, b := range d.it.b {
		beta := float64(beta[j])
		gain = num.FMA(float64(b), float64(t*beta), gain)
		slope = num.FMA(float64(b)-float64(d.tv[j]*d.tq[j]), beta, slope)
	}
	return gain, slope
}

// divide sets dst[i] = weight[i] / sums[i], or 0 if weight[i] is 0.
func divide[T dist.Float](dst, weight, sums []T) {
	pass.Divide(dst, weight, sums)
	for i, w := range weight {
		if w == 0 {
			dst[i] = 0
		}
	}
}
