package gram

import "github.com/gomonge/monge/internal/asm/num"

// Ref is the reference implementation for two rows: it returns the squared distance of x and z,
// which have the same length.
func Ref[T num.Float](x, z []T) T { return ref(len(x), x, z, 1) }

// ref implements Ref for a z whose features are step elements apart.
func ref[T num.Float](d int, x, z []T, step int) T {
	var nx, nz T
	for k := range d {
		nx = num.FMA(x[k], x[k], nx)
		nz = num.FMA(z[k*step], z[k*step], nz)
	}
	dist := nx + nz
	for k := range d {
		dist = num.FMA(x[k], -2*z[k*step], dist)
	}
	if isFar(dist, nx, nz) {
		return dist
	}
	dist = 0
	for k := range d {
		diff := x[k] - z[k*step]
		dist = num.FMA(diff, diff, dist)
	}
	return dist
}

// sqEuclideanRef is the reference implementation of SqEuclidean. Feature k of row j of z is
// z[j*ldz+k*step].
func sqEuclideanRef[T num.Float](m, n, d int, dst []T, ldd int, x []T, ldx int, z []T, ldz, step int) {
	for i := range m {
		for j := range n {
			dst[i*ldd+j] = ref(d, x[i*ldx:], z[j*ldz:], step)
		}
	}
}

// isFar reports whether the squared distance d, computed as a product, is accurate for two rows with
// the squared norms nx and nz. The norms must be below limit to exclude overflow, and d must be large
// compared with the rounding errors of the norms. If isFar returns false, the distance must be
// computed as a sum of squared differences.
func isFar[T num.Float](d, nx, nz T) bool {
	return nx < limit[T]() && nz < limit[T]() && d >= num.FMA(nx+nz, 1.0/closeness, leastDistance[T]())
}

// Two rows x and z are close if (‖x‖² + ‖z‖²) divided by the squared distance exceeds closeness.
const closeness = 16

// limit returns the upper limit of the squared norms. Sums and products of smaller norms are finite.
func limit[T num.Float]() T {
	if num.IsFloat64[T]() {
		l := 0x1p1020
		return T(l)
	}
	return 0x1p124
}

// leastDistance returns the smallest squared distance that may be computed as ‖x‖² + ‖z‖² − 2x·z.
// Terms that underflow are negligible compared with this distance.
func leastDistance[T num.Float]() T {
	if num.IsFloat64[T]() {
		l := 0x1p-960
		return T(l)
	}
	return 0x1p-100
}
