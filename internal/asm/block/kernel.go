package block

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
)

// Size is the number of vectors of a block.
const Size = 4

const (
	stripRows  = 32        // maximum rows of a strip
	stripBytes = 256 << 10 // and bytes of it: it stays in the second-level cache
	tileBytes  = 2048      // bytes of a vector that stay in the first, with those of Size vectors and four rows
)

// Scratch returns the length of the scratch that row sums are taken in.
func Scratch[T num.Float]() int { return stripRows * Size * num.Lanes[T]() }

// Iterate is pass.Iterate for the vectors s = 0 … Size−1 of a block, with the same bits: it
// sets u[s] = a[s] ⊘ K v[s] and adds Kᵀ u[s] to q[s]. K, whose columns are a positive
// multiple of num.Lanes, is read once for all. scratch is zero before and after.
func Iterate[K, T num.Float](m, n int, k []K, ldk int, v, a, u, q *[Size][]T, scratch []T) {
	check[T](m, n, len(k), ldk, len(scratch))
	for s := range Size {
		checkVectors(m, n, len(v[s]), len(a[s]), len(u[s]), len(q[s]))
	}
	whole := tiles(m, n, k, ldk, v, a, u, q, scratch)
	for s := range Size {
		pass.Iterate(m-whole, n, k[min(whole*ldk, len(k)):], ldk, v[s], a[s][whole:], u[s][whole:], q[s])
	}
}

// Rows is pass.Rows for the vectors of a block, as Iterate is: r[s] = K v[s].
func Rows[K, T num.Float](m, n int, r *[Size][]T, k []K, ldk int, v *[Size][]T, scratch []T) {
	check[T](m, n, len(k), ldk, len(scratch))
	for s := range Size {
		checkVectors(m, n, len(v[s]), m, len(r[s]), n)
	}
	whole := tiles(m, n, k, ldk, v, nil, r, nil, scratch)
	for s := range Size {
		pass.Rows(m-whole, n, r[s][whole:], k[min(whole*ldk, len(k)):], ldk, v[s])
	}
}

// Columns is pass.Columns for the vectors of a block: it adds Kᵀ u[s] to q[s].
func Columns[K, T num.Float](m, n int, q *[Size][]T, k []K, ldk int, u *[Size][]T) {
	check[T](m, n, len(k), ldk, Scratch[T]())
	for s := range Size {
		checkVectors(m, n, n, m, len(u[s]), len(q[s]))
	}
	whole := tiles(m, n, k, ldk, nil, nil, u, q, nil)
	for s := range Size {
		pass.Columns(m-whole, n, q[s], k[min(whole*ldk, len(k)):], ldk, u[s][whole:])
	}
}

func check[T num.Float](m, n, nk, ldk, scratch int) {
	asm.CheckMatrix(nk, m, n, ldk)
	asm.CheckVector(scratch, Scratch[T]())
	if n < 1 || n%num.Lanes[T]() != 0 {
		panic("block: rows that are no whole steps")
	}
}

// checkVectors panics unless vectors have as many elements as K has columns, v and q, or
// rows, a and u.
func checkVectors(m, n, nv, na, nu, nq int) {
	asm.CheckVector(min(nv, nq), n)
	asm.CheckVector(min(na, nu), m)
}

// tiles makes a pass for as many of the m rows as there is assembly for, a multiple of
// four, and returns their number. Without v, u is given; without q it is the sums.
//
// A strip of rows comes from memory once. The sums of its rows are taken tile by tile of
// columns, the lanes resting in scratch in between; so is what the rows add to q.
func tiles[K, T num.Float](m, n int, k []K, ldk int, v, a, u, q *[Size][]T, scratch []T) (whole int) {
	if !tiled[K, T]() {
		return 0
	}
	var x T
	whole = m &^ 3
	tile, strip := tileBytes/int(unsafe.Sizeof(x)), max(4, min(stripRows, stripBytes/int(unsafe.Sizeof(k[0]))/n&^3))
	for i := 0; i < whole; i += strip {
		r := min(strip, whole-i)
		if v != nil {
			for j := 0; j < n; j += tile {
				sums(r, min(tile, n-j), &k[i*ldk+j], ldk, v, j, &scratch[0])
			}
			update(r, &scratch[0], a, u, i)
		}
		if q != nil {
			for j := 0; j < n; j += tile {
				add(r, min(tile, n-j), &k[i*ldk+j], ldk, u, i, q, j)
			}
		}
	}
	return whole
}
