// Package projectiontest contains tests that every linear projection must pass, for wda/baseline
// and the experiments.
package projectiontest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/projection"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// Method is a projection method with its settings.
type Method struct {
	Name string
	Fit  func(ctx context.Context, x mat.Matrix, labels []int, p int) (*mat.Dense, error)
	// Inverse means that multiplying the samples by 2 divides the columns by 2.
	Inverse bool
	// DependsOnUnit means that the columns depend on the unit of the samples.
	DependsOnUnit bool
	// Tolerance is the largest relative difference between columns that counts as rounding error.
	Tolerance float64
}

// ReadMatrix reads a CSV file of numbers.
func ReadMatrix(t *testing.T, path string) *mat.Dense {
	t.Helper()
	d, err := dataset.ReadFile(path, &dataset.Options{Labels: dataset.NoLabels(), Header: dataset.HeaderAbsent})
	if err != nil {
		t.Fatal(err)
	}
	return d.X
}

// ReadSamples reads a CSV file whose last column contains the labels.
func ReadSamples(t *testing.T, path string) (*mat.Dense, []int) {
	t.Helper()
	d, err := dataset.ReadFile(path, &dataset.Options{Header: dataset.HeaderAbsent})
	if err != nil {
		t.Fatal(err)
	}
	return d.X, d.Labels
}

// ColumnDifference returns the largest difference between corresponding columns of got and want.
// The difference is relative to the norm of the column of want and does not depend on signs.
func ColumnDifference(got, want *mat.Dense) float64 {
	d, p := want.Dims()
	if r, c := got.Dims(); r != d || c != p {
		return math.Inf(1)
	}
	worst := 0.
	for k := range p {
		size, plus, minus := 0., 0., 0.
		for i := range d {
			g, w := got.At(i, k), want.At(i, k)
			size += w * w
			plus += (g - w) * (g - w)
			minus += (g + w) * (g + w)
		}
		e := math.Sqrt(min(plus, minus) / size)
		if math.IsNaN(e) {
			return e
		}
		worst = max(worst, e)
	}
	return worst
}

// Random returns a d × p matrix of normally distributed numbers with mean 0 and standard deviation
// sigma.
func Random(seed uint64, d, p int, sigma float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 11))
	m := mat.NewDense(d, p, nil)
	for i := range d {
		for j := range p {
			m.Set(i, j, sigma*rng.NormFloat64())
		}
	}
	return m
}

// LowRank returns n samples of d features with decaying variances.
func LowRank(seed uint64, n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	a, b := mat.NewDense(n, 30, nil), mat.NewDense(30, d, nil)
	for i := range n {
		for j := range 30 {
			a.Set(i, j, rng.NormFloat64()*math.Pow(0.8, float64(j)))
		}
	}
	for i := range 30 {
		for j := range d {
			b.Set(i, j, rng.NormFloat64())
		}
	}
	x := mat.NewDense(n, d, nil)
	x.Mul(a, b)
	for i := range n {
		for j := range d {
			x.Set(i, j, x.At(i, j)+0.01*rng.NormFloat64()+5)
		}
	}
	return x
}

// Scale multiplies the samples by very small and very large powers of two. It checks that every
// method gives the same columns, or columns of the inverse length.
func Scale(t *testing.T, methods []Method) {
	data := dataset.Simulation{NoiseDims: 2, Seed: 3}.Generate(60)
	scaled := func(e int) *mat.Dense {
		x := mat.DenseCopyOf(data.X)
		x.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, e) }, x)
		return x
	}
	for i, m := range methods {
		ordinary := 0
		if m.DependsOnUnit {
			_, e := math.Frexp(max(mat.Max(data.X), -mat.Min(data.X)))
			ordinary = -e
		}
		want, err := m.Fit(t.Context(), scaled(ordinary), data.Labels, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []int{-1000, -545, -300, 250, 1000} { // 1e-301, 1e-164, 1e-90, 1e75, 1e301
			if !testdata.IsLong() && e != []int{-545, 1000}[i%2] {
				continue
			}
			got, err := m.Fit(t.Context(), scaled(e), data.Labels, 2)
			if err != nil {
				t.Errorf("%s × 2^%d: %v", m.Name, e, err)
				continue
			}
			if m.Inverse {
				got.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, e-ordinary) }, got)
			}
			if !mat.EqualApprox(got, want, 1e-6*mat.Max(want)) {
				t.Errorf("%s × 2^%d:\n%v\nwant\n%v", m.Name, e, mat.Formatted(got), mat.Formatted(want))
			}
		}
	}
}

