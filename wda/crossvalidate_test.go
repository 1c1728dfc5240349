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

	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

func lambdas(values ...float64) []Lambda {
	var all []Lambda
	for _, v := range values {
		all = append(all, RelativeLambda(v))
	}
	return all
}

func shrinkages(values ...float64) []Shrinkage {
	var all []Shrinkage
	for _, v := range values {
		all = append(all, FixedShrinkage(v))
	}
	return all
}

// TestCrossValidate checks that cross-validation finds a λ that works on the paper's data, and that the result lists the
// candidate settings in the given order. The result must not depend on the number of goroutines.
func TestCrossValidate(t *testing.T) {
	data := dataset.Simulation{Seed: 1}.Generate(90)
	cv := &CrossValidation{
		Fit: *paperSettings(Settings{Components: 2, Optimizer: Optimizer{MaxSteps: 25}, Seed: 3}), Lambda: lambdas(0.01, 3), Shrinkage: shrinkages(0, 0.5),
		Neighbors: []int{5, 1}, Folds: 3,
	}
	calls := 0
	cv.Progress = func(p Progress) error {
		done, total := p.Done, p.Total
		if calls++; done != calls || total != 12 {
			t.Errorf("call %d of Progress: %d of %d", calls, done, total)
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
	if i != len(got.Candidates) || got.Best.Lambda != (RelativeLambda(3)) || got.Best.Error > 0.15 || got.Candidates[0].Error < 0.4 {
		t.Errorf("best %+v, first %+v", got.Best, got.Candidates[0])
	}
	if got.Best.Chosen != nil {
		t.Errorf("chosen: %v", got.Best.Chosen)
	}
	if s := got.Settings; s.Objective.Lambda != (RelativeLambda(3)) || s.Objective.Shrinkage != got.Best.Shrinkage || s.Optimizer.MaxSteps != 25 || s.Components != 2 {
		t.Errorf("settings %+v", s)
	}
	cv.Fit.Seed++
	other, err := CrossValidate(t.Context(), data.X, data.Labels, cv)
	if err != nil || reflect.DeepEqual(other.Candidates, got.Candidates) {
		t.Errorf("another seed gives the same: %v", err)
	}
}

// TestCrossValidateIsFit checks that the folds have the same errors and choices as separate fits, although the folds
// share work. The cases have fewer features than samples, more features than samples, settings that change the samples,
// and unset settings.
func TestCrossValidateIsFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, d int
		cv   CrossValidation
	}{
		{60, 6, CrossValidation{Components: []int{1, 3}, Lambda: lambdas(0.5, 2), Fit: *paperSettings(Settings{Objective: Objective{Float32: true}})}},
		{24, 40, CrossValidation{Components: []int{2, 17}, Shrinkage: shrinkages(0.3, 1), Fit: *paperSettings(Settings{Data: Data{Standardize: true}})}},
		{60, 6, CrossValidation{Lambda: lambdas(0.5, 2), Fit: *paperSettings(Settings{Validation: &Validation{Every: 1, Patience: 2}, Seed: 4, Optimizer: Optimizer{Starts: 2}})}},
		{60, 6, CrossValidation{Components: []int{2}, Lambda: lambdas(1, 3), Fit: *paperSettings(Settings{Optimizer: Optimizer{Init: uniform(5, 6, 2), Method: ProjectedGradient{}}})}},
		{40, 5, CrossValidation{Shrinkage: []Shrinkage{{}, FixedShrinkage(0.5)}, Fit: Settings{Data: Data{Whitening: NoWhitening()}}}},
	} {
		x, labels := parts3(3, c.n, c.d)
		c.cv.Folds, c.cv.Neighbors, c.cv.Fit.Optimizer.MaxSteps = 3, []int{1, 3}, 6
		got, err := CrossValidate(t.Context(), x, labels, &c.cv)
		if err != nil {
			t.Fatal(err)
		}
		set := c.cv
		folds, err := set.withDefaults(context.Background(), x, labels)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range got.Candidates {
			for i, f := range folds {
				train, trainLabels := copyRows(context.Background(), x, labels, f.train)
				test, testLabels := copyRows(context.Background(), x, labels, f.test)
				s := c.cv.Fit
				s.Components, s.Objective.Lambda, s.Objective.Shrinkage = a.Components, a.Lambda, a.Shrinkage
				m, err := Fit(t.Context(), train, trainLabels, &s)
				if err != nil {
					t.Fatal(err)
				}
				k, err := NewClassifier(t.Context(), m, train, trainLabels, a.Neighbors)
				if err != nil {
					t.Fatal(err)
				}
				predicted, err := k.PredictLabels(t.Context(), nil, test, 1)
				if err != nil {
					t.Fatal(err)
				}
				if e := knn.ErrorRate(predicted, testLabels); e != a.Errors[i] {
					t.Errorf("%d × %d, %+v: fold %d by itself has error %v", c.n, c.d, a, i, e)
				}
				choice := m.Report().Choice
				if choice == nil && a.Chosen != nil || choice != nil && mixtureOf(a.Chosen[i]).String() != mixtureOf(choice.Members[:choice.Mixed]).String() {
					t.Errorf("%d × %d, fold %d: chosen %v, by itself %v", c.n, c.d, i, a.Chosen, choice)
				}
			}
		}
	}
}

