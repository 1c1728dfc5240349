package baselines

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/projection"
	"github.com/gomonge/monge/internal/projection/projectiontest"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// TestLFDAIsMetricLearns compares LFDA with a corrected version of metric-learn. See
// testdata/README.md.
func TestLFDAIsMetricLearns(t *testing.T) {
	for _, name := range []string{"iris", "wine"} {
		x, labels := readSamples(t, name)
		for _, k := range []int{1, 3, 7} {
			if k == 7 && name == "iris" {
				continue // metric-learn requires fewer neighbors than features
			}
			for _, kind := range []string{"weighted", "orthonormalized", "plain"} {
				want := readMatrix(t, fmt.Sprintf("%s_lfda_%d_%s", name, k, kind))
				m := LFDA{Neighbors: k, Orthonormal: kind == "orthonormalized"}
				got, err := Fit(t.Context(), x, labels, 2, m)
				if kind == "plain" {
					_, got, _, err = m.solve(t.Context(), x, labels, 2)
				}
				if err != nil {
					t.Fatal(err)
				}
				// With k = 1, the within-class scatter is very small compared with the total
				// scatter. The regularization by projection.Floor then changes the sixth digit.
				if e := projectiontest.ColumnDifference(got, want); !(e < 1e-5) {
					t.Errorf("%s, k = %d, %s: columns differ by %.3g\n%v\n%v", name, k, kind, e, mat.Formatted(got), mat.Formatted(want))
				}
			}
		}
	}
}

// TestLocalScatter compares localScatter with the paper's sums over pairs.
func TestLocalScatter(t *testing.T) {
	x, labels := readSamples(t, "iris")
	x = projection.Centered(t.Context(), x)
	n, d := x.Dims()
	const k = 4
	classes := projection.ClassRows(labels)
	sw, sb, _ := localScatter(ctx, x, classes, k)
	wantW, wantB := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	diff := mat.NewVecDense(d, nil)
	affinities, at := make([]*mat.Dense, len(classes)), make([]int, n)
	for c, rows := range classes {
		affinities[c] = mat.NewDense(len(rows), len(rows), nil)
		Affinity(ctx, dense.View(affinities[c]), dense.View(projection.Gather(ctx, x, rows)), k)
		for i, r := range rows {
			at[r] = i
		}
	}
	for i := range n {
		for j := range n {
			ww, wb := 0., 1/float64(n)
			if c := labels[i]; c == labels[j] {
				a, nc := affinities[c].At(at[i], at[j]), float64(len(classes[c]))
				ww, wb = a/nc, a*(1/float64(n)-1/nc)
			}
			diff.SubVec(x.RowView(i), x.RowView(j))
			wantW.SymRankOne(wantW, ww/2, diff)
			wantB.SymRankOne(wantB, wb/2, diff)
		}
	}
	if !mat.EqualApprox(sw, wantW, 1e-10) || !mat.EqualApprox(sb, wantB, 1e-9) {
		t.Errorf("scatter differs from the sums over pairs\n%v\n%v\n%v\n%v", mat.Formatted(sw), mat.Formatted(wantW), mat.Formatted(sb), mat.Formatted(wantB))
	}
}

