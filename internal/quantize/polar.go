package quantize

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
)

const (
	// rotationWeight is the weight of the current rotation r in the matrix c + rotationWeight·‖c‖·r,
	// whose polar factor the function polar computes.
	rotationWeight = 0x1p-16
	// polarSteps is the maximum number of iterations. If the least singular value is
	// rotationWeight, the iteration converges in about 20 steps.
	polarSteps = 60
	// polarError is the largest allowed error of an inner product of two columns of the result.
	polarError = 0x1p-40
)

// polar sets r (p × p, orthonormal) to the orthonormal matrix Q that maximizes
//
//	⟨Q, c⟩ + rotationWeight·‖c‖·⟨Q, r⟩
//
// ‖·‖ and ⟨·, ·⟩ are the Frobenius norm and inner product. Q is the polar factor of the matrix
// c + rotationWeight·‖c‖·r. The second term keeps r where c is nearly zero; ⟨Q, c⟩ is never less
// than ⟨r, c⟩. polar overwrites c. If the context ends or the polar factor cannot be computed,
// polar returns false and leaves r unchanged.
//
// The factor is the limit of the Newton–Schulz iteration X ← X·(3I − XᵀX)/2. Before each step, X is
// scaled by √(3/(1 + l + l²)) if its singular values are in [l, 1]. Then small singular values grow
// as fast as possible (J. Chen and E. Chow, "A stable scaling of Newton–Schulz for improving the
// sign function computation of a Hermitian matrix", 2014).
func polar(ctx context.Context, r, c matrix.Matrix[float64]) bool {
	p := r.Rows
	norm := 0.
	for i := range p {
		norm += algebra.Dot(c.Row(i), c.Row(i))
	}
	norm = math.Sqrt(norm)
	if !(norm > 0) || math.IsInf(norm, 1) {
		return false
	}
	x, gram, next := c, matrix.New[float64](p, p, nil), matrix.New[float64](p, p, nil)
	for i := range p {
		algebra.Scale(x.Row(i), 1/norm/(1+rotationWeight))
		algebra.Axpy(rotationWeight/(1+rotationWeight), r.Row(i), x.Row(i))
	}
	for l, step := rotationWeight/2, 0; step < polarSteps && ctx.Err() == nil; step++ {
		dense.TransProduct(ctx, gram, x, x, false)
		off := 0.
		for i := range p {
			for j, g := range gram.Row(i) {
				if i == j {
					g--
				}
				off = max(off, math.Abs(g))
			}
		}
		switch {
		case ctx.Err() != nil || off != off:
			return false
		case off <= polarError:
			for i := range p {
				copy(r.Row(i), x.Row(i))
			}
			return true
		}
		scale := 1.
		if l < 0.99 {
			scale = math.Sqrt(3 / (1 + l + float64(l*l)))
			l = float64(scale * l)
			l = float64(l * (1.5 - float64(0.5*float64(l*l))))
		}
		for i := range p {
			algebra.Scale(gram.Row(i), float64(-0.5*scale)*float64(scale*scale))
			gram.Row(i)[i] += float64(1.5 * scale)
		}
		dense.Product(ctx, next, x, gram, false)
		x, next = next, x
	}
	return false
}
