package baselines

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/projection/projectiontest"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

func readMatrix(t *testing.T, name string) *mat.Dense {
	return projectiontest.ReadMatrix(t, filepath.Join("testdata", name+".csv"))
}

// readSamples reads iris or wine.
func readSamples(t *testing.T, name string) (*mat.Dense, []int) {
	return projectiontest.ReadSamples(t, filepath.Join("..", "..", "wda", "baseline", "testdata", name+".csv"))
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

// asMethod wraps m for the tests of package projectiontest.
func asMethod(m method) projectiontest.Method {
	filled, _ := m.filled()
	out := projectiontest.Method{
		Name: fmt.Sprintf("%v %+v", m, m),
		Fit: func(ctx context.Context, x mat.Matrix, labels []int, p int) (*mat.Dense, error) {
			return Fit(ctx, x, labels, p, m)
		},
		Inverse:   filled.Inverse,
		Tolerance: 1e-3, // iterative methods stop before the optimum
	}
	switch m.(type) {
	case LFDA:
		out.Tolerance = 1e-9
	case LMNN, NCA: // the steps of these methods depend on the unit
		out.DependsOnUnit = true
	}
	return out
}

// quickMethods returns the methods with few random starts.
func quickMethods() (methods []projectiontest.Method) {
	for _, m := range []method{LFDA{}, LFDA{Orthonormal: true}, LMNN{}, LSDR{Starts: 2, MaxSteps: 30}, LSQMI{Starts: 2, MaxSteps: 30}, CEML{}, NCA{}} {
		methods = append(methods, asMethod(m))
	}
	return methods
}

func TestScale(t *testing.T)      { projectiontest.Scale(t, quickMethods()) }
func TestDegenerate(t *testing.T) { projectiontest.Degenerate(t, quickMethods()) }
func TestInvariance(t *testing.T) { projectiontest.Invariance(t, quickMethods()) }

// TestEndsAnywhere checks that a fit ends whenever the context ends.
func TestEndsAnywhere(t *testing.T) {
	for _, size := range []struct{ n, d int }{{60, 9}, {24, 40}} {
		for _, c := range []struct {
			m     method
			least int // minimum number of context checks during a fit
		}{
			{LFDA{}, size.n}, {LMNN{MaxSteps: 5}, size.n},
			{NCA{MaxSteps: 5}, 40}, {LSDR{Basis: 20, Starts: 2, MaxSteps: 3}, 500}, {LSQMI{Basis: 20, Starts: 2, MaxSteps: 3}, 500}, {CEML{MaxSteps: 3}, 6 * size.n},
			{CEML{Alpha: 2, MaxSteps: 3}, 6 * size.n},
		} {
			projectiontest.Ending(t, asMethod(c.m), size.n, size.d, c.least)
		}
	}
	// sampleSpan must return the cause if the context has ended.
	if basis, y, err := sampleSpan(ending.At(1), mat.NewDense(300, 4096, nil)); basis != nil || y != nil || !errors.Is(err, ending.ErrAt) {
		t.Errorf("the span of samples, ended: error %v", err)
	}
}

// TestSimulation uses the simulated data of the WDA paper, whose classes differ in only two of ten
// dimensions. It checks which methods find these two dimensions.
func TestSimulation(t *testing.T) {
	for _, c := range []struct {
		m             Method
		atLeast, most float64
	}{
		{baseline.PCA{}, 0.4, 0.8},
		{baseline.FDA{}, 0.4, 0.8},
		{LFDA{Neighbors: 1}, 0, 0.6},
		{LMNN{Neighbors: 5}, 0, 0.6},
		{LSDR{}, 0, 0.06},
		{LSQMI{Starts: 3}, 0, 0.65},
		{CEML{}, 0, 0.05},
		{NCA{}, 0.2, 0.8},
	} {
		draws := 2
		switch c.m.(type) {
		case LSDR, LSQMI: // these methods take a second
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

// TestBadInput checks the errors of classes with one sample, bad settings and unknown methods.
func TestBadInput(t *testing.T) {
	single := mat.NewDense(2, 2, []float64{0, 1, 2, 3})
	for _, m := range []Method{LFDA{}, LMNN{}, LSDR{}, LSQMI{}, CEML{}, NCA{}} {
		if _, err := Fit(t.Context(), single, []int{0, 1}, 1, m); !errors.Is(err, fault.ErrLabels) {
			t.Errorf("%s, classes of one sample: %v", m, err)
		}
	}
	x := mat.NewDense(4, 2, []float64{0, 0, 1, 3, 0, 2, 4, 1})
	for _, m := range []Method{
		nil, time.Second,
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
