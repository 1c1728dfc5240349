package wda

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/npy"
	"gonum.org/v1/gonum/mat"
)

// Calibration configures Classifier.Calibrate. The zero value works.
type Calibration struct {
	// Rate is the fraction of samples of known classes that may be rejected, between 0 and 1.
	// Default 0.05.
	Rate float64
	// Unknown contains samples (m × d) that belong to none of the classes. If it is set, Calibrate
	// chooses the weight of the residual that best separates these samples from samples of known
	// classes. Default nil: the weight is 0.4.
	Unknown mat.Matrix
	// Workers is the largest number of goroutines. Default GOMAXPROCS. The result does not depend
	// on it.
	Workers int
}

// Rejection describes how a Classifier rejects samples. See Classifier.Calibrate.
type Rejection struct {
	Rate      float64 // fraction of samples of known classes that may be rejected
	Threshold float64 // a sample whose score is larger is rejected
	Weight    float64 // weight of the residual in the score, from 0 to 1
	Samples   int     // number of samples that the classifier was calibrated with
}

const (
	defaultRate = 0.05
	// The values of defaultWeight and classRows come from experiments in NOTES.md, section "Rejection
	// of unknown classes".
	defaultWeight = 0.4
	// The mean score of a class is shrunk toward the mean score of all classes, as if the class had
	// classRows additional samples with the mean score of all classes.
	classRows = 20
	// Columns of unit length are linearly independent if the pivots of their Gram matrix are larger
	// than minPivot.
	minPivot = 1e-10
)

// rejection is the result of a calibration. It never changes.
type rejection struct {
	Rejection
	scores []float64 // scores of the samples of the calibration, ascending
	shifts []float64 // shift of the score for each label of the classifier
	// typical is the median, over the samples of the calibration, of the mean squared distance to
	// the K neighbors. center and spread are the means and the standard deviations of the two parts
	// of the score, distance and residual.
	typical        float64
	center, spread [2]float64
	featureScale   []float64 // factor that standardizes each feature, or nil
	span           *spanShare
}

// Calibrate returns a classifier like c that rejects samples that seem to belong to none of its
// classes: its Predict sets Score and Rejected. Both classifiers share the stored samples.
//
// x (n × d) contains samples of the known classes that were not used for the fit and are not stored in
// c. Stored samples would make the threshold too low, because their distances are smaller than those
// of other samples. Calibrate cannot detect stored samples. The score of a sample is
//
//	s = (1 − w)·u + w·v − shift.
//
// u is log(1 + D/D̃), where D is the mean squared distance of the K neighbors and D̃ is the median
// of D over x (the larger of two middle values). v is the residual: the fraction of ‖x − mean‖² that
// lies outside of the span of the projection. If the fit standardized the features, v is computed
// after division of the features by their standard deviations in x. Calibrate then standardizes u and
// v: it subtracts their means over x and divides by their standard deviations over x (divisor n). w is
// the weight. shift is the sum of (1 − w)·u + w·v over the m samples of x that are predicted to be of
// the same class, divided by m + 20.
//
// Threshold is the ⌊Rate·(n + 1)⌋-th largest of the n scores of x. Each of these scores is computed
// with the shift of the other samples. On average, the fraction Rate of further samples of the
// known classes is rejected, if the further samples have the same distribution as x.
//
// The error wraps ErrSettings if Rate is not between 0 and 1, if n < 1/Rate − 1, or if D̃ is 0,
// which means that most samples of x equal all of their K neighbors. Other errors are those of
// PredictLabels.
func (c *Classifier) Calibrate(ctx context.Context, x mat.Matrix, calibration *Calibration) (*Classifier, error) {
	c.mustBeMade()
	var by Calibration
	if calibration != nil {
		by = *calibration
	}
	if by.Rate == 0 {
		by.Rate = defaultRate
	}
	n, _ := x.Dims()
	if err := checkRate(by.Rate, n); err != nil {
		return nil, err
	}
	// An earlier calibration of c has no effect.
	r := &rejection{Rejection: Rejection{Rate: by.Rate, Weight: defaultWeight, Samples: n}}
	if c.model.report.Settings.Data.Standardize {
		r.featureScale = inverseDeviations(ctx, x)
	}
	r.span = newSpanShare(ctx, c.model, r.featureScale)
	out := &Classifier{model: c.model, k: c.k, points: c.points, compact: c.compact, rejection: r}
	known, err := out.scorePartsOf(ctx, x, by.Workers)
	if err != nil {
		return nil, err
	}
	if err := r.standardize(known); err != nil {
		return nil, err
	}
	var unknown []scoreParts
	if by.Unknown != nil {
		if unknown, err = out.scorePartsOf(ctx, by.Unknown, by.Workers); err != nil {
			return nil, fmt.Errorf("Calibration.Unknown: %w", err)
		}
	}
	r.chooseWeight(known, unknown, len(c.points.Labels()))
	r.Threshold = r.threshold(by.Rate)
	return out, fault.Ended(ctx, nil)
}

