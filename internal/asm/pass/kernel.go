package pass

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Rows sets s = K v for the m × n matrix K.
func Rows[K, T num.Float](m, n int, s []T, k []K, ldk int, v []T) {
	asm.CheckMatrix(len(k), m, n, ldk)
	asm.CheckVector(len(s), m)
	asm.CheckVector(len(v), n)
	if n == 0 {
		clear(s[:m])
		return
	}
	for i, p := 0, asm.Piece(m, n, 8); i < m; i += p {
		if m := min(p, m-i); !run(m, n, &k[i*ldk], ldk, &v[0], nil, &s[i], nil, false) {
			rowsRef(m, n, s[i:], k[i*ldk:], ldk, v)
		}
	}
}

// Columns sets q = q + Kᵀ u for the m × n matrix K.
func Columns[K, T num.Float](m, n int, q []T, k []K, ldk int, u []T) {
	asm.CheckMatrix(len(k), m, n, ldk)
	asm.CheckVector(len(q), n)
	asm.CheckVector(len(u), m)
	if n == 0 {
		return
	}
	for i, p := 0, asm.Piece(m, n, 8); i < m; i += p {
		if m := min(p, m-i); !run(m, n, &k[i*ldk], ldk, nil, nil, &u[i], &q[0], false) {
			columnsRef(m, n, q, k[i*ldk:], ldk, u[i:])
		}
	}
}

// Iterate sets u = a ⊘ K v and adds Kᵀ u to q, reading the m × n matrix K once.
// n must be at least 1.
func Iterate[K, T num.Float](m, n int, k []K, ldk int, v, a, u, q []T) {
	checkPass(m, n, len(k), ldk, len(v), len(a), len(u), len(q))
	for i, p := 0, asm.Piece(m, 2*n, 8); i < m; i += p {
		if m := min(p, m-i); !run(m, n, &k[i*ldk], ldk, &v[0], &a[i], &u[i], &q[0], true) {
			iterateRef(m, n, k[i*ldk:], ldk, v, a[i:], u[i:], q)
		}
	}
}

// Sweep sets s = w ⊙ K t and adds Kᵀ s to q, reading the m × n matrix K once.
// n must be at least 1.
func Sweep[K, T num.Float](m, n int, k []K, ldk int, t, w, s, q []T) {
	checkPass(m, n, len(k), ldk, len(t), len(w), len(s), len(q))
	for i, p := 0, asm.Piece(m, 2*n, 8); i < m; i += p {
		if m := min(p, m-i); !run(m, n, &k[i*ldk], ldk, &t[0], &w[i], &s[i], &q[0], false) {
			sweepRef(m, n, k[i*ldk:], ldk, t, w[i:], s[i:], q)
		}
	}
}

// Begin starts the reverse-mode differentiation at the transport cost. It sets r and s, and adds to q, as the
// package comment describes. It reads the m × n matrices K and M once. n must be at least 1.
func Begin[T num.Float](m, n int, k []T, ldk int, mat []T, ldm int, v, u, w, r, s, q []T) {
	checkPass(m, n, len(k), ldk, len(v), len(w), len(s), len(q))
	asm.CheckMatrix(len(mat), m, n, ldm)
	asm.CheckVector(len(u), m)
	asm.CheckVector(len(r), m)
	for i, p := 0, asm.Piece(m, 4*n, 8); i < m; i += p {
		begin(min(p, m-i), n, k[i*ldk:], ldk, mat[i*ldm:], ldm, v, u[i:], w[i:], r[i:], s[i:], q)
	}
}

// checkPass panics if n is not positive or if a slice is too short. nk is the length of an m × n matrix with stride ldk. nv
// and nq are the lengths of vectors with n elements. na and nu are the lengths of vectors with m elements.
func checkPass(m, n, nk, ldk, nv, na, nu, nq int) {
	if n < 1 {
		panic("pass: a matrix without columns")
	}
	asm.CheckMatrix(nk, m, n, ldk)
	asm.CheckVector(min(nv, nq), n)
	asm.CheckVector(min(na, nu), m)
}

// Divide sets dst[i] = x[i] / y[i] for i < len(dst). It panics if x or y is shorter
// than dst.
func Divide[T num.Float](dst, x, y []T) {
	n := len(dst)
	asm.CheckVector(len(x), n)
	asm.CheckVector(len(y), n)
	for i, p := 0, asm.Piece(n, 8, 64); i < n; i += p {
		divide(min(p, n-i), dst[i:], x[i:], y[i:])
	}
}

// CountOutside returns the number of elements of x that are not in [lo, hi].
func CountOutside[T num.Float](x []T, lo, hi T) (count int) {
	n := len(x)
	for i, p := 0, asm.Piece(n, 1, 64); i < n; i += p {
		count += countOutside(min(p, n-i), x[i:], lo, hi)
	}
	return count
}

// Narrow sets dst[i] to x[i] rounded to float32 for i < len(dst), and to +0 where
// |x[i]| < 2⁻¹²⁶. So no result is subnormal. It panics if x is shorter than dst.
func Narrow(dst []float32, x []float64) {
	n := len(dst)
	asm.CheckVector(len(x), n)
	for i, p := 0, asm.Piece(n, 2, 64); i < n; i += p {
		narrow(min(p, n-i), dst[i:], x[i:])
	}
}

// Widen sets dst[i] = x[i] for i < len(dst). The conversion is exact. It panics if x is shorter than dst.
func Widen(dst []float64, x []float32) {
	n := len(dst)
	asm.CheckVector(len(x), n)
	for i, p := 0, asm.Piece(n, 2, 64); i < n; i += p {
		widen(min(p, n-i), dst[i:], x[i:])
	}
}
