//go:build !purego

package project

import (
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
)

// TestLevelsOfOtherCPU repeats the tests of the instruction-set levels with the AVX-512 kernels that other CPU models would
// choose.
func TestLevelsOfOtherCPU(t *testing.T) {
	if !asm.Has(asm.AVX512) {
		t.Skip("the tables of machines differ in AVX-512's forms only")
	}
	asmtest.OtherMachines(t, TestLevels)
}

// TestRowsAVX512 checks that products with short sums and many columns use AVX2 if the table of a machine says so, and
// AVX-512 otherwise.
func TestRowsAVX512(t *testing.T) {
	for _, m := range asm.Machines() {
		restore := asm.SwitchMachine(m)
		depth, cols := m.Product.ShallowDepth, m.Product.ShallowCols
		for _, c := range []struct{ depth, cols, want int }{{depth, cols, 0}, {depth + 1, cols, 8}, {depth, cols - 1, 8}} {
			if depth == 0 {
				c.depth, c.cols, c.want = max(c.depth, 1), 1000, 8
			}
			if got := rowsAVX512[float64](11, c.cols, c.depth); got != c.want {
				t.Errorf("%s: %d rows of 11 × %d have AVX-512's form for sums of %d terms, want %d", m.Name, got, c.cols, c.depth, c.want)
			}
		}
		restore()
	}
}
