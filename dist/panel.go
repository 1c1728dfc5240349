package dist

import (
	"sync"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// panel contains a transposed part of the second operand. Panels come from a pool, because a panel
// on the stack would be cleared in every call. Clearing takes as long as computing a hundred
// distances.
type panel[T Float] struct {
	data []T
}

var panels32, panels64 sync.Pool

func borrowPanel[T Float]() *panel[T] {
	pool, n := &panels32, asm.CurrentMachine().PanelBytes/4
	if num.IsFloat64[T]() {
		pool, n = &panels64, asm.CurrentMachine().PanelBytes/8
	}
	if p, ok := pool.Get().(*panel[T]); ok && len(p.data) >= n {
		return p
	}
	return &panel[T]{data: make([]T, n)}
}

func returnPanel[T Float](p *panel[T]) {
	if num.IsFloat64[T]() {
		panels64.Put(p)
	} else {
		panels32.Put(p)
	}
}

// panelShape returns the number of features and the number of columns of a panel, for d features
// and m columns. A panel has up to Depth features, and columns for up to 12 SIMD vectors. With few
// features, a panel has as many columns as fit in its memory. With AVX-512 and more than Depth
// features, a panel has the columns of one kernel tile, so that every distance is written once.
// NOTES.md of internal/asm/distance has the measurements.
func panelShape[T Float](d, m int) (depth, width int) {
	machine := asm.CurrentMachine()
	size, unit := machine.PanelBytes/4, 192
	if num.IsFloat64[T]() {
		size, unit = size/2, unit/2
	}
	depth = min(d, machine.Depth)
	width = unit
	if d > depth && asm.Current() == asm.AVX512 {
		return min(d, machine.DeepDepth), min(unit/4, m)
	}
	if d <= 16 {
		width = size / depth / unit * unit
	}
	return depth, min(width, m)
}

// transpose copies w rows and kc columns of z, beginning at row j and column k. It returns the
// transpose: kc rows of w elements.
func (b *panel[T]) transpose(z Matrix[T], j, w, k, kc int) []T {
	zt := b.data[:w*kc]
	r := 0
	for ; r+4 <= w; r += 4 { // writing four elements at a time touches each cache line less often
		z0 := z.Data[(j+r)*z.Stride+k:][:kc]
		z1 := z.Data[(j+r+1)*z.Stride+k:][:kc]
		z2 := z.Data[(j+r+2)*z.Stride+k:][:kc]
		z3 := z.Data[(j+r+3)*z.Stride+k:][:kc]
		for c := range z0 {
			to := zt[c*w+r:][:4]
			to[0], to[1], to[2], to[3] = z0[c], z1[c], z2[c], z3[c]
		}
	}
	for ; r < w; r++ {
		for c, v := range z.Data[(j+r)*z.Stride+k:][:kc] {
			zt[c*w+r] = v
		}
	}
	return zt
}
