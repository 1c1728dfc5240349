package wda

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
)

// TestHolder checks that a rejected model does not replace the old model, and that readers see a complete model at all
// times.
func TestHolder(t *testing.T) {
	m, x, labels := testModel(t, 6, 2)
	small, err := NewClassifier(t.Context(), m, x.Slice(0, 5, 0, 6), labels[:5], 1)
	if err != nil {
		t.Fatal(err)
	}
	large, err := NewClassifier(t.Context(), m, x, labels, 7)
	if err != nil {
		t.Fatal(err)
	}
	wider, wide, wideLabels := testModel(t, 7, 2)
	other, err := NewClassifier(t.Context(), wider, wide, wideLabels, 1)
	if err != nil {
		t.Fatal(err)
	}
	var h Holder
	reload := func(file []byte, check func(*Model, *Classifier) error) error {
		return h.Reload(bytes.NewReader(file), nil, check)
	}
	holds := func() *Model { m, _ := h.Get(); return m }
	if m, c := h.Get(); m != nil || c != nil {
		t.Error("an empty holder holds something")
	}
	unwanted := errors.New("unwanted")
	for name, c := range map[string]struct {
		file []byte
		want error
	}{"a model": {fileOf(t, m), nil}, "a small classifier": {fileOf(t, small), nil}, "a large classifier": {fileOf(t, large), nil}, "no file": {nil, ErrModel}} {
		h = Holder{}
		err := reload(c.file, func(m *Model, _ *Classifier) error {
			if m == nil || holds() != nil {
				t.Errorf("%s: not checked first", name)
			}
			return nil
		})
		if !errors.Is(err, c.want) || (holds() == nil) != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := reload(fileOf(t, small), nil); err != nil {
		t.Fatal(err)
	}
	first, of := h.Get()
	if of.Hash() != small.Hash() || first != of.Model() {
		t.Errorf("hash %s, want %s", of.Hash(), small.Hash())
	}
	for name, err := range map[string]error{
		"damaged":       reload(fileOf(t, large)[1:], nil),
		"other shape":   reload(fileOf(t, other), nil),
		"no classifier": reload(fileOf(t, m), nil),
		"unwanted": reload(fileOf(t, large), func(m *Model, c *Classifier) error {
			if holds() != first || m != c.Model() || c.Hash() != large.Hash() {
				t.Error("the check is given something else")
			}
			return unwanted
		}),
	} {
		want := map[string]error{"damaged": ErrModel, "other shape": ErrShape, "no classifier": ErrModel, "unwanted": unwanted}[name]
		if !errors.Is(err, want) || holds() != first {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}

	// Four goroutines predict while the test replaces the classifier. Every label must be correct for the classifier
	// that the goroutine got from the holder.
	sample := x.RawRowView(3)
	answers := map[int]int{small.K(): labelOf(small, sample, nil), large.K(): labelOf(large, sample, nil)}
	var wg sync.WaitGroup
	var stop atomic.Bool
	for range 4 {
		wg.Go(func() {
			w := new(Workspace)
			for !stop.Load() {
				_, c := h.Get()
				if got, want := labelOf(c, sample, w), answers[c.K()]; got != want {
					t.Errorf("by %d neighbors: %d, want %d", c.K(), got, want)
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
	if a := asmtest.Allocations(func() { h.Get() }); a != 0 {
		t.Errorf("%v allocations", a)
	}
}
