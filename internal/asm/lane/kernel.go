package lane

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Rows sets s = K v for every problem.
func Rows[T num.Float](m, n int, s, k, v []T) {
	w := check[T](m, n, len(k), len(s), len(v))
	for i, p := 0, asm.Piece(m, n*w, 4); i < m; i += p {
		rows(min(p, m-i), n, s[i*w:], k[i*n*w:], v)
	}
}

// Columns adds Kᵀ u to q for every problem.
func Columns[T num.Float](m, n int, q, k, u []T) {
	w := check[T](m, n, len(k), len(u), len(q))
	for i, p := 0, asm.Piece(m, n*w, 4); i < m; i += p {
		columns(min(p, m-i), n, q, k[i*n*w:], u[i*w:])
	}
}

// check returns the batch size (the number of problems in the slices). It panics if a slice is too short, if m is not
// a multiple of 4, or if n is not a positive multiple of the batch size. The slice lengths are nk for the m × n
// matrices, nu for the vectors of length m, and nv for the vectors of length n.
func check[T num.Float](m, n, nk, nu, nv int) int {
	w := num.Lanes[T]()
	asm.CheckMatrix(nk/w, m, n, n)
	asm.CheckVector(nu/w, m)
	asm.CheckVector(nv/w, n)
	if m%4 != 0 || n%w != 0 || n == 0 {
		panic("lane: rows or columns that are not padded")
	}
	return w
}

// Divide sets x[i] = a[i] / y[i] for the n elements of every problem. If clear is set, x[i] is 0 where
// a[i] is 0. Divide sets outside[p] to NaN if problem p has an x[i] outside of [lo[p], hi[p]]. An x[i] of
// 0 with a[i] = 0 never counts as outside.
func Divide[T num.Float](n int, x, a, y, lo, hi, outside []T, clear bool) {
	w := num.Lanes[T]()
	asm.CheckVector(min(len(x), len(a), len(y))/w, n)
	asm.CheckVector(min(len(lo), len(hi), len(outside)), w)
	for i, p := 0, asm.Piece(n, 8*w, 1); i < n; i += p {
		divide(min(p, n-i), x[i*w:], a[i*w:], y[i*w:], lo, hi, outside, clear)
	}
}

// SqEuclidean computes, for every problem of the batch, the squared distances between the m points in x
// and the n points in y, in d dimensions. The d coordinates of a point are adjacent elements.
func SqEuclidean[T num.Float](m, n, d int, dst, x, y []T) {
	w := num.Lanes[T]()
	check[T](m, n, len(dst), m*w, n*w)
	asm.CheckMatrix(len(x)/w, m, d, d)
	asm.CheckMatrix(len(y)/w, n, d, d)
	for i, p := 0, asm.Piece(m, n*max(d, 1)*w, 1); i < m; i += p {
		sqEuclidean(min(p, m-i), n, d, dst[i*n*w:], x[i*d*w:], y)
	}
}

// Mul sets z[i] = x[i] y[i] for the n elements of every problem. If same is set, Mul sets z[i] = x[i] y[0].
func Mul[T num.Float](n int, z, x, y []T, same bool) {
	w := num.Lanes[T]()
	asm.CheckVector(min(len(z), len(x))/w, n)
	if same {
		asm.CheckVector(len(y), w)
	} else {
		asm.CheckVector(len(y)/w, n)
	}
	for i, p := 0, asm.Piece(n, 2*w, 1); i < n; i += p {
		mul(min(p, n-i), z[i*w:], x[i*w:], y, same)
		if !same {
			y = y[min(p, n-i)*w:]
		}
	}
}

// Interleave copies the m × n matrix x[p] of every problem p to the interleaved matrix dst. The row stride
// of each x[p] is ldx. The row stride of dst is ldd groups of elements. A group has one element of each problem.
func Interleave[T num.Float](m, n int, dst []T, ldd int, x *[num.MaxLanes][]T, ldx int) {
	w := num.Lanes[T]()
	shortest := len(x[0])
	for p := range w {
		shortest = min(shortest, len(x[p]))
	}
	asm.CheckMatrix(shortest, m, n, ldx)
	asm.CheckMatrix(len(dst)/w, m, n, ldd)
	p := asm.Piece(m, 2*n*w, 1)
	if m == 0 || n == 0 {
		return
	}
	if p == m {
		interleave(m, n, dst, ldd, x, ldx)
		return
	}
	for i := 0; i < m; i += p {
		rest := *x
		for l := range w {
			rest[l] = rest[l][i*ldx:]
		}
		interleave(min(p, m-i), n, dst[i*ldd*w:], ldd, &rest, ldx)
	}
}
