package exp

import (
	"math"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

const (
	// vectorCost is the cost of one element of a vector, as an argument of asm.Piece. With this
	// cost, a piece has 8192 elements and takes 2 to 6 µs. Exp takes three times as long if all
	// results are subnormal.
	vectorCost = 32

	// passCost is the cost of one matrix element, as an argument of asm.Piece.
	passCost = 10
)

// Exp sets dst[i] = exp(x[i]) for i < len(x). dst may be x; otherwise dst and x must not overlap.
// Exp panics if dst is shorter than x.
func Exp[T num.Float](dst, x []T) {
	asm.CheckVector(len(dst), len(x))
	for p := asm.Piece(len(x), vectorCost, 32); len(x) > p; dst, x = dst[p:], x[p:] {
		exp(dst[:p], x[:p])
	}
	if len(x) > 0 {
		exp(dst[:len(x)], x)
	}
}

// MostTerms is the maximum length of a vector in SumExp.
const MostTerms = 4096

// Sum is the result of SumExp. The assembly depends on the layout of Sum.
type Sum[T num.Float] struct {
	Top   T // the largest element, ignoring NaN; never −0
	Rest  T // the sum of the exponentials of the elements that are not equal to Top
	Count T // the number of elements equal to Top
}

// SumExp raises s.Top to the largest element of x. It sets s.Count to the number of elements equal
// to s.Top, and s.Rest to the sum of exp(x[i] − s.Top) over the other elements. The sum uses the
// vector lanes of the numerical contract (package asm). Unless dst is nil, SumExp sets dst[i] to
// exp(x[i] − s.Top) for all elements. If s.Top is infinite, these results are meaningless. dst may
// be x; otherwise dst and x must not overlap. SumExp panics if dst is not nil and shorter than x,
// or if x has more than MostTerms elements.
func SumExp[T num.Float](s *Sum[T], dst, x []T) {
	if dst != nil {
		asm.CheckVector(len(dst), len(x))
	}
	if len(x) > MostTerms {
		panic("exp: a sum of too many terms")
	}
	if len(x) == 0 {
		s.Top, s.Rest, s.Count = s.Top+0, 0, 0
		return
	}
	sumExp(s, dst, x)
}

// Exp2 sets dst[i] = 2^(c·x[i]) for i < len(x). dst may be x; otherwise dst and x must not overlap.
// Exp2 panics if dst is shorter than x.
func Exp2[T num.Float](dst, x []T, c T) {
	asm.CheckVector(len(dst), len(x))
	for p := asm.Piece(len(x), vectorCost, 32); len(x) > p; dst, x = dst[p:], x[p:] {
		exp2(dst[:p], x[:p], c)
	}
	if len(x) > 0 {
		exp2(dst[:len(x)], x, c)
	}
}

// Bits returns −λ·log₂e, rounded once. With this factor, exp(−λM) = 2^(Bits(λ)·M). The result is
// −Inf if λ is above 0.69 times the largest number of type T.
func Bits[T num.Float](lambda T) T { return T(-float64(lambda) * math.Log2E) }

// LogRows runs one pass of a Sinkhorn iteration over the m × n matrix M. It sets the slices max and
// sum, adds to q, and uses e as scratch memory. n must be at least 1.
func LogRows[T num.Float](m, n int, mat []T, ldm int, c T, g, a, max, sum, q, e []T) {
	if n < 1 {
		panic("exp: a matrix without columns")
	}
	asm.CheckMatrix(len(mat), m, n, ldm)
	asm.CheckVector(len(g), n)
	asm.CheckVector(len(q), n)
	asm.CheckVector(len(e), n)
	asm.CheckVector(len(a), m)
	asm.CheckVector(len(max), m)
	asm.CheckVector(len(sum), m)
	for p := asm.Piece(m, passCost*n, 1); m > 0; m -= p {
		p = min(p, m)
		logRows(p, n, mat, ldm, c, g, a, max, sum, q, e)
		if p < m {
			mat, a, max, sum = mat[p*ldm:], a[p:], max[p:], sum[p:]
		}
	}
}

// LogColumnMax sets h[j] to the maximum of h[j] and all f[i] − c M_ij.
func LogColumnMax[T num.Float](m, n int, mat []T, ldm int, c T, f, h []T) {
	asm.CheckMatrix(len(mat), m, n, ldm)
	asm.CheckVector(len(f), m)
	asm.CheckVector(len(h), n)
	forEachPiece(m, n, func(i, j, m, n int) {
		logColumnMax(m, n, mat[i*ldm+j:], ldm, c, f[i:], h[j:])
	})
}

// LogColumnSum adds Σ_i 2^(f[i] − c M_ij − h[j]) to s[j].
func LogColumnSum[T num.Float](m, n int, mat []T, ldm int, c T, f, h, s []T) {
	asm.CheckMatrix(len(mat), m, n, ldm)
	asm.CheckVector(len(f), m)
	asm.CheckVector(len(h), n)
	asm.CheckVector(len(s), n)
	forEachPiece(m, n, func(i, j, m, n int) {
		logColumnSum(m, n, mat[i*ldm+j:], ldm, c, f[i:], h[j:], s[j:])
	})
}

// LogPlan sets T_ij = 2^((g[j] − c M_ij) + f[i]).
func LogPlan[T num.Float](m, n int, t []T, ldt int, mat []T, ldm int, c T, f, g []T) {
	asm.CheckMatrix(len(t), m, n, ldt)
	asm.CheckMatrix(len(mat), m, n, ldm)
	asm.CheckVector(len(f), m)
	asm.CheckVector(len(g), n)
	forEachPiece(m, n, func(i, j, m, n int) {
		logPlan(m, n, t[i*ldt+j:], ldt, mat[i*ldm+j:], ldm, c, f[i:], g[j:])
	})
}

// forEachPiece divides an m × n matrix into pieces that are small enough for one assembly call, and
// calls f for each piece. Within each column, the calls visit the rows in ascending order.
func forEachPiece(m, n int, f func(i, j, m, n int)) {
	if m == 0 || n == 0 {
		return
	}
	cols := asm.Piece(n, passCost, 64)
	rows := asm.Piece(m, passCost*cols, 1)
	for i := 0; i < m; i += rows {
		for j := 0; j < n; j += cols {
			f(i, j, min(rows, m-i), min(cols, n-j))
		}
	}
}
