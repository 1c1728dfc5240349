package wda

import (
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// TestPrepare compares Prepared.Fit with Fit. The results must be bit-identical with the same number of components, and
// approximately equal with fewer components. Data and Validation must come from Prepare if they are unset in the
// settings of Prepared.Fit. A value that differs from the value given to Prepare must be an error.
func TestPrepare(t *testing.T) {
	t.Parallel()
	steps, lambdas := 4, 1
	if testdata.IsLong() {
		steps, lambdas = 8, 2
	}
	for _, c := range []struct {
		n, d int
		set  Settings
	}{
		{60, 6, Settings{Components: 3}},
		{60, 6, Settings{Components: 3, Data: Data{Standardize: true}, Objective: Objective{Float32: true}}},
		{60, 6, Settings{Components: 2, Optimizer: Optimizer{Init: uniform(5, 6, 2), Method: ProjectedGradient{}}}},
		{60, 6, Settings{Components: 3, Validation: &Validation{Every: 1, Patience: 2}, Seed: 4}},
		{24, 40, Settings{Components: 4}},
		{30, 200, Settings{Components: 5, Data: Data{Standardize: true}}},
	} {
		x, labels := parts3(3, c.n, c.d)
		c.set.Optimizer.MaxSteps = steps
		prepared, err := Prepare(t.Context(), x, labels, c.set.preparation())
		if err != nil {
			t.Fatal(err)
		}
		for p := c.set.Components; p > 0; p-- {
			if c.set.Optimizer.Init != nil && p < c.set.Components {
				break // the given start determines the number of components
			}
			for _, lambda := range []float64{0.5, 2}[:lambdas] {
				whole := c.set.withPaperDefaults()
				whole.Components, whole.Objective.Lambda = p, RelativeLambda(lambda)
				want, err := fitPinned(t.Context(), x, labels, &whole)
				if err != nil {
					t.Fatal(err)
				}
				rest := whole
				rest.Data.Standardize, rest.Validation = false, nil
				if p == c.set.Components {
					rest.Components = 0
				}
				got, err := prepared.Fit(t.Context(), &rest)
				if err != nil {
					t.Fatalf("%d × %d, %+v: %v", c.n, c.d, rest, err)
				}
				if r := got.Report().Settings; r.Data.Standardize != c.set.Data.Standardize || !reflect.DeepEqual(r.Validation, c.set.Validation) {
					t.Errorf("%d × %d, %+v: settings reported %+v", c.n, c.d, rest, r)
				}
				if p == c.set.Components {
					if !mat.Equal(got.projection, want.projection) {
						t.Errorf("%d × %d, %+v: not the same projection", c.n, c.d, rest)
					}
					continue
				}
				if e := relative(got.report.Objective, want.report.Objective); !(e < 1e-6) {
					t.Errorf("%d × %d, %+v: J = %v, unprepared %v", c.n, c.d, rest, got.report.Objective, want.report.Objective)
				}
				if e := stiefel.New(c.d, p).Distance(ctx, got.projection, want.projection); !c.set.Data.Standardize && !(e < 1e-3) {
					t.Errorf("%d × %d, %+v: the subspace is %g off", c.n, c.d, rest, e)
				}
			}
		}
		_, err = prepared.Fit(t.Context(), &Settings{Components: c.set.Components + 1})
		if !errors.Is(err, ErrSettings) {
			t.Errorf("one component more: %v", err)
		}
		for name, other := range map[string]Settings{"Data": {Data: Data{Standardize: !c.set.Data.Standardize}}, "Validation": {Validation: new(Validation)}} {
			if !other.Data.Standardize && other.Validation == nil {
				continue // left to Prepare
			}
			if _, err = prepared.Fit(t.Context(), &other); !errors.Is(err, ErrSettings) {
				t.Errorf("%s is not that of Prepare: %v", name, err)
			}
		}
		if _, err = prepared.Fit(t.Context(), &Settings{Objective: Objective{Lambda: RelativeLambda(-1)}}); !errors.Is(err, ErrSettings) {
			t.Errorf("λ = −1: %v", err)
		}
	}
	x, _ := parts3(3, 60, 6)
	if _, err := Prepare(t.Context(), x, make([]int, 60), nil); !errors.Is(err, ErrLabels) {
		t.Errorf("one class: %v", err)
	}
}

// TestPreparedSideBySide checks that concurrent fits of one Prepared do not affect each other.
func TestPreparedSideBySide(t *testing.T) {
	x, labels := parts3(3, 40, 60)
	prepared, err := Prepare(t.Context(), x, labels, &Preparation{Components: 3})
	if err != nil {
		t.Fatal(err)
	}
	var all []Settings
	for _, s := range stepping {
		// The second fit ends at its starting point because its tolerance is large.
		all = append(all, Settings{Components: 3, Optimizer: Optimizer{Method: s, MaxSteps: 10}}, Settings{Components: 3, Optimizer: Optimizer{Method: s, Tolerance: 1e9}, Objective: Objective{Lambda: RelativeLambda(3)}})
	}
	got := make([]*Model, len(all))
	var wg sync.WaitGroup
	for i, s := range all {
		wg.Go(func() {
			var err error
			if got[i], err = prepared.Fit(t.Context(), paperSettings(s)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	for i, s := range all {
		if want := mustFit(t, x, labels, &s); !mat.Equal(got[i].projection, want.projection) {
			t.Errorf("%+v: not the projection of a fit by itself", s)
		}
	}
}
