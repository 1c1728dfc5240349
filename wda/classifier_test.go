package wda

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/knn"
	"gonum.org/v1/gonum/mat"
)

// TestClassifier checks predictions against package knn on the projected samples, including ties in distance and in
// votes, for few and for many samples.
func TestClassifier(t *testing.T) {
	for _, n := range []int{7, 200, 2500} {
		x, labels := parts3(1, n, 5)
		for i := range n / 2 {
			x.SetRow(i, x.RawRowView(n/2+i%3)) // equal distances
		}
		s, err := discriminant.NewSamples(context.Background(), x, labels)
		if err != nil {
			t.Fatal(err)
		}
		m := newModel(s, uniform(2, 5, 2), Report{})
		test := uniform(9, 150, 5)
		test.SetRow(3, x.RawRowView(n/2))
		var y, z mat.Dense
		m.Transform(&y, x)
		m.Transform(&z, test)
		for _, k := range []int{1, 2, 4, 5, 7} {
			c, err := NewClassifier(t.Context(), m, x, labels, k)
			if err != nil {
				t.Fatal(err)
			}
			want, err := knn.Predict(t.Context(), dense.View(&y), labels, dense.View(&z), []int{k}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.PredictLabels(t.Context(), nil, test, 2)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want[0]) {
				t.Errorf("n = %d, k = %d: predictions differ from those of knn", n, k)
			}
			var probas mat.Dense
			labelsToo, err := c.PredictLabels(t.Context(), &probas, test, 3)
			if err != nil || !slices.Equal(labelsToo, got) {
				t.Errorf("n = %d, k = %d: other labels with probabilities: %v", n, k, err)
			}
			nears, err := c.Neighbors(t.Context(), test, k, 3)
			if err != nil {
				t.Fatal(err)
			}
			w := new(Workspace)
			proba, shares := make([]float64, 3), make([]float64, 3)
			for i := range 150 {
				sample := test.RawRowView(i)
				label := predictShares(c, proba, sample, w)
				var near []Neighbor
				near = c.appendNeighbors(near, sample, k, preparedWorkspace(c))
				if !slices.Equal(near, nears[i]) || !slices.Equal(proba, probas.RawRowView(i)) {
					t.Fatalf("sample %d: alone %v, %v; among all %v, %v", i, near, proba, nears[i], probas.RawRowView(i))
				}
				votes := make([]float64, 3)
				for j, v := range near {
					if v.Label != labels[v.Row] || j > 0 && (v.SqDistance < near[j-1].SqDistance || v.SqDistance == near[j-1].SqDistance && v.Row < near[j-1].Row) {
						t.Fatalf("neighbors %v of sample %d", near, i)
					}
					var sum float64
					for l, a := range z.RawRowView(i) {
						sum += math.Pow(a-y.At(v.Row, l), 2)
					}
					if math.Abs(sum-v.SqDistance) > 1e-13*(1+sum) {
						t.Fatalf("sample %d: distance of row %d is %v, not %v", i, v.Row, sum, v.SqDistance)
					}
					votes[slices.Index(c.Labels(), v.Label)] += 1 / float64(k)
				}
				for j := range votes {
					if math.Abs(votes[j]-proba[j]) > 1e-12 {
						t.Fatalf("sample %d: probabilities %v, neighbors %v", i, proba, near)
					}
				}
				class, err := c.Predict(sample, w)
				w.Shares(shares)
				if want := (Class{Label: label, Name: m.ClassName(label), Share: slices.Max(proba), SqDistance: near[k-1].SqDistance}); err != nil || class != want || !slices.Equal(shares, proba) {
					t.Fatalf("sample %d: %+v with %v, want %+v with %v: %v", i, class, shares, want, proba, err)
				}
				if label != got[i] || labelOf(c, sample, nil) != got[i] || proba[slices.Index(c.Labels(), label)] != slices.Max(proba) {
					t.Fatalf("sample %d: %d, %d, %d, probabilities %v", i, got[i], label, labelOf(c, sample, nil), proba)
				}
			}
			if one, err := c.WithK(1); err != nil || one.K() != 1 || labelOf(one, test.RawRowView(5), nil) != c.appendNeighbors(nil, test.RawRowView(5), 1, preparedWorkspace(c))[0].Label {
				t.Errorf("n = %d, k = %d: by one neighbor: %v", n, k, err)
			}
			// This call needs more neighbors than the workspace has room for.
			if near := c.appendNeighbors(nil, test.RawRowView(0), n, w); len(near) != n || labelOf(c, test.RawRowView(0), w) != got[0] {
				t.Errorf("%d neighbors, want %d", len(near), n)
			}
		}
	}
}