// checkRate checks the rate for a quantile of n scores.
func checkRate(rate float64, n int) error {
	if !(rate > 0 && rate < 1) {
		return fmt.Errorf("%w: a rate of rejected samples of %v; it must be between 0 and 1", ErrSettings, rate)
	}
	if rejectedCount(rate, n) == 0 {
		return fmt.Errorf("%w: %d samples are too few to reject a share of %v of the known ones; at least %v are needed", ErrSettings, n, rate, math.Ceil(1/rate)-1)
	}
	return nil
}

// rejectedCount returns ⌊rate·(n + 1)⌋. The factor 1 + 1e-12 compensates for the rounding error of
// rates such as 0.05.
func rejectedCount(rate float64, n int) int { return int(rate * float64(n+1) * (1 + 1e-12)) }

// threshold returns the score above which samples are rejected, for the given rejection rate. The
// rate must have passed checkRate.
func (r *rejection) threshold(rate float64) float64 {
	return r.scores[len(r.scores)-rejectedCount(rate, len(r.scores))]
}

// Rejection returns the calibration of c. It is zero if c was not calibrated.
func (c *Classifier) Rejection() Rejection {
	if c.rejection == nil {
		return Rejection{}
	}
	return c.rejection.Rejection
}

// WithRejectionRate returns a classifier like c that rejects the given fraction of samples of known
// classes. The new classifier shares the samples of c. The error wraps ErrSettings if c was not
// calibrated, if rate is not between 0 and 1, or if c was calibrated with fewer than 1/rate − 1
// samples.
func (c *Classifier) WithRejectionRate(rate float64) (*Classifier, error) {
	if c.rejection == nil {
		return nil, fmt.Errorf("%w: the classifier was not calibrated to reject samples", ErrSettings)
	}
	if err := checkRate(rate, c.rejection.Samples); err != nil {
		return nil, err
	}
	other, r := *c, *c.rejection
	r.Rate, r.Threshold = rate, r.threshold(rate)
	other.rejection = &r
	return &other, nil
}

// scoreParts are the parts of a score: the mean squared distance, the residual, and the index of
// the predicted label.
type scoreParts struct {
	distance, residual float64
	class              int
}

// scorePartsOf returns, for each row of x, the numbers from which its rejection score is computed.
func (c *Classifier) scorePartsOf(ctx context.Context, x mat.Matrix, workers int) ([]scoreParts, error) {
	labels, err := c.newLabels(ctx, x, workers)
	if err != nil {
		return nil, err
	}
	out := make([]scoreParts, len(labels))
	err = c.forEachRow(ctx, x, workers, func(i int, row []float64, w *Workspace) {
		class := c.vote(row, w)
		_, distances := w.search.Near(0)
		out[i] = scoreParts{mean(distances), c.rejection.span.residualShare(c.model, row, w, c.rejection.featureScale), class}
	})
	return out, err
}

// mean returns the mean of x, even if the sum of x is out of the range of float64.
func mean(x []float64) float64 {
	sum := 0.
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}

// standardize sets the fields typical, center and spread from the samples of known classes.
func (r *rejection) standardize(known []scoreParts) error {
	distances := make([]float64, len(known))
	for i, p := range known {
		distances[i] = p.distance
	}
	slices.Sort(distances)
	if r.typical = distances[len(distances)/2]; r.typical == 0 {
		return fmt.Errorf("%w: most samples of the calibration are equal to their neighbors in the classifier; it needs samples that the classifier does not hold", ErrSettings)
	}
	values := [2][]float64{make([]float64, len(known)), make([]float64, len(known))}
	for i, p := range known {
		values[0][i], values[1][i] = r.logDistance(p.distance), p.residual
	}
	for part, v := range values {
		r.center[part] = mean(v)
		sum := 0.
		for _, x := range v {
			x -= r.center[part]
			sum = math.FMA(x, x, sum)
		}
		if r.spread[part] = math.Sqrt(sum / float64(len(v))); !(r.spread[part] > 1e-12) {
			r.spread[part] = 1
		}
	}
	if at := firstNotFinite(slices.Concat(r.center[:], r.spread[:])); at >= 0 {
		return fmt.Errorf("%w: the distances of the samples of the calibration are out of range", ErrNotFinite)
	}
	return nil
}

