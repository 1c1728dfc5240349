package wda

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/project"
	"github.com/gomonge/monge/internal/discriminant"
	"gonum.org/v1/gonum/mat"
)

// testModel returns a model that was made without a fit, with d features and p components, and its samples and labels.
func testModel(t testing.TB, d, p int) (*Model, *mat.Dense, []int) {
	t.Helper()
	x, labels := parts3(1, 40, d)
	s, err := discriminant.NewSamples(context.Background(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	return newModel(s, uniform(2, d, p), Report{}), x, labels
}

// TestTransform checks that a projection is (x − mean)·P. The result must have the same bits for single samples, rows,
// views as source or destination, and matrices of other types.
func TestTransform(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {5, 2}, {37, 5}, {64, 64}, {200, 9}, {131, 130}} {
		d, p := shape[0], shape[1]
		m, x, _ := testModel(t, d, p)
		n, _ := x.Dims()
		var want, y, centred mat.Dense
		centred.Apply(func(_, j int, v float64) float64 { return v - m.mean[j] }, x)
		want.Mul(&centred, m.projection)
		m.Transform(&y, x)
		if e := off(&y, &want); !(e < 1e-13) {
			t.Errorf("%v: off by %g", shape, e)
		}
		wide := mat.NewDense(n+2, d+3, nil)
		view := wide.Slice(1, n+1, 2, d+2).(*mat.Dense)
		view.Copy(x)
		into := mat.NewDense(n+1, p+1, nil)
		part := into.Slice(1, n+1, 1, p+1).(*mat.Dense)
		m.Transform(part, view)
		var other mat.Dense
		m.Transform(&other, mat.Transpose{Matrix: mat.DenseCopyOf(x.T())})
		one := make([]float64, p)
		single := mat.NewDense(n, p, nil)
		for i := range n {
			m.TransformVec(one, x.RawRowView(i))
			single.SetRow(i, one)
		}
		// The projection of x is the projection of zeros plus x·P.
		m.TransformVec(one, make([]float64, d))
		projected := mat.NewDense(n, p, nil)
		dist.Project(dist.Matrix[float64](projected.RawMatrix()), dist.Matrix[float64](x.RawMatrix()), dist.Matrix[float64](m.projection.RawMatrix()), one)
		for name, got := range map[string]*mat.Dense{"view": part, "other type": &other, "sample by sample": single, "dist.Project": projected} {
			if !bitsEqual(got, &y) {
				t.Errorf("%v: %s: other bits", shape, name)
			}
		}
		if into.At(0, p) != 0 || into.At(n, 0) != 0 {
			t.Errorf("%v: wrote outside the view", shape)
		}

		// Projections in float32 are the rounded projections in float64.
		x32, y32 := dist.NewMatrix[float32](n, d, nil), dist.NewMatrix[float32](n, p, nil)
		rounded := mat.NewDense(n, d, nil)
		for i := range n {
			for j := range d {
				x32.Set(i, j, float32(x.At(i, j)))
				rounded.Set(i, j, float64(x32.At(i, j)))
			}
		}
		m.Transform32(y32, x32)
		m.Transform(&y, rounded)
		one32 := make([]float32, p)
		for i := range n {
			transform32(m, one32, x32.Row(i))
			for l, v := range y32.Row(i) {
				if v != float32(y.At(i, l)) || v != one32[l] {
					t.Fatalf("%v: float32 (%d, %d) = %v, %v, want %v", shape, i, l, v, one32[l], float32(y.At(i, l)))
				}
			}
		}
	}
}

// transform32 calls Transform32 for one sample.
func transform32(m *Model, dst, x []float32) error {
	return m.Transform32(dist.NewMatrix(1, len(dst), dst), dist.NewMatrix(1, len(x), x))
}

// panicText returns the string with which f panics, or "" if f does not panic or panics with
// another type.
func panicText(f func()) (text string) {
	defer func() {
		if s, ok := recover().(string); ok {
			text = s
		}
	}()
	f()
	return ""
}

// TestTransformShapes checks that wrong shapes and overlapping destinations are errors, and that a nil matrix or an
// invalid number of components panics.
func TestTransformShapes(t *testing.T) {
	m, x, _ := testModel(t, 6, 2)
	square, z, _ := testModel(t, 6, 6)
	v, v32 := make([]float64, 8), make([]float32, 8)
	of32 := func(rows, cols, stride, n int) dist.Matrix[float32] {
		return dist.Matrix[float32]{Rows: rows, Cols: cols, Stride: stride, Data: make([]float32, n)}
	}
	shared := dist.NewMatrix[float32](3, 8, nil)
	part := func(from, cols int) dist.Matrix[float32] {
		return dist.Matrix[float32]{Rows: 3, Cols: cols, Stride: 8, Data: shared.Data[from:]}
	}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"destination":     {m.TransformVec(make([]float64, 3), make([]float64, 6)), "3 elements for 2"},
		"features":        {m.TransformVec(make([]float64, 2), make([]float64, 7)), "7 features"},
		"features 32":     {transform32(m, make([]float32, 2), make([]float32, 7)), "7 features"},
		"destination 32":  {transform32(m, make([]float32, 1), make([]float32, 6)), "must be 1 × 2"},
		"columns":         {m.Transform(new(mat.Dense), uniform(1, 3, 5)), "5 features"},
		"rows":            {m.Transform(mat.NewDense(39, 2, nil), x), "must be 40 × 2"},
		"rows 32":         {m.Transform32(of32(2, 2, 2, 4), of32(3, 6, 6, 18)), "must be 3 × 2"},
		"into itself":     {square.Transform(z, z), "overlaps"},
		"into a part":     {m.Transform(x.Slice(0, 40, 4, 6).(*mat.Dense), x), "overlaps"},
		"row into itself": {m.TransformVec(v[:2], v[:6]), "overlaps"},
		"into its end":    {m.TransformVec(v[5:7], v[:6]), "overlaps"},
		"row 32":          {transform32(m, v32[5:7], v32[:6]), "overlaps"},
		"into itself 32":  {m.Transform32(part(5, 2), part(0, 6)), "overlaps"},
		"shares":          {new(Workspace).Shares(v), "8 elements"},
	} {
		if !errors.Is(c.err, ErrShape) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: error %v, want a text that contains %q", name, c.err, c.want)
		}
	}
	for name, c := range map[string]struct {
		f    func()
		want string
	}{
		"short 32":          {func() { m.Transform32(of32(3, 2, 2, 6), of32(3, 6, 6, 17)) }, "fit"},
		"short target 32":   {func() { m.Transform32(of32(3, 2, 2, 5), of32(3, 6, 6, 18)) }, "fit"},
		"stride 32":         {func() { m.Transform32(of32(3, 2, 2, 6), of32(3, 6, 5, 18)) }, "fit"},
		"wrapped 32":        {func() { m.Transform32(of32(1<<61+1, 2, 2, 64), of32(1<<61+1, 6, 8, 64)) }, "fit"},
		"wrapped target 32": {func() { m.Transform32(of32(3, 2, 1<<62, 64), of32(3, 6, 8, 64)) }, "fit"},
	} {
		if text := panicText(c.f); !strings.Contains(text, c.want) {
			t.Errorf("%s: panics with %q, want a text that contains %q", name, text, c.want)
		}
	}

	for _, q := range []int{0, 3} {
		if cut, err := m.Cut(q); cut != nil || !errors.Is(err, ErrSettings) {
			t.Errorf("cut to %d components: %v", q, err)
		}
	}

	// Two views side by side in one matrix do not overlap. A matrix without a RawMatrix method, such as a
	// transpose, is copied before the destination is written.
	wide := mat.NewDense(40, 8, nil)
	from, to := wide.Slice(0, 40, 0, 6).(*mat.Dense), wide.Slice(0, 40, 6, 8).(*mat.Dense)
	from.Copy(x)
	var want mat.Dense
	m.Transform(&want, x)
	if m.Transform(to, from); !bitsEqual(to, &want) || !bitsEqual(from, x) {
		t.Error("other bits beside the samples")
	}
	m.TransformVec(v[6:], v[:6])
	m.Transform32(part(6, 2), part(0, 6))
	turned := mat.DenseCopyOf(x.Slice(0, 6, 0, 6).T())
	var of mat.Dense
	square.Transform(&of, mat.DenseCopyOf(turned.T()))
	if square.Transform(turned, turned.T()); !bitsEqual(turned, &of) {
		t.Error("a transpose is overwritten while it is read")
	}
}

