package vecmath

import (
	"unsafe"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/pair"
)

// checkDestination panics if dst and src have different lengths, or overlap without being the same slice.
func checkDestination[T Float](dst, src []T) {
	if len(dst) != len(src) {
		panic(pair.LengthsText(len(dst), len(src)))
	}
	if unsafe.SliceData(dst) != unsafe.SliceData(src) && overlap(dst, src) {
		panic(overlapPanic)
	}
}

// overlap reports whether a and b share memory.
func overlap[T Float](a, b []T) bool {
	pa, pb := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	size := unsafe.Sizeof(T(0))
	return len(a) > 0 && len(b) > 0 && pa < pb+uintptr(len(b))*size && pb < pa+uintptr(len(a))*size
}

// sameTypeSlice converts a []U to []T. U and T must be the same type.
func sameTypeSlice[T, U Float](s []U) []T { return *(*[]T)(unsafe.Pointer(&s)) }

func view[T Float](m *dist.Matrix[T]) *asm.View[T] { return (*asm.View[T])(m) }
