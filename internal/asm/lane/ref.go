package lane

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

func rowsRef[T num.Float](m, n int, s, k, v []T) {
	w := num.Lanes[T]()
	for i := range m {
		for p := range w {
			var sum num.Sum[T]
			for j := range n {
				sum.Add(k[(i*n+j)*w+p], v[j*w+p])
			}
			s[i*w+p] = sum.Total()
		}
	}
}

func columnsRef[T num.Float](m, n int, q, k, u []T) {
	w := num.Lanes[T]()
	for i := range m {
		for j := range n {
			for p := range w {
				q[j*w+p] = num.FMA(u[i*w+p], k[(i*n+j)*w+p], q[j*w+p])
			}
		}
	}
}

func divideRef[T num.Float](n int, x, a, y, lo, hi, outside []T, clear bool) {
	w := num.Lanes[T]()
	for i := range n * w {
		p := i % w
		x[i] = a[i] / y[i]
		if clear && a[i] == 0 {
			x[i] = 0
		}
		if !(lo[p] <= x[i] && x[i] <= hi[p]) && !(a[i] == 0 && x[i] == 0) {
			outside[p] = T(math.NaN())
		}
	}
}

func sqEuclideanRef[T num.Float](m, n, d int, dst, x, y []T) {
	w := num.Lanes[T]()
	for i := range m {
		for j := range n {
			for p := range w {
				var sum T
				for k := range d {
					diff := x[(i*d+k)*w+p] - y[(j*d+k)*w+p]
					sum = num.FMA(diff, diff, sum)
				}
				dst[(i*n+j)*w+p] = sum
			}
		}
	}
}

func mulRef[T num.Float](n int, z, x, y []T, same bool) {
	w := num.Lanes[T]()
	for i := range n * w {
		j := i
		if same {
			j = i % w
		}
		z[i] = x[i] * y[j]
	}
}

func interleaveRef[T num.Float](m, n int, dst []T, ldd int, x *[num.MaxLanes][]T, ldx int) {
	w := num.Lanes[T]()
	for i := range m {
		for j := range n {
			for p := range w {
				dst[(i*ldd+j)*w+p] = x[p][i*ldx+j]
			}
		}
	}
}