// TestZeroModel checks that methods of a zero Model or Classifier return zero values, return ErrModel or panic with a
// clear message.
func TestZeroModel(t *testing.T) {
	_, x, labels := testModel(t, 6, 2)
	m, c := new(Model), new(Classifier)
	if d, p := m.Dims(); d != 0 || p != 0 || m.Labels() != nil || m.Mean() != nil || m.ClassNames() != nil || m.ClassName(-3) != "-3" || m.Report().Lambda != nil {
		t.Error("the zero Model has something")
	}
	if c.Len() != 0 || c.K() != 0 || c.Labels() != nil || c.Model() != nil {
		t.Error("the zero Classifier has something")
	}
	for name, f := range map[string]func() error{
		"model's file": func() error { _, err := m.MarshalBinary(); return err }, "classifier's file": func() error { _, err := c.MarshalBinary(); return err },
	} {
		if err := f(); !errors.Is(err, ErrModel) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.WithK(1); !errors.Is(err, ErrSettings) {
		t.Errorf("WithK: %v", err)
	}
	row, y, ctx := make([]float64, 6), new(mat.Dense), t.Context()
	for name, f := range map[string]func(){
		"Transform": func() { m.Transform(y, x) }, "TransformVec": func() { m.TransformVec(row[:2], row) }, "no features": func() { m.TransformVec(nil, nil) },
		"Transform32": func() { m.Transform32(dist.Matrix[float32]{}, dist.Matrix[float32]{}) },
		"Projection":  func() { m.Projection() }, "Hash": func() { m.Hash() }, "Cut": func() { m.Cut(1) }, "WithClassNames": func() { m.WithClassNames(nil) },
		"NewClassifier": func() { NewClassifier(t.Context(), m, x, labels, 1) }, "of no model": func() { NewClassifier(ctx, nil, x, labels, 1) },
		"Predict": func() { c.Predict(row, nil) }, "Predict32": func() { c.Predict32(make([]float32, 6), nil) }, "with a workspace": func() { c.Predict(row, new(Workspace)) },
		"PredictLabels": func() { c.PredictLabels(ctx, nil, x, 1) }, "Neighbors": func() { c.Neighbors(ctx, x, 1, 1) }, "its Hash": func() { c.Hash() },
	} {
		if text := panicText(f); !strings.HasPrefix(text, "wda: use of a zero ") {
			t.Errorf("%s: panics with %q", name, text)
		}
	}
}

// TestModelNeverChanges checks that a model is independent of its inputs and of the slices that it returns.
func TestModelNeverChanges(t *testing.T) {
	x, labels := parts3(1, 40, 6)
	lambda, init := mat.NewDense(3, 3, []float64{1, 2, 2, 2, 1, 2, 2, 2, 1}), uniform(5, 6, 2)
	set := Settings{
		Components: 2, Objective: Objective{Lambda: LambdaMatrix(lambda), Shrinkage: FixedShrinkage(0)},
		Optimizer: Optimizer{MaxSteps: 4, Init: init, Starts: 2}, Validation: &Validation{Every: 1},
	}
	m := mustFit(t, x, labels, &set)
	names := []string{"a", "b", "c"}
	m, err := m.WithClassNames(names)
	if err != nil {
		t.Fatal(err)
	}
	state := func() string {
		r := m.Report()
		s := r.Settings
		return fmt.Sprint(m.Hash(), r.History, r.StartObjectives, r.Validations, r.Warnings, mat.Formatted(r.Lambda), mat.Formatted(s.Objective.Lambda.Matrix()), mat.Formatted(s.Optimizer.Init), *s.Validation)
	}
	before := state()
	file := fileOf(t, m)
	names[0] = "x"
	lambda.Zero()
	init.Zero()
	set.Validation.Every = 9
	m.Projection().Zero()
	clear(m.Mean())
	clear(m.Labels())
	clear(m.ClassNames())
	r := m.Report()
	if len(r.History) == 0 || len(r.StartObjectives) == 0 || len(r.Validations) == 0 {
		t.Fatalf("nothing to overwrite in %+v", r)
	}
	clear(r.History)
	clear(r.StartObjectives)
	clear(r.Validations)
	if len(r.Warnings) > 0 {
		r.Warnings[0] = Warning{}
	}
	r.Lambda.Zero()
	r.Settings.Objective.Lambda.Matrix().Zero()
	r.Settings.Optimizer.Init.(*mat.Dense).Zero()
	r.Settings.Validation.Every = 9
	if after := state(); after != before || !bytes.Equal(fileOf(t, m), file) {
		t.Errorf("the model has changed:\n%s\nwas\n%s", after, before)
	}
}

// TestClassNames checks that WithClassNames returns a new model and validates the names.
func TestClassNames(t *testing.T) {
	m, x, labels := testModel(t, 6, 2)
	named, err := m.WithClassNames([]string{"a", "", "ü"})
	if err != nil {
		t.Fatal(err)
	}
	if m.ClassNames() != nil || m.ClassName(20) != "20" || named.ClassName(20) != "" || named.ClassName(30) != "ü" || named.ClassName(25) != "25" {
		t.Errorf("names %q and %q", m.ClassNames(), named.ClassNames())
	}
	c, err := NewClassifier(t.Context(), named, x, labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	predicted, err := c.PredictLabels(t.Context(), nil, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		class, err := c.Predict(x.RawRowView(i), nil)
		label := predicted[i]
		if err != nil || class.Label != label || class.Name != named.ClassName(label) || class.Share < 1./3 {
			t.Errorf("row %d: %+v, %v; label %d", i, class, err, label)
		}
	}
	if none, err := named.WithClassNames(nil); err != nil || none.ClassNames() != nil || none.Hash() != m.Hash() {
		t.Errorf("without names: %v", err)
	}
	for want, names := range map[string][]string{
		"1 names for 3 classes": {"a"}, "0 names for 3": {}, "classes 0 and 2 have the same name": {"a", "b", "a"}, "not valid UTF-8": {"a", "b", "\xff"},
	} {
		if got, err := m.WithClassNames(names); !errors.Is(err, ErrLabels) || got != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", names, err, want)
		}
	}
}

// TestCut checks that Cut returns a model of the first components.
func TestCut(t *testing.T) {
	m, x, _ := testModel(t, 37, 5)
	m.scales, m.ratios = []float64{5, 4, 3, 2, 1}, []float64{9, 8, 7, 6, 5}
	m.report.Settings.Components = 5
	var all mat.Dense
	m.Transform(&all, x)
	for q := 1; q <= 5; q++ {
		c, err := m.Cut(q)
		if err != nil {
			t.Fatal(err)
		}
		var y mat.Dense
		c.Transform(&y, x)
		if !bitsEqual(&y, all.Slice(0, 40, 0, q)) || !slices.Equal(c.scales, m.scales[:q]) || !slices.Equal(c.ratios, m.ratios[:q]) {
			t.Errorf("%d components: other projections", q)
		}
		back, err := loadModel(bytes.NewReader(fileOf(t, c)))
		if err != nil || back.Hash() != c.Hash() || !slices.Equal(back.scales, c.scales) || !slices.Equal(back.ratios, c.ratios) || back.Report().Settings.Components != 5 {
			t.Errorf("%d components: %v", q, err)
		}
		if (c.Hash() == m.Hash()) != (q == 5) {
			t.Errorf("%d components: hash %s", q, c.Hash())
		}
	}
}

// TestNotFinite checks the results for NaN, infinity and overflow. Methods that check their input must report the
// position of the invalid value. All other methods must return the documented values.
func TestNotFinite(t *testing.T) {
	m, x, labels := testModel(t, 6, 2)
	m.projection.Set(4, 0, 0) // 0·∞ is NaN, not 0
	c, err := NewClassifier(t.Context(), m, x, labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	y, y32, proba, w := make([]float64, 2), make([]float32, 2), make([]float64, 3), new(Workspace)
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for j := range 6 {
			row, row32 := slices.Clone(x.RawRowView(0)), make([]float32, 6)
			row[j], row32[j] = v, float32(v)
			transform32(m, y32, row32)
			var pe *PositionError
			if err := m.TransformVec(y, row); !errors.As(err, &pe) || pe.Column != j || pe.Err != ErrNotFinite || !isNotFinite(y[0]) || !isNotFinite(y[1]) || y32[0]-y32[0] == 0 || y32[1]-y32[1] == 0 {
				t.Errorf("%v in column %d becomes %v, %v: %v", v, j, y, y32, err)
			}
			if class, err := c.Predict(row, w); !errors.As(err, &pe) || pe.Column != j || class != (Class{}) {
				t.Errorf("%v in column %d: class %+v, %v", v, j, class, err)
			}
			if predictShares(c, proba, row, w); !math.IsNaN(proba[0]) || !math.IsNaN(proba[1]) || !math.IsNaN(proba[2]) {
				t.Errorf("%v in column %d: probabilities %v", v, j, proba)
			}
		}
	}
	for _, n := range []int{0, 5, 7} {
		row := make([]float64, n)
		if err := m.TransformVec(y, row); !errors.Is(err, ErrShape) {
			t.Errorf("%d features: %v", n, err)
		}
		if _, err := c.Predict(row, nil); !errors.Is(err, ErrShape) {
			t.Errorf("%d features: %v", n, err)
		}
	}

	// This finite sample has a projection beyond the range of float64.
	beyond := scaledMatrix(math.MaxFloat64, mat.NewDense(1, 6, []float64{1, 1, 1, 1, 1, 1}))
	for j := range 6 {
		if m.projection.At(j, 1) < 0 {
			beyond.Set(0, j, -math.MaxFloat64)
		}
	}
	row := beyond.RawRowView(0)
	if err := m.TransformVec(y, row); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "projected sample") || !math.IsInf(y[1], 1) {
		t.Errorf("beyond range: %v, %v", y, err)
	}
	var all mat.Dense
	if m.Transform(&all, beyond); !math.IsInf(all.At(0, 1), 1) {
		t.Errorf("beyond range: %v", all)
	}
	if _, err := c.Predict(row, nil); !errors.Is(err, ErrNotFinite) {
		t.Errorf("beyond range: %v", err)
	}
	large := make([]float32, 6)
	for j := range large {
		large[j] = float32(math.Copysign(math.MaxFloat32, row[j]))
	}
	if transform32(m, y32, large); !math.IsInf(float64(y32[1]), 1) {
		t.Errorf("beyond float32: %v", y32)
	}

	// This sample has a finite projection, but its distances to the stored samples exceed the range of float64.
	far := scaledMatrix(1e-100, beyond)
	if err := m.TransformVec(y, far.RawRowView(0)); err != nil {
		t.Fatalf("%v: %v", y, err)
	}
	if near := c.appendNeighbors(nil, far.RawRowView(0), 2, preparedWorkspace(c)); !math.IsInf(near[0].SqDistance, 1) || near[0].Row != 0 || near[1].Row != 1 {
		t.Errorf("far away: %+v", near)
	}
	if class, err := c.Predict(far.RawRowView(0), nil); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "distance to row 2 of the classifier") {
		t.Errorf("far away: %+v, %v", class, err)
	}
	pair := mat.NewDense(2, 6, append(slices.Clone(x.RawRowView(0)), far.RawRowView(0)...))
	if got, err := c.PredictLabels(t.Context(), nil, pair, 1); !errors.Is(err, ErrNotFinite) || !strings.HasPrefix(err.Error(), "row 1: ") || got != nil {
		t.Errorf("far away, among others: %v, %v", got, err)
	}
}