// TestFolds checks that the folds divide every class evenly and cover every sample once.
func TestFolds(t *testing.T) {
	x, labels := clusters(1, 3, 23, 10, 7, 4)
	for _, k := range []int{2, 3, 5, 44} {
		c := &CrossValidation{Folds: k}
		folds, err := c.withDefaults(context.Background(), x, labels)
		if err != nil {
			t.Fatal(err)
		}
		seen := make([]int, 44)
		for _, f := range folds {
			if n := len(f.test); n < 44/k || n > (44+k-1)/k || n+len(f.train) != 44 {
				t.Errorf("%d folds: unexpected test set of %d rows", k, n)
			}
			count := map[int]int{}
			for _, row := range f.test {
				seen[row]++
				count[labels[row]]++
			}
			for i, n := range []int{23, 10, 7, 4} {
				if m := count[10*(i+1)]; m < n/k || m > (n+k-1)/k {
					t.Errorf("%d folds: %d of %d in one", k, m, n)
				}
			}
			for _, row := range f.train {
				if slices.Contains(f.test, row) {
					t.Error("a sample is on both sides")
				}
			}
		}
		for i, n := range seen {
			if n != 1 {
				t.Errorf("row %d is in %d test sets, want 1", i, n)
			}
		}
		if len(c.Neighbors) == 0 || slices.Max(c.Neighbors) > 19 {
			t.Errorf("default neighbors %v, want some, at most 19", c.Neighbors)
		}
	}
}

