package wda

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// TestStandardize checks that a fit with standardization equals a fit to standardized data, and that the model stores
// the scales.
func TestStandardize(t *testing.T) {
	x, labels := parts3(3, 60, 5)
	scales := []float64{1, 1e3, 1e-4, 1e12, 7}
	big, std := mat.DenseCopyOf(x), mat.DenseCopyOf(x)
	n, d := x.Dims()
	for j := range d {
		col := mat.Col(nil, j, x)
		mean, sd := stat.PopMeanStdDev(col, nil)
		for i := range n {
			big.Set(i, j, x.At(i, j)*scales[j])
			std.Set(i, j, (x.At(i, j)-mean)/sd)
		}
	}
	set := &Settings{Components: 2, Data: Data{Standardize: true}, Optimizer: Optimizer{Method: ConjugateGradient{}}}
	got, err := fitPinned(t.Context(), big, labels, set)
	if err != nil {
		t.Fatal(err)
	}
	want, err := fitPinned(t.Context(), std, labels, &Settings{Components: 2, Optimizer: Optimizer{Method: ConjugateGradient{}}})
	if err != nil {
		t.Fatal(err)
	}
	if e := relative(got.Report().Objective, want.Report().Objective); !(e <= 1e-9) {
		t.Errorf("J = %v, of standardized data %v", got.Report().Objective, want.Report().Objective)
	}
	var a, b mat.Dense
	got.Transform(&a, big)
	want.Transform(&b, std)
	if e := off(absOf(&a), absOf(&b)); !(e <= 1e-5) {
		t.Errorf("projections differ by %.2g of the largest", e)
	}
	data, err := got.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	again, err := loadModel(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var c mat.Dense
	again.Transform(&c, big)
	if !mat.Equal(&a, &c) || !again.Report().Settings.Data.Standardize {
		t.Error("the loaded model is another")
	}
}

// TestStandardizeExtremes checks that standardization works for features of any relative scale and that the model can
// be stored. If the scale of a feature has no float64 inverse, Fit must return an error that names the feature.
func TestStandardizeExtremes(t *testing.T) {
	t.Parallel()
	x, labels := parts3(3, 60, 5)
	n, d := x.Dims()
	set := paperSettings(Settings{Components: 2, Data: Data{Standardize: true}, Optimizer: Optimizer{Method: ConjugateGradient{}, MaxSteps: 5}})
	want, err := Fit(t.Context(), x, labels, set)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		exponents [5]int
		bad       int // feature that the error names, or −1
	}{
		{[5]int{0, 0, 0, 0, 0}, -1},
		{[5]int{0, 0, -540, 0, 0}, -1}, // 1e-163, whose square underflows
		{[5]int{0, -1000, 0, 0, 0}, -1},
		{[5]int{1000, 0, -1000, 0, 3}, -1}, // rounding errors of feature 0 are larger than all values of feature 2
		{[5]int{1000, 1000, 1000, 1000, 1000}, -1},
		{[5]int{-1000, -1000, -1000, -1000, -1000}, -1},
		{[5]int{-1040, 0, 0, 0, 0}, 0},
		{[5]int{-1040, -1040, -1040, -1040, -1040}, 0},
		{[5]int{0, 0, 0, 0, -1060}, 4},
	} {
		y := mat.NewDense(n, d, nil)
		for i := range n {
			for j := range d {
				y.Set(i, j, math.Ldexp(x.At(i, j), c.exponents[j]))
			}
		}
		m, err := Fit(t.Context(), y, labels, set)
		if c.bad >= 0 {
			if !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), fmt.Sprintf("feature %d,", c.bad)) {
				t.Errorf("%v: error %v", c.exponents, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", c.exponents, err)
		}
		again, err := loadModel(bytes.NewReader(fileOf(t, m)))
		if err != nil {
			t.Fatalf("%v: %v", c.exponents, err)
		}
		a, b, loaded := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
		for _, e := range []error{m.Transform(a, y), want.Transform(b, x), again.Transform(loaded, y)} {
			if e != nil {
				t.Fatal(e)
			}
		}
		if e := off(a, b); !(e <= 1e-9) || !bitsEqual(a, loaded) {
			t.Errorf("%v: projections differ by %g", c.exponents, e)
		}
		if r := m.Report(); relative(r.Objective, want.report.Objective) > 1e-9 || relative(r.Within, want.report.Within) > 1e-9 {
			t.Errorf("%v: J = %v, within %v, for %v and %v", c.exponents, r.Objective, r.Within, want.report.Objective, want.report.Within)
		}
	}
}

// TestExtremeReport checks that reported values in squared data units are finite at every scale and survive a model
// file.
func TestExtremeReport(t *testing.T) {
	t.Parallel()
	x, labels := parts3(3, 60, 5)
	for _, exponent := range []int{996, -996} {
		m := mustFit(t, scaledMatrix(math.Ldexp(1, exponent), x), labels, &Settings{Components: 2, Optimizer: Optimizer{Method: ConjugateGradient{}, MaxSteps: 3}})
		again, err := loadModel(bytes.NewReader(fileOf(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		want := [3]float64{}
		if exponent > 0 {
			want = [3]float64{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}
		}
		sc := mustScore(t, scaledMatrix(math.Ldexp(1, exponent), x), labels, m.projection, &Settings{})
		for _, v := range []float64{sc.Between, sc.Within, sc.Ridge} {
			if math.IsInf(v, 0) {
				t.Errorf("2^%d: the scores are %v, %v and %v", exponent, sc.Between, sc.Within, sc.Ridge)
			}
		}
		for _, r := range []Report{m.Report(), again.Report()} {
			if got := [3]float64{r.Between, r.Within, r.Ridge}; got != want {
				t.Errorf("2^%d: between, within and ridge are %v, want %v", exponent, got, want)
			}
		}
	}
}
