package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// readMatrix reads a file of testdata, whose README says where it is from.
func readMatrix(t *testing.T, name string) *mat.Dense {
	t.Helper()
	d, err := dataset.ReadFile(filepath.Join("testdata", name+".csv"), &dataset.Options{Labels: dataset.NoLabels(), Header: dataset.HeaderAbsent})
	if err != nil {
		t.Fatal(err)
	}
	return d.X
}

// readSamples reads iris or wine.
func readSamples(t *testing.T, name string) (*mat.Dense, []int) {
	t.Helper()
	d, err := dataset.ReadFile(filepath.Join("testdata", name+".csv"), &dataset.Options{Header: dataset.HeaderAbsent})
	if err != nil {
		t.Fatal(err)
	}
	return d.X, d.Labels
}

// sameColumns reports the largest difference between columns of got and want, up to
// their signs, relative to the size of each column of want.
func sameColumns(got, want *mat.Dense) float64 {
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

// gradientError returns the largest difference between grad and the central
// differences of f at p, relative to the largest element of grad.
func gradientError(p, grad *mat.Dense, h float64, f func(p *mat.Dense) float64) float64 {
	d, k := p.Dims()
	worst, size := 0., 0.
	at := mat.DenseCopyOf(p)
	for i := range d {
		for j := range k {
			v := p.At(i, j)
			at.Set(i, j, v+h)
			up := f(at)
			at.Set(i, j, v-h)
			down := f(at)
			at.Set(i, j, v)
			worst = max(worst, math.Abs((up-down)/(2*h)-grad.At(i, j)))
			size = max(size, math.Abs(grad.At(i, j)))
		}
	}
	return worst / size
}

func testError(t *testing.T, x *mat.Dense, labels []int, test *mat.Dense, want []int, v *mat.Dense) float64 {
	t.Helper()
	var a, b mat.Dense
	a.Mul(x, v)
	b.Mul(test, v)
	got, err := knn.Predict(context.Background(), dense.View(&a), labels, dense.View(&b), []int{5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return knn.ErrorRate(got[0], want)
}

// all are the methods with their default settings.
func all() []Method {
	return []Method{PCA{}, FDA{}, LFDA{}, LMNN{}, LSDR{}, LSQMI{}, CEML{}, NCA{}}
}

// TestSimulation: which methods find the two dimensions of ten in which the classes
// of the WDA paper's simulation differ.
func TestSimulation(t *testing.T) {
	for _, c := range []struct {
		m             Method
		atLeast, most float64
	}{
		{PCA{}, 0.4, 0.8},
		{FDA{}, 0.4, 0.8},
		{LFDA{Neighbors: 1}, 0, 0.6},
		{LMNN{Neighbors: 5}, 0, 0.6},
		{LSDR{}, 0, 0.06},
		{LSQMI{Starts: 3}, 0, 0.65},
		{CEML{}, 0, 0.05},
		{NCA{}, 0.2, 0.8},
	} {
		draws := 2
		switch c.m.(type) {
		case LSDR, LSQMI: // they take a second
			if draws = 1; !testdata.IsLong() {
				continue
			}
		}
		sum := 0.
		for s := range uint64(draws) {
			train := dataset.Simulation{Seed: 2*s + 1}.Generate(100)
			test := dataset.Simulation{Seed: 2*s + 2}.Generate(1000)
			v, err := Fit(t.Context(), train.X, train.Labels, 2, c.m)
			if err != nil {
				t.Fatal(err)
			}
			sum += testError(t, train.X, train.Labels, test.X, test.Labels, v)
		}
		mean := sum / float64(draws)
		t.Logf("%s: 5-NN error %.3f", c.m, mean)
		if !(mean >= c.atLeast && mean <= c.most) {
			t.Errorf("%s: 5-NN error %.3f is not between %.3f and %.3f", c.m, mean, c.atLeast, c.most)
		}
	}
}

// TestBadInput: every method says what is wrong.
func TestBadInput(t *testing.T) {
	good := mat.NewDense(4, 2, []float64{0, 0, 1, 3, 0, 2, 4, 1})
	labels := []int{0, 0, 1, 1}
	nan := mat.DenseCopyOf(good)
	nan.Set(1, 1, math.NaN())
	inf := mat.DenseCopyOf(good)
	inf.Set(1, 1, math.Inf(-1))
	for _, m := range all() {
		for _, c := range []struct {
			name   string
			x      *mat.Dense
			labels []int
			p      int
			want   error
			where  string
		}{
			{"no components", good, labels, -1, fault.ErrSettings, "components is -1; with 2 features it must be from 1 to 2"},
			{"too many", good, labels, 3, fault.ErrSettings, "components is 3; with 2 features it must be from 1 to 2"},
			{"NaN", nan, labels, 1, fault.ErrNotFinite, "row 1, column 1 is NaN"},
			{"infinite", inf, labels, 1, fault.ErrNotFinite, "row 1, column 1 is -Inf"},
			{"labels", good, labels[:3], 1, fault.ErrLabels, "3 labels for 4 samples"},
			{"one class", good, []int{7, 7, 7, 7}, 1, fault.ErrLabels, "one class"},
		} {
			if _, ok := m.(PCA); ok && (c.name == "labels" || c.name == "one class") {
				continue // reads no labels
			}
			if v, err := Fit(t.Context(), c.x, c.labels, c.p, m); v != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.where) {
				t.Errorf("%s, %s: %v, want %v", m, c.name, err, c.want)
			}
		}
	}
	if _, err := Fit(t.Context(), good, labels, 1, nil); !errors.Is(err, ErrSettings) {
		t.Errorf("no method: %v", err)
	}
	single := mat.NewDense(2, 2, []float64{0, 1, 2, 3})
	for _, m := range all() {
		switch m.(type) {
		case PCA, FDA:
			continue
		}
		if _, err := Fit(t.Context(), single, []int{0, 1}, 1, m); !errors.Is(err, fault.ErrLabels) {
			t.Errorf("%s, classes of one sample: %v", m, err)
		}
	}
}

// TestScale: samples times a power of two, however small or large, give the same columns, or
// columns of the inverse length.
func TestScale(t *testing.T) {
	data := dataset.Simulation{NoiseDims: 2, Seed: 3}.Generate(60)
	scaled := func(e int) *mat.Dense {
		x := mat.DenseCopyOf(data.X)
		x.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, e) }, x)
		return x
	}
	for i, m := range append(quick(), FDA{LedoitWolf: true}, FDA{Shrinkage: 0.1}, LFDA{Orthonormal: true}) {
		full, _ := m.filled()
		ordinary := 0
		switch m.(type) {
		case LMNN, NCA: // whose steps depend on the unit
			_, e := math.Frexp(max(mat.Max(data.X), -mat.Min(data.X)))
			ordinary = -e
		}
		want, err := Fit(t.Context(), scaled(ordinary), data.Labels, 2, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []int{-1000, -545, -300, 250, 1000} { // 1e-301, 1e-164, 1e-90, 1e75, 1e301
			if !testdata.IsLong() && e != []int{-545, 1000}[i%2] {
				continue
			}
			got, err := Fit(t.Context(), scaled(e), data.Labels, 2, m)
			if err != nil {
				t.Errorf("%v × 2^%d: %v", m, e, err)
				continue
			}
			if full.inverse() {
				got.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, e-ordinary) }, got)
			}
			if !mat.EqualApprox(got, want, 1e-6*mat.Max(want)) {
				t.Errorf("%#v × 2^%d:\n%v\nwant\n%v", m, e, mat.Formatted(got), mat.Formatted(want))
			}
		}
	}
}

