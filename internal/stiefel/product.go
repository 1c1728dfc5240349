package stiefel

import (
	"math"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"gonum.org/v1/gonum/blas/blas64"
)

// The products with tall matrices are those of the projection kernels; what is left
// to Go are chains whose bits must not depend on the machine either: gonum's differ
// between its assembly and its Go, and the compiler fuses a bare x*y + z on some
// architectures only.

// productTN sets dst (p×p) to AᵀB. Every element is one chain of FMAs over
// ascending rows.
func (m *Manifold) productTN(dst []float64, a, b blas64.General) {
	matrix.TransMul(m.level, m.square(dst), dense.General(a), dense.General(b), false)
}

// subtractProduct sets dst to A − P S with S p×p: one chain of FMAs per element,
// over ascending rows of S. dst may be a or p.
func (m *Manifold) subtractProduct(dst, a, p blas64.General, s []float64) {
	if &dst.Data[0] == &p.Data[0] {
		rows := blas64.General{Rows: m.d, Cols: m.p, Stride: m.p, Data: m.rows}
		m.subtractProduct(rows, a, p, s)
		copyRows(dst, rows)
		return
	}
	copyRows(dst, a)
	negate(s)
	matrix.Mul(m.level, dense.General(dst), dense.General(p), m.square(s), true)
	negate(s)
}

// square returns x as a p × p matrix.
func (m *Manifold) square(x []float64) matrix.Matrix[float64] { return matrix.New(m.p, m.p, x) }

// copyRows sets dst to a.
func copyRows(dst, a blas64.General) {
	if &dst.Data[0] == &a.Data[0] {
		return
	}
	for i := range a.Rows {
		copy(line(dst, i), line(a, i))
	}
}

func negate(x []float64) {
	for i, v := range x {
		x[i] = -v
	}
}

// dot returns Σ x_i y_i: element i goes to lane i mod 4, each lane is a chain of
// FMAs, and lanes fold in halves. y must not be shorter than x.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		s0 = math.FMA(x[0], y[0], s0)
		s1 = math.FMA(x[1], y[1], s1)
		s2 = math.FMA(x[2], y[2], s2)
		s3 = math.FMA(x[3], y[3], s3)
		x, y = x[4:], y[4:]
	}
	switch len(x) {
	case 3:
		s2 = math.FMA(x[2], y[2], s2)
		fallthrough
	case 2:
		s1 = math.FMA(x[1], y[1], s1)
		fallthrough
	case 1:
		s0 = math.FMA(x[0], y[0], s0)
	}
	return (s0 + s2) + (s1 + s3)
}

// axpy adds a·x to y, which must not be shorter than x.
func axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, xi := range x {
		y[i] = math.FMA(a, xi, y[i])
	}
}

// finite reports whether no element of x is NaN or infinite.
func finite(x []float64) bool {
	for _, v := range x {
		if !isFinite(v) {
			return false
		}
	}
	return true
}

func isFinite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }
