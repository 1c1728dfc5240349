package wda

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Holder holds the model of a service and replaces it while the service is running. Requests in
// flight finish on the old model. The zero value is empty and ready to use. Any number of
// goroutines may use a Holder at the same time.
type Holder struct {
	current   atomic.Pointer[heldModel]
	reloading sync.Mutex // held by Reload
}

// heldModel is the content of a model file.
type heldModel struct {
	model      *Model
	classifier *Classifier // or nil
}

// Get returns the model of the latest successful Reload. It also returns the classifier, or nil if the
// file did not contain a classifier. Before the first Reload, both results are nil. Get does not
// allocate and never waits. Call Get once at the beginning of each request.
func (h *Holder) Get() (*Model, *Classifier) {
	if now := h.current.Load(); now != nil {
		return now.model, now.classifier
	}
	return nil, nil
}

// Reload reads a model file as Load does. After Reload, Get returns the new model. If Reload returns
// an error, Get still returns the old model. o may be nil.
//
// Reload calls the function check, if not nil, before it replaces the old model. For example, check
// may classify samples of known classes with the new model. Reload returns an error of check or of
// Load unchanged. The error wraps ErrShape if the number of features has changed, and ErrModel if the
// old file contained a classifier and the new file does not. Concurrent calls of Reload run one after
// the other.
func (h *Holder) Reload(r io.Reader, o *LoadOptions, check func(*Model, *Classifier) error) error {
	m, c, err := Load(r, o)
	if err != nil {
		return err
	}
	h.reloading.Lock()
	defer h.reloading.Unlock()
	if old := h.current.Load(); old != nil {
		if was, is := len(old.model.mean), len(m.mean); was != is {
			return fmt.Errorf("%w: the new model has %d features, the old one %d", ErrShape, is, was)
		}
		if old.classifier != nil && c == nil {
			return fmt.Errorf("%w, but the current model has one; save a Classifier instead of a Model", errNoClassifier)
		}
	}
	if check != nil {
		if err := check(m, c); err != nil {
			return err
		}
	}
	h.current.Store(&heldModel{m, c})
	return nil
}
