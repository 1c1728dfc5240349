package descent

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/algebra"
	"gonum.org/v1/gonum/mat"
)

// Euclidean is the [Manifold] of all Rows × Cols matrices.
type Euclidean struct{ Rows, Cols int }

// Dims implements Manifold.
func (e Euclidean) Dims() (d, p int) { return e.Rows, e.Cols }

// Tangent sets dst = g.
func (Euclidean) Tangent(_ context.Context, dst, _, g *mat.Dense) { dst.Copy(g) }

// Inner returns Σ u_ij v_ij, summed row by row.
func (e Euclidean) Inner(_, u, v *mat.Dense) float64 {
	sum := 0.
	for i := range e.Rows {
		sum += algebra.Dot(u.RawRowView(i), v.RawRowView(i))
	}
	return sum
}

// Retract sets dst = p + t·v.
func (e Euclidean) Retract(_ context.Context, dst, p, v *mat.Dense, t float64) error {
	for i := range e.Rows {
		to, from := dst.RawRowView(i), p.RawRowView(i)
		for j, x := range v.RawRowView(i) {
			to[j] = math.FMA(t, x, from[j])
		}
	}
	return nil
}

// Transport sets dst = v.
func (Euclidean) Transport(_ context.Context, dst, _, v *mat.Dense) { dst.Copy(v) }

// Project sets dst = a.
func (Euclidean) Project(_ context.Context, dst, a *mat.Dense) error {
	dst.Copy(a)
	return nil
}

// Infeasibility returns 0, or NaN if an element is infinite or NaN.
func (e Euclidean) Infeasibility(_ context.Context, p *mat.Dense) float64 {
	off := 0.
	for i := range e.Rows {
		for _, x := range p.RawRowView(i) {
			off += x - x
		}
	}
	return off
}
