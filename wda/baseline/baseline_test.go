package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/projection"
	"github.com/gomonge/monge/internal/projection/projectiontest"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

func readMatrix(t *testing.T, name string) *mat.Dense {
	return projectiontest.ReadMatrix(t, filepath.Join("testdata", name+".csv"))
}

func readSamples(t *testing.T, name string) (*mat.Dense, []int) {
	return projectiontest.ReadSamples(t, filepath.Join("testdata", name+".csv"))
}

// allMethods returns each method with several settings.
func allMethods() (methods []projectiontest.Method) {
	for _, m := range []Method{PCA{}, FDA{}, FDA{LedoitWolf: true}, FDA{Shrinkage: 0.1}} {
		_, fisher := m.(FDA)
		methods = append(methods, projectiontest.Method{
			Name: fmt.Sprintf("%v %+v", m, m),
			Fit: func(ctx context.Context, x mat.Matrix, labels []int, p int) (*mat.Dense, error) {
				return Fit(ctx, x, labels, p, m)
			},
			Inverse:   fisher,
			Tolerance: 1e-9,
		})
	}
	return methods
}

func TestScale(t *testing.T)      { projectiontest.Scale(t, allMethods()) }
func TestDegenerate(t *testing.T) { projectiontest.Degenerate(t, allMethods()) }
func TestInvariance(t *testing.T) { projectiontest.Invariance(t, allMethods()) }

// TestEndsAnywhere checks that every method returns the context's error if the context ends at any point of the fit.
func TestEndsAnywhere(t *testing.T) {
	for _, size := range []struct{ n, d int }{{60, 9}, {24, 40}} {
		for i, m := range allMethods() {
			least := 10
			if i == 0 {
				least = size.d
			}
			projectiontest.Ending(t, m, size.n, size.d, least)
		}
	}
}

// TestBadInput checks that every method describes invalid input in a typed error.
func TestBadInput(t *testing.T) {
	good := mat.NewDense(4, 2, []float64{0, 0, 1, 3, 0, 2, 4, 1})
	labels := []int{0, 0, 1, 1}
	nan := mat.DenseCopyOf(good)
	nan.Set(1, 1, math.NaN())
	inf := mat.DenseCopyOf(good)
	inf.Set(1, 1, math.Inf(-1))
	for _, m := range []Method{PCA{}, FDA{}} {
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
}

// TestMatrix checks that every kind of mat.Matrix gives the same bits as a dense matrix, and that Fit returns two
// components by default.
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

// TestBadSettings checks that invalid settings are errors instead of being replaced by defaults.
func TestBadSettings(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{0, 0, 1, 3, 0, 2, 4, 1})
	for _, m := range []Method{
		FDA{Shrinkage: -0.1}, FDA{Shrinkage: 1.1}, FDA{Shrinkage: math.NaN()}, FDA{Shrinkage: 0.1, LedoitWolf: true},
	} {
		if v, err := Fit(t.Context(), x, []int{0, 0, 1, 1}, 1, m); v != nil || !errors.Is(err, fault.ErrSettings) {
			t.Errorf("%#v: %v", m, err)
		}
	}
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

// rawOnly is a matrix with the storage of a dense matrix but a different type. Only RawMatrix gives access to its
// elements.
type rawOnly struct{ m *mat.Dense }

func (r rawOnly) Dims() (int, int)          { return r.m.Dims() }
func (r rawOnly) At(i, j int) float64       { panic("element by element") }
func (r rawOnly) T() mat.Matrix             { return r.m.T() }
func (r rawOnly) RawMatrix() blas64.General { return r.m.RawMatrix() }

// TestPassesCheckContext checks that every pass over the samples checks its context after each block of at most 2¹⁸
// elements.
func TestPassesCheckContext(t *testing.T) {
	const n, d, pieces = 300, 4096, 5 // a piece has at most 64 rows, which are 2¹⁸ elements
	x, rows := mat.NewDense(n, d, nil), make([]int, n)
	w := &withinClasses{residuals: x, shrinkage: 1}
	square := mat.NewDense(1100, 1100, nil)
	for name, c := range map[string]struct {
		least int
		do    func(ctx context.Context)
	}{
		"CheckFinite": {pieces, func(ctx context.Context) { projection.CheckFinite(ctx, x) }},
		"Gather":      {pieces, func(ctx context.Context) { projection.Gather(ctx, x, rows) }},
		"ColumnMeans": {pieces, func(ctx context.Context) { projection.ColumnMeans(ctx, x) }},
		"Centered":    {2 * pieces, func(ctx context.Context) { projection.Centered(ctx, x) }},
		"Transposed":  {pieces, func(ctx context.Context) { projection.Transposed(ctx, x) }},
		"Mirror":      {pieces, func(ctx context.Context) { projection.Mirror(ctx, dense.View(square)) }},
		"scale":       {2 * pieces, func(ctx context.Context) { w.standardize(ctx) }},
		"gram":        {pieces + n*n/2*d>>24, func(ctx context.Context) { PCA{Workers: 1}.gramMatrix(ctx, x) }},
	} {
		all := ending.At(0)
		if c.do(all); all.Checks() < c.least {
			t.Errorf("%s checks its context %d times, want %d", name, all.Checks(), c.least)
		}
	}
}