func TestCrossValidateErrors(t *testing.T) {
	x, labels := parts3(1, 30, 4)
	three, threeLabels := clusters(1, 4, 10, 10, 3)
	nan, inf := mat.DenseCopyOf(x), mat.DenseCopyOf(x)
	nan.Set(7, 2, math.NaN())
	inf.Set(29, 3, math.Inf(-1))
	stop := errors.New("stop")
	for i, c := range []struct {
		x      mat.Matrix
		labels []int
		cv     CrossValidation
		want   error
	}{
		{x, labels, CrossValidation{Folds: 1}, ErrSettings},
		{x, labels, CrossValidation{Folds: 31}, ErrSettings},
		{x, labels, CrossValidation{Lambda: lambdas(1, -1)}, ErrSettings},
		{x, labels, CrossValidation{Lambda: lambdas(1, math.NaN())}, ErrSettings},
		{x, labels, CrossValidation{Lambda: []Lambda{}}, ErrSettings},
		{x, labels, CrossValidation{Components: []int{1, 5}}, ErrSettings},
		{x, labels, CrossValidation{Shrinkage: shrinkages(-2)}, ErrSettings},
		{x, labels, CrossValidation{Neighbors: []int{25}}, ErrSettings},
		{x, labels, CrossValidation{Neighbors: []int{0}}, ErrSettings},
		{x, labels[1:], CrossValidation{}, ErrLabels},
		{x, repeated(1, 30), CrossValidation{}, ErrLabels},
		{nil, labels, CrossValidation{}, ErrShape},
		{nan, labels, CrossValidation{}, ErrNotFinite},
		{inf, labels, CrossValidation{}, ErrNotFinite},
		{x, labels, CrossValidation{Folds: -2}, ErrSettings},
		{x, labels, CrossValidation{Fit: Settings{Validation: &Validation{Fraction: 2}}}, ErrSettings},
		{x, labels, CrossValidation{Fit: Settings{Optimizer: Optimizer{Init: uniform(1, 4, 3)}}}, ErrShape},
		{three, threeLabels, CrossValidation{Folds: 2}, ErrLabels},
		{x, labels, CrossValidation{Fit: *paperSettings(Settings{}), Progress: func(p Progress) error {
			if p.Done == 2 {
				return stop
			}
			return nil
		}}, stop},
		{x, labels, CrossValidation{Progress: func(p Progress) error {
			if p.Phase == PhaseChoice {
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
		t.Errorf("canceled: %v", err)
	}
	var at *PositionError
	if _, err := CrossValidate(t.Context(), nan, labels, nil); !errors.As(err, &at) || at.Row != 7 || at.Column != 2 {
		t.Errorf("%v does not say where the NaN is", err)
	}
	if _, err := CrossValidate(t.Context(), three, threeLabels, &CrossValidation{Folds: 2}); !strings.Contains(fmt.Sprint(err), "label 30 has 3 samples, too few for 2 folds") {
		t.Errorf("%v does not say which class is too small", err)
	}
	// If several fits fail, the error names the first failed fit, for any number of goroutines.
	for range 20 {
		_, err := CrossValidate(t.Context(), mat.NewDense(30, 4, nil), labels, &CrossValidation{Lambda: lambdas(7, 8), Fit: *paperSettings(Settings{Workers: 8})})
		if !strings.Contains(fmt.Sprint(err), "fold 1 of 5, p = 2, λ = 7") {
			t.Errorf("error %v does not say which settings failed first", err)
		}
	}
}

// TestCrossValidateOddData checks that the estimated error rates are between 0 and 1 for unusual data,
// with float64 and float32 kernels.
func TestCrossValidateOddData(t *testing.T) {
	t.Parallel()
	plain, labels := parts3(2, 30, 3)
	edit := func(f func(x *mat.Dense)) *mat.Dense {
		x := mat.DenseCopyOf(plain)
		f(x)
		return x
	}
	unbalanced, unbalancedLabels := clusters(1, 3, 60, 3)
	many, manyLabels := clusters(1, 4, repeated(5, 40)...)
	for i, c := range []struct {
		name   string
		x      *mat.Dense
		labels []int
		cv     CrossValidation
	}{
		{"duplicates", edit(func(x *mat.Dense) {
			for i := range 30 {
				x.SetRow(i, plain.RawRowView(i%3))
			}
		}), labels, CrossValidation{}},
		{"one feature of another scale", edit(func(x *mat.Dense) {
			for i := range 30 {
				x.Set(i, 1, 1e12*x.At(i, 1))
			}
		}), labels, CrossValidation{}},
		{"constant feature", edit(func(x *mat.Dense) {
			for i := range 30 {
				x.Set(i, 0, 7)
			}
		}), labels, CrossValidation{}},
		{"d = 1", mat.DenseCopyOf(plain.Slice(0, 30, 0, 1)), labels, CrossValidation{}},
		{"p = d", plain, labels, CrossValidation{Components: []int{3}}},
		{"unbalanced", unbalanced, unbalancedLabels, CrossValidation{}},
		{"many classes", many, manyLabels, CrossValidation{Neighbors: []int{1}}},
	} {
		for _, single := range []bool{false, true} {
			if !testdata.IsLong() && single == (i%2 == 0) {
				continue
			}
			c.cv.Folds, c.cv.Fit = 3, *paperSettings(Settings{Optimizer: Optimizer{MaxSteps: 2}, Objective: Objective{Float32: single}})
			got, err := CrossValidate(t.Context(), c.x, c.labels, &c.cv)
			if err != nil {
				t.Errorf("%s, float32 %v: %v", c.name, single, err)
				continue
			}
			for _, a := range got.Candidates {
				if !(a.Error >= 0 && a.Error <= 1 && a.StdErr >= 0) {
					t.Errorf("%s: %+v", c.name, a)
				}
			}
		}
	}
}
