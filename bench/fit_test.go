package bench

import (
	"fmt"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkFit measures fits of 10 components, with fixed settings and with default settings. The data are 1000 digits of
// MNIST, and normal rows of four classes.
func BenchmarkFit(b *testing.B) {
	fixed := wda.Settings{Components: 10, Scale: wda.ScaleOrthonormal, Leading: 10, Data: wda.Data{Whitening: wda.NoWhitening()}}
	fixed.Objective.Lambda, fixed.Objective.Shrinkage = wda.RelativeLambda(1), wda.FixedShrinkage(1)
	fit := func(b *testing.B, x mat.Matrix, labels []int) {
		for name, set := range map[string]wda.Settings{"fixed": fixed, "default": {Components: 10}} {
			b.Run("settings="+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := wda.Fit(b.Context(), x, labels, &set); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	b.Run("data=mnist", func(b *testing.B) {
		all, err := dataset.ReadFile(testdata.Shared(b, "data", "mnist.npz"), nil)
		if err != nil {
			b.Fatal(err)
		}
		train, _, err := all.SplitBy(0)
		if err != nil {
			b.Fatal(err)
		}
		digits, err := train.Sample(1000, 1)
		if err != nil {
			b.Fatal(err)
		}
		fit(b, digits.X, digits.Labels)
	})
	for _, size := range [][2]int{{1000, 10}, {200, 30}, {100, 10}} {
		n, d := size[0], size[1]
		x, centers, labels := normal[float64](n, d, 1), normal[float64](4, min(d, 6), 2), make([]int, n)
		for i := range n {
			labels[i] = i % 4
			for j, c := range centers.Row(labels[i]) {
				x.Row(i)[j] += 1.5 * c
			}
		}
		b.Run(fmt.Sprintf("data=normal/n=%d/d=%d", n, d), func(b *testing.B) { fit(b, mat.NewDense(n, d, x.Data), labels) })
	}
}
