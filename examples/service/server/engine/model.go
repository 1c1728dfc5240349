package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// Check decides which models are served and which answers are rejected.
type Check struct {
	// Samples is a file of labeled samples in any format that package dataset reads. The model
	// selects the columns by name. If Samples is empty, every undamaged model is served.
	Samples string
	// Accuracy is the minimum share of the samples that a model must classify correctly.
	Accuracy float64
	// RejectShare and RejectQuantile configure two tests of answers; 0 disables a test. The first
	// test rejects an answer if the share of its class among the neighbors is less than RejectShare.
	// The second test rejects an answer if the distance to the K-th neighbor exceeds a threshold.
	// This threshold is a quantile of the distances that the samples in the file Samples have to
	// their K-th neighbors. RejectQuantile selects the quantile. A calibrated model also rejects
	// answers by its own thresholds.
	RejectShare, RejectQuantile float64
}

// served is a model with the data that requests need.
type served struct {
	model      *wda.Model
	classifier *wda.Classifier // nil if the model has none
	labels     []int           // labels of the classifier's samples
	table      *dataset.Schema // schema of named samples; nil if the model has no names
	names      map[string]bool // columns of table; the value is true for features
	info       Info
	reject     float64 // squared distance above which answers are rejected
}

// Info describes a model.
type Info struct {
	Hash       string   `json:"model"`
	Features   int      `json:"features"`
	Components int      `json:"components"`
	Samples    int      `json:"samples"` // number of samples in the classifier
	Classes    []string `json:"classes"` // classes in the order of probabilities
	Columns    []string `json:"columns"` // column names of a sample; empty if the model has no column names
	// Accuracy and RejectBeyond are computed from the samples of the file Check.Samples.
	Accuracy     *float64 `json:"accuracy,omitempty"`
	RejectBeyond *float64 `json:"reject_beyond,omitempty"`
}

// labeledSamples are samples with known classes.
type labeledSamples struct {
	x       *mat.Dense
	classes []string
}

// readKnown reads the check samples as input of the model m. It returns nil if the check has no
// samples.
func readKnown(c Check, m *wda.Model) (*labeledSamples, error) {
	if c.Samples == "" {
		if c.RejectQuantile > 0 {
			return nil, fmt.Errorf("-reject-quantile needs the distances of known samples: give them with -check")
		}
		return nil, nil
	}
	d, err := dataset.ReadFile(c.Samples, &dataset.Options{Schema: m.Schema(), AllowExtra: true})
	if err != nil {
		return nil, err
	}
	if d.Labels == nil || d.Len() == 0 {
		return nil, fmt.Errorf("%s: a check needs samples with labels; there are none", c.Samples)
	}
	k := &labeledSamples{x: d.X}
	for _, l := range d.Labels {
		k.classes = append(k.classes, d.Classes[l])
	}
	return k, nil
}

// Info describes the model in use.
func (e *Engine) Info() Info { return e.current.Load().info }

// Reload reads the model file again. If the model passes the check, new requests use the new model,
// and requests in progress finish with the old model. On error the old model stays in use. It is an
// error if the model has different columns or a different order of columns. It is also an error if
// the file is not a regular file, is too large, or cannot be read within the time limit. At the
// time limit, Reload returns while a goroutine continues to wait for the file. Calls of Reload run
// one after the other. A call that must wait longer than the time limit returns an error.
func (e *Engine) Reload(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, e.config.ModelTime, errModelTime)
	late := func() error { return fmt.Errorf("%s: %w", e.config.Model, context.Cause(ctx)) }
	select {
	case e.reloading <- struct{}{}:
	case <-ctx.Done():
		cancel()
		return late()
	}
	done := make(chan error, 1)
	go func() {
		defer func() { <-e.reloading }()
		defer cancel()
		if err := e.load(ctx); err != nil {
			done <- fmt.Errorf("%s: %w", e.config.Model, err)
			return
		}
		done <- nil
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		select {
		case err := <-done: // after a success both channels are ready
			return err
		default:
			return late()
		}
	}
}

var errModelTime = errors.New("the model could not be read within the time limit -model-time; the file does not answer")

// load reads the model file and replaces the model, unless the context has ended by then.
func (e *Engine) load(ctx context.Context) error {
	// Opening a named pipe would block.
	if info, err := os.Stat(e.config.Model); err != nil {
		return bareError(err)
	} else if err := e.checkFile(info); err != nil {
		return err
	}
	f, err := os.Open(e.config.Model)
	if err != nil {
		return bareError(err)
	}
	defer f.Close()
	var next *served
	err = e.holder.Reload(f, &wda.LoadOptions{MaxBytes: e.config.MaxModel}, func(m *wda.Model, c *wda.Classifier) (err error) {
		if next, err = e.prepare(m, c); err != nil {
			return err
		}
		if old := e.current.Load(); old != nil && old.table != nil && !slices.Equal(next.info.Columns, old.info.Columns) {
			return fmt.Errorf("the new model has the %d columns %q, the old one the %d columns %q: rows of numbers would be misread; restart the service to change columns",
				len(next.info.Columns), ClipNames(next.info.Columns), len(old.info.Columns), ClipNames(old.info.Columns))
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.current.Store(next)
	e.log.Info("model", "file", e.config.Model, "hash", next.info.Hash, "features", next.info.Features, "components", next.info.Components,
		"classes", len(next.info.Classes), "samples", next.info.Samples)
	return nil
}

// checkFile returns an error unless the model file is regular and not too large.
func (e *Engine) checkFile(info os.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("the model is not a regular file")
	}
	if info.Size() > e.config.MaxModel {
		return fmt.Errorf("the model file has %d bytes, more than the %d of -max-model", info.Size(), e.config.MaxModel)
	}
	return nil
}

// bareError removes the file path from an error, because the caller adds the path.
func bareError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// prepare checks a model and returns it with the data that requests need.
func (e *Engine) prepare(m *wda.Model, c *wda.Classifier) (*served, error) {
	d, p := m.Dims()
	s := &served{model: m, classifier: c, reject: math.Inf(1), table: tableSchema(m)}
	s.names = tableNames(s.table)
	s.info = Info{Hash: m.Hash(), Features: d, Components: p, Classes: []string{}, Columns: columnNames(s.table)}
	known, err := readKnown(e.config.Check, m)
	if err != nil {
		return nil, err
	}
	if c == nil {
		if known != nil {
			return nil, ErrNoClassifier
		}
		return s, nil
	}
	s.info.Hash, s.info.Samples = c.Hash(), c.Len()
	s.labels = c.Labels()
	for _, l := range s.labels {
		s.info.Classes = append(s.info.Classes, m.ClassName(l))
	}
	if known == nil {
		return s, nil
	}
	right := 0
	var distances []float64
	for i, want := range known.classes {
		class, err := c.Predict(known.x.RawRowView(i), nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.config.Check.Samples, rowError(i, err))
		}
		if class.Name == want {
			right++
		}
		distances = append(distances, class.SqDistance)
	}
	n := len(distances)
	accuracy := float64(right) / float64(n)
	s.info.Accuracy = &accuracy
	if accuracy < e.config.Check.Accuracy {
		return nil, fmt.Errorf("the model classifies %d of the %d samples of %s correctly; at least %v of them are needed", right, n, e.config.Check.Samples, e.config.Check.Accuracy)
	}
	if q := e.config.Check.RejectQuantile; q > 0 {
		slices.Sort(distances)
		s.reject = distances[min(n-1, int(q*float64(n)))]
		s.info.RejectBeyond = &s.reject
	}
	return s, nil
}
