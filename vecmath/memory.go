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
	if len(src) == 0 {
		return
	}
	d, s := uintptr(unsafe.Pointer(&dst[0])), uintptr(unsafe.Pointer(&src[0]))
	bytes := uintptr(len(src)) * unsafe.Sizeof(src[0])
	if d != s && d < s+bytes && s < d+bytes {
		panic(overlapPanic)
	}
}

// sameTypeSlice converts a slice of T to []T.
func sameTypeSlice[T, U Float](s []U) []T { return *(*[]T)(unsafe.Pointer(&s)) }

func view[T Float](m *dist.Matrix[T]) *asm.View[T] { return (*asm.View[T])(m) }
