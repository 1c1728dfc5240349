package wda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

type gradientCase struct {
	name  string
	d     int
	set   Settings
	sizes []int
	inLog bool // must be solved in the log domain
}

func gradientCases() []gradientCase {
	lambdas := mat.NewSymDense(3, []float64{0.7, 1.1, 0.4, 1.1, 0.2, 2.5, 0.4, 2.5, 1.6})
	cases := []gradientCase{
		{name: "default", set: Settings{Components: 3}},
		{name: "proportional", set: Settings{Components: 3, Objective: Objective{Proportional: true}}},
		{name: "shrinkage", set: Settings{Components: 3, Objective: Objective{Shrinkage: FixedShrinkage(0.7)}}},
		{name: "absolute", set: Settings{Components: 3, Objective: Objective{Lambda: AbsoluteLambda(0.3)}}},
		{name: "matrix", set: Settings{Components: 3, Objective: Objective{Lambda: LambdaMatrix(lambdas)}}},
		{name: "small lambda", set: Settings{Components: 3, Objective: Objective{Lambda: RelativeLambda(1e-3)}}},
		{name: "large lambda", set: Settings{Components: 3, Objective: Objective{Lambda: RelativeLambda(30)}}},
		{name: "log domain", set: Settings{Components: 3, Objective: Objective{Lambda: RelativeLambda(1e3)}}, inLog: true},
		{name: "p = 1", set: Settings{Components: 1}},
		{name: "p = d", set: Settings{Components: 6}},
		{name: "d = 1", d: 1, set: Settings{Components: 1}},
		{name: "two classes", sizes: []int{9, 14}, set: Settings{Components: 2}},
		{name: "pairs of samples", sizes: []int{2, 2, 2, 3}, set: Settings{Components: 2}},
		{name: "everything", set: Settings{Components: 2, Objective: Objective{Proportional: true, Shrinkage: FixedShrinkage(0.3), Lambda: LambdaMatrix(lambdas), Iterations: 7}}},
	}
	for _, l := range []int{1, 2, 5, 25, 50} {
		cases = append(cases, gradientCase{name: fmt.Sprintf("L = %d", l), set: Settings{Components: 3, Objective: Objective{Iterations: l}}})
	}
	return cases
}

// TestGradientSlope: the error of central differences is quadratic in the step, so
// that it falls a hundredfold per decade until rounding takes over. A gradient that
// is wrong by any factor or term leaves an error that does not fall.
func TestGradientSlope(t *testing.T) {
	for i, c := range gradientCases() {
		x, labels := c.data(uint64(i))
		f, p, g, dir := gradientOf[float64](t, x, labels, c)
		want := inner(g, dir)
		var errs []float64
		for h := 0.3; h > 1e-7; h /= 10 {
			errs = append(errs, math.Abs((f(p, dir, h)-f(p, dir, -h))/(2*h)-want))
		}
		// Two decades in a row at the theoretical rate.
		good := false
		for k := 0; k+2 < len(errs); k++ {
			a, b := errs[k]/errs[k+1], errs[k+1]/errs[k+2]
			good = good || a > 85 && a < 117 && b > 85 && b < 117
		}
		if !good {
			t.Errorf("%s: errors of central differences do not fall 100 times per decade: %.3g (derivative %.3g)", c.name, errs, want)
		}
	}
}

// TestGradientFloat32: in float32 there is no room for decades; the gradient is
// that of float64 to single precision.
func TestGradientFloat32(t *testing.T) {
	for i, c := range gradientCases() {
		limit := 3e-5
		if c.inLog {
			// Samples are transported to themselves but for 1e-10 of their mass, and half
			// an ulp of λM in the exponent is what the plan is off by.
			limit = 2e-4
		}
		x, labels := c.data(uint64(i))
		_, _, want, _ := gradientOf[float64](t, x, labels, c)
		_, _, got, _ := gradientOf[float32](t, x, labels, c)
		if e := off(got, want); !(e <= limit) {
			t.Errorf("%s: off by %.3g of the largest entry", c.name, e)
		}
	}
}

func (c *gradientCase) data(seed uint64) (*mat.Dense, []int) {
	if c.d == 0 {
		c.d = 6
	}
	if c.sizes == nil {
		c.sizes = []int{8, 13, 10}
	}
	return clusters(seed, c.d, c.sizes...)
}

