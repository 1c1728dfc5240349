package asm

import (
	"math/bits"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/num"
)

// Fits reports whether a rows × cols matrix with the given row stride fits a slice of n elements:
// no size is negative, rows do not overlap, and (rows − 1)·stride + cols ≤ n. The check does not
// overflow. A matrix without rows or columns fits every slice for any stride.
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

// CheckMatrix panics unless a rows × cols matrix with row stride ld fits a slice of n elements (see
// [Fits]).
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

// CheckVector panics if n is negative or greater than have, the length of a slice.
func CheckVector(have, n int) {
	if n < 0 {
		panic("asm: negative dimension")
	}
	if have < n {
		panic("asm: vector longer than its slice")
	}
}

// Budget is the maximum number of scalar fused multiply-adds in one assembly call. Assembly cannot
// be preempted, so a stop-the-world pause of the Go runtime waits for the call. A call takes 10 to
// 40 µs, or at most 100 µs if the data come from memory.
const Budget = 1 << 18

// Piece returns how many of n items one assembly call may process. The cost is the number of
// multiply-adds for an item. The result is n if all items stay within [Budget]. Otherwise, the
// result is the largest multiple of unit within Budget, but at least unit and at most n. The
// arguments n and cost must not be negative.
func Piece(n, cost, unit int) int {
	if hi, lo := bits.Mul64(uint64(n), uint64(cost)); hi == 0 && lo <= Budget {
		return n // the common case needs no division
	}
	p := Budget / max(cost, 1) / unit * unit
	return min(n, max(p, unit))
}

// Texts of panics. Each text begins with the name of the public package that users call.
const (
	FitPanic     = "dist: matrix does not fit its data"
	ShapePanic   = "dist: shapes do not match"
	OverlapPanic = "dist: destination overlaps an operand"
)

// View has the fields of dist.Matrix. Packages convert a *dist.Matrix to a *View for the checks
// below.
type View[T num.Float] struct {
	Rows, Cols int
	Data       []T
	Stride     int
}

// CheckFit panics unless v fits its data.
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

// CheckOverlap panics if dst overlaps x. Call CheckFit for both matrices first.
func CheckOverlap[T num.Float](dst, x *View[T]) {
	if Overlap(dst, x) {
		panic(OverlapPanic)
	}
}

// Overlap reports whether a and b have an element in common. Both matrices must fit their data.
// Adjacent column ranges of one matrix do not overlap. If the strides differ, Overlap reports
// whether the memory ranges overlap.
//
// The parameters are pointers because copies of the structs took half of the time of a small call
// (distance/NOTES.md).
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
	// Matrices with different strides count as overlapping if their memory ranges overlap. This rule
	// does not apply if b is a single row of at most a.Stride elements, because the stride of a
	// single row is not used. The code below treats such a matrix b as a row of a.
	if b.Stride != a.Stride && (b.Rows > 1 || b.Cols > a.Stride) || (pb-pa)%size != 0 {
		return true
	}
	// Matrix b begins at column j of a row of matrix a, or in the gap after the row. b may extend
	// into the next row of a.
	j := offset % a.Stride
	return j < a.Cols || j+b.Cols > a.Stride
}
