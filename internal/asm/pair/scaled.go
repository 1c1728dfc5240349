package pair

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

// Cosine returns Σ x[i]·y[i] / √(Σ x[i]²·Σ y[i]²), between −1 and 1. It returns 0 if a vector is
// zero and neither vector contains a NaN.
//
// If a sum of squares overflows or underflows, Cosine multiplies both vectors by powers of two and sums again. The
// largest magnitude of a multiplied vector is between 1 and 2.
func Cosine[T num.Float](x, y []T) T { return cosine(x, y) }

// Norm returns √Σ x[i]², without intermediate overflow or underflow.
func Norm[T num.Float](x []T) T { return norm(x) }

// inRange reports whether the sum of squares s is in a safe range. In this range, the underflow of a single square does not
// matter, and the product of two sums does not overflow. Zero, NaN and infinity are out of range.
func inRange[T num.Float](s T) bool {
	if num.IsFloat64[T]() {
		return 0x1p-500 <= float64(s) && float64(s) < 0x1p500
	}
	return 0x1p-60 <= s && s < 0x1p60
}

// quotient returns the cosine, given three sums that are in range. The cosine of equal vectors is 1, because √(s·s) is
// exactly s. The comparisons have the same operand order as VMINSS and VMAXSS.
func quotient[T num.Float](xy, xx, yy T) T {
	c := xy / root(xx*yy)
	if !(c < 1) {
		return 1
	}
	if !(c > -1) {
		return -1
	}
	return c
}

// root returns √x, correctly rounded. For a float32, rounding the float64 root gives the correctly rounded result.
func root[T num.Float](x T) T { return T(math.Sqrt(float64(x))) }

// longCosine is like Cosine for slices of any length.
func longCosine[T num.Float](x, y []T) T {
	if len(x) == 0 {
		return 0
	}
	acc := beginCosine[T]()
	whole := len(x) / Lanes[T]() * Lanes[T]()
	AddCosineLanes(&acc, x[:whole], y[:whole])
	addCosineRef(&acc, x[whole:], y[whole:])
	var sums [3]T
	foldCosine(&sums, &acc)
	if inRange(sums[1]) && inRange(sums[2]) {
		return quotient(sums[0], sums[1], sums[2])
	}
	return scaledCosine(x, y)
}

// scaledCosine is like Cosine for vectors whose sums are out of range.
func scaledCosine[T num.Float](x, y []T) T {
	p, zx, nx := scaleOf(x)
	q, zy, ny := scaleOf(y)
	switch {
	case nx || ny:
		return T(math.NaN())
	case zx || zy:
		return 0
	}
	acc := beginCosine[T]()
	var bufx, bufy [chunk]T
	w := Lanes[T]()
	for len(x) > 0 {
		n := min(len(x), chunk)
		Scale(bufx[:n], x[:n], p)
		Scale(bufy[:n], y[:n], q)
		whole := n / w * w
		AddCosineLanes(&acc, bufx[:whole], bufy[:whole])
		addCosineRef(&acc, bufx[whole:n], bufy[whole:n])
		x, y = x[n:], y[n:]
	}
	var sums [3]T
	foldCosine(&sums, &acc)
	if !inRange(sums[1]) || !inRange(sums[2]) { // an infinity
		return T(math.NaN())
	}
	return quotient(sums[0], sums[1], sums[2])
}

// chunk is the number of elements that are scaled at a time. It is a multiple of MaxLanes.
const chunk = 256

// longNorm is like Norm for vectors of any length.
func longNorm[T num.Float](x []T) T {
	var s T
	if len(x) <= few {
		s = dotFew(x, x)
	} else {
		s = longSum(Square, x, x)
	}
	if inRange(s) {
		return root(s)
	}
	return scaledNorm(x)
}

// scaledNorm returns the norm of a vector whose sum of squares is out of range (see inRange).
func scaledNorm[T num.Float](x []T) T {
	norm, _, _ := ScaledNorm(x)
	return norm
}

// ScaledNorm returns the norm of x, the norm of x·2^p, and p. It chooses p so that the largest magnitude of x·2^p is
// between 1 and 2. If x is zero, norm, scaled and p are 0. If an element is infinite or NaN, p is 0.
func ScaledNorm[T num.Float](x []T) (norm, scaled T, p int) {
	p, zero, nan := scaleOf(x)
	switch {
	case zero:
		return 0, 0, 0
	case nan:
		return T(math.NaN()), T(math.NaN()), 0
	}
	acc := negativeZeros[T]()
	var buf [chunk]T
	w := Lanes[T]()
	for len(x) > 0 {
		n := min(len(x), chunk)
		Scale(buf[:n], x[:n], p)
		whole := n / w * w
		AddLanes(Square, &acc, buf[:whole], buf[:whole])
		addRef(Square, &acc, buf[whole:n], buf[whole:n])
		x = x[n:]
	}
	scaled = root(sumLanes(&acc))
	return T(math.Ldexp(float64(scaled), -p)), scaled, p
}

// scaleOf returns the exponent p for which the largest magnitude of x·2^p is between 1 and 2. It also reports whether
// all elements are zero, and whether an element is NaN. If an element is infinite, p is 0.
func scaleOf[T num.Float](x []T) (p int, zero, nan bool) {
	top := T(0)
	for _, v := range x {
		if v != v {
			return 0, false, true
		}
		top = max(top, num.Abs(v))
	}
	if top == 0 || math.IsInf(float64(top), 0) {
		return 0, top == 0, false
	}
	return -math.Ilogb(float64(top)), false, false
}

// Scale sets dst to x·2^p. It multiplies twice, because T may not represent 2^p.
func Scale[T num.Float](dst, x []T, p int) {
	a, b := T(math.Ldexp(1, p/2)), T(math.Ldexp(1, p-p/2))
	for i, v := range x {
		dst[i] = T(v*a) * b
	}
}
