package vecmath

import (
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/pair"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/vector"
)

// Sum returns Σ src[i], and +0 for an empty slice.
func Sum[T Float](src []T) T { return pair.Sum(src) }

// Dot returns Σ a[i]·b[i], and +0 for empty slices. Each product is added by a fused multiply-add,
// with one rounding.
func Dot[T Float](a, b []T) T { return pair.Dot(a, b) }

// SqEuclidean returns Σ (a[i] − b[i])², the squared Euclidean distance, and +0 for empty slices. It is never
// negative. If a and b are finite and equal, it is +0.
func SqEuclidean[T Float](a, b []T) T { return pair.SqEuclidean(a, b) }

// Manhattan returns Σ |a[i] − b[i]|, and +0 for empty slices. It is never negative. If a and b are
// finite and equal, it is +0.
func Manhattan[T Float](a, b []T) T { return pair.Manhattan(a, b) }

// CosineSimilarity returns the cosine of the angle between a and b, Σ a[i]·b[i] / √(Σ a[i]²·Σ
// b[i]²).
//
// The result lies between −1 and 1, and does not depend on the order of a and b. It is exactly 1 if
// a and b are equal and not zero. It is 0 if one vector is zero or empty and no vector contains a
// NaN. It is NaN if a vector contains a NaN, or if one vector contains an infinity and the other
// vector is not zero. Finite vectors do not overflow or underflow, because very long and very short
// vectors are scaled by powers of two.
func CosineSimilarity[T Float](a, b []T) T { return pair.Cosine(a, b) }

// Norm returns √Σ x[i]², the Euclidean length. Intermediate sums do not overflow if the norm is finite, and the norm
// is 0 only for the zero vector. It is +Inf if x contains an infinity and no NaN.
func Norm[T Float](x []T) T { return pair.Norm(x) }

// Normalize sets dst to src/‖src‖, and returns ‖src‖. dst may be src. If src is zero, dst becomes
// src and the result is 0. If src contains a NaN, all elements of dst become NaN. If src contains
// an infinity and no NaN, its finite elements become zero and its infinite elements become NaN.
func Normalize[T Float](dst, src []T) T {
	checkDestination(dst, src)
	if norm := pair.Norm(src); norm > 0x1p-30 && norm < 0x1p30 {
		vector.Affine(dst, src, 0, 1/norm)
		return norm
	}
	norm, scaled, p := pair.ScaledNorm(src)
	switch {
	case norm == 0:
		copy(dst, src)
	case norm != norm:
		for i := range dst {
			dst[i] = norm
		}
	default:
		pair.Scale(dst, src, p)
		vector.Affine(dst, dst, 0, 1/scaled)
	}
	return norm
}

// NormalizeRows sets row i of dst to [Normalize] of row i of src. dst may be src.
func NormalizeRows[T Float](dst, src dist.Matrix[T]) {
	applyToRows(dst, src, func(dst, src []T) { Normalize(dst, src) })
}

// longRow is the maximum number of elements in one call of a kernel. Longer rows need several calls.
const longRow = asm.Budget / 8

// AddScaled adds alpha·src[i] to dst[i], with one rounding. dst may be src.
func AddScaled[T Float](dst []T, alpha T, src []T) {
	checkDestination(dst, src)
	for len(src) > 0 {
		n := min(longRow, len(src))
		pass.Columns(1, n, dst, src, n, []T{alpha})
		dst, src = dst[n:], src[n:]
	}
}

// Scale sets dst[i] = alpha·src[i]. dst may be src.
func Scale[T Float](dst []T, alpha T, src []T) {
	checkDestination(dst, src)
	vector.Affine(dst, src, 0, alpha)
}

