package quantize

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
)

const (
	// pull is the weight of the rotation that there is beside the norm of the matrix whose polar factor is wanted.
	pull = 0x1p-16
	// polarSteps bounds the steps of the iteration. From a least singular value of pull it takes about 20.
	polarSteps = 60
	// polarError is the largest error of an inner product of two columns at the end.
	polarError = 0x1p-40
)

// polar sets r (p × p, orthonormal) to the orthonormal matrix Q that maximizes
//
//	⟨Q, c⟩ + pull·‖c‖·⟨Q, r⟩
//
// with Frobenius norms and products: the polar factor of c + pull·‖c‖·r. The second term keeps r where c is
// (nearly) zero, and ⟨Q, c⟩ is never less than ⟨r, c⟩. c is overwritten.
//
// It reports false, and leaves r, if the context ends or if the matrix has no polar factor that can be computed.
//
// The factor is the limit of X ← X·(3I − XᵀX)/2 (Newton and Schulz), where X is scaled before each step so that its small singular values
// grow as fast as they can (J. Chen and E. Chow, "A stable scaling of Newton–Schulz for improving the sign function computation of a
// Hermitian matrix", 2014): if the singular values are in [l, 1], by √(3/(1 + l + l²)).
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
		algebra.Scale(x.Row(i), 1/norm/(1+pull))
		algebra.Axpy(pull/(1+pull), r.Row(i), x.Row(i))
	}
	for l, step := pull/2, 0; step < polarSteps && ctx.Err() == nil; step++ {
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
