package asm_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/testdata"
)

// edges returns sizes at which a shape check may overflow: sizes near 0 and near the powers of two
// at which sums or products of two sizes exceed 32, 63 or 64 bits. The sizes are int64 values
// truncated to int.
func edges() (sizes []int) {
	for _, x := range []int64{0, 2, 8, 1 << 16, 1 << 31, 1 << 32, 1 << 60, 1 << 61, 1 << 62, math.MaxInt64 - 1, math.MinInt64 + 1} {
		for d := int64(-1); d <= 1; d++ {
			sizes = append(sizes, int(x+d))
		}
	}
	return sizes
}

// fitsBig is a copy of asm.Fits that computes with big integers.
func fitsBig(n, rows, cols, stride int) bool {
	if n < 0 || rows < 0 || cols < 0 {
		return false
	}
	if rows == 0 || cols == 0 {
		return true
	}
	end := new(big.Int).Mul(big.NewInt(int64(rows)-1), big.NewInt(int64(stride)))
	end.Add(end, big.NewInt(int64(cols)))
	return stride >= cols && end.Cmp(big.NewInt(int64(n))) <= 0
}

func TestFits(t *testing.T) {
	sizes, calls := edges(), 0
	for _, rows := range sizes {
		for _, cols := range sizes {
			for _, stride := range sizes {
				for _, n := range append(sizes, 7, 64) {
					if n < 0 {
						continue // no slice has this length
					}
					if calls++; calls%3 != 0 && !testdata.IsLong() {
						continue // only a long test checks all sizes
					}
					want := fitsBig(n, rows, cols, stride)
					if got := asm.Fits(n, rows, cols, stride); got != want {
						t.Fatalf("Fits(%d, %d, %d, %d) = %v", n, rows, cols, stride, got)
					}
					if got := panicText(func() { asm.CheckMatrix(n, rows, cols, stride) }) == ""; got != want {
						t.Fatalf("CheckMatrix(%d, %d, %d, %d) returns: %v, want %v", n, rows, cols, stride, got, want)
					}
				}
			}
		}
	}
}

// TestChecksSay checks the panic text for each kind of wrong shape, including products that
// overflow to a small number.
func TestChecksSay(t *testing.T) {
	const negative, short, long = "asm: negative dimension", "asm: stride shorter than a row", "asm: matrix longer than its slice"
	for _, c := range []struct {
		n, rows, cols, ld int
		want              string
	}{
		{64, 8, 8, 8, ""},
		{63, 8, 8, 8, long},
		{63, 8, 7, 8, ""},
		{0, 0, math.MaxInt, 0, ""},
		{0, math.MaxInt, 0, math.MaxInt, ""},
		{64, -1, 8, 8, negative},
		{64, 8, -1, 8, negative},
		{64, math.MinInt, math.MinInt, math.MinInt, negative},
		{64, 8, 8, 7, short},
		{64, 8, 8, -8, short},
		{64, math.MaxInt/4 + 2, 8, 8, long}, // with 64-bit ints, rows is 1<<61 + 1, and (rows − 1)·8 wraps to 0
		{64, 2, 8, math.MaxInt, long},       // stride + 8 wraps to a negative number
		{64, math.MaxInt, 8, math.MaxInt, long},
	} {
		if got := panicText(func() { asm.CheckMatrix(c.n, c.rows, c.cols, c.ld) }); got != c.want {
			t.Errorf("CheckMatrix(%d, %d, %d, %d): %q, want %q", c.n, c.rows, c.cols, c.ld, got, c.want)
		}
	}
	for _, c := range []struct {
		have, n int
		want    string
	}{
		{0, 0, ""}, {8, 8, ""}, {8, 9, "asm: vector longer than its slice"}, {8, math.MaxInt, "asm: vector longer than its slice"}, {8, -1, negative}, {8, math.MinInt, negative},
	} {
		if got := panicText(func() { asm.CheckVector(c.have, c.n) }); got != c.want {
			t.Errorf("CheckVector(%d, %d): %q, want %q", c.have, c.n, got, c.want)
		}
	}
}

// panicText calls f and returns the text of its panic, or "".
func panicText(f func()) (what string) {
	defer func() {
		if p := recover(); p != nil {
			what = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

// TestPiece checks three properties. A piece has 1 to n items. A piece of more than one unit
// stays within the budget. A piece of fewer than n items is a whole number of units. Some arguments
// are near the largest int.
func TestPiece(t *testing.T) {
	for _, n := range edges() {
		for _, cost := range edges() {
			if n < 0 || cost < 0 {
				continue
			}
			for _, unit := range []int{1, 8, 64} {
				p := asm.Piece(n, cost, unit)
				work := new(big.Int).Mul(big.NewInt(int64(p)), big.NewInt(int64(cost)))
				if p > n || n > 0 && p < 1 || p > unit && work.Cmp(big.NewInt(asm.Budget)) > 0 || p < n && p%unit != 0 {
					t.Errorf("Piece(%d, %d, %d) = %d", n, cost, unit, p)
				}
			}
		}
	}
}
