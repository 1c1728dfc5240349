package wda

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/npy"
	"gonum.org/v1/gonum/mat"
)

// classifierAndNewRows draws n rows from three clusters. It returns a classifier that stores the first half of the rows, and returns
// the second half as new samples.
func classifierAndNewRows(t testing.TB, n, d, p int) (*Classifier, *mat.Dense) {
	t.Helper()
	x, labels := parts3(1, n, d)
	s, err := discriminant.NewSamples(context.Background(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClassifier(t.Context(), newModel(s, uniform(2, d, p), Report{}), x.Slice(0, n/2, 0, d), labels[:n/2], 3)
	if err != nil {
		t.Fatal(err)
	}
	return c, x.Slice(n/2, n, 0, d).(*mat.Dense)
}

func calibrated(t testing.TB, c *Classifier, x mat.Matrix, by *Calibration) *Classifier {
	t.Helper()
	out, err := c.Calibrate(t.Context(), x, by)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// plainScore computes the score directly from its formula, with an orthonormal basis from the Gram–Schmidt process.
func plainScore(c *Classifier, x []float64) float64 {
	r := c.rejection
	d, p := c.model.Dims()
	u := make([]float64, d)
	var basis []*mat.VecDense
	for l := range p {
		b := mat.NewVecDense(d, nil)
		for k := range d {
			b.SetVec(k, c.model.projection.At(k, l))
			if r.featureScale != nil {
				b.SetVec(k, b.AtVec(k)/r.featureScale[k])
			}
		}
		for range 2 {
			for _, a := range basis {
				b.AddScaledVec(b, -mat.Dot(a, b), a)
			}
		}
		b.ScaleVec(1/mat.Norm(b, 2), b)
		basis = append(basis, b)
	}
	for k := range u {
		if u[k] = x[k] - c.model.mean[k]; r.featureScale != nil {
			u[k] *= r.featureScale[k]
		}
	}
	v := mat.NewVecDense(d, u)
	whole := mat.Dot(v, v)
	for _, b := range basis {
		v.AddScaledVec(v, -mat.Dot(b, v), b)
	}
	out := mat.Dot(v, v) / whole
	near, err := c.Neighbors(context.Background(), mat.NewDense(1, d, slices.Clone(x)), c.k, 1)
	if err != nil {
		return math.NaN()
	}
	mean := 0.
	for _, n := range near[0] {
		mean += n.SqDistance / float64(c.k)
	}
	class, _ := c.Predict(x, nil)
	at := slices.Index(c.Labels(), class.Label)
	s := (1-r.Weight)*(math.Log1p(mean/r.typical)-r.center[0])/r.spread[0] + r.Weight*(out-r.center[1])/r.spread[1]
	return s - r.shifts[at]
}

// TestRejectionScore checks scores against their formula for every metric and scale, for single samples and batches,
// and for any number of workers.
func TestRejectionScore(t *testing.T) {
	for _, standardize := range []bool{false, true} {
		c, held := classifierAndNewRows(t, 160, 6, 3)
		c.model.report.Settings.Data.Standardize = standardize
		for k := range 6 {
			c.model.projection.Set(k, 2, 1e-9*c.model.projection.At(k, 2)) // almost zero, like a component that is not informative
		}
		c.model.setOffset()
		c = calibrated(t, c, held, &Calibration{Workers: 1})
		if again := calibrated(t, c, held, &Calibration{Workers: 3}); !reflect.DeepEqual(again, c) {
			t.Error("other bits with other workers, or calibrated again")
		}
		test := uniform(3, 50, 6)
		all, err := c.PredictAll(t.Context(), test, 2)
		if err != nil {
			t.Fatal(err)
		}
		for i, class := range all {
			one, err := c.Predict(test.RawRowView(i), nil)
			if want := plainScore(c, test.RawRowView(i)); err != nil || one != class || !(math.Abs(class.Score-want) < 1e-6*(1+math.Abs(want))) {
				t.Fatalf("standardized %v, sample %d: %+v and %+v, want the score %v: %v", standardize, i, class, one, want, err)
			}
			if class.Rejected != (class.Score > c.Rejection().Threshold) {
				t.Errorf("sample %d: %+v with %+v", i, class, c.Rejection())
			}
		}
	}
}

// TestRejectionRate checks that the rejected fraction of new samples of known classes is about Rate, that samples far
// from all classes are rejected, and that WithRejectionRate gives the same classifier as a new calibration.
func TestRejectionRate(t *testing.T) {
	c, held := classifierAndNewRows(t, 4000, 8, 3)
	half := held.Slice(0, 1000, 0, 8)
	for _, rate := range []float64{0.01, 0.05, 0.2} {
		r := calibrated(t, c, half, &Calibration{Rate: rate})
		rejected := 0
		all, err := r.PredictAll(t.Context(), held.Slice(1000, 2000, 0, 8), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, class := range all {
			if class.Rejected {
				rejected++
			}
		}
		// The tolerance is four standard deviations. The factor 2 is for the random error of the threshold.
		if off := math.Abs(float64(rejected)/1000 - rate); off > 4*math.Sqrt(2*rate/1000) {
			t.Errorf("rate %v: %d of 1000 rejected", rate, rejected)
		}
		far := mat.NewDense(1, 8, slices.Repeat([]float64{40}, 8))
		if class, err := r.PredictAll(t.Context(), far, 1); err != nil || !class[0].Rejected {
			t.Errorf("rate %v: %+v, %v", rate, class, err)
		}
		// Conformal prediction determines the number of scores above the threshold.
		above := 0
		for _, s := range r.rejection.scores {
			if s > r.Rejection().Threshold {
				above++
			}
		}
		if want := int(math.Round(rate*1001)) - 1; above != want && above != want+1 {
			t.Errorf("rate %v: %d scores above the threshold", rate, above)
		}
		other, err := calibrated(t, c, half, nil).WithRejectionRate(rate)
		if err != nil || !reflect.DeepEqual(other, r) {
			t.Errorf("another rate: %+v instead of %+v: %v", other.Rejection(), r.Rejection(), err)
		}
	}
}

// TestRejectionWeight checks the weight of the residual. The weight must be low if unknown samples differ only within
// the span of the projection, and high if they differ only outside of the span.
func TestRejectionWeight(t *testing.T) {
	x, labels := parts3(1, 600, 5)
	s, err := discriminant.NewSamples(t.Context(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	first := mat.NewDense(5, 2, []float64{1, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	c, err := NewClassifier(t.Context(), newModel(s, first, Report{}), x.Slice(0, 300, 0, 5), labels[:300], 0)
	if err != nil {
		t.Fatal(err)
	}
	held := x.Slice(300, 600, 0, 5)
	for name, column := range map[string]int{"inside": 0, "outside": 4} {
		unknown := mat.DenseCopyOf(x.Slice(0, 100, 0, 5))
		for i := range 100 {
			unknown.Set(i, column, unknown.At(i, column)+30)
		}
		r := calibrated(t, c, held, &Calibration{Unknown: unknown})
		if w := r.Rejection().Weight; (w > 0.5) != (name == "outside") {
			t.Errorf("%s: weight %v", name, w)
		}
		all, _ := r.PredictAll(t.Context(), unknown, 0)
		var scores []float64
		for _, class := range all {
			scores = append(scores, class.Score)
		}
		if area := knn.AUROC(r.rejection.scores, scores); area < 0.9 {
			t.Errorf("%s: AUROC %v", name, area)
		}
	}
}

// TestRejectionFile checks that a calibrated classifier is unchanged after writing and reading it, and that its file
// has a version that older readers reject. Calibration must not change the file and the hash of the uncalibrated
// classifier.
func TestRejectionFile(t *testing.T) {
	for _, standardize := range []bool{false, true} {
		c, held := classifierAndNewRows(t, 160, 6, 3)
		c.model.report.Settings.Data.Standardize = standardize
		plain, hash := fileOf(t, c), c.Hash()
		r := calibrated(t, c, held, &Calibration{Rate: 0.1})
		if !bytes.Equal(fileOf(t, c), plain) || c.Hash() != hash {
			t.Error("the calibration changed the classifier that it was called for")
		}
		file := fileOf(t, r)
		if !bytes.Equal(fileOf(t, calibrated(t, c, held, &Calibration{Rate: 0.1})), file) {
			t.Error("another file of the same calibration")
		}
		if !bytes.Contains(file, []byte(`"version": 4`)) || bytes.Contains(plain, []byte(`"version": 4`)) {
			t.Error("the version of the file does not say whether there is a rejection")
		}
		back, err := loadClassifier(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back.rejection, r.rejection) || back.Hash() != r.Hash() {
			t.Errorf("%+v instead of %+v", back.rejection, r.rejection)
		}
		other, err := r.WithRejectionRate(0.2)
		if err != nil || r.Hash() == hash || other.Hash() == r.Hash() {
			t.Errorf("hashes do not depend on the calibration: %v", err)
		}
		for name, edit := range map[string]func(map[string][]byte){
			"no scores":       func(e map[string][]byte) { delete(e, "reject_scores.npy") },
			"scores unsorted": func(e map[string][]byte) { e["reject_scores.npy"] = npy.Append(nil, []float64{2, 1, 3}, 3) },
			"too few scores":  func(e map[string][]byte) { e["reject_scores.npy"] = npy.Append(nil, []float64{1, 2, 3}, 3) },
			"scores not finite": func(e map[string][]byte) {
				e["reject_scores.npy"] = npy.Append(nil, slices.Repeat([]float64{math.Inf(1)}, 80), 80)
			},
			"shifts":  func(e map[string][]byte) { e["reject_shifts.npy"] = npy.Append(nil, []float64{1, 2}, 2) },
			"factors": func(e map[string][]byte) { e["reject_factors.npy"] = npy.Append(nil, []float64{1, 2}, 2) },
			"weight": func(e map[string][]byte) {
				e[metaName] = bytes.Replace(e[metaName], []byte(`"weight": 0.4`), []byte(`"weight": 1.4`), 1)
			},
			"typical": func(e map[string][]byte) {
				e[metaName] = bytes.Replace(e[metaName], []byte(`"typical_sq_distance": `), []byte(`"typical_sq_distance": -`), 1)
			},
			"rate": func(e map[string][]byte) {
				e[metaName] = bytes.Replace(e[metaName], []byte(`"rate": 0.1`), []byte(`"rate": 1.1`), 1)
			},
		} {
			if _, err := loadClassifier(bytes.NewReader(rewriteModel(t, file, edit))); !errors.Is(err, ErrModel) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestRejectionErrors checks that an invalid calibration returns an error with the reason.
func TestRejectionErrors(t *testing.T) {
	c, held := classifierAndNewRows(t, 160, 6, 3)
	own, _ := parts3(1, 160, 6)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	bad := mat.DenseCopyOf(held)
	bad.Set(5, 2, math.NaN())
	for _, tt := range []struct {
		ctx  context.Context
		x    mat.Matrix
		by   *Calibration
		is   error
		says string
	}{
		{t.Context(), held, &Calibration{Rate: 1}, ErrSettings, "between 0 and 1"},
		{t.Context(), held, &Calibration{Rate: math.NaN()}, ErrSettings, "between 0 and 1"},
		{t.Context(), held.Slice(0, 18, 0, 6), nil, ErrSettings, "18 samples are too few to reject a share of 0.05 of the known ones; at least 19"},
		{t.Context(), own.Slice(0, 80, 0, 6), nil, nil, ""}, // the neighbors of each row are the row itself and two other rows
		{t.Context(), held.Slice(0, 80, 0, 5), nil, ErrShape, ""},
		{t.Context(), bad, nil, ErrNotFinite, "row 5, column 2"},
		{t.Context(), held, &Calibration{Unknown: bad}, ErrNotFinite, "Calibration.Unknown: "},
		{t.Context(), held, &Calibration{Workers: -1}, ErrSettings, ""},
		{ended, held, nil, context.Canceled, ""},
	} {
		out, err := c.Calibrate(tt.ctx, tt.x, tt.by)
		if !errors.Is(err, tt.is) || err != nil && (out != nil || !strings.Contains(err.Error(), tt.says)) {
			t.Errorf("%v, want %v that says %q", err, tt.is, tt.says)
		}
	}
	if _, err := calibrated(t, c, held.Slice(0, 19, 0, 6), nil).WithRejectionRate(0.04); !errors.Is(err, ErrSettings) {
		t.Error(err)
	}
	one, err := c.WithK(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.Calibrate(t.Context(), own.Slice(0, 80, 0, 6), nil); !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), "does not hold") {
		t.Errorf("samples of its own: %v", err)
	}
	if _, err := c.WithRejectionRate(0.1); !errors.Is(err, ErrSettings) {
		t.Error(err)
	}
	r := calibrated(t, c, held, nil)
	if same, _ := r.WithK(3); same.Rejection() != r.Rejection() {
		t.Error("the same K loses the calibration")
	}
	if other, _ := r.WithK(2); other.Rejection() != (Rejection{}) || r.Rejection().Samples != 80 {
		t.Errorf("with another K %+v", other.Rejection())
	}
}

// TestRejectionOdd checks that scores stay finite for samples at the mean, equal rows, constant features, and linearly
// dependent or zero components. The score of a distant sample must not be NaN.
func TestRejectionOdd(t *testing.T) {
	c, held := classifierAndNewRows(t, 160, 6, 4)
	for k := range 6 {
		c.model.projection.Set(k, 1, 0)
		c.model.projection.Set(k, 3, 2*c.model.projection.At(k, 0))
	}
	c.model.setOffset()
	c.model.report.Settings.Data.Standardize = true
	for i := range 80 {
		held.Set(i, 5, 1)
	}
	r := calibrated(t, c, held, nil)
	if len(r.rejection.span.pivots) != 2 || r.rejection.featureScale[5] != 0 {
		t.Errorf("pivots %v, factors %v", r.rejection.span.pivots, r.rejection.featureScale)
	}
	w := new(Workspace)
	for _, x := range [][]float64{r.model.mean, held.RawRowView(0), make([]float64, 6), slices.Repeat([]float64{1e140}, 6), slices.Repeat([]float64{1e-300}, 6)} {
		class, err := r.Predict(x, w)
		if err != nil || isNotFinite(class.Score) {
			t.Errorf("%v: %+v, %v", x, class, err)
		}
	}
	row := held.RawRowView(3)
	if n := testing.AllocsPerRun(20, func() { r.Predict(row, w) }); n != 0 {
		t.Errorf("Predict allocates %v times", n)
	}
}
