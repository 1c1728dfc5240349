package projection

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestClearConstant checks that ClearConstant compares the range of a feature in each class with
// 2⁻⁴⁸ times the largest absolute value in all samples.
func TestClearConstant(t *testing.T) {
	const e = 0x1p-48
	x := mat.NewDense(4, 6, []float64{
		1, 1, -1, 1, 0, 1,
		0, 0, 0, 5, 0, 2,
		1 - e, 1 - 2*e, -1 + e, 1, 0, 1,
		e, e, -e, 5 + 4*e, 0, 1,
	})
	for _, classes := range [][][]int{{{0, 2}, {1, 3}}, {{1, 3}, {0, 2}}} {
		w := mat.NewDense(4, 6, slices.Repeat([]float64{1}, 24))
		ClearConstant(t.Context(), w, x, classes)
		for i := range 4 {
			if got, want := w.RawRowView(i), []float64{0, 1, 0, 0, 0, 1}; !slices.Equal(got, want) {
				t.Errorf("classes %v, row %d: %v, want %v", classes, i, got, want)
			}
		}
	}
}
