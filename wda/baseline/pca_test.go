package baseline

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/projection/projectiontest"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// TestPrincipalComponents compares principal components with gonum's. The numbers of features select different
// algorithms. Some cases have more features than rows.
func TestPrincipalComponents(t *testing.T) {
	for _, c := range []struct{ n, d, p int }{{50, 6, 6}, {200, 40, 5}, {300, 200, 7}, {60, 300, 10}, {8, 300, 3}, {5, 3, 2}} {
		x := projectiontest.LowRank(uint64(c.d), c.n, c.d)
		before := mat.DenseCopyOf(x)
		got, err := principalComponents(t.Context(), x, c.p)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(x, before) {
			t.Errorf("%+v: the samples were changed", c)
		}
		var pc stat.PC
		if !pc.PrincipalComponents(x, nil) {
			t.Fatal("gonum's principal components failed")
		}
		var all mat.Dense
		pc.VectorsTo(&all)
		m := stiefel.New(c.d, c.p)
		if e := m.Infeasibility(ctx, got); e > 1e-13 {
			t.Errorf("%+v: columns are not orthonormal: %g", c, e)
		}
		if dist := m.Distance(ctx, got, mat.DenseCopyOf(all.Slice(0, c.d, 0, c.p))); dist > 1e-7 {
			t.Errorf("%+v: subspace is %.3g from gonum's", c, dist)
		}
		for k := range c.p {
			dot := mat.Dot(got.ColView(k), all.ColView(k))
			if math.Abs(math.Abs(dot)-1) > 1e-7 {
				t.Errorf("%+v: component %d is not gonum's: cosine %v", c, k, dot)
			}
		}
	}
}

// TestFewerDirectionsThanComponents checks that samples on a line still give p orthonormal columns, and that the first
// column is the direction of the line.
func TestFewerDirectionsThanComponents(t *testing.T) {
	for _, d := range []int{5, 200} {
		x := mat.NewDense(10, d, nil)
		for i := range 10 {
			x.Set(i, 3, float64(i))
		}
		got, err := principalComponents(t.Context(), x, 4)
		if err != nil {
			t.Fatal(err)
		}
		if e := stiefel.New(d, 4).Infeasibility(ctx, got); !(e <= 1e-13) {
			t.Errorf("d = %d: columns are not orthonormal: %g", d, e)
		}
		if v := math.Abs(got.At(3, 0)); !(math.Abs(v-1) <= 1e-12) {
			t.Errorf("d = %d: first component misses the line: %v", d, v)
		}
	}
}