// TestMatrix: any kind of matrix gives the bits of a dense one, and two components are the
// default.
func TestMatrix(t *testing.T) {
	data := dataset.Simulation{NoiseDims: 2, Seed: 3}.Generate(30)
	want, err := Fit(t.Context(), data.X, data.Labels, 2, FDA{})
	if err != nil {
		t.Fatal(err)
	}
	turned := mat.DenseCopyOf(data.X.T())
	for _, x := range []mat.Matrix{turned.T(), rawOnly{data.X}} {
		if got, err := Fit(t.Context(), x, data.Labels, 0, FDA{}); err != nil || !mat.Equal(got, want) {
			t.Errorf("%T: %v", x, err)
		}
	}
	if v, err := Fit(t.Context(), mat.NewDense(3, 1, []float64{1, 2, 4}), nil, 0, PCA{}); err != nil || v.At(0, 0) != 1 {
		t.Errorf("one feature: %v, %v", v, err)
	}
}

// TestBadSettings: none is replaced silently.
func TestBadSettings(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{0, 0, 1, 3, 0, 2, 4, 1})
	for _, m := range []Method{
		FDA{Shrinkage: -0.1}, FDA{Shrinkage: 1.1}, FDA{Shrinkage: math.NaN()}, FDA{Shrinkage: 0.1, LedoitWolf: true},
		LFDA{Neighbors: -1}, LFDA{Shrinkage: 2},
		LMNN{Neighbors: -1}, LMNN{Push: 1}, LMNN{Push: math.NaN()}, LMNN{MaxSteps: -1},
		CEML{Alpha: 1}, CEML{Alpha: -1}, CEML{Alpha: math.Inf(1)}, CEML{Width: -1}, CEML{Width: math.NaN()}, CEML{MaxSteps: -1},
		LSDR{Basis: -1}, LSDR{MaxSteps: -1}, LSDR{Starts: -1}, LSQMI{Starts: -1}, NCA{MaxSteps: -1}, LSQMI{Basis: -1}, LSQMI{MaxSteps: -1},
	} {
		if v, err := Fit(t.Context(), x, []int{0, 0, 1, 1}, 1, m); v != nil || !errors.Is(err, fault.ErrSettings) {
			t.Errorf("%#v: %v", m, err)
		}
	}
}

