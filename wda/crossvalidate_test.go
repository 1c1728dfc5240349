package wda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// TestCrossValidate: on the paper's data λ decides between success and failure, and
// the choice is the one that succeeds; candidates are complete and in order, and the
// result does not depend on the number of goroutines.
func TestCrossValidate(t *testing.T) {
	data := dataset.Simulation{Seed: 1}.Generate(90)
	cv := &CrossValidation{
		Fit: Settings{Components: 2, MaxSteps: 25, Seed: 3}, Lambda: []float64{0.01, 3}, Shrinkage: []float64{NoShrinkage, 0.5},
		Neighbors: []int{5, 1}, Folds: 3,
	}
	calls := 0
	cv.Progress = func(done, total int) error {
		if calls++; done != calls || total != 12 {
			t.Errorf("call %d: %d of %d", calls, done, total)
		}
		return nil
	}
	cv.Fit.Workers = 1
	got, err := CrossValidate(t.Context(), data.X, data.Labels, cv)
	if err != nil {
		t.Fatal(err)
	}
	if calls != 12 {
		t.Errorf("%d calls of Progress", calls)
	}
	cv.Progress, cv.Fit.Workers = nil, 5
	again, err := CrossValidate(t.Context(), data.X, data.Labels, cv)
	if err != nil || !reflect.DeepEqual(got.Candidates, again.Candidates) || !reflect.DeepEqual(got.Best, again.Best) {
		t.Errorf("with five goroutines: %v, %v", again, err)
	}
	i := 0
	for _, l := range cv.Lambda {
		for _, r := range cv.Shrinkage {
			for _, k := range cv.Neighbors {
				c := got.Candidates[i]
				if i++; c.Components != 2 || c.Lambda != l || c.Shrinkage != r || c.Neighbors != k || len(c.Errors) != 3 {
					t.Errorf("candidate %+v", c)
				}
				mean := (c.Errors[0] + c.Errors[1] + c.Errors[2]) / 3
				var v float64
				for _, e := range c.Errors {
					v += (e - mean) * (e - mean) / 2
				}
				if math.Abs(mean-c.Error) > 1e-15 || math.Abs(math.Sqrt(v/3)-c.StdErr) > 1e-15 {
					t.Errorf("mean and standard error of %+v are %v, %v", c, mean, math.Sqrt(v/3))
				}
				if c.Error < got.Best.Error {
					t.Errorf("%+v is better than the best", c)
				}
			}
		}
	}
	if i != len(got.Candidates) || got.Best.Lambda != 3 || got.Best.Error > 0.15 || got.Candidates[0].Error < 0.4 {
		t.Errorf("best %+v, first %+v", got.Best, got.Candidates[0])
	}
	if s := got.Settings; s.Lambda != 3 || s.Shrinkage != got.Best.Shrinkage || s.MaxSteps != 25 || s.Components != 2 {
		t.Errorf("settings %+v", s)
	}
	cv.Fit.Seed++
	other, err := CrossValidate(t.Context(), data.X, data.Labels, cv)
	if err != nil || reflect.DeepEqual(other.Candidates, got.Candidates) {
		t.Errorf("another seed gives the same: %v", err)
	}
}

// TestFolds: folds divide every class evenly, and cover every sample once.
func TestFolds(t *testing.T) {
	x, labels := clusters(1, 3, 23, 10, 7, 4)
	for i := range labels {
		x.Set(i, 0, float64(i))
	}
	for _, k := range []int{2, 3, 5, 44} {
		c := &CrossValidation{Folds: k}
		folds, err := c.withDefaults(x, labels)
		if err != nil {
			t.Fatal(err)
		}
		seen := make([]int, 44)
		for _, f := range folds {
			if n := len(f.testLabels); n < 44/k || n > (44+k-1)/k || n+len(f.trainLabels) != 44 {
				t.Errorf("%d folds: test set of %d", k, n)
			}
			count := map[int]int{}
			for i, l := range f.testLabels {
				row := int(f.test.At(i, 0))
				seen[row]++
				if labels[row] != l {
					t.Errorf("row %d has lost its label", row)
				}
				count[l]++
			}
			for i, n := range []int{23, 10, 7, 4} {
				if m := count[10*(i+1)]; m < n/k || m > (n+k-1)/k {
					t.Errorf("%d folds: %d of %d in one", k, m, n)
				}
			}
			for i := range f.trainLabels {
				if slices.Contains(mat.Col(nil, 0, f.test), f.train.At(i, 0)) {
					t.Error("a sample is on both sides")
				}
			}
		}
		for i, n := range seen {
			if n != 1 {
				t.Errorf("row %d is in %d test sets", i, n)
			}
		}
		if len(c.Neighbors) == 0 || slices.Max(c.Neighbors) > 19 {
			t.Errorf("default neighbours %v", c.Neighbors)
		}
	}
}

func TestCrossValidateErrors(t *testing.T) {
	x, labels := parts3(1, 30, 4)
	three, threeLabels := clusters(1, 4, 10, 10, 3)
	stop := errors.New("stop")
	for i, c := range []struct {
		x      mat.Matrix
		labels []int
		cv     CrossValidation
		want   error
	}{
		{x, labels, CrossValidation{Folds: 1}, ErrSettings},
		{x, labels, CrossValidation{Folds: 31}, ErrSettings},
		{x, labels, CrossValidation{Lambda: []float64{1, 0}}, ErrSettings},
		{x, labels, CrossValidation{Lambda: []float64{1, math.NaN()}}, ErrSettings},
		{x, labels, CrossValidation{Lambda: []float64{}}, ErrSettings},
		{x, labels, CrossValidation{Components: []int{1, 5}}, ErrComponents},
		{x, labels, CrossValidation{Shrinkage: []float64{-2}}, ErrSettings},
		{x, labels, CrossValidation{Neighbors: []int{25}}, ErrSettings},
		{x, labels, CrossValidation{Neighbors: []int{0}}, ErrSettings},
		{x, labels[1:], CrossValidation{}, ErrLabels},
		{x, repeated(1, 30), CrossValidation{}, ErrOneClass},
		{nil, labels, CrossValidation{}, ErrShape},
		{three, threeLabels, CrossValidation{Folds: 2}, ErrSingleton},
		{x, labels, CrossValidation{Progress: func(done, _ int) error {
			if done == 2 {
				return stop
			}
			return nil
		}}, stop},
		{mat.NewDense(30, 4, nil), labels, CrossValidation{}, ErrNoSpread},
	} {
		if got, err := CrossValidate(t.Context(), c.x, c.labels, &c.cv); !errors.Is(err, c.want) || got != nil {
			t.Errorf("case %d: %v, want %v", i, err, c.want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if got, err := CrossValidate(ctx, x, labels, nil); !errors.Is(err, stop) || got != nil {
		t.Errorf("cancelled: %v", err)
	}
	_, err := CrossValidate(t.Context(), mat.NewDense(30, 4, nil), labels, &CrossValidation{Lambda: []float64{7}})
	if !strings.Contains(fmt.Sprint(err), "λ = 7") {
		t.Errorf("error %v does not say which settings failed", err)
	}
}
