package discriminant

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/matrix"
	"gonum.org/v1/gonum/mat"
)

// TestDirectionsOfMany checks the directions of the class means and the cost of computing them. The
// cost may grow only linearly with the number of classes if there are few features. If there are
// many classes and features, the cost must not be cubic.
func TestDirectionsOfMany(t *testing.T) {
	t.Parallel()
	checks := map[int]int{}
	for _, c := range []struct{ classes, d int }{{60, 8}, {70, 8}, {700, 8}, {560, 540}} {
		x, labels := manyClasses(c.classes, 2, c.d)
		s := mustSamples(t, x, labels)
		ctx := ending.At(0)
		values, v, ok := s.meanDirections(ctx, 3, 1e-6)
		if !ok {
			t.Fatal("no directions")
		}
		checks[c.classes] = ctx.Checks()
		b := s.betweenFactor(t.Context())
		for k := range 3 {
			// Check that BᵀB v = μ v, and that v is close to axis k.
			column := matrix.New[float64](c.d, 1, nil)
			matrix.Mul(column, v, unit(v.Cols, k), false)
			bv, bbv := matrix.New[float64](c.classes, 1, nil), matrix.New[float64](c.d, 1, nil)
			matrix.Mul(bv, b, column, false)
			matrix.TransMul(bbv, b, bv, false)
			var off, norm float64
			for j := range c.d {
				e := bbv.Data[j] - values[k]*column.Data[j]
				off, norm = off+e*e, norm+column.Data[j]*column.Data[j]
			}
			if !(math.Sqrt(off/norm) <= 1e-5*values[0]) {
				t.Errorf("%d classes, %d features: direction %d is off by %g", c.classes, c.d, k, math.Sqrt(off/norm)/values[0])
			}
			if share := math.Abs(column.Data[k]) / math.Sqrt(norm); !(share > 0.8) {
				t.Errorf("%d classes, %d features: direction %d has a share of %.3f of its axis", c.classes, c.d, k, share)
			}
		}
	}
	if checks[700] > 11*checks[70] {
		t.Errorf("70 classes: %d checks of the context, 700 classes: %d", checks[70], checks[700])
	}
	if checks[560] > 4*560 {
		t.Errorf("560 classes of 540 features: %d checks of the context", checks[560])
	}
}

// unit returns the k-th unit vector of length n as a column.
func unit(n, k int) matrix.Matrix[float64] {
	e := matrix.New[float64](n, 1, nil)
	e.Data[k*e.Stride] = 1
	return e
}

// TestLambdaOfClasses checks that a matrix of λ is indexed by the original classes even if the
// samples lack some of the classes, as in a cross-validation fold.
func TestLambdaOfClasses(t *testing.T) {
	t.Parallel()
	x, labels := manyClasses(4, 3, 3)
	s := mustSamples(t, x, labels)
	given := mat.NewSymDense(4, nil)
	for c := range 4 {
		for e := range 4 {
			given.SetSym(c, e, float64(1+10*min(c, e)+max(c, e)))
		}
	}
	part, _ := s.CenteredRows(t.Context(), []int{0, 2, 6, 7, 8, 9, 11}, []int{1}) // no row of class 1
	part = part.classSubset(t.Context(), []int{1, 2})                             // drops class 0
	o, err := NewObjective(t.Context(), part, configOf[float64](usualSettings(2)))
	if err == nil {
		err = o.setLambdas(t.Context(), LambdaRule{Matrix: mat.DenseCopyOf(given)}, uniform(1, 3, 2))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range o.pairs {
		if want := o.Samples.ToDataUnits(given.At(q.c+2, q.e+2)); q.lambda != want {
			t.Errorf("λ of classes %d and %d is %v, want %v", part.Classes[q.c], part.Classes[q.e], q.lambda, want)
		}
	}
}