// TestWorkspaceGrows checks that one workspace serves classifiers of different sizes, and that predictions do not
// allocate after warm-up.
func TestWorkspaceGrows(t *testing.T) {
	var classifiers []*Classifier
	var samples []*mat.Dense
	for _, s := range []struct{ n, d, p, classes, k int }{{9, 3, 1, 2, 1}, {2500, 5, 4, 40, 7}, {30, 8, 8, 3, 30}, {9, 3, 1, 2, 1}} {
		x, labels := uniform(uint64(s.n), s.n, s.d), make([]int, s.n)
		for i := range labels {
			labels[i] = i % s.classes
		}
		arranged, err := discriminant.NewSamples(context.Background(), x, labels)
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewClassifier(t.Context(), newModel(arranged, uniform(2, s.d, s.p), Report{}), x, labels, s.k)
		if err != nil {
			t.Fatal(err)
		}
		classifiers, samples = append(classifiers, c), append(samples, uniform(7, 20, s.d))
	}
	w := new(Workspace)
	for i, c := range classifiers {
		proba, want := make([]float64, len(c.Labels())), make([]float64, len(c.Labels()))
		for r := range 20 {
			x := samples[i].RawRowView(r)
			if got := predictShares(c, proba, x, w); got != predictShares(c, want, x, new(Workspace)) || !slices.Equal(proba, want) {
				t.Errorf("classifier %d, row %d: %d with %v, want %v", i, r, got, proba, want)
			}
		}
	}
	narrow := make([][]float32, len(classifiers))
	for i, c := range classifiers {
		wide := slices.Clone(samples[i].RawRowView(1))
		for k, v := range wide {
			narrow[i] = append(narrow[i], float32(v))
			wide[k] = float64(float32(v))
		}
		want, err := c.Predict(wide, nil)
		for _, w := range []*Workspace{w, nil} {
			if got, err32 := c.Predict32(narrow[i], w); got != want || err != nil || err32 != nil {
				t.Errorf("classifier %d: %v, %v in float32, want %v, %v", i, got, err32, want, err)
			}
		}
		if _, err := c.Predict32(narrow[i][1:], w); !errors.Is(err, ErrShape) {
			t.Errorf("classifier %d, a feature less: %v", i, err)
		}
		bad := slices.Clone(narrow[i])
		bad[1] = float32(math.Inf(1))
		var at *PositionError
		if _, err := c.Predict32(bad, w); !errors.As(err, &at) || at.Column != 1 {
			t.Errorf("classifier %d, an infinity: %v", i, err)
		}
	}
	if a := asmtest.Allocations(func() {
		for i, c := range classifiers {
			c.Predict(samples[i].RawRowView(0), w)
			c.Predict32(narrow[i], w)
		}
	}); a != 0 {
		t.Errorf("%v allocations, want 0", a)
	}
}