// TestCancel: a fit ends soon after its context, with its cause.
func TestCancel(t *testing.T) {
	cause := errors.New("enough")
	data := dataset.Simulation{NoiseDims: 40, Seed: 1}.Generate(1500)
	for _, m := range all() {
		for _, after := range []time.Duration{0, 30 * time.Millisecond} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), after, cause)
			start := time.Now()
			v, err := Fit(ctx, data.X, data.Labels, 5, m)
			if done := err == nil && after > 0; !done && (v != nil || !errors.Is(err, cause)) {
				t.Errorf("%v, after %v: %v", m, after, err)
			}
			// CEML looks between evaluations, which take seconds here.
			if took := time.Since(start); took > time.Minute {
				t.Errorf("%v, after %v: ended %v later", m, after, took)
			}
			cancel()
		}
	}
}

// quick returns the methods with few random starts.
func quick() []Method {
	ms := all()
	for i, m := range ms {
		switch m.(type) {
		case LSDR:
			ms[i] = LSDR{Starts: 2, MaxSteps: 30}
		case LSQMI:
			ms[i] = LSQMI{Starts: 2, MaxSteps: 30}
		}
	}
	return ms
}

// degenerate are samples that are hard on one method or other.
func degenerate() map[string]*dataset.Dataset {
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

// TestDegenerate: finite columns for every number of them, or an error, never a
// panic or NaN; the samples stay as they are.
func TestDegenerate(t *testing.T) {
	for name, data := range degenerate() {
		_, d := data.X.Dims()
		before := mat.DenseCopyOf(data.X)
		for i, m := range quick() {
			for k, p := range []int{1, 2, d} {
				if p > d || !testdata.IsLong() && k != i%3 && p < d { // the long form has each with every method
					continue
				}
				v, err := Fit(t.Context(), data.X, data.Labels, p, m)
				if err != nil {
					t.Errorf("%s, %s, p = %d: %v", m, name, p, err)
					continue
				}
				if r, c := v.Dims(); r != d || c != p || checkFinite(t.Context(), v) != nil {
					t.Errorf("%s, %s, p = %d:\n%v", m, name, p, mat.Formatted(v))
				}
			}
		}
		if !mat.Equal(before, data.X) {
			t.Errorf("%s: the samples were changed", name)
		}
	}
}

// TestInvariance: order and names of the rows and classes make no difference beyond
// rounding, and a second run none at all.
func TestInvariance(t *testing.T) {
	data := dataset.Simulation{NoiseDims: 2, Seed: 5}.Generate(42)
	n := data.Len()
	order := rand.New(rand.NewPCG(1, 2)).Perm(n)
	other := data.Subset(order)
	for i, l := range other.Labels {
		other.Labels[i] = 10 * l
	}
	for _, m := range quick() {
		t.Run(m.String(), func(t *testing.T) {
			v, err := Fit(t.Context(), data.X, data.Labels, 2, m)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Fit(t.Context(), data.X, data.Labels, 2, m)
			if err != nil || !mat.Equal(again, v) {
				t.Errorf("second run differs: %v\n%v\n%v", err, mat.Formatted(v), mat.Formatted(again))
			}
			w, err := Fit(t.Context(), other.X, other.Labels, 2, m)
			if err != nil {
				t.Fatal(err)
			}
			if e := sameColumns(w, v); !(e < tolerance(m)) {
				t.Errorf("another order of rows: columns differ by %.3g", e)
			}
		})
	}
}

// tolerance of a method to rounding: iterations stop short of the optimum.
func tolerance(m Method) float64 {
	switch m.(type) {
	case PCA, FDA, LFDA:
		return 1e-9
	}
	return 1e-3
}

func ExampleFit() {
	x := mat.NewDense(6, 2, []float64{0, 0, 1, 2, 2, 1, 5, 0, 6, 2, 7, 1})
	v, err := Fit(context.Background(), x, []int{0, 0, 0, 1, 1, 1}, 1, FDA{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f %.3f\n", v.At(0, 0), v.At(1, 0))
	// Output: 1.414 -0.707
}

// rawOnly is a matrix that is stored as a dense one, but of another type.
type rawOnly struct{ m *mat.Dense }

func (r rawOnly) Dims() (int, int)          { return r.m.Dims() }
func (r rawOnly) At(i, j int) float64       { panic("element by element") }
func (r rawOnly) T() mat.Matrix             { return r.m.T() }
func (r rawOnly) RawMatrix() blas64.General { return r.m.RawMatrix() }
