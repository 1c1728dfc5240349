package stiefel

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// The products below are small, so a blocked BLAS has nothing to win, and their
// bits must not depend on the machine: gonum's differ between its assembly and
// its Go, and the compiler fuses a bare x*y + z on some architectures only.

// productTN sets dst (p×p) to AᵀB. Every element is one chain of FMAs over
// ascending rows; four rows at a time only spare loads and stores.
func (m *Manifold) productTN(dst []float64, a, b blas64.General) {
	clear(dst)
	n := m.p
	i := 0
	for ; i+4 <= m.d; i += 4 {
		a0, a1, a2, a3 := line(a, i), line(a, i+1), line(a, i+2), line(a, i+3)
		b0, b1, b2, b3 := line(b, i), line(b, i+1), line(b, i+2), line(b, i+3)
		for k := range n {
			x0, x1, x2, x3 := a0[k], a1[k], a2[k], a3[k]
			out := dst[k*n : k*n+n]
			b0, b1, b2, b3 := b0[:len(out)], b1[:len(out)], b2[:len(out)], b3[:len(out)]
			for j, s := range out {
				s = math.FMA(x0, b0[j], s)
				s = math.FMA(x1, b1[j], s)
				s = math.FMA(x2, b2[j], s)
				out[j] = math.FMA(x3, b3[j], s)
			}
		}
	}
	for ; i < m.d; i++ {
		y := line(b, i)
		for k, x := range line(a, i) {
			out := dst[k*n : k*n+n]
			for j, s := range out {
				out[j] = math.FMA(x, y[j], s)
			}
		}
	}
}

// subtractProduct sets dst to A − P S with S p×p. dst may be a or p.
func (m *Manifold) subtractProduct(dst, a, p blas64.General, s []float64) {
	for i := range m.d {
		m.residualRow(m.row, line(a, i), line(p, i), s)
		copy(line(dst, i), m.row)
	}
}

// residualRow sets dst to a − x S: one chain of FMAs per element, over ascending
// rows of S.
func (m *Manifold) residualRow(dst, a, x, s []float64) {
	copy(dst, a)
	n := len(dst)
	k := 0
	for ; k+2 <= n; k += 2 {
		x0, x1 := -x[k], -x[k+1]
		s0 := s[k*n : k*n+n]
		s1 := s[k*n+n : k*n+2*n][:len(s0)]
		for j, y := range dst[:len(s0)] {
			dst[j] = math.FMA(x1, s1[j], math.FMA(x0, s0[j], y))
		}
	}
	if k < n {
		x0, s0 := -x[k], s[k*n:k*n+n]
		for j, y := range dst {
			dst[j] = math.FMA(x0, s0[j], y)
		}
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
