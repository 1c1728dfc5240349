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

	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// farPool is an Executor whose workers are goroutines that receive and return only bytes. The goroutines start in
// reverse order of the items. Every third item runs twice, or every item if MONGE_LONG=1.
type farPool struct {
	t     *testing.T
	mu    sync.Mutex
	calls map[string]int
	fail  error
}

func (p *farPool) Worth(float64) bool { return true }

func (p *farPool) Do(_ context.Context, b *Work) ([][]byte, error) {
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
	do, err := OpenWork(ctx, b.Task, slices.Clone(b.Shared))
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(b.Items))
	errs := make([]error, len(b.Items))
	var wg sync.WaitGroup
	for i := range slices.Backward(b.Items) {
		wg.Go(func() {
			out[i], errs[i] = do(ctx, b.Items[i])
			if errs[i] != nil || i%3 != 0 && !testdata.IsLong() {
				return
			}
			var again []byte
			if again, errs[i] = do(ctx, b.Items[i]); !bytes.Equal(out[i], again) {
				errs[i] = fmt.Errorf("%s: item %d has other bytes the second time", b.Task, i)
			}
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
}

// TestRemote checks that remote computation does not change the bits of a fit. Pairs of classes, candidate settings and
// folds are computed remotely.
func TestRemote(t *testing.T) {
	t.Parallel()
	sizes, open, wide := []int{24, 18, 21, 30}, Data{Whitening: NoWhitening()}, Data{Standardize: true, Whitening: DiagonalWhitening(LedoitWolf)}
	steps, paper := Optimizer{MaxSteps: 2}, *PaperSettings(2)
	paper.Optimizer.MaxSteps = 3
	if testdata.IsLong() {
		sizes, open, wide = []int{40, 30, 35, 50}, Data{}, Data{Standardize: true}
		steps, paper = Optimizer{MaxSteps: 5}, *PaperSettings(2)
	}
	x, labels := clusters(1, 6, sizes...)
	l := mat.NewDense(4, 4, nil)
	l.Apply(func(i, j int, _ float64) float64 { return 0.1 + 0.05*float64(i+j) }, l)
	held, heldLabels := clusters(2, 6, 11, 9, 10, 12)
	for name, c := range map[string]struct {
		set   Settings
		tasks []string
	}{
		"open":        {Settings{Data: open, Optimizer: steps}, []string{pairTask, pieceTask}},
		"open wide":   {Settings{Components: 5, Data: wide, Optimizer: steps, Validation: &Validation{}}, []string{pairTask, pieceTask}},
		"half open":   {Settings{Objective: Objective{Lambda: LambdaMatrix(l), Float32: true}, Optimizer: Optimizer{Init: mat.NewDense(6, 2, []float64{1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 2}), MaxSteps: 3}}, []string{pairTask, pieceTask}},
		"paper":       {paper, []string{pairTask}},
		"implicit":    {Settings{Data: Data{Whitening: NoWhitening()}, Scale: ScaleOrthonormal, Leading: 2, Objective: Objective{Gradient: sinkhorn.GradientImplicit, Lambda: AbsoluteLambda(0.1), Shrinkage: FixedShrinkage(0.5)}, Optimizer: steps}, []string{pairTask}},
		"mini-batch":  {Settings{Data: Data{Whitening: SphericalWhitening(LedoitWolf)}, Scale: ScaleUnit, Leading: 2, Objective: Objective{Lambda: RelativeLambda(1), Shrinkage: FixedShrinkage(1), Proportional: true}, Optimizer: Optimizer{Method: MiniBatch{BatchSize: 8}, MaxSteps: 2}}, []string{pairTask}},
		"held out":    {Settings{Data: Data{Whitening: NoWhitening()}, Validation: &Validation{X: held, Labels: heldLabels}, Optimizer: steps}, []string{pairTask, pieceTask}},
		"many starts": {Settings{Data: Data{Whitening: NoWhitening()}, Optimizer: Optimizer{Method: SteepestDescent{}, Starts: 3, MaxSteps: 2}}, []string{pairTask, pieceTask}},
	} {
		if !testdata.IsLong() && !slices.Contains([]string{"open", "paper", "mini-batch"}, name) {
			continue
		}
		want, err := Fit(t.Context(), x, labels, &c.set)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pool := &farPool{t: t}
		far := c.set
		far.Executor = pool
		got, err := Fit(t.Context(), x, labels, &far)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		a, b := want.Report(), got.Report()
		a.Elapsed, b.Elapsed, b.Settings.Executor = 0, 0, nil
		if got.Hash() != want.Hash() || !reflect.DeepEqual(a, b) {
			t.Errorf("%s: another model:\n%+v\n%+v", name, a, b)
		}
		for _, task := range c.tasks {
			if pool.calls[task] == 0 {
				t.Errorf("%s: no item of %s has been away: %v", name, task, pool.calls)
			}
		}
	}

	m, err := Fit(t.Context(), x, labels, &paper)
	if err != nil {
		t.Fatal(err)
	}
	p := m.Projection()
	a, err := Score(t.Context(), x, labels, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Score(t.Context(), x, labels, p, &Scoring{Executor: &farPool{t: t}})
	if err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("another J: %v, %v, %v", a, b, err)
	}

	cv := CrossValidation{
		Fit: Settings{Data: Data{Standardize: true, Whitening: NoWhitening()}, Optimizer: steps, Validation: &Validation{X: held, Labels: heldLabels}}, Components: []int{1, 3},
		Lambda: []Lambda{RelativeLambda(0.5), LambdaMatrix(l)}, Shrinkage: []Shrinkage{FixedShrinkage(0.1), FixedShrinkage(1)}, Folds: 3,
	}
	fits := 2 * 2 * 2 * 3
	if !testdata.IsLong() {
		cv.Components, cv.Folds, fits = []int{3}, 2, 2*2*2
	}
	wantCV, err := CrossValidate(t.Context(), x, labels, &cv)
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	cv.Progress = func(p Progress) error { done = p.Done; return nil }
	pool := &farPool{t: t}
	cv.Fit.Executor = pool
	gotCV, err := CrossValidate(t.Context(), x, labels, &cv)
	if err != nil {
		t.Fatal(err)
	}
	if wantCV.Best.Chosen == nil {
		t.Error("no scale was chosen")
	}
	if gotCV.Settings.Executor = nil; !reflect.DeepEqual(wantCV, gotCV) || pool.calls[fitTask] != 1 || done != fits {
		t.Errorf("%v and %d, %d of progress:\n%+v\n%+v", pool.calls, done, fits, wantCV, gotCV)
	}
}

// TestRemoteErrors checks that a remote error has the same text and wraps the same error as a local error. Errors of
// the pool and the end of the context must stop the fit.
func TestRemoteErrors(t *testing.T) {
	x, labels := clusters(3, 4, 20, 15, 25)
	hard := Settings{Data: Data{Whitening: NoWhitening()}, Scale: ScaleOrthonormal, Leading: 2, Objective: Objective{Gradient: sinkhorn.GradientImplicit, Iterations: 1, Lambda: RelativeLambda(300), Shrinkage: FixedShrinkage(1)}, Optimizer: Optimizer{Method: SteepestDescent{}}}
	_, want := Fit(t.Context(), x, labels, &hard)
	far := hard
	far.Executor = &farPool{t: t}
	_, got := Fit(t.Context(), x, labels, &far)
	if want == nil || got == nil || want.Error() != got.Error() || !errors.Is(got, ErrSettings) {
		t.Errorf("error %v, want %v", got, want)
	}
	cv := &CrossValidation{Fit: hard, Folds: 2, Neighbors: []int{1}}
	_, want = CrossValidate(t.Context(), x, labels, cv)
	_, got = CrossValidate(t.Context(), x, labels, &CrossValidation{Fit: far, Folds: 2, Neighbors: []int{1}})
	if want == nil || got == nil || want.Error() != got.Error() || !errors.Is(got, ErrSettings) {
		t.Errorf("error %v, want %v", got, want)
	}
	lost := errors.New("lost")
	for _, set := range []*Settings{{}, PaperSettings(2)} {
		set.Executor = &farPool{t: t, fail: lost}
		if _, err := Fit(t.Context(), x, labels, set); !errors.Is(err, lost) {
			t.Errorf("error %v, want %v", err, lost)
		}
	}
	if _, err := OpenWork(t.Context(), "unknown", nil); err == nil {
		t.Error("an unknown task is opened")
	}
	if _, err := CrossValidate(t.Context(), x, labels, &CrossValidation{Fit: Settings{Executor: &farPool{t: t, fail: lost}}}); !errors.Is(err, lost) {
		t.Errorf("error %v, want %v", err, lost)
	}
}

// TestItemFuncAfterEnd checks that the result of an item is discarded if the context ends during the computation,
// because the result may be incomplete.
func TestItemFuncAfterEnd(t *testing.T) {
	ended := errors.New("ended")
	ctx, cancel := context.WithCancelCause(t.Context())
	do := newItemFunc(func(_ context.Context, item string) (string, error) {
		if item == "" {
			cancel(ended)
		}
		return "done", nil
	})
	send := func(item string) (text string, err error) {
		data, err := encodeWire(item)
		if err == nil {
			data, err = do(ctx, data)
		}
		if err == nil {
			err = decodeWire(data, &text)
		}
		return text, err
	}
	if text, err := send("1"); text != "done" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := send(""); text != "" || err != ended {
		t.Errorf("%q, %v", text, err)
	}
}
