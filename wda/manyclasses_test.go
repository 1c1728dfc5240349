package wda

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// manyClasses returns rows of normal classes whose means differ by 3 standard deviations in the
// first feature, by 2 in the second, by 1 in the third, and nowhere else.
func manyClasses(classes, rows, d int) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, labels := mat.NewDense(classes*rows, d, nil), make([]int, classes*rows)
	for c := range classes {
		mean := make([]float64, d)
		for j := range min(3, d) {
			mean[j] = float64(3-j) * rng.NormFloat64()
		}
		for i := c * rows; i < (c+1)*rows; i++ {
			for j, m := range mean {
				x.Set(i, j, m+float64(0.1*rng.NormFloat64()))
			}
			labels[i] = c
		}
	}
	return x, labels
}

// TestPairsAreBounded: pairs of classes are half as many as the square of the classes. With
// thousands of classes a fit that need not see all of them sees a bounded number.
func TestPairsAreBounded(t *testing.T) {
	t.Parallel()
	x, labels := manyClasses(3000, 2, 4)
	s, err := newSamples(t.Context(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method Method
		limit  int
	}{{Principal{}, 1024}, {Fisher{}, 1024}, {MiniBatch{BatchSize: 64}, 1024}, {ConjugateGradient{}, 3000}} {
		set, err := pinned(Settings{Optimizer: Optimizer{Method: c.method}}).withDefaults(t.Context(), s.n, s.d, len(s.classes))
		if err != nil {
			t.Fatal(err)
		}
		o, err := objectiveFor[float64](t.Context(), s, &set, exactSamples, exactClasses)
		if err != nil {
			t.Fatal(err)
		}
		if want := c.limit * (c.limit + 1) / 2; len(o.pairs) != want {
			t.Errorf("%v: J is of %d pairs of classes, want %d", c.method, len(o.pairs), want)
		}
	}
	if some := s.compared(t.Context()); len(some.classes) > 256 || some.n != 2*len(some.classes) {
		t.Errorf("settings are compared on %d rows of %d classes", some.n, len(some.classes))
	}
}

// TestPartOfTheClasses: J of some of the classes is an estimate of J of all, the report says how
// many samples it is of, and the model is like any other.
func TestPartOfTheClasses(t *testing.T) {
	t.Parallel()
	classes, part := 120, 40
	if !testdata.IsLong() {
		classes, part = 60, 30
	}
	x, labels := manyClasses(classes, 3, 6)
	for _, c := range []struct {
		set  Settings
		made Method
	}{
		{Settings{Optimizer: Optimizer{Method: Principal{}}}, Principal{}},
		{Settings{Optimizer: Optimizer{Method: Principal{}, Starts: 2}}, Principal{}},
		{Settings{Optimizer: Optimizer{Method: Fisher{}}, Data: Data{Whitening: DiagonalWhitening(0.5)}, Objective: Objective{Proportional: true}}, Fisher{}},
		{Settings{Optimizer: Optimizer{Method: MiniBatch{}, MaxSteps: 2}}, MiniBatch{BatchSize: 64}},
		{Settings{Optimizer: Optimizer{Method: Auto{}, MaxSteps: 2}}, MiniBatch{BatchSize: 64}},
		{Settings{Optimizer: Optimizer{Method: ConjugateGradient{}, MaxSteps: 2}}, ConjugateGradient{}},
	} {
		set := pinned(c.set)
		prepared, err := Prepare(t.Context(), x, labels, set.preparation())
		if err != nil {
			t.Fatal(err)
		}
		prepared.classes = part
		m, err := prepared.fit(t.Context(), set, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if c.set.Data.Whitening == (Whitening{}) {
			checkModel(t, m)
		}
		r := m.Report()
		exact, want := c.made == Method(ConjugateGradient{}), part*3
		if exact {
			want = classes * 3
		}
		if r.Settings.Optimizer.Method != c.made || r.ObjectiveSamples != want || (r.Lambda != nil) != exact {
			t.Errorf("%v: method %v, J of %d samples, %v", c.set.Optimizer.Method, r.Settings.Optimizer.Method, r.ObjectiveSamples, r.Lambda != nil)
		}
		file := fileOf(t, m)
		if again, err := loadModel(bytes.NewReader(file)); err != nil || !bytes.Equal(fileOf(t, again), file) {
			t.Errorf("%v: the file of the model: %v", c.made, err)
		}
		sp, start, err := prepared.startFor(t.Context(), &r.Settings)
		if err != nil {
			t.Fatal(err)
		}
		all, err := newObjective[float64](t.Context(), sp.s, &r.Settings)
		if err == nil {
			err = all.setLambdas(t.Context(), &r.Settings, start)
		}
		if err == nil {
			all.ridge = r.Ridge / sp.s.units(1)
			err = all.evaluate(t.Context(), inSpan(sp, m), false)
		}
		if err != nil {
			t.Fatal(err)
		}
		if off := relative(r.Objective, all.ratio()); !(off < 0.35) || exact && !(off < 1e-12) {
			t.Errorf("%v: J = %v of %d samples, %v of all", c.made, r.Objective, r.ObjectiveSamples, all.ratio())
		}
	}
}

// inSpan returns the orthonormal projection of the span of sp that m was made of.
func inSpan(sp *span, m *Model) *mat.Dense {
	p := mat.DenseCopyOf(m.projection)
	for j, f := range sp.factor {
		for k := range p.RawRowView(j) {
			p.RawRowView(j)[k] /= f
		}
	}
	if sp.white != nil {
		sp.white.MulTrans(context.Background(), dense.View(p))
	}
	stiefel.New(p.Dims()).Orthonormalize(context.Background(), p, p)
	return p
}

// TestDirectionsOfMany: the directions of the means take time in the cube of the classes or of the
// features, whichever are fewer, and of neither if both are many.
func TestDirectionsOfMany(t *testing.T) {
	t.Parallel()
	asked := map[int]int{}
	for _, c := range []struct{ classes, d int }{{60, 8}, {70, 8}, {700, 8}, {560, 540}} {
		x, labels := manyClasses(c.classes, 2, c.d)
		s, err := newSamples(t.Context(), x, labels)
		if err != nil {
			t.Fatal(err)
		}
		ctx := ending.At(0)
		values, v, ok := s.meanDirections(ctx, 3, 1e-6)
		if !ok {
			t.Fatal("no directions")
		}
		asked[c.classes] = ctx.Asked()
		b := s.between(t.Context())
		for k := range 3 {
			// BᵀB v = μ v, and v is near the k-th axis.
			column := matrix.New[float64](c.d, 1, nil)
			matrix.Mul(column, v, unit(v.Cols, k), false)
			bv, bbv := matrix.New[float64](c.classes, 1, nil), matrix.New[float64](c.d, 1, nil)
			matrix.Mul(bv, b, column, false)
			matrix.TransMul(bbv, b, bv, false)
			var off, norm float64
			for j := range c.d {
				e := bbv.Data[j] - values[k]*column.Data[j]
				off, norm = off+e*e, norm+column.Data[j]*column.Data[j]
			}
			if !(math.Sqrt(off/norm) <= 1e-5*values[0]) {
				t.Errorf("%d classes, %d features: direction %d is off by %g", c.classes, c.d, k, math.Sqrt(off/norm)/values[0])
			}
			if share := math.Abs(column.Data[k]) / math.Sqrt(norm); !(share > 0.8) {
				t.Errorf("%d classes, %d features: direction %d has a share of %.3f of its axis", c.classes, c.d, k, share)
			}
		}
	}
	if asked[700] > 11*asked[70] {
		t.Errorf("70 classes ask the context %d times, 700 classes %d times", asked[70], asked[700])
	}
	if asked[560] > 4*560 {
		t.Errorf("560 classes of 540 features ask the context %d times", asked[560])
	}
}

// unit returns the k-th unit vector of length n, a column.
func unit(n, k int) matrix.Matrix[float64] {
	e := matrix.New[float64](n, 1, nil)
	e.Data[k*e.Stride] = 1
	return e
}

// TestLambdaOfClasses: λ of two classes given in a matrix is that of these classes where some are
// left out, as in a fold that has no two rows of a class.
func TestLambdaOfClasses(t *testing.T) {
	t.Parallel()
	x, labels := manyClasses(4, 3, 3)
	s, err := newSamples(t.Context(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	given := mat.NewSymDense(4, nil)
	for c := range 4 {
		for e := range 4 {
			given.SetSym(c, e, float64(1+10*min(c, e)+max(c, e)))
		}
	}
	set, err := pinned(Settings{Objective: Objective{Lambda: LambdaMatrix(given)}}).withDefaults(t.Context(), s.n, s.d, 4)
	if err != nil {
		t.Fatal(err)
	}
	part, _ := s.rowsCentered(t.Context(), []int{0, 2, 6, 7, 8, 9, 11}, []int{1}) // no row of class 1
	part = part.only(t.Context(), []int{1, 2})                                    // nor of class 0
	o, err := newObjective[float64](t.Context(), part, &set)
	if err == nil {
		err = o.setLambdas(t.Context(), &set, uniform(1, 3, 2))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range o.pairs {
		if want := o.s.units(given.At(q.c+2, q.e+2)); q.lambda != want {
			t.Errorf("λ of classes %d and %d is %v, want %v", part.classes[q.c], part.classes[q.e], q.lambda, want)
		}
	}
}
