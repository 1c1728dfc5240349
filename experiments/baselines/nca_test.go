package baselines

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/projection"
	"gonum.org/v1/gonum/mat"
)

// TestNCAIsScikitLearns compares the value and the gradient with scikit-learn at two points. It
// also checks that the minimum found when starting at PCA is at least as good as the minimum of
// scikit-learn.
func TestNCAIsScikitLearns(t *testing.T) {
	x, labels := readSamples(t, "wine")
	n, d := x.Dims()
	c := projection.Centered(t.Context(), x)
	for j := range d {
		column := mat.Col(nil, j, c)
		sd := mat.Norm(mat.NewVecDense(n, column), 2) / math.Sqrt(float64(n))
		for i := range n {
			c.Set(i, j, c.At(i, j)/sd)
		}
	}
	f := newNeighborhoods(t.Context(), c, labels)
	for _, at := range []string{"wine_nca_far", "wine_nca_near"} {
		p, gradient := readMatrix(t, at), mat.NewDense(d, 2, nil)
		value, err := f.evaluate(ctx, p, gradient)
		if err != nil {
			t.Fatal(err)
		}
		if want := readMatrix(t, at+"_value").At(0, 0); !(math.Abs(value/want-1) < 1e-12) {
			t.Errorf("%s: value %v, want %v", at, value, want)
		}
		want := readMatrix(t, at+"_gradient")
		gradient.Sub(gradient, want)
		if e := mat.Norm(gradient, 2) / mat.Norm(want, 2); !(e < 1e-10) {
			t.Errorf("%s: gradient is off by %.3g", at, e)
		}
	}
	x, labels = readSamples(t, "iris")
	f = newNeighborhoods(t.Context(), x, labels)
	start, err := components(t.Context(), x, 2)
	if err != nil {
		t.Fatal(err)
	}
	v, err := minimizeFreely(t.Context(), f, start, 1000)
	if err != nil {
		t.Fatal(err)
	}
	theirs := readMatrix(t, "iris_nca_end_value").At(0, 0)
	ours, _ := f.evaluate(ctx, v, nil)
	t.Logf("objective %.8g, scikit-learn's %.8g", ours, theirs)
	if !(ours <= theirs+1e-3) {
		t.Errorf("objective %v, scikit-learn's is %v", ours, theirs)
	}
}

// TestNCAFarApart uses samples that are far apart. For all samples except the nearest neighbors, the
// exponentials are negligible. The number of rows of a class is not a
// multiple of blockRows.
func TestNCAFarApart(t *testing.T) {
	const n = 2*blockRows + 3
	x, labels := mat.NewDense(n, 1, nil), make([]int, n)
	for i := range n {
		x.Set(i, 0, float64(1000*i))
		labels[i] = i / (blockRows + 2)
	}
	// Every row has nearest neighbors of its own class only, except the two rows at the border
	// between the classes. Each of these two rows has one neighbor of each class at the same
	// distance, so p_i = ½.
	f := newNeighborhoods(t.Context(), x, labels)
	value, err := f.evaluate(ctx, mat.NewDense(1, 1, []float64{1}), nil)
	if classes := len(f.class); classes != 2 {
		t.Fatalf("%d classes", classes)
	}
	if err != nil || value != -(n-1) {
		t.Errorf("value %v, %v; want %v", value, err, -(n - 1))
	}
}
