package algebra

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/matrix"
)

// PivotedCholesky factorizes a symmetric positive semidefinite matrix (n × n) to its numerical rank
// r: A ≈ L·Lᵀ. It stops when no remaining pivot is larger than tolerance times the first pivot. The
// result l is L (n × r), with rows in the order of A. The result pivots lists the row of each
// pivot, the largest pivot first. Row pivots[k] of L has a positive element in column k and zeros in
// all later columns. least is the last pivot divided by the first pivot, or 0 if there is no pivot.
// PivotedCholesky overwrites the lower triangle of a. If the context ends, pivots
// is empty.
//
// The algorithm is right-looking (C. Lucas, "LAPACK-style codes for level 2 and 3 pivoted Cholesky
// factorizations", LAPACK working note 161, 2004). Every element of L is one chain of FMAs over
// ascending columns and does not depend on the block size.
func PivotedCholesky(ctx context.Context, a matrix.Matrix[float64], tolerance float64) (l matrix.Matrix[float64], pivots []int, least float64) {
	n := a.Rows
	if a.Cols != n {
		panic("algebra: a matrix to factorize is not square")
	}
	l = matrix.New[float64](n, n, nil)
	left := make([]float64, n) // diagonal of the Schur complement
	used := make([]bool, n)
	for i := range left {
		left[i] = a.At(i, i)
	}
	less := matrix.New[float64](blockSize, n, nil)
	var first float64
	for k := range n {
		from := k / blockSize * blockSize // the first column l of L for which l·lᵀ has not been subtracted from A
		if k == from && k > 0 {
			subtractOuter(ctx, a, l.ColRange(k-blockSize, k), less)
		}
		if ctx.Err() != nil {
			return l, nil, 0
		}
		at := -1
		for i, v := range left {
			if !used[i] && (at < 0 || v > left[at]) {
				at = i
			}
		}
		if k == 0 {
			first = left[at]
		}
		if !(left[at] > tolerance*first) {
			break
		}
		used[at], least = true, left[at]/first
		pivots = append(pivots, at)
		root := math.Sqrt(left[at])
		pivot := l.Row(at)
		pivot[k] = root
		for i := range n {
			if used[i] {
				continue
			}
			row := l.Row(i)
			v := a.At(max(i, at), min(i, at))
			for m, x := range row[from:k] {
				v = math.FMA(-x, pivot[from+m], v)
			}
			row[k] = v / root
			left[i] = math.FMA(-row[k], row[k], left[i])
		}
	}
	return l.ColRange(0, len(pivots)), pivots, least
}

// subtractOuter sets the lower triangle of A to that of A − C·Cᵀ. A is n × n, C is n × blockSize,
// and scratch must be blockSize × n. subtractOuter stops when the context ends.
func subtractOuter(ctx context.Context, a, c, scratch matrix.Matrix[float64]) {
	matrix.Transpose(scratch, c)
	for i, v := range scratch.Data {
		scratch.Data[i] = -v
	}
	for i := 0; i < a.Rows && ctx.Err() == nil; i += blockSize {
		j := min(i+blockSize, a.Rows)
		matrix.Mul(a.RowRange(i, j).ColRange(0, j), c.RowRange(i, j), scratch.ColRange(0, j), true)
	}
}
