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
	now  atomic.Pointer[Served]
	turn sync.Mutex // of those who replace
}

// Served is what a model file holds.
type Served struct {
	Model      *Model
	Classifier *Classifier // nil if there is none
	Hash       string      // of the classifier if there is one, otherwise of the model
}

// Get returns what Reload has read last, nil if nothing yet. It allocates nothing and
// never waits; a request takes it once, at its start. A Workspace serves one after
// another.
func (h *Holder) Get() *Served { return h.now.Load() }

// Reload reads a model file and, if nothing is wrong with it, makes it the one that Get
// returns from then on. On error Get returns what it did before. An error is that of
// Load, that of check, or wraps ErrShape if the number of features is another than
// before: requests in flight would not fit.
//
// check, unless nil, says what is wrong with next, as by classifying samples whose class
// is known; old is nil the first time. Calls of Reload follow one another.
func (h *Holder) Reload(r io.Reader, check func(old, next *Served) error) error {
	m, c, err := LoadAny(r)
	if err != nil {
		return err
	}
	next := &Served{m, c, m.Hash()}
	if c != nil {
		next.Hash = c.Hash()
	}
	h.turn.Lock()
	defer h.turn.Unlock()
	old := h.now.Load()
	if old != nil {
		if was, is := len(old.Model.mean), len(m.mean); was != is {
			return fmt.Errorf("%w: a model of %d features in the place of one of %d", ErrShape, is, was)
		}
		if old.Classifier != nil && c == nil {
			return fmt.Errorf("%w: in the place of one that there was", errNoClassifier)
		}
	}
	if check != nil {
		if err := check(old, next); err != nil {
			return err
		}
	}
	h.now.Store(next)
	return nil
}
