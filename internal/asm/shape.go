package asm

import (
	"math/bits"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/num"
)

// Fits reports whether a rows × cols matrix whose rows begin stride elements apart
// lies within a slice of n elements: no size is negative, no row reaches into the
// next, and (rows − 1)·stride + cols ≤ n, however large the sizes are. A matrix
// without rows or without columns lies in every slice, whatever its stride.
func Fits(n, rows, cols, stride int) bool {
	if rows <= 0 || cols <= 0 {
		return n >= 0 && rows >= 0 && cols >= 0
	}
	if stride < cols || n < cols {
		return false
	}
	hi, lo := bits.Mul64(uint64(rows-1), uint64(stride))
	return hi == 0 && lo <= uint64(n-cols)
}

// CheckMatrix panics unless a rows × cols matrix with row stride ld lies within a
// slice of n elements, as [Fits] has it.
func CheckMatrix(n, rows, cols, ld int) {
	if Fits(n, rows, cols, ld) {
		return
	}
	switch {
	case rows < 0 || cols < 0:
		panic("asm: negative dimension")
	case ld < cols:
		panic("asm: stride shorter than a row")
	}
	panic("asm: matrix longer than its slice")
}

// CheckVector panics unless a slice of length have has at least n elements and n is
// not negative.
func CheckVector(have, n int) {
	if n < 0 {
		panic("asm: negative dimension")
	}
	if have < n {
		panic("asm: vector longer than its slice")
	}
}

// Budget is the number of fused multiply-adds on single elements that one
// assembly call may take. Assembly cannot be preempted, so a stop-the-world waits
// for it: at 8 to 32 elements a nanosecond this is 10 to 40 µs, and below 100 µs
// where the data come from memory.
const Budget = 1 << 18

// Piece returns how many of n items, each of the given cost in elements, one
// assembly call may take: a multiple of unit that stays within Budget, but at
// least one unit, and at most n. Neither n nor cost is negative.
func Piece(n, cost, unit int) int {
	if hi, lo := bits.Mul64(uint64(n), uint64(cost)); hi == 0 && lo <= Budget {
		return n // the usual small call, without a division
	}
	p := Budget / max(cost, 1) / unit * unit
	return min(n, max(p, unit))
}

// What is said of a caller's mistake. The words begin with the name of the public package
// whose users meet them.
const (
	FitPanic     = "dist: matrix does not fit its data"
	ShapePanic   = "dist: shapes do not match"
	OverlapPanic = "dist: destination overlaps an operand"
)

// View is the type below dist.Matrix, for the checks that packages dist and internal/matrix
// share: either converts a pointer to its matrix.
type View[T num.Float] struct {
	Rows, Cols int
	Data       []T
	Stride     int
}

// CheckFit panics unless v lies within its data.
func (v *View[T]) CheckFit() {
	if !Fits(len(v.Data), v.Rows, v.Cols, v.Stride) {
		panic(FitPanic)
	}
}

// CheckOperands panics unless dst, a and b fit their data and dst overlaps neither a nor b.
func CheckOperands[T num.Float](dst, a, b *View[T]) {
	dst.CheckFit()
	a.CheckFit()
	b.CheckFit()
	CheckOverlap(dst, a)
	CheckOverlap(dst, b)
}

// CheckOverlap panics if dst overlaps x. Both must fit their data.
func CheckOverlap[T num.Float](dst, x *View[T]) {
	if Overlap(dst, x) {
		panic(OverlapPanic)
	}
}

// Overlap reports whether a and b, which must fit their data, have an element in common.
// Columns of one matrix beside each other do not overlap. If their strides differ, it
// reports whether the memory that they span overlaps.
//
// It takes pointers: copies of six words were half of the time of a small call (distance/NOTES.md).
func Overlap[T num.Float](a, b *View[T]) bool {
	if a.Rows == 0 || a.Cols == 0 || b.Rows == 0 || b.Cols == 0 {
		return false
	}
	size := unsafe.Sizeof(a.Data[0])
	pa, pb := uintptr(unsafe.Pointer(&a.Data[0])), uintptr(unsafe.Pointer(&b.Data[0]))
	if pa > pb {
		a, b, pa, pb = b, a, pb, pa
	}
	offset := int((pb - pa) / size)
	if offset >= (a.Rows-1)*a.Stride+a.Cols {
		return false
	}
	// A single row has any stride: that of a, if it is no longer.
	if b.Stride != a.Stride && (b.Rows > 1 || b.Cols > a.Stride) || (pb-pa)%size != 0 {
		return true
	}
	// b begins at column j of a row of a, or between that row and the next, into which
	// it may reach.
	j := offset % a.Stride
	return j < a.Cols || j+b.Cols > a.Stride
}
