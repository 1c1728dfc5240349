package asm

// CheckMatrix panics unless a rows × cols matrix with row stride ld lies within a
// slice of n elements. An empty matrix lies in every slice.
func CheckMatrix(n, rows, cols, ld int) {
	if rows < 0 || cols < 0 {
		panic("asm: negative dimension")
	}
	if rows == 0 || cols == 0 {
		return
	}
	if ld < cols {
		panic("asm: stride shorter than a row")
	}
	if (rows-1)*ld+cols > n {
		panic("asm: matrix longer than its slice")
	}
}

// CheckVector panics unless a slice of length have has at least n elements.
func CheckVector(have, n int) {
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
// least one unit, and at most n.
func Piece(n, cost, unit int) int {
	if n*cost <= Budget {
		return n // the usual small call, without a division
	}
	p := Budget / max(cost, 1) / unit * unit
	return min(n, max(p, unit))
}