// logDistance returns log(1 + distance/typical), the first part of a score. rawScore standardizes
// this part.
func (r *rejection) logDistance(distance float64) float64 { return num.Log(1 + distance/r.typical) }

// rawScore returns the score before the shift of the class is subtracted.
func (r *rejection) rawScore(p scoreParts, weight float64) float64 {
	u := (r.logDistance(p.distance) - r.center[0]) / r.spread[0]
	v := (p.residual - r.center[1]) / r.spread[1]
	return float64((1-weight)*u) + float64(weight*v)
}

// chooseWeight sets shifts and scores. If there are unknown samples, it also chooses the weight of
// the residual in the score.
func (r *rejection) chooseWeight(known, unknown []scoreParts, classes int) {
	r.scores, r.shifts = r.shiftedScores(known, r.Weight, classes)
	if len(unknown) > 0 {
		best := -1.
		for tenths := range 11 {
			weight := float64(tenths) / 10
			scores, shifts := r.shiftedScores(known, weight, classes)
			others := make([]float64, len(unknown))
			for i, p := range unknown {
				others[i] = r.rawScore(p, weight) - shifts[p.class]
			}
			if area := knn.AUROC(scores, others); area > best {
				best, r.Weight, r.scores, r.shifts = area, weight, scores, shifts
			}
		}
	}
	slices.Sort(r.scores)
}

// shiftedScores returns the scores of samples of known classes, and the shift of each class. The
// score of a sample is shifted by an amount that depends only on the other samples of its class.
func (r *rejection) shiftedScores(known []scoreParts, weight float64, classes int) (scores, shifts []float64) {
	scores, shifts = make([]float64, len(known)), make([]float64, classes)
	counts := make([]float64, classes)
	for i, p := range known {
		scores[i] = r.rawScore(p, weight)
		shifts[p.class] += scores[i]
		counts[p.class]++
	}
	for i, p := range known {
		scores[i] -= (shifts[p.class] - scores[i]) / (counts[p.class] - 1 + classRows)
	}
	for c := range shifts {
		shifts[c] /= counts[c] + classRows
	}
	return scores, shifts
}

// setScore sets Score and Rejected of out for the sample x, which must be the latest sample of the
// workspace w. labelIndex is the index of the predicted label.
func (c *Classifier) setScore(out *Class, x []float64, labelIndex int, w *Workspace) {
	r := c.rejection
	if r == nil {
		return
	}
	_, distances := w.search.Near(0)
	p := scoreParts{mean(distances), r.span.residualShare(c.model, x, w, r.featureScale), labelIndex}
	out.Score = r.rawScore(p, r.Weight) - r.shifts[labelIndex]
	out.Rejected = out.Score > r.Threshold
}

// inverseDeviations returns 1 divided by the standard deviation of each column of x, or 0 for a
// constant column.
func inverseDeviations(ctx context.Context, x mat.Matrix) []float64 {
	n, d := x.Dims()
	out, column := make([]float64, d), make([]float64, n)
	for j := range d {
		if ctx.Err() != nil {
			return out
		}
		if mat.Col(column, j, x); slices.Min(column) == slices.Max(column) {
			continue
		}
		mean, sum := mean(column), 0.
		for _, v := range column {
			sum = math.FMA(v-mean, (v-mean)/float64(n), sum)
		}
		if f := 1 / math.Sqrt(sum); !isNotFinite(f) {
			out[j] = f
		}
	}
	return out
}

// spanShare computes, from the projection y = xP of a sample x, the share of x that lies in the span
// of P. If LLᵀ is the Gram matrix of the columns of P, the norm of the component of x in the span
// is ‖L⁻¹y‖.
type spanShare struct {
	pivots []int                  // indices of linearly independent columns of P
	length []float64              // norms of all columns of P
	l      matrix.Matrix[float64] // Cholesky factor of the Gram matrix of the normalized pivot columns
}

