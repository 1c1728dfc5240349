package project

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Mul sets the m × p matrix y to x·b, or adds x·b to y if add is set.
func Mul[T num.Float](m, p, d int, y []T, ldy int, x []T, ldx int, b []T, ldb int, add bool) {
	asm.CheckMatrix(len(y), m, p, ldy)
	asm.CheckMatrix(len(x), m, d, ldx)
	asm.CheckMatrix(len(b), d, p, ldb)
	if m == 0 || p == 0 {
		return
	}
	if d == 0 {
		if !add {
			mulRef(m, p, 0, y, ldy, nil, 0, nil, 0, false)
		}
		return
	}
	// The depth × cols piece of b stays in the L1 or L2 cache for all rows of a call. A call has at most
	// 0.6 million FMAs, about 25 µs in float64 on AVX2. The outer loop is over rows, so x is read once and
	// in order.
	cols := min(p, 160)
	depth := min(d, 512, max(10240/cols, 64))
	rows := asm.Piece(m, max(cols, 8)*depth, 60)
	for i := 0; i < m; i += rows {
		for k := 0; k < d; k += depth {
			for l := 0; l < p; l += cols {
				mul(min(rows, m-i), min(cols, p-l), min(depth, d-k), y[i*ldy+l:], ldy, x[i*ldx+k:], ldx, b[k*ldb+l:], ldb, add || k > 0)
			}
		}
	}
}

// TransMul sets the p × d matrix g to yᵀ·x, or adds yᵀ·x to g if add is set.
func TransMul[T num.Float](m, p, d int, g []T, ldg int, x []T, ldx int, y []T, ldy int, add bool) {
	asm.CheckMatrix(len(g), p, d, ldg)
	asm.CheckMatrix(len(x), m, d, ldx)
	asm.CheckMatrix(len(y), m, p, ldy)
	if p == 0 || d == 0 {
		return
	}
	if m == 0 {
		if !add {
			transMulRef(0, p, d, g, ldg, nil, 0, nil, 0, false)
		}
		return
	}
	// One call of assembly adds many rows to g, because every call loads and stores g. But the rows of y must fit in the L1 cache.
	// If x does not fit in the L2 cache, a call adds only as many rows as the hardware can prefetch.
	rows := min(m, 128)
	switch {
	case exceedsCache[T](m, ldx) && p*num.Lanes[T]() <= 256:
		rows = min(m, asm.CurrentMachine().FarRows)
	case p > 16:
		rows = min(m, 64)
	}
	lines := min(p, 96)
	cols := asm.Piece(d, max(lines, 8)*rows, 96)
	for k := 0; k < d; k += cols {
		for i := 0; i < m; i += rows {
			for l := 0; l < p; l += lines {
				transMul(min(rows, m-i), min(lines, p-l), min(cols, d-k), g[l*ldg+k:], ldg, x[i*ldx+k:], ldx, y[i*ldy+l:], ldy, add || i > 0)
			}
		}
	}
}

// exceedsCache reports whether m rows with stride ld are too large to stay in the second-level cache.
func exceedsCache[T num.Float](m, ld int) bool {
	return m > asm.CurrentMachine().FarBytes/64*num.Lanes[T]()/max(ld, 1)
}

// PanelColumns returns the number of columns of a panel: 12 for float64, 24 for float32.
func PanelColumns[T num.Float]() int { return num.Lanes[T]() * 3 / 2 }

// Panel adds a·b to the m × [PanelColumns] matrix y. If r is not nil, Panel sets y_ij to r_i + s_j first. The operand a is
// packed in groups of four rows, and every group is stored as a d × 4 matrix. The operand b is a d × [PanelColumns] matrix.
// The row count m must be a multiple of 4. If h is not nil, Panel sets h_j to max(h_j, f_i − y_ij) over all rows i.
func Panel[T num.Float](m, d int, y []T, ldy int, a, b, r, s, f, h []T) {
	w := PanelColumns[T]()
	asm.CheckMatrix(len(y), m, w, ldy)
	asm.CheckVector(len(a), m*d)
	asm.CheckVector(len(b), d*w)
	if r != nil {
		asm.CheckVector(len(r), m)
		asm.CheckVector(len(s), w)
	}
	if h != nil {
		asm.CheckVector(len(f), m)
		asm.CheckVector(len(h), w)
	}
	if m%4 != 0 {
		panic(asm.ShapePanic)
	}
	if m == 0 || d == 0 {
		panelRef(m, w, d, y, ldy, a, b, r, s, f, h)
		return
	}
	rows := asm.Piece(m, w*d, 4)
	for i := 0; i < m; i += rows {
		n := min(rows, m-i)
		panel(n, d, y[i*ldy:], ldy, a[i*d:], b, sliceFrom(r, i), s, sliceFrom(f, i), h)
	}
}

// Pack transposes the 4 × d matrix x and multiplies it by factor. It stores the d × 4 result in the slice dst, with row
// stride step.
func Pack[T num.Float](d int, dst []T, step int, x []T, ldx int, factor T) {
	asm.CheckMatrix(len(x), 4, d, ldx)
	asm.CheckMatrix(len(dst), d, 4, step)
	for k := 0; k < d; {
		n := asm.Piece(d-k, 4, 4)
		pack(n, dst[k*step:], step, x[k:], ldx, factor)
		k += n
	}
}

// NormRows returns the number of rows that one call of Norms processes: 12 for float64, 24 for float32.
func NormRows[T num.Float]() int { return num.Lanes[T]() * 3 / 2 }

// Norms sets n to the squared norms of the rows of x, a [NormRows] × d matrix. If add is set, Norms adds the squares to n.
func Norms[T num.Float](d int, n, x []T, ldx int, add bool) {
	rows := NormRows[T]()
	asm.CheckVector(len(n), rows)
	asm.CheckMatrix(len(x), rows, d, ldx)
	n = n[:rows]
	if d == 0 {
		normsRef(0, n, nil, 0, add)
		return
	}
	deep := asm.Piece(d, rows, 4)
	for k := 0; k < d; k += deep {
		norms(min(deep, d-k), n, x[k:], ldx, add || k > 0)
	}
}

// sliceFrom returns s[i:], or nil if s is nil.
func sliceFrom[T any](s []T, i int) []T {
	if s == nil {
		return nil
	}
	return s[i:]
}
