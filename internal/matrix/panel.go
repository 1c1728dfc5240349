package matrix

import (
	"sync"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// panelBytes is what a transposed panel may take of the second-level cache.
// On Zen 3 96 columns of 256 features take 40 ms for 1000² distances of 784
// features, 24 columns 49 ms, 96 columns of 64 features 46 ms.
const panelBytes = 192 << 10

// panel holds a transposed piece of the second operand. Panels are pooled: one on
// the stack would be cleared on every call, which takes as long as a hundred
// distances squared.
type panel[T num.Float] struct {
	data []T
}

var panels32, panels64 sync.Pool

func borrowPanel[T num.Float]() *panel[T] {
	pool, n := &panels32, panelBytes/4
	if num.IsFloat64[T]() {
		pool, n = &panels64, panelBytes/8
	}
	if p, ok := pool.Get().(*panel[T]); ok {
		return p
	}
	return &panel[T]{data: make([]T, n)}
}

func returnPanel[T num.Float](p *panel[T]) {
	if num.IsFloat64[T]() {
		panels64.Put(p)
	} else {
		panels32.Put(p)
	}
}

// panelShape returns how many features and how many of m columns a panel takes: up
// to 256 features, and 12 vectors of columns, so that a column of the panel does not
// fall on few sets of the first-level cache; where a distance has few features, as
// many columns as there is room for; with AVX-512 and more than 256 features those of
// one tile, so that every distance is written once. 1000² distances of 784 features
// take 46.1 ms then on a Sapphire Rapids for 50.2 (float32 22.4 for 27.7), and with
// AVX2 on Zen 3 10 to 20 % more.
func panelShape[T num.Float](d, m int) (depth, width int) {
	size, unit := panelBytes/4, 192
	if num.IsFloat64[T]() {
		size, unit = size/2, unit/2
	}
	depth = min(d, 256)
	width = unit
	if d > depth && asm.Current() == asm.AVX512 {
		// the columns of one tile, so that every distance is written once
		return min(d, 1024), min(unit/4, m)
	}
	if d <= 16 {
		width = size / depth / unit * unit
	}
	return depth, min(width, m)
}

// transpose copies columns k … k+kc−1 of rows j … j+w−1 of z into kc rows of w.
func (b *panel[T]) transpose(z Matrix[T], j, w, k, kc int) []T {
	zt := b.data[:w*kc]
	r := 0
	for ; r+4 <= w; r += 4 { // four at a time touch a quarter of the lines
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
