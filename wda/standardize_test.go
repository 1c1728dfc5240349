package wda

import (
	"bytes"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// TestStandardize: a fit with standardized features is the fit of standardized
// data, and the model carries the scales.
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
