package matrix

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm/num"
)

// Overlap reports whether a and b, which must fit their data, have an element in
// common. Columns of one matrix beside each other do not overlap; of views whose rows
// are differently far apart it reports whether the memory they span does.
func Overlap[T num.Float](a, b Matrix[T]) bool { return overlap(&a, &b) }

// overlap is Overlap. It takes pointers, as what checks an operand does: six words copied
// by two at a time wait for the single ones just stored, and that was half of a request of
// 30 features.
func overlap[T num.Float](a, b *Matrix[T]) bool {
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

// checkOverlap panics if dst overlaps x.
func checkOverlap[T num.Float](dst, x *Matrix[T]) {
	if overlap(dst, x) {
		panic(overlapPanic)
	}
}
