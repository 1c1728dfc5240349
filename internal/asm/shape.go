package asm

import "math/bits"

// Fits reports whether a rows × cols matrix whose rows begin stride elements apart
// lies within a slice of n elements: no size is negative, no row reaches into the
// next, and (rows − 1)·stride + cols ≤ n, however large the sizes are. A matrix
// without rows or without columns lies in every slice, whatever its stride.
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

// CheckMatrix panics unless a rows × cols matrix with row stride ld lies within a
// slice of n elements, as [Fits] has it.
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

// CheckVector panics unless a slice of length have has at least n elements and n is
// not negative.
func CheckVector(have, n int) {
	if n < 0 {
		panic("asm: negative dimension")
	}
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
// least one unit, and at most n. Neither n nor cost is negative.
func Piece(n, cost, unit int) int {
	if hi, lo := bits.Mul64(uint64(n), uint64(cost)); hi == 0 && lo <= Budget {
		return n // the usual small call, without a division
	}
	p := Budget / max(cost, 1) / unit * unit
	return min(n, max(p, unit))
}
