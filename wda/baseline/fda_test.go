package baseline

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gomonge/monge/internal/projection"
	"github.com/gomonge/monge/internal/projection/projectiontest"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// TestFDAIsScikitLearns compares the projections of every withinSolver with those of scikit-learn.
func TestFDAIsScikitLearns(t *testing.T) {
	solvers := map[string]withinSolver{"dense": solveDense, "Cholesky": solveCholesky, "dual": solveDual}
	for _, name := range []string{"iris", "wine"} {
		x, labels := readSamples(t, name)
		n, _ := x.Dims()
		for s, solve := range solvers {
			if s == "dual" {
				// Without shrinkage, the n × n matrix of solveDual is singular for these samples.
				solve = nil
			}
			for _, c := range []struct {
				file   string
				f      FDA
				factor float64
			}{
				{"_fda_svd", FDA{}, math.Sqrt(float64(n) / float64(n-3))},
				{"_fda_eigen", FDA{}, 1},
				{"_fda_shrunk", FDA{Shrinkage: 0.3}, 1},
			} {
				use := solve
				if use == nil {
					if c.f.Shrinkage == 0 {
						continue
					}
					use = solveDual
				}
				want := readMatrix(t, name+c.file)
				want.Scale(c.factor, want)
				got, err := c.f.fitWithSolver(t.Context(), x, labels, 2, use)
				if err != nil {
					t.Fatal(err)
				}
				e := projectiontest.ColumnDifference(got, want)
				if c.f.Shrinkage > 0 {
					e = subspaceDistance(t, got, want)
				}
				if !(e < 1e-7) {
					t.Errorf("%s%s, %s: columns differ by %.3g", name, c.file, s, e)
				}
			}
		}
	}
	x, labels := readSamples(t, "wine")
	var rows, few []int
	for _, from := range []int{0, 60, 140} {
		for i := range 4 {
			rows, few = append(rows, from+i), append(few, labels[from+i])
		}
	}
	want := readMatrix(t, "few_fda_svd")
	want.Scale(math.Sqrt(12./9), want)
	for _, s := range []string{"dense", "dual"} {
		got, err := FDA{}.fitWithSolver(t.Context(), projection.Gather(t.Context(), x, rows), few, 2, solvers[s])
		if err != nil {
			t.Fatal(err)
		}
		if e := projectiontest.ColumnDifference(got, want); !(e < 1e-6) {
			t.Errorf("12 samples of 13 features, %s: columns differ by %.3g", s, e)
		}
	}
}

func subspaceDistance(t *testing.T, a, b *mat.Dense) float64 {
	t.Helper()
	a, b = mat.DenseCopyOf(a), mat.DenseCopyOf(b)
	if err := errors.Join(projection.Orthonormalize(ctx, a), projection.Orthonormalize(ctx, b)); err != nil {
		t.Fatal(err)
	}
	return stiefel.New(a.Dims()).Distance(ctx, a, b)
}

func TestPCAIsScikitLearns(t *testing.T) {
	for _, name := range []string{"iris", "wine"} {
		x, labels := readSamples(t, name)
		got, err := Fit(t.Context(), x, labels, 3, PCA{})
		if err != nil {
			t.Fatal(err)
		}
		if e := projectiontest.ColumnDifference(got, readMatrix(t, name+"_pca")); !(e < 1e-8) {
			t.Errorf("%s: components differ by %.3g", name, e)
		}
	}
}

// TestFDASolversAgree checks that the solver that Fit chooses for more than 128 features agrees with solveDense, which
// TestOracle verifies. Feature 2 is constant, and feature 3 is constant within classes.
func TestFDASolversAgree(t *testing.T) {
	for _, c := range []struct {
		n, d int
		s    float64
		with withinSolver
	}{{400, 150, 0, solveCholesky}, {400, 150, 0.2, solveCholesky}, {60, 150, 0, solveDual}, {60, 150, 0.2, solveDual}, {60, 150, 1, solveDual}} {
		x := projectiontest.LowRank(9, c.n, c.d)
		labels := make([]int, c.n)
		for i := range labels {
			labels[i] = i % 4
			x.Set(i, 0, x.At(i, 0)+float64(labels[i]))
			x.Set(i, 1, x.At(i, 1)+float64(labels[i]*labels[i]))
			rounded := 1 + float64(i%3)*0x1p-52
			x.Set(i, 2, 0.1*rounded)
			x.Set(i, 3, 0.1*float64(1+labels[i])*rounded)
		}
		want, err := FDA{Shrinkage: c.s}.fitWithSolver(t.Context(), x, labels, 3, solveDense)
		if err != nil {
			t.Fatal(err)
		}
		got, err := FDA{Shrinkage: c.s}.fitWithSolver(t.Context(), x, labels, 3, c.with)
		if err != nil {
			t.Fatal(err)
		}
		if e := projectiontest.ColumnDifference(got, want); !(e < 1e-5) {
			t.Errorf("%d × %d, shrinkage %v: columns differ by %.3g", c.n, c.d, c.s, e)
		}
		if constant := got.Slice(2, 4, 0, 3); c.s == 0 && mat.Norm(constant, 1) != 0 {
			t.Errorf("%d × %d: the constant features have the weights\n%v", c.n, c.d, mat.Formatted(constant))
		}
	}
}