// MeanRows sets dst[j] to the mean of column j of x: the sum of its elements in ascending order of rows, divided by
// the number of rows. dst must have one element for each column of x, and must not overlap x. If x has no rows, the
// means are NaN.
func MeanRows[T Float](dst []T, x dist.Matrix[T]) {
	x.Check()
	if len(dst) != x.Cols {
		panic(fmt.Sprintf("vecmath: shapes do not match: dst has %d elements, x %d columns", len(dst), x.Cols))
	}
	if d := dist.NewMatrix(1, len(dst), dst); asm.Overlap(view(&d), view(&x)) {
		panic(overlapPanic)
	}
	clear(dst)
	for i := 0; i < x.Rows; i += chunk {
		n := min(chunk, x.Rows-i)
		for j := 0; j < x.Cols; j += longRow {
			pass.Columns(n, min(longRow, x.Cols-j), dst[j:], x.Data[i*x.Stride+j:], x.Stride, ones[T](n))
		}
	}
	for j := range dst {
		dst[j] /= T(x.Rows)
	}
}

// TopK returns the indices of the k largest elements of x, largest first. Equal elements are sorted by index; NaN
// come last. If x has fewer than k elements, TopK returns all indices. It reuses the memory of dst and allocates only
// if the capacity of dst is below k. TopK panics if k is negative.
func TopK[T Float](dst []int, x []T, k int) []int {
	if k < 0 {
		panic(fmt.Sprintf("vecmath: k is %d; it must not be negative", k))
	}
	k = min(k, len(x))
	dst = dst[:0]
	if k == 0 {
		return dst
	}
	// dst is a heap of indices. The index at its root ranks last.
	for i := range k {
		dst = append(dst, i)
	}
	for r := k/2 - 1; r >= 0; r-- {
		siftDown(dst, x, r)
	}
	last := x[dst[0]]
	for i := k; i < len(x); i++ {
		if v := x[i]; v > last || last != last && v == v { // an equal element has a larger index and therefore ranks lower
			dst[0] = i
			siftDown(dst, x, 0)
			last = x[dst[0]]
		}
	}
	for n := k - 1; n > 0; n-- {
		dst[0], dst[n] = dst[n], dst[0]
		siftDown(dst[:n], x, 0)
	}
	return dst
}

// siftDown restores the heap order of the subtree with root r. Only the root may be out of order.
func siftDown[T Float](heap []int, x []T, r int) {
	for {
		c := 2*r + 1
		if c >= len(heap) {
			return
		}
		if c+1 < len(heap) && ranksBefore(x, heap[c], heap[c+1]) {
			c++
		}
		if !ranksBefore(x, heap[r], heap[c]) {
			return
		}
		heap[r], heap[c] = heap[c], heap[r]
		r = c
	}
}

// ranksBefore reports whether x[i] comes before x[j] in the order of TopK.
func ranksBefore[T Float](x []T, i, j int) bool {
	v, w := x[i], x[j]
	switch {
	case v > w:
		return true
	case v < w:
		return false
	case v == w || v != v && w != w:
		return i < j
	}
	return v == v
}

// DotEach sets dst[i] to [Dot] of query and rows[i]. It panics if dst does not have one element for
// each row, if a row does not have the length of query, or if dst overlaps query or a row.
func DotEach[T Float](dst, query []T, rows [][]T) {
	checkRows(dst, query, rows)
	for i, row := range rows {
		dst[i] = pair.Dot(query, row)
	}
}

// SqEuclideanEach sets dst[i] to [SqEuclidean] of query and rows[i]. Requirements are as in
// DotEach.
func SqEuclideanEach[T Float](dst, query []T, rows [][]T) {
	checkRows(dst, query, rows)
	for i, row := range rows {
		dst[i] = pair.SqEuclidean(query, row)
	}
}

// CosineEach sets dst[i] to [CosineSimilarity] of query and rows[i]. Requirements are as in
// DotEach.
func CosineEach[T Float](dst, query []T, rows [][]T) {
	checkRows(dst, query, rows)
	for i, row := range rows {
		dst[i] = pair.Cosine(query, row)
	}
}

func checkRows[T Float](dst, query []T, rows [][]T) {
	if len(dst) != len(rows) {
		panic(fmt.Sprintf("vecmath: shapes do not match: dst has %d elements, and there are %d rows", len(dst), len(rows)))
	}
	for i, row := range rows {
		if len(row) != len(query) {
			panic(fmt.Sprintf("vecmath: shapes do not match: row %d has %d elements, the query %d", i, len(row), len(query)))
		}
		if overlap(dst, row) {
			panic(overlapPanic)
		}
	}
	if overlap(dst, query) {
		panic(overlapPanic)
	}
}