// TestLFDALarge checks that the columns solve the eigenvalue problem in two cases: with enough
// features to require a different eigensolver, and with more features than samples.
func TestLFDALarge(t *testing.T) {
	for _, c := range []struct {
		n, d int
		s    float64
	}{{300, 160, 0.1}, {60, 160, 0.1}, {200, 160, 1e-3}} {
		x := projectiontest.LowRank(4, c.n, c.d)
		labels := make([]int, c.n)
		for i := range labels {
			labels[i] = i % 3
			x.Set(i, 0, x.At(i, 0)+3*float64(labels[i]))
			x.Set(i, 1, x.At(i, 1)+3*float64(labels[i]*labels[i]))
		}
		basis, v, _, err := LFDA{Neighbors: 7, Shrinkage: c.s}.solve(t.Context(), x, labels, 3)
		if err != nil {
			t.Fatal(err)
		}
		if basis != nil {
			v = projection.Product(ctx, basis, v)
		}
		sw, sb, _ := localScatter(ctx, projection.Centered(t.Context(), x), projection.ClassRows(labels), 7)
		total := make([]float64, c.d)
		for j := range total {
			total[j] = sw.At(j, j) + sb.At(j, j)
		}
		projection.Shrink(sw, c.s, mat.Trace(sw)/float64(c.d))
		if c.d < c.n { // for d ≥ n, the fit adds the following term to a smaller matrix, in the span of the samples
			for j, v := range total {
				sw.Set(j, j, sw.At(j, j)+projection.Floor*v)
			}
		}
		for k := range 3 {
			w := v.ColView(k)
			if norm := mat.Inner(w, sw, w); !(math.Abs(norm-1) < 1e-6) {
				t.Errorf("%+v: column %d has norm %v", c, k, norm)
			}
			var a, b mat.VecDense
			a.MulVec(sb, w)
			b.MulVec(sw, w)
			mu := mat.Inner(w, sb, w)
			b.ScaleVec(mu, &b)
			a.SubVec(&a, &b)
			if e := mat.Norm(&a, 2) / mat.Norm(&b, 2); !(e < 1e-6) {
				t.Errorf("%+v: column %d is no eigenvector: residual %.3g, μ = %v", c, k, e, mu)
			}
		}
		o, err := Fit(t.Context(), x, labels, 3, LFDA{Orthonormal: true, Shrinkage: c.s})
		if err != nil {
			t.Fatal(err)
		}
		if e := stiefel.New(c.d, 3).Infeasibility(ctx, o); !(e < 1e-13) {
			t.Errorf("%+v: columns are not orthonormal: %g", c, e)
		}
	}
}

// TestLFDAFewSamples checks the test error of LFDA when there are more features than samples. The
// span of n centered samples has n − 1 dimensions. An additional direction would be orthogonal to
// the training samples, but not to test samples.
func TestLFDAFewSamples(t *testing.T) {
	draw := func(seed uint64, n, d int) (*mat.Dense, []int) {
		x, labels := projectiontest.Random(seed, n, d, 1), make([]int, n)
		for i := range n {
			labels[i] = i % 3
			x.Set(i, labels[i], x.At(i, labels[i])+6)
		}
		return x, labels
	}
	for _, d := range []int{41, 60, 200} {
		x, labels := draw(1, 40, d)
		test, want := draw(2, 300, d)
		for _, m := range []Method{LFDA{Neighbors: 5}, LFDA{Neighbors: 5, Orthonormal: true}, LFDA{Neighbors: 5, Shrinkage: 0.3}} {
			v, err := Fit(t.Context(), x, labels, 2, m)
			if err != nil {
				t.Fatal(err)
			}
			if e := testError(t, x, labels, test, want, v); !(e < 0.25) {
				t.Errorf("%+v, %d features: error %.3f", m, d, e)
			}
		}
	}
}

// TestLFDAConstant checks that a constant feature changes nothing and has the weight 0, even if its
// values and mean have rounding errors.
func TestLFDAConstant(t *testing.T) {
	x, labels := readSamples(t, "iris")
	n, d := x.Dims()
	wider := mat.NewDense(n, d+1, nil)
	wider.Slice(0, n, 0, d).(*mat.Dense).Copy(x)
	for i := range n {
		wider.Set(i, d, 0.1*(1+float64(i%3)*0x1p-52))
	}
	want, err := Fit(t.Context(), x, labels, 2, LFDA{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Fit(t.Context(), wider, labels, 2, LFDA{})
	if err != nil {
		t.Fatal(err)
	}
	if e := projectiontest.ColumnDifference(got.Slice(0, d, 0, 2).(*mat.Dense), want); !(e < 1e-9) || got.At(d, 0) != 0 || got.At(d, 1) != 0 {
		t.Errorf("columns differ by %.3g:\n%v", e, mat.Formatted(got))
	}
}
