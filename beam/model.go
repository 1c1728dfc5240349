package mongebeam

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
)

// Model is a model file of package wda that all workers can read. SHA256 is the hash of the file at
// the time when the pipeline was made. A worker fails if the file has a different hash.
type Model struct {
	Path   string
	SHA256 string // hexadecimal
}

// OpenModel reads the model file at path, which may be in any of Beam's file systems.
func OpenModel(ctx context.Context, path string) (Model, error) {
	data, err := readAll(ctx, path)
	if err != nil {
		return Model{}, err
	}
	if _, _, err := wda.Load(bytes.NewReader(data), nil); err != nil {
		return Model{}, fmt.Errorf("%s: %w", path, err)
	}
	return Model{path, hexSHA256(data)}, nil
}

// Schema returns the model's description of the columns of a table, for Columns.Schema. It returns
// nil if the model was fitted to an array of numbers.
func (m Model) Schema(ctx context.Context) (*dataset.Schema, error) {
	l, err := m.load(ctx)
	if err != nil {
		return nil, err
	}
	return l.model.Schema(), nil
}

// loaded contains a model and its classifier, or the error of loading them. The process loads the
// model only once.
type loaded struct {
	once       sync.Once
	model      *wda.Model
	classifier *wda.Classifier
	err        error
}

// models contains one *loaded for every Model in this process. All bundles share the map.
var models sync.Map

var loads = beam.NewCounter("monge", "model_loads")

func (m Model) load(ctx context.Context) (*loaded, error) {
	at, _ := models.LoadOrStore(m, new(loaded))
	l := at.(*loaded)
	l.once.Do(func() {
		loads.Inc(ctx, 1)
		var data []byte
		if data, l.err = readVerified(ctx, m.Path, m.SHA256); l.err == nil {
			l.model, l.classifier, l.err = wda.Load(bytes.NewReader(data), nil)
		}
	})
	if l.err != nil {
		models.CompareAndDelete(m, at) // so that a retry reads the file again
	}
	return l, l.err
}