// degenerateSamples returns samples that are difficult for some methods.
func degenerateSamples() map[string]*dataset.Dataset {
	rng := rand.New(rand.NewPCG(3, 4))
	random := func(n, d int) *dataset.Dataset {
		x, labels := mat.NewDense(n, d, nil), make([]int, n)
		for i := range n {
			labels[i] = i % 2
			for j := range d {
				x.Set(i, j, rng.NormFloat64()+float64(labels[i]*j))
			}
		}
		return &dataset.Dataset{X: x, Labels: labels}
	}
	constant := random(20, 4)
	zero := random(20, 4)
	for i := range 20 {
		constant.X.Set(i, 1, 7)
		for j := range 4 {
			zero.X.Set(i, j, 3)
		}
	}
	duplicates := random(24, 3)
	for i := range 24 {
		copy(duplicates.X.RawRowView(i), duplicates.X.RawRowView(i%4))
	}
	twins := random(20, 4)
	label := random(20, 3)
	huge, tiny := random(20, 3), random(20, 3)
	for i := range 20 {
		twins.X.Set(i, 2, 2*twins.X.At(i, 0))
		label.X.Set(i, 2, float64(label.Labels[i]))
		for j := range 3 {
			huge.X.Set(i, j, 1e9*huge.X.At(i, j))
			tiny.X.Set(i, j, 1e-9*tiny.X.At(i, j)+1)
		}
	}
	lone := random(20, 3)
	lone.Labels[0] = -5
	return map[string]*dataset.Dataset{
		"constant feature":           constant,
		"all samples equal":          zero,
		"duplicate samples":          duplicates,
		"collinear features":         twins,
		"label among the features":   label,
		"values of 1e9":              huge,
		"values of 1e-9":             tiny,
		"class of one sample":        lone,
		"two samples a class":        random(4, 3),
		"one feature":                random(20, 1),
		"more features than samples": random(8, 20),
	}
}

// Degenerate checks that every method gives finite columns for degenerate samples, for one, two and
// d columns, and that it does not modify the samples.
func Degenerate(t *testing.T, methods []Method) {
	for name, data := range degenerateSamples() {
		_, d := data.X.Dims()
		before := mat.DenseCopyOf(data.X)
		for i, m := range methods {
			for k, p := range []int{1, 2, d} {
				if p > d || !testdata.IsLong() && k != i%3 && p < d { // only the long tests run every combination
					continue
				}
				v, err := m.Fit(t.Context(), data.X, data.Labels, p)
				if err != nil {
					t.Errorf("%s, %s, p = %d: %v", m.Name, name, p, err)
					continue
				}
				if r, c := v.Dims(); r != d || c != p || projection.CheckFinite(t.Context(), v) != nil {
					t.Errorf("%s, %s, p = %d:\n%v", m.Name, name, p, mat.Formatted(v))
				}
			}
		}
		if !mat.Equal(before, data.X) {
			t.Errorf("%s: the samples were changed", name)
		}
	}
}

// Invariance checks that permuting the rows and renaming the labels changes the columns of the
// projection only by rounding errors. A second fit to the same data must give the same projection.
func Invariance(t *testing.T, methods []Method) {
	data := dataset.Simulation{NoiseDims: 2, Seed: 5}.Generate(42)
	other := data.Subset(rand.New(rand.NewPCG(1, 2)).Perm(data.Len()))
	for i, l := range other.Labels {
		other.Labels[i] = 10 * l
	}
	for _, m := range methods {
		t.Run(m.Name, func(t *testing.T) {
			v, err := m.Fit(t.Context(), data.X, data.Labels, 2)
			if err != nil {
				t.Fatal(err)
			}
			again, err := m.Fit(t.Context(), data.X, data.Labels, 2)
			if err != nil || !mat.Equal(again, v) {
				t.Errorf("second run differs: %v\n%v\n%v", err, mat.Formatted(v), mat.Formatted(again))
			}
			w, err := m.Fit(t.Context(), other.X, other.Labels, 2)
			if err != nil {
				t.Fatal(err)
			}
			if e := ColumnDifference(w, v); !(e < m.Tolerance) {
				t.Errorf("another order of rows: columns differ by %.3g", e)
			}
		})
	}
}

// Ending checks that a fit of n × d samples checks its context at least leastChecks times. This
// number is so large that every part of an evaluation must check the context. Ending also repeats
// the fit with contexts that end at different checks. The fit must then return the cause after at
// most a few more checks.
func Ending(t *testing.T, m Method, n, d, leastChecks int) {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	x, labels := mat.NewDense(n, d, nil), make([]int, n)
	for i := range labels {
		labels[i] = i % 3
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		x.Set(i, labels[i], x.At(i, labels[i])+2)
	}
	fit := func(ctx context.Context) error { _, err := m.Fit(ctx, x, labels, 2); return err }
	all := ending.At(0)
	if err := fit(all); err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	if all.Checks() < leastChecks {
		t.Errorf("%s, %d × %d: checks its context %d times, want %d", m.Name, n, d, all.Checks(), leastChecks)
	}
	tries := 5
	if testdata.IsLong() {
		tries = 100
	}
	for last, step := 1, max(1, all.Checks()/tries); last < all.Checks(); last += step {
		ctx := ending.At(last)
		if err := fit(ctx); !errors.Is(err, ending.ErrAt) {
			t.Fatalf("%s, %d × %d: ended at %d of %d: %v", m.Name, n, d, last, all.Checks(), err)
		}
		if ctx.ChecksAfterEnd() > 120 {
			t.Fatalf("%s, %d × %d: ended at %d of %d: %d more checks", m.Name, n, d, last, all.Checks(), ctx.ChecksAfterEnd())
		}
	}
}
