package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
)

// The dual of a balanced problem. With u = a ⊘ Kv for every v, it is concave in g = log v:
//
//	D(g) = Σ_j b_j g_j − Σ_i a_i log (Kv)_i,   ∇D = b − c,   −∇²D = diag(c) − Tᵀ diag(1/a) T,
//
// with the column sums c = Tᵀ1. penalized.go and partial.go have the duals of the other problems.

// dual is what Newton's method must know of the dual problem at a dualPoint.
type dual[T dist.Float] interface {
	// enter prepares the point, whose scalings have been set.
	enter(ctx context.Context) error
	// value returns the dual at the last iterate, without a constant.
	value() float64
	// residual sets the column sums, e = ∇D and the marginal error of the point.
	residual()
	// system returns diag, rows and Σ diag of −∇²D = diag(diag) − Tᵀ diag(1/rows) T.
	system() (diag, rows []T, weight float64)
	// aim adds to the system, and to the direction it begins with, what only some problems have.
	aim(ctx context.Context, sys *system[T]) error
	// confine makes a direction end where the dual does.
	confine(beta []T)
	// noise returns the rounding of the dual's values.
	noise() float64
	// next sets tv to the v of the next plain iteration.
	next()
	// try sets tu and tq = Kᵀtu for tv, and reports whether both scalings are accurate.
	try(ctx context.Context) (bool, error)
	// take makes the point that has been tried the point at hand.
	take()
	// gain returns by how much the dual is larger at the point tried, a step of t along beta,
	// and its derivative along beta there.
	gain(t float64, beta []T) (gain, slope float64)
}

// dualPoint is a point of the dual, as scalings relative to the base at hand, and a second one
// that is tried.
type dualPoint[T dist.Float] struct {
	it         *iteration[T]
	u, v       []T // the point; its column sums Kᵀu are it.q
	tu, tv, tq []T // the point that is tried
	e          []T // gradient of the dual
	rows, diag []T // of the system, with penalties or Mass
	sums       []T // K v of the point that was tried last, with penalties or Mass
}

// take swaps the points.
func (p *dualPoint[T]) take() {
	p.u, p.tu = p.tu, p.u
	p.v, p.tv = p.tv, p.v
	p.it.q, p.tq = p.tq, p.it.q
}

// store makes the point the last iterate.
func (p *dualPoint[T]) store() {
	it, k := p.it, p.it.res.Iterations
	copy(it.u(k), p.u)
	copy(it.v(k), p.v)
	it.setKind(k, it.scalingKind())
	it.scaled, it.skip, it.wait = true, 0, 1
}

func (p *dualPoint[T]) aim(context.Context, *system[T]) error { return nil }

func (p *dualPoint[T]) confine([]T) {}

func (p *dualPoint[T]) noise() float64 { return float64(p.it.limits.epsilon * p.it.mass) }

// balanced is the dual of balanced problems.
type balanced[T dist.Float] struct{ *dualPoint[T] }

func (d *balanced[T]) enter(context.Context) error { return nil }

func (d *balanced[T]) value() float64 {
	it, k := d.it, d.it.res.Iterations
	kind := it.kind(k)
	return entropyPart(it.a, it.a, it.u(k), kind, it.log.f) + entropyPart(it.b, it.b, it.v(k), kind, it.log.g)
}

func (d *balanced[T]) residual() {
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

func (d *balanced[T]) next() { divide(d.tv, d.it.b, d.it.q) }

func (d *balanced[T]) try(ctx context.Context) (bool, error) {
	it := d.it
	if err := it.kernel.Iterate(ctx, d.tu, d.tq, d.tv, it.a); err != nil {
		return false, err
	}
	return it.safe(d.tu, it.a) && it.weightlessFinite(d.tq), nil
}

func (d *balanced[T]) gain(t float64, beta []T) (gain, slope float64) {
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

// divide sets dst = weight ⊘ sums, and 0 where there is no weight.
func divide[T dist.Float](dst, weight, sums []T) {
	pass.Divide(dst, weight, sums)
	for i, w := range weight {
		if w == 0 {
			dst[i] = 0
		}
	}
}
