package pass

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

// The Go reference implementations convert every element of K to the type of the vectors. The conversion is exact.

func rowsRef[K, T num.Float](m, n int, s []T, k []K, ldk int, v []T) {
	for i := range m {
		s[i] = num.Dot(k[i*ldk:][:n], v)
	}
}

func columnsRef[K, T num.Float](m, n int, q []T, k []K, ldk int, u []T) {
	for i := range m {
		addRow(q, u[i], k[i*ldk:][:n])
	}
}

func iterateRef[K, T num.Float](m, n int, k []K, ldk int, v, a, u, q []T) {
	for i := range m {
		row := k[i*ldk:][:n]
		u[i] = a[i] / num.Dot(row, v)
		addRow(q, u[i], row)
	}
}

func sweepRef[K, T num.Float](m, n int, k []K, ldk int, t, w, s, q []T) {
	for i := range m {
		row := k[i*ldk:][:n]
		s[i] = w[i] * num.Dot(row, t)
		addRow(q, s[i], row)
	}
}

// addRow sets q = q + u·row.
func addRow[K, T num.Float](q []T, u T, row []K) {
	for j, k := range row {
		q[j] = num.FMA(u, T(k), q[j])
	}
}

func beginRef[T num.Float](m, n int, k []T, ldk int, mat []T, ldm int, v, u, w, r, s, q []T) {
	for i := range m {
		k, mat := k[i*ldk:][:n], mat[i*ldm:][:n]
		var sum num.Sum[T]
		for j := range k {
			sum.Add(T(k[j]*mat[j]), v[j])
		}
		r[i] = sum.Total()
		s[i] = w[i] * r[i]
		for j := range k {
			q[j] = num.FMA(k[j], num.FMA(u[i], mat[j], s[i]), q[j])
		}
	}
}

func divideRef[T num.Float](n int, dst, x, y []T) {
	for i := range n {
		dst[i] = x[i] / y[i]
	}
}

func countOutsideRef[T num.Float](n int, x []T, lo, hi T) (count int) {
	for _, x := range x[:n] {
		if !(lo <= x && x <= hi) {
			count++
		}
	}
	return count
}

func narrowRef(n int, dst []float32, x []float64) {
	for i := range n {
		dst[i] = 0
		if !(math.Abs(x[i]) < 0x1p-126) {
			dst[i] = float32(x[i])
		}
	}
}

func widenRef(n int, dst []float64, x []float32) {
	for i := range n {
		dst[i] = float64(x[i])
	}
}