// TestFDAFurtherColumns checks the columns after the first C − 1 columns, where C is the number of classes. These
// columns must be orthogonal to the first C − 1 columns and have unit variance within classes. They must not depend on
// the number of requested columns.
func TestFDAFurtherColumns(t *testing.T) {
	x, labels := readSamples(t, "wine")
	for _, s := range []float64{0, 0.3} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			f := FDA{Shrinkage: s}
			all, err := Fit(t.Context(), x, labels, 13, f)
			if err != nil {
				t.Fatal(err)
			}
			sw := mat.NewDense(13, 13, nil)
			for _, rows := range projection.ClassRows(labels) {
				var one mat.Dense
				around := projection.Centered(t.Context(), projection.Gather(t.Context(), x, rows))
				one.Mul(around.T(), around)
				one.Scale(1/178., &one)
				sw.Add(sw, &one)
			}
			projection.Shrink(sw, s, mat.Trace(sw)/13)
			for k := range 13 {
				if v := mat.Inner(all.ColView(k), sw, all.ColView(k)); !(math.Abs(v-1) < 1e-6) {
					t.Errorf("column %d has variance %v within classes", k, v)
				}
				for j := range min(k, 2) {
					a, b := all.ColView(j), all.ColView(k)
					if cos := mat.Dot(a, b) / mat.Norm(a, 2) / mat.Norm(b, 2); k >= 2 && !(math.Abs(cos) < 1e-9) {
						t.Errorf("columns %d and %d are not orthogonal: cosine %v", j, k, cos)
					}
				}
			}
			fewer, err := Fit(t.Context(), x, labels, 5, f)
			if err != nil {
				t.Fatal(err)
			}
			if e := projectiontest.ColumnDifference(fewer, mat.DenseCopyOf(all.Slice(0, 13, 0, 5))); !(e < 1e-9) {
				t.Errorf("the first five of thirteen columns differ by %.3g", e)
			}
		})
	}
}

// TestLedoitWolf checks the shrinkage intensity against a direct evaluation of its formula, with more and with fewer
// samples than features.
func TestLedoitWolf(t *testing.T) {
	for _, d := range []int{4, 25} {
		const n = 12
		x, labels := projectiontest.Random(3, n, d, 1), make([]int, n)
		r := mat.NewDense(n, d, nil)
		for i := range n {
			labels[i] = i % 2
			x.Set(i, 0, 3*x.At(i, 0))
		}
		for _, rows := range projection.ClassRows(labels) {
			for k, row := range mat.DenseCopyOf(projection.Centered(t.Context(), projection.Gather(t.Context(), x, rows))).RawMatrix().Data {
				r.Set(rows[k/d], k%d, row)
			}
		}
		var s mat.Dense
		s.Mul(r.T(), r)
		s.Scale(1./n, &s)
		mu, d2, b2 := mat.Trace(&s)/float64(d), 0., 0.
		for i := range d {
			for j := range d {
				v := s.At(i, j)
				for k := range n {
					e := r.At(k, i)*r.At(k, j) - v
					b2 += e * e / n / n
				}
				if i == j {
					v -= mu
				}
				d2 += v * v
			}
		}
		want, err := Fit(t.Context(), x, labels, 1, FDA{Shrinkage: min(b2, d2) / d2})
		if err != nil || !(b2 < d2) {
			t.Fatal(b2, d2, err)
		}
		got, err := Fit(t.Context(), x, labels, 1, FDA{LedoitWolf: true})
		if err != nil {
			t.Fatal(err)
		}
		if e := projectiontest.ColumnDifference(got, want); !(e < 1e-10) {
			t.Errorf("%d features: differs by %.3g", d, e)
		}
	}
}