func newSpanShare(ctx context.Context, m *Model, scale []float64) *spanShare {
	d, p := m.projection.Dims()
	cols := matrix.New[float64](p, d, nil)
	s := &spanShare{length: make([]float64, p)}
	for l := range p {
		col := cols.Row(l)
		mat.Col(col, l, m.projection)
		for k := range col {
			if scale == nil {
				break
			}
			if col[k] /= scale[k]; scale[k] == 0 {
				col[k] = 0
			}
		}
		// Divide by the largest element first, so that no square is out of range.
		largest := maxAbs(col)
		if largest == 0 || isNotFinite(largest) {
			continue // the row of this column in the Gram matrix stays 0, so the column has no pivot
		}
		for k := range col {
			col[k] /= largest
		}
		norm := math.Sqrt(algebra.Dot(col, col))
		for k := range col {
			col[k] /= norm
		}
		s.length[l] = norm * largest
	}
	gram := matrix.New[float64](p, p, nil)
	for i := range p {
		for j := range i + 1 {
			if s.length[i] > 0 && s.length[j] > 0 {
				gram.Row(i)[j] = algebra.Dot(cols.Row(i), cols.Row(j))
			}
		}
	}
	l, pivots, _ := algebra.PivotedCholesky(ctx, gram, minPivot)
	s.pivots, s.l = pivots, matrix.New[float64](len(pivots), len(pivots), nil)
	for k, at := range pivots {
		copy(s.l.Row(k), l.Row(at)[:k+1])
	}
	return s
}

func maxAbs(x []float64) float64 {
	most := 0.
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// residualShare returns the share of the squared norm of x − mean that is outside of the span. w.y
// must contain the projection of x.
func (s *spanShare) residualShare(m *Model, x []float64, w *Workspace, scale []float64) float64 {
	w.centered, w.inSpan = resize(w.centered, len(x)), resize(w.inSpan, len(s.pivots))
	for k, v := range x {
		if w.centered[k] = v - m.mean[k]; scale != nil {
			w.centered[k] *= scale[k]
		}
	}
	largest := maxAbs(w.centered)
	if largest == 0 {
		return 0 // the zero vector lies in every span
	}
	for k := range w.centered {
		w.centered[k] /= largest
	}
	for k, at := range s.pivots {
		row := s.l.Row(k)
		w.inSpan[k] = (w.y[at]/largest/s.length[at] - algebra.Dot(row[:k], w.inSpan[:k])) / row[k]
	}
	// Rounding may raise the share above 1. The share is NaN if the sample is out of range.
	if share := algebra.Dot(w.inSpan, w.inSpan) / algebra.Dot(w.centered, w.centered); share < 1 {
		return 1 - share
	}
	return 0
}

// fileRejection is the part of a rejection in model.json. Arrays of the model file contain the other parts.
type fileRejection struct {
	Rate    float64    `json:"rate"`
	Weight  float64    `json:"weight"`
	Typical float64    `json:"typical_sq_distance"`
	Center  [2]float64 `json:"center"`
	Spread  [2]float64 `json:"spread"`
}

// arrays returns the names and values of the arrays of r in a model file.
func (r *rejection) arrays() iter.Seq2[string, []float64] {
	return func(yield func(string, []float64) bool) {
		if !yield("reject_scores", r.scores) || !yield("reject_shifts", r.shifts) || r.featureScale == nil {
			return
		}
		yield("reject_factors", r.featureScale)
	}
}

// toRejection decodes the calibration of classifier c from the parts of a model file.
func (f *fileRejection) toRejection(c *Classifier, parts map[string][]byte) (_ *rejection, err error) {
	r := &rejection{Rejection: Rejection{Rate: f.Rate, Weight: f.Weight}, typical: f.Typical, center: f.Center, spread: f.Spread}
	var shape []int
	if shape, r.scores, err = npy.Parse[float64](parts["reject_scores.npy"]); err != nil || len(shape) != 1 {
		return nil, fmt.Errorf("scores: shape %v: %v", shape, err)
	}
	if at := firstNotFinite(r.scores); at >= 0 || !slices.IsSorted(r.scores) {
		return nil, errors.New("scores are not ascending finite numbers")
	}
	if r.shifts, err = parseVector(parts, "reject_shifts", len(c.points.Labels())); err != nil {
		return nil, err
	}
	if parts["reject_factors.npy"] != nil {
		if r.featureScale, err = parseVector(parts, "reject_factors", len(c.model.mean)); err != nil {
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
	r.span = newSpanShare(context.Background(), c.model, r.featureScale)
	return r, nil
}
