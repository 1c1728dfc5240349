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
	stripRows  = 32        // maximum number of rows in a strip
	stripBytes = 256 << 10 // maximum number of bytes in a strip; a strip must stay in the second-level cache
	tileBytes  = 2048      // bytes of a row in a tile; four such rows and the elements of the vectors fit in the first-level cache
)

// Scratch returns the length of the scratch memory, which stores row sums.
func Scratch[T num.Float]() int { return stripRows * Size * num.Lanes[T]() }

// Iterate applies pass.Iterate to each of the Size vectors of a block. For vector s, Iterate sets
// u[s] to the elementwise quotient of a[s] and K v[s], and adds Kᵀ u[s] to q[s]. The results have
// the same bits as the results of pass.Iterate, but block.Iterate reads K only once. n must be a positive
// multiple of num.Lanes. scratch must be zero, and is zero again after the call.
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

// Rows sets r[s] = K v[s] for each vector s of a block, with the same bits as pass.Rows. The
// requirements of [Iterate] apply.
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

// Columns adds Kᵀ u[s] to q[s] for each vector s of a block, with the same bits as pass.Columns.
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

// checkVectors panics unless v and q have at least n elements, and a and u have at least m
// elements.
func checkVectors(m, n, nv, na, nu, nq int) {
	asm.CheckVector(min(nv, nq), n)
	asm.CheckVector(min(na, nu), m)
}

// tiles runs a pass over the first rows of K in assembly. It returns the number of these rows, which
// is a multiple of four. If v is nil, u is an input. If v is not nil, tiles sets u to the row sums
// K v, or to the quotients of a and the row sums if a is not nil.
//
// tiles reads each strip of rows from memory once. It first computes the row sums of the strip, one
// tile of columns at a time. Then it adds Kᵀ u of the strip to q, again one tile at a time. Between
// two tiles, scratch contains the partial row sums.
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