// gradientOf returns J along a direction, the place, the gradient there, and the
// direction. λ and the ridge are fixed at another place. J is that of any matrix P,
// so that the direction need not be tangent.
func gradientOf[T dist.Float](t *testing.T, x *mat.Dense, labels []int, c gradientCase) (f func(p, dir *mat.Dense, h float64) float64, p, g, dir *mat.Dense) {
	t.Helper()
	s, err := newSamples(context.Background(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	set, err := pinned(c.set).withDefaults(context.Background(), s.n, s.d, len(s.classes))
	if err != nil {
		t.Fatal(err)
	}
	o, err := newObjective[T](context.Background(), s, &set)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.prepare(t.Context(), &set, uniform(7, c.d, set.Components)); err != nil {
		t.Fatal(err)
	}
	p, dir, g = uniform(8, c.d, set.Components), uniform(9, c.d, set.Components), mat.NewDense(c.d, set.Components, nil)
	problem := at{negative[T]{o}, context.Background()}
	if _, err := problem.Evaluate(p, g); err != nil {
		t.Fatal(err)
	}
	if num.IsFloat64[T]() && c.inLog != (o.inLog > 0) {
		t.Fatalf("%s: %d of %d pairs were solved in the log domain", c.name, o.inLog, len(o.pairs))
	}
	return func(p, dir *mat.Dense, h float64) float64 {
		var q mat.Dense
		q.Scale(h, dir)
		q.Add(p, &q)
		v, err := problem.Evaluate(&q, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}, p, g, dir
}

func inner(a, b *mat.Dense) float64 {
	var m mat.Dense
	m.MulElem(a, b)
	return mat.Sum(&m)
}

// TestInverseGradient: 1/J and −J have gradients that differ by the factor 1/J².
func TestInverseGradient(t *testing.T) {
	x, labels := parts3(3, 40, 5)
	s, err := newSamples(context.Background(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	set, err := pinned(Settings{Components: 2, Objective: Objective{Shrinkage: FixedShrinkage(0.2)}}).withDefaults(context.Background(), s.n, s.d, 3)
	if err != nil {
		t.Fatal(err)
	}
	o, err := newObjective[float64](context.Background(), s, &set)
	if err != nil {
		t.Fatal(err)
	}
	p := uniform(1, 5, 2)
	if err := o.prepare(t.Context(), &set, p); err != nil {
		t.Fatal(err)
	}
	a, b := mat.NewDense(5, 2, nil), mat.NewDense(5, 2, nil)
	v, err := at{inverse[float64]{o}, t.Context()}.Evaluate(p, a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (at{negative[float64]{o}, t.Context()}).Evaluate(p, b); err != nil {
		t.Fatal(err)
	}
	b.Scale(v*v, b)
	if e := off(a, b); !(e < 1e-14) {
		t.Errorf("gradients differ by %g", e)
	}
}

// TestEvaluationAllocatesNothing: once every goroutine has seen a largest pair, J and
// its gradient cost no allocation, but for what the runtime now and then takes to start
// one.
func TestEvaluationAllocatesNothing(t *testing.T) {
	x, labels := clusters(4, 60, 30, 30, 30, 40)
	s, err := newSamples(context.Background(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("float64", func(t *testing.T) { allocations[float64](t, s) })
	t.Run("float32", func(t *testing.T) { allocations[float32](t, s) })
}

func allocations[T dist.Float](t *testing.T, s *samples) {
	for _, workers := range []int{1, 3} {
		set, err := pinned(Settings{Components: 4, Workers: workers}).withDefaults(context.Background(), s.n, s.d, len(s.classes))
		if err != nil {
			t.Fatal(err)
		}
		o, err := newObjective[T](context.Background(), s, &set)
		if err != nil {
			t.Fatal(err)
		}
		p, g := mat.NewDense(s.d, 4, nil), mat.NewDense(s.d, 4, nil)
		stiefel.New(s.d, 4).Random(ctx, p, rand.New(rand.NewPCG(1, 2)))
		if err := o.prepare(t.Context(), &set, p); err != nil {
			t.Fatal(err)
		}
		var problem descent.Problem = at{inverse[T]{o}, t.Context()}
		if n := asmtest.Allocations(func() {
			if _, err := problem.Evaluate(p, g); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%d workers: %v allocations", workers, n)
		}
	}
}
