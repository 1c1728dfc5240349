package wda

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Holder holds the model that a service answers with, and replaces it while the service
// goes on: a request that has taken the old one ends with it. The zero value is empty.
// Any number of goroutines may use it at once.
type Holder struct {
	now  atomic.Pointer[held]
	turn sync.Mutex // of those who replace
}

// held is what a model file holds.
type held struct {
	m *Model
	c *Classifier // or nil
}

// Get returns what Reload has taken last, as Load returns it; two times nil if nothing
// yet. It allocates nothing and never waits; a request calls it once, at its start. A
// Workspace serves one classifier after another.
func (h *Holder) Get() (*Model, *Classifier) {
	if now := h.now.Load(); now != nil {
		return now.m, now.c
	}
	return nil, nil
}

// Reload reads a model file as Load does and, if nothing is wrong with it, makes it what
// Get returns from then on. On error Get returns what it did before. An error is that of
// Load, that of check, wraps ErrShape if the number of features is another than before, as
// requests in flight would not fit, or wraps ErrModel if there is no classifier any more.
//
// check, unless nil, says what is wrong with the new model, as by classifying samples whose
// class is known; Get still returns the old one meanwhile. Calls of Reload follow one
// another.
func (h *Holder) Reload(r io.Reader, check func(*Model, *Classifier) error) error {
	m, c, err := Load(r)
	if err != nil {
		return err
	}
	h.turn.Lock()
	defer h.turn.Unlock()
	if old := h.now.Load(); old != nil {
		if was, is := len(old.m.mean), len(m.mean); was != is {
			return fmt.Errorf("%w: a model of %d features in the place of one of %d", ErrShape, is, was)
		}
		if old.c != nil && c == nil {
			return fmt.Errorf("%w, in the place of one that did", errNoClassifier)
		}
	}
	if check != nil {
		if err := check(m, c); err != nil {
			return err
		}
	}
	h.now.Store(&held{m, c})
	return nil
}
