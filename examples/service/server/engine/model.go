package engine

import (
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// Check says which models are served, and which answers are rejected.
type Check struct {
	// Samples is a file of labeled samples, in any format that package dataset reads. Its
	// columns are found by the names in the model. If Samples is empty, every undamaged model is served.
	Samples string
	// Accuracy is the share of the samples that a model must classify correctly.
	Accuracy float64
	// RejectShare rejects answers whose class has a smaller share of the neighbors.
	// RejectQuantile rejects answers whose K-th neighbor is farther than this quantile of the
	// same distance over the samples. 0 rejects none. A model that was calibrated rejects answers by
	// itself, too.
	RejectShare, RejectQuantile float64
}

// served is a model, with what requests need to know about it.
type served struct {
	model      *wda.Model
	classifier *wda.Classifier // or nil
	labels     []int           // of the classifier
	table      *dataset.Schema // of samples with names; nil if the model has no names
	info       Info
	reject     float64 // squared distance
}

// Info describes a model.
type Info struct {
	Hash       string   `json:"model"`
	Features   int      `json:"features"`
	Components int      `json:"components"`
	Samples    int      `json:"samples"` // that it classifies by
	Classes    []string `json:"classes"` // of these, in the order of probabilities
	Columns    []string `json:"columns"` // the names of the columns of a sample; none if the model has no names
	// Accuracy and the quantile of distances are those of the check.
	Accuracy     *float64 `json:"accuracy,omitempty"`
	RejectBeyond *float64 `json:"reject_beyond,omitempty"`
}

// known are samples whose classes are known.
type known struct {
	x       *mat.Dense
	classes []string
}

// readKnown reads the samples of a check for a model, nil if there are none.
func readKnown(c Check, m *wda.Model) (*known, error) {
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
	k := &known{x: d.X}
	for _, l := range d.Labels {
		k.classes = append(k.classes, d.Classes[l])
	}
	return k, nil
}

// Info describes the model in use.
func (e *Engine) Info() Info { return e.now.Load().info }

// Reload reads the model file again. If the model passes the check, new requests use it, and
// requests in progress end with the model that they began with. On error the old one stays. A model with
// other columns, or in another order, is an error.
func (e *Engine) Reload() error {
	e.reloading.Lock()
	defer e.reloading.Unlock()
	f, err := os.Open(e.config.Model)
	if err != nil {
		return err
	}
	defer f.Close()
	var next *served
	err = e.holder.Reload(f, func(m *wda.Model, c *wda.Classifier) (err error) {
		if next, err = e.prepare(m, c); err != nil {
			return err
		}
		if old := e.now.Load(); old != nil && old.table != nil && !slices.Equal(next.info.Columns, old.info.Columns) {
			return fmt.Errorf("the new model has the columns %q, the old one %q: rows of numbers would be misread; restart the service to change columns", next.info.Columns, old.info.Columns)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", e.config.Model, err)
	}
	e.now.Store(next)
	e.log.Info("model", "file", e.config.Model, "hash", next.info.Hash, "features", next.info.Features, "components", next.info.Components,
		"classes", len(next.info.Classes), "samples", next.info.Samples)
	return nil
}

// prepare checks a model.
func (e *Engine) prepare(m *wda.Model, c *wda.Classifier) (*served, error) {
	d, p := m.Dims()
	s := &served{model: m, classifier: c, reject: math.Inf(1), table: tableSchema(m)}
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
			return nil, fmt.Errorf("%s: %w", e.config.Check.Samples, inRow(i, err))
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
