package main

import (
	"slices"
	"testing"
)

// TestNearestOf compares nearestOf with a sort, for the smallest and for the largest values.
func TestNearestOf(t *testing.T) {
	x := []float32{3, 1, 4, 1, 5, -9, 2, 6, 5, 3, 5, 8}
	for _, largest := range []bool{false, true} {
		for k := 1; k <= len(x); k++ {
			best, rows := make([]float32, k), make([]int, k)
			nearestOf(best, rows, x, largest)
			want := slices.Sorted(slices.Values(x))
			if largest {
				slices.Reverse(want)
			}
			if !slices.Equal(best, want[:k]) {
				t.Errorf("k = %d, largest %v: %v", k, largest, best)
			}
			for i, row := range rows {
				if x[row] != best[i] {
					t.Errorf("k = %d, largest %v: row %d has %g, not %g", k, largest, row, x[row], best[i])
				}
			}
		}
	}
}
