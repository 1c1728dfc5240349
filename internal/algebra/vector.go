package algebra

import "math"

// Dot returns Σ x_i y_i. It adds x_i y_i to partial sum i mod 4 by an FMA, and adds the four partial
// sums pairwise at the end. The slice y must be at least as long as x.
func Dot(x, y []float64) float64 {
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

// Axpy adds a·x to y. The slice y must be at least as long as x.
func Axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, xi := range x {
		y[i] = math.FMA(a, xi, y[i])
	}
}

// Scale multiplies x by a.
func Scale(x []float64, a float64) {
	for i := range x {
		x[i] *= a
	}
}

// PowerOfTwo returns the power of two that scales x > 0 into [½, 1). Its exponent is limited to
// ±1000. It returns 1 for x = 0.
func PowerOfTwo(x float64) float64 {
	if x == 0 {
		return 1
	}
	_, e := math.Frexp(x)
	return math.Ldexp(1, min(-e, 1000))
}

// Reflector computes H = I − τ(1, v)(1, v)ᵀ with H x = (β, 0, …, 0). It overwrites x[1:] with v and
// returns β and τ (LAPACK's dlarfg). A vector shorter than 2⁻⁴⁵⁰ counts as zero, because the
// squares of its elements have too few digits for an orthogonal H. In a matrix with elements near 1,
// a column of this length is far below the rounding errors.
func Reflector(x []float64) (beta, tau float64) {
	alpha, rest := x[0], x[1:]
	tail := Dot(rest, rest)
	square := math.FMA(alpha, alpha, tail)
	if tail == 0 || square < 0x1p-900 {
		clear(rest)
		return alpha, 0
	}
	beta = -math.Copysign(math.Sqrt(square), alpha)
	Scale(rest, 1/(alpha-beta))
	return beta, (beta - alpha) / beta
}
