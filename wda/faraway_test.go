package wda

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/gomonge/monge/internal/fanout"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// farPool does items in this process, the last first, each twice, by goroutines that have
// nothing but bytes.
type farPool struct {
	t     *testing.T
	mu    sync.Mutex
	calls map[string]int
	fail  error
}

func (p *farPool) Worth(float64) bool { return true }

func (p *farPool) Do(_ context.Context, b *fanout.Batch) ([][]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = map[string]int{}
	}
	p.calls[b.Task]++
	if p.fail != nil {
		return nil, p.fail
	}
	ctx := p.t.Context()
	do, err := fanout.Open(ctx, b.Task, slices.Clone(b.Shared))
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(b.Items))
	errs := make([]error, len(b.Items))
	var wg sync.WaitGroup
	for i := range slices.Backward(b.Items) {
		wg.Go(func() {
			var again []byte
			if out[i], errs[i] = do(ctx, b.Items[i]); errs[i] == nil {
				again, errs[i] = do(ctx, b.Items[i])
			}
			if !bytes.Equal(out[i], again) {
				errs[i] = fmt.Errorf("%s: item %d has other bytes the second time", b.Task, i)
			}
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
}

// TestAway: whoever solves pairs, compares candidates and makes the fits of a
// cross-validation, the bits are those of one process.
func TestAway(t *testing.T) {
	x, labels := clusters(1, 6, 40, 30, 35, 50)
	l := mat.NewDense(4, 4, nil)
	l.Apply(func(i, j int, _ float64) float64 { return 0.1 + 0.05*float64(i+j) }, l)
	held, heldLabels := clusters(2, 6, 11, 9, 10, 12)
	steps := Optimizer{MaxSteps: 5}
	for name, c := range map[string]struct {
		set   Settings
		tasks []string
	}{
		"open":        {Settings{Optimizer: steps}, []string{pairTask, pieceTask}},
		"open wide":   {Settings{Components: 5, Data: Data{Standardize: true}, Optimizer: steps, Validation: &Validation{}}, []string{pairTask, pieceTask}},
		"half open":   {Settings{Objective: Objective{Lambda: Lambda{Matrix: l}, Float32: true}, Optimizer: Optimizer{Init: mat.NewDense(6, 2, []float64{1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 2}), MaxSteps: 3}}, []string{pairTask, pieceTask}},
		"paper":       {*PaperSettings(2), []string{pairTask}},
		"implicit":    {Settings{Data: Data{Whitening: NoWhitening()}, Scale: Orthonormal, Leading: 2, Objective: Objective{Gradient: sinkhorn.GradientImplicit, Lambda: Lambda{Value: 0.1, Absolute: true}, Shrinkage: Shrinkage{Value: 0.5}}, Optimizer: steps}, []string{pairTask}},
		"mini-batch":  {Settings{Data: Data{Whitening: SphericalWhitening(0)}, Scale: UnitWithin, Leading: 2, Objective: Objective{Lambda: Lambda{Value: 1}, Shrinkage: Shrinkage{Value: 1}, Proportional: true}, Optimizer: Optimizer{Method: MiniBatch, BatchSize: 8, MaxSteps: 2}}, []string{pairTask}},
		"held out":    {Settings{Data: Data{Whitening: NoWhitening()}, Validation: &Validation{X: held, Labels: heldLabels}, Optimizer: steps}, []string{pairTask, pieceTask}},
		"many starts": {Settings{Data: Data{Whitening: NoWhitening()}, Optimizer: Optimizer{Method: SteepestDescent, Starts: 3, MaxSteps: 2}}, []string{pairTask, pieceTask}},
	} {
		want, err := Fit(t.Context(), x, labels, &c.set)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pool := &farPool{t: t}
		got, err := Fit(fanout.With(t.Context(), pool), x, labels, &c.set)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		a, b := want.Report(), got.Report()
		a.Elapsed, b.Elapsed = 0, 0
		if got.Hash() != want.Hash() || !reflect.DeepEqual(a, b) {
			t.Errorf("%s: another model:\n%+v\n%+v", name, a, b)
		}
		for _, task := range c.tasks {
			if pool.calls[task] == 0 {
				t.Errorf("%s: no item of %s has been away: %v", name, task, pool.calls)
			}
		}
	}

	m, err := Fit(t.Context(), x, labels, PaperSettings(2))
	if err != nil {
		t.Fatal(err)
	}
	p := m.Projection()
	a, err := Score(t.Context(), x, labels, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Score(fanout.With(t.Context(), &farPool{t: t}), x, labels, p, nil)
	if err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("another J: %v, %v, %v", a, b, err)
	}

	cv := CrossValidation{
		Fit: Settings{Data: Data{Standardize: true}, Optimizer: steps, Validation: &Validation{X: held, Labels: heldLabels}}, Components: []int{1, 3},
		Lambda: []Lambda{Lambda{Value: 0.5}, Lambda{Matrix: l}}, Shrinkage: []Shrinkage{Shrinkage{Value: 0.1}, Shrinkage{Value: 1}}, Folds: 3,
	}
	wantCV, err := CrossValidate(t.Context(), x, labels, &cv)
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	cv.Progress = func(p Progress) error { done = p.Done; return nil }
	pool := &farPool{t: t}
	gotCV, err := CrossValidate(fanout.With(t.Context(), pool), x, labels, &cv)
	if err != nil {
		t.Fatal(err)
	}
	if gotCV.Settings.Progress = nil; !reflect.DeepEqual(wantCV, gotCV) || pool.calls[fitTask] != 1 || done != 2*2*2*3 {
		t.Errorf("%v and %d, %d of progress:\n%+v\n%+v", pool.calls, done, 2*2*2*3, wantCV, gotCV)
	}
}

// TestAwayErrors: an error from elsewhere says and wraps what that of one process does;
// that of the pool, and the end of the context, end the fit.
func TestAwayErrors(t *testing.T) {
	x, labels := clusters(3, 4, 20, 15, 25)
	hard := Settings{Data: Data{Whitening: NoWhitening()}, Scale: Orthonormal, Leading: 2, Objective: Objective{Gradient: sinkhorn.GradientImplicit, Iterations: 1, Lambda: Lambda{Value: 300}, Shrinkage: Shrinkage{Value: 1}}, Optimizer: Optimizer{Method: SteepestDescent}}
	_, want := Fit(t.Context(), x, labels, &hard)
	_, got := Fit(fanout.With(t.Context(), &farPool{t: t}), x, labels, &hard)
	if want == nil || got == nil || want.Error() != got.Error() || !errors.Is(got, ErrSettings) {
		t.Errorf("error %v, want %v", got, want)
	}
	cv := &CrossValidation{Fit: hard, Folds: 2, Neighbors: []int{1}}
	_, want = CrossValidate(t.Context(), x, labels, cv)
	_, got = CrossValidate(fanout.With(t.Context(), &farPool{t: t}), x, labels, cv)
	if want == nil || got == nil || want.Error() != got.Error() || !errors.Is(got, ErrSettings) {
		t.Errorf("error %v, want %v", got, want)
	}
	lost := errors.New("lost")
	for _, set := range []*Settings{nil, PaperSettings(2)} {
		if _, err := Fit(fanout.With(t.Context(), &farPool{t: t, fail: lost}), x, labels, set); !errors.Is(err, lost) {
			t.Errorf("error %v, want %v", err, lost)
		}
	}
	if _, err := CrossValidate(fanout.With(t.Context(), &farPool{t: t, fail: lost}), x, labels, nil); !errors.Is(err, lost) {
		t.Errorf("error %v, want %v", err, lost)
	}
}
