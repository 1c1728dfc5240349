package algebra

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/matrix"
	"gonum.org/v1/gonum/mat"
)

// unblockedPivotedCholesky is the unblocked algorithm. PivotedCholesky must match its results bit
// for bit.
func unblockedPivotedCholesky(a matrix.Matrix[float64], tolerance float64) (l matrix.Matrix[float64], pivots []int) {
	n := a.Rows
	l = matrix.New[float64](n, n, nil)
	left := make([]float64, n)
	for i := range left {
		left[i] = a.At(i, i)
	}
	for k := range n {
		at := -1
		for i, v := range left {
			if !slices.Contains(pivots, i) && (at < 0 || v > left[at]) {
				at = i
			}
		}
		pivots = append(pivots, at)
		if !(left[at] > tolerance*a.At(pivots[0], pivots[0])) {
			return l, pivots[:k]
		}
		l.Set(at, k, math.Sqrt(left[at]))
		for i := range n {
			if slices.Contains(pivots, i) {
				continue
			}
			v := a.At(max(i, at), min(i, at))
			for m := range k {
				v = math.FMA(-l.At(i, m), l.At(at, m), v)
			}
			l.Set(i, k, v/l.At(at, k))
			left[i] = math.FMA(-l.At(i, k), l.At(i, k), left[i])
		}
	}
	return l, pivots
}

// TestPivotedCholesky checks that the pivots and the factor are bit-identical to the results of the
// unblocked algorithm, and that the factor reproduces A. It covers full and low rank.
func TestPivotedCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct{ n, rank int }{{1, 1}, {7, 7}, {48, 48}, {49, 49}, {97, 97}, {150, 60}, {150, 48}, {60, 1}} {
		g, a := randomMatrix(rng, c.n, c.rank), matrix.New[float64](c.n, c.n, nil)
		gonum(a).Mul(gonum(g), gonum(g).T())
		want, order := unblockedPivotedCholesky(a, 1e-10)
		spoiled := clone(a)
		for i := range c.n { // the upper triangle is not read
			for j := i + 1; j < c.n; j++ {
				spoiled.Set(i, j, math.NaN())
			}
		}
		l, pivots, least := PivotedCholesky(ctx, spoiled, 1e-10)
		if !slices.Equal(pivots, order) || len(pivots) != c.rank || l.Cols != c.rank {
			t.Fatalf("%+v: pivots %v, want %v", c, pivots, order)
		}
		for i := range c.n {
			for k, v := range l.Row(i) {
				if math.Float64bits(v) != math.Float64bits(want.At(i, k)) {
					t.Fatalf("%+v: element (%d, %d) is %v, unblocked %v", c, i, k, v, want.At(i, k))
				}
			}
		}
		var back mat.Dense
		dense := mat.DenseCopyOf(gonum(want).Slice(0, c.n, 0, c.rank))
		back.Mul(dense, dense.T())
		if e := largestDifference(&back, gonum(a)); e > 1e-14*float64(c.n) {
			t.Errorf("%+v: LLᵀ is off by %g", c, e)
		}
		last := l.At(pivots[c.rank-1], c.rank-1) / l.At(pivots[0], 0)
		if e := math.Abs(least-last*last) / least; !(e < 1e-10) {
			t.Errorf("%+v: the last pivot is %v of the first, should be %v", c, least, last*last)
		}
		// In the order of the pivots, the pivot rows of L form a lower triangular matrix.
		square := matrix.New[float64](c.rank, c.rank, nil)
		for i, row := range pivots {
			copy(square.Row(i), l.Row(row))
		}
		x := randomMatrix(rng, 3, c.rank)
		y := clone(x)
		CholeskyOf(square).SolveRows(ctx, y)
		back.Reset()
		back.Mul(gonum(y), gonum(square).T())
		if e := largestDifference(&back, gonum(x)); e > 1e-9 {
			t.Errorf("%+v: rows of X·L⁻ᵀ·Lᵀ are off by %g", c, e)
		}
	}
	if _, pivots, least := PivotedCholesky(ctx, matrix.New[float64](3, 3, nil), 1e-10); len(pivots) != 0 || least != 0 {
		t.Errorf("%v, %v of zeros", pivots, least)
	}
}
