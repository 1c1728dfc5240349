package baselines

import (
	"testing"

	"github.com/gomonge/monge/internal/projection"
	"github.com/gomonge/monge/internal/projection/projectiontest"
	"gonum.org/v1/gonum/mat"
)

// TestSpan checks that the basis is orthonormal, that its span contains the rows, and that it has
// no superfluous vectors.
func TestSpan(t *testing.T) {
	for _, c := range []struct{ n, d, distinct, rank int }{
		{6, 6, 6, 5}, {8, 30, 8, 7}, {8, 30, 5, 4}, {60, 300, 60, 59}, {4, 50, 1, 0}, {2, 9, 2, 1},
	} {
		x := mat.DenseCopyOf(projectiontest.Random(uint64(c.d), c.n, c.d, 1))
		for i := c.distinct; i < c.n; i++ {
			copy(x.RawRowView(i), x.RawRowView(i%c.distinct))
		}
		x = projection.Centered(t.Context(), x)
		basis, y, _ := sampleSpan(ctx, x)
		if basis == nil {
			t.Fatalf("%+v: no basis", c)
		}
		if _, r := basis.Dims(); r != max(1, c.rank) {
			t.Errorf("%+v: %d vectors", c, r)
			continue
		}
		_, r := basis.Dims()
		identity := mat.NewDiagDense(r, nil)
		for i := range r {
			identity.SetDiag(i, 1)
		}
		var of, back mat.Dense
		of.Mul(basis.T(), basis)
		if !mat.EqualApprox(&of, identity, 1e-13) {
			t.Errorf("%+v: the basis is not orthonormal", c)
		}
		back.Mul(y, basis.T())
		if !mat.EqualApprox(&back, x, 1e-12) {
			t.Errorf("%+v: the rows are not in it", c)
		}
	}
	x := projection.Centered(ctx, projectiontest.Random(1, 9, 8, 1))
	if basis, y, _ := sampleSpan(ctx, x); basis != nil || y != x {
		t.Error("fewer features than samples are taken as they are")
	}
}
