package baseline

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/project"
	"gonum.org/v1/gonum/mat"
)

// Products of matrices, on the projection kernels: several times gonum's speed. The
// operands of all of them share a dimension of at least 1.

// product returns a·b.
func product(a, b *mat.Dense) *mat.Dense {
	n, d := a.Dims()
	_, p := b.Dims()
	c := mat.NewDense(n, p, nil)
	x, y, out := a.RawMatrix(), b.RawMatrix(), c.RawMatrix()
	project.Mul(asm.Best(), n, p, d, out.Data, out.Stride, x.Data, x.Stride, y.Data, y.Stride, false)
	return c
}

// transProduct returns aᵀb.
func transProduct(a, b *mat.Dense) *mat.Dense {
	n, d := a.Dims()
	_, p := b.Dims()
	// The wide operand is best on the right.
	if d > p {
		return mat.DenseCopyOf(transProduct(b, a).T())
	}
	c := mat.NewDense(d, p, nil)
	x, y, out := a.RawMatrix(), b.RawMatrix(), c.RawMatrix()
	project.TransMul(asm.Best(), n, d, p, out.Data, out.Stride, y.Data, y.Stride, x.Data, x.Stride, false)
	return c
}

// symmetricProduct returns aᵀb, which is symmetric but for rounding.
func symmetricProduct(a, b *mat.Dense) *mat.SymDense {
	n, d := a.Dims()
	s := mat.NewSymDense(d, nil)
	x, y, out := a.RawMatrix(), b.RawMatrix(), s.RawSymmetric()
	// The upper triangle is what a SymDense has.
	for i := 0; i < d; i += stripRows {
		rows := min(stripRows, d-i)
		project.TransMul(asm.Best(), n, rows, d-i, out.Data[i*out.Stride+i:], out.Stride, y.Data[i:], y.Stride, x.Data[i:], x.Stride, false)
	}
	return s
}

// gram returns a·aᵀ.
func gram(a *mat.Dense) *mat.SymDense {
	at := mat.DenseCopyOf(a.T())
	return symmetricProduct(at, at)
}