func TestClassifierErrors(t *testing.T) {
	m, x, labels := testModel(t, 4, 2)
	bad := mat.DenseCopyOf(x)
	bad.Set(2, 1, math.NaN())
	for _, c := range []struct {
		x      mat.Matrix
		labels []int
		k      int
		want   error
	}{
		{nil, labels, 1, ErrShape}, {x, labels[1:], 1, ErrLabels}, {bad, labels, 1, ErrNotFinite}, {uniform(1, 40, 5), labels, 1, ErrShape},
		{x, labels, 41, ErrSettings}, {x, labels, -1, ErrSettings}, {scaledMatrix(math.MaxFloat64, x), labels, 1, ErrNotFinite},
	} {
		if got, err := NewClassifier(t.Context(), m, c.x, c.labels, c.k); !errors.Is(err, c.want) || got != nil {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
	c, err := NewClassifier(t.Context(), m, x, labels, 0)
	if err != nil || c.K() != 5 || c.Len() != 40 || c.Model() != m {
		t.Fatalf("K = %d, %d samples, %v", c.K(), c.Len(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for i, r := range []struct {
		ctx     context.Context
		x       mat.Matrix
		workers int
		want    error
	}{
		{t.Context(), bad, 0, ErrNotFinite}, {t.Context(), scaledMatrix(math.MaxFloat64, x), 2, ErrNotFinite}, {t.Context(), uniform(1, 2, 3), 0, ErrShape}, {t.Context(), x, -1, ErrSettings}, {ctx, x, 0, context.Canceled},
	} {
		if got, err := c.PredictLabels(r.ctx, nil, r.x, r.workers); !errors.Is(err, r.want) || got != nil {
			t.Errorf("case %d, labels: %v, %v", i, got, err)
		}
		if got, err := c.PredictLabels(r.ctx, new(mat.Dense), r.x, r.workers); !errors.Is(err, r.want) || got != nil {
			t.Errorf("case %d, probabilities: %v, %v", i, got, err)
		}
		if got, err := c.Neighbors(r.ctx, r.x, 1, r.workers); !errors.Is(err, r.want) || got != nil {
			t.Errorf("case %d, neighbors: %v, %v", i, got, err)
		}
	}
	square := mat.DenseCopyOf(x.Slice(0, 4, 0, 4))
	for name, source := range map[string]mat.Matrix{"rows": square, "columns": square.T()} {
		if _, err := c.PredictLabels(t.Context(), square.Slice(0, 4, 1, 4).(*mat.Dense), source, 1); err != errOverlap {
			t.Errorf("probabilities over their own %s: %v", name, err)
		}
	}
	for _, k := range []int{0, 41} {
		if got, err := c.Neighbors(t.Context(), x, k, 0); !errors.Is(err, ErrSettings) || got != nil {
			t.Errorf("%d neighbors: %v, %v", k, got, err)
		}
		if got, err := c.WithK(k); !errors.Is(err, ErrSettings) || got != nil {
			t.Errorf("%d neighbors: %v", k, err)
		}
	}
	// Probabilities contain only the classes of the stored samples, not all classes of the model.
	var few []int
	for i, l := range labels {
		if l != labels[0] {
			few = append(few, i)
		}
	}
	part, partLabels := copyRows(context.Background(), x, labels, few)
	if c, err = NewClassifier(t.Context(), m, part, partLabels, 3); err != nil {
		t.Fatal(err)
	}
	var probas mat.Dense
	if _, err := c.PredictLabels(t.Context(), &probas, x, 0); err != nil || probas.RawMatrix().Cols != 2 || slices.Contains(c.Labels(), labels[0]) {
		t.Errorf("labels %v, probabilities of %d, %v", c.Labels(), probas.RawMatrix().Cols, err)
	}
}

// TestClassifierFile checks that a classifier is unchanged after writing and reading it, and that its file can also be
// read as a model.
func TestClassifierFile(t *testing.T) {
	m, x, labels := testModel(t, 7, 3)
	c, err := NewClassifier(t.Context(), m, x, labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	back, err := loadClassifier(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.points, c.points) || back.k != c.k || back.Hash() != c.Hash() {
		t.Error("the classifier has changed")
	}
	for i := range 40 {
		if s := uniform(uint64(i), 1, 7).RawRowView(0); labelOf(back, s, nil) != labelOf(c, s, nil) {
			t.Errorf("sample %d: the loaded classifier gives another result", i)
		}
	}
	again, err := back.MarshalBinary()
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("written again, the file differs: %v", err)
	}
	model, err := loadModel(bytes.NewReader(data))
	if err != nil || !bitsEqual(model.projection, m.projection) {
		t.Errorf("the model of a classifier's file: %v", err)
	}
	plain, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := new(Classifier).UnmarshalBinary(plain); !errors.Is(err, ErrModel) {
		t.Errorf("a model without classifier: %v", err)
	}
}

// labelOf returns the label that Predict returns, or 0 if Predict fails.
func labelOf(c *Classifier, x []float64, w *Workspace) int {
	class, _ := c.Predict(x, w)
	return class.Label
}

// predictShares returns the predicted label of x and sets dst to the share of each label among the neighbors.
func predictShares(c *Classifier, dst, x []float64, w *Workspace) int {
	label := labelOf(c, x, w)
	w.Shares(dst)
	return label
}

// preparedWorkspace returns a workspace that is prepared for c.
func preparedWorkspace(c *Classifier) *Workspace {
	w, _ := c.prepareWorkspace(new(Workspace))
	return w
}