// TestHash checks that the hash is the SHA-256 of the documented bytes, and that every bit of these bytes changes the
// hash.
func TestHash(t *testing.T) {
	plain, x, labels := testModel(t, 6, 2)
	m, err := plain.WithClassNames([]string{"a", "", "ü"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClassifier(t.Context(), m, x, labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	var y mat.Dense
	m.Transform(&y, x)
	var text bytes.Buffer
	put := func(v ...any) {
		for _, v := range v {
			binary.Write(&text, binary.LittleEndian, v)
		}
	}
	put([]byte("monge-wda 1"), int64(12), m.projection.RawMatrix().Data, int64(6), m.mean, int64(3), []int64{10, 20, 30}, int64(3), int64(1), []byte("a"), int64(0), int64(2), []byte("ü"))
	if want := fmt.Sprintf("%x", sha256.Sum256(text.Bytes())); m.Hash() != want {
		t.Errorf("hash %s, want %s", m.Hash(), want)
	}
	put(int64(80), y.RawMatrix().Data, int64(40))
	for _, l := range labels {
		put(int64(l))
	}
	put(int64(1), int64(3))
	if want := fmt.Sprintf("%x", sha256.Sum256(text.Bytes())); c.Hash() != want {
		t.Errorf("hash of the classifier %s, want %s", c.Hash(), want)
	}

	// The report does not change the hash.
	other := *m
	other.report = Report{Steps: 9, Elapsed: time.Hour}
	if other.Hash() != m.Hash() {
		t.Error("the report is in the hash")
	}
	seen := map[string]string{m.Hash(): "the model", plain.Hash(): "no names"}
	differs := func(what, hash string) {
		t.Helper()
		if as, ok := seen[hash]; ok {
			t.Errorf("%s: the hash of %s", what, as)
		}
		seen[hash] = what
	}
	bit := func(v *float64, i uint) func() {
		old := *v
		*v = math.Float64frombits(math.Float64bits(old) ^ 1<<i)
		return func() { *v = old }
	}
	hashWith := func(k int) string {
		c, err := newClassifier(t.Context(), m, &y, labels, k)
		if err != nil {
			t.Fatal(err)
		}
		return c.Hash()
	}
	for _, i := range []uint{0, 1, 51, 52, 63} {
		for k := range m.projection.RawMatrix().Data {
			undo := bit(&m.projection.RawMatrix().Data[k], i)
			differs(fmt.Sprintf("bit %d of projection %d", i, k), m.Hash())
			undo()
		}
		for k := range m.mean {
			undo := bit(&m.mean[k], i)
			differs(fmt.Sprintf("bit %d of mean %d", i, k), m.Hash())
			undo()
		}
		for k := range y.RawMatrix().Data {
			undo := bit(&y.RawMatrix().Data[k], i)
			differs(fmt.Sprintf("bit %d of sample %d", i, k), hashWith(3))
			undo()
		}
	}
	differs("the classifier", c.Hash())
	for k := range labels {
		labels[k]++
		differs(fmt.Sprintf("label of row %d", k), hashWith(3))
		labels[k]--
	}
	differs("another K", hashWith(4))
	for k := range m.labels {
		m.labels[k]++
		differs(fmt.Sprintf("label %d", k), m.Hash())
		m.labels[k]--
	}
	for _, names := range [][]string{{"a", "ü", ""}, {"", "a", "ü"}, {"a", "b", "ü"}, {"a\x00", "", "ü"}} {
		named, err := m.WithClassNames(names)
		if err != nil {
			t.Fatal(err)
		}
		differs(fmt.Sprintf("names %q", names), named.Hash())
	}
}

func TestTransformAllocatesNothing(t *testing.T) {
	m, x, labels := testModel(t, 784, 10)
	c, err := NewClassifier(t.Context(), m, x, labels, 5)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := x.Dims()
	y, vec, vec32, x32 := mat.NewDense(n, 10, nil), make([]float64, 10), make([]float32, 10), make([]float32, 784)
	all32, in32 := dist.NewMatrix[float32](n, 10, nil), dist.NewMatrix[float32](n, 784, nil)
	sample, w := x.RawRowView(3), new(Workspace)
	proba := make([]float64, 3)
	for name, f := range map[string]func(){
		"Transform":    func() { m.Transform(y, x) },
		"TransformVec": func() { m.TransformVec(vec, sample) },
		"Transform32":  func() { m.Transform32(all32, in32) },
		"one row":      func() { transform32(m, vec32, x32) },
		"Predict":      func() { c.Predict(sample, w) },
		"Shares":       func() { predictShares(c, proba, sample, w) },
	} {
		if a := asmtest.Allocations(f); a != 0 {
			t.Errorf("%s: %v allocations", name, a)
		}
	}
}

// TestConcurrentUse checks that many goroutines can share a model and a classifier. It relies on the race detector.
func TestConcurrentUse(t *testing.T) {
	m, x, labels := testModel(t, 50, 4)
	c, err := NewClassifier(t.Context(), m, x, labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	var want mat.Dense
	m.Transform(&want, x)
	predicted, err := c.PredictLabels(t.Context(), nil, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			one, w := make([]float64, 4), new(Workspace)
			if g%2 == 0 {
				w = nil // from the pool
			}
			for i := range 40 {
				m.TransformVec(one, x.RawRowView(i))
				if !slices.Equal(one, want.RawRowView(i)) || labelOf(c, x.RawRowView(i), w) != predicted[i] {
					t.Errorf("sample %d comes out differently", i)
					return
				}
			}
			var y mat.Dense
			m.Transform(&y, x)
			if _, err := m.MarshalBinary(); err != nil || !bitsEqual(&y, &want) {
				t.Errorf("Transform or MarshalBinary in parallel: %v", err)
			}
		})
	}
	wg.Wait()
}

// BenchmarkTransformVec projects one MNIST-sized sample. The benchmarks whose names start with "load" report percentiles
// of the duration of a call while all processors make calls.
func BenchmarkTransformVec(b *testing.B) {
	m, x, _ := testModel(b, 784, 10)
	src := make([]float32, 784)
	for j, v := range x.RawRowView(0) {
		src[j] = float32(v)
	}
	b.Run("type=f64", func(b *testing.B) {
		dst := make([]float64, 10)
		b.ReportAllocs()
		for b.Loop() {
			m.TransformVec(dst, x.RawRowView(0))
		}
	})
	b.Run("type=f32", func(b *testing.B) {
		dst := make([]float32, 10)
		b.ReportAllocs()
		for b.Loop() {
			transform32(m, dst, src)
		}
	})
	underLoad(b, "load/type=f64", func() func(i int) {
		dst := make([]float64, 10)
		return func(i int) { m.TransformVec(dst, x.RawRowView(i%40)) }
	})
	underLoad(b, "load/type=f32", func() func(i int) {
		dst := make([]float32, 10)
		return func(int) { transform32(m, dst, src) }
	})
}

// underLoad measures the times of single calls while all processors make calls.
func underLoad(b *testing.B, name string, prepare func() func(i int)) {
	b.Run(name, func(b *testing.B) {
		var mu sync.Mutex
		var all []time.Duration
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			call := prepare()
			took := make([]time.Duration, 0, 1<<20)
			for i := 0; pb.Next(); i++ {
				began := time.Now()
				call(i)
				if e := time.Since(began); len(took) < cap(took) {
					took = append(took, e)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		})
		slices.Sort(all)
		for _, p := range []struct {
			name  string
			share float64
		}{{"p50-ns", .5}, {"p99-ns", .99}, {"p99.9-ns", .999}} {
			if len(all) > 0 {
				b.ReportMetric(float64(all[int(math.Ceil(p.share*float64(len(all))))-1]), p.name)
			}
		}
	})
}

// BenchmarkTransform projects a batch with Transform, Transform32 and the kernel alone.
func BenchmarkTransform(b *testing.B) {
	const n, d, p = 1000, 784, 10
	m, _, _ := testModel(b, d, p)
	x := uniform(1, n, d)
	x32 := dist.NewMatrix[float32](n, d, nil)
	for i, v := range x.RawMatrix().Data {
		x32.Data[i] = float32(v)
	}
	dst, dst32 := mat.NewDense(n, p, nil), dist.NewMatrix[float32](n, p, nil)
	raw, pr := x.RawMatrix(), m.projection.RawMatrix()
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"kernel", func() {
			project.Mul(n, p, d, dst.RawMatrix().Data, p, raw.Data, raw.Stride, pr.Data, pr.Stride, false)
		}},
		{"type=f64", func() { m.Transform(dst, x) }},
		{"type=f32", func() { m.Transform32(dst32, x32) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.run()
			}
			b.ReportMetric(float64(2*n*d*p)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}

func BenchmarkPredict(b *testing.B) {
	m, _, _ := testModel(b, 784, 10)
	x, labels := parts3(3, 1000, 784)
	c, err := NewClassifier(b.Context(), m, x, labels, 5)
	if err != nil {
		b.Fatal(err)
	}
	w := new(Workspace)
	for b.Loop() {
		c.Predict(x.RawRowView(0), w)
	}
}
