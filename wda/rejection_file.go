package wda

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/gomonge/monge/internal/npy"
)

// fileRejection is what model.json has of a rejection. The rest is in arrays.
type fileRejection struct {
	Rate    float64    `json:"rate"`
	Weight  float64    `json:"weight"`
	Typical float64    `json:"typical_sq_distance"`
	Center  [2]float64 `json:"center"`
	Spread  [2]float64 `json:"spread"`
}

// arrays returns the arrays of r in a file, by their names.
func (r *rejection) arrays() iter.Seq2[string, []float64] {
	return func(yield func(string, []float64) bool) {
		if !yield("reject_scores", r.scores) || !yield("reject_shifts", r.shifts) || r.scale == nil {
			return
		}
		yield("reject_factors", r.scale)
	}
}

// parse makes the rejection of c.
func (f *fileRejection) parse(c *Classifier, parts map[string][]byte) (_ *rejection, err error) {
	r := &rejection{Rejection: Rejection{Rate: f.Rate, Weight: f.Weight}, typical: f.Typical, center: f.Center, spread: f.Spread}
	var shape []int
	if shape, r.scores, err = npy.Parse[float64](parts["reject_scores.npy"]); err != nil || len(shape) != 1 {
		return nil, fmt.Errorf("scores: array of shape %v: %v", shape, err)
	}
	if at := firstNotFinite(r.scores); at >= 0 || !slices.IsSorted(r.scores) {
		return nil, errors.New("scores are not ascending finite numbers")
	}
	if r.shifts, err = parseVector(parts, "reject_shifts", len(c.points.Labels())); err != nil {
		return nil, err
	}
	if parts["reject_factors.npy"] != nil {
		if r.scale, err = parseVector(parts, "reject_factors", len(c.model.mean)); err != nil {
			return nil, err
		}
	}
	if !(f.Weight >= 0 && f.Weight <= 1 && f.Typical > 0 && f.Spread[0] > 0 && f.Spread[1] > 0) {
		return nil, fmt.Errorf("%s: weight %v, typical distance %v, spreads %v", metaName, f.Weight, f.Typical, f.Spread)
	}
	r.Samples = len(r.scores)
	if err := checkRate(f.Rate, r.Samples); err != nil {
		return nil, err
	}
	r.Threshold = r.threshold(f.Rate)
	r.span = newSpanShare(context.Background(), c.model, r.scale)
	return r, nil
}
