package wda

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestHolder: what is wrong is not taken, and what is taken is taken whole.
func TestHolder(t *testing.T) {
	m, x, labels := testModel(t, 6, 2)
	small, err := NewClassifier(m, x.Slice(0, 5, 0, 6), labels[:5], 1)
	if err != nil {
		t.Fatal(err)
	}
	large, err := NewClassifier(m, x, labels, 7)
	if err != nil {
		t.Fatal(err)
	}
	wider, wide, wideLabels := testModel(t, 7, 2)
	other, err := NewClassifier(wider, wide, wideLabels, 1)
	if err != nil {
		t.Fatal(err)
	}
	var h Holder
	reload := func(file []byte, check func(old, next *Served) error) error {
		return h.Reload(bytes.NewReader(file), check)
	}
	if h.Get() != nil {
		t.Error("an empty holder holds something")
	}
	unwanted := errors.New("unwanted")
	for name, c := range map[string]struct {
		file []byte
		want error
	}{"a model": {fileOf(t, m), nil}, "a small classifier": {fileOf(t, small), nil}, "a large classifier": {fileOf(t, large), nil}, "no file": {nil, ErrModel}} {
		h = Holder{}
		err := reload(c.file, func(old, next *Served) error {
			if old != nil || next == nil || h.Get() != nil {
				t.Errorf("%s: checked after %v", name, old)
			}
			return nil
		})
		if !errors.Is(err, c.want) || (h.Get() == nil) != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := reload(fileOf(t, small), nil); err != nil {
		t.Fatal(err)
	}
	first := h.Get()
	if first.Hash != small.Hash() || first.Model != first.Classifier.Model() {
		t.Errorf("hash %s, want %s", first.Hash, small.Hash())
	}
	for name, err := range map[string]error{
		"damaged":       reload(fileOf(t, large)[1:], nil),
		"other shape":   reload(fileOf(t, other), nil),
		"no classifier": reload(fileOf(t, m), nil),
		"unwanted": reload(fileOf(t, large), func(old, next *Served) error {
			if old != first || next.Hash != large.Hash() {
				t.Error("the check is given something else")
			}
			return unwanted
		}),
	} {
		want := map[string]error{"damaged": ErrModel, "other shape": ErrShape, "no classifier": ErrModel, "unwanted": unwanted}[name]
		if !errors.Is(err, want) || h.Get() != first {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}

	// Requests go on while models come and go, each with a workspace of its own that
	// outlives them; every answer is that of one of the models.
	sample := x.RawRowView(3)
	of := map[string]int{small.Hash(): small.Predict(sample, nil), large.Hash(): large.Predict(sample, nil)}
	var wg sync.WaitGroup
	var stop atomic.Bool
	for range 4 {
		wg.Go(func() {
			w := new(Workspace)
			for !stop.Load() {
				s := h.Get()
				if got, want := s.Classifier.Predict(sample, w), of[s.Hash]; got != want {
					t.Errorf("%s: %d, want %d", s.Hash, got, want)
					return
				}
			}
		})
	}
	files := [][]byte{fileOf(t, small), fileOf(t, large)}
	for i := range 100 {
		if err := reload(files[i%2], nil); err != nil {
			t.Error(err)
		}
	}
	stop.Store(true)
	wg.Wait()
	if a := testing.AllocsPerRun(20, func() { h.Get() }); a != 0 {
		t.Errorf("%v allocations", a)
	}
}
